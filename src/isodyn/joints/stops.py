"""Stops of joints, balls on balls, journals with clearance."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from isodyn.errors import InputError
from isodyn.joints.part import JointWorld
from isodyn.joints.unilateral import (
    TOUCH,
    ContactPart,
    Gap,
    Touch,
)
from isodyn.joints.words import between_points
from isodyn.parts import Keys, Value, contact, optional, required


@contact("joint_stop")
@dataclass(frozen=True)
class JointStop(ContactPart):
    """Rigid stops of a coordinate of a joint.

    Parameters
    ----------
    name
        Name of the contact; with both limits there are two, `name.low` and `name.high`.
    joint
        Name of the joint.
    low, high
        Limits of the coordinate; one of them may be left out.
    restitution
        Coefficient of restitution.
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
    >>> _ = mech.add_contact(iso.JointStop("stop", "pin", high=0.5, restitution=0.3))
    >>> sol = iso.integrate(mech, dt=0.01, t_end=1.0)
    >>> bool(sol.joint("pin").angle.max() < 0.5 + 1e-12)
    True
    """

    name: str
    joint: str
    low: float | None = None
    high: float | None = None
    restitution: float = 0.0
    coordinate: str | None = None
    mu: ClassVar[float] = 0.0  # type: ignore[misc]
    mu_static: ClassVar[None] = None  # type: ignore[misc]
    keys: ClassVar[Keys] = {
        "joint": required(Value.JOINT),
        "low": optional(Value.NUMBER),
        "high": optional(Value.NUMBER),
        "restitution": optional(Value.NOT_NEGATIVE),
        "coordinate": optional(Value.TEXT),
    }

    @classmethod
    def check_table(cls, given: Mapping[str, Any]) -> None:
        low, high = given.get("low"), given.get("high")
        if low is None and high is None:
            raise InputError("low or high is missing", argument="low")
        if low is not None and high is not None and not low < high:
            raise InputError(f"high must lie above low = {low:g}, received {high:g}", argument="high")

    def build(self, world: JointWorld) -> list[Gap]:
        self.check_table({"low": self.low, "high": self.high})
        word = world.coordinate(self.what, self.joint, self.coordinate)
        both = self.low is not None and self.high is not None
        gaps = []
        if self.low is not None:
            gaps.append(Gap("low" if both else "", ((1.0, word),), float(self.low)))
        if self.high is not None:
            gaps.append(Gap("high" if both else "", ((-1.0, word),), -float(self.high)))
        return gaps


@contact("sphere_sphere")
@dataclass(frozen=True)
class SphereSphere(Touch, ContactPart):
    """Two balls that stay outside each other, without friction.

    Parameters
    ----------
    name
        Name of the contact.
    first, second
        Names of the bodies.
    radii
        Radii of the balls.
    points
        Their centres in the world at the start; the mass centres if left out.
    restitution
        Coefficient of restitution.
    mu, mu_static
        Must be zero.

    Raises
    ------
    InputError
        If a number is not admissible, or a part is unknown.

    Examples
    --------
    >>> import isodyn as iso
    >>> mech = iso.Mechanism(gravity=(0, 0, 0))
    >>> _ = mech.add_body("one", 1.0, kind="particle", velocity=(1, 0, 0))
    >>> _ = mech.add_body("two", 1.0, kind="particle", position=(1, 0, 0))
    >>> _ = mech.add_contact(iso.SphereSphere("hit", "one", "two", radii=(0.1, 0.1), restitution=1.0))
    >>> sol = iso.integrate(mech, dt=0.01, t_end=1.0)
    >>> [round(float(x), 9) for x in sol.body("two").velocity[-1]]
    [1.0, 0.0, 0.0]
    """

    name: str
    first: str
    second: str
    radii: Any
    points: Any = None
    keys: ClassVar[Keys] = {
        "between": required(Value.BODIES),
        "radii": required(Value.NUMBERS),
        "points": optional(Value.TWO_VECTORS),
        **TOUCH,
    }

    def build(self, world: JointWorld) -> list[Gap]:
        radii = np.asarray(self.radii, dtype=np.float64)
        if radii.shape != (2,) or not (radii >= 0).all() or not radii.sum() > 0:
            raise InputError(f"{self.what}: radii must be two lengths, received {self.radii!r}", argument="radii")
        if self.friction_at_rest:
            raise InputError(f"{self.what}: balls on balls have no friction yet, mu must be 0", argument="mu")
        pair = between_points(self.name, world.body(self.first), world.body(self.second), self.points)
        return [Gap("", ((1.0, pair.length_word()),), float(radii.sum()))]


@contact("journal")
@dataclass(frozen=True)
class Journal(Touch, ContactPart):
    """A journal in a bearing with clearance, without friction: two points no farther apart than it.

    In space the bodies must be held in a plane across the axis by something else.

    Parameters
    ----------
    name
        Name of the contact.
    first, second
        Names of the bodies.
    clearance
        Radius of the bearing less that of the journal.
    points
        Centres of bearing and journal in the world at the start; the mass centres if left out.
    restitution
        Coefficient of restitution.
    mu, mu_static
        Must be zero.

    Raises
    ------
    InputError
        If a number is not admissible, or a part is unknown.

    Examples
    --------
    >>> import isodyn as iso
    >>> mech = iso.Mechanism(gravity=(0, -9.81, 0))
    >>> _ = mech.add_body("rod", mass=1.0, inertia=0.1, kind="planar", position=(0.5, 0.0))
    >>> points = ((0, 0, 0), (0, 0, 0))
    >>> _ = mech.add_contact(iso.Journal("bearing", "ground", "rod", clearance=1e-3, points=points))
    >>> sol = iso.integrate(mech, dt=0.002, t_end=0.2)
    >>> bool(sol.contact("bearing").gap.min() > -1e-13)
    True
    """

    name: str
    first: str
    second: str
    clearance: float
    points: Any = None
    keys: ClassVar[Keys] = {
        "between": required(Value.BODIES),
        "clearance": required(Value.POSITIVE),
        "points": optional(Value.TWO_VECTORS),
        **TOUCH,
    }

    def build(self, world: JointWorld) -> list[Gap]:
        if not (np.isfinite(self.clearance) and self.clearance > 0):
            raise InputError(
                f"{self.what}: the clearance must be positive, received {self.clearance!r}", argument="clearance"
            )
        if self.friction_at_rest:
            raise InputError(f"{self.what}: journals have no friction yet, mu must be 0", argument="mu")
        pair = between_points(self.name, world.body(self.first), world.body(self.second), self.points)
        return [Gap("", ((-1.0, pair.length_word()),), -self.clearance)]
