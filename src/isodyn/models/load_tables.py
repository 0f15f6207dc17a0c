"""Schema of loads, by their type."""

from __future__ import annotations

from typing import Annotated, Literal, Self

from pydantic import Field, model_validator

from isodyn.models.joint_tables import TwoNames
from isodyn.models.parts import FilePart
from isodyn.models.time_tables import TimeFunction
from isodyn.models.values import (
    Formulas,
    FormulaText,
    NotNegative,
    Number,
    Positive,
    Six,
    TwoVectors,
    Vector,
    refuse,
)


class Force(FilePart):
    """A force on a body; components are numbers or formulas; times a function of time."""

    type: Literal["force"]
    body: str
    force: Formulas
    point: Vector | None = None
    frame: Literal["world", "body"] = "world"
    time: TimeFunction | None = None


class Torque(FilePart):
    """A torque on a body; components are numbers or formulas; times a function of time."""

    type: Literal["torque"]
    body: str
    torque: Formulas
    frame: Literal["world", "body"] = "world"
    time: TimeFunction | None = None


class Drag(FilePart):
    """−coefficient |v| v at a point."""

    type: Literal["drag"]
    body: str
    coefficient: NotNegative
    point: Vector | None = None
    medium: Vector = (0.0, 0.0, 0.0)


class DistributedForce(FilePart):
    """A force per length along a beam."""

    type: Literal["distributed_force"]
    beam: str
    force: Vector
    time: TimeFunction | None = None


class Spring(FilePart):
    """Spring and damper between two points of the world at the start."""

    type: Literal["spring"]
    between: TwoNames
    points: TwoVectors | None = None
    stiffness: NotNegative = 0.0
    damping: NotNegative = 0.0
    rest: NotNegative | None = None
    cubic: Number = 0.0


class Tension(FilePart):
    """A force between two points by a formula of length, length_rate, t and coordinates; positive pulls."""

    type: Literal["tension"]
    between: TwoNames
    points: TwoVectors | None = None
    tension: FormulaText


class Bushing(FilePart):
    """Springs and dampers along and about three axes."""

    type: Literal["bushing"]
    between: TwoNames
    point: Vector | None = None
    axis: Vector | None = None
    stiffness: Six = 0.0
    damping: Six = 0.0


class JointSpring(FilePart):
    """Spring and damper on a joint coordinate."""

    type: Literal["joint_spring"]
    joint: str
    stiffness: NotNegative = 0.0
    damping: NotNegative = 0.0
    rest: Number = 0.0
    coordinate: str | None = None


class JointLimit(FilePart):
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


class Motor(FilePart):
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


class JointFriction(FilePart):
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
