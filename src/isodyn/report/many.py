"""Reports of runs that are not one solution: ensembles as fans of their members, subdomains with
what happens at their interface; sweeps: isodyn.report.sweeps,
fits: isodyn.report.fits.

fan       at every time the smallest, the 10 %, 50 %, 90 % values and the largest over the members that came to the end
interface Σ G_ℓ q_ℓ and its rates (drift), the multipliers, the power −λᵀG_ℓ v_ℓ on each subdomain
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from isodyn.design.estimate import Fit
from isodyn.errors import InputError
from isodyn.kernels.compiled import FloatArray, IntArray
from isodyn.report import pages
from isodyn.report.fits import page_of_fit
from isodyn.report.histories import ROWS, Columns, Group, group_of
from isodyn.report.html import SCRIPTS, group_data, versions
from isodyn.report.kinds import is_mechanism
from isodyn.report.packing import for_script, packed
from isodyn.report.pages import Html
from isodyn.report.reasons import works_in_words
from isodyn.report.sweeps import page_of_sweep
from isodyn.results.ensemble import Ensemble
from isodyn.results.units import units
from isodyn.subdomains.solution import SubdomainSolution
from isodyn.sweeps.result import Sweep
from isodyn.version import __version__

if TYPE_CHECKING:
    from isodyn.schemes.gs4_1 import FirstOrderScheme
    from isodyn.schemes.gs4_2 import Scheme
    from isodyn.systems.base import System

LEVELS = ((0.0, "smallest"), (10.0, "10 %"), (50.0, "median"), (90.0, "90 %"), (100.0, "largest"))
FANS = 16  # so many coordinates get a fan
MEMBERS = 5  # so many members are drawn beside it, to be switched on
TINY = 1e-18  # what a logarithmic plot shows of zero


def page_of(
    runs: Ensemble | SubdomainSolution | Sweep | Fit, title: str | None, settings: dict[str, Any] | None
) -> str:
    """The report of an ensemble, of subdomains, of a sweep or of a fit."""
    if isinstance(runs, Fit):
        return page_of_fit(runs, title, settings)
    if isinstance(runs, Sweep):
        return page_of_sweep(runs, title, settings)
    if not isinstance(runs, Ensemble | SubdomainSolution):
        raise InputError(
            f"a report needs a Solution, received {type(runs).__name__}",
            hint="what iso.integrate or iso.ensemble returns",
        )
    if runs.t.size < 2:
        raise InputError("a report needs at least two rows; these have their start only")
    if isinstance(runs, Ensemble):
        return _of_ensemble(runs, title or "Report of an ensemble", settings)
    return _of_subdomains(runs, title or "Report of subdomains", settings)


# ---- ensembles


def _of_ensemble(runs: Ensemble, title: str, settings: dict[str, Any] | None) -> str:
    system = runs.systems[0]
    done = np.flatnonzero(runs.ok)
    if not done.size:
        raise InputError("no member of this ensemble came to its end", hint="runs.errors tells why")
    groups, rows, (t, at_times) = [], [], _common_times(runs, done)
    of = units(system)
    names = {
        "q": [(system.names[k], of["q"][k]) for k in runs.columns["q"]],
        "v": [(system.v_names[k], of["v"][k]) for k in runs.columns["v"]],
    }
    symbols = ("v",) if system.first_order else ("q", "v")
    for symbol in symbols:
        values = getattr(runs, symbol)[done]
        rounding = 1e-13 * float(np.nanmax(np.abs(values), initial=0.0))
        for k, (name, unit) in enumerate(names[symbol]):
            ends = np.percentile(_last(values[:, :, k]), [0, 10, 50, 90, 100])
            rows.append((f"{symbol}({name})", *(f"{x if abs(x) > rounding else 0.0:.4g}" for x in ends)))
            if k < FANS:
                label = f"[{unit}]" if unit not in ("", "1") else symbol
                groups.append(_fan(f"{symbol}-{k}", f"{symbol}({name})", label, at_times(values[:, :, k]), done))
    head = ("at the end", "smallest", "10 %", "median", "90 %", "largest")
    table = Html(f'<div class="scroll">{pages.table(rows[:40], head)}</div>')
    counts = [
        ("members", f"{len(runs)}, {done.size} came to the end"),
        ("run alone", str(len(runs.single))),
        ("steps", f"{int(runs.counts['steps'].sum())} in all"),
        ("threads", str(runs.threads)),
        ("time", f"{runs.seconds:.3g} s, {1e3 * runs.seconds / len(runs):.3g} ms for a member"),
    ]
    failed = [(f"member {k}", str(error).splitlines()[0]) for k, error in sorted(runs.errors.items())[:20]]
    cards: str = pages.card("Spread at the end", table) + pages.card("Members and cost", pages.table(counts))
    cards += pages.card("Members that failed", pages.table(failed)) if failed else ""
    chips = [("members", len(runs)), ("scheme", runs.scheme), ("t", f"{t[0]:g} … {t[-1]:g}")]
    notes = [runs.stopped] if runs.stopped is not None else []
    return _page(title, chips, notes, Html(cards), t, groups, settings, system, runs.scheme)


def _common_times(runs: Ensemble, done: IntArray) -> tuple[FloatArray, Callable[[FloatArray], FloatArray]]:
    """Times of a plot, and how to read columns (members, rows) there; members with times of their
    own are read in straight lines between their rows, and not behind their ends."""
    if runs.t.ndim == 1:
        kept = _kept(runs.t)
        return runs.t[kept], lambda x: x[:, kept]
    own = [one[np.isfinite(one)] for one in runs.t[done]]
    t = np.linspace(min(one[0] for one in own), max(one[-1] for one in own), min(ROWS, runs.t.shape[1]))
    return t, lambda x: np.array(
        [np.interp(t, one, row[: one.size], right=np.nan) for one, row in zip(own, x, strict=True)]
    )


def _last(values: FloatArray) -> FloatArray:
    """The last number of each row."""
    return np.array([row[np.isfinite(row)][-1] for row in values])


def _fan(key: str, title: str, label: str, values: FloatArray, done: IntArray) -> Group:
    """Of values (members, times)."""
    spread: Columns = [(name, np.nanpercentile(values, level, axis=0)) for level, name in LEVELS]
    some = np.unique(np.linspace(0, len(done) - 1, min(MEMBERS, len(done))).astype(int))
    spread += [(f"member {done[k]}", values[k]) for k in some]
    return group_of(key, title, label, spread, on=len(LEVELS))


# ---- subdomains


def _of_subdomains(sol: SubdomainSolution, title: str, settings: dict[str, Any] | None) -> str:
    kept = _kept(sol.t)
    ties = [f"tie {k + 1}" for k in range(sol.lam.shape[1])]
    groups = [group_of("lam", "Interface forces", "λ", [(n, x[kept]) for n, x in zip(ties, sol.lam.T, strict=True)])]
    summary: list[tuple[str, str]] = []
    try:
        drift, power = sol.drift(), sol.interface_power()
    except InputError as error:  # not all tied coordinates were kept
        summary.append(("drift and power", error.message))
    else:
        levels = [("position", drift.position), ("velocity", drift.velocity), ("acceleration", drift.acceleration)]
        shown = [(n, np.maximum(np.abs(x[kept]).max(axis=1), TINY)) for n, x in levels if x.shape[1]]
        groups.append(group_of("drift", "Drift across the interface: the largest tie", "violation", shown, log=True))
        groups.append(group_of("power", "Power of the interface", "power", [(n, x[kept]) for n, x in power.items()]))
        summary += [(f"largest drift, {n}", f"{np.abs(x).max():.2e}") for n, x in levels if x.size]
    for name, part in sol.parts.items():
        system = part.system
        names = system.v_names if system.first_order else system.names
        symbol = "v" if system.first_order else "q"
        values = getattr(part, symbol)
        columns = [(names[c], values[kept, k]) for k, c in enumerate(part.columns[symbol])]
        groups.append(group_of(f"part-{name}", f"Subdomain {name}", symbol, columns))
    parts = [(name, str(part.scheme), str(part.stats.steps), f"{part.system.nv}") for name, part in sol.parts.items()]
    cards: str = pages.card("Subdomains", pages.table(parts, ("subdomain", "scheme", "steps", "unknowns"), 2))
    cards += pages.card(
        "Interface and cost", pages.table([*summary, ("ties", str(len(ties))), ("cost", str(sol.stats))])
    )
    notes = [sol.stats.stopped] if sol.stats.stopped is not None else []
    if sol.redundant:
        notes.append(f"{len(sol.redundant)} ties follow from others: single forces among them are one choice of many.")
    chips = [("subdomains", len(sol.parts)), ("ties", len(ties)), ("t", f"{sol.t[0]:g} … {sol.t[-1]:g}")]
    first = next(iter(sol.parts.values()))
    return _page(title, chips, notes, Html(cards), sol.t[kept], groups, settings, first.system, first.scheme)


# ---- the page


def _kept(t: FloatArray) -> FloatArray:
    return np.unique(np.linspace(0, t.size - 1, min(ROWS, t.size)).astype(int))


def _page(
    title: str,
    chips: Sequence[tuple[str, Any]],
    notes: Sequence[str],
    cards: Html,
    t: FloatArray,
    groups: Sequence[Group],
    settings: dict[str, Any] | None,
    system: System,
    scheme: Scheme | FirstOrderScheme,
) -> str:
    shown = "".join(f'<span class="chip">{pages.escaped(k)} <b>{pages.escaped(x)}</b></span>' for k, x in chips)
    data = {
        "scene": None,
        "t": packed(t),
        "xLabel": "t [s]" if is_mechanism(system) else "t",
        "groups": [group_data(group) for group in groups if group.names],
        "scheme": None,
    }
    return pages.filled(
        "report.html",
        SCRIPTS,
        title=title,
        subtitle=Html(""),
        chips=Html(shown),
        notes=Html("".join(f'<div class="note">{pages.escaped(note)}</div>' for note in notes)),
        stage=Html(""),
        summary=cards,
        thinned="",
        scheme=Html(""),
        run=Html(
            pages.card("Settings and versions", pages.table([*(settings or {}).items(), *versions()]))
            + pages.card("Please cite", pages.items(works_in_words(scheme)))
        ),
        version=__version__,
        data=Html(for_script(data)),
    )
