"""Rows between coordinates of joints, or along ropes: drives, couplings, gears, pulleys.

drive      x = f(t)                                       x a coordinate of a joint
coupling   Σ w_k x_k = f(t) + what it is at the start     gears, racks, pulleys
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np

from isodyn.errors import InputError, about
from isodyn.expressions.time import Pulse, Staircase
from isodyn.joints import measures as words
from isodyn.joints.actions import of_couplings, of_rope
from isodyn.joints.part import JointPart, JointRows, JointWorld
from isodyn.joints.words import Row, RowKind, between_points, ground_body, length_of
from isodyn.parts import Keys, Value, joint, optional, required
from isodyn.parts.part import joined

if TYPE_CHECKING:
    from isodyn.open_types import Numbers


@joint("drive")
@dataclass(frozen=True)
class Drive(JointPart):
    """A joint coordinate that follows a function of time.

    Whole turns of an angle count: a run starts in the turn that is nearest to `value` at its first
    time.

    Parameters
    ----------
    name
        Name of the drive.
    joint
        Name of the joint.
    value
        A function of time, such as `Polynomial(0, 2)`, or a number.
    coordinate
        Name of the coordinate, if the joint has several.

    Raises
    ------
    InputError
        If the joint or the coordinate is unknown, or if the function jumps (`Pulse`, `Staircase`).

    Examples
    --------
    >>> import isodyn as iso
    >>> mech = iso.Mechanism()
    >>> _ = mech.add_body("rod", mass=1.0, inertia=(0.1, 0.1, 0.1), position=(0.5, 0, 0))
    >>> _ = mech.add_joint(iso.Hinge("pin", "ground", "rod", point=(0, 0, 0), axis=(0, 1, 0)))
    >>> _ = mech.add_joint(iso.Drive("motor", "pin", iso.Polynomial(0, 2)))
    >>> sol = iso.kinematics(mech.compile(), [0.0, 0.5])
    >>> round(float(sol.joint("pin").angle[-1]), 9)
    1.0
    """

    name: str
    joint: str
    value: object = 0.0
    coordinate: str | None = None
    noun: ClassVar[str] = "drive"
    keys: ClassVar[Keys] = {
        "joint": required(Value.JOINT),
        "value": required(Value.TIME),
        "coordinate": optional(Value.TEXT),
    }

    def build(self, world: JointWorld) -> JointRows:
        _refuse_jumps(self.what, self.value)
        with about(self.name, "joint" if self.coordinate is None else "coordinate"):
            word = world.coordinate(self.what, self.joint, self.coordinate)
        turns = word.kind in words.WHOLE_TURNS
        row = Row(self.name, "drive", RowKind.DRIVE, ((1.0, word),), self.value, any_turn=turns)
        return JointRows([row], world.joint(self.joint).action)


def _refuse_jumps(what: str, value: object) -> None:
    """InputError for positions that jump: no velocity leads from one to the other."""
    pulse = isinstance(value, Pulse) and value.value != 0.0
    if pulse or (isinstance(value, Staircase) and np.ptp(value.values) > 0.0):
        raise InputError(
            f"{what} has positions that jump, {value!r}",
            hint="let a Ramp or a Table lead from one to the other, or a Motor with speed= and gain=",
        )


@joint("coupling")
@dataclass(frozen=True)
class Coupling(JointPart):
    """A weighted sum of joint coordinates that stays as it is at the start.

    Parameters
    ----------
    name
        Name of the coupling.
    weights
        Weights by coordinate, such as {"pin": 1.0, "slide": -0.05} or {("pin", "angle"): 1.0}.

    Raises
    ------
    InputError
        If it couples nothing, or a joint is unknown.

    Examples
    --------
    >>> import isodyn as iso
    >>> mech = iso.Mechanism()
    >>> _ = mech.add_body("rod", mass=1.0, inertia=(0.1, 0.1, 0.1), position=(0.5, 0, 0))
    >>> _ = mech.add_joint(iso.Hinge("pin", "ground", "rod", point=(0, 0, 0), axis=(0, 1, 0)))
    >>> _ = mech.add_joint(iso.Coupling("held", {"pin": 1.0}))
    >>> mech.mobility().freedoms
    0
    """

    name: str
    weights: Mapping[Any, float]
    noun: ClassVar[str] = "coupling"
    keys: ClassVar[Keys] = {"weights": required(Value.WEIGHTS)}

    def check(self) -> None:
        """Refuse a part that makes no sense.

        Raises
        ------
        InputError
            If its data contradict each other.
        """
        if not self.weights:
            raise InputError(
                f"coupling {self.name!r}: it names no joints",
                hint='weights such as {"pin": 1.0, "slide": -0.05}',
                argument="weights",
            )
        for key, weight in self.weights.items():
            if not (np.isfinite(weight) and weight != 0):
                raise InputError(
                    f"coupling {self.name!r}: the weight of {key!r} must be finite and not zero, received {weight!r}",
                    argument=("weights", joined(key)),
                )

    def build(self, world: JointWorld) -> JointRows:
        self.check()
        terms, pairs, start = [], [], 0.0
        for key, weight in self.weights.items():
            name, which = key if isinstance(key, tuple) else (key, None)
            with about(self.name, ("weights", joined(key))):
                word = world.coordinate(self.what, name, which)
            terms.append((float(weight), word))
            pairs.append(world.joint(name).pair)
            start += float(weight) * world.value(word)
        row = Row(self.name, "coupling", RowKind.COUPLING, tuple(terms), start, as_at_start=True)
        return JointRows([row], of_couplings(pair for pair in pairs if pair is not None))


@joint("gear")
@dataclass(frozen=True)
class Gear(JointPart):
    """Two hinges that turn in a fixed ratio.

    angle of the first + ratio × angle of the second stays constant. Outer spur gears with z₁ and z₂
    teeth have the ratio z₂/z₁, inner ones and chains −z₂/z₁. Any ratio is possible, because whole
    turns are counted.

    Parameters
    ----------
    name
        Name of the gear.
    first, second
        Names of the hinges.
    ratio
        The ratio.

    Raises
    ------
    InputError
        If a hinge is unknown.

    Examples
    --------
    >>> import isodyn as iso
    >>> mech = iso.Mechanism()
    >>> for x, name in ((0.0, "a"), (1.0, "b")):
    ...     _ = mech.add_body(name, mass=1.0, inertia=(0.1, 0.1, 0.1), position=(x, 0, 0))
    ...     _ = mech.add_joint(iso.Hinge(f"axle {name}", "ground", name, axis=(0, 0, 1)))
    >>> _ = mech.add_joint(iso.Gear("gear", "axle a", "axle b", ratio=2.0))
    >>> mech.mobility().freedoms
    1
    """

    name: str
    first: str
    second: str
    ratio: float = 1.0
    noun: ClassVar[str] = "gear"
    keys: ClassVar[Keys] = {"between": required(Value.JOINTS), "ratio": optional(Value.NOT_ZERO)}

    def as_coupling(self) -> Coupling:
        """Return the same as a sum of angles.

        Returns
        -------
        coupling
            The coupling.
        """
        if not (np.isfinite(self.ratio) and self.ratio != 0):
            raise InputError(
                f"gear {self.name!r}: the ratio must be finite and not zero, received {self.ratio!r}", argument="ratio"
            )
        if self.first == self.second:
            raise InputError(f"gear {self.name!r} joins hinge {self.first!r} to itself", argument="between")
        return Coupling(self.name, {(self.first, "angle"): 1.0, (self.second, "angle"): float(self.ratio)})

    def build(self, world: JointWorld) -> JointRows:
        coupling = self.as_coupling()
        for k, name in enumerate((self.first, self.second)):
            with about(self.name, ("between", k)):
                world.coordinate(coupling.what, name, "angle")
        return coupling.build(world)


@joint("pulley")
@dataclass(frozen=True)
class Pulley(JointPart):
    """A rope from a point of each body over fixed points of the world.

    length₁ + ratio · length₂ stays constant.

    Parameters
    ----------
    name
        Name of the pulley.
    first, second
        Names of the bodies.
    points
        Ends of the rope on the bodies, in the world at the start.
    over
        The fixed points, in the world.
    ratio
        Ratio of the two lengths.

    Raises
    ------
    InputError
        If points or ratio are not admissible.

    Examples
    --------
    >>> import isodyn as iso
    >>> mech = iso.Mechanism()
    >>> for x, name in ((-1.0, "a"), (1.0, "b")):
    ...     _ = mech.add_body(name, mass=1.0, kind="particle", position=(x, 0, -1))
    >>> ends, over = [(-1, 0, -1), (1, 0, -1)], [(-1, 0, 0), (1, 0, 0)]
    >>> _ = mech.add_joint(iso.Pulley("rope", "a", "b", points=ends, over=over))
    >>> mech.compile().m
    1
    """

    name: str
    first: str
    second: str
    points: Numbers
    over: Any
    ratio: float = 1.0
    keys: ClassVar[Keys] = {
        "between": required(Value.BODIES),
        "points": required(Value.TWO_VECTORS),
        "over": required(Value.TWO_VECTORS),
        "ratio": optional(Value.NOT_ZERO),
    }

    def build(self, world: JointWorld) -> JointRows:
        self.check()
        terms, ends, start = [], [], 0.0
        for name, weight, point, over in zip(
            (self.first, self.second), (1.0, float(self.ratio)), self.points, self.over, strict=True
        ):
            pair = between_points(self.name, ground_body(), world.body(name), (over, point))
            terms.append((weight, pair.length_word()))
            ends.append(pair)
            start += weight * length_of(pair)
        return JointRows([Row(self.name, "rope", RowKind.LENGTH, tuple(terms), start)], of_rope(ends))

    def check(self) -> None:
        """Refuse a part that makes no sense.

        Raises
        ------
        InputError
            If its data contradict each other.
        """
        for what, given in (("points", self.points), ("over", self.over)):
            if np.shape(given) not in ((2, 3), (2, 2)):
                raise InputError(
                    f"pulley {self.name!r}: {what} must be two points of the world, received {given!r}", argument=what
                )
        if not (np.isfinite(self.ratio) and self.ratio != 0):
            raise InputError(
                f"pulley {self.name!r}: the ratio must be finite and not zero, received {self.ratio!r}",
                argument="ratio",
            )
