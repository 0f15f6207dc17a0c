"""The report of a sweep: how outputs depend on parameters, drawn without scripts.

scatter     an output over a parameter, all points; the line joins the means of tenths of the points (main effect)
parallel    one line for each point through its parameters and an output, coloured by the output
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from isodyn.errors import InputError
from isodyn.kernels.compiled import FloatArray, IntArray
from isodyn.problems import get
from isodyn.report import pages
from isodyn.report.html import versions
from isodyn.report.pages import Html
from isodyn.report.reasons import works_in_words
from isodyn.results.inputs import from_json
from isodyn.sweeps.result import Sweep
from isodyn.version import __version__

WIDTH, HEIGHT, LEFT, EDGE, FOOT = 330.0, 206.0, 74.0, 18.0, 34.0  # of a picture, in its own units
LETTER, LINE, LONGEST = 6.4, 14.0, 36  # width of a letter, height of a line, letters of a name that are shown
POINTS = 2000  # so many points are drawn
OUTPUTS, PARAMETERS = 8, 12  # so many are drawn
TENTHS = 10


def page_of_sweep(found: Sweep, title: str | None, settings: dict[str, Any] | None) -> str:
    """The report of a sweep."""
    done = np.flatnonzero(found.ok)
    if not done.size:
        raise InputError("no point of this sweep is done yet", hint="found.errors tells what failed")
    parameters = {name: found[name][done] for name in found.parameter_names[:PARAMETERS]}
    outputs = {name: found[name][done] for name in found.output_names if found[name].ndim == 1}
    outputs = dict(list(outputs.items())[:OUTPUTS])
    some = np.unique(np.linspace(0, done.size - 1, min(POINTS, done.size)).astype(int))
    drawn: str = ""
    for name, y in outputs.items():
        if not np.isfinite(y).any():
            continue
        pictures = "".join(_scatter(p, x, name, y, some) for p, x in parameters.items())
        drawn += f"<h2>{pages.escaped(shown_name(name))}</h2>{_parallel(parameters, name, y, some)}"
        drawn += f'<div class="three" style="margin-top:16px">{pictures}</div>'
    counts = found.counts
    chips = [("points", len(found)), *((word, n) for word, n in counts.items() if n and word != "done")]
    chips += [(key, found.about[key]) for key in ("sampling", "seed") if key in found.about]
    rows = [_row(shown_name(name), y, done) for name, y in outputs.items()]
    head = ("output", "smallest (point)", "median", "largest (point)")
    cards: str = pages.card("Outputs", Html(f'<div class="scroll">{pages.table(rows, head)}</div>'))
    cards += pages.card("Which parameters matter", _ranks(parameters, outputs))
    failed = [(f"point {k}", text.splitlines()[0]) for k, text in list(found.errors.items())[:20]]
    cards += pages.card("Points that failed", pages.table(failed)) if failed else ""
    lines = [("file", found.path.name), ("time of all points", f"{np.nansum(found.seconds):.3g} s")]
    shown = "".join(f'<span class="chip">{pages.escaped(k)} <b>{pages.escaped(x)}</b></span>' for k, x in chips)
    return pages.filled(
        "sweep.html",
        ("core.js", "theme.js"),
        title=title or f"Sweep: {found.title or ', '.join(found.parameter_names)}",
        chips=Html(shown),
        summary=Html(cards),
        drawn=Html(drawn),
        run=Html(
            pages.card("Settings and versions", pages.table([*(settings or {}).items(), *lines, *versions()]))
            + pages.card("Please cite", pages.items(_cited(found)))
        ),
        version=__version__,
    )


def _cited(found: Sweep) -> list[str]:
    """The works behind the scheme of the runs, and behind a ready problem."""
    problem = (found.about.get("model") or {}).get("problem")
    scheme = found.about.get("scheme")
    return works_in_words(
        None if scheme is None else from_json(scheme), None if problem is None else get(problem).citation
    )


def _row(name: str, y: FloatArray, done: IntArray) -> tuple[str, ...]:
    if not np.isfinite(y).any():
        return name, "no number", "", ""
    low, high = int(np.nanargmin(y)), int(np.nanargmax(y))
    return name, f"{y[low]:.4g} ({done[low]})", f"{np.nanmedian(y):.4g}", f"{y[high]:.4g} ({done[high]})"


def _ranks(parameters: dict[str, FloatArray], outputs: dict[str, FloatArray]) -> Html:
    """Correlation of ranks: 1 where an output only grows with a parameter, −1 where it only
    falls."""
    rows = [(name, *(f"{_rank_correlation(x, y):+.2f}" for y in outputs.values())) for name, x in parameters.items()]
    text = "Correlation of ranks: ±1 where an output only grows or only falls with a parameter."
    return Html(
        f'<div class="scroll">{pages.table(rows, ("parameter", *map(shown_name, outputs)))}</div>{pages.paragraph(text, "soft small")}'
    )


def _rank_correlation(x: FloatArray, y: FloatArray) -> float:
    good = np.isfinite(y)
    if good.sum() < 3 or np.ptp(x[good]) == 0.0 or np.ptp(y[good]) == 0.0:
        return 0.0
    a, b = (_ranked(values[good]) for values in (x, y))
    a, b = a - a.mean(), b - b.mean()
    return float(a @ b / np.sqrt((a @ a) * (b @ b)))


def _ranked(x: FloatArray) -> FloatArray:
    """Ranks, equal values with their mean."""
    _, inverse, counts = np.unique(x, return_inverse=True, return_counts=True)
    ends = np.cumsum(counts)
    return np.asarray((ends - (counts - 1) / 2.0)[inverse])


# ---- pictures


def _span(x: FloatArray) -> tuple[float, float]:
    low, high = float(np.nanmin(x)), float(np.nanmax(x))
    return (low, high) if high > low else (low - 0.5 * (abs(low) or 1.0), high + 0.5 * (abs(high) or 1.0))


def _place(x: FloatArray, first: float, last: float) -> FloatArray:
    low, high = _span(x)
    return np.asarray(first + (x - low) / (high - low) * (last - first))


def _scatter(parameter: str, x: FloatArray, output: str, y: FloatArray, some: FloatArray) -> str:
    across, up = _place(x, LEFT, WIDTH - EDGE), _place(y, HEIGHT - FOOT, EDGE)
    dots = "".join(f'<circle cx="{across[k]:.1f}" cy="{up[k]:.1f}" r="2.2"/>' for k in some if np.isfinite(up[k]))
    mean = _main_effect(across, up)
    axes = frame(_span(x), _span(y), parameter, output)
    line = f'<polyline class="mean" points="{mean}"/>'
    label = pages.escaped(f"{output} over {parameter}")
    return f'<div class="card"><svg viewBox="0 0 {WIDTH:g} {HEIGHT:g}" role="img" aria-label="{label}">{axes}{dots}{line}</svg></div>'


def _main_effect(across: FloatArray, up: FloatArray) -> str:
    """Means of tenths of the points, from left to right."""
    good = np.flatnonzero(np.isfinite(up))
    order = good[np.argsort(across[good], kind="stable")]
    values = np.unique(across[good])
    groups = [good[across[good] == v] for v in values] if values.size <= TENTHS else np.array_split(order, TENTHS)
    return " ".join(f"{across[g].mean():.1f},{up[g].mean():.1f}" for g in groups if len(g))


def frame(x: tuple[float, float], y: tuple[float, float], name: str, up: str = "") -> str:
    """Axes with their ends, what stands below, and what goes up."""
    bottom, right = HEIGHT - FOOT, WIDTH - EDGE
    texts = [
        (LEFT, bottom + 14, "start", f"{x[0]:.4g}"),
        (right, bottom + 14, "end", f"{x[1]:.4g}"),
        (0.5 * (LEFT + right), bottom + 28, "middle", _cut(name)),
        (LEFT - 5, bottom, "end", f"{y[0]:.4g}"),
        (LEFT - 5, EDGE + 8, "end", f"{y[1]:.4g}"),
    ]
    texts += [(4.0, 11.0, "start", _cut(up))] if up else []
    return f'<path class="axis" d="M{LEFT:g} {EDGE:g} V{bottom:g} H{right:g}"/>' + _texts(texts)


def _texts(texts: Sequence[tuple[float, float, str, str]]) -> str:
    return "".join(
        f'<text x="{x:.1f}" y="{y:.1f}" text-anchor="{anchor}">{pages.escaped(text)}</text>'
        for x, y, anchor, text in texts
    )


def _parallel(parameters: dict[str, FloatArray], name: str, y: FloatArray, some: FloatArray) -> str:
    columns = {_cut(column): values for column, values in {**parameters, name: y}.items()}
    at, lines_of_names = _across([*columns])
    bottom, width = HEIGHT - FOOT, at[0] + at[-1]
    high = [_place(values, bottom, EDGE + 14) for values in columns.values()]
    share = _place(y, 0.0, 1.0)
    lines, texts = "", []
    for k in some:
        if np.isfinite(share[k]):
            points = " ".join(f"{a:.1f},{h[k]:.1f}" for a, h in zip(at, high, strict=True))
            lines += f'<polyline points="{points}" style="--share:{100 * share[k]:.0f}%"/>'
    for i, (a, (column, values)) in enumerate(zip(at, columns.items(), strict=True)):
        low, top = _span(values)
        texts += [(a, bottom + 16, "middle", f"{low:.4g}"), (a, EDGE + 8, "middle", f"{top:.4g}")]
        texts.append((a, bottom + 16 + LINE * (1 + i % lines_of_names), "middle", column))
        lines += f'<path class="axis" d="M{a:.1f} {EDGE + 14:g} V{bottom:g}"/>'
    label = pages.escaped(f"parameters and {name}, one line for each point")
    size = f'viewBox="0 0 {width:.1f} {HEIGHT + LINE * (lines_of_names - 1):g}" style="min-width:{0.8 * width:.0f}px"'
    return f'<div class="card"><svg class="parallel" {size} role="img" aria-label="{label}">{lines}{_texts(texts)}</svg></div>'


def _across(names: list[str]) -> tuple[FloatArray, int]:
    """Where axes with these names stand, and in how many lines the names fit beside each other."""
    most = LETTER * max(map(len, names)) + 10.0
    gaps, edge = len(names) - 1, 0.5 * most
    room = 900.0 - 2.0 * edge
    lines = 1 if most * gaps <= room else 2
    step = max(room / max(gaps, 1), most / lines, 12 * LETTER)
    return np.asarray(edge + step * np.arange(len(names)), dtype=np.float64), lines


def shown_name(name: str) -> str:
    """A formula without the braces around names."""
    return name.replace("{", "").replace("}", "")


def _cut(name: str) -> str:
    name = shown_name(name)
    return name if len(name) <= LONGEST else f"{name[: LONGEST - 1]}…"
