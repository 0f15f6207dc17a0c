"use strict";
/* Shows a run while it goes on: one picture for each event of the server. */

(function () {
  const data = JSON.parse(document.getElementById("data").textContent),
    scene = data.scene,
    said = document.getElementById("state");
  for (const body of scene.bodies) for (const key of ["pose", "points", "normals"]) body[key] = iso.unpack(body[key]);
  for (const curve of scene.curves) curve.points = iso.unpack(curve.points);
  const view = scene.flat ? new iso.View2D(scene) : new iso.View3D(scene);
  const canvas = iso.make("canvas", { "aria-label": "live view" }),
    clock = iso.make("span", { class: "time" }),
    bar = iso.make("progress", { max: 1, value: 0, style: "flex:1 1 240px" }),
    options = { trails: true, names: false };
  const names = iso.make(
    "label",
    {},
    iso.make("input", {
      type: "checkbox",
      onchange: (event) => {
        options.names = event.target.checked;
        draw();
      },
    }),
    "names",
  );
  document.getElementById("stage").append(canvas, iso.make("div", { class: "bar" }, bar, clock, names));

  const dim = scene.flat ? 2 : 3,
    first = (packed) => (packed ? Array.from(iso.unpack(packed).data.slice(0, packed.data.length / packed.shape[0])) : null);
  let now = {
    t: scene.t0,
    poses: scene.bodies.map((body) => first(body.pose)),
    curves: scene.curves.map((curve) => first(curve.points)),
    points: null,
  };
  const ways = scene.bodies.map(() => []);

  /* A point of a body in the world. */
  function placed(pose, p) {
    if (dim > 2) return iso.add(iso.turn(iso.matrix(pose.slice(3)), p), pose);
    const [c, s] = [Math.cos(pose[2]), Math.sin(pose[2])];
    return [pose[0] + c * p[0] - s * p[1], pose[1] + s * p[0] + c * p[1]];
  }

  /* The box grows with what comes, since nobody knows how far a run will go. */
  function grow() {
    const reach = 0.5 * Math.hypot(...scene.high.map((x, i) => x - scene.low[i]));
    let wider = false;
    const see = (p, room) => {
      for (let i = 0; i < dim; i++) {
        if (p[i] - room < scene.low[i]) [scene.low[i], wider] = [p[i] - 1.3 * room, true];
        if (p[i] + room > scene.high[i]) [scene.high[i], wider] = [p[i] + 1.3 * room, true];
      }
    };
    now.poses.forEach((pose, k) => {
      see(pose, scene.bodies[k].node ? 0 : 0.1 * reach);
      for (const corner of data.corners[k]) see(placed(pose, corner), 0.02 * reach);
    });
    now.curves.forEach((points, k) => {
      const wide = scene.curves[k].points.shape[2];
      for (let i = 0; i < points.length; i += wide) see([points[i], points[i + 1], wide > 2 ? points[i + 2] : 0], 0);
    });
    if (now.points) for (let i = 0; i < now.points.length; i += 2) see([now.points[i], now.points[i + 1]], 0.05 * reach);
    if (wider && !view.touched) {
      if (view.aim) view.aim();
      if (view.aim) view.distance = null;
      else view.reset();
    }
  }

  function draw() {
    const { context, width, height } = iso.sharp(canvas, data.height);
    const trails = ways.map((points, colour) => ({ points, colour })).filter(({ points }) => points.length > 1);
    view.draw(context, width, height, { ...now, poses: now.poses.map((p) => [...p]), trails, arrows: [] }, options);
    clock.textContent = `t = ${iso.number(now.t, 4)} of ${iso.number(data.tEnd, 4)}`;
    bar.value = data.tEnd > scene.t0 ? (now.t - scene.t0) / (data.tEnd - scene.t0) : 1;
  }

  const source = new EventSource("frames");
  const corners = () => now.poses.flatMap((pose, k) => data.corners[k].map((p) => placed(pose, p)));
  window.isodynLive = { view, scene, pictures: 0, ended: false, now: () => now, corners };
  source.onmessage = (event) => {
    now = JSON.parse(event.data);
    now.poses.forEach((pose, k) => {
      if (!scene.bodies[k].node && !scene.bodies[k].ground) ways[k].push(pose.slice(0, dim));
      if (ways[k].length > 600) ways[k].shift();
    });
    window.isodynLive.pictures++;
    said.textContent = "running";
    grow();
    draw();
  };
  source.addEventListener("end", (event) => {
    source.close();
    said.textContent = JSON.parse(event.data);
    window.isodynLive.ended = true;
  });
  source.onerror = () => {
    source.close();
    if (!window.isodynLive.ended) said.textContent = "the run has gone";
  };
  new ResizeObserver(draw).observe(canvas);
  iso.theme(document.getElementById("theme"), draw);
  document.documentElement.dataset.ready = "yes";
})();
