"""Rolling discs, ellipsoids and wheels on rails, and universal pairs under load: second order in q, v,
a and λ, and in the accelerations of joints, over all of time."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import isodyn as iso

ROLLS = {"velocity": (0.6, 0.1, 0), "angular_velocity": (0.4, 2.0, 1.0)}
RAIL: Any = {"profile": (0, 0.05, -0.8), "along": (1, 0.2, 0)}


def machine(name: str) -> Any:
    mech = iso.Mechanism(gravity=(0.5, 0.3, -9.7))
    mech.add_body("body", 2.0, (0.03, 0.05, 0.04), (0.0, 0.0, 0.2), **ROLLS)
    if name == "disc":
        mech.add_joint(iso.RollingDisc("j", "body", 0.2, (0, 1, 0)))
    elif name == "ellipsoid on a moving plane":
        mech.add_joint(
            iso.RollingEllipsoid("j", "body", (0.4, 0.3, 0.2), slide=iso.Sine(0.1, 4.0), lift=iso.Sine(0.02, 5.0))
        )
    elif name == "wheel on a rail":
        mech.add_joint(iso.WheelOnRail("j", "body", 0.2, (0, 1, 0), tread=0.05, **RAIL))
    else:
        mech.add_joint(iso.Universal("j", "ground", "body", point=(0.1, 0, 0.5), axis=(1, 0, 0), second_axis=(0, 1, 0)))
        mech.add_load(iso.JointSpring("spring", "j", 4.0, 0.1, coordinate="second_angle"))
        mech.add_load(iso.Motor("motor", "j", torque=iso.Sine(2.0, 3.0), coordinate="angle"))
    return mech.assemble().system


@pytest.mark.parametrize("name", ["disc", "ellipsoid on a moving plane", "wheel on a rail", "universal"])
def test_second_order(name: str) -> None:
    system, t_end, errors = machine(name), 0.3, []
    for n in (60, 120):
        sol = iso.integrate(system, dt=t_end / n, t_end=t_end, save_every=n // 30)
        exact = iso.integrate_adaptive(system, t_end=t_end, rtol=1e-11, atol=1e-12, save=sol.t)
        found = [np.abs(getattr(sol, x) - getattr(exact, x)).max() for x in ("q", "v", "a", "lam")]
        if name == "universal":
            found.append(np.abs(sol.joint("j").acceleration - exact.joint("j").acceleration).max())
        errors.append(found)
    slopes = np.log2(np.divide(*errors))
    assert slopes.min() > 1.85, slopes
    assert slopes.max() < 2.4, slopes
