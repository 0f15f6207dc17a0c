"""`spin` refuses rotations that the mechanism cannot make, and shapes that it would not keep."""

from __future__ import annotations

from typing import Any

import pytest

import isodyn as iso
from isodyn.errors import ConvergenceError, InputError


def arm(gravity: Any = (0, 0, 0), joint: type = iso.Hinge, **more: Any) -> iso.Mechanism:
    """A body on a joint at the origin, and a mass on a spring at its end."""
    mech = iso.Mechanism(gravity=gravity)
    mech.add_body("arm", mass=2.0, inertia=(0.1, 0.2, 0.3), position=(0.5, 0, 0))
    mech.add_body("bob", mass=1.0, kind="particle", position=(1.2, 0, 0))
    mech.add_joint(joint("hub", "ground", "arm", point=(0, 0, 0), **more))
    mech.add_load(iso.Spring("spring", "arm", "bob", stiffness=500.0, rest=0.2, points=[(1, 0, 0), (1.2, 0, 0)]))
    return mech


def test_turning_about_the_hinge() -> None:
    found = iso.spin(arm(axis=(0, 1, 0)), 5.0, axis=(0, 1, 0))
    assert found.q[7] == pytest.approx(500.0 * 1.2 / (500.0 - 25.0), rel=1e-9)


def test_joints_that_resist() -> None:
    with pytest.raises(InputError, match=r"cannot turn with .* rad/s: hub.* resists\nhint: choose axis="):
        iso.spin(arm(axis=(0, 1, 0)), 5.0)
    with pytest.raises(InputError, match=r"hub.* resists"):
        iso.spin(arm(joint=iso.Fixed), 5.0)
    with pytest.raises(InputError, match=r"hub.* resists"):
        iso.spin(arm(axis=(0, 0, 1)), 5.0, point=(0.1, 0, 0))
    driven = arm(axis=(0, 0, 1))
    driven.add_joint(iso.Drive("motor", "hub", iso.Polynomial(0.0, 4.0)))
    with pytest.raises(InputError, match=r"motor.* resists"):
        iso.spin(driven, 5.0)
    assert iso.spin(driven, 4.0).q[7] > 1.2


def test_forces_that_do_not_turn_along() -> None:
    with pytest.raises(ConvergenceError, match="no steady rotation"):
        iso.spin(arm(gravity=(0.0, -9.81, 0.0), axis=(0, 0, 1)), 5.0)
    tied = arm(axis=(0, 0, 1))
    tied.add_load(iso.Spring("tie", "ground", "bob", stiffness=20.0, points=[(5, 0, 0), (1.2, 0, 0)]))
    with pytest.raises(InputError, match=r"forces change while the mechanism turns.*\nhint: gravity"):
        iso.spin(tied, 5.0)
