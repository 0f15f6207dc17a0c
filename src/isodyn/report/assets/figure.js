"use strict";
/* Curves alone, one plot for each unit. */

(function () {
  const data = JSON.parse(document.getElementById("data").textContent);
  const x = iso.unpack(data.t).data;
  const plots = data.groups.map((group) => {
    const values = iso.unpack(group.values),
      n = values.shape[1];
    const host = iso.make("div", { class: "card", id: group.id, style: "margin-bottom:10px" });
    document.getElementById("plots").append(host);
    return new iso.Plot(host, {
      x,
      series: group.names.map((name, k) => ({ name, y: values.data.subarray(k * n, (k + 1) * n), on: true })),
      xLabel: data.xLabel,
      yLabel: group.label,
    });
  });
  window.isodynPlots = plots;
  iso.theme(null, () => {
    for (const plot of plots) plot.draw();
  });
  document.documentElement.dataset.ready = "yes";
})();
