"""Quantities of a solution over time by their names: with matplotlib, or as an interactive figure
by the plots of the report."""

from __future__ import annotations

import html
from collections.abc import Sequence
from itertools import groupby
from pathlib import Path
from typing import Any

import numpy as np

from isodyn.errors import InputError
from isodyn.report import pages
from isodyn.report.figures import canvas
from isodyn.report.packing import for_script, packed
from isodyn.report.pages import Html
from isodyn.results.quantities import Catalogue, Curve
from isodyn.results.solution import Solution
from isodyn.results.units import is_mechanism

SCRIPTS = ("core.js", "plot.js", "figure.js", "frame.js")
HEIGHT = 260  # of a plot in the frame of a notebook, with its head and legend
ROWS = 4000  # at most so many points in a curve of a page
NAMED = 9  # curves in a legend


class InteractiveFigure:
    """Curves that answer to the pointer, in a notebook or as an HTML file; `page` is its text."""

    def __init__(self, page: str, plots: int) -> None:
        self.page, self.plots = page, plots

    def save(self, path: Path | str) -> Path:
        """Write the page; it holds all its data."""
        return pages.write(self.page, path)

    def __repr__(self) -> str:
        return f"<InteractiveFigure: {self.plots} plots, {len(self.page) / 1e3:.0f} kB>"

    def _repr_html_(self) -> str:
        source = html.escape(self.page, quote=True)
        tall = self.plots * (HEIGHT + 80) + 20
        return f'<iframe srcdoc="{source}" style="width:100%;height:{tall}px;border:0" title="figure"></iframe>'


def plot(sol: Solution, names: Sequence[Any], *, interactive: bool = False, title: str = "") -> Any:
    """A matplotlib figure, or an `InteractiveFigure`, of the named quantities."""
    if not names:
        some = ", ".join(map(repr, Catalogue(sol).names[:3]))
        raise InputError("plot() needs names of quantities", hint=f"such as {some}; all are in sol.quantities()")
    catalogue = Catalogue(sol)
    columns = [Curve(*column) for name in names for column in catalogue.curve(name).columns()]
    # one axes for each unit, in the order of the names
    order = {unit: k for k, unit in enumerate(dict.fromkeys(curve.unit for curve in columns))}
    sorted_columns = sorted(columns, key=lambda curve: order[curve.unit])
    groups = [(unit, list(curves)) for unit, curves in groupby(sorted_columns, key=lambda curve: curve.unit)]
    time = "t [s]" if is_mechanism(sol.system) else "t"
    if interactive:
        return _page(sol, groups, time, title)
    size = 7.0, 0.6 + 2.3 * len(groups)
    with canvas(len(groups), 1, size, current=True, sharex=True, squeeze=False) as (figure, axes):
        for own, (unit, curves) in zip(axes[:, 0], groups, strict=True):
            for curve in curves:
                own.plot(sol.t, curve.values, label=curve.name)
            own.set_ylabel(f"[{unit}]" if unit else "")
            if len(curves) <= NAMED:
                own.legend(loc="best")
        axes[-1, 0].set_xlabel(time)
        if title:
            figure.suptitle(title)
    return figure


def _page(sol: Solution, groups: list[tuple[str, list[Curve]]], time: str, title: str) -> InteractiveFigure:
    kept = np.unique(np.linspace(0, sol.t.size - 1, min(ROWS, sol.t.size)).astype(int))
    data = {
        "t": packed(sol.t[kept]),
        "xLabel": time,
        "groups": [
            {
                "id": f"plot-{k}",
                "label": (curves[0].name + " " if len(curves) == 1 else "") + (f"[{unit}]" if unit else ""),
                "names": [curve.name for curve in curves],
                "values": packed(np.array([curve.values[kept] for curve in curves])),
            }
            for k, (unit, curves) in enumerate(groups)
        ],
    }
    page = pages.filled("figure.html", SCRIPTS, title=title or "isodyn", data=Html(for_script(data)))
    return InteractiveFigure(page, len(groups))
