"""Figures of a comparison of formulations: error over step, cost over error, drift over time.

Per scheme two rows of panels,

    error in q over Δt          error in λ over Δt          error in q over seconds of the compiled loop
    |φ| over time               |φ̇| over time               |φ̈| over time                              finest step, relative

with one colour, stroke and marker per formulation throughout. Without constraints only the first
row, with v in the place of λ.
"""

from __future__ import annotations

import math
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from isodyn.later import Later
from isodyn.report.figures import COLOURS, canvas, save, slope_triangle, step_ticks

lines = Later("matplotlib.lines")

if TYPE_CHECKING:
    from collections.abc import Sequence

    from matplotlib.axes import Axes

    from isodyn.kernels.compiled import FloatArray
    from isodyn.studies.comparison_table import CompareRow, Comparison

STROKES = ("-", (0, (4, 1.5)), (0, (1, 1.2)))  # with the colours, more than there are formulations
SIGNS = ("o", "s", "^", "D", "v", "P", "X", "<", ">", "*", "h")
LEVELS = {"position": "$|\\varphi|$", "velocity": "$|\\dot\\varphi|$", "acceleration": "$|\\ddot\\varphi|$"}
FLOOR = 1e-17  # drift below this is drawn here
WINDOWS = 60  # histories are drawn as the largest value of so many windows


def compare_figure(found: Comparison, path: Path | str) -> Path:
    """Draw a comparison; two rows of panels for each scheme that has results."""
    names = list(dict.fromkeys(row.formulation for row in found.rows))
    schemes = [scheme for scheme in found.schemes if any(row.scheme == scheme for row in found.rows)]
    deep = 2 if found.constrained else 1
    height = 0.9 + 3.1 * deep * max(len(schemes), 1)
    with canvas(max(deep * len(schemes), 1), 3, size=(12.4, height), squeeze=False) as (figure, grid):
        for k, scheme in enumerate(schemes):
            rows = [row for row in found.rows if row.scheme == scheme]
            styles = [style(names.index(row.formulation)) for row in rows]
            _errors_and_cost(grid[deep * k], found, rows, styles)
            grid[deep * k, 0].set_title(scheme, loc="left", fontweight="bold")
            if found.constrained:
                _drift(grid[deep * k + 1], rows, styles)
        handles = _handles(names)
        figure.legend(handles=handles, loc="outside right upper", title="formulation", alignment="left")
        title = f"{found.problem}, t ≤ {found.t_end:g}; errors against: {found.reference}"
        figure.suptitle(title, fontsize=11)
        return save(figure, path)


def style(k: int) -> dict[str, Any]:
    """Colour, stroke and marker of the k-th formulation."""
    return {
        "color": COLOURS[k % len(COLOURS)],
        "linestyle": STROKES[k // len(COLOURS) % len(STROKES)],
        "marker": SIGNS[k % len(SIGNS)],
    }


def _handles(names: list[str]) -> list[Any]:
    return [lines.Line2D([], [], label=name, markersize=5, **style(k)) for k, name in enumerate(names)]


def _errors_and_cost(
    axes: Sequence[Axes], found: Comparison, rows: list[CompareRow], styles: list[dict[str, Any]]
) -> None:
    first = next(iter(found.quantities))
    second = "lam" if found.constrained else "v"
    for row, look in zip(rows, styles, strict=True):
        for panel, key in ((axes[0], first), (axes[1], second)):
            panel.loglog(row.case.dts, row.case.of(key), markersize=4.5, **look)
        seconds = [cost.seconds for cost in row.costs]
        axes[2].loglog(row.case.of(first), seconds, markersize=4.5, **look)
    for panel, key in ((axes[0], first), (axes[1], second)):
        lowest = np.nanmin([np.resize(row.case.of(key), len(found.dts)) for row in rows], axis=0)
        if math.isfinite(lowest[0]):
            slope_triangle(panel, found.dts, lowest)
        step_ticks(panel, found.dts)
        panel.set(xlabel="time step dt", ylabel=f"relative error in {found.quantities[key]}")
    axes[2].set(xlabel=f"relative error in {found.quantities[first]}", ylabel="seconds")
    axes[2].tick_params(axis="x", which="minor", labelbottom=False)


def _drift(axes: Sequence[Axes], rows: list[CompareRow], styles: list[dict[str, Any]]) -> None:
    panel: Axes
    for panel, (level, symbol) in zip(axes, LEVELS.items(), strict=True):
        for row, look in zip(rows, styles, strict=True):
            t, history = _envelope(row.drift.t, getattr(row.drift, level))
            panel.semilogy(t, np.maximum(history, FLOOR), **{**look, "marker": ""}, linewidth=1.2)
        panel.set(xlabel="t", ylabel=f"{symbol}, relative", ylim=(FLOOR, None))
        panel.margins(x=0.0)


def _envelope(t: FloatArray, history: FloatArray) -> tuple[FloatArray, FloatArray]:
    """The largest value of each window, so that rounding does not fill the panel."""
    if t.size <= WINDOWS:
        return t, history
    edges = np.linspace(0, t.size, WINDOWS + 1).astype(int)[:-1]
    return t[edges], np.maximum.reduceat(history, edges)
