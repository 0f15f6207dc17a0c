"""From checked tables to the parts of a mechanism; what `Mechanism` refuses is told with the place
in the file.

An input error carries the part and the argument that it is about, and so the place.
"""

from __future__ import annotations

import difflib
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any

import numpy as np

from isodyn import loads
from isodyn.beams.section import Section
from isodyn.bodies.body import GROUND, Body
from isodyn.errors import InputError, about
from isodyn.later import Later
from isodyn.loads.formula_laws import of_state
from isodyn.mechanism.beam_part import resolve
from isodyn.mechanism.controllers import PID
from isodyn.mechanism.mechanism import Mechanism
from isodyn.mechanism.sensors import Sensor
from isodyn.models import parts, time_tables
from isodyn.models.flexible_files import elements_of, interface_of
from isodyn.models.part_tables import PartTable
from isodyn.models.positions import Path as Keys
from isodyn.models.reader import ModelError, Source
from isodyn.models.schema import FileModel
from isodyn.models.values import inlined
from isodyn.parts import CONTACTS, JOINTS, LOADS, SHAPES, Part, Registry, Value

transform = Later("scipy.spatial.transform")
_PARTS = ("bodies", "beams", "flexible_bodies", "joints", "loads", "sensors", "controllers", "states")


def coordinate(name: str) -> tuple[str, str] | str:
    """A joint, or (joint, coordinate) for "joint.coordinate"."""
    joint, _, coordinate = name.rpartition(".")
    return (joint, coordinate) if joint else name


class Builder:
    """Puts the parts of a checked model into a mechanism."""

    def __init__(self, source: Source, model: FileModel, parameters: Mapping[str, float]) -> None:
        self.source, self.model = source, model
        self.parameters = dict(parameters)

    def mechanism(self) -> Mechanism:
        model = self.model
        self.names_are_unique()
        mech = Mechanism(gravity=model.gravity, cayley=model.cayley)
        for name, body in model.bodies.items():
            with self.located(("bodies", name)):
                mech.add_body(name, **_body(body))
        for name, beam in model.beams.items():
            with self.located(("beams", name)):
                mech.add_beam(name, **_beam(beam))
        for name, flexible in model.flexible_bodies.items():
            with self.located(("flexible_bodies", name)):
                mech.add_flexible_body(name, elements_of(self.source, flexible), **_flexible(flexible))
        classes: Any = JOINTS.types()
        for name, joint in sorted(model.joints.items(), key=lambda item: classes[item[1].type].names_joints()):
            self.add(JOINTS, name, joint, mech, mech.add_joint)
        if list(mech.joints) != list(model.joints):
            mech.joints = {name: mech.joints[name] for name in model.joints}
        for name, state in model.states.items():
            with self.located(("states", name)):
                mech.add_state(name, **state.model_dump(), parameters=self.parameters)
        for name, load in model.loads.items():
            self.add(LOADS, name, load, mech, mech.add_load)
        for name, contact in model.contacts.items():
            self.add(CONTACTS, name, contact, mech, mech.add_contact)
        for name, sensor in model.sensors.items():
            with self.located(("sensors", name)):
                mech.add_sensor(Sensor(name, **sensor.model_dump()))
        for name, controller in model.controllers.items():
            with self.located(("controllers", name)):
                mech.add_controller(name, **controller.model_dump(exclude={"pid"}) | {"law": self.law(controller)})
        return mech

    def law(self, controller: parts.Controller) -> PID | list[str]:
        """The law of a controller."""
        if controller.pid is None:
            return [inlined(text, self.parameters) for text in parts.names_in(controller.law or [])]
        given = controller.pid.model_dump(exclude_none=True)
        if isinstance(given["target"], str):
            given["target"] = inlined(given["target"], self.parameters)
        with about(None, inside="pid"):
            return PID(**given)

    def add(self, registry: Registry, name: str, table: PartTable, mech: Mechanism, add: Callable[[Any], Any]) -> None:
        """Make the parts of a table and add them."""
        path = (registry.table, name)
        cls: Any = registry.types()[table.type]
        self.names_exist(path, cls, table, mech)
        with self.located(path):
            for part in self.made(registry, name, table):
                add(part)

    def made(self, registry: Registry, name: str, table: PartTable) -> Sequence[Any]:
        """The parts of a table."""
        cls: Any = registry.types()[table.type]
        with self.located((registry.table, name)):
            given = {key: self.value(cls.keys[key].value, key, x) for key, x in table.given().items()}
            return cls.from_table(name, given, self.parameters)

    def body(self, name: str, table: parts.Body) -> Body:
        """The body of a table."""
        with self.located(("bodies", name)):
            return Mechanism().add_body(name, **_body(table))

    # ---- names

    def names_are_unique(self) -> None:
        seen: dict[str, str] = {GROUND: "ground"}
        for kind in (*_PARTS, "contacts"):
            for name in getattr(self.model, kind):
                if name in seen:
                    what = "the name of the world" if name == GROUND else f"a name in {seen[name]} already"
                    raise self.source.error((kind, name), f"{name!r} is {what}", "parts share one set of names")
                if not name:
                    raise self.source.error((kind, name), "a name is empty")
                seen[name] = kind

    def names_exist(self, path: Keys, cls: type[Part], table: PartTable, mech: Mechanism) -> None:
        """Bodies, joints and beams that a part speaks of."""
        bodies = [*mech.bodies, *(f"{beam}.{end}" for beam in mech.lines for end in ("start", "end"))]
        bodies += [place.name for part in mech.flexible_bodies.values() for place in part.interfaces]
        joints, beams = list(self.model.joints), list(mech.lines)
        asked: list[tuple[Keys, str, list[str], str]] = []
        for key, value in table.given().items():
            kind = cls.keys[key].value
            if kind is Value.BODIES:
                asked += [((key, k), name, [*bodies, GROUND], "body") for k, name in enumerate(value)]
            elif kind is Value.JOINTS:
                asked += [((key, k), name, joints, "joint") for k, name in enumerate(value)]
            elif kind is Value.WEIGHTS:
                asked += [
                    ((key, name), name if name in joints else name.rpartition(".")[0] or name, joints, "joint")
                    for name in value
                ]
            elif kind in _NAMED:
                what, usual = _NAMED[kind], cls.defaults().get(key)
                known = {"body": bodies, "joint": joints, "beam": beams}[what]
                asked.append(((key,), value, [*known, GROUND] if usual == GROUND else known, what))
        for keys, name, known, what in asked:
            found = name in known or (what == "body" and self.is_place(name, mech, (*path, *keys)))
            if not found:
                similar = difflib.get_close_matches(name, known, n=2, cutoff=0.5)
                hint = (
                    f"did you mean {' or '.join(map(repr, similar))}?"
                    if similar
                    else f"known: {', '.join(known) or 'none'}"
                )
                raise self.source.error((*path, *keys), f"there is no {what} named {name!r}", hint)

    def is_place(self, name: str, mech: Mechanism, path: Keys) -> bool:
        try:
            return bool(resolve(name, mech.lines) != name) or name in {
                n.name for b in mech.lines.values() for n in b.nodes
            }
        except InputError as error:
            raise self.source.error(path, error.message, error.hint) from None

    # ---- errors

    @contextmanager
    def located(self, path: Keys) -> Iterator[None]:
        """Input errors of a mechanism with the place in the file of the part and the argument that
        they carry."""
        try:
            yield
        except ModelError:
            raise
        except InputError as error:
            where = path or self.table_of(error.part)
            known = self.source.value((*where, *error.argument[:1])) is not None
            keys = error.argument if known else ()
            raise self.source.error((*where, *keys), error.message, error.hint) from None

    def table_of(self, part: str | None) -> Keys:
        """The table of a part by its name; names are used once."""
        return next(
            ((kind, part) for kind in reversed(_PARTS) if part is not None and part in getattr(self.model, kind)), ()
        )

    # ---- parts

    def value(self, kind: Value, key: str, value: Any) -> Any:
        """What a class takes for a key of its table."""
        if kind is Value.WEIGHTS:
            return {name if name in self.model.joints else coordinate(name): x for name, x in value.items()}
        if kind not in (Value.TIME, Value.TIME_OR_STATE) or value is None or isinstance(value, float):
            return value
        if kind is Value.TIME_OR_STATE and isinstance(value, time_tables.Formula):
            text = value.formula
            if isinstance(text, str) and of_state(text):
                return text
        with about(None, inside=key):
            made = self.function(value)
            if isinstance(made, loads.Sine | loads.Ramp | loads.Pulse):
                assert made.numbers.size  # refused here, not where it is laid out
            return made

    def function(self, value: Any) -> Any:
        """A function of time."""
        if isinstance(value, time_tables.Formula):
            if isinstance(value.formula, float):
                return value.formula
            return loads.Formula(value.formula, **self.parameters)
        given = value.model_dump(exclude={"type"})
        if isinstance(value, time_tables.Polynomial):
            return loads.Polynomial(*given["coefficients"])
        if isinstance(value, time_tables.Table):
            return loads.Table(given["times"], given["values"])
        if isinstance(value, time_tables.Staircase):
            return loads.Staircase(given["times"], given["values"])
        return {"sine": loads.Sine, "ramp": loads.Ramp, "pulse": loads.Pulse}[value.type](**given)


_NAMED = {Value.BODY: "body", Value.JOINT: "joint", Value.BEAM: "beam"}


def _body(body: parts.Body) -> dict[str, Any]:
    given = {key: getattr(body, key) for key in type(body).model_fields}
    if body.shape is not None:
        made: Any = SHAPES.types()[body.shape.type]
        with about(None, inside="shape"):
            given["shape"] = made(**{key: x for key, x in body.shape.given().items() if x is not None})
    return {**given, "orientation": _turned(given["orientation"])}


def _turned(orientation: Any) -> Any:
    """An orientation as `Mechanism` takes it."""
    if not isinstance(orientation, dict):
        return orientation
    axis = np.asarray(orientation["axis"])
    return transform.Rotation.from_rotvec(orientation["angle"] * axis / np.linalg.norm(axis))


def _flexible(table: parts.FlexibleBody) -> dict[str, Any]:
    keys = ("modes", "damping", "stiffening", "position", "velocity", "angular_velocity")
    given = {key: getattr(table, key) for key in keys}
    return {**given, "interface": interface_of(table), "orientation": _turned(table.orientation)}


def _beam(beam: parts.Beam) -> dict[str, Any]:
    given = {key: getattr(beam, key) for key in type(beam).model_fields if key != "section"}
    section = beam.section.model_dump(exclude={"type"}, exclude_none=True)
    made: Any = {"given": Section, "rectangle": Section.rectangle, "circle": Section.circle}[beam.section.type]
    with about(None, inside="section"):
        return {**given, "section": made(**section)}
