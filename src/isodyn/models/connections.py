"""Schema of joints and loads, by their type."""

from __future__ import annotations

from typing import Annotated, Any, Literal, Self

from pydantic import Field, PlainValidator, ValidationInfo, WithJsonSchema, model_validator

from isodyn.models.parts import Part, TimeFunction
from isodyn.models.values import (
    Formulas,
    FormulaText,
    NotNegative,
    NotZero,
    Number,
    Positive,
    Six,
    TwoVectors,
    Vector,
    number,
    refuse,
    said,
)


def _two_names(value: Any) -> tuple[str, str]:
    if not isinstance(value, list) or len(value) != 2:
        raise refuse(f"an array of two names is needed, received {said(value)}", hint="such as ['ground', 'crank']")
    for k, name in enumerate(value):
        if not isinstance(name, str):
            raise refuse(f"a name is needed, received {said(name)}", k)
    if value[0] == value[1]:
        raise refuse(f"{value[0]!r} is joined to itself")
    return value[0], value[1]


_NAMES = {"type": "array", "items": {"type": "string"}, "minItems": 2, "maxItems": 2}
TwoNames = Annotated[tuple[str, str], PlainValidator(_two_names), WithJsonSchema(_NAMES)]


class _Pair(Part):
    """Between two bodies, at `point` along `axis` of the world at the start; or `points`, `axes` in the frames of the bodies."""

    between: TwoNames
    point: Vector | None = None
    axis: Vector | None = None
    points: TwoVectors | None = None
    axes: TwoVectors | None = None

    @model_validator(mode="after")
    def _one_way(self) -> Self:
        for one, many in (("point", "points"), ("axis", "axes")):
            if getattr(self, one) is not None and getattr(self, many) is not None:
                raise refuse(f"{one} (in the world) and {many} (in the bodies) exclude each other", many)
        if self.axis is not None and not any(self.axis):
            raise refuse("the axis has no direction", "axis")
        return self


class Spherical(_Pair):
    """A point stays at a point."""

    type: Literal["spherical"]


class Hinge(_Pair):
    """Rotation about an axis."""

    type: Literal["hinge"]


class Prismatic(_Pair):
    """Sliding along an axis."""

    type: Literal["prismatic"]


class Cylindrical(_Pair):
    """Rotation about and sliding along an axis."""

    type: Literal["cylindrical"]


class Screw(_Pair):
    """Rotation with a displacement of `pitch` per radian."""

    type: Literal["screw"]
    pitch: NotZero


class Planar(_Pair):
    """Sliding in a plane."""

    type: Literal["planar"]


class Universal(_Pair):
    """A cross."""

    type: Literal["universal"]
    second_axis: Vector | None = None


class PointOnPlane(_Pair):
    """A point of the second body stays in a plane of the first."""

    type: Literal["point_on_plane"]


class Fixed(_Pair):
    """No relative motion."""

    type: Literal["fixed"]


class Distance(Part):
    """A massless rod between points of the world at the start."""

    type: Literal["distance"]
    between: TwoNames
    points: TwoVectors | None = None
    length: Positive | None = None


class Drive(Part):
    """A joint coordinate follows a function of time."""

    type: Literal["drive"]
    joint: str
    value: TimeFunction
    coordinate: str | None = None


def _weights(value: Any, info: ValidationInfo) -> dict[str, float]:
    if not isinstance(value, dict) or not value:
        raise refuse(
            f"a table of joints and weights is needed, received {said(value)}", hint="{pin = 1, slide = -0.05}"
        )
    found = {}
    for key, weight in value.items():
        found[key] = number(weight, info, key)
        if found[key] == 0:
            raise refuse("a weight must not be zero", key)
    return found


Weights = Annotated[dict[str, float], PlainValidator(_weights), WithJsonSchema({"type": "object", "minProperties": 1})]


class Coupling(Part):
    """Σ weight × coordinate stays what it is at the start; keys are joints, or "joint.coordinate"."""

    type: Literal["coupling"]
    weights: Weights


class Gear(Part):
    """Two hinges turn in a fixed ratio."""

    type: Literal["gear"]
    between: TwoNames
    ratio: NotZero = 1.0


class Pulley(Part):
    """A rope over fixed points."""

    type: Literal["pulley"]
    between: TwoNames
    points: TwoVectors
    over: TwoVectors
    ratio: NotZero = 1.0


class RollingSphere(Part):
    """A sphere rolls on a plane."""

    type: Literal["rolling_sphere"]
    body: str
    radius: Positive
    centre: Vector | None = None
    plane_point: Vector = (0.0, 0.0, 0.0)
    normal: Vector = (0.0, 0.0, 1.0)


class RollingDisc(RollingSphere):
    """A thin disc rolls on a plane."""

    type: Literal["rolling_disc"]  # type: ignore[assignment]
    axis: Vector


Joint = Annotated[
    Spherical
    | Hinge
    | Prismatic
    | Cylindrical
    | Screw
    | Planar
    | Universal
    | PointOnPlane
    | Fixed
    | Distance
    | Drive
    | Coupling
    | Gear
    | Pulley
    | RollingSphere
    | RollingDisc,
    Field(discriminator="type"),
]

# ---- loads


class Force(Part):
    """A force on a body; components are numbers or formulas; times a function of time."""

    type: Literal["force"]
    body: str
    force: Formulas
    point: Vector | None = None
    frame: Literal["world", "body"] = "world"
    time: TimeFunction | None = None


class Torque(Part):
    """A torque on a body; components are numbers or formulas; times a function of time."""

    type: Literal["torque"]
    body: str
    torque: Formulas
    frame: Literal["world", "body"] = "world"
    time: TimeFunction | None = None


class Drag(Part):
    """−coefficient |v| v at a point."""

    type: Literal["drag"]
    body: str
    coefficient: NotNegative
    point: Vector | None = None
    medium: Vector = (0.0, 0.0, 0.0)


class DistributedForce(Part):
    """A force per length along a beam."""

    type: Literal["distributed_force"]
    beam: str
    force: Vector
    time: TimeFunction | None = None


class Spring(Part):
    """Spring and damper between two points of the world at the start."""

    type: Literal["spring"]
    between: TwoNames
    points: TwoVectors | None = None
    stiffness: NotNegative = 0.0
    damping: NotNegative = 0.0
    rest: NotNegative | None = None
    cubic: Number = 0.0


class Tension(Part):
    """A force between two points by a formula of length, length_rate, t and coordinates; positive pulls."""

    type: Literal["tension"]
    between: TwoNames
    points: TwoVectors | None = None
    tension: FormulaText


class Bushing(Part):
    """Springs and dampers along and about three axes."""

    type: Literal["bushing"]
    between: TwoNames
    point: Vector | None = None
    axis: Vector | None = None
    stiffness: Six = 0.0
    damping: Six = 0.0


class JointSpring(Part):
    """Spring and damper on a joint coordinate."""

    type: Literal["joint_spring"]
    joint: str
    stiffness: NotNegative = 0.0
    damping: NotNegative = 0.0
    rest: Number = 0.0
    coordinate: str | None = None


class JointLimit(Part):
    """Spring and damper outside of [low, high]."""

    type: Literal["joint_limit"]
    joint: str
    low: Number
    high: Number
    stiffness: NotNegative
    damping: NotNegative = 0.0
    coordinate: str | None = None

    @model_validator(mode="after")
    def _in_order(self) -> Self:
        if not self.low < self.high:
            raise refuse(f"high must lie above low = {self.low:g}, received {self.high:g}", "high")
        return self


class Motor(Part):
    """A torque (force) on a joint coordinate, by a formula; or a speed that is held with a gain."""

    type: Literal["motor"]
    joint: str
    torque: TimeFunction | None = None
    speed: TimeFunction | None = None
    gain: NotNegative = 0.0
    coordinate: str | None = None

    @model_validator(mode="after")
    def _either(self) -> Self:
        if (self.torque is None) == (self.speed is None):
            raise refuse("a motor takes either torque or speed (with gain)")
        if self.speed is not None and self.gain == 0:
            raise refuse("a speed needs a gain > 0", "speed")
        return self


class JointFriction(Part):
    """Coulomb–Stribeck friction on a joint coordinate, from the joint's own reaction."""

    type: Literal["joint_friction"]
    joint: str
    mu: NotNegative
    radius: NotNegative = 1.0
    mu_static: NotNegative | None = None
    stribeck: Positive = 0.1
    creep: Positive = 1e-3
    preload: NotNegative = 0.0
    coordinate: str | None = None


Load = Annotated[
    Force
    | Torque
    | Drag
    | DistributedForce
    | Spring
    | Tension
    | Bushing
    | JointSpring
    | JointLimit
    | Motor
    | JointFriction,
    Field(discriminator="type"),
]
