"use strict";
/* Curves over one abscissa: hover for values, drag to zoom, double click for all, click on the legend to hide a curve.

   options: x (array), series [{name, y, on, colour, dash}], xLabel, yLabel, logX, logY, height, yRange [low, high], cursor(x) callback,
   points (draw dots) */

iso.Plot = class {
  constructor(host, options) {
    this.o = { height: 250, logX: false, logY: false, points: false, ...options };
    this.canvas = iso.make("canvas");
    this.tip = iso.make("div", { class: "tip", hidden: true });
    this.box = iso.make("div", { class: "plot" }, this.canvas, this.tip);
    this.legend = iso.make("div", { class: "legend" });
    host.append(this.box, this.legend);
    this.zoom = null;
    this.time = null;
    this.setSeries(this.o.series);
    this.listen();
    new ResizeObserver(() => this.draw()).observe(this.box);
  }

  setSeries(series) {
    const before = this.series ? new Map(this.series.map((s) => [s.name, s.on])) : new Map();
    this.series = series.map((s, k) => ({
      on: true,
      colourNumber: k,
      ...s,
      ...(before.has(s.name) ? { on: before.get(s.name) } : {}),
    }));
    this.fillLegend();
    this.draw();
  }

  /* Colours go to the curves that are shown, in order, so that few curves never share one. */
  shown() {
    const list = this.series.filter((s) => s.on);
    list.forEach((s, k) => {
      s.paint = iso.series(s.colourNumber !== undefined && this.o.fixedColours ? s.colourNumber : k);
    });
    return list;
  }

  fillLegend() {
    this.legend.replaceChildren();
    if (this.series.length < 2) return;
    for (const s of this.series) {
      const swatch = iso.make("i");
      const button = iso.make(
        "button",
        {
          type: "button",
          title: "show or hide",
          onclick: () => {
            s.on = !s.on;
            this.draw();
          },
        },
        swatch,
        s.name,
      );
      s.button = button;
      s.swatch = swatch;
      this.legend.append(button);
    }
  }

  /* ---- scales */
  ranges(list) {
    const x = this.o.x;
    let [x0, x1] = this.zoom || [x[0], x[x.length - 1]];
    if (x0 === x1) x1 = x0 + 1;
    let low = Infinity,
      high = -Infinity;
    for (const s of list) {
      for (let i = 0; i < s.y.length; i++) {
        const xi = s.x ? s.x[i] : x[i];
        if (xi < x0 || xi > x1) continue;
        const y = s.y[i];
        if (!Number.isFinite(y) || (this.o.logY && y <= 0)) continue;
        if (y < low) low = y;
        if (y > high) high = y;
      }
    }
    if (this.o.yRange && !this.zoom) [low, high] = this.o.yRange(low, high);
    if (!(low <= high)) [low, high] = this.o.logY ? [1e-16, 1] : [0, 1];
    if (this.o.logY) {
      low = 10 ** Math.floor(Math.log10(low) - 1e-9);
      high = 10 ** Math.ceil(Math.log10(high) + 1e-9);
    } else {
      const size = Math.max(Math.abs(low), Math.abs(high));
      const pad = high - low > 1e-6 * size ? 0.06 * (high - low) : 0.5 * size || 0.5;
      low -= pad;
      high += pad;
    }
    return { x0, x1, low, high };
  }

  static ticks(low, high, count, log) {
    if (log) {
      const from = Math.ceil(Math.log10(low) - 1e-9),
        to = Math.floor(Math.log10(high) + 1e-9);
      const step = Math.max(1, Math.ceil((to - from) / count));
      if (Math.log10(high / low) < 2.2) {
        /* 1, 2, 5 in each decade */
        const out = [];
        for (let k = from - 1; k <= to; k++)
          for (const m of [1, 2, 5]) {
            const v = +(m * 10 ** k).toPrecision(2);
            if (v >= 0.999 * low && v <= 1.001 * high) out.push(v);
          }
        return out;
      }
      return Array.from({ length: Math.floor((to - from) / step) + 1 }, (_, k) => 10 ** (from + k * step));
    }
    const step = iso.nice((high - low) / count);
    const out = [];
    for (let k = Math.ceil(low / step - 1e-9); k <= high / step + 1e-9; k++) out.push(+(k * step).toPrecision(12));
    return out;
  }

  static tickText(v, log) {
    if (log) {
      const power = Math.round(Math.log10(v));
      if (Math.abs(10 ** power / v - 1) < 1e-9)
        return power >= -2 && power <= 3
          ? String(+v.toPrecision(3))
          : `10${String(power).replace(/./g, (c) => "⁻⁰¹²³⁴⁵⁶⁷⁸⁹"["-0123456789".indexOf(c)])}`;
    }
    const size = Math.abs(v);
    return size !== 0 && (size >= 1e5 || size < 1e-3)
      ? v.toExponential().replace("e+", "e").replace(/-/g, "−")
      : iso.number(v, 6);
  }

  /* ---- drawing */
  draw() {
    const list = this.shown();
    for (const s of this.series) {
      if (!s.button) continue;
      s.button.classList.toggle("on", s.on);
      s.swatch.style.borderTopColor = s.on ? s.colour || s.paint : "var(--line)";
      s.swatch.style.borderTopStyle = s.dash ? "dotted" : "solid";
    }
    const { context: c, width, height } = iso.sharp(this.canvas, this.o.height);
    const r = this.ranges(list);
    const ticksY = iso.Plot.ticks(r.low, r.high, Math.max(3, height / 52), this.o.logY);
    c.font = "12px system-ui, 'Liberation Sans', 'DejaVu Sans', sans-serif";
    const left = Math.max(...ticksY.map((v) => c.measureText(iso.Plot.tickText(v, this.o.logY)).width), 14) + 12;
    const area = { x: left, y: this.o.yLabel ? 22 : 10, w: width - left - 18, h: 0 };
    area.h = height - area.y - 38;
    const f = this.o.logX ? Math.log : (v) => v,
      g = this.o.logY ? Math.log : (v) => v;
    const X = (v) => area.x + (area.w * (f(v) - f(r.x0))) / (f(r.x1) - f(r.x0));
    const Y = (v) => area.y + area.h * (1 - (g(v) - g(r.low)) / (g(r.high) - g(r.low)));
    this.map = {
      area,
      X,
      Y,
      r,
      back: (px) => {
        const u = (px - area.x) / area.w;
        return this.o.logX ? r.x0 * (r.x1 / r.x0) ** u : r.x0 + u * (r.x1 - r.x0);
      },
    };
    c.clearRect(0, 0, width, height);
    c.lineWidth = 1;
    c.strokeStyle = iso.colour("grid");
    c.fillStyle = iso.colour("soft");
    c.textAlign = "right";
    c.textBaseline = "middle";
    for (const v of ticksY) {
      const y = Math.round(Y(v)) + 0.5;
      c.beginPath();
      c.moveTo(area.x, y);
      c.lineTo(area.x + area.w, y);
      c.stroke();
      c.fillText(iso.Plot.tickText(v, this.o.logY), area.x - 7, y);
    }
    c.textAlign = "center";
    c.textBaseline = "top";
    for (const v of iso.Plot.ticks(r.x0, r.x1, Math.max(3, area.w / 90), this.o.logX)) {
      const x = Math.round(X(v)) + 0.5;
      if (x < area.x - 1 || x > area.x + area.w + 1) continue;
      c.beginPath();
      c.moveTo(x, area.y);
      c.lineTo(x, area.y + area.h);
      c.stroke();
      c.fillText(iso.Plot.tickText(v, this.o.logX), x, area.y + area.h + 6);
    }
    c.strokeStyle = iso.colour("line");
    c.strokeRect(area.x + 0.5, area.y + 0.5, area.w - 1, area.h - 1);
    c.fillText(this.o.xLabel || "", area.x + area.w / 2, area.y + area.h + 21);
    if (this.o.yLabel) {
      c.textAlign = "left";
      c.textBaseline = "alphabetic";
      c.fillText(this.o.yLabel, area.x, 13);
    }
    c.save();
    c.beginPath();
    c.rect(area.x, area.y, area.w, area.h);
    c.clip();
    for (const line of this.o.guides || []) {
      c.strokeStyle = iso.colour("soft");
      c.lineWidth = 1;
      c.setLineDash([2, 3]);
      c.beginPath();
      if (line.x !== undefined) {
        c.moveTo(X(line.x), area.y);
        c.lineTo(X(line.x), area.y + area.h);
      } else {
        c.moveTo(area.x, Y(line.y));
        c.lineTo(area.x + area.w, Y(line.y));
      }
      c.stroke();
    }
    for (const s of list) this.curve(c, s, X, Y);
    if (this.time !== null && this.time >= r.x0 && this.time <= r.x1) {
      c.strokeStyle = iso.colour("accent");
      c.setLineDash([]);
      c.lineWidth = 1.2;
      c.beginPath();
      c.moveTo(X(this.time), area.y);
      c.lineTo(X(this.time), area.y + area.h);
      c.stroke();
    }
    if (this.drag) {
      c.fillStyle = iso.colour("accent");
      c.globalAlpha = 0.13;
      c.fillRect(Math.min(this.drag.from, this.drag.to), area.y, Math.abs(this.drag.to - this.drag.from), area.h);
    }
    c.restore();
  }

  curve(c, s, X, Y) {
    c.strokeStyle = c.fillStyle = s.colour || s.paint;
    c.lineWidth = s.dash ? 1.4 : 1.7;
    c.lineJoin = "round";
    c.setLineDash(s.dash ? [2, 3] : []);
    c.beginPath();
    let pen = false;
    for (let i = 0; i < s.y.length; i++) {
      const y = s.y[i];
      if (!Number.isFinite(y) || (this.o.logY && y <= 0)) {
        pen = false;
        continue;
      }
      const px = X(s.x ? s.x[i] : this.o.x[i]),
        py = Math.max(-1e5, Math.min(1e5, Y(y)));
      if (pen) c.lineTo(px, py);
      else c.moveTo(px, py);
      pen = true;
    }
    c.stroke();
    c.setLineDash([]);
    if (!this.o.points && !s.points) return;
    for (let i = 0; i < s.y.length; i++) {
      if (!Number.isFinite(s.y[i])) continue;
      c.beginPath();
      c.arc(X(s.x ? s.x[i] : this.o.x[i]), Y(s.y[i]), 2.4, 0, 7);
      c.fill();
    }
  }

  setTime(t) {
    this.time = t;
    this.draw();
  }

  /* ---- hand */
  listen() {
    const at = (event) => event.clientX - this.canvas.getBoundingClientRect().left;
    this.canvas.addEventListener("pointerdown", (event) => {
      this.drag = { from: at(event), to: at(event) };
      this.canvas.setPointerCapture(event.pointerId);
    });
    this.canvas.addEventListener("pointermove", (event) => {
      if (this.drag) this.drag.to = at(event);
      this.draw();
      this.hover(at(event), event.clientY - this.canvas.getBoundingClientRect().top);
    });
    this.canvas.addEventListener("pointerup", () => {
      const drag = this.drag;
      this.drag = null;
      if (drag && Math.abs(drag.to - drag.from) > 6) {
        const ends = [this.map.back(drag.from), this.map.back(drag.to)].sort((a, b) => a - b);
        this.zoom = [Math.max(ends[0], this.map.r.x0), Math.min(ends[1], this.map.r.x1)];
      } else if (drag && this.o.cursor) {
        const x = this.map.back(drag.to);
        clearTimeout(this.later); /* a double click asks for everything, not for a time */
        this.later = setTimeout(() => this.o.cursor(x), 250);
      }
      this.draw();
    });
    this.canvas.addEventListener("pointerleave", () => {
      this.tip.hidden = true;
      this.draw();
    });
    this.canvas.addEventListener("dblclick", () => {
      clearTimeout(this.later);
      this.zoom = null;
      this.draw();
    });
  }

  hover(px, py) {
    const { area, X, Y, r, back } = this.map;
    if (px < area.x || px > area.x + area.w) {
      this.tip.hidden = true;
      return;
    }
    const v = back(px),
      x = this.o.x;
    let i = 0;
    {
      let a = 0,
        b = x.length - 1;
      while (b - a > 1) {
        const m = (a + b) >> 1;
        if (x[m] <= v) a = m;
        else b = m;
      }
      i = Math.abs(x[a] - v) < Math.abs(x[b] - v) ? a : b;
    }
    const c = this.canvas.getContext("2d");
    c.strokeStyle = iso.colour("soft");
    c.lineWidth = 1;
    c.setLineDash([3, 3]);
    c.beginPath();
    c.moveTo(X(x[i]), area.y);
    c.lineTo(X(x[i]), area.y + area.h);
    c.stroke();
    c.setLineDash([]);
    const rows = [iso.make("div", { class: "soft" }, `${this.o.xName || "t"} = ${iso.number(x[i], 5)}`)];
    for (const s of this.shown()
      .filter((line) => !line.x)
      .slice(0, 10)) {
      if (Number.isFinite(s.y[i]) && s.y[i] >= r.low && s.y[i] <= r.high) {
        c.fillStyle = s.colour || s.paint;
        c.beginPath();
        c.arc(X(x[i]), Y(s.y[i]), 3, 0, 7);
        c.fill();
      }
      const swatch = iso.make("i");
      swatch.style.background = s.colour || s.paint;
      rows.push(iso.make("div", {}, swatch, `${s.name}: ${iso.number(s.y[i], 5)}`));
    }
    this.tip.replaceChildren(...rows);
    this.tip.hidden = false;
    const wide = this.tip.offsetWidth;
    this.tip.style.left = `${px + 16 + wide > area.x + area.w ? px - wide - 14 : px + 16}px`;
    this.tip.style.top = `${Math.max(2, Math.min(py, area.y + area.h - this.tip.offsetHeight))}px`;
  }
};
