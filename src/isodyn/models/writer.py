"""A mechanism as the text of a model file, which makes the same system again.

Parameters of formulas are put in as numbers. What a file cannot say is refused by name (users'
functions), or left out with a comment where the motion does not depend on it (shapes that are put
together).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import fields
from itertools import pairwise
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from isodyn import joints, loads
from isodyn.beams.section import SPATIAL, Section
from isodyn.beams.tables import ENERGIES
from isodyn.bodies import shapes
from isodyn.bodies.body import Body
from isodyn.bodies.rotations import quaternion_of
from isodyn.errors import InputError, about
from isodyn.expressions.time import TimeFunction, as_time_function, components
from isodyn.joints.user import UserRows
from isodyn.kernels.compiled import FloatArray
from isodyn.loads.formula_laws import text_of
from isodyn.loads.user import UserLoad
from isodyn.mechanism.beam_part import BeamPart
from isodyn.mechanism.mechanism import Mechanism
from isodyn.mechanism.point_rod_part import PointRodPart
from isodyn.mechanism.rod_part import RodPart
from isodyn.models.controller_table import controller_table, in_python
from isodyn.models.flexible_files import table_of
from isodyn.models.run_table import Entries, event_tables, run_table
from isodyn.models.toml_text import BARE, plain_numbers, toml_header, toml_lines
from isodyn.models.values import inlined
from isodyn.parts import CONTACTS, JOINTS, LOADS, SHAPES, Part, Registry, Value
from isodyn.parts.part import joined
from isodyn.results.files import write_file
from isodyn.stepping.adaptive import Adaptive
from isodyn.stepping.events import Event

if TYPE_CHECKING:
    from isodyn.api.options import AnyScheme
    from isodyn.formulations import Formulation


def to_toml(
    mechanism: Mechanism,
    *,
    t_end: float,
    dt: float | Adaptive | None = None,
    title: str = "",
    scheme: AnyScheme | str = None,
    formulation: Formulation | str | None = None,
    events: Event | Sequence[Event] = (),
    assemble: bool = False,
    folder: str | Path | None = None,
) -> str:
    """Return the text of a model file with the parts of a mechanism and a run.

    Meshes and matrices of flexible bodies do not stand in the text, but in files of their own.

    Parameters
    ----------
    mechanism
        The mechanism.
    t_end
        End of the run.
    dt
        Size of its steps, or `Adaptive(rtol)`; nothing for a method that chooses its steps.
    title
        Title of the model.
    scheme
        A scheme or a method such as `Radau(1e-8)`, or its text as on the command line.
    formulation
        A formulation, or its text as on the command line.
    events
        An event or several, which watch expressions and have no actions.
    assemble
        Move a start that violates the constraints, as in `integrate`.
    folder
        Where files of flexible bodies are written: the folder of the model file.

    Returns
    -------
    text
        The text.

    Raises
    ------
    InputError
        If a part, an event or a method cannot be written, a number of the run is not admissible, or
        there are flexible bodies and no folder.

    Examples
    --------
    >>> from isodyn.models import to_toml
    >>> import isodyn as iso
    >>> mech = iso.Mechanism()
    >>> _ = mech.add_body("ball", mass=2.0, kind="particle")
    >>> print(to_toml(mech, dt=0.01, t_end=1.0))
    gravity = [0.0, 0.0, -9.81]
    <BLANKLINE>
    [bodies.ball]
    kind = "particle"
    mass = 2.0
    position = [0.0, 0.0, 0.0]
    <BLANKLINE>
    [run]
    dt = 0.01
    t_end = 1.0
    <BLANKLINE>
    """
    if not isinstance(mechanism, Mechanism):
        raise InputError(
            f"to_toml writes a Mechanism, received {type(mechanism).__name__}",
            hint="give the Mechanism itself, not the system that it compiles to",
        )
    if not isinstance(title, str) or not isinstance(assemble, bool):
        words = f"title is a text and assemble true or false, received {title!r} and {assemble!r}"
        raise InputError(words, argument="title" if isinstance(assemble, bool) else "assemble")
    run, watched = run_table(dt, t_end, scheme, formulation), event_tables(events)
    text, files = text_and_files(mechanism, run, watched, title=title, assemble=assemble)
    if files and folder is None:
        name = next(iter(mechanism.flexible_bodies))
        raise InputError(f"flexible body {name!r} needs files beside the model file", hint="folder= says where")
    for file, content in files.items():
        write_file(Path(str(folder), file), content)
    return text


def text_and_files(
    mechanism: Mechanism,
    run: Entries,
    events: Mapping[str, Entries],
    *,
    title: str = "",
    assemble: bool = False,
) -> tuple[str, dict[str, bytes]]:
    """The text of a model file, and contents of the files that it names."""
    files: dict[str, bytes] = {}
    head = {"title": title or None, "gravity": mechanism.gravity, "cayley": mechanism.cayley or None}
    tables = [toml_lines(head)]
    for name, body in mechanism.bodies.items():
        tables.append([*toml_header("bodies", name), *toml_lines(_body(body)), *_left_out(body)])
    for name, line in mechanism.lines.items():
        tables.append(
            [*toml_header("beams", name), *toml_lines(_beam(line) if isinstance(line, BeamPart) else _rod(line))]
        )
    for k, (name, part) in enumerate(mechanism.flexible_bodies.items()):
        table, own = table_of(part, name if BARE.fullmatch(name) else f"flexible_body_{k}")
        files |= own
        tables.append([*toml_header("flexible_bodies", name), *toml_lines(table)])
    for name, joint in mechanism.joints.items():
        if isinstance(joint, UserRows):
            raise in_python("rows", name)
        tables.append([*toml_header("joints", name), *toml_lines(_part(JOINTS, joint))])
    for name, load in mechanism.loads.items():
        if isinstance(load, UserLoad):
            raise in_python("load", name)
        tables.append([*toml_header("loads", name), *toml_lines(_part(LOADS, load))])
    tables += _contacts(mechanism)
    for name, sensor in mechanism.sensors.items():
        given = {field.name: _plain(getattr(sensor, field.name)) for field in fields(sensor) if field.name != "name"}
        tables.append([*toml_header("sensors", name), *toml_lines(given)])
    for name, controller in mechanism.controllers.items():
        tables.append([*toml_header("controllers", name), *toml_lines(controller_table(controller))])
    for name, state in mechanism.states.items():
        given = {"rate": inlined(text_of(state.rate), state.parameters), "initial": state.initial, "size": state.size}
        tables.append([*toml_header("states", name), *toml_lines(given)])
    tables += [[*toml_header("events", name), *toml_lines(table)] for name, table in events.items()]
    if assemble:
        tables.append(["[start]", "assemble = true"])
    tables.append(["[run]", *toml_lines(run)])
    return "\n\n".join("\n".join(lines) for lines in tables) + "\n", files


def _contacts(mechanism: Mechanism) -> list[list[str]]:
    """Tables of the contacts."""
    return [
        [*toml_header("contacts", name), *toml_lines(_part(CONTACTS, one))] for name, one in mechanism.contacts.items()
    ]


# ---- parts


def _body(body: Body) -> dict[str, Any]:
    offset = body.R @ body.centre
    moving = body.R @ body.angular_velocity
    found: dict[str, Any] = {
        "kind": body.kind if body.kind != "spatial" else None,
        "mass": body.mass,
        "position": _before(offset, body.position).tolist(),
    }
    velocity = _before(np.cross(moving, offset), body.velocity)
    found["velocity"] = velocity.tolist() if velocity.any() else None
    found["centre_of_mass"] = body.centre.tolist() if body.centre.any() else None
    if body.kind == "planar":
        found |= {
            "inertia": float(body.inertia[2, 2]),
            "orientation": body.angle,
            "angular_velocity": float(body.angular_velocity[2]),
        }
    elif body.kind == "spatial":
        diagonal = np.diag(np.diag(body.inertia))
        found["inertia"] = np.diag(diagonal).tolist() if (body.inertia == diagonal).all() else body.inertia.tolist()
        found["orientation"] = body.orientation.tolist()
        found["angular_velocity"] = body.angular_velocity.tolist() if body.angular_velocity.any() else None
    if SHAPES.knows(body.shape):
        given = {key: getattr(body.shape, key) for key in body.shape.keys if key not in ("density", "mass")}
        found["shape"] = {"type": SHAPES.type_of(body.shape), **given, "mass": float(body.shape.mass)}
    return found


def _before(offset: FloatArray, total: FloatArray) -> FloatArray:
    """What becomes the total when the offset is added: to the last bit, where such numbers are."""
    found = total - offset
    for side in (np.inf, -np.inf) * 2:
        wrong = found + offset != total
        found = np.where(wrong, np.nextafter(total - offset, side), found)
    return found


def _left_out(body: Body) -> list[str]:
    if body.shape is None or SHAPES.knows(body.shape):
        return []
    kind = (
        type(body.shape).__name__ if isinstance(body.shape, shapes.Solid | shapes.Placed | shapes.Composite) else "own"
    )
    return [f"# its shape ({kind}) is left out; mass and inertia are what it gave"]


def _beam(beam: BeamPart) -> dict[str, Any]:
    mesh, node = beam.mesh, beam.nodes[0]
    section = mesh.elements[0].section
    pieces = [0, *(second for _, second in mesh.corners), len(mesh.positions)]
    points = [mesh.positions[k] for k in pieces[:-1]] + [mesh.positions[-1]]
    counts = [b - a - 1 for a, b in pairwise(pieces)]
    straight = len(counts) == 1
    assert node.slope is not None
    assert node.slope_rate is not None
    spin = np.cross(node.slope, node.slope_rate)
    welded = all(isinstance(joint, joints.Fixed) for joint in beam.corner_joints)
    return {
        "start": points[0].tolist() if straight else None,
        "end": points[1].tolist() if straight else None,
        "line": None if straight else [point.tolist() for point in points],
        "elements": counts[0] if straight else counts,
        "section": _section(section),
        "model": next(name for name, number in ENERGIES.items() if number == mesh.energy),
        "corners": None if straight else "weld" if welded else "hinge",
        "velocity": node.velocity.tolist() if node.velocity.any() else None,
        "angular_velocity": spin.tolist() if spin.any() else None,
    }


_SECTION = ("EA", "EI", "rhoA", "EI4", "E", "edge")
_OF_RODS = ("edge_z", *SPATIAL, "rhoJ")


def _section(section: Section) -> dict[str, Any]:
    """All numbers of a section that are known."""
    keys = (*_SECTION, *_OF_RODS) if np.isfinite(section.GA) else _SECTION
    known = {key: getattr(section, key) for key in keys}
    found: dict[str, Any] = {key: value for key, value in known.items() if np.isfinite(value) and value != 0}
    return {**found, "coupling": plain_numbers(section.coupling), "damping": list(section.times)}


def _rod(rod: RodPart) -> dict[str, Any]:
    node, section = rod.nodes[0], rod.section
    points = isinstance(rod, PointRodPart)
    spin = rod.spin
    if rod.is_straight:
        line = {"start": node.position[: rod.dim].tolist(), "end": rod.nodes[-1].position[: rod.dim].tolist()}
        line |= {"up": rod.frames[0][:, 2].tolist()} if rod.dim == 3 else {}
    else:
        poses = zip(rod.nodes, rod.frames, strict=True)
        line = {"curve": [[*body.position, *quaternion_of(R, rod.name)] for body, R in poses]}
    return {
        **line,
        "elements": int(rod.lengths.size),
        "section": _section(section),
        "model": "absolute-nodal" if points else "exact",
        "mass": rod.mass,
        "velocity": node.velocity.tolist() if node.velocity.any() else None,
        "angular_velocity": spin.tolist() if spin.any() else None,
    }


def _time(value: object) -> Any:
    """A function of time as the schema has it."""
    if value is None or isinstance(value, int | float | np.number):
        return None if value is None else float(value)
    if callable(value) or isinstance(value, str):  # a function of t in Python, or a formula
        value = as_time_function("a function of time", value)
    if isinstance(value, loads.Formula):
        return inlined(value.text, value.parameters)
    if isinstance(value, loads.Polynomial):
        return {"type": "polynomial", "coefficients": value.numbers.tolist()}
    if isinstance(value, loads.Staircase):
        return {"type": "staircase", "times": value.times.tolist(), "values": value.values.tolist()}
    if isinstance(value, loads.Table):
        pieces = value.numbers.reshape(-1, 5)[1:]
        return {"type": "table", "times": pieces[:, 0].tolist(), "values": pieces[:, 1].tolist()}
    if isinstance(value, loads.Sine | loads.Ramp | loads.Pulse):
        numbers = {f.name: float(getattr(value, f.name)) for f in fields(value)}
        return {"type": type(value).__name__.lower(), **numbers}
    raise InputError(f"{value!r} is no function of time that a model file knows")


def _part(registry: Registry, part: Part) -> dict[str, Any]:
    """The table of a joint or load."""
    with about(part.name):
        found: dict[str, Any] = {"type": registry.type_of(part)}
    for key, value in part.to_table().items():
        found[key] = None if value is None else _written(part, part.keys[key].value, value)
    return found


def _written(part: Part, kind: Value, value: Any) -> Any:
    """A value as the schema has it."""
    if kind is Value.TIME or (kind is Value.TIME_OR_STATE and not isinstance(value, str)):
        return _time(value)
    if kind is Value.WEIGHTS:
        return {joined(key): float(weight) for key, weight in value.items()}
    if kind is Value.FORMULAS:
        values = components(part.what, value) or (list(value) if np.ndim(value) else [value])
        values = [0.0, 0.0, *values] if len(values) == 1 else values  # a torque in the plane
        return [_formula(part, x) for x in values]
    if kind in (Value.FORMULA, Value.TIME_OR_STATE):
        return _formula(part, value)
    if components(part.what, value) is not None:
        raise InputError(f"{part.what}: it has functions of time where a model file has numbers", hint="time=")
    return _plain(value)


def _formula(part: Part, value: Any) -> float | str:
    """A number, or a formula with its parameters put in."""
    if isinstance(value, loads.Formula):
        return inlined(value.text, value.parameters)
    if callable(value) or isinstance(value, str):
        return inlined(text_of(value), getattr(part, "parameters", {}))
    if isinstance(value, TimeFunction):
        raise InputError(
            f"{part.what}: a component of it is {value!r}, which has no formula in a model file",
            hint="a constant vector with time=, or a Python function of t",
        )
    return float(value)


def _plain(value: object) -> Any:
    if isinstance(value, np.ndarray | tuple) or (
        isinstance(value, list) and not any(isinstance(x, str) for x in value)
    ):
        return plain_numbers(value)
    return value
