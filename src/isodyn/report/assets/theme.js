"use strict";
/* A page without plots of its own: only its colours change. */
iso.theme(document.getElementById("theme"), () => {});
