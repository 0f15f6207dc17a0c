"use strict";
/* Scenes of space: an own small renderer with a depth buffer, drawn at twice the resolution and scaled down; it needs no graphics card.

   world point → camera (right, up, forward) → screen x = w/2 + f·r/z, y = h/2 − f·u/z; the buffer keeps 1/z, which is linear on the screen. */

iso.sub = (a, b) => [a[0] - b[0], a[1] - b[1], a[2] - b[2]];
iso.add = (a, b, s = 1) => [a[0] + s * b[0], a[1] + s * b[1], a[2] + s * b[2]];
iso.dot = (a, b) => a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
iso.cross = (a, b) => [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]];
iso.unit = (a) => {
  const s = Math.hypot(...a) || 1;
  return [a[0] / s, a[1] / s, a[2] / s];
};
iso.across = (e) => {
  const k = Math.abs(e[0]) < 0.6 ? [1, 0, 0] : [0, 1, 0];
  return iso.unit(iso.cross(e, k));
};

/* Rows of the matrix body → world of a quaternion, scalar first. */
iso.matrix = ([w, x, y, z]) => [
  1 - 2 * (y * y + z * z),
  2 * (x * y - w * z),
  2 * (x * z + w * y),
  2 * (x * y + w * z),
  1 - 2 * (x * x + z * z),
  2 * (y * z - w * x),
  2 * (x * z - w * y),
  2 * (y * z + w * x),
  1 - 2 * (x * x + y * y),
];
iso.IDENTITY = [1, 0, 0, 0, 1, 0, 0, 0, 1];
iso.turn = (m, p) => [
  m[0] * p[0] + m[1] * p[1] + m[2] * p[2],
  m[3] * p[0] + m[4] * p[1] + m[5] * p[2],
  m[6] * p[0] + m[7] * p[1] + m[8] * p[2],
];

/* A tube around points [[x, y, z], …]: corners and normals of its triangles. */
iso.tube = function (points, radius, sides = 7) {
  const rings = [];
  let side = null;
  for (let i = 0; i < points.length; i++) {
    const along = iso.unit(iso.sub(points[Math.min(i + 1, points.length - 1)], points[Math.max(i - 1, 0)]));
    side = side ? iso.unit(iso.add(side, along, -iso.dot(side, along))) : iso.across(along);
    const other = iso.cross(along, side);
    rings.push(
      Array.from({ length: sides }, (_, k) => {
        const c = Math.cos((2 * Math.PI * k) / sides),
          s = Math.sin((2 * Math.PI * k) / sides);
        const n = [c * side[0] + s * other[0], c * side[1] + s * other[1], c * side[2] + s * other[2]];
        return { p: iso.add(points[i], n, radius), n };
      }),
    );
  }
  const corners = [],
    normals = [];
  const put = (...list) => {
    for (const v of list) {
      corners.push(...v.p);
      normals.push(...v.n);
    }
  };
  for (let i = 0; i + 1 < rings.length; i++) {
    for (let k = 0; k < sides; k++) {
      const a = rings[i][k],
        b = rings[i][(k + 1) % sides],
        c = rings[i + 1][(k + 1) % sides],
        d = rings[i + 1][k];
      put(a, b, c, a, c, d);
    }
  }
  for (const [ring, centre, sign] of [
    [rings[0], points[0], -1],
    [rings[rings.length - 1], points[points.length - 1], 1],
  ]) {
    const e = iso.unit(iso.sub(points[sign < 0 ? 0 : points.length - 1], points[sign < 0 ? 1 : points.length - 2]));
    for (let k = 0; k < sides; k++) {
      const a = { p: ring[k].p, n: e },
        b = { p: ring[(k + 1) % sides].p, n: e },
        m = { p: centre, n: e };
      if (sign > 0) put(m, a, b);
      else put(m, b, a);
    }
  }
  return { points: Float32Array.from(corners), normals: Float32Array.from(normals) };
};

iso.ball = function (radius, n = 9) {
  const at = (i, k) => {
    const u = (Math.PI * i) / n,
      w = (Math.PI * k) / n;
    const d = [Math.sin(u) * Math.cos(w), Math.sin(u) * Math.sin(w), Math.cos(u)];
    return { p: d.map((x) => radius * x), n: d };
  };
  const corners = [],
    normals = [];
  const put = (...list) => {
    for (const v of list) {
      corners.push(...v.p);
      normals.push(...v.n);
    }
  };
  for (let i = 0; i < n; i++)
    for (let k = 0; k < 2 * n; k++)
      put(at(i, k), at(i + 1, k), at(i + 1, k + 1), at(i, k), at(i + 1, k + 1), at(i, k + 1));
  return { points: Float32Array.from(corners), normals: Float32Array.from(normals) };
};

/* A box about a point, its third edge along an axis. */
iso.boxMesh = function (axis, at, [x, y, z]) {
  const e3 = iso.unit(axis),
    e1 = iso.across(e3),
    e2 = iso.cross(e3, e1),
    corners = [],
    normals = [];
  const faces = [
    [e1, x, e2, y, e3, z],
    [e2, y, e3, z, e1, x],
    [e3, z, e1, x, e2, y],
  ];
  for (const [n, a, u, b, v, c] of faces) {
    for (const side of [1, -1]) {
      const p = (s, t) =>
        iso.add(iso.add(iso.add(at, n, (side * a) / 2), u, (s * b) / 2), v, ((side * t) * c) / 2);
      for (const [s, t] of [
        [-1, -1],
        [1, -1],
        [1, 1],
        [-1, -1],
        [1, 1],
        [-1, 1],
      ]) {
        corners.push(...p(s, t));
        normals.push(...n.map((q) => side * q));
      }
    }
  }
  return { points: Float32Array.from(corners), normals: Float32Array.from(normals) };
};

iso.merged = (meshes) => ({
  points: Float32Array.from(meshes.flatMap((mesh) => Array.from(mesh.points))),
  normals: Float32Array.from(meshes.flatMap((mesh) => Array.from(mesh.normals))),
});

/* Triangles of a surface, those of one shade together. */
iso.skin = (triangles, points, values, shades = 24) => {
  const found = new Map();
  for (let k = 0; k < triangles.length; k += 3) {
    const corners = [0, 1, 2].map((i) => triangles[k + i]),
      [a, b, c] = corners.map((i) => points.slice(3 * i, 3 * i + 3)),
      shade = Math.round(corners.reduce((sum, i) => sum + values[i], 0) * (shades / 3)),
      normal = iso.unit(iso.cross(iso.sub(b, a), iso.sub(c, a)));
    if (!found.has(shade)) found.set(shade, { points: [], normals: [] });
    found.get(shade).points.push(...a, ...b, ...c);
    found.get(shade).normals.push(...normal, ...normal, ...normal);
  }
  return [...found].map(([shade, mesh]) => ({ mesh, m: iso.IDENTITY, p: [0, 0, 0], rgb: iso.heat(shade / shades) }));
};

iso.View3D = class {
  constructor(scene) {
    this.scene = scene;
    const d = iso.sub(scene.high, scene.low);
    this.size = Math.hypot(...d) || 1;
    this.up = iso.unit(scene.up);
    const axes = [
      [1, 0, 0],
      [0, 1, 0],
      [0, 0, 1],
    ].sort((a, b) => Math.abs(iso.dot(a, this.up)) - Math.abs(iso.dot(b, this.up)));
    this.east = iso.unit(iso.add(axes[0], this.up, -iso.dot(axes[0], this.up)));
    this.north = iso.cross(this.up, this.east);
    const r = 0.013 * this.size;
    for (const mark of scene.marks) {
      mark.mesh = this.symbol(mark, r);
      mark.block = mark.kind === "slider" ? iso.boxMesh(mark.axis, [0, 0, 0], [2.2 * r, 2.2 * r, 3.2 * r]) : null;
      if (mark.rail) mark.railMesh = iso.tube(mark.rail, 0.45 * r, 8);
    }
    this.centreMesh = iso.ball(0.9 * r);
    this.ballMesh = iso.ball(1.45 * r);
    this.reset();
  }

  /* A joint by its kind, in its first body. */
  symbol(mark, r) {
    const pin = (axis, half, radius) =>
      iso.tube([iso.add(mark.point, axis, -half * r), iso.add(mark.point, axis, half * r)], radius * r, 14);
    if (mark.kind === "hinge") return pin(mark.axis, 2.2, 1.25);
    if (mark.kind === "cylindrical") return pin(mark.axis, 2.2, 1.6);
    if (mark.kind === "universal") {
      const x = iso.across(mark.axis);
      return iso.merged([pin(x, 2.2, 0.7), pin(iso.cross(mark.axis, x), 2.2, 0.7)]);
    }
    if (mark.kind === "fixed") return iso.boxMesh(mark.axis, mark.point, [2.2 * r, 2.2 * r, 2.2 * r]);
    if (mark.kind === "plane") return iso.boxMesh(mark.axis, mark.point, [4 * r, 4 * r, 0.3 * r]);
    return null;
  }

  box() {
    const { low, high, wide } = this.scene;
    return this.wide ? { low: wide[0], high: wide[1] } : { low, high };
  }

  widen(wide) {
    if (this.wide === wide) return;
    this.wide = wide;
    if (!this.touched) this.distance = null;
    if (!this.touched) this.aim();
  }

  aim() {
    const { low, high } = this.box();
    this.target = [0, 1, 2].map((i) => (low[i] + high[i]) / 2);
    this.floor = Math.min(
      ...[0, 1, 2, 3, 4, 5, 6, 7].map((k) =>
        iso.dot(
          this.up,
          [0, 1, 2].map((i) => (k & (1 << i) ? this.scene.high[i] : this.scene.low[i])),
        ),
      ),
    );
  }

  reset() {
    this.touched = false;
    this.aim();
    this.yaw = -0.9;
    this.pitch = 0.42;
    this.distance = null;
  }

  look(yaw, pitch) {
    this.reset();
    this.yaw = yaw;
    this.pitch = pitch;
  }

  drag(dx, dy, shift) {
    this.touched = true;
    if (shift) {
      const s = (this.distance / this.height) * 0.9;
      this.target = iso.add(iso.add(this.target, this.right, -dx * s), this.above, dy * s);
    } else {
      this.yaw -= 0.008 * dx;
      this.pitch = Math.max(-1.55, Math.min(1.55, this.pitch + 0.008 * dy));
    }
  }

  /* The nearest distance from which the whole box is seen. */
  fitted(width, height) {
    const { low, high } = this.box();
    this.fittedTo = [width, height];
    this.distance = 0.3 * this.size;
    for (let k = 0; k < 120; k++) {
      this.camera(width, height);
      const corners = [0, 1, 2, 3, 4, 5, 6, 7].map((c) =>
        this.project([0, 1, 2].map((i) => (c & (1 << i) ? high[i] : low[i]))),
      );
      if (corners.every((p) => p && p[0] > 30 && p[0] < width - 30 && p[1] > 24 && p[1] < height - 24)) return;
      this.distance *= 1.06;
    }
  }

  wheel(factor) {
    this.touched = true;
    this.distance = Math.max(0.05 * this.size, Math.min(12 * this.size, this.distance / factor));
  }

  camera(width, height) {
    [this.width, this.height] = [width, height];
    const c = Math.cos(this.pitch),
      s = Math.sin(this.pitch);
    const out = [0, 1, 2].map(
      (i) => c * (Math.cos(this.yaw) * this.east[i] + Math.sin(this.yaw) * this.north[i]) + s * this.up[i],
    );
    this.eye = iso.add(this.target, out, this.distance);
    this.forward = [-out[0], -out[1], -out[2]];
    this.right = iso.unit(iso.cross(this.forward, this.up));
    this.above = iso.cross(this.right, this.forward);
    this.focal = 1.35 * Math.min(height, 1.1 * width);
    this.light = iso.unit([0, 1, 2].map((i) => -0.55 * this.forward[i] + 0.75 * this.up[i] - 0.35 * this.right[i]));
  }

  /* Screen position in CSS pixels, null behind the camera. */
  project(p) {
    const d = iso.sub(p, this.eye),
      z = iso.dot(d, this.forward);
    if (z < 0.01 * this.size) return null;
    return [
      this.width / 2 + (this.focal * iso.dot(d, this.right)) / z,
      this.height / 2 - (this.focal * iso.dot(d, this.above)) / z,
      z,
    ];
  }

  place(state, body, p) {
    if (body < 0) return [...p];
    const pose = state.poses[body];
    return iso.add(iso.turn(state.matrices[body], p), pose);
  }

  draw(c, width, height, state, options) {
    const resized = this.fittedTo && (this.fittedTo[0] !== width || this.fittedTo[1] !== height);
    if (this.distance === null || (resized && !this.touched)) this.fitted(width, height);
    this.camera(width, height);
    state.matrices = state.poses.map((pose) => iso.matrix(pose.slice(3)));
    c.clearRect(0, 0, width, height);
    c.fillStyle = iso.colour("sky");
    c.fillRect(0, 0, width, height);
    const things = this.things(state);
    this.drawFloor(c);
    this.drawShadows(c, things);
    if (options.trails) this.trails(c, state);
    const over = Math.min(2, 2200 / width);
    this.begin(Math.round(width * over), Math.round(height * over), over);
    for (const thing of things) this.solid(thing);
    this.shadeImage.data.set(this.bytes);
    this.off.getContext("2d").putImageData(this.shadeImage, 0, 0);
    c.imageSmoothingEnabled = true;
    c.imageSmoothingQuality = "high";
    c.drawImage(this.off, 0, 0, width, height);
    this.axes(c);
    this.arrows(c, state.arrows);
    iso.legends(c, this.scene);
    if (options.names) this.names(c, state);
  }

  /* Everything with triangles: mesh, matrix, position, colour. */
  things(state) {
    const zero = [0, 0, 0],
      list = [],
      steel = iso.rgb(iso.colour("steel")),
      floor = iso.rgb(iso.colour("floor"));
    const placed = (k) => (k < 0 ? { m: iso.IDENTITY, p: zero } : { m: state.matrices[k], p: state.poses[k] });
    this.scene.bodies.forEach((body, k) => {
      if (!body.node)
        list.push({
          mesh: { points: body.points.data, normals: body.normals.data },
          m: state.matrices[k],
          p: state.poses[k],
          rgb: body.ground ? floor : iso.rgb(iso.series(k)),
        });
    });
    this.scene.curves.forEach((curve, k) => {
      const flat = state.curves[k],
        dim = curve.points.shape[2],
        points = [];
      for (let i = 0; i < flat.length; i += dim) points.push([flat[i], flat[i + 1], dim > 2 ? flat[i + 2] : 0]);
      const heats = (state.heats && state.heats[k]) || [null],
        piece = (points.length - 1) / heats.length;
      heats.forEach((heat, e) =>
        list.push({
          mesh: iso.tube(points.slice(e * piece, (e + 1) * piece + 1), 0.007 * this.size, 8),
          m: iso.IDENTITY,
          p: zero,
          rgb: heat === null ? iso.rgb(iso.series(k + 4)) : iso.heat(heat),
        }),
      );
    });
    this.scene.skins.forEach((skin, k) => list.push(...iso.skin(skin.triangles, ...state.skins[k])));
    for (const mark of this.scene.marks) {
      const { m, p } = placed(mark.body);
      if (mark.kind === "ball") list.push({ mesh: this.ballMesh, m, p: iso.add(iso.turn(m, mark.point), p), rgb: steel });
      else if (mark.mesh) list.push({ mesh: mark.mesh, m, p, rgb: steel });
      if (mark.block) list.push({ mesh: mark.block, m, p: this.place(state, mark.second, mark.secondPoint), rgb: steel });
      if (mark.railMesh) list.push({ mesh: mark.railMesh, m, p, rgb: floor });
    }
    this.scene.bodies.forEach((body, k) => {
      if (body.centre) list.push({ mesh: this.centreMesh, m: state.matrices[k], p: state.poses[k], rgb: steel });
    });
    for (const line of this.scene.lines) {
      const a = this.place(state, line.first, line.points[0]),
        b = this.place(state, line.second, line.points[1]);
      const points = line.kind === "spring" ? this.helix(a, b) : [a, b];
      list.push({
        mesh: iso.tube(points, (line.kind === "spring" ? 0.0028 : 0.0045) * this.size, line.kind === "spring" ? 5 : 8),
        m: iso.IDENTITY,
        p: zero,
        rgb: steel,
      });
    }
    return list;
  }

  helix(a, b) {
    const d = iso.sub(b, a),
      along = iso.unit(d),
      x = iso.across(along),
      y = iso.cross(along, x),
      r = 0.016 * this.size,
      coils = 8,
      n = 96;
    return Array.from({ length: n + 1 }, (_, k) => {
      const u = k / n,
        ends = Math.min(1, 12 * Math.min(u, 1 - u)),
        w = 2 * Math.PI * coils * u;
      return iso.add(iso.add(iso.add(a, d, u), x, ends * r * Math.cos(w)), y, ends * r * Math.sin(w));
    });
  }

  /* ---- triangles into the depth buffer */
  begin(w, h, over) {
    if (!this.off || this.off.width !== w || this.off.height !== h) {
      this.off = iso.make("canvas", { width: w, height: h });
      this.shadeImage = this.off.getContext("2d").createImageData(w, h);
      this.depth = new Float32Array(w * h);
      this.pixels = new Uint32Array(w * h);
      this.bytes = new Uint8ClampedArray(this.pixels.buffer);
    }
    this.depth.fill(0);
    this.pixels.fill(0);
    [this.w, this.h, this.over] = [w, h, over];
  }

  solid({ mesh, m, p, rgb }) {
    const { points, normals } = mesh,
      n = points.length / 3;
    const sx = new Float32Array(n),
      sy = new Float32Array(n),
      sz = new Float32Array(n),
      sh = new Float32Array(n);
    const [e, r, u, f, l] = [this.eye, this.right, this.above, this.forward, this.light],
      F = this.focal * this.over;
    for (let i = 0; i < n; i++) {
      const a = points[3 * i],
        b = points[3 * i + 1],
        c = points[3 * i + 2];
      const x = m[0] * a + m[1] * b + m[2] * c + p[0] - e[0],
        y = m[3] * a + m[4] * b + m[5] * c + p[1] - e[1],
        z = m[6] * a + m[7] * b + m[8] * c + p[2] - e[2];
      const depth = x * f[0] + y * f[1] + z * f[2],
        inverse = depth > 0.01 * this.size ? 1 / depth : 0;
      sx[i] = this.w / 2 + F * (x * r[0] + y * r[1] + z * r[2]) * inverse;
      sy[i] = this.h / 2 - F * (x * u[0] + y * u[1] + z * u[2]) * inverse;
      sz[i] = inverse;
      const na = normals[3 * i],
        nb = normals[3 * i + 1],
        nc = normals[3 * i + 2];
      const nx = m[0] * na + m[1] * nb + m[2] * nc,
        ny = m[3] * na + m[4] * nb + m[5] * nc,
        nz = m[6] * na + m[7] * nb + m[8] * nc;
      const lit = nx * l[0] + ny * l[1] + nz * l[2];
      sh[i] = 0.64 + 0.28 * lit + 0.26 * Math.max(0, lit) ** 3;
    }
    for (let i = 0; i < n; i += 3) if (sz[i] && sz[i + 1] && sz[i + 2]) this.triangle(sx, sy, sz, sh, i, rgb);
  }

  triangle(sx, sy, sz, sh, i, rgb) {
    const x0 = sx[i],
      x1 = sx[i + 1],
      x2 = sx[i + 2],
      y0 = sy[i],
      y1 = sy[i + 1],
      y2 = sy[i + 2];
    const area = (x1 - x0) * (y2 - y0) - (x2 - x0) * (y1 - y0);
    if (area >= -1e-9) return; /* seen from inside, or nothing */
    const top = Math.max(0, Math.ceil(Math.min(y0, y1, y2) - 0.5)),
      bottom = Math.min(this.h - 1, Math.floor(Math.max(y0, y1, y2) - 0.5));
    const gx = (a, b, c) => ((b - a) * (y2 - y0) - (c - a) * (y1 - y0)) / area,
      gy = (a, b, c) => ((c - a) * (x1 - x0) - (b - a) * (x2 - x0)) / area;
    const zx = gx(sz[i], sz[i + 1], sz[i + 2]),
      zy = gy(sz[i], sz[i + 1], sz[i + 2]),
      hx = gx(sh[i], sh[i + 1], sh[i + 2]),
      hy = gy(sh[i], sh[i + 1], sh[i + 2]);
    for (let y = top; y <= bottom; y++) {
      const yc = y + 0.5;
      let left = Infinity,
        right = -Infinity;
      const edge = (ax, ay, bx, by) => {
        if (ay > by ? yc < by || yc > ay : yc < ay || yc > by) return;
        const x = ay === by ? ax : ax + ((yc - ay) * (bx - ax)) / (by - ay);
        if (x < left) left = x;
        if (x > right) right = x;
      };
      edge(x0, y0, x1, y1);
      edge(x1, y1, x2, y2);
      edge(x2, y2, x0, y0);
      const from = Math.max(0, Math.ceil(left - 0.5)),
        to = Math.min(this.w - 1, Math.floor(right - 0.5));
      let z = sz[i] + zx * (from + 0.5 - x0) + zy * (yc - y0),
        s = sh[i] + hx * (from + 0.5 - x0) + hy * (yc - y0);
      for (let x = from, k = y * this.w + from; x <= to; x++, k++, z += zx, s += hx) {
        if (z <= this.depth[k]) continue;
        this.depth[k] = z;
        const r = s * rgb[0],
          g = s * rgb[1],
          b = s * rgb[2];
        this.pixels[k] =
          0xff000000 |
          ((b > 255 ? 255 : b < 0 ? 0 : b) << 16) |
          ((g > 255 ? 255 : g < 0 ? 0 : g) << 8) |
          (r > 255 ? 255 : r < 0 ? 0 : r);
      }
    }
  }

  /* ---- floor, shadows, what is written over it */
  drawFloor(c) {
    if (iso.dot(this.up, this.eye) < this.floor) return;
    const step = iso.nice(this.size / 7),
      reach = 7;
    const foot = iso.add(this.target, this.up, this.floor - iso.dot(this.up, this.target));
    const middle = [iso.dot(foot, this.east), iso.dot(foot, this.north)].map((v) => Math.round(v / step));
    const at = (i, k) =>
      iso.add(iso.add(iso.add([0, 0, 0], this.east, i * step), this.north, k * step), this.up, this.floor);
    c.strokeStyle = iso.colour("floor");
    c.lineWidth = 1;
    const stroke = (p, q) => {
      const a = this.project(p),
        b = this.project(q);
      if (a && b) {
        c.beginPath();
        c.moveTo(a[0], a[1]);
        c.lineTo(b[0], b[1]);
        c.stroke();
      }
    };
    for (let k = -reach; k <= reach; k++) {
      for (let i = -reach; i < reach; i++) {
        c.globalAlpha = Math.max(0, 0.75 * (1 - Math.hypot(i + 0.5, k) / (reach + 0.5)));
        if (c.globalAlpha === 0) continue;
        stroke(at(middle[0] + i, middle[1] + k), at(middle[0] + i + 1, middle[1] + k));
        stroke(at(middle[0] + k, middle[1] + i), at(middle[0] + k, middle[1] + i + 1));
      }
    }
    c.globalAlpha = 1;
  }

  drawShadows(c, things) {
    if (iso.dot(this.up, this.eye) < this.floor) return;
    c.fillStyle = iso.colour("cast");
    c.beginPath();
    for (const { mesh, m, p } of things) {
      const { points, normals } = mesh;
      for (let i = 0; i < points.length; i += 9) {
        const n = iso.turn(m, [
          normals[i] + normals[i + 3] + normals[i + 6],
          normals[i + 1] + normals[i + 4] + normals[i + 7],
          normals[i + 2] + normals[i + 5] + normals[i + 8],
        ]);
        if (iso.dot(n, this.up) <= 0) continue;
        for (let k = 0; k < 3; k++) {
          const q = iso.add(iso.turn(m, [points[i + 3 * k], points[i + 3 * k + 1], points[i + 3 * k + 2]]), p);
          const s = this.project(iso.add(q, this.up, this.floor - iso.dot(this.up, q)));
          if (!s) break;
          if (k) c.lineTo(s[0], s[1]);
          else c.moveTo(s[0], s[1]);
        }
      }
    }
    c.fill();
  }

  trails(c, state) {
    c.lineWidth = 1.5;
    c.lineJoin = "round";
    for (const trail of state.trails) {
      c.strokeStyle = iso.series(trail.colour);
      c.globalAlpha = 0.6;
      c.beginPath();
      let pen = false;
      for (const p of trail.points) {
        const s = this.project(p);
        if (s && pen) c.lineTo(s[0], s[1]);
        else if (s) c.moveTo(s[0], s[1]);
        pen = Boolean(s);
      }
      c.stroke();
    }
    c.globalAlpha = 1;
  }

  arrows(c, arrows) {
    for (const { from, to, kind } of arrows) {
      const a = this.project(from),
        b = this.project(to);
      if (a && b) iso.arrow(c, a, b, kind);
    }
  }

  axes(c) {
    const x0 = 40,
      y0 = this.height - 40,
      long = 24;
    c.lineWidth = 2;
    c.font = "11px system-ui, 'Liberation Sans', 'DejaVu Sans', sans-serif";
    c.textAlign = "center";
    c.textBaseline = "middle";
    [
      [1, 0, 0],
      [0, 1, 0],
      [0, 0, 1],
    ].forEach((e, k) => {
      const dx = long * iso.dot(e, this.right),
        dy = -long * iso.dot(e, this.above);
      c.strokeStyle = c.fillStyle = iso.colour(["c1", "c2", "c0"][k]);
      c.beginPath();
      c.moveTo(x0, y0);
      c.lineTo(x0 + dx, y0 + dy);
      c.stroke();
      c.fillText("xyz"[k], x0 + 1.38 * dx, y0 + 1.38 * dy);
    });
    c.textBaseline = "alphabetic";
  }

  names(c, state) {
    c.font = "12px system-ui, 'Liberation Sans', 'DejaVu Sans', sans-serif";
    c.textAlign = "left";
    this.scene.bodies.forEach((body, k) => {
      const s = body.node ? null : this.project(state.poses[k]);
      if (!s) return;
      iso.label(c, body.name, s[0], s[1], this.width, this.height);
    });
  }
};
