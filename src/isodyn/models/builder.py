"""From checked tables to the parts of a mechanism; what `Mechanism` refuses is told with the place in the file.

An input error carries the part and the argument that it is about, and so the place.
"""

from __future__ import annotations

import difflib
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import Any

import numpy as np

from isodyn import joints, loads
from isodyn.beams.section import Section
from isodyn.bodies import shapes
from isodyn.bodies.body import GROUND
from isodyn.errors import InputError, about
from isodyn.expressions import compile_formula
from isodyn.loads import formula
from isodyn.mechanism.beam_part import resolve
from isodyn.mechanism.mechanism import Mechanism
from isodyn.models import joint_tables, load_tables, parts, time_tables
from isodyn.models.positions import Path as Keys
from isodyn.models.reader import ModelError, Source
from isodyn.models.schema import FileModel

PAIRS: dict[str, Any] = {
    "spherical": joints.Spherical,
    "hinge": joints.Hinge,
    "prismatic": joints.Prismatic,
    "cylindrical": joints.Cylindrical,
    "screw": joints.Screw,
    "planar": joints.Planar,
    "universal": joints.Universal,
    "point_on_plane": joints.PointOnPlane,
    "fixed": joints.Fixed,
    "distance": joints.Distance,
}
SHAPES = {
    name.lower(): getattr(shapes, name)
    for name in ("Box", "Plate", "Ellipsoid", "Sphere", "Cylinder", "Rod", "Disc", "Capsule", "Tube", "Cone")
}


def coordinate(name: str) -> Any:
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
        for name, joint in sorted(model.joints.items(), key=lambda item: item[1].type in LATER):
            self.names_exist(("joints", name), joint, mech)
            with self.located(("joints", name)):
                mech.add_joint(self.joint(name, joint))
        if list(mech.joints) != list(model.joints):
            mech.joints = {name: mech.joints[name] for name in model.joints}
        for name, load in model.loads.items():
            self.names_exist(("loads", name), load, mech)
            with self.located(("loads", name)):
                for part in self.load(name, load):
                    mech.add_load(part)
        return mech

    # ---- names

    def names_are_unique(self) -> None:
        seen: dict[str, str] = {GROUND: "ground"}
        for kind in ("bodies", "beams", "joints", "loads"):
            for name in getattr(self.model, kind):
                if name in seen:
                    what = "the name of the world" if name == GROUND else f"a name in {seen[name]} already"
                    raise self.source.error((kind, name), f"{name!r} is {what}", "parts share one set of names")
                if not name:
                    raise self.source.error((kind, name), "a name is empty")
                seen[name] = kind

    def names_exist(self, path: Keys, part: Any, mech: Mechanism) -> None:
        """Bodies, joints and beams that a part speaks of."""
        bodies = [*mech.bodies, *(f"{beam}.{end}" for beam in mech.beams for end in ("start", "end"))]
        gear = isinstance(part, joint_tables.Gear)
        asked: list[tuple[Keys, str, list[str], str]] = []
        for key in type(part).model_fields:
            value = getattr(part, key)
            if key == "between":
                known = list(self.model.joints) if gear else [*bodies, GROUND]
                asked += [((key, k), name, known, "joint" if gear else "body") for k, name in enumerate(value)]
            elif key == "body":
                asked.append(((key,), value, bodies, "body"))
            elif key == "beam":
                asked.append(((key,), value, list(mech.beams), "beam"))
            elif key == "joint":
                asked.append(((key,), value, list(self.model.joints), "joint"))
            elif key == "weights":
                known = list(self.model.joints)
                asked += [
                    ((key, name), name if name in known else name.rpartition(".")[0] or name, known, "joint")
                    for name in value
                ]
        for keys, name, known, what in asked:
            found = name in known or (what == "body" and self.is_place(name, mech, (*path, *keys)))
            if not found:
                near = difflib.get_close_matches(name, known, n=2, cutoff=0.5)
                hint = (
                    f"did you mean {' or '.join(map(repr, near))}?" if near else f"known: {', '.join(known) or 'none'}"
                )
                raise self.source.error((*path, *keys), f"there is no {what} named {name!r}", hint)

    def is_place(self, name: str, mech: Mechanism, path: Keys) -> bool:
        try:
            return bool(resolve(name, mech.beams) != name) or name in {
                n.name for b in mech.beams.values() for n in b.nodes
            }
        except InputError as error:
            raise self.source.error(path, error.message, error.hint) from None

    # ---- errors

    @contextmanager
    def located(self, path: Keys) -> Iterator[None]:
        """Input errors of a mechanism with the place in the file of the part and the argument that they carry."""
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
        kinds = ("loads", "joints", "beams", "bodies")
        return next(((kind, part) for kind in kinds if part is not None and part in getattr(self.model, kind)), ())

    # ---- parts

    def time(self, value: Any, key: str) -> Any:
        """A function of time, the value of this key."""
        with about(None, inside=key):
            made = self.function(value)
            if isinstance(made, loads.Sine | loads.Ramp | loads.Pulse):
                assert made.numbers.size  # refused here, not where it is laid out
            return made

    def function(self, value: Any) -> Any:
        if value is None:
            return None
        if isinstance(value, time_tables.Formula):
            if isinstance(value.formula, float):
                return value.formula
            return loads.Formula(value.formula, **self.parameters)
        given = value.model_dump(exclude={"type"})
        if isinstance(value, time_tables.Polynomial):
            return loads.Polynomial(*given["coefficients"])
        if isinstance(value, time_tables.Table):
            return loads.Table(given["times"], given["values"])
        return {"sine": loads.Sine, "ramp": loads.Ramp, "pulse": loads.Pulse}[value.type](**given)

    def joint(self, name: str, joint: Any) -> Any:
        given = {key: getattr(joint, key) for key in type(joint).model_fields if key not in ("type", "between")}
        if joint.type in PAIRS:
            return PAIRS[joint.type](name, *joint.between, **given)
        if isinstance(joint, joint_tables.Drive):
            return joints.Drive(name, joint.joint, self.time(joint.value, "value"), joint.coordinate)
        if isinstance(joint, joint_tables.Coupling):
            known = self.model.joints
            return joints.Coupling(
                name, {key if key in known else coordinate(key): w for key, w in joint.weights.items()}
            )
        if isinstance(joint, joint_tables.Gear):
            return joints.Gear(name, *joint.between, ratio=joint.ratio)
        if isinstance(joint, joint_tables.Pulley):
            return joints.Pulley(name, *joint.between, **given)
        made = joints.RollingDisc if isinstance(joint, joint_tables.RollingDisc) else joints.RollingSphere
        return made(name, **given)

    def load(self, name: str, load: Any) -> list[Any]:
        given = {key: getattr(load, key) for key in type(load).model_fields if key not in ("type", "between")}
        if isinstance(load, load_tables.Force | load_tables.Torque):
            return self.on_body(name, load, given)
        if isinstance(load, load_tables.Motor):
            return [self.motor(name, load)]
        if isinstance(load, load_tables.Tension):
            return [formula.Tension(name, *load.between, load.tension, load.points, self.parameters)]
        if isinstance(load, load_tables.DistributedForce):
            return [loads.DistributedForce(name, load.beam, load.force, self.time(load.time, "time"))]
        made = {
            "drag": loads.Drag,
            "spring": loads.Spring,
            "bushing": loads.Bushing,
            "joint_spring": loads.JointSpring,
            "joint_limit": loads.JointLimit,
            "joint_friction": loads.JointFriction,
        }[load.type]
        return [made(name, *getattr(load, "between", ()), **given)]

    def motor(self, name: str, motor: load_tables.Motor) -> Any:
        torque = motor.torque
        if (
            isinstance(torque, time_tables.Formula)
            and isinstance(torque.formula, str)
            and self.of_state(torque.formula)
        ):
            return formula.FormulaMotor(name, motor.joint, torque.formula, motor.coordinate, self.parameters)
        return loads.Motor(
            name,
            motor.joint,
            self.time(torque, "torque"),
            self.time(motor.speed, "speed"),
            motor.gain,
            motor.coordinate,
        )

    def of_state(self, text: str) -> bool:
        """Whether a formula names coordinates."""
        return any("." in name for name in formula.names_in(text))

    def on_body(self, name: str, load: Any, given: dict[str, Any]) -> list[Any]:
        """A force or torque: one load where all components are numbers or formulas of time alone times one function."""
        key = load.type
        values, frame, time = given[key], given["frame"], given["time"]
        plain = loads.Force if key == "force" else loads.Torque
        where = {"point": given["point"]} if key == "force" else {}
        if all(isinstance(x, float) for x in values):
            return [plain(name, load.body, values, frame=frame, time=self.time(time, "time"), **where)]
        if time is not None:
            raise self.source.error(
                ("loads", name, "time"), "formulas in the components bring the time with them", "multiply them"
            )
        if frame == "body":
            for k, x in enumerate(values):
                if isinstance(x, str) and self.of_state(x):
                    message = "formulas of coordinates act in world axes"
                    raise self.source.error(("loads", name, key, k), message, "leave frame out, or use t alone")
            return [
                plain(
                    f"{name}.{'xyz'[k]}",
                    load.body,
                    np.eye(3)[k] if isinstance(x, str) else x * np.eye(3)[k],
                    frame=frame,
                    time=self.function(time_tables.Formula(type="formula", formula=x)) if isinstance(x, str) else None,
                    **where,
                )
                for k, x in enumerate(values)
                if x != 0
            ]
        self.formulas_are_known(name, key, values)
        made: Any = formula.FormulaForce if key == "force" else formula.FormulaTorque
        return [made(name, load.body, values, **where, parameters=self.parameters)]

    def formulas_are_known(self, name: str, key: str, values: Any) -> None:
        """Names without a dot, refused at the component that has them."""
        for k, text in enumerate(values):
            if isinstance(text, str):
                dotted = [n for n in formula.names_in(text) if "." in n]
                try:
                    compile_formula(text, ["t", *dotted], self.parameters)
                except InputError as error:
                    raise self.source.error(("loads", name, key, k), error.message, error.hint) from None


LATER = ("drive", "coupling", "gear")


def _body(body: parts.Body) -> dict[str, Any]:
    given = {key: getattr(body, key) for key in type(body).model_fields}
    if body.shape is not None:
        made = {key: value for key, value in body.shape.model_dump(exclude={"type"}).items() if value is not None}
        with about(None, inside="shape"):
            given["shape"] = SHAPES[body.shape.type](**made)
    turned = given["orientation"]
    if isinstance(turned, dict):
        from scipy.spatial.transform import Rotation

        axis = np.asarray(turned["axis"])
        given["orientation"] = Rotation.from_rotvec(turned["angle"] * axis / np.linalg.norm(axis))
    return given


def _beam(beam: parts.Beam) -> dict[str, Any]:
    given = {key: getattr(beam, key) for key in type(beam).model_fields if key != "section"}
    section = beam.section.model_dump(exclude={"type"}, exclude_none=True)
    made: Any = {"given": Section, "rectangle": Section.rectangle, "circle": Section.circle}[beam.section.type]
    with about(None, inside="section"):
        return {**given, "section": made(**section)}
