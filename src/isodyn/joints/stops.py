"""Stops of joints."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, ClassVar

from isodyn.errors import InputError
from isodyn.joints.part import JointWorld
from isodyn.joints.unilateral import ContactPart, Gap
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
