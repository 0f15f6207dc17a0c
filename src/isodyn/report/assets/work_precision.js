"use strict";
/* Error over work: one plot for each quantity, one curve for each method. */

(function () {
  const data = JSON.parse(document.getElementById("data").textContent);
  const names = { steps: "steps", evaluations: "balances", seconds: "seconds" };
  let work = "steps";

  /* Runs in the order of their work, as curves with points of their own. */
  const curves = (quantity) =>
    data.curves.map((one) => {
      const runs = one.runs.filter((run) => run[work] > 0).sort((a, b) => a[work] - b[work]);
      return { name: one.name, x: runs.map((run) => run[work]), y: runs.map((run) => run.errors[quantity] ?? NaN) };
    });

  const range = (series) => {
    const x = series.flatMap((one) => one.x);
    return [Math.min(...x) / 1.25, Math.max(...x) * 1.25];
  };

  const show = (plot, quantity) => {
    const series = curves(quantity);
    plot.o.x = range(series);
    plot.o.xLabel = plot.o.xName = names[work];
    plot.zoom = range(series);
    plot.setSeries(series);
  };

  const plots = data.quantities.map((q) => {
    const series = curves(q.name);
    const plot = new iso.Plot(document.getElementById(`plot-${q.name}`), {
      x: range(series),
      series,
      xLabel: names[work],
      xName: names[work],
      yLabel: `relative error in ${q.label}`,
      logX: true,
      logY: true,
      points: true,
      height: 300,
    });
    show(plot, q.name);
    return [plot, q.name];
  });
  window.isodynPlots = plots.map(([plot]) => plot);

  const buttons = [...document.querySelectorAll("#work button")];
  for (const button of buttons)
    button.addEventListener("click", () => {
      work = button.dataset.work;
      for (const other of buttons) other.classList.toggle("on", other === button);
      for (const [plot, name] of plots) show(plot, name);
    });

  iso.theme(document.getElementById("theme"), () => {
    for (const [plot, name] of plots) show(plot, name);
  });
  document.documentElement.dataset.ready = "yes";
})();
