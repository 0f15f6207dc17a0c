"""The page of `isodyn compare --work-precision`: error over work of every method, and the
numbers."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from isodyn.report import pages
from isodyn.report.html import versions
from isodyn.report.packing import for_script
from isodyn.report.pages import Html
from isodyn.version import __version__

SCRIPTS = ("core.js", "plot.js", "work_precision.js")
LABELS = {"lam": "λ"}
COUNTS = ("steps", "rejected", "evaluations", "iterations", "factorisations")


def write_work_precision(document: dict[str, Any], path: Path | str) -> Path:
    """Write the page of `WorkPrecision.to_dict()` and return its path."""
    return pages.write(work_precision_page(document), path)


def work_precision_page(document: dict[str, Any]) -> str:
    """The text of the page."""
    names = document["quantities"]
    plots = "".join(f'<div class="card"><div id="plot-{name}"></div></div>' for name in names)
    curves = [
        {
            "name": curve["method"],
            "runs": [{**run, "at": f"{curve['word']} {run['setting']:g}"} for run in curve["runs"]],
        }
        for curve in document["curves"]
        if curve["runs"]
    ]
    data = {"curves": curves, "quantities": [{"name": name, "label": LABELS.get(name, name)} for name in names]}
    return pages.filled(
        "work_precision.html",
        SCRIPTS,
        version=__version__,
        title=f"Work and precision: {document['problem']}",
        about=f"t ≤ {document['t_end']:g}; errors against: {document['reference']}",
        notes=Html("".join(_note(curve, text) for curve in document["curves"] for text in curve["notes"])),
        plots=Html(f'<div class="two">{plots}</div>'),
        numbers=_numbers(document),
        versions=pages.table(list(dict(versions()).items())),
        data=Html(for_script(data)),
    )


def _note(curve: dict[str, Any], text: str) -> str:
    return f'<div class="note"><b>{pages.escaped(curve["method"])}</b> {pages.escaped(text)}</div>'


def _numbers(document: dict[str, Any]) -> Html:
    """Every run: errors, counts, milliseconds."""
    names = document["quantities"]
    rows = [
        (
            curve["method"],
            f"{curve['word']} {run['setting']:.3g}",
            *(f"{run['errors'][name]:.1e}" for name in names),
            *(run[key] for key in COUNTS),
            f"{1e3 * run['seconds']:.3g}",
        )
        for curve in document["curves"]
        for run in curve["runs"]
    ]
    head = ("method", "setting", *(f"error in {LABELS.get(name, name)}" for name in names), *COUNTS, "ms")
    return pages.table(rows, head, words=2)
