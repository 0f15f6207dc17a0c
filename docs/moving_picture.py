"""The moving picture at the top of the README: the squeezing mechanism of `isodyn demo` with the
reactions of three bearings.

    python docs/moving_picture.py [FILE.gif]
"""

from __future__ import annotations

import os
import sys
from dataclasses import replace
from io import BytesIO
from pathlib import Path
from typing import Any

import numpy as np

HERE = Path(__file__).resolve().parent
os.environ.setdefault("NUMBA_CACHE_DIR", str(HERE.parent / ".cache" / "numba"))

SHOWN = {"crank bearing": "#C1272D", "plate bearing": "#6A3D9A", "lower bearing": "#111111"}
PICTURES, PICTURES_PER_SECOND = 100, 20
LONGEST_ARROW = 0.03  # in the units of the machine, for the largest force that is shown
LARGEST_FILE = 1_000_000  # bytes


def run() -> Any:
    """The run of the demo, every tenth step."""
    import isodyn as iso
    from isodyn import problems

    problem = problems.get("andrews_mechanism")
    return iso.integrate(problem.system(), problem.scheme, dt=problem.dt, t_end=problem.t_end, save_every=10)


def pictures(sol: Any, which: slice = slice(None)) -> list[Any]:
    """One image for each of these instants: the machine with arrows on the left, histories on the
    right."""
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from matplotlib.figure import Figure
    from PIL import Image

    from isodyn.report.paint import draw
    from isodyn.report.scenes import scene_of

    scene = scene_of(sol)
    assert scene is not None
    links = tuple(replace(body, drawing=replace(body.drawing, polygons=())) for body in scene.bodies)
    scene = replace(scene, bodies=links)  # inertias would lie over each other
    reactions = {name: sol.reaction(name) for name in SHOWN}
    force = {name: reaction.force for name, reaction in reactions.items()}
    point = {name: np.asarray(reaction.point) for name, reaction in reactions.items()}
    size = {name: np.linalg.norm(values, axis=1) for name, values in force.items()}
    unit = LONGEST_ARROW / max(values.max() for values in size.values())
    figure = Figure(figsize=(8.4, 3.7), dpi=100)
    FigureCanvasAgg(figure)
    left, right = figure.subplots(1, 2, width_ratios=(1.15, 1))
    figure.subplots_adjust(left=0.01, right=0.955, top=0.92, bottom=0.09, wspace=0.06)
    found = []
    for t in np.linspace(sol.t[0], sol.t[-1], PICTURES)[which]:
        k = int(np.searchsorted(sol.t, t).clip(0, sol.t.size - 1))
        left.clear()
        draw(left, scene, float(t))
        left.set_axis_off()
        for name, colour in SHOWN.items():
            (x, y), (u, w) = point[name][k, :2], unit * force[name][k, :2]
            left.annotate(
                "",
                (x + u, y + w),
                (x, y),
                arrowprops={"arrowstyle": "-|>", "color": colour, "lw": 2.2, "shrinkA": 0, "shrinkB": 0},
                zorder=6,
            )
        left.set(xlim=(-0.083, 0.048), ylim=(-0.027, 0.074))
        right.clear()
        for name, colour in SHOWN.items():
            right.plot(1e3 * sol.t, size[name], color=colour, alpha=0.25, lw=1.2)
            right.plot(1e3 * sol.t[: k + 1], size[name][: k + 1], color=colour, lw=2, label=name)
            right.plot(1e3 * sol.t[k], size[name][k], "o", color=colour, ms=5)
        right.set(xlim=(0, 1e3 * sol.t[-1]), ylim=(0, 1.05 * max(s.max() for s in size.values())))
        right.set_title("reaction [N] over time [ms]", fontsize=9, loc="left", color="#444444")
        right.tick_params(labelsize=8, length=0, labelcolor="#777777", direction="in")
        right.yaxis.tick_right()
        right.spines[["top", "left", "right"]].set_visible(False)
        right.grid(axis="y", color="#E8E8E8", lw=0.8)
        right.legend(loc="upper left", fontsize=9, frameon=False)
        buffer = BytesIO()
        figure.savefig(buffer, format="png")
        buffer.seek(0)
        found.append(Image.open(buffer).convert("RGB"))
    return found


def main(path: Path) -> int:
    """Write the file; refuse one that has become large."""
    from PIL import Image

    frames = pictures(run())
    sheet = Image.new("RGB", (frames[0].width, 3 * frames[0].height), "white")
    for k, frame in enumerate((frames[0], frames[len(frames) // 2], frames[-1])):
        sheet.paste(frame, (0, k * frame.height))
    palette = sheet.quantize(96)  # one for all pictures
    small = [frame.quantize(palette=palette, dither=Image.Dither.NONE) for frame in frames]
    path.parent.mkdir(parents=True, exist_ok=True)
    times = [1000 // PICTURES_PER_SECOND] * (len(small) - 1) + [1200]
    small[0].save(path, save_all=True, append_images=small[1:], duration=times, loop=0, optimize=True)
    print(f"{path}: {path.stat().st_size / 1e3:.0f} kB", file=sys.stderr)
    return int(path.stat().st_size > LARGEST_FILE)


if __name__ == "__main__":
    sys.exit(main(Path(sys.argv[1]) if len(sys.argv) > 1 else HERE / "images" / "squeezer.gif"))
