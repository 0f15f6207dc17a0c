"use strict";
/* Linear theory of GS4-2, the twin of isodyn.schemes.gs4_2 and isodyn.schemes.spectral:  x'' + 2 ξ ω x' + ω² x = g,  Ω = ω Δt.

   p = (1+ρmin)(1+ρmax), s = 1+ρs, m = 3 + ρmin + ρmax − ρmin ρmax
   U0   W1 = 1/s      W2L2 = 1/(2s)   W3L3 = 1/(p s)   W2L5 = m/(2 p s)   l3 = 1/p      l5 = m/(2p)
   V0   W1 = m/(2p)   W2L2 = 1/p      W3L3 = 1/(p s)   W2L5 = 2/(p s)     l3 = 1/(2s)   l5 = 1/s
   both W1L6 = (2 + ρmin + ρmax + ρs − ρmin ρmax ρs)/(p s);  explicit members multiply W3L3, W2L5, l3 by 0        [Shimada2014 Alg. 2.2.1, (2.58)]

   Roots: with x = ζ − 1,  D det(ζ I − A) = c₃x³ + c₂x² + c₁x + c₀, each c a polynomial in Ω (below). */

const gs4 = {};
gs4.ROUNDING = 1e-13;

gs4.scheme = function (family, [low, high, spurious], explicit = false) {
  const p = (1 + low) * (1 + high),
    s = 1 + spurious,
    m = 3 + low + high - low * high,
    e = explicit ? 0 : 1;
  const W1L6 = (2 + low + high + spurious - low * high * spurious) / (p * s);
  const own =
    family === "U0"
      ? { W1: 1 / s, W2L2: 0.5 / s, W3L3: e / (p * s), W2L5: (e * m) / (2 * p * s), l3: e / p, l5: m / (2 * p) }
      : { W1: m / (2 * p), W2L2: 1 / p, W3L3: e / (p * s), W2L5: (2 * e) / (p * s), l3: e / (2 * s), l5: 1 / s };
  return { ...own, W1L6, phi: W1L6 - own.W1 };
};

/* c₃ … c₀ as polynomials in Ω, ascending. */
gs4.polynomials = (s, xi) => [
  [s.W1L6, 2 * xi * s.W2L5, s.W3L3],
  [1, 2 * xi * (s.l5 + s.W1), s.l3 + s.W1 * s.l5 + s.W2L2],
  [0, 2 * xi, s.l5 + 0.5 + s.W1],
  [0, 0, 1],
];

gs4.value = (p, x) => p.reduceRight((sum, c) => sum * x + c, 0);
gs4.product = (...factors) =>
  factors.reduce(
    (a, b) => {
      const out = new Array(a.length + b.length - 1).fill(0);
      a.forEach((x, i) =>
        b.forEach((y, k) => {
          out[i + k] += x * y;
        }),
      );
      return out;
    },
    [1],
  );
gs4.sum = (...terms) => {
  const out = new Array(Math.max(...terms.map(([, p]) => p.length))).fill(0);
  for (const [w, p] of terms)
    p.forEach((x, i) => {
      out[i] += w * x;
    });
  return out;
};

/* Smallest Ω ≥ 0 behind which p is negative, ∞ where it never is; coefficients at rounding (against `bound`) are zero. */
gs4.firstNegative = function (p, bound) {
  p = p.map((x, i) => (Math.abs(x) <= gs4.ROUNDING * bound[i] ? 0 : x));
  const lead = p.find((x) => x !== 0);
  if (lead === undefined) return Infinity;
  if (lead < 0) return 0;
  const size = p.map(Math.abs),
    negative = (x) => gs4.value(p, x) < -gs4.ROUNDING * gs4.value(size, x);
  let before = 1e-6;
  for (let x = before; x < 1e9; x *= 1.02) {
    if (negative(x)) {
      let a = before,
        b = x;
      for (let k = 0; k < 60; k++) {
        const m = Math.sqrt(a * b);
        if (negative(m)) b = m;
        else a = m;
      }
      return b;
    }
    before = x;
  }
  return Infinity;
};

/* The largest Ω up to which no root exceeds one in size: Routh–Hurwitz after ζ = (1+w)/(1−w). */
gs4.critical = function (s, xi = 0) {
  const c = gs4.polynomials(s, xi),
    rows = [
      [8, -4, 2, -1],
      [0, 4, -4, 3],
      [0, 0, 2, -3],
      [0, 0, 0, 1],
    ];
  const h = rows.map((r) => gs4.sum(...r.map((w, i) => [w, c[i]]))),
    b = rows.map((r) => gs4.sum(...r.map((w, i) => [Math.abs(w), c[i]])));
  const conditions = h.map((p, i) => [p, b[i]]);
  conditions.push([
    gs4.sum([1, gs4.product(h[1], h[2])], [-1, gs4.product(h[0], h[3])]),
    gs4.sum([1, gs4.product(b[1], b[2])], [1, gs4.product(b[0], b[3])]),
  ]);
  return Math.min(...conditions.map(([p, bound]) => gs4.firstNegative(p, bound)));
};

/* Ω at which the principal pair becomes real: first zero of the discriminant. */
gs4.bifurcation = function (s, xi = 0) {
  const [a, b, c, d] = gs4.polynomials(s, xi);
  const plus = gs4.sum([4, gs4.product(b, b, b, d)], [4, gs4.product(a, c, c, c)], [27, gs4.product(a, a, d, d)]);
  const minus = gs4.sum([18, gs4.product(a, b, c, d)], [1, gs4.product(b, b, c, c)]);
  return gs4.firstNegative(gs4.sum([1, plus], [-1, minus]), gs4.sum([1, plus], [1, minus]));
};

/* ---- roots of a real cubic x³ + b x² + c x + d as [re, im] */
gs4.cubic = function (b, c, d) {
  const value = (x) => ((x + b) * x + c) * x + d,
    slope = (x) => (3 * x + 2 * b) * x + c;
  const q = c - (b * b) / 3,
    r = (2 * b * b * b) / 27 - (b * c) / 3 + d,
    disc = (r * r) / 4 + (q * q * q) / 27;
  let x;
  if (disc > 0) {
    const u = Math.cbrt(-r / 2 - Math.sign(r || 1) * Math.sqrt(disc));
    x = u - (u === 0 ? 0 : q / (3 * u)) - b / 3;
  } else {
    const m = 2 * Math.sqrt(-q / 3);
    x = m === 0 ? -b / 3 : m * Math.cos(Math.acos(Math.max(-1, Math.min(1, (3 * r) / (q * m)))) / 3) - b / 3;
    if (b > 0)
      x =
        m === 0
          ? x
          : m * Math.cos((Math.acos(Math.max(-1, Math.min(1, (3 * r) / (q * m)))) + 2 * Math.PI) / 3) -
            b / 3; /* the largest in size */
  }
  for (let k = 0; k < 4; k++) {
    const f = value(x),
      g = slope(x);
    if (f === 0 || g === 0) break;
    const next = x - f / g;
    if (!(Math.abs(value(next)) < Math.abs(f))) break;
    x = next;
  }
  /* what remains: y² + (b + x) y + e */
  const p = b + x,
    e = Math.abs(x) * Math.abs(x) > Math.abs(c) && x !== 0 ? -d / x : c + x * p;
  const t = p * p - 4 * e;
  if (t < 0)
    return [
      [x, 0],
      [-p / 2, Math.sqrt(-t) / 2],
      [-p / 2, -Math.sqrt(-t) / 2],
    ];
  const far = -0.5 * (p + (p < 0 ? -1 : 1) * Math.sqrt(t));
  return [
    [x, 0],
    [far, 0],
    [far === 0 ? 0 : e / far, 0],
  ];
};

/* The three ζ at Ω, principal ones first: those that tend to one with the step. */
gs4.roots = function (s, Omega, xi = 0) {
  const [c3, c2, c1, c0] = gs4.polynomials(s, xi).map((p) => gs4.value(p, Omega));
  return gs4.cubic(c2 / c3, c1 / c3, c0 / c3).map(([re, im]) => [1 + re, im]);
};

gs4.radius = (s, Omega, xi = 0) => Math.max(...gs4.roots(s, Omega, xi).map(([re, im]) => Math.hypot(re, im)));

/* Roots along a grid, each followed in its own direction: {principal: [[|ζ|], [|ζ|]], spurious: [|ζ|]}. */
gs4.follow = function (s, Omegas, xi = 0) {
  const orders = [
    [0, 1, 2],
    [0, 2, 1],
    [1, 0, 2],
    [1, 2, 0],
    [2, 0, 1],
    [2, 1, 0],
  ];
  const path = [];
  for (const Omega of Omegas) {
    const now = gs4.roots(s, Omega, xi),
      n = path.length;
    if (n === 0) {
      path.push(now);
      continue;
    }
    const expected = path[n - 1].map((z, k) =>
      n === 1 ? z : [2 * z[0] - path[n - 2][k][0], 2 * z[1] - path[n - 2][k][1]],
    );
    let best = null,
      least = Infinity;
    for (const order of orders) {
      const cost = order.reduce(
        (sum, from, k) => sum + (now[from][0] - expected[k][0]) ** 2 + (now[from][1] - expected[k][1]) ** 2,
        0,
      );
      if (cost < least) [best, least] = [order, cost];
    }
    path.push(best.map((from) => now[from]));
  }
  const sizes = [0, 1, 2].map((k) => path.map((roots) => Math.hypot(...roots[k])));
  sizes.sort((a, b) => b[0] - a[0]);
  return { principal: sizes.slice(0, 2), spurious: sizes[2] };
};

/* log of the principal root with positive imaginary part, null beyond the bifurcation. */
gs4.logarithm = function (s, Omega, xi, bifurcation) {
  if (!(Omega > 0 && Omega < bifurcation)) return null;
  const [re, im] = gs4.roots(s, Omega, xi).reduce((a, b) => (b[1] > a[1] ? b : a));
  return im > 0 ? [Math.log(Math.hypot(re, im)), Math.atan2(im, re)] : null;
};

gs4.damping = function (s, Omegas, xi = 0) {
  const end = gs4.bifurcation(s, xi);
  return Omegas.map((Omega) => {
    const z = gs4.logarithm(s, Omega, xi, end);
    return z ? -z[0] / Math.hypot(...z) : NaN;
  });
};

gs4.period = function (s, Omegas, xi = 0) {
  const end = gs4.bifurcation(s, xi);
  return Omegas.map((Omega) => {
    const z = gs4.logarithm(s, Omega, xi, end);
    return z ? (Omega * Math.sqrt(Math.max(0, 1 - xi * xi))) / Math.abs(z[1]) - 1 : NaN;
  });
};

/* ---- runs, started as `integrate` does: a midpoint step where φ ≠ 0, then a moved to t_n − φ Δt */

gs4.step = function (s, omega, xi, dt, y, load, t) {
  const D = s.W1L6 + 2 * s.W2L5 * xi * omega * dt + s.W3L3 * (omega * dt) ** 2;
  const q = y.q + s.W1 * dt * y.v + s.W2L2 * dt * dt * y.a,
    v = y.v + s.W1 * dt * y.a;
  const da = (load(t + s.W1 * dt) - y.a - 2 * xi * omega * v - omega * omega * q) / D;
  return { q: y.q + dt * y.v + dt * dt * (0.5 * y.a + s.l3 * da), v: y.v + dt * (y.a + s.l5 * da), a: y.a + da, da };
};

gs4.run = function (s, { omega, xi = 0, dt, q0, v0, steps, load = () => 0 }) {
  const q = [q0],
    v = [v0],
    explicit = s.W3L3 === 0 && s.W2L5 === 0;
  let y = { q: q0, v: v0, a: load(0) - 2 * xi * omega * v0 - omega * omega * q0 };
  for (let n = 0; n < steps; n++) {
    const first = n === 0 && Math.abs(s.phi) >= 1e-14;
    y = gs4.step(first ? gs4.scheme("U0", [1, 1, 1], explicit) : s, omega, xi, dt, y, load, n * dt);
    if (first) y.a -= s.phi * y.da;
    q.push(y.q);
    v.push(y.v);
  }
  return { q, v };
};

/* Largest |q|/d and |v|/(ω d) in the first steps at Ω, from a displacement d and from a velocity ω d. */
gs4.overshoot = function (s, Omega, steps = 20) {
  let [q, v] = [0, 0];
  for (const [q0, v0] of [
    [1, 0],
    [0, Omega],
  ]) {
    const run = gs4.run(s, { omega: Omega, dt: 1, q0, v0, steps });
    q = Math.max(q, ...run.q.map(Math.abs));
    v = Math.max(v, ...run.v.map((x) => Math.abs(x) / Omega));
  }
  return [q, v];
};

gs4.grid = (low, high, n) => Array.from({ length: n }, (_, k) => low * (high / low) ** (k / (n - 1)));
