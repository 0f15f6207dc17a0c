"""How things show themselves in a notebook: tables of what they are, and the animation of a
solution inside a frame of its own.

Styles are inline and take their colours from the notebook, light or dark. The frame holds
everything that it needs.
"""

from __future__ import annotations

import html
from collections.abc import Sequence
from dataclasses import fields, is_dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike

from isodyn.described import settings
from isodyn.errors import InputError
from isodyn.mechanism.beam_part import BeamPart
from isodyn.mechanism.mechanism import Mechanism
from isodyn.notebook_views import ShownSystem, Told
from isodyn.report import pages
from isodyn.report.packing import for_script, scene_data
from isodyn.report.pages import Html
from isodyn.report.scenes import scene_of
from isodyn.results import Solution
from isodyn.results.history_view import HistoryView

if TYPE_CHECKING:
    from isodyn.mechanism.mechanism import Mechanism
    from isodyn.systems.base import System

SCRIPTS = ("core.js", "plot.js", "draw2d.js", "draw3d.js", "player.js", "report.js", "frame.js")
HEIGHT, FRAMES = 340, 400
ROWS = 12  # of a table


class Animation:
    """The animation of a solution, to be shown in a notebook; `page` is the HTML page inside the
    frame."""

    def __init__(self, page: str) -> None:
        self.page = page

    def _repr_html_(self) -> str:
        source = html.escape(self.page, quote=True)
        return (
            f'<iframe srcdoc="{source}" style="width:100%;height:{HEIGHT + 62}px;border:0" title="animation"></iframe>'
        )


def animation(
    sol: Solution, plane: Sequence[tuple[int, int]] = (), frames: int = FRAMES, autoplay: bool = False
) -> Animation:
    """The animation of a solution alone; `plane` names pairs of coordinates that are points, for
    systems without a shape."""
    scene = scene_of(sol, plane, frames, arrows=True)
    if scene is None:
        raise InputError(
            f"nothing is known about how a {type(sol.system).__name__} looks",
            hint="mechanisms and beams are drawn; for other systems name pairs of coordinates by plane=",
        )
    data = {"scene": scene_data(scene), "height": HEIGHT, "autoplay": autoplay, "trails": scene.points is not None}
    return Animation(pages.filled("animation.html", SCRIPTS, title="animation", data=Html(for_script(data))))


def html_of(x: object) -> str:
    """What a notebook shows of an object."""
    match x:
        case Solution():
            return solution_html(x)
        case HistoryView():
            return history_html(x)
        case Mechanism():
            return mechanism_html(x)
        case ShownSystem():
            system: Any = x
            return system_html(system)
        case Told():
            return settings_html(x)
    return text_html(x)


def settings_html(x: object) -> str:
    """What was given, without what is as usual."""
    names = [item.name for item in fields(x) if item.init and item.repr] if is_dataclass(x) else []
    rows = [(names[k] if key is None else key, text) for k, (key, text) in enumerate(settings(x))]
    return _titled(type(x).__name__, _table(rows, most=len(rows)))


def text_html(x: object) -> str:
    """Its own words: those of `str` with their lines, or those of `repr`."""
    plain = "__str__" not in {name for cls in type(x).__mro__[:-1] for name in vars(cls)}
    text = repr(x).removeprefix(f"<{type(x).__name__}").strip("<> :") if plain else str(x)
    inside = html.escape(text)
    return _titled(
        type(x).__name__, f"<pre style='margin:0'>{inside}</pre>" if "\n" in text else f"<div>{inside}</div>"
    )


def solution_html(sol: Solution) -> str:
    """What a run did, and its animation where the system has a shape."""
    rows = [
        ("t", f"{sol.t[0]:g} … {sol.t[-1]:g}, {sol.t.size} rows" if sol.t.size else "no rows"),
        ("scheme", str(sol.scheme)),
        ("system", f"{type(sol.system).__name__}, {sol.system.nv} velocities, {sol.system.m} rows of constraints"),
        ("cost", str(sol.stats)),
    ]
    if sol.redundant:
        rows.append(("rows that follow from others", ", ".join(sol.redundant[:ROWS])))
    text = _titled("Solution", _table(rows))
    shown = scene_of(sol, (), 2) is not None
    return text + (animation(sol)._repr_html_() if shown else "")


def history_html(view: HistoryView) -> str:
    """Where the histories of a part begin, end and are largest."""
    if not view.t.size:
        return _titled(view.title(), "")
    rows = []
    for name in view.histories():
        values = np.asarray(getattr(view, name), dtype=np.float64)
        sizes = np.linalg.norm(values.reshape(view.t.size, -1), axis=1)
        k = int(np.argmax(sizes))
        rows.append((name, *(_entry(values[i]) for i in (0, -1)), f"{sizes[k]:.4g} at t = {view.t[k]:.4g}"))
    return _titled(view.title(), _table(rows, ("", "at the start", "at the end", "largest size")))


def _entry(x: ArrayLike) -> str:
    return _vector(np.ravel(x)) if np.size(x) <= 6 else f"{np.size(x)} numbers"


def mechanism_html(mech: Mechanism) -> str:
    """Tables of its parts."""
    bodies = [(b.name, b.kind, f"{b.mass:.4g}", _vector(b.position), _vector(b.velocity)) for b in mech.bodies.values()]
    beams = [
        (
            b.name,
            f"{len(b.mesh.elements) if isinstance(b, BeamPart) else b.lengths.size} elements",
            f"{b.mesh.length if isinstance(b, BeamPart) else b.lengths.sum():.4g}",
            _vector(b.nodes[0].position),
            _vector(b.nodes[-1].position),
        )
        for b in mech.lines.values()
    ]
    joints = [(j.name, type(j).__name__, _between(j)) for j in mech.joints.values()]
    loads = [(x.name, type(x).__name__, _between(x)) for x in mech.loads.values()]
    flexible = [(b.name, repr(b)) for b in mech.flexible_bodies.values()]
    contacts = [(c.name, type(c).__name__, _between(c)) for c in mech.contacts.values()]
    sensors = [(s.name, " – ".join(filter(None, (s.body, s.to)))) for s in mech.sensors.values()]
    controllers = [(c.name, f"{c.every:g} s", ", ".join(c.writes)) for c in mech.controllers.values()]
    states = [(name, repr(state)) for name, state in mech.states.items()]
    parts: list[tuple[str, tuple[str, ...], list[Any]]] = [
        ("bodies", ("name", "kind", "mass", "position", "velocity"), bodies),
        ("beams", ("name", "elements", "length", "from", "to"), beams),
        ("joints", ("name", "kind", "between"), joints),
        ("loads", ("name", "kind", "on"), loads),
        ("flexible bodies", ("name", ""), flexible),
        ("contacts", ("name", "kind", "between"), contacts),
        ("sensors", ("name", "of"), sensors),
        ("controllers", ("name", "every", "writes"), controllers),
        ("states", ("name", ""), states),
    ]
    inside = "".join(
        f"<div style='margin-top:6px'><b>{title}</b></div>{_table(rows, head)}" for title, head, rows in parts if rows
    )
    return _titled(f"Mechanism, gravity {_vector(mech.gravity)}", inside)


def system_html(system: System) -> str:
    """Sizes, initial values and names of rows."""
    first = system.first_order
    head = ("variable", "start") if first else ("coordinate", "q₀", "velocity", "v₀")
    names, rates = system.names, system.v_names
    if first:
        rows = [(name, f"{x:.6g}") for name, x in zip(names, system.v0, strict=True)]
    else:
        n = max(system.nq, system.nv)
        cells = [
            [*map(str, names), *[""] * (n - system.nq)],
            [*(f"{x:.6g}" for x in system.q0), *[""] * (n - system.nq)],
            [*(_rate(names, rates, k) for k in range(system.nv)), *[""] * (n - system.nv)],
            [*(f"{x:.6g}" for x in system.v0), *[""] * (n - system.nv)],
        ]
        rows = list(zip(*cells, strict=True))
    text = _table(rows, head)
    if system.m:
        shown = ", ".join(map(html.escape, system.row_names[:ROWS])) + (" …" if system.m > ROWS else "")
        text += f"<div style='margin-top:6px'>{system.m} rows of constraints: {shown}</div>"
    kind = "first order" if first else "M a + Gᵀλ = Q" if system.m else "M a = Q"
    return _titled(f"{type(system).__name__} ({kind})", text)


def _rate(names: Sequence[str], rates: Sequence[str], k: int) -> str:
    return f"{rates[k]}'" if len(names) == len(rates) and rates[k] == names[k] else rates[k]


def _between(part: Any) -> str:
    """What a joint or load names."""
    known = {field.name for field in fields(part)}
    for keys in (("first", "second"), ("body",), ("bodies",), ("joint",), ("beam",), ("weights",)):
        if set(keys) <= known:
            named = [getattr(part, key) for key in keys]
            flat = [str(x) for y in named for x in (y if isinstance(y, tuple | list | dict) else (y,))]
            return " – ".join(flat)
    return ""


def _vector(x: ArrayLike) -> str:
    inside = ", ".join(f"{v + 0.0:.4g}" for v in np.asarray(x, dtype=float))
    return f"({inside})" if np.size(x) > 1 else inside


def _titled(title: str, inside: str) -> str:
    return f"<div style='line-height:1.4'><div style='font-weight:600;margin-bottom:4px'>{html.escape(title)}</div>{inside}</div>"


def _table(rows: Sequence[Sequence[Any]], head: Sequence[str] = (), most: int = ROWS) -> str:
    cell = "style='text-align:left;padding:1px 14px 1px 0'"
    lines = [f"<tr>{''.join(f'<th {cell}>{html.escape(x)}</th>' for x in head)}</tr>"] if head else []
    lines += [f"<tr>{''.join(f'<td {cell}>{html.escape(str(x))}</td>' for x in row)}</tr>" for row in rows[:most]]
    more = f"<div>… and {len(rows) - most} more</div>" if len(rows) > most else ""
    return f"<table>{''.join(lines)}</table>{more}"
