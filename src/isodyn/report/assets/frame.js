// In a notebook the page is inside a frame: the frame becomes as high as the page, at every width.
"use strict";
(() => {
  let frame = null;
  try {
    frame = window.frameElement;
  } catch {
    return; // the notebook shows it from another origin: the height stays what it was
  }
  if (!frame) return;
  const fit = () => {
    const high = Math.ceil(document.body.getBoundingClientRect().bottom + window.scrollY);
    if (high > 50) frame.style.height = `${high + 2}px`;
  };
  new ResizeObserver(fit).observe(document.body);
})();
