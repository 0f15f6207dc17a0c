"use strict";
/* Work-precision plots of the standard set: one for each case with several step sizes. */

(function () {
  const data = JSON.parse(document.getElementById("data").textContent);
  const plots = [];
  let work = "steps";

  /* Runs in the order of their work; those without a time are left out when seconds are shown. */
  const sorted = (one) => {
    const runs = one.runs.filter((run) => run[work] > 0);
    return runs.sort((a, b) => a[work] - b[work]);
  };

  const curves = (one, runs) => {
    const series = one.quantities.map((q) => ({ name: q.label, y: runs.map((run) => run.errors[q.name] ?? NaN) }));
    const q = one.quantities.find((x) => x.order);
    if (q && work === "steps" && runs.length > 1) {
      const last = runs[runs.length - 1];
      /* beside the curve, not on it */
      series.push({
        name: `order ${iso.number(q.order, 2)}`,
        dash: true,
        colour: iso.colour("soft"),
        y: runs.map((run) => 0.5 * last.errors[q.name] * (last.steps / run.steps) ** q.order),
      });
    }
    return series;
  };

  const show = (plot, one) => {
    const runs = sorted(one);
    if (runs.length === 0) return;
    const x = runs.map((run) => run[work]);
    plot.o.x = x;
    plot.o.xLabel = plot.o.xName = work;
    plot.zoom = [x[0] / 1.25, x[x.length - 1] * 1.25];
    plot.setSeries(curves(one, runs));
  };

  for (const one of data.cases) {
    const host = document.getElementById(`plot-${one.name}`);
    const runs = sorted(one);
    const plot = new iso.Plot(host, {
      x: runs.map((run) => run.steps),
      series: curves(one, runs),
      xLabel: work,
      xName: work,
      yLabel: "relative error",
      logX: true,
      logY: true,
      points: true,
      height: 230,
    });
    plots.push([plot, one]);
    show(plot, one);
  }
  window.isodynPlots = plots.map(([plot]) => plot);

  const buttons = [...document.querySelectorAll("#work button")];
  for (const button of buttons)
    button.addEventListener("click", () => {
      work = button.dataset.work;
      for (const other of buttons) other.classList.toggle("on", other === button);
      for (const [plot, one] of plots) show(plot, one);
    });

  iso.theme(document.getElementById("theme"), () => {
    for (const [plot, one] of plots) show(plot, one);
  });
  document.documentElement.dataset.ready = "yes";
})();
