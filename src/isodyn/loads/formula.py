"""Loads by formulas of the time and of coordinates by name: "crank.x", "crank.vy", "pin.angle",
"pin.angle_rate".

A formula acts along a word by F(t, y, ẏ), where y are words too; tangents follow from the slopes of
F (isodyn.multibody.formula_laws). The names are those of isodyn.loads.formula_laws.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np

from isodyn.bodies.body import Body, vector3
from isodyn.errors import InputError, about
from isodyn.expressions import compile_formula
from isodyn.expressions.time import Formula, components
from isodyn.joints import measures as words
from isodyn.joints.cables import refuse_point_aside
from isodyn.joints.words import Pair, Word, arm, between_points, ground_body
from isodyn.loads.formula_laws import OWN, RATE, formula_law, names_in, of_state, text_of, turn_word
from isodyn.loads.on_bodies import Force, Torque
from isodyn.loads.on_joints import Motor
from isodyn.loads.part import Input, JointLoad, Law, LoadForces, LoadPart, LoadWorld
from isodyn.parts import Keys, Part, Value, load, optional, required

if TYPE_CHECKING:
    from isodyn.open_types import Numbers


@load("force")
@dataclass(frozen=True)
class FormulaForce(LoadPart):
    """A force on a body, in world axes, by formulas.

    Parameters
    ----------
    force
        Three components, each a number or a formula.

    Examples
    --------
    >>> import isodyn as iso
    >>> mech = iso.Mechanism()
    >>> _ = mech.add_body("rod", mass=1.0, inertia=(0.1, 0.1, 0.1), position=(0.5, 0, 0))
    >>> _ = mech.add_load(iso.FormulaForce("push", "rod", force=(0, 0, "9.81 + 0*t")))
    >>> sol = iso.integrate(mech.compile(), dt=0.01, t_end=0.1)
    >>> float(abs(sol.body("rod").velocity).max().round(9))
    0.0
    """

    name: str
    body: str
    force: Numbers
    point: Numbers | None = None
    parameters: Mapping[str, float] = field(default_factory=dict)
    measured: ClassVar[bool] = False
    keys: ClassVar[Keys] = Force.keys

    @classmethod
    def defaults(cls) -> dict[str, Any]:
        return Force.defaults()

    @classmethod
    def from_table(cls, name: str, given: Mapping[str, Any], parameters: Mapping[str, float]) -> Sequence[Part]:
        return _on_body(cls, Force, "force", name, given, parameters)

    def build(self, world: LoadWorld) -> LoadForces:
        body = world.body(self.body)
        P = body.position if self.point is None else vector3(f"force {self.name!r}: point", self.point, "point")
        pair = Pair.of(self.name, body, ground_body(), P, None)
        if body.kind == "cable" and arm(body, P)[1:].any():
            raise InputError(
                f"force {self.name!r}: on the node of a cable a formula acts at the node itself", argument="point"
            )
        if body.is_point_of_rod:
            refuse_point_aside(f"force {self.name!r}", body, P)
        with about(None, inside="force"):
            return _components(self.name, self.force, self.parameters, world, _along(pair), body)


@load("torque")
@dataclass(frozen=True)
class FormulaTorque(LoadPart):
    """A torque on a body, in world axes, by formulas.

    Parameters
    ----------
    torque
        Three components, each a number or a formula.

    Examples
    --------
    >>> import isodyn as iso
    >>> mech = iso.Mechanism()
    >>> _ = mech.add_body("rod", mass=1.0, inertia=(0.1, 0.1, 0.1), position=(0.5, 0, 0))
    >>> _ = mech.add_joint(iso.Hinge("pin", "ground", "rod", point=(0, 0, 0), axis=(0, 1, 0)))
    >>> _ = mech.add_load(iso.FormulaTorque("twist", "rod", torque=(0, "sin(t)", 0)))
    >>> sol = iso.integrate(mech.compile(), dt=0.01, t_end=0.1)
    >>> sol.joint("pin").angle.shape
    (11,)
    """

    name: str
    body: str
    torque: Numbers
    parameters: Mapping[str, float] = field(default_factory=dict)
    measured: ClassVar[bool] = False
    keys: ClassVar[Keys] = Torque.keys

    @classmethod
    def defaults(cls) -> dict[str, Any]:
        return Torque.defaults()

    @classmethod
    def from_table(cls, name: str, given: Mapping[str, Any], parameters: Mapping[str, float]) -> Sequence[Part]:
        return _on_body(cls, Torque, "torque", name, given, parameters)

    def build(self, world: LoadWorld) -> LoadForces:
        body = world.body(self.body)
        if body.kind == "particle" or body.of_beam:
            raise InputError(
                f"torque {self.name!r}: a formula turns bodies; {body.name!r} is a {body.kind}", argument="body"
            )
        with about(None, inside="torque"):
            return _components(self.name, self.torque, self.parameters, world, lambda e: turn_word(body, e), body)


@load("motor")
@dataclass(frozen=True)
class FormulaMotor(JointLoad):
    """A torque or force along a coordinate of a joint, by a formula.

    Parameters
    ----------
    torque
        A number or a formula.

    Examples
    --------
    >>> import isodyn as iso
    >>> mech = iso.Mechanism()
    >>> _ = mech.add_body("rod", mass=1.0, inertia=(0.1, 0.1, 0.1), position=(0.5, 0, 0))
    >>> _ = mech.add_joint(iso.Hinge("pin", "ground", "rod", point=(0, 0, 0), axis=(0, 1, 0)))
    >>> _ = mech.add_load(iso.FormulaMotor("motor", "pin", torque="2*sin(t)"))
    >>> sol = iso.integrate(mech.compile(), dt=0.01, t_end=0.1)
    >>> sol.joint("pin").angle.shape
    (11,)
    """

    name: str
    joint: str
    torque: Numbers
    coordinate: str | None = None
    parameters: Mapping[str, float] = field(default_factory=dict)
    drives: ClassVar[bool] = True
    keys: ClassVar[Keys] = Motor.keys

    @classmethod
    def defaults(cls) -> dict[str, Any]:
        return Motor.defaults()

    @classmethod
    def check_table(cls, given: Mapping[str, Any]) -> None:
        if (given["torque"] is None) == (given["speed"] is None):
            raise InputError("a motor takes either torque or speed (with gain)")
        if given["speed"] is not None and given["gain"] == 0:
            raise InputError("a speed needs a gain > 0", argument="speed")

    @classmethod
    def from_table(cls, name: str, given: Mapping[str, Any], parameters: Mapping[str, float]) -> Sequence[Part]:
        torque = given["torque"]
        if isinstance(torque, str) and of_state(torque):
            return [cls(name, given["joint"], torque, given["coordinate"], parameters)]
        if isinstance(torque, str):
            with about(None, "torque"):
                given = {**given, "torque": Formula(torque, **parameters)}
        return [Motor(name, **given)]

    def laws(self, word: Word, world: LoadWorld) -> list[Law]:
        own = {OWN: Input(word), f"{OWN}{RATE}": Input(word, rate=True)}
        own = {name: item for name, item in own.items() if name not in self.parameters}
        with about(None, "torque"):
            return [formula_law(self.name, word, text_of(self.torque), self.parameters, world, own)]


@load("tension")
@dataclass(frozen=True)
class Tension(LoadPart):
    """A force between two points by a formula; positive pulls.

    Parameters
    ----------
    tension
        A formula of `length`, `length_rate` and other names.

    Examples
    --------
    >>> import isodyn as iso
    >>> mech = iso.Mechanism()
    >>> _ = mech.add_body("rod", mass=1.0, inertia=(0.1, 0.1, 0.1), position=(0.5, 0, 0))
    >>> _ = mech.add_joint(iso.Hinge("pin", "ground", "rod", point=(0, 0, 0), axis=(0, 1, 0)))
    >>> _ = mech.add_load(iso.Tension("rope", "ground", "rod", "10*(length - 1)", points=[(0.5, 0, 1), (0.5, 0, 0)]))
    >>> sol = iso.integrate(mech.compile(), dt=0.01, t_end=0.1)
    >>> sol.joint("pin").angle.shape
    (11,)
    """

    name: str
    first: str
    second: str
    tension: Any
    points: Numbers | None = None
    parameters: Mapping[str, float] = field(default_factory=dict)
    keys: ClassVar[Keys] = {
        "between": required(Value.BODIES),
        "points": optional(Value.TWO_VECTORS),
        "tension": required(Value.FORMULA),
    }

    def build(self, world: LoadWorld) -> LoadForces:
        pair = between_points(self.name, world.body(self.first), world.body(self.second), self.points)
        word = pair.length_word()
        own = {"length": Input(word), f"length{RATE}": Input(word, rate=True)}
        with about(None, "tension"):
            law = formula_law(self.name, word, text_of(self.tension), self.parameters, world, own, negative=True)
        return LoadForces([law])


def _on_body(
    by_formula: type[FormulaForce] | type[FormulaTorque],
    plain: type[Force] | type[Torque],
    key: str,
    name: str,
    given: Mapping[str, Any],
    parameters: Mapping[str, float],
) -> Sequence[Part]:
    """A force or torque of a table, by numbers or by formulas."""
    values, frame, time = given[key], given["frame"], given["time"]
    where = {"point": given["point"]} if "point" in given else {}
    if all(isinstance(x, float) for x in values):
        return [plain(name, given["body"], values, frame=frame, time=time, **where)]
    if time is not None:
        raise InputError("formulas in the components bring the time with them", hint="multiply them", argument="time")
    moving = next((k for k, x in enumerate(values) if isinstance(x, str) and of_state(x)), None)
    if moving is not None and frame == "world":
        _refuse_unknown(key, values, parameters)
        return [by_formula(name, given["body"], values, **where, parameters=parameters)]
    if moving is not None:
        raise InputError(
            "formulas of coordinates act in world axes", hint="leave frame out, or use t alone", argument=(key, moving)
        )
    parts: list[float | Formula] = []
    for k, x in enumerate(values):
        with about(None, (key, k)):
            parts.append(Formula(x, **parameters) if isinstance(x, str) else x)
    return [plain(name, given["body"], parts, frame=frame, **where)]


def _refuse_unknown(key: str, values: Sequence[Any], parameters: Mapping[str, float]) -> None:
    """Names without a dot, refused at the component that has them."""
    for k, text in enumerate(values):
        if isinstance(text, str):
            with about(None, (key, k)):
                compile_formula(text, ["t", *(name for name in names_in(text) if "." in name)], parameters)


def _along(pair: Pair) -> Callable[[Any], Word]:
    """The offset of the point in a direction."""
    return lambda e: pair.word(words.POINT, u=e)


def _components(
    name: str,
    values: Numbers,
    parameters: Mapping[str, float],
    world: LoadWorld,
    word: Callable[[Any], Word],
    body: Body,
) -> LoadForces:
    values = components(f"load {name!r}", values) or values
    if not isinstance(values, Sequence | np.ndarray) or isinstance(values, str) or len(values) not in (2, 3):
        raise InputError(f"load {name!r}: three components are needed, received {values!r}")
    laws = []
    for k, value in enumerate(values):
        if _is_zero(value):
            continue
        planar = body.kind in ("planar", "node")
        force = word(np.eye(3)[k]) if not planar or _in_plane(word, k) else None
        if force is None:
            raise InputError(f"load {name!r}: {body.name!r} is planar, so component {k + 1} must be 0", argument=(k,))
        with about(None, (k,)):
            laws.append(formula_law(name, force, text_of(value), parameters, world))
    return LoadForces(laws)


def _is_zero(value: Any) -> bool:
    """The number 0, also as text: model files write `["0", "0", "sin(t)"]`."""
    try:
        return not isinstance(value, Formula) and float(value) == 0.0
    except (TypeError, ValueError):
        return False


def _in_plane(word: Callable[[Any], Word], k: int) -> bool:
    """Forces along x, y and torques about z stay in the plane."""
    turns = word(np.eye(3)[2]).kind != words.POINT
    return (k == 2) if turns else (k < 2)
