"use strict";
/* Plays a scene: poses between frames, clock, scrubbing, camera. */

/* Impacts as marks below the slider of time. */
function impactMarks(times, duration) {
  if (!times.length || !duration) return null;
  const marks = times.map((t) => {
    const mark = iso.make("i", {});
    mark.style.left = `${(100 * t) / duration}%`;
    return mark;
  });
  return iso.make("div", { class: "hits", title: `${times.length} impacts` }, ...marks);
}

iso.Player = class {
  constructor(host, scene, options = {}) {
    this.scene = scene;
    this.options = { trails: false, names: false, reaction: false, load: false, height: 480, ...options };
    scene.t = iso.unpack(scene.t);
    for (const body of scene.bodies) for (const key of ["pose", "points", "normals"]) body[key] = iso.unpack(body[key]);
    for (const curve of scene.curves) {
      curve.points = iso.unpack(curve.points);
      if (curve.values) curve.values = iso.unpack(curve.values);
    }
    for (const skin of scene.skins) for (const key of ["points", "values"]) skin[key] = iso.unpack(skin[key]);
    for (const arrow of scene.arrows) arrow.points = iso.unpack(arrow.points);
    scene.points = iso.unpack(scene.points);
    this.times = scene.t.data;
    this.duration = this.times[this.times.length - 1];
    this.time = 0;
    this.playing = false;
    this.listeners = [];
    this.view = scene.flat ? new iso.View2D(scene) : new iso.View3D(scene);
    this.build(host);
    new ResizeObserver(() => this.draw()).observe(this.canvas);
    document.addEventListener("visibilitychange", () => {
      this.last = null;
    });
  }

  build(host) {
    this.canvas = iso.make("canvas", { tabIndex: 0, "aria-label": "animation" });
    this.button = iso.make(
      "button",
      { class: "play", type: "button", onclick: () => (this.playing ? this.pause() : this.play()) },
      "Play",
    );
    this.slider = iso.make("input", {
      class: "scrub",
      type: "range",
      min: 0,
      max: 1000,
      step: 1,
      value: 0,
      "aria-label": "time",
      oninput: () => {
        this.pause();
        this.seek((this.duration * this.slider.value) / 1000);
      },
    });
    const hits = impactMarks(this.scene.impacts || [], this.duration);
    this.track = iso.make("div", { class: "track" }, this.slider, hits);
    this.clock = iso.make("span", { class: "time" });
    const usual = this.duration === 0 ? 1 : this.duration >= 3 && this.duration <= 25 ? 1 : this.duration / 8;
    this.rate = usual;
    this.speed = iso.make("select", {
      "aria-label": "speed",
      onchange: () => {
        this.rate = Number(this.speed.value);
      },
    });
    for (const factor of [0.1, 0.25, 0.5, 1, 2, 4]) {
      const rate = factor * usual;
      this.speed.append(
        iso.make(
          "option",
          { value: rate, selected: factor === 1 },
          rate === 1 ? "real time" : `× ${iso.number(rate, 2)}`,
        ),
      );
    }
    const tick = (text, key) =>
      iso.make(
        "label",
        {},
        iso.make("input", {
          type: "checkbox",
          checked: this.options[key],
          onchange: (event) => {
            this.options[key] = event.target.checked;
            this.view.widen(this.options.reaction || this.options.load);
            this.draw();
          },
        }),
        text,
      );
    const has = (kind) => this.scene.arrows.some((arrow) => arrow.kind === kind);
    const views = this.scene.flat
      ? null
      : iso.make(
          "select",
          {
            "aria-label": "camera",
            onchange: (event) => {
              this.view.look(...event.target.value.split(",").map(Number));
              this.draw();
            },
          },
          ...[
            ["oblique", [-0.9, 0.42]],
            ["front", [-Math.PI / 2, 0]],
            ["side", [0, 0]],
            ["top", [-Math.PI / 2, 1.55]],
          ].map(([name, v]) => iso.make("option", { value: v.join() }, name)),
        );
    const reset = iso.make(
      "button",
      {
        type: "button",
        onclick: () => {
          this.view.reset();
          if (views) views.selectedIndex = 0;
          this.draw();
        },
      },
      "Reset view",
    );
    this.bar = iso.make(
      "div",
      { class: "bar" },
      this.button,
      this.track,
      this.clock,
      this.speed,
      tick("trails", "trails"),
      has("reaction") ? tick("reactions", "reaction") : null,
      has("load") ? tick("forces", "load") : null,
      tick("names", "names"),
      views,
      reset,
    );
    host.append(this.canvas, this.bar);
    this.listen();
  }

  listen() {
    let from = null;
    this.canvas.addEventListener("pointerdown", (event) => {
      from = [event.clientX, event.clientY];
      this.canvas.setPointerCapture(event.pointerId);
    });
    this.canvas.addEventListener("pointermove", (event) => {
      if (!from) return;
      this.view.drag(event.clientX - from[0], event.clientY - from[1], event.shiftKey || event.buttons === 2);
      from = [event.clientX, event.clientY];
      this.draw();
    });
    this.canvas.addEventListener("pointerup", () => {
      from = null;
    });
    this.canvas.addEventListener("contextmenu", (event) => event.preventDefault());
    this.canvas.addEventListener(
      "wheel",
      (event) => {
        event.preventDefault();
        const box = this.canvas.getBoundingClientRect();
        this.view.wheel(Math.exp(-0.0012 * event.deltaY), event.clientX - box.left, event.clientY - box.top);
        this.draw();
      },
      { passive: false },
    );
    this.canvas.addEventListener("keydown", (event) => {
      if (event.key === " ") {
        event.preventDefault();
        if (this.playing) this.pause();
        else this.play();
      }
      const step = { ArrowRight: 1, ArrowLeft: -1 }[event.key];
      if (step) {
        event.preventDefault();
        this.pause();
        this.seek(this.time + (step * this.duration) / 200);
      }
    });
  }

  play() {
    if (this.time >= this.duration) this.time = 0;
    this.playing = true;
    this.last = null;
    this.button.textContent = "Pause";
    requestAnimationFrame((now) => this.tick(now));
  }

  pause() {
    this.playing = false;
    this.button.textContent = "Play";
  }

  tick(now) {
    if (!this.playing) return;
    if (this.last !== null) {
      const next = this.time + (Math.min(now - this.last, 100) / 1000) * this.rate;
      this.seek(next > this.duration ? 0 : next);
    }
    this.last = now;
    requestAnimationFrame((later) => this.tick(later));
  }

  seek(time) {
    this.time = Math.max(0, Math.min(this.duration, time));
    this.slider.value = Math.round((1000 * this.time) / (this.duration || 1));
    this.draw();
    for (const listener of this.listeners) listener(this.scene.t0 + this.time);
  }

  /* Poses, curves, points and trails now. */
  state() {
    const t = this.times;
    let a = 0,
      b = t.length - 1;
    while (b - a > 1) {
      const m = (a + b) >> 1;
      if (t[m] <= this.time) a = m;
      else b = m;
    }
    const u = t[b] > t[a] ? Math.min(1, (this.time - t[a]) / (t[b] - t[a])) : 0;
    const between = (packed) => {
      const n = packed.data.length / packed.shape[0],
        out = new Array(n);
      for (let i = 0; i < n; i++) out[i] = (1 - u) * packed.data[a * n + i] + u * packed.data[b * n + i];
      return out;
    };
    const poses = this.scene.bodies.map((body) => {
      const pose = between(body.pose);
      if (pose.length === 7) {
        const s = Math.hypot(pose[3], pose[4], pose[5], pose[6]);
        for (let i = 3; i < 7; i++) pose[i] /= s;
      }
      return pose;
    });
    const points = this.scene.points ? between(this.scene.points) : null;
    const trails = this.options.trails ? this.trails(a, poses, points) : [];
    return {
      poses,
      curves: this.scene.curves.map((curve) => between(curve.points)),
      heats: this.scene.curves.map((curve) => (curve.values ? between(curve.values) : null)),
      skins: this.scene.skins.map((skin) => [between(skin.points), between(skin.values)]),
      points,
      trails,
      arrows: this.arrows(between),
    };
  }

  /* Ends of the arrows that are switched on. */
  arrows(between) {
    const out = [];
    for (const { kind, name, points } of this.scene.arrows) {
      if (!this.options[kind]) continue;
      const now = between(points),
        n = now.length / 2,
        from = now.slice(0, n);
      out.push({ kind, name, from, to: from.map((x, i) => x + now[n + i]) });
    }
    return out;
  }

  trails(last, poses, points) {
    const first = Math.max(0, last - Math.max(60, Math.round(this.times.length / 3))),
      out = [],
      dim = this.scene.flat ? 2 : 3;
    const follow = (packed, offset, width, now, colour) => {
      const way = [];
      for (let i = first; i <= last; i++)
        way.push(Array.from(packed.data.subarray(i * width + offset, i * width + offset + dim)));
      way.push(now);
      out.push({ points: way, colour });
    };
    this.scene.bodies.forEach((body, k) => {
      if (!body.node && !body.ground) follow(body.pose, 0, body.pose.shape[1], poses[k].slice(0, dim), k);
    });
    if (points)
      for (let k = 0; 2 * k < points.length; k++)
        follow(this.scene.points, 2 * k, points.length, points.slice(2 * k, 2 * k + 2), k);
    this.scene.curves.forEach((curve, k) => {
      const [, n, wide] = curve.points.shape,
        width = n * wide;
      if (wide === dim)
        follow(
          curve.points,
          width - wide,
          width,
          Array.from(curve.points.data.subarray(last * width + width - wide, last * width + width)),
          k + 4,
        );
    });
    return out;
  }

  draw() {
    const { context, width, height } = iso.sharp(this.canvas, this.options.height);
    this.view.draw(context, width, height, this.state(), this.options);
    this.clock.textContent = `t = ${iso.number(this.scene.t0 + this.time, 4)} of ${iso.number(this.scene.t0 + this.duration, 4)}`;
  }
};
