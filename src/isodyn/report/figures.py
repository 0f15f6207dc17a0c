"""Figures of solutions and of order studies, as PNG, PDF or SVG by the ending of the file.

Files are written without pyplot, so that no window opens, and matplotlib is imported only when a
figure is drawn.
"""

from __future__ import annotations

import io
import math
import sys
import tempfile
import threading
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from isodyn.errors import InputError, IsodynError
from isodyn.kernels.compiled import FloatArray, IntArray
from isodyn.later import Later, load
from isodyn.report.names import velocity_names
from isodyn.results.files import write_file

matplotlib, cycler = Later("matplotlib"), Later("cycler")
matplotlib_figure, matplotlib_canvas = Later("matplotlib.figure"), Later("matplotlib.backend_bases")

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

    from isodyn.problems import Problem
    from isodyn.results import Solution
    from isodyn.studies import OrderStudy

COLOURS = ("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00", "#56B4E9", "#000000")
# circle, square, triangle as in the literature on these schemes
MARKERS = {"q": "o", "v": "s", "a": "^", "lam": "D"}
STYLE: dict[Any, Any] = {
    "figure.constrained_layout.use": True,
    "figure.dpi": 100,
    "savefig.dpi": 150,
    "font.size": 10,
    "axes.titlesize": 11,
    "axes.labelsize": 10,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "axes.grid": True,
    "grid.color": "#dddddd",
    "grid.linewidth": 0.6,
    "axes.axisbelow": True,
    "axes.formatter.useoffset": False,
    "lines.linewidth": 1.4,
    "legend.frameon": False,
    "legend.fontsize": 9,
    "legend.handlelength": 1.6,
}
CURVES = 14  # more components than this are drawn as an envelope
POINTS = 4000  # more rows than this are thinned for drawing
# curves that rise so many times above their usual size get a logarithmic scale beyond it
PEAK = 100.0


def require_matplotlib() -> None:
    """Say what to do where matplotlib is missing."""
    try:
        load(matplotlib)
    except ImportError as error:
        raise IsodynError(
            "figures need matplotlib, which is not installed", hint="pip install 'isodyn[plot]'"
        ) from error


def current_figure(size: tuple[float, float]) -> Figure:
    """A figure that becomes pyplot's current one where pyplot is at work, so that `plt.show()` and
    `plt.savefig` find it; notebooks show what a cell returns, and would show it twice."""
    pyplot = sys.modules.get("matplotlib.pyplot")
    alone = threading.current_thread() is not threading.main_thread()
    if pyplot is None or alone or "inline" in matplotlib.get_backend():
        found: Figure = matplotlib_figure.Figure(figsize=size)
    else:
        found = pyplot.figure(figsize=size)
    return found


@contextmanager
def canvas(
    rows: int = 1, columns: int = 1, size: tuple[float, float] = (7.0, 4.0), *, current: bool = False, **kwargs: Any
) -> Iterator[Any]:
    """An empty figure and its axes in the style of this package; `current` for one that is handed
    out."""
    require_matplotlib()
    with matplotlib.rc_context({**STYLE, "axes.prop_cycle": cycler.cycler(color=COLOURS)}):
        figure = current_figure(size) if current else matplotlib_figure.Figure(figsize=size)
        yield figure, figure.subplots(rows, columns, **kwargs)


def check_file(path: Path | str) -> Path:
    """The path of a figure, refused where matplotlib does not know its ending or its folder cannot
    be made."""
    require_matplotlib()
    path = Path(path)
    known = matplotlib_canvas.FigureCanvasBase.get_supported_filetypes()
    if path.suffix[1:].lower() not in known:
        raise InputError(
            f"cannot draw {path.name!r}: its ending must be one of {', '.join(sorted(known))}",
            hint=f"for example {path.stem}.png",
        )
    check_folder(path.parent)
    return path


def check_folder(folder: Path | str) -> Path:
    """The folder for figures, made where it is missing; refused where that is not possible."""
    folder = Path(folder)
    try:
        folder.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryFile(dir=folder):
            pass
    except OSError as error:
        raise InputError(
            f"cannot write into the folder {folder}: {error.strerror or error}", hint="name a folder that is yours"
        ) from error
    return folder


def save(figure: Figure, path: Path | str) -> Path:
    """Write a figure, whole or not at all; missing folders are made."""
    path = check_file(path)
    image = io.BytesIO()
    figure.savefig(image, format=path.suffix[1:].lower())
    return write_file(path, image.getbuffer())


def quantity(symbol: str, unit: str, rates: int = 0, time: str = "–") -> str:
    """A label such as `velocity v [m/s]`; nothing in brackets for numbers without units.

    >>> quantity("a", "m", 2, "s"), quantity("q", "–")
    ('a [m/s²]', 'q')
    """
    if unit == "–" and (rates == 0 or time == "–"):
        return symbol
    power = ["", f"/{time}", f"/{time}²"][rates]
    return f"{symbol} [{'1' if unit == '–' else unit}{power}]"


# ---- solutions


def solution_figures(
    sol: Solution, folder: Path | str, problem: Problem | None = None, dt: float | None = None
) -> list[Path]:
    """Motion, velocity, acceleration, multipliers, the plane of motion and what is conserved, each
    in a file of its own."""
    folder = Path(folder)
    time, unit = problem.units if problem is not None else ("–", "–")
    title = f"{problem.title if problem is not None else 'solution'}\n{sol.scheme}"
    title += f", dt = {dt:g}" if dt is not None else ""
    first = sol.system.first_order
    names = [sol.system.names[i] for i in (sol.columns["v"] if first else sol.columns["q"])]
    rate_names = velocity_names(sol.system)
    if rate_names is not None:
        rate_names = tuple(rate_names[i] for i in sol.columns["v"])
    drawn = [("state", "s", 0, sol.v), ("rate", "s'", 1, sol.a)]
    if not first:
        drawn = [("motion", "q", 0, sol.q), ("velocity", "v", 1, sol.v), ("acceleration", "a", 2, sol.a)]
    written = []
    for file, symbol, rates, values in drawn:
        if values.size:
            with canvas(size=(7.5, 4.0)) as (figure, axes):
                labels = names if rates == 0 or first else [_rate(name, rates) for name in names]
                if rates > 0 and rate_names is not None:
                    labels = [_rate(name, rates - 1) for name in rate_names]
                histories(axes, sol.t, values, labels)
                axes.set(xlabel=quantity("t", time), ylabel=quantity(symbol, unit, rates, time), title=title)
                written.append(save(figure, folder / f"{file}.png"))
    if sol.lam.size:
        with canvas(size=(7.5, 4.0)) as (figure, axes):
            histories(axes, sol.t, sol.lam, [sol.system.row_names[i] for i in sol.columns["lam"]])
            symbol = "algebraic unknowns z" if first else "multipliers λ"
            axes.set(xlabel=quantity("t", time), ylabel=symbol, title=title)
            written.append(save(figure, folder / "multipliers.png"))
    if problem is not None and problem.plane and not _selected(sol):
        with canvas(size=(5.6, 5.4)) as (figure, axes):
            plane(axes, sol.v if first else sol.q, problem.plane, names, equal=not first)
            axes.set_title(title)
            written.append(save(figure, folder / "plane.png"))
    kept = None if problem is None or _selected(sol) else problem.invariants(sol)
    if kept:
        with canvas(size=(7.5, 4.0)) as (figure, axes):
            deviations(axes, sol.t, kept)
            axes.set(xlabel=quantity("t", time), title=title)
            written.append(save(figure, folder / "invariants.png"))
    return written


def histories(axes: Axes, t: FloatArray, values: FloatArray, names: Sequence[str]) -> None:
    """Components over time; the envelope, the mean and three of them where there are many."""
    rows = thinned(t.size)
    if values.shape[1] > CURVES:
        low, high = values[rows].min(axis=1), values[rows].max(axis=1)
        axes.fill_between(t[rows], low, high, color="#dbe7f0", label=f"all {values.shape[1]} components")
        columns = np.linspace(0, values.shape[1] - 1, 4).astype(int)
    else:
        columns = np.arange(values.shape[1])
    for k, i in enumerate(columns):
        style = "-" if k < len(COLOURS) else "--"
        axes.plot(t[rows], values[rows, i], style, color=COLOURS[k % len(COLOURS)], label=names[i])
    if len(columns) > 1 or values.shape[1] > 1:
        _legend_outside(axes)
    axes.margins(x=0.0)
    tame_peaks(axes, values[rows])


def tame_peaks(axes: Axes, values: FloatArray) -> None:
    """A scale that is linear around zero and logarithmic beyond, where rare peaks would flatten all
    the rest."""
    largest = np.abs(values).max(axis=1)
    usual = float(np.median(largest))
    if not 0.0 < PEAK * usual < float(largest.max()) < math.inf:
        return
    linear = 10.0 ** math.ceil(math.log10(usual))
    axes.set_yscale("asinh", linear_width=linear)
    remark = f"scale linear within ±{linear:g}, logarithmic far beyond"
    axes.text(0.01, 0.02, remark, transform=axes.transAxes, fontsize=8, color="#555555")


def plane(
    axes: Axes, values: FloatArray, pairs: Sequence[tuple[int, int]], names: Sequence[str], equal: bool = True
) -> None:
    """Points of a plane on their way; a ring marks where they start, a dot where they end."""
    rows = thinned(values.shape[0])
    for k, (i, j) in enumerate(pairs):
        colour = COLOURS[k % len(COLOURS)]
        label = f"{names[i]}, {names[j]}" if len(pairs) > 1 else None
        axes.plot(values[rows, i], values[rows, j], color=colour, label=label, linewidth=1.1)
        axes.plot(values[0, i], values[0, j], "o", color=colour, markerfacecolor="white", markersize=5)
        axes.plot(values[-1, i], values[-1, j], "o", color=colour, markersize=5)
    single = len(pairs) == 1
    axes.set(xlabel=names[pairs[0][0]] if single else "x", ylabel=names[pairs[0][1]] if single else "y")
    if equal:
        axes.set_aspect("equal", adjustable="box")
    if not single:
        _legend_outside(axes)


def deviations(axes: Axes, t: FloatArray, kept: Mapping[str, FloatArray]) -> None:
    """|I(t) − I(0)| of what should stay, on a logarithmic scale."""
    rows = thinned(t.size)
    for k, (name, history) in enumerate(kept.items()):
        change = np.abs(history - history[0])
        style = "--" if k % 2 else "-"  # curves often lie on each other
        axes.semilogy(t[rows], np.where(change > 0, change, np.nan)[rows], style, label=name, linewidth=1.2)
    axes.set(ylabel="deviation from start", xlim=(t[0], t[-1]))
    _legend_outside(axes)


# ---- order studies


def order_figure(study: OrderStudy, path: Path | str) -> Path:
    """Errors over step size on logarithmic scales, one panel per scheme, with a triangle of slope
    2."""
    n = len(study.cases)
    columns = min(n, 3)
    rows = math.ceil(n / columns)
    size = (max(5.2, 3.7 * columns), 0.6 + 3.7 * rows)
    with canvas(rows, columns, size=size, squeeze=False, sharey=True, sharex=True) as (figure, grid):
        for k, case in enumerate(study.cases):
            axes = grid.flat[k]
            for (key, label), colour in zip(study.quantities.items(), COLOURS, strict=False):
                text = f"{label}, slope {case.order(key):.2f}"
                axes.loglog(case.dts, case.of(key), marker=MARKERS[key], color=colour, label=text, markersize=5)
            slope_triangle(axes, case.dts, np.min([case.of(key) for key in study.quantities], axis=0))
            axes.set_title(case.scheme)
            axes.legend(loc="upper left")
            axes.margins(x=0.12)
            step_ticks(axes, case.dts)
            if k >= n - columns:  # nothing below
                axes.tick_params(labelbottom=True)
                axes.set_xlabel("time step dt")
        for axes in grid.flat[n:]:
            axes.set_visible(False)
        low, high = grid.flat[0].get_ylim()
        grid.flat[0].set_ylim(low, high * (high / low) ** 0.35)  # room for the legends
        for axes in grid[:, 0]:
            axes.set_ylabel("relative error, maximum over time")
        figure.suptitle(f"{study.problem}, t ≤ {study.t_end:g}\nerrors against: {study.reference}", fontsize=11)
        return save(figure, path)


def step_ticks(axes: Axes, dts: Sequence[float]) -> None:
    """A tick at every step size that was used, and no others."""
    axes.set_xticks(list(dts), [f"{dt:.3g}" for dt in dts])
    axes.set_xticks([], minor=True)


def slope_triangle(axes: Axes, dts: Sequence[float], errors: FloatArray, slope: float = 2.0) -> None:
    """A triangle under the coarse end of the lowest curve that shows the expected slope."""
    coarse, fine = dts[0], dts[1]
    top = 0.3 * float(errors[0])
    if not top > 0.0:
        return
    base = top * (fine / coarse) ** slope
    axes.fill([fine, coarse, coarse], [base, base, top], facecolor="#eeeeee", edgecolor="#777777", linewidth=0.8)
    axes.annotate(
        "1", (math.sqrt(fine * coarse), base), (0, -3), textcoords="offset points", ha="center", va="top", fontsize=8
    )
    axes.annotate(
        f"{slope:g}", (coarse, math.sqrt(base * top)), (3, 0), textcoords="offset points", va="center", fontsize=8
    )


# ---- small things


def thinned(n: int) -> IntArray:
    """Rows to draw: all, or about as many as can be seen; first and last always."""
    return np.unique(np.linspace(0, n - 1, min(n, POINTS)).astype(np.int64))


def _legend_outside(axes: Axes) -> None:
    axes.legend(loc="center left", bbox_to_anchor=(1.0, 0.5))


def _rate(name: str, rates: int) -> str:
    return name + "'" * rates


def _selected(sol: Solution) -> bool:
    return sol.columns["q"].size != sol.system.nq or sol.columns["v"].size != sol.system.nv
