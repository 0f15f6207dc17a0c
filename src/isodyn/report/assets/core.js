"use strict";
/* What all pages share: elements, numbers in base64, colours of the theme. */

const iso = {};

iso.make = function (tag, properties = {}, ...children) {
  const element = document.createElement(tag);
  for (const [key, value] of Object.entries(properties)) {
    if (key === "class") element.className = value;
    else if (key.startsWith("on")) element.addEventListener(key.slice(2), value);
    else if (key in element) element[key] = value;
    else element.setAttribute(key, value);
  }
  element.append(...children.filter((child) => child !== null && child !== undefined));
  return element;
};

/* {shape, f32} → {shape, data}; a plain array stays as it is. */
iso.unpack = function (packed) {
  if (!packed || packed.f32 === undefined) return packed;
  const text = atob(packed.f32);
  const bytes = new Uint8Array(text.length);
  for (let i = 0; i < text.length; i++) bytes[i] = text.charCodeAt(i);
  const view = new DataView(bytes.buffer);
  const data = new Float32Array(bytes.length / 4);
  for (let i = 0; i < data.length; i++) data[i] = view.getFloat32(4 * i, true);
  return { shape: packed.shape, data };
};

iso.colour = (name) => getComputedStyle(document.documentElement).getPropertyValue(`--${name}`).trim();
iso.series = (k) => iso.colour(`c${k % 8}`);

/* "#rrggbb" → [r, g, b] */
/* Colours from small to large, 0 ≤ x ≤ 1, as numbers; isodyn.report.paint has the same. */
iso.HEAT = ["#2b5fd9", "#20b2c8", "#57b947", "#f2c230", "#d7301f"];
iso.heat = (x) => {
  const at = Math.min(Math.max(x, 0), 1) * (iso.HEAT.length - 1),
    k = Math.min(Math.floor(at), iso.HEAT.length - 2),
    [low, high] = [iso.rgb(iso.HEAT[k]), iso.rgb(iso.HEAT[k + 1])];
  return low.map((v, i) => Math.round(v + (at - k) * (high[i] - v)));
};
iso.legends = (c, scene) => {
  c.fillStyle = iso.colour("soft");
  c.font = "11px system-ui, 'Liberation Sans', 'DejaVu Sans', sans-serif";
  c.textAlign = "left";
  [...scene.curves, ...scene.skins]
    .filter((one) => one.label)
    .forEach((one, k) => c.fillText(one.label, 8, 16 + 15 * k));
};
iso.rgb = (hex) => [1, 3, 5].map((i) => parseInt(hex.slice(i, i + 2), 16));

iso.number = function (x, digits = 4) {
  if (x === null || Number.isNaN(x)) return "–";
  if (!Number.isFinite(x)) return x > 0 ? "∞" : "−∞";
  const size = Math.abs(x);
  const text =
    size !== 0 && (size >= 1e5 || size < 1e-3)
      ? x.toExponential(Math.max(digits - 2, 1))
      : String(+x.toPrecision(digits));
  return text.replace("-", "−").replace(/e\+?/, "e").replace("e-", "e−");
};

/* The next of 1, 2, 2.5, 5, 10 … above x. */
iso.nice = (x) => {
  const power = 10 ** Math.floor(Math.log10(x));
  return [1, 2, 2.5, 5, 10].map((m) => m * power).find((s) => s >= 0.999 * x);
};

/* Light or dark: as the system says, or as chosen by the button; `redraw` is called after each change. */
iso.theme = function (button, redraw) {
  const system = window.matchMedia("(prefers-color-scheme: dark)");
  const root = document.documentElement;
  const set = (dark) => {
    root.dataset.theme = dark ? "dark" : "light";
    if (button) button.textContent = dark ? "Light" : "Dark";
    redraw();
  };
  system.addEventListener("change", (event) => set(event.matches));
  if (button) button.addEventListener("click", () => set(root.dataset.theme !== "dark"));
  set(system.matches);
};

/* A canvas with sharp pixels: sets its size from its width on the page, returns the context in CSS pixels. */
iso.sharp = function (canvas, height) {
  const width = Math.max(canvas.clientWidth, 120);
  const ratio = window.devicePixelRatio || 1;
  if (canvas.width !== Math.round(width * ratio) || canvas.height !== Math.round(height * ratio)) {
    canvas.width = Math.round(width * ratio);
    canvas.height = Math.round(height * ratio);
    canvas.style.height = `${height}px`;
  }
  const context = canvas.getContext("2d");
  context.setTransform(ratio, 0, 0, ratio, 0, 0);
  return { context, width, height };
};

/* Digits that tell multiples of a step apart. */
iso.digits = (x, step) => (x === 0 ? 6 : Math.min(15, Math.max(6, Math.ceil(Math.log10(Math.abs(x / step))) + 2)));

/* A name beside a point, inside the picture. */
iso.label = function (c, text, x, y, width, height) {
  const wide = c.measureText(text).width;
  const left = Math.max(4, Math.min(x + 9, width - wide - 4)),
    foot = Math.max(14, Math.min(y - 9, height - 6));
  c.lineWidth = 3;
  c.strokeStyle = iso.colour("sky");
  c.strokeText(text, left, foot);
  c.fillStyle = iso.colour("ink");
  c.fillText(text, left, foot);
};

/* An arrow on the screen; forces of joints and of loads have colours of their own. */
iso.arrow = function (c, from, to, kind) {
  const dx = to[0] - from[0],
    dy = to[1] - from[1],
    length = Math.hypot(dx, dy);
  if (length < 1.5) return;
  const ux = dx / length,
    uy = dy / length,
    head = Math.min(10, 0.6 * length);
  c.strokeStyle = c.fillStyle = iso.colour(kind === "reaction" ? "c1" : "c2");
  c.lineWidth = 2.2;
  c.lineCap = "round";
  c.beginPath();
  c.moveTo(from[0], from[1]);
  c.lineTo(to[0] - 0.8 * head * ux, to[1] - 0.8 * head * uy);
  c.stroke();
  c.beginPath();
  c.moveTo(to[0], to[1]);
  c.lineTo(to[0] - head * ux - 0.45 * head * uy, to[1] - head * uy + 0.45 * head * ux);
  c.lineTo(to[0] - head * ux + 0.45 * head * uy, to[1] - head * uy - 0.45 * head * ux);
  c.closePath();
  c.fill();
};
