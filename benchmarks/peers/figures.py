"""Work–precision diagrams and growth over N, drawn in the style of the library's figures: PNG for
the page, SVG inside one HTML file."""

from __future__ import annotations

import html
import io
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from benchmarks.peers import report
from benchmarks.peers.claims import Claim
from benchmarks.peers.measure import Row, best

SMOOTH = {"andrews": "Andrews' mechanism", "kepler": "Kepler, e = 0.6", "top": "heavy top"}
ERRORS = {"andrews": "relative error of q", "kepler": "relative error of (q, v)", "top": "error of the mass centre [m]"}
STIFF = {"van der Pol": "van der Pol, μ = 1000", "stiff spring": "pendulum on a stiff spring"}
ERRORS |= dict.fromkeys(STIFF, "relative error of q")
CHAINS = ("planar chain", "spatial chain")
ORDER = ("isodyn", "exudyn", "mujoco", "pinocchio", "scipy", "sundae", "casadi", "diffrax", "scipy_dae")
SIGNS = "osD^vP*X<"


def style(package: str, k: int = 0) -> dict[str, Any]:
    """One colour for each package, one sign for each of its ways."""
    from isodyn.report.figures import COLOURS

    colours = (*COLOURS, "#999999", "#7F4F24")
    own = package == "isodyn"
    return {
        "color": colours[ORDER.index(package) % len(colours)],
        "marker": SIGNS[k % len(SIGNS)],
        "linewidth": 2.2 if own else 1.1,
        "markersize": 6 if own else 4,
        "zorder": 3 if own else 2,
    }


def work_precision(rows: Sequence[Row], files: Sequence[Any], titles: Mapping[str, str] = SMOOTH) -> bool:
    """Seconds over error for the smooth problems, or others; False where there is nothing to draw."""
    from isodyn.report.figures import canvas

    names = [name for name in titles if any(row.problem == name and row.curve for row in rows)]
    if not names:
        return False
    with canvas(1, len(names), size=(5.2 * len(names), 5.4), squeeze=False) as (figure, axes):
        for axis, name in zip(axes[0], names, strict=True):
            seen: dict[str, int] = {}
            for row in (row for row in rows if row.problem == name and len(row.curve) > 1):
                k = seen[row.package] = seen.get(row.package, -1) + 1
                points = sorted((size, seconds * 1e3) for _, size, seconds in row.curve if 0 < size < 1)
                if points:
                    axis.plot(*zip(*points, strict=True), label=f"{row.package}: {row.way}", **style(row.package, k))
            axis.set(xscale="log", yscale="log", xlabel=ERRORS[name], ylabel="processor time [ms]", title=titles[name])
            axis.invert_xaxis()
            axis.legend(fontsize=6.5, loc="upper left", handlelength=1.4, labelspacing=0.25)
            axis.set_ylim(top=axis.get_ylim()[1] * 40)
        _save(figure, files)
    return True


def stiff_work_precision(rows: Sequence[Row], files: Sequence[Any]) -> bool:
    """The same for stiff problems."""
    return work_precision(rows, files, STIFF)


def growth(rows: Sequence[Row], files: Sequence[Any]) -> bool:
    """Cost per step and memory of the chains over N; False where there is one N at most."""
    from isodyn.report.figures import canvas

    if len({row.size for row in rows if row.problem in CHAINS and row.samples}) < 2:
        return False
    with canvas(1, 3, size=(13.0, 4.4)) as (figure, axes):
        for axis, name in zip(axes, CHAINS, strict=False):
            mine = [row for row in rows if row.problem == name]
            sizes = sorted({row.size for row in mine if row.size is not None})
            for package in ORDER:
                found = [row for n in sizes if (row := best(mine, package, n, package not in ("mujoco", "pinocchio")))]
                if found:
                    axis.plot(
                        [row.size for row in found],
                        [row.median * 1e3 for row in found],
                        label=package,
                        **style(package),
                    )
            _logarithmic(axis, name, "processor time per step [ms]")
        for k, name in enumerate(CHAINS):
            held = [row for row in rows if row.problem == name and row.counts.get("megabytes", 0) > 0]
            points = sorted(
                (row.size, row.counts["megabytes"]) for row in held if row.size is not None and row.size >= 100
            )
            if points:
                axes[2].plot(*zip(*points, strict=True), label=name, **style("isodyn", k))
        _logarithmic(axes[2], "isodyn", "memory above a small chain [MB]")
        _save(figure, files)
    return True


def _logarithmic(axis: Any, title: str, label: str) -> None:
    """Scales and names; nothing where nothing was drawn."""
    if not axis.lines:
        axis.set_axis_off()
        return
    axis.set(xscale="log", yscale="log", xlabel="N", ylabel=label, title=title)
    axis.legend()


def _save(figure: Any, files: Sequence[Any]) -> None:
    for file in files:
        figure.savefig(file, format=None if isinstance(file, Path) else "svg")


def draw(folder: Path, rows: Sequence[Row], claims: Sequence[Claim], heading: str) -> list[Path]:
    """PNG files and one HTML page with the same pictures and all tables."""
    pictures, made = [], []
    drawings = (("work_precision", work_precision), ("stiff", stiff_work_precision), ("growth", growth))
    for name, function in drawings:
        vector, path = io.StringIO(), folder / f"peers_{name}.png"
        if function(rows, (path, vector)):
            made.append(path)
            pictures.append(vector.getvalue()[vector.getvalue().index("<svg") :])
    page = folder / "peers.html"
    text = [
        "<!doctype html><meta charset='utf-8'><title>isodyn and other packages</title>",
        "<style>body{font:15px sans-serif;max-width:1200px;margin:2em auto}",
        "pre{font-size:12px;overflow-x:auto} svg{width:100%;height:auto}</style>",
        f"<h1>isodyn and other packages</h1><p>{html.escape(heading)}</p>",
        f"<h2>To be shown</h2><pre>{html.escape(report.claims_table(claims))}</pre>",
        *pictures,
        f"<h2>Everything that was measured</h2><pre>{html.escape(report.rows_table(rows))}</pre>",
    ]
    page.write_text("\n".join(text) + "\n", encoding="utf-8")
    return [*made, page]
