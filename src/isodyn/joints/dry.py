"""Dry friction in joints: it sticks and slides, pressed by the reaction of the joint."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from isodyn.errors import InputError
from isodyn.joints.part import JointWorld
from isodyn.joints.unilateral import ContactPart, Gap
from isodyn.parts import Keys, Value, contact, optional, required


@contact("dry_joint")
@dataclass(frozen=True)
class DryJoint(ContactPart):
    """Coulomb friction in a joint, with rest: |f| ≤ μ_s N, and f = μ N against what slides.

    The normal force N is the reaction of the joint, as in the load `JointFriction`, which smooths
    friction near rest instead: there a joint that should stick creeps.

    Parameters
    ----------
    name
        Name of the contact.
    joint
        Name of the joint.
    mu
        Coefficient of friction.
    radius
        Radius at which the force of a turning joint acts; 1 for a sliding one.
    mu_static
        Coefficient of friction where it sticks; `mu` if left out.
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
    >>> _ = mech.add_contact(iso.DryJoint("rust", "pin", mu=0.8, radius=0.7))
    >>> sol = iso.integrate(mech, dt=0.01, t_end=0.1)
    >>> bool(abs(sol.joint("pin").angle).max() < 1e-12), int(sol.contact("rust").mode[-1])
    (True, 1)
    """

    name: str
    joint: str
    mu: float
    radius: float = 1.0
    mu_static: float | None = None
    coordinate: str | None = None
    restitution: ClassVar[float] = 0.0  # type: ignore[misc]
    keys: ClassVar[Keys] = {
        "joint": required(Value.JOINT),
        "mu": required(Value.NOT_NEGATIVE),
        "radius": optional(Value.POSITIVE),
        "mu_static": optional(Value.NOT_NEGATIVE),
        "coordinate": optional(Value.TEXT),
    }

    def build(self, world: JointWorld) -> list[Gap]:
        if not (np.isfinite(self.radius) and self.radius > 0.0):
            raise InputError(f"{self.what}: radius must be positive, received {self.radius!r}", argument="radius")
        word = world.coordinate(self.what, self.joint, self.coordinate)
        return [Gap("", ((0.0, word),), 0.0, (word,), float(self.radius), self.joint)]
