"use strict";
/* The explorer: sliders → coefficients → curves. */

(function () {
  const start = JSON.parse(document.getElementById("data").textContent);
  const state = {
    family: start.family,
    radii: [...start.radii],
    explicit: start.explicit,
    xi: 0,
    steps: 12,
    damping: 0.02,
    from: "displacement",
    periods: 5,
  };
  const $ = (id) => document.getElementById(id);
  const make = iso.make;
  window.isodynExplorer = {
    state,
    scheme: () => gs4.scheme(state.family, state.radii, state.explicit),
    refresh: () => refresh(),
  };

  /* ---- controls */
  const LABELS = ["ρmin, principal", "ρmax, principal", "ρs, spurious"];
  const sliders = [],
    outputs = [];
  const row = make("div", { class: "controls" });
  LABELS.forEach((label, k) => {
    outputs[k] = make("output");
    sliders[k] = make("input", {
      type: "range",
      min: 0,
      max: 1,
      step: 0.01,
      id: `rho${k}`,
      "aria-label": label,
      oninput: () => set(k, Number(sliders[k].value)),
    });
    row.append(
      make(
        "div",
        { class: "control" },
        make("div", { class: "row" }, make("label", { htmlFor: `rho${k}` }, label), outputs[k]),
        sliders[k],
      ),
    );
  });
  const choice = (names, key, values) => {
    const box = make("span", { class: "choice" });
    names.forEach((name, k) =>
      box.append(
        make(
          "button",
          {
            type: "button",
            id: `${key}-${name}`,
            onclick: () => {
              state[key] = values[k];
              order();
              refresh();
            },
          },
          name,
        ),
      ),
    );
    box.mark = () => [...box.children].forEach((button, k) => button.classList.toggle("on", state[key] === values[k]));
    return box;
  };
  const family = choice(["U0", "V0"], "family", ["U0", "V0"]),
    kind = choice(["implicit", "explicit"], "explicit", [false, true]);
  row.append(
    make(
      "div",
      { class: "control" },
      make("div", { class: "row" }, make("span", {}, "family, kind")),
      make("div", {}, family, " ", kind),
    ),
  );
  const presets = make("div", { class: "presets" });
  const hht = (r) => [r, r, (1 - r) / (2 * r)];
  for (const [name, fam, radii, explicit] of [
    ["midpoint", "U0", [1, 1, 1], false],
    ["Newmark", "U0", [1, 1, 0], false],
    ["optimal(0.8)", "U0", [0.8, 1, 0.8], false],
    ["optimal(0.5)", "U0", [0.5, 1, 0.5], false],
    ["generalised-α(0.8)", "U0", [0.8, 0.8, 0.8], false],
    ["generalised-α(0.5)", "U0", [0.5, 0.5, 0.5], false],
    ["HHT(0.8)", "U0", hht(0.8), false],
    ["WBZ(0.8)", "U0", [0.8, 0.8, 0], false],
    ["V0(0.5, 0.5, 0.5)", "V0", [0.5, 0.5, 0.5], false],
    ["central difference", "U0", [1, 1, 0], true],
  ])
    presets.append(
      make(
        "button",
        {
          type: "button",
          onclick: () => {
            Object.assign(state, { family: fam, radii: [...radii], explicit });
            refresh();
          },
        },
        name,
      ),
    );
  const verdict = make("div", { class: "small", id: "verdict" });
  verdict.style.marginTop = "10px";
  $("controls").append(row, presets, verdict);

  /* Implicit members have ρs ≤ ρmin ≤ ρmax: the slider that is moved takes the others along. */
  function set(k, value) {
    state.radii[k] = value;
    order(k);
    refresh();
  }
  function order(moved = 1) {
    if (state.explicit) return;
    let [low, high, spurious] = state.radii;
    if (moved === 0) {
      high = Math.max(high, low);
      spurious = Math.min(spurious, low);
    } else if (moved === 1) {
      low = Math.min(low, high);
      spurious = Math.min(spurious, low);
    } else {
      low = Math.max(low, spurious);
      high = Math.max(high, low);
    }
    state.radii = [low, high, spurious];
  }

  /* ---- plots */
  const card = (host, title, remark) => {
    const box = make(
      "div",
      { class: "card" },
      make("div", { class: "head" }, make("h3", {}, title), make("span", { class: "soft small" }, remark || "")),
    );
    $(host).append(box);
    return box;
  };
  const wide = gs4.grid(1e-2, 1e4, 500),
    middle = gs4.grid(1e-2, 1e3, 400),
    near = gs4.grid(5e-2, Math.PI, 240),
    stiff = gs4.grid(1e-1, 1e4, 90);
  const common = { xLabel: "Ω = ω Δt", xName: "Ω", logX: true, height: 240, series: [], fixedColours: true };
  const plots = {
    roots: new iso.Plot(card("curves", "Size of the roots", "above 1 a mode grows"), {
      ...common,
      x: wide,
      yRange: (l, h) => [0, Math.min(Math.max(h, 1.05), 1.6)],
      guides: [{ y: 1 }],
    }),
    damping: new iso.Plot(card("curves", "Algorithmic damping ratio", "until the pair becomes real or unstable"), {
      ...common,
      x: middle,
      yRange: (l, h) => [Math.min(l, 0), Math.max(h, 0.05)],
    }),
    period: new iso.Plot(card("curves", "Period error [%]"), {
      ...common,
      x: near,
      yRange: (l, h) => [Math.min(l, 0), Math.max(h, 1)],
    }),
    overshoot: new iso.Plot(card("curves", "Overshoot in the first 20 steps", "largest value, 1 is none"), {
      ...common,
      x: stiff,
      logY: true,
      yRange: (l, h) => [Math.min(l, 0.5), Math.max(Math.min(h, 1e12), 10)],
    }),
  };
  window.isodynExplorer.plots = plots;
  const motion = card("response", "Displacement", ""),
    energy = card("response", "Energy, relative to the start", "");
  const knobs = make("div", { class: "controls" });
  knobs.style.margin = "4px 0 8px";
  motion.append(knobs);
  const knob = (label, key, min, max, step, show) => {
    const out = make("output");
    const input = make("input", {
      type: "range",
      min,
      max,
      step,
      value: state[key],
      id: key,
      "aria-label": label,
      oninput: () => {
        state[key] = Number(input.value);
        refresh();
      },
    });
    out.show = () => {
      out.textContent = show(state[key]);
    };
    knobs.append(make("div", { class: "control" }, make("div", { class: "row" }, make("span", {}, label), out), input));
    return out;
  };
  const shown = [
    knob("steps in a period", "steps", 2, 60, 0.5, (v) => `${v} (Ω = ${iso.number((2 * Math.PI) / v, 3)})`),
    knob("damping ratio ξ", "damping", 0, 0.3, 0.005, (v) => iso.number(v, 2)),
    knob("periods", "periods", 1, 40, 1, (v) => v),
  ];
  const from = choice(["displacement", "velocity"], "from", ["displacement", "velocity"]);
  knobs.append(
    make(
      "div",
      { class: "control" },
      make("div", { class: "row" }, make("span", {}, "start from a")),
      make("div", {}, from),
    ),
  );
  plots.motion = new iso.Plot(motion, {
    x: [0, 1],
    series: [],
    xLabel: "t / T",
    xName: "t/T",
    height: 240,
    fixedColours: true,
  });
  plots.energy = new iso.Plot(energy, {
    x: [0, 1],
    series: [],
    xLabel: "t / T",
    xName: "t/T",
    height: 332,
    fixedColours: true,
  });

  function exact(t) {
    /* T = 1 */
    const w = 2 * Math.PI,
      xi = state.damping,
      wd = w * Math.sqrt(1 - xi * xi),
      e = Math.exp(-xi * w * t);
    const [q0, v0] = state.from === "displacement" ? [1, 0] : [0, w],
      B = (v0 + xi * w * q0) / wd;
    const q = e * (q0 * Math.cos(wd * t) + B * Math.sin(wd * t));
    const v = -xi * w * q + e * wd * (-q0 * Math.sin(wd * t) + B * Math.cos(wd * t));
    return [q, v];
  }

  function refresh() {
    const s = window.isodynExplorer.scheme(),
      end = gs4.critical(s);
    sliders.forEach((slider, k) => {
      slider.value = state.radii[k];
      outputs[k].textContent = iso.number(state.radii[k], 3);
    });
    for (const box of [family, kind, from]) box.mark();
    for (const out of shown) out.show();
    const roots = gs4.follow(s, wide),
      stable = (grid, values) => values.map((v, i) => (grid[i] <= end || end === 0 ? v : NaN));
    plots.roots.setSeries([
      { name: "principal", y: roots.principal[0] },
      { name: "its twin", y: roots.principal[1] },
      { name: "spurious", y: roots.spurious, dash: true },
    ]);
    plots.damping.setSeries([{ name: "damping ratio", y: stable(middle, gs4.damping(s, middle)) }]);
    plots.period.setSeries([
      {
        name: "period error",
        y: stable(
          near,
          gs4.period(s, near).map((v) => 100 * v),
        ),
      },
    ]);
    const over = stiff.map((Omega) => (Omega <= end ? gs4.overshoot(s, Omega) : [NaN, NaN]));
    plots.overshoot.setSeries([
      { name: "displacement", y: over.map((o) => o[0]) },
      { name: "velocity", y: over.map((o) => o[1]), dash: true },
    ]);
    respond(s);
    tell(s, end, over);
  }

  function respond(s) {
    const w = 2 * Math.PI,
      dt = 1 / state.steps,
      n = Math.max(2, Math.round(state.periods * state.steps));
    const run = gs4.run(s, {
      omega: w,
      xi: state.damping,
      dt,
      q0: state.from === "displacement" ? 1 : 0,
      v0: state.from === "displacement" ? 0 : w,
      steps: n,
    });
    const t = run.q.map((_, k) => k * dt),
      fine = Array.from({ length: 801 }, (_, k) => (k * n * dt) / 800),
      truth = fine.map(exact);
    const clip = (y) => (Math.abs(y) < 1e6 ? y : NaN);
    const E = (q, v) => (0.5 * (v * v + w * w * q * q)) / (0.5 * w * w);
    plots.motion.o.x = t;
    plots.energy.o.x = t;
    plots.motion.setSeries([
      { name: "computed", y: run.q.map(clip), points: true },
      { name: "exact", x: fine, y: truth.map((p) => p[0]), dash: true },
    ]);
    plots.energy.setSeries([
      { name: "computed", y: run.q.map((q, k) => clip(E(q, run.v[k]))), points: true },
      { name: "exact", x: fine, y: truth.map((p) => E(...p)), dash: true },
    ]);
  }

  function tell(s, end, over) {
    const far = gs4.radius(s, 1e7),
      half = [0.5],
      ratio = gs4.damping(s, half)[0],
      longer = gs4.period(s, half)[0];
    const name = `${state.family}(${state.radii.map((r) => iso.number(r, 3)).join(", ")})${state.explicit ? " explicit" : ""}`;
    const stable =
      end === Infinity
        ? "stable for every step"
        : end === 0
          ? "unstable for every step"
          : `stable up to Ω = ${iso.number(end, 4)}`;
    $("verdict").replaceChildren(
      make("b", {}, name),
      ` · ${stable} · ` +
        (end === Infinity ? `at infinite frequency ${iso.number(100 * far, 3)} % is left after a step · ` : "") +
        `at Ω = 0.5 (12.6 steps in a period): damping ratio ${iso.number(Math.abs(ratio) < 1e-12 ? 0 : ratio, 2)}, period error ${iso.number(100 * longer, 2)} %`,
    );
    const call = `iso.Scheme.${state.family}(${state.radii.map((r) => iso.number(r, 4)).join(", ")}${state.explicit ? ", explicit=True" : ""})`;
    const table = (rows) =>
      make(
        "table",
        {},
        make("tbody", {}, ...rows.map(([k, v]) => make("tr", {}, make("th", {}, k), make("td", { class: "n" }, v)))),
      );
    const box = (title, ...content) =>
      make("div", { class: "card" }, make("div", { class: "head" }, make("h3", {}, title)), ...content);
    const keys = ["W1", "W2L2", "W3L3", "W2L5", "W1L6", "l3", "l5", "phi"];
    const last = over[over.length - 1];
    const grows = (x) =>
      end !== Infinity ? "–" : x > 20 ? `grows with Ω (${iso.number(x, 2)} at 10⁴)` : `bounded (${iso.number(x, 3)})`;
    $("numbers").replaceChildren(
      box("Coefficients", table(keys.map((key) => [key === "phi" ? "φ" : key, iso.number(s[key], 8)]))),
      box(
        "In Python",
        make("p", {}, make("code", {}, call)),
        table([
          ["stability limit Ω", iso.number(end, 6)],
          ["pair becomes real at Ω", iso.number(gs4.bifurcation(s), 6)],
          ["overshoot of displacement", grows(last[0])],
          ["overshoot of velocity", grows(last[1])],
          ["balance of forces at", `t + ${iso.number(s.W1, 4)} Δt`],
          ["carried acceleration belongs to", `t − ${iso.number(s.phi, 4)} Δt`],
        ]),
      ),
    );
  }

  order();
  refresh();
  iso.theme($("theme"), () => {
    for (const plot of Object.values(plots)) plot.draw();
  });
  document.documentElement.dataset.ready = "yes";
})();
