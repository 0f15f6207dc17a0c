"""Mechanisms with motors, for steppers and controllers."""

from __future__ import annotations

from typing import Any

import isodyn as iso


def arm(torque: Any = 0.0, gravity: Any = (0, 0, -9.81)) -> iso.Mechanism:
    """A rod on a hinge with a motor."""
    mech = iso.Mechanism(gravity=gravity)
    mech.add_body("rod", mass=1.0, inertia=(0.1, 0.1, 0.1), position=(0.5, 0, 0))
    mech.add_joint(iso.Hinge("pin", "ground", "rod", point=(0, 0, 0), axis=(0, 1, 0)))
    mech.add_load(iso.Motor("motor", "pin", torque=torque))
    return mech


def two_links() -> iso.Mechanism:
    """A robot arm of two links with a motor at each joint."""
    mech = iso.Mechanism()
    for k, (name, x) in enumerate((("upper", 0.25), ("lower", 0.75))):
        mech.add_body(name, mass=2.0 - k, inertia=(0.01, 0.05, 0.05), position=(x, 0, 0))
        mech.add_joint(
            iso.Hinge(f"joint{k}", "ground" if k == 0 else "upper", name, point=(0.5 * k, 0, 0), axis=(0, 1, 0))
        )
        mech.add_load(iso.Motor(f"motor{k}", f"joint{k}", torque=0.0))
    return mech
