"""Bodies that turn by large angles in a step: what is rounding in the corrections of q must not
grow, in space as in the plane."""

from __future__ import annotations

import numpy as np
import pytest

import isodyn as iso

AXIS = np.array([0.0, 1.0, 1.0]) / np.sqrt(2.0)
SPEED, GAIN, START = 45.0, 1.0, 3.0


def wheel(inertia: tuple[float, float, float]) -> iso.Mechanism:
    """A wheel that a motor brings to 45 rad/s; its hinge carries the products of inertia."""
    mech = iso.Mechanism(gravity=(0, 0, 0))
    mech.add_body("wheel", 1.0, inertia, angular_velocity=START * AXIS)
    mech.add_joint(iso.Hinge("pin", "ground", "wheel", point=(0, 0, 0), axis=AXIS))
    mech.add_load(iso.Motor("motor", "pin", speed=SPEED, gain=GAIN))
    return mech


@pytest.mark.parametrize("scheme", [iso.Scheme.default(), iso.Scheme.optimal(0.8), iso.Scheme.newmark()], ids=str)
@pytest.mark.parametrize("dt", [0.03, 0.02, 0.01])
def test_a_wheel_reaches_its_speed_and_keeps_its_axis(dt: float, scheme: iso.Scheme) -> None:
    """Up to 1.3 rad in a step; the axis used to turn over after some hundred steps."""
    inertia = (0.1, 0.2, 0.3)
    sol = iso.integrate(wheel(inertia).compile(), scheme, dt=dt, t_end=200 * dt)
    J = AXIS**2 @ np.array(inertia)
    exact = SPEED + (START - SPEED) * np.exp(-GAIN * sol.t / J)
    assert np.abs(sol.joint("pin").angle_rate - exact).max() < 25.0 * dt**2 / 0.01**2 * 1e-4
    body = sol.body("wheel")
    assert (np.einsum("kij,j->ki", body.R, AXIS) @ AXIS).min() > 1.0 - 1e-12
    exact_lam = np.abs(sol.lam[-1]).max()
    assert np.abs(sol.lam).max() < 1.5 * exact_lam
