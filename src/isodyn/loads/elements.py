"""Force elements: springs, dampers, bushings, motors, limits and friction along measures.

They act by a law f(x, ẋ, t) (isodyn.loads.laws); a positive f pulls the measure back.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from isodyn.errors import InputError, about
from isodyn.expressions.time import TimeFunction
from isodyn.joints import measures as words
from isodyn.joints.words import Pair, Word, between_points, length_of
from isodyn.kernels.compiled import FloatArray
from isodyn.loads.laws import FrictionLaw, LimitLaw, SpeedLaw, SpringLaw
from isodyn.loads.part import JointLoad, Law, LoadForces, LoadPart, LoadWorld
from isodyn.parts import Keys, Value, load, optional, required
from isodyn.real_numbers import real_array, real_number


@load("spring")
@dataclass(frozen=True)
class Spring(LoadPart):
    """A spring and damper between two points.

    Parameters
    ----------
    name
        Name of the load.
    first, second
        Names of the bodies, or "ground".
    points
        Its ends in the world at the start; the mass centres if left out.
    stiffness
        Force per length.
    damping
        Force per rate of the length.
    rest
        Free length; that at the start if left out.
    cubic
        Force per cube of the stretch.

    Raises
    ------
    InputError
        If a number is not admissible, or a part is unknown.

    Examples
    --------
    >>> import isodyn as iso
    >>> mech = iso.Mechanism()
    >>> _ = mech.add_body("rod", mass=1.0, inertia=(0.1, 0.1, 0.1), position=(0.5, 0, 0))
    >>> _ = mech.add_joint(iso.Hinge("pin", "ground", "rod", point=(0, 0, 0), axis=(0, 1, 0)))
    >>> _ = mech.add_load(iso.Spring("spring", "ground", "rod", points=[(0.5, 0, 1), (0.5, 0, 0)], stiffness=10.0))
    >>> sol = iso.integrate(mech.compile(), dt=0.01, t_end=0.1)
    >>> sol.load("spring").length.shape[0]
    11
    """

    name: str
    first: str
    second: str
    points: Any = None
    stiffness: float = 0.0
    damping: float = 0.0
    rest: float | None = None
    cubic: float = 0.0
    line: ClassVar[str] = "spring"
    keys: ClassVar[Keys] = {
        "between": required(Value.BODIES),
        "points": optional(Value.TWO_VECTORS),
        "stiffness": optional(Value.NOT_NEGATIVE),
        "damping": optional(Value.NOT_NEGATIVE),
        "rest": optional(Value.NOT_NEGATIVE),
        "cubic": optional(Value.NUMBER),
    }

    def build(self, world: LoadWorld) -> LoadForces:
        """Return the laws and forces of the load.

        Parameters
        ----------
        world
            The bodies, joints and beams of the mechanism.

        Returns
        -------
        forces
            Laws along measures, and forces on bodies or beams.
        """
        pair = between_points(self.name, world.body(self.first), world.body(self.second), self.points)
        rest = length_of(pair) if self.rest is None else constant(self.name, "rest", self.rest)
        not_negative(self.name, stiffness=self.stiffness, damping=self.damping, rest=rest)
        if length_of(pair) == 0:
            raise InputError(
                f"spring {self.name!r}: its two points coincide at the start, so it has no direction",
                argument="points",
            )
        return LoadForces([Law(SpringLaw(self.stiffness, self.damping, rest, self.cubic), pair.length_word())])


@load("bushing")
@dataclass(frozen=True)
class Bushing(LoadPart):
    """Springs and dampers along and about three axes at a point.

    The third rotation, about `axis`, is an angle whose whole turns are counted. The other two are
    the tilts of `axis`, measured by their sines, which is right for small ones.

    Parameters
    ----------
    name
        Name of the load.
    first, second
        Names of the bodies; the axes belong to the first.
    point
        Point in the world at the start.
    axis
        Third axis in the world at the start.
    stiffness
        Three translations, then three rotations.
    damping
        The same for rates.

    Raises
    ------
    InputError
        If a number is not admissible, or a part is unknown.

    Examples
    --------
    >>> import isodyn as iso
    >>> mech = iso.Mechanism()
    >>> _ = mech.add_body("rod", mass=1.0, inertia=(0.1, 0.1, 0.1), position=(0.5, 0, 0))
    >>> _ = mech.add_load(iso.Bushing("mount", "ground", "rod", axis=(0, 0, 1), stiffness=(100.0,) * 6))
    >>> sol = iso.integrate(mech.compile(), dt=0.01, t_end=0.1)
    >>> sol.q.shape[0]
    11
    """

    name: str
    first: str
    second: str
    point: Any = None
    axis: Any = None
    stiffness: Any = (0.0,) * 6
    damping: Any = (0.0,) * 6
    keys: ClassVar[Keys] = {
        "between": required(Value.BODIES),
        "point": optional(Value.VECTOR),
        "axis": optional(Value.VECTOR),
        "stiffness": optional(Value.SIX),
        "damping": optional(Value.SIX),
    }

    def build(self, world: LoadWorld) -> LoadForces:
        """Return the laws and forces of the load.

        Parameters
        ----------
        world
            The bodies, joints and beams of the mechanism.

        Returns
        -------
        forces
            Laws along measures, and forces on bodies or beams.
        """
        pair = Pair.of(self.name, world.body(self.first), world.body(self.second), self.point, self.axis)
        pair.oriented("bushing")
        k, c = (six(self.name, what, getattr(self, what)) for what in ("stiffness", "damping"))
        not_negative(self.name, stiffness=k.min(), damping=c.min())
        along: list[Word] = [pair.offset_word(i) for i in (1, 2, 3)]
        tilts = [pair.word(words.AXES, a=x, c=pair.c[2]) for x in (-pair.a[1], pair.a[0])]
        turns = [*tilts, pair.twist_word()]
        measures = enumerate([*along, *turns])
        return LoadForces([Law(SpringLaw(k[i], c[i]), word) for i, word in measures if k[i] > 0 or c[i] > 0])


@load("joint_spring")
@dataclass(frozen=True)
class JointSpring(JointLoad):
    """A spring and damper on a coordinate of a joint.

    Parameters
    ----------
    name
        Name of the load.
    joint
        Name of the joint.
    stiffness
        Torque or force per coordinate.
    damping
        Torque or force per rate.
    rest
        Coordinate without force.
    coordinate
        Name of the coordinate, if the joint has several.

    Raises
    ------
    InputError
        If a number is not admissible, or a part is unknown.

    Examples
    --------
    >>> import isodyn as iso
    >>> mech = iso.Mechanism()
    >>> _ = mech.add_body("rod", mass=1.0, inertia=(0.1, 0.1, 0.1), position=(0.5, 0, 0))
    >>> _ = mech.add_joint(iso.Hinge("pin", "ground", "rod", point=(0, 0, 0), axis=(0, 1, 0)))
    >>> _ = mech.add_load(iso.JointSpring("spring", "pin", stiffness=5.0))
    >>> sol = iso.integrate(mech.compile(), dt=0.01, t_end=0.1)
    >>> sol.joint("pin").angle.shape
    (11,)
    """

    name: str
    joint: str
    stiffness: float = 0.0
    damping: float = 0.0
    rest: float = 0.0
    coordinate: str | None = None
    line: ClassVar[str] = "spring"
    keys: ClassVar[Keys] = {
        "joint": required(Value.JOINT),
        "stiffness": optional(Value.NOT_NEGATIVE),
        "damping": optional(Value.NOT_NEGATIVE),
        "rest": optional(Value.NUMBER),
        "coordinate": optional(Value.TEXT),
    }

    def laws(self, word: Word, world: LoadWorld) -> list[Law]:
        """Return the laws along the coordinate of the joint.

        Parameters
        ----------
        word
            The measure of the coordinate.
        world
            The bodies, joints and beams of the mechanism.

        Returns
        -------
        laws
            The laws.
        """
        not_negative(self.name, stiffness=self.stiffness, damping=self.damping)
        return [Law(SpringLaw(self.stiffness, self.damping, constant(self.name, "rest", self.rest)), word)]


@load("joint_limit")
@dataclass(frozen=True)
class JointLimit(JointLoad):
    """A stiff spring and damper that act outside the limits of a joint.

    Parameters
    ----------
    name
        Name of the load.
    joint
        Name of the joint.
    low, high
        Limits of the coordinate.
    stiffness
        Torque or force per coordinate beyond a limit.
    damping
        Torque or force per rate beyond a limit.
    coordinate
        Name of the coordinate, if the joint has several.

    Raises
    ------
    InputError
        If a number is not admissible, or a part is unknown.

    Examples
    --------
    >>> import isodyn as iso
    >>> mech = iso.Mechanism()
    >>> _ = mech.add_body("rod", mass=1.0, inertia=(0.1, 0.1, 0.1), position=(0.5, 0, 0))
    >>> _ = mech.add_joint(iso.Hinge("pin", "ground", "rod", point=(0, 0, 0), axis=(0, 1, 0)))
    >>> _ = mech.add_load(iso.JointLimit("stop", "pin", -0.1, 0.1, stiffness=1e3))
    >>> sol = iso.integrate(mech.compile(), dt=0.01, t_end=0.1)
    >>> sol.joint("pin").angle.shape
    (11,)
    """

    name: str
    joint: str
    low: float
    high: float
    stiffness: float
    damping: float = 0.0
    coordinate: str | None = None
    keys: ClassVar[Keys] = {
        "joint": required(Value.JOINT),
        "low": required(Value.NUMBER),
        "high": required(Value.NUMBER),
        "stiffness": required(Value.NOT_NEGATIVE),
        "damping": optional(Value.NOT_NEGATIVE),
        "coordinate": optional(Value.TEXT),
    }

    @classmethod
    def check_table(cls, given: Mapping[str, Any]) -> None:
        """Refuse a table of a model file that makes no sense.

        Parameters
        ----------
        given
            The table.

        Raises
        ------
        InputError
            If its values contradict each other.
        """
        low, high = given["low"], given["high"]
        if not low < high:
            raise InputError(f"high must lie above low = {low:g}, received {high:g}", argument="high")

    def laws(self, word: Word, world: LoadWorld) -> list[Law]:
        """Return the laws along the coordinate of the joint.

        Parameters
        ----------
        word
            The measure of the coordinate.
        world
            The bodies, joints and beams of the mechanism.

        Returns
        -------
        laws
            The laws.
        """
        not_negative(self.name, stiffness=self.stiffness, damping=self.damping)
        constant(self.name, "low", self.low)
        constant(self.name, "high", self.high)
        if not self.low < self.high:
            raise InputError(
                f"limit {self.name!r}: low must lie below high, received {self.low:g} and {self.high:g}",
                argument="high",
            )
        return [Law(LimitLaw(self.stiffness, self.damping, self.low, self.high), word)]


@load("motor", reads=False)
@dataclass(frozen=True)
class Motor(JointLoad):
    """A torque or force on a coordinate of a joint, or a speed with a gain.

    Parameters
    ----------
    name
        Name of the load.
    joint
        Name of the joint.
    torque
        Torque or force: a number or a function of time.
    speed
        Speed to which the rate is pulled: a number or a function of time.
    gain
        Torque or force per difference of speed.
    coordinate
        Name of the coordinate, if the joint has several.

    Raises
    ------
    InputError
        If a number is not admissible, or a part is unknown.

    Examples
    --------
    >>> import isodyn as iso
    >>> mech = iso.Mechanism()
    >>> _ = mech.add_body("rod", mass=1.0, inertia=(0.1, 0.1, 0.1), position=(0.5, 0, 0))
    >>> _ = mech.add_joint(iso.Hinge("pin", "ground", "rod", point=(0, 0, 0), axis=(0, 1, 0)))
    >>> _ = mech.add_load(iso.Motor("motor", "pin", torque=2.0))
    >>> sol = iso.integrate(mech.compile(), dt=0.01, t_end=0.1)
    >>> sol.joint("pin").angle.shape
    (11,)
    """

    name: str
    joint: str
    torque: Any = None
    speed: Any = None
    gain: float = 0.0
    coordinate: str | None = None
    keys: ClassVar[Keys] = {
        "joint": required(Value.JOINT),
        "torque": optional(Value.TIME_OR_STATE),
        "speed": optional(Value.TIME),
        "gain": optional(Value.NOT_NEGATIVE),
        "coordinate": optional(Value.TEXT),
    }

    def laws(self, word: Word, world: LoadWorld) -> list[Law]:
        """Return the laws along the coordinate of the joint.

        Parameters
        ----------
        word
            The measure of the coordinate.
        world
            The bodies, joints and beams of the mechanism.

        Returns
        -------
        laws
            The laws.
        """
        if (self.torque is None) == (self.speed is None):
            raise InputError(f"motor {self.name!r} takes either torque= or speed= (with gain=)")
        if self.torque is not None:
            return [Law(SpeedLaw(is_effort=True), word, shift=self.torque)]
        if not self.gain > 0:
            raise InputError(f"motor {self.name!r}: a speed needs gain > 0, received {self.gain!r}", argument="speed")
        return [Law(SpeedLaw(self.gain), word, shift=self.speed)]


@load("joint_friction")
@dataclass(frozen=True)
class JointFriction(JointLoad):
    """Coulomb–Stribeck friction on a coordinate of a joint.

    The normal force N is the reaction of the joint. The friction force is N μ(ẋ), the torque radius
    × N μ(ẋ).

    Parameters
    ----------
    name
        Name of the load.
    joint
        Name of the joint.
    mu
        Coefficient while sliding.
    radius
        Radius at which the force of a turning joint acts.
    mu_static
        Coefficient near rest; `mu` if left out.
    stribeck
        Rate over which the coefficient falls from `mu_static` to `mu`.
    creep
        Rate below which sliding is smoothed to creeping.
    preload
        Added to the normal force.
    coordinate
        Name of the coordinate, if the joint has several.

    Raises
    ------
    InputError
        If a number is not admissible, or a part is unknown.

    Examples
    --------
    >>> import isodyn as iso
    >>> mech = iso.Mechanism()
    >>> _ = mech.add_body("rod", mass=1.0, inertia=(0.1, 0.1, 0.1), position=(0.5, 0, 0))
    >>> _ = mech.add_joint(iso.Hinge("pin", "ground", "rod", point=(0, 0, 0), axis=(0, 1, 0)))
    >>> _ = mech.add_load(iso.JointFriction("friction", "pin", mu=0.3, radius=0.05))
    >>> sol = iso.integrate(mech.compile(), dt=0.01, t_end=0.1)
    >>> sol.joint("pin").angle.shape
    (11,)
    """

    name: str
    joint: str
    mu: float
    radius: float = 1.0
    mu_static: float | None = None
    stribeck: float = 0.1
    creep: float = 1e-3
    preload: float = 0.0
    coordinate: str | None = None
    keys: ClassVar[Keys] = {
        "joint": required(Value.JOINT),
        "mu": required(Value.NOT_NEGATIVE),
        "radius": optional(Value.NOT_NEGATIVE),
        "mu_static": optional(Value.NOT_NEGATIVE),
        "stribeck": optional(Value.POSITIVE),
        "creep": optional(Value.POSITIVE),
        "preload": optional(Value.NOT_NEGATIVE),
        "coordinate": optional(Value.TEXT),
    }

    def laws(self, word: Word, world: LoadWorld) -> list[Law]:
        """Return the laws along the coordinate of the joint.

        Parameters
        ----------
        word
            The measure of the coordinate.
        world
            The bodies, joints and beams of the mechanism.

        Returns
        -------
        laws
            The laws.
        """
        constant(self.name, "mu", self.mu)
        static = self.mu if self.mu_static is None else constant(self.name, "mu_static", self.mu_static)
        not_negative(self.name, mu=self.mu, radius=self.radius, preload=self.preload, mu_static=static - self.mu)
        if not (self.creep > 0 and self.stribeck > 0):
            wrong = "stribeck" if self.creep > 0 else "creep"
            raise InputError(f"friction {self.name!r}: creep and stribeck must be positive rates", argument=wrong)
        preload = self.preload * self.radius
        force = FrictionLaw(self.mu, static, self.stribeck, self.creep, self.radius, preload)
        return [Law(force, word, joint=self.joint)]


def not_negative(name: str, **values: float) -> None:
    for what, value in values.items():
        with about(None, what):
            if constant(name, what, value) < 0:
                raise InputError(f"load {name!r}: {what} must not be negative, received {value:g}")


def constant(name: str, what: str, value: Any) -> float:
    """A finite number; a function of time in its place is told where it goes."""
    if callable(value) or isinstance(value, TimeFunction):
        raise InputError(
            f"load {name!r}: {what} is a constant number, received a function of time",
            hint='take FormulaMotor(…, torque="50*(sin(t) - coordinate)") for a joint,'
            ' or Tension(…, "50*(length - 1 - 0.1*sin(t))") between two points',
            argument=what,
        )
    with about(None, what):
        return real_number(f"load {name!r}: {what}", value)


def six(name: str, what: str, value: Any) -> FloatArray:
    """Six numbers, or one for all of them."""
    if callable(value) or isinstance(value, TimeFunction):
        constant(name, what, value)
    with about(None, what):
        array = real_array(f"load {name!r}: {what}", value, "6 numbers, or one for all")
        if array.shape not in ((), (6,)):
            raise InputError(f"load {name!r}: {what} must be 6 numbers, or one for all, received {value!r}")
    return np.broadcast_to(array, 6)
