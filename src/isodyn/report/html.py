"""The report of a run as one HTML file: animation, histories, what the scheme does and why,
statistics, versions, citations.

The file holds its data, styles and scripts and asks for nothing from a network. Mechanisms and
beams are drawn as they are; other systems are drawn where their problem says which coordinates are
points of a plane, and are otherwise left to their curves.
"""

from __future__ import annotations

import platform
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numba
import numpy as np
import scipy

from isodyn.errors import InputError
from isodyn.later import Later
from isodyn.report import pages
from isodyn.report.histories import ROWS, Group, groups_of
from isodyn.report.kinds import is_mechanism
from isodyn.report.packing import for_script, packed, scene_data
from isodyn.report.pages import Html
from isodyn.report.reasons import reasons, works_in_words
from isodyn.report.scenes import FRAMES, mechanical, scene_of
from isodyn.results import Solution
from isodyn.results.quality import chord_strain_of, local_error_in_words, step_error_of
from isodyn.schemes import Scheme
from isodyn.version import __version__

if TYPE_CHECKING:
    from isodyn.design.estimate import Fit
    from isodyn.formulations.protocol import Formulation
    from isodyn.problems import Problem
    from isodyn.results.ensemble import Ensemble
    from isodyn.schemes.gs4_1 import FirstOrderScheme
    from isodyn.subdomains.solution import SubdomainSolution
    from isodyn.sweeps.result import Sweep

many = Later("isodyn.report.many")  # ensembles and subdomains
SCRIPTS = ("core.js", "plot.js", "draw2d.js", "draw3d.js", "player.js", "gs4.js", "report.js")
RANGES = 40  # rows of the table of ranges


def write_report(
    sol: Solution | Ensemble | SubdomainSolution | Sweep | Fit,
    path: Path | str,
    *,
    problem: Problem | None = None,
    title: str | None = None,
    formulation: Formulation | None = None,
    why: str | None = None,
    dt: float | None = None,
    settings: dict[str, Any] | None = None,
    frames: int = FRAMES,
    autoplay: bool = True,
) -> Path:
    """Write the report of a solution, an ensemble, subdomains, a sweep or a fit: one HTML page.

    Parameters
    ----------
    sol
        The solution; or what `iso.ensemble`, `iso.sweep`, `iso.fit` or a run of subdomains
        returned.
    path
        The file.
    problem
        Gives title, source, units, citation, and which coordinates are points of a plane.
    title
        Title in place of that of the problem.
    formulation
        The formulation of the run, to be named.
    why
        The user's own reason for the scheme.
    dt
        Step of the run.
    settings
        Further lines for the table of the run, such as parameters or a model file.
    frames
        Largest number of pictures of the animation.
    autoplay
        Start the animation with the page.

    Returns
    -------
    path
        The file that was written.

    Examples
    --------
    >>> import isodyn as iso, tempfile
    >>> pendulum = iso.problems.get("pendulum")
    >>> sol = iso.integrate(pendulum.system(), dt=0.01, t_end=0.1)
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = iso.report.write_report(sol, f"{folder}/report.html", problem=pendulum)
    ...     "<html" in path.read_text(encoding="utf-8")
    True
    """
    if not isinstance(sol, Solution):
        return pages.write(many.page_of(sol, title, settings), path)
    pages_text = report_page(
        sol,
        problem=problem,
        title=title,
        formulation=formulation,
        why=why,
        dt=dt,
        settings=settings,
        frames=frames,
        autoplay=autoplay,
    )
    return pages.write(pages_text, path)


def report_page(
    sol: Solution,
    *,
    problem: Problem | None = None,
    title: str | None = None,
    formulation: Formulation | None = None,
    why: str | None = None,
    dt: float | None = None,
    settings: dict[str, Any] | None = None,
    frames: int = FRAMES,
    autoplay: bool = True,
) -> str:
    """The text of the report."""
    if not isinstance(sol, Solution):
        raise InputError(f"a report needs a Solution, received {type(sol).__name__}", hint="what iso.integrate returns")
    if sol.t.size < 2:
        raise InputError("a report needs at least two rows of a solution; this one has its start only")
    scene = scene_of(sol, problem.plane if problem is not None else (), frames, arrows=True)
    t, groups = groups_of(sol, problem)
    time = problem.units[0] if problem is not None else ("s" if is_mechanism(sol.system) else "–")
    name = title or (problem.title if problem is not None else "Report of a run")
    data = {
        "scene": None if scene is None else scene_data(scene),
        "trails": scene is not None and scene.points is not None,
        "height": 480,
        "autoplay": autoplay,
        "t": packed(t),
        "xLabel": "t" if time == "–" else f"t [{time}]",
        "groups": [group_data(group) for group in groups],
        "scheme": {**sol.scheme.coefficients, "phi": sol.scheme.phi} if isinstance(sol.scheme, Scheme) else None,
    }
    return pages.filled(
        "report.html",
        SCRIPTS,
        title=name[:1].upper() + name[1:],
        subtitle=_subtitle(problem),
        chips=_chips(sol, formulation, dt),
        notes=_notes(sol),
        stage=Html('<div class="card stage" id="stage"></div>') if scene is not None else Html(""),
        summary=_summary(sol, groups),
        thinned=f" Curves show at most {ROWS} of {sol.t.size} rows." if sol.t.size > ROWS else "",
        scheme=_scheme(sol, why),
        run=_run(sol, problem, settings, formulation),
        version=__version__,
        data=Html(for_script(data)),
    )


def group_data(group: Group) -> dict[str, Any]:
    """A group of curves for the page."""
    return {
        "id": f"plot-{group.id}",
        "title": group.title,
        "label": group.label,
        "names": list(group.names),
        "values": packed(group.values),
        "on": group.on,
        "log": group.log,
        "remark": group.remark,
    }


# ---- parts of the page


def _subtitle(problem: Problem | None) -> Html:
    return Html("") if problem is None else pages.paragraph(problem.source, "soft")


def step_of(sol: Solution) -> str:
    """The step in words: one number, its range, or its mean where rows are not the ends of all
    steps."""
    steps = np.diff(sol.t)
    if sol.stats.steps == 0 or not steps.size:
        return "–"
    mean = float(sol.t[-1] - sol.t[0]) / sol.stats.steps
    if steps.size != sol.stats.steps:
        return f"{mean:.4g} on average"
    if np.ptp(steps) <= 1e-6 * float(steps.max()):
        return f"{mean:.4g}"
    return f"{steps.min():.3g} to {steps.max():.3g}"


def _said(scheme: Scheme | FirstOrderScheme) -> str:
    """A scheme, or the tolerances of a run with adaptive steps."""
    if isinstance(scheme, tuple):
        return f"adaptive, rtol = {scheme[0]:g}"
    return "" if scheme is None else str(scheme)


def _chips(sol: Solution, formulation: object, dt: float | None) -> Html:
    system = sol.system
    how = "" if formulation is None else str(formulation)
    found = [
        ("scheme", _said(sol.scheme)),
        ("formulation", how),
        ("Δt", f"{dt:g}" if dt is not None else step_of(sol)),
        ("t", f"{sol.t[0]:g} … {sol.t[-1]:g}"),
        ("steps", f"{sol.stats.steps:,}".replace(",", "\u202f")),
        ("unknowns", f"{system.nv}" + (f" + {system.m} rows" if system.m else "")),
    ]
    return Html(
        "".join(f'<span class="chip">{pages.escaped(k)} <b>{pages.escaped(v)}</b></span>' for k, v in found if v)
    )


def _notes(sol: Solution) -> Html:
    notes = []
    if sol.stats.index is not None:
        notes.append(sol.stats.index)
    if sol.stats.stopped is not None:
        notes.append(sol.stats.stopped)
    if sol.redundant:
        some = ", ".join(sol.redundant[:6]) + (" …" if len(sol.redundant) > 6 else "")
        notes.append(
            f"{len(sol.redundant)} constraint rows follow from others ({some}): single reactions among them are one choice of many."
        )
    return Html("".join(f'<div class="note">{pages.escaped(note)}</div>' for note in notes))


def _summary(sol: Solution, groups: list[Group]) -> Html:
    rows = []
    for group in groups:
        if group.log or group.id in ("acceleration", "balance"):
            continue
        rounding = 1e-13 * float(np.abs(group.values).max())
        for name, values in zip(group.names, group.values, strict=True):
            ends = (x if abs(x) > rounding else 0.0 for x in (values.min(), values.max(), values[-1]))
            rows.append((name, group.title, *(f"{x:.4g}" for x in ends)))
    left = len(rows) - RANGES
    head = ("quantity", "of", "smallest", "largest", "last")
    shown = Html(f'<div class="scroll ranges">{pages.table(rows[:RANGES], head, 2)}</div>')
    more = pages.paragraph(f"{left} more are in the plots.", "soft small") if left > 0 else ""
    return Html(pages.card("Ranges", shown, more) + pages.card("Quality and cost", pages.table(_quality(sol, groups))))


def _quality(sol: Solution, groups: list[Group]) -> list[tuple[str, str]]:
    stats, rows, unit = sol.stats, [], " J" if is_mechanism(mechanical(sol).system) else ""
    for group in groups:
        if group.id == "drift":
            levels = zip(group.names, group.values, strict=True)
            rows.append(("largest constraint drift, relative", ", ".join(f"{x.max():.1e} ({n})" for n, x in levels)))
        elif group.id == "energy":
            total = group.values[2]
            scale = max(float(np.abs(group.values[0]).max()), 1e-300)
            change = f"{total.max() - total.min():.3g}{unit}, {(total.max() - total.min()) / scale:.2g} of the largest kinetic energy"
            rows.append(("change of total energy", change))
        elif group.id == "balance":
            rows.append(("largest error of the energy balance", f"{np.abs(group.values).max():.3g}{unit}"))
        elif group.id == "invariants":
            kept = zip(group.names, group.values, strict=True)
            rows += [(f"change of {name}", f"{x.max():.2e}") for name, x in kept]
    steps = max(stats.steps, 1)
    if (local := local_error_in_words(stats)) is not None:
        rows.append(("largest local error", local))
    if (chord := chord_strain_of(sol)) is not None:
        rows.append(("chord strain beside elastic strain", str(chord)))
    if (error := step_error_of(sol)) is not None:
        rows.append(("largest error of a step beside what is allowed", str(error)))
    rows += [
        ("steps", f"{stats.steps}" + (f", {stats.rejected} rejected" if stats.rejected else "")),
        ("iterations", f"{stats.iterations}, {stats.iterations / steps:.2f} in a step"),
        ("factorisations", f"{stats.factorisations} by {stats.solver}" if stats.solver else f"{stats.factorisations}"),
        ("time", f"{stats.seconds:.3g} s, {1e6 * stats.seconds / steps:.3g} µs for a step"),
    ]
    for what in ("halvings", "rescues", "refinements", "repivots", "fallbacks"):
        if getattr(stats, what):
            rows.append((what, str(getattr(stats, what))))
    return rows


def _scheme(sol: Solution, why: str | None) -> Html:
    s = sol.scheme
    said = ([why] if why else []) + reasons(s)
    parts = [pages.card(f"Why {s}", pages.items(said))] if said else []
    if isinstance(s, Scheme):
        rows = [(key, f"{value:.8g}") for key, value in {**s.coefficients, "φ": s.phi}.items()]
        if s.radii is not None:
            rows.insert(0, ("family, radii", f"{s.family} ({', '.join(f'{r:g}' for r in s.radii)})"))
        parts.append(pages.card("Coefficients", pages.table(rows)))
    if not parts:
        return Html("")
    curves = '<div class="three" id="curves" style="margin-top:16px"></div>' if isinstance(s, Scheme) else ""
    return Html(f'<h2>Scheme</h2><div class="two">{"".join(parts)}</div>{curves}')


def versions() -> list[tuple[str, str]]:
    """What the run was made with."""
    return [
        ("isodyn", __version__),
        ("Python", platform.python_version()),
        ("NumPy, SciPy, Numba", f"{np.__version__}, {scipy.__version__}, {numba.__version__}"),
        ("machine", f"{sys.platform}, {platform.machine()}"),
    ]


def _run(sol: Solution, problem: Problem | None, settings: dict[str, Any] | None, formulation: object) -> Html:
    system = mechanical(sol).system
    rows: list[tuple[str, Any]] = [(key, value) for key, value in (settings or {}).items()]
    if problem is not None:
        rows.insert(0, ("problem", problem.name))
    if is_mechanism(system):
        bodies = [body.name for body in system.bodies if body.is_body]
        for what, names in (("bodies", bodies), ("beams", list(system.lines)), ("joints", list(system.joints))):
            if names:
                rows.append((what, f"{len(names)}: " + ", ".join(names[:24]) + (" …" if len(names) > 24 else "")))
    rows += [("coordinates, velocities, rows", f"{system.nq}, {system.nv}, {system.m}")]
    if formulation is not None:
        rows.append(("formulation", formulation))
    works = works_in_words(sol.scheme, None if problem is None else problem.citation)
    return Html(
        pages.card("System and versions", pages.table([*rows, *versions()]))
        + pages.card("Please cite", pages.items(works))
    )
