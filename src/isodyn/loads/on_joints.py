"""Force elements on coordinates of joints: springs, limits, motors, friction.

They act by a law f(x, ẋ, t) (isodyn.loads.laws); a positive f pulls the coordinate back.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar

from isodyn.errors import InputError
from isodyn.joints.words import Word
from isodyn.loads.elements import constant, not_negative, warn_idle
from isodyn.loads.laws import (
    FrictionLaw,
    LimitLaw,
    SpeedLaw,
    SpringLaw,
)
from isodyn.loads.part import JointLoad, Law, LoadWorld
from isodyn.parts import Keys, Value, load, optional, required

if TYPE_CHECKING:
    from isodyn.open_types import Numbers


@load("joint_spring")
@dataclass(frozen=True)
class JointSpring(JointLoad):
    """A spring and damper on a coordinate of a joint.

    Parameters
    ----------
    stiffness
        Torque or force per coordinate.
    damping
        Torque or force per rate.
    rest
        Coordinate without force.

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
        not_negative(self.name, stiffness=self.stiffness, damping=self.damping)
        warn_idle(self, "stiffness", "damping")
        return [Law(SpringLaw(self.stiffness, self.damping, constant(self.name, "rest", self.rest)), word)]


@load("joint_limit")
@dataclass(frozen=True)
class JointLimit(JointLoad):
    """A stiff spring and damper that act outside the limits of a joint.

    With damping the force jumps where a limit is met: steps of one size that do not end there have
    an error of first order. `dt=Adaptive(rtol)` keeps its steps as short there as its error asks.

    Parameters
    ----------
    low, high
        Limits of the coordinate.
    stiffness
        Torque or force per coordinate beyond a limit.
    damping
        Torque or force per rate beyond a limit.

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
        low, high = given["low"], given["high"]
        if not low < high:
            raise InputError(f"high must lie above low = {low:g}, received {high:g}", argument="high")

    def laws(self, word: Word, world: LoadWorld) -> list[Law]:
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
    torque
        Torque or force: a number or a function of time.
    speed
        Speed to which the rate is pulled: a number or a function of time.
    gain
        Torque or force per difference of speed.

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
    torque: Numbers | None = None
    speed: float | None = None
    gain: float = 0.0
    coordinate: str | None = None
    held: ClassVar[tuple[str, ...]] = ("torque", "speed")
    drives: ClassVar[bool] = True
    keys: ClassVar[Keys] = {
        "joint": required(Value.JOINT),
        "torque": optional(Value.TIME_OR_STATE),
        "speed": optional(Value.TIME),
        "gain": optional(Value.NOT_NEGATIVE),
        "coordinate": optional(Value.TEXT),
    }

    def laws(self, word: Word, world: LoadWorld) -> list[Law]:
        if (self.torque is None) == (self.speed is None):
            raise InputError(
                f"motor {self.name!r} takes either torque= or speed= (with gain=)",
                hint="torque=0 where a controller or an input sets it",
            )
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
        constant(self.name, "mu", self.mu)
        static = self.mu if self.mu_static is None else constant(self.name, "mu_static", self.mu_static)
        not_negative(self.name, mu=self.mu, radius=self.radius, preload=self.preload, mu_static=static - self.mu)
        if not (self.creep > 0 and self.stribeck > 0):
            wrong = "stribeck" if self.creep > 0 else "creep"
            raise InputError(f"friction {self.name!r}: creep and stribeck must be positive rates", argument=wrong)
        preload = self.preload * self.radius
        force = FrictionLaw(self.mu, static, self.stribeck, self.creep, self.radius, preload)
        return [Law(force, word, joint=self.joint)]
