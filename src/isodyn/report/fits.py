"""The report of a fit: values and intervals, what data see, and every channel beside the model."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from isodyn.design.compared import ChannelFit
from isodyn.design.estimate import AT_BOUND, Fit
from isodyn.kernels.compiled import FloatArray
from isodyn.report import pages
from isodyn.report.html import versions
from isodyn.report.pages import Html
from isodyn.report.sweeps import EDGE, FOOT, HEIGHT, LEFT, WIDTH, frame
from isodyn.version import __version__

if TYPE_CHECKING:
    from isodyn.open_types import BoolArray

POINTS = 1500  # so many samples are drawn
BARS = 21  # of a histogram


def page_of_fit(found: Fit, title: str | None, settings: dict[str, Any] | None) -> str:
    """The report of a fit."""
    drawn = "".join(
        f'<h2>{pages.escaped(one.name)}</h2><div class="three">{_model(one, found)}{_residuals(one)}{_histogram(one)}</div>'
        for one in found.channels
    )
    chips = [("parameters", len(found.parameters)), ("samples", sum(int((~c.held).sum()) for c in found.channels))]
    held = sum(int(one.held.sum()) for one in found.channels)
    chips += [("held out", held)] if held else []
    chips += [("runs", found.runs)]
    shown = "".join(f'<span class="chip">{pages.escaped(k)} <b>{pages.escaped(x)}</b></span>' for k, x in chips)
    cards: str = pages.card("Parameters", _scrolled(_parameters(found)))
    cards += pages.card("Channels", _scrolled(_channels(found)))
    cards += pages.card("What to know", pages.items(found.remarks) if found.remarks else pages.paragraph(FINE))
    if len(found.parameters) > 1:
        rows = [
            (name, *(f"{x:+.2f}" for x in row)) for name, row in zip(found.parameters, found.correlation, strict=True)
        ]
        cards += pages.card("Correlations", _scrolled(pages.table(rows, ("", *found.parameters))))
        cards += pages.card("What data see", _scrolled(_directions(found)))
    if found.starts > 1:
        cards += pages.card("Searches", _minima(found))
    return pages.filled(
        "sweep.html",
        ("core.js", "theme.js"),
        title=title or f"Fit: {', '.join(found.parameters)}",
        chips=Html(shown),
        summary=Html(cards),
        drawn=Html(drawn),
        run=pages.card(
            "Settings and versions", pages.table([*(settings or {}).items(), ("end", found.message), *versions()])
        ),
        version=__version__,
    )


FINE = "Data see all parameters, residuals look like noise, and the steps are small enough for these intervals."


def _scrolled(table: str) -> Html:
    return Html(f'<div class="scroll">{table}</div>')


def _parameters(found: Fit) -> Html:
    rows = []
    for k, name in enumerate(found.parameters):
        low, high = found.interval(name)
        numbers = found.values[k], found.standard_errors[k], low, high, found.start[k], found.bias[k]
        texts = [f"{x:.2g}" if i in (1, 5) else f"{x:.6g}" for i, x in enumerate(numbers)]
        if name in found.at_bound:
            texts[1:4] = AT_BOUND, "–", "–"
        rows.append((name, *texts))
    share = f"{100 * found.confidence:g} %"
    head = ("", "value", "standard error", f"{share} from", "to", "start", "bias of steps")
    return pages.table(rows, head)


def _channels(found: Fit) -> Html:
    rows = []
    for one in found.channels:
        held = f"{one.rms(True):.3g}" if one.held.any() else "–"
        noise = f"{one.noise:.3g}" if np.isfinite(one.noise) else "–"
        rows.append((one.name, one.unit or "–", noise, f"{one.rms(False):.3g}", held, f"{one.likeness:+.2f}"))
    return pages.table(rows, ("", "unit", "noise", "rms", "rms held out", "likeness of neighbours"), 2)


def _directions(found: Fit) -> Html:
    rows = [
        (str(one), "not seen" if not np.isfinite(one.error) else f"± {100 * one.error:.2g} %")
        for one in found.directions
    ]
    return pages.table(rows, ("relative change of parameters", "known to"))


def _minima(found: Fit) -> Html:
    """Which search was taken, and where the others ended."""
    told = found.search_taken
    taken = pages.paragraph(f"{told[:1].upper()}{told[1:]}.")
    if not found.minima:
        return Html(taken + pages.paragraph("All searches that ended came to the same values."))
    rows = [
        (*(f"{x:.6g}" for x in one.values), f"{one.excess:.3g}", "yes" if one.as_good else "no", one.searches)
        for one in found.minima
    ]
    others = _scrolled(pages.table(rows, (*found.parameters, "sum of squares +", "as good", "searches")))
    return Html(taken + pages.paragraph("Other minima:") + others)


# ---- pictures


def _across(t: FloatArray, span: tuple[float, float]) -> FloatArray:
    return np.asarray(LEFT + (t - span[0]) / ((span[1] - span[0]) or 1.0) * (WIDTH - EDGE - LEFT))


def _up(y: FloatArray, span: tuple[float, float]) -> FloatArray:
    return np.asarray(HEIGHT - FOOT - (y - span[0]) / ((span[1] - span[0]) or 1.0) * (HEIGHT - FOOT - EDGE))


def _picture(inside: str, label: str) -> str:
    size = f'viewBox="0 0 {WIDTH:g} {HEIGHT:g}" role="img" aria-label="{pages.escaped(label)}"'
    return f'<div class="card"><svg {size}>{inside}</svg></div>'


def _dots(x: FloatArray, y: FloatArray, held: BoolArray) -> str:
    some = np.unique(np.linspace(0, x.size - 1, min(POINTS, x.size)).astype(int))
    return "".join(f'<circle cx="{x[k]:.1f}" cy="{y[k]:.1f}" r="1.8"{HELD if held[k] else ""}/>' for k in some)


HELD = ' style="fill:var(--c4)"'


def _span(*arrays: FloatArray) -> tuple[float, float]:
    low, high = min(float(x.min()) for x in arrays), max(float(x.max()) for x in arrays)
    return (low, high) if high > low else (low - 0.5, high + 0.5)


def _model(one: ChannelFit, found: Fit) -> str:
    """Samples, and the model in all steps of its run."""
    rows, curve = found.solution.t, found.solution.quantity(one.name).values
    some = np.unique(np.linspace(0, rows.size - 1, min(POINTS, rows.size)).astype(int))
    t, y = _span(one.t, rows), _span(one.data, curve)
    line = " ".join(f"{a:.1f},{b:.1f}" for a, b in zip(_across(rows, t)[some], _up(curve, y)[some], strict=True))
    inside = frame(t, y, f"{one.name} over t") + _dots(_across(one.t, t), _up(one.data, y), one.held)
    return _picture(inside + f'<polyline class="mean" points="{line}"/>', f"{one.name}: samples and model")


def _residuals(one: ChannelFit) -> str:
    """Data minus model over time, with twice the noise."""
    size = 2.0 * one.noise if np.isfinite(one.noise) else 0.0
    t, y = _span(one.t), _span(one.residual, np.array([size, -size]))
    inside = frame(t, y, "data minus model over t") + _dots(_across(one.t, t), _up(one.residual, y), one.held)
    for level in (size, 0.0, -size):
        high = float(_up(np.array([level]), y)[0])
        inside += f'<path class="axis" d="M{LEFT:g} {high:.1f} H{WIDTH - EDGE:g}"/>'
    return _picture(inside, f"{one.name}: residuals")


def _histogram(one: ChannelFit) -> str:
    """How often residuals occur, beside a normal distribution of the noise."""
    r = one.residual[~one.held] if (~one.held).any() else one.residual
    x = _span(r)
    counts, edges = np.histogram(r, bins=BARS, range=x)
    y = (0.0, float(counts.max()) * 1.15)
    places, tops = _across(edges, x), _up(counts.astype(float), y)
    bottom = HEIGHT - FOOT
    bars = "".join(
        f'<rect x="{a:.1f}" y="{top:.1f}" width="{max(b - a - 1, 0.5):.1f}" height="{bottom - top:.1f}"'
        ' style="fill:var(--c0);fill-opacity:0.45"/>'
        for a, b, top in zip(places[:-1], places[1:], tops, strict=True)
    )
    inside = frame(x, y, "how often residuals occur") + bars
    if np.isfinite(one.noise) and one.noise > 0.0:
        at = np.linspace(x[0], x[1], 80)
        height = (
            r.size * (edges[1] - edges[0]) / (one.noise * np.sqrt(2 * np.pi)) * np.exp(-0.5 * (at / one.noise) ** 2)
        )
        line = " ".join(
            f"{a:.1f},{b:.1f}" for a, b in zip(_across(at, x), _up(np.minimum(height, y[1]), y), strict=True)
        )
        inside += f'<polyline class="mean" points="{line}"/>'
    return _picture(inside, f"{one.name}: histogram of residuals")
