"use strict";
/* Puts a report together from its data. */

(function () {
  const data = JSON.parse(document.getElementById("data").textContent);
  const plots = [];
  let player = null;

  if (data.scene) {
    player = new iso.Player(document.getElementById("stage"), data.scene, {
      height: data.height || 480,
      trails: data.trails,
    });
    window.isodynPlayer = player;
  }

  const seek = (t) => {
    if (player) {
      player.pause();
      player.seek(t - data.scene.t0);
    }
  };
  const x = data.t ? iso.unpack(data.t).data : null;
  for (const group of data.groups || []) {
    const values = iso.unpack(group.values),
      n = values.shape[1];
    const host = iso.make(
      "div",
      { class: "card", id: group.id },
      iso.make(
        "div",
        { class: "head" },
        iso.make("h3", {}, group.title),
        iso.make("span", { class: "soft small" }, group.remark || ""),
      ),
    );
    document.getElementById("plots").append(host);
    const series = group.names.map((name, k) => ({
      name,
      y: values.data.subarray(k * n, (k + 1) * n),
      on: k < group.on,
    }));
    const plot = new iso.Plot(host, {
      x,
      series,
      xLabel: data.xLabel,
      yLabel: group.label,
      logY: group.log,
      cursor: player ? seek : null,
    });
    plots.push(plot);
  }
  window.isodynPlots = plots;
  if (player)
    player.listeners.push((t) => {
      for (const plot of plots) plot.time = t;
      if (!player.playing || performance.now() - (player.stamp || 0) > 90) {
        player.stamp = performance.now();
        for (const plot of plots) if (inSight(plot.box)) plot.draw();
      }
    });
  const inSight = (box) => {
    const r = box.getBoundingClientRect();
    return r.bottom > 0 && r.top < window.innerHeight;
  };
  window.addEventListener(
    "scroll",
    () => {
      if (player) for (const plot of plots) if (inSight(plot.box)) plot.draw();
    },
    { passive: true },
  );

  const s = data.scheme;
  if (s) {
    const Omegas = gs4.grid(1e-2, 1e3, 400),
      fine = gs4.grid(1e-2, Math.PI, 300);
    const roots = gs4.follow(s, gs4.grid(1e-2, 1e4, 600)),
      end = gs4.critical(s);
    const stable = (grid, values) => values.map((v, i) => (grid[i] <= end || end === 0 ? v : NaN));
    const card = (title) => {
      const host = iso.make("div", { class: "card" }, iso.make("div", { class: "head" }, iso.make("h3", {}, title)));
      document.getElementById("curves").append(host);
      return host;
    };
    const common = { xLabel: "Ω = ω Δt", xName: "Ω", logX: true, height: 215 };
    plots.push(
      new iso.Plot(card("Size of the roots"), {
        ...common,
        x: gs4.grid(1e-2, 1e4, 600),
        yRange: () => [0, 1.1],
        guides: [{ y: 1 }],
        series: [
          { name: "principal", y: roots.principal[0] },
          { name: "its twin", y: roots.principal[1] },
          { name: "spurious", y: roots.spurious, dash: true },
        ],
      }),
    );
    plots.push(
      new iso.Plot(card("Algorithmic damping ratio"), {
        ...common,
        x: Omegas,
        series: [{ name: "ξ", y: stable(Omegas, gs4.damping(s, Omegas)) }],
        yRange: (low, high) => [Math.min(low, 0), Math.max(high, 0.02)],
      }),
    );
    plots.push(
      new iso.Plot(card("Period error [%]"), {
        ...common,
        x: fine,
        series: [
          {
            name: "(T̄ − T)/T",
            y: stable(
              fine,
              gs4.period(s, fine).map((v) => 100 * v),
            ),
          },
        ],
        yRange: (low, high) => [Math.min(low, 0), Math.max(high, 0.1)],
      }),
    );
  }

  iso.theme(document.getElementById("theme"), () => {
    for (const plot of plots) plot.draw();
    if (player) player.draw();
  });
  if (player && data.autoplay && !window.matchMedia("(prefers-reduced-motion: reduce)").matches) player.play();
  document.documentElement.dataset.ready = "yes";
})();
