"use strict";
/* Scenes of the plane: a view that is moved by dragging and zoomed by the wheel, and everything that a scene holds. */

iso.View2D = class {
  constructor(scene) {
    this.scene = scene;
    this.wide = false;
    this.reset();
  }

  /* The box that is fitted into the picture: with arrows it is wider. */
  box() {
    const { low, high, wide } = this.scene;
    return this.wide ? { low: wide[0], high: wide[1] } : { low, high };
  }

  widen(wide) {
    if (this.wide === wide) return;
    this.wide = wide;
    if (!this.touched) this.reset();
  }

  reset() {
    const { low, high } = this.box();
    this.touched = false;
    this.centre = [(low[0] + high[0]) / 2, (low[1] + high[1]) / 2];
    this.zoom = 1;
  }

  drag(dx, dy) {
    this.touched = true;
    this.centre[0] -= dx / this.scale;
    this.centre[1] += dy / this.scale;
  }

  wheel(factor, x, y) {
    const before = this.world(x, y);
    this.touched = true;
    this.zoom = Math.min(60, Math.max(0.2, this.zoom * factor));
    this.fit(this.width, this.height);
    const after = this.world(x, y);
    this.centre[0] += before[0] - after[0];
    this.centre[1] += before[1] - after[1];
  }

  fit(width, height) {
    const { low, high } = this.box();
    [this.width, this.height] = [width, height];
    const room = Math.min((width - 70) / (high[0] - low[0] || 1), (height - 60) / (high[1] - low[1] || 1));
    this.scale = this.zoom * room;
  }

  X(x) {
    return this.width / 2 + this.scale * (x - this.centre[0]);
  }
  Y(y) {
    return this.height / 2 - this.scale * (y - this.centre[1]);
  }
  world(px, py) {
    return [this.centre[0] + (px - this.width / 2) / this.scale, this.centre[1] - (py - this.height / 2) / this.scale];
  }

  draw(c, width, height, state, options) {
    this.fit(width, height);
    c.clearRect(0, 0, width, height);
    c.fillStyle = iso.colour("sky");
    c.fillRect(0, 0, width, height);
    this.grid(c);
    c.lineJoin = c.lineCap = "round";
    const thick = Math.max(5, Math.min(13, 0.018 * Math.min(width, height) * Math.sqrt(this.zoom)));
    if (options.trails) this.trails(c, state);
    this.guides(c, state, thick);
    this.lines(c, state);
    this.scene.bodies.forEach((body, k) => {
      if (!body.node) this.body(c, body, state.poses[k], body.ground ? iso.colour("steel") : iso.series(k), thick);
    });
    this.scene.curves.forEach((curve, k) => this.curve(c, state, thick, k));
    this.joints(c, state, thick);
    this.centres(c, state, thick);
    this.dots(c, state, thick);
    this.arrows(c, state.arrows);
    iso.legends(c, this.scene);
    if (options.names) this.names(c, state);
  }

  grid(c) {
    const step = iso.nice(75 / this.scale),
      [left, foot] = this.scene.origin;
    const [x0, y1] = this.world(0, 0),
      [x1, y0] = this.world(this.width, this.height);
    c.lineWidth = 1;
    c.strokeStyle = iso.colour("grid");
    c.fillStyle = iso.colour("soft");
    c.font = "11px system-ui, 'Liberation Sans', 'DejaVu Sans', sans-serif";
    c.textAlign = "left";
    for (let k = Math.ceil((x0 + left) / step); k <= (x1 + left) / step; k++) {
      const x = Math.round(this.X(k * step - left)) + 0.5;
      c.beginPath();
      c.moveTo(x, 0);
      c.lineTo(x, this.height);
      c.stroke();
      if (x > 40 && x < this.width - 44) c.fillText(iso.number(+(k * step).toPrecision(10), iso.digits(k * step, step)), x + 4, this.height - 6);
    }
    for (let k = Math.ceil((y0 + foot) / step); k <= (y1 + foot) / step; k++) {
      const y = Math.round(this.Y(k * step - foot)) + 0.5;
      c.beginPath();
      c.moveTo(0, y);
      c.lineTo(this.width, y);
      c.stroke();
      if (y < this.height - 24) c.fillText(iso.number(+(k * step).toPrecision(10), iso.digits(k * step, step)), 6, y - 4);
    }
  }

  /* A point of a body (or of the ground, −1) in the world. */
  place(state, body, p) {
    if (body < 0) return [p[0], p[1]];
    const [x, y, angle] = state.poses[body];
    const c = Math.cos(angle),
      s = Math.sin(angle);
    return [x + c * p[0] - s * p[1], y + s * p[0] + c * p[1]];
  }

  path(c, points, close) {
    c.beginPath();
    points.forEach(([x, y], i) => (i ? c.lineTo(this.X(x), this.Y(y)) : c.moveTo(this.X(x), this.Y(y))));
    if (close) c.closePath();
  }

  body(c, body, [x, y, angle], colour, thick) {
    const cos = Math.cos(angle),
      sin = Math.sin(angle);
    const put = (points) => points.map((p) => [x + cos * p[0] - sin * p[1], y + sin * p[0] + cos * p[1]]);
    /* an inertia beside bars: under them, and light */
    if (body.faint) {
      c.setLineDash([3, 3]);
      c.fillStyle = c.strokeStyle = colour;
      c.lineWidth = 1;
      for (const polygon of body.polygons) {
        this.path(c, put(polygon), true);
        c.globalAlpha = 0.08;
        c.fill();
        c.globalAlpha = 0.5;
        c.stroke();
      }
      c.globalAlpha = 1;
      c.setLineDash([]);
    }
    for (const line of body.bars) {
      const points = put(line);
      this.path(c, points, false);
      c.strokeStyle = iso.colour("sky");
      c.lineWidth = thick + 4;
      c.stroke();
      if (points.length > 3) {
        c.fillStyle = colour;
        c.globalAlpha = 0.3;
        c.fill();
        c.globalAlpha = 1;
      }
      c.strokeStyle = colour;
      c.lineWidth = thick;
      c.stroke();
    }
    for (const polygon of body.faint ? [] : body.polygons) {
      this.path(c, put(polygon), true);
      c.fillStyle = colour;
      c.globalAlpha = 0.55;
      c.fill();
      c.globalAlpha = 1;
      c.strokeStyle = colour;
      c.lineWidth = 2;
      c.stroke();
      if (polygon.length > 16 && !body.ground) {
        /* round shapes: a spoke shows that they turn */
        this.path(c, put([[0, 0], polygon[0]]), false);
        c.stroke();
      }
    }
  }

  curve(c, state, thick, k) {
    const points = state.curves[k],
      heats = state.heats && state.heats[k];
    c.beginPath();
    for (let i = 0; i < points.length; i += 2) {
      const x = this.X(points[i]),
        y = this.Y(points[i + 1]);
      if (i) c.lineTo(x, y);
      else c.moveTo(x, y);
    }
    c.strokeStyle = iso.colour("sky");
    c.lineWidth = 0.6 * thick + 3.5;
    c.stroke();
    c.strokeStyle = iso.series(k + 4);
    c.lineWidth = 0.6 * thick;
    if (heats) this.heated(c, points, heats);
    else c.stroke();
  }

  heated(c, points, heats) {
    const piece = (points.length / 2 - 1) / heats.length;
    heats.forEach((heat, e) => {
      c.beginPath();
      for (let i = e * piece; i <= (e + 1) * piece; i++) c.lineTo(this.X(points[2 * i]), this.Y(points[2 * i + 1]));
      c.strokeStyle = `rgb(${iso.heat(heat).join(",")})`;
      c.stroke();
    });
  }

  guides(c, state, thick) {
    c.strokeStyle = iso.colour("floor");
    c.lineWidth = 0.5 * thick;
    for (const mark of this.scene.marks) {
      if (!mark.rail) continue;
      this.path(
        c,
        mark.rail.map((p) => this.place(state, mark.body, p)),
        false,
      );
      c.stroke();
    }
  }

  lines(c, state) {
    for (const line of this.scene.lines) {
      const a = this.place(state, line.first, line.points[0]),
        b = this.place(state, line.second, line.points[1]);
      const [ax, ay, bx, by] = [this.X(a[0]), this.Y(a[1]), this.X(b[0]), this.Y(b[1])];
      const length = Math.hypot(bx - ax, by - ay) || 1,
        ux = (bx - ax) / length,
        uy = (by - ay) / length;
      c.strokeStyle = iso.colour("steel");
      c.lineWidth = line.kind === "spring" ? 1.8 : 2.6;
      c.beginPath();
      c.moveTo(ax, ay);
      if (line.kind === "spring") {
        const coils = 9,
          end = Math.min(12, 0.15 * length),
          high = 6;
        for (let k = 0; k <= 2 * coils; k++) {
          const along = end + ((length - 2 * end) * k) / (2 * coils),
            aside = k === 0 || k === 2 * coils ? 0 : k % 2 ? high : -high;
          c.lineTo(ax + ux * along - uy * aside, ay + uy * along + ux * aside);
        }
      }
      c.lineTo(bx, by);
      c.stroke();
    }
  }

  joints(c, state, thick) {
    const r = Math.max(3, 0.42 * thick);
    for (const mark of this.scene.marks) {
      const slides = mark.kind === "slider" || mark.kind === "plane";
      const [x, y] = slides
        ? this.place(state, mark.second, mark.secondPoint)
        : this.place(state, mark.body, mark.point);
      const px = this.X(x),
        py = this.Y(y);
      if (slides) this.slider(c, state, mark, px, py, r);
      else if (mark.kind === "fixed") this.weld(c, mark, px, py, r);
      else this.pin(c, mark, px, py, r);
    }
  }

  /* A block on its rail, along the axis of the first body. */
  slider(c, state, mark, px, py, r) {
    const angle = (mark.body < 0 ? 0 : state.poses[mark.body][2]) + Math.atan2(mark.axis[1], mark.axis[0]);
    c.save();
    c.translate(px, py);
    c.rotate(-angle);
    c.fillStyle = iso.colour("card");
    c.strokeStyle = iso.colour("ink");
    c.lineWidth = 1.8;
    c.beginPath();
    c.rect(-2.6 * r, -1.6 * r, 5.2 * r, 3.2 * r);
    c.fill();
    c.stroke();
    c.restore();
  }

  weld(c, mark, px, py, r) {
    if (mark.grounded) this.foot(c, px, py, r);
    c.fillStyle = iso.colour("ink");
    c.beginPath();
    c.rect(px - r, py - r, 2 * r, 2 * r);
    c.fill();
  }

  pin(c, mark, px, py, r) {
    if (mark.grounded) this.foot(c, px, py, r);
    c.beginPath();
    c.arc(px, py, r, 0, 7);
    c.fillStyle = iso.colour("card");
    c.fill();
    c.strokeStyle = iso.colour("ink");
    c.lineWidth = 1.8;
    c.stroke();
  }

  /* What holds a joint to the ground. */
  foot(c, px, py, r) {
    c.fillStyle = iso.colour("floor");
    c.strokeStyle = iso.colour("steel");
    c.lineWidth = 1.4;
    c.beginPath();
    c.moveTo(px, py);
    c.lineTo(px - 2.2 * r, py + 3.4 * r);
    c.lineTo(px + 2.2 * r, py + 3.4 * r);
    c.closePath();
    c.fill();
    c.stroke();
    c.beginPath();
    for (let k = -3; k < 4; k++) {
      c.moveTo(px + k * r, py + 3.4 * r);
      c.lineTo(px + (k - 0.8) * r, py + 4.6 * r);
    }
    c.stroke();
  }

  /* Mass centres of bodies that have no shape of their own: a disc in four quarters. */
  centres(c, state, thick) {
    const r = Math.max(3.5, 0.5 * thick);
    this.scene.bodies.forEach((body, k) => {
      if (!body.centre) return;
      const px = this.X(state.poses[k][0]),
        py = this.Y(state.poses[k][1]);
      c.beginPath();
      c.arc(px, py, r, 0, 7);
      c.fillStyle = iso.colour("card");
      c.fill();
      c.fillStyle = c.strokeStyle = iso.colour("ink");
      for (const from of [0, Math.PI]) {
        c.beginPath();
        c.moveTo(px, py);
        c.arc(px, py, r, from, from + Math.PI / 2);
        c.fill();
      }
      c.lineWidth = 1.2;
      c.beginPath();
      c.arc(px, py, r, 0, 7);
      c.stroke();
    });
  }

  arrows(c, arrows) {
    for (const { from, to, kind } of arrows)
      iso.arrow(c, [this.X(from[0]), this.Y(from[1])], [this.X(to[0]), this.Y(to[1])], kind);
  }

  dots(c, state, thick) {
    if (!state.points) return;
    for (let k = 0; 2 * k < state.points.length; k++) {
      c.beginPath();
      c.arc(this.X(state.points[2 * k]), this.Y(state.points[2 * k + 1]), 0.62 * thick, 0, 7);
      c.fillStyle = iso.series(k);
      c.fill();
      c.strokeStyle = iso.colour("card");
      c.lineWidth = 1.5;
      c.stroke();
    }
  }

  trails(c, state) {
    c.lineWidth = 1.6;
    for (const [k, trail] of state.trails.entries()) {
      c.strokeStyle = iso.series(trail.colour);
      c.globalAlpha = 0.5;
      c.beginPath();
      trail.points.forEach((p, i) => (i ? c.lineTo(this.X(p[0]), this.Y(p[1])) : c.moveTo(this.X(p[0]), this.Y(p[1]))));
      c.stroke();
    }
    c.globalAlpha = 1;
  }

  names(c, state) {
    c.font = "12px system-ui, 'Liberation Sans', 'DejaVu Sans', sans-serif";
    c.textAlign = "left";
    const put = (text, x, y) => iso.label(c, text, this.X(x), this.Y(y), this.width, this.height);
    this.scene.bodies.forEach((body, k) => {
      if (!body.node) put(body.name, state.poses[k][0], state.poses[k][1]);
    });
    if (state.points)
      this.scene.pointNames.forEach((name, k) => put(name, state.points[2 * k], state.points[2 * k + 1]));
  }
};
