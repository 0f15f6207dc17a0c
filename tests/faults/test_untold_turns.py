"""Turns that one step cannot tell: the step is repeated smaller, or the run ends with the name of
the joint; never another angle."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

import isodyn as iso
from isodyn.errors import ConvergenceError, InputError
from isodyn.mechanism.counted import over_rows
from turning_joints import gimbal, wheel

SPRINGS = iso.JointSpring("s", "spin", 1.0)


def test_refused_with_the_name_of_the_joint() -> None:
    """Frame and rotor turn by two radians each in a step, about axes that are perpendicular."""
    with pytest.raises(ConvergenceError, match=r"'spin.angle' turns too far to be counted at t = 0") as caught:
        iso.integrate(gimbal(20.0, 20.0, SPRINGS), dt=0.1, t_end=1.0, newton=iso.Newton(max_halvings=0))
    assert "hint: reduce dt" in str(caught.value)


def test_repeated_smaller() -> None:
    """With halvings the same run goes through, and every angle is what its rate adds up to."""
    sol = iso.integrate(gimbal(20.0, 20.0, SPRINGS), dt=0.1, t_end=1.0)
    fine = iso.integrate(gimbal(20.0, 20.0, SPRINGS), dt=1e-4, t_end=1.0, save_every=1000)
    assert sol.stats.halvings > 0
    assert fine.joint("spin").angle[-1] == pytest.approx(20 * np.sin(1.0), rel=0.3)
    for name in ("turn", "spin"):
        joint = fine.joint(name)
        rates = iso.integrate_adaptive(gimbal(20.0, 20.0, SPRINGS), t_end=1.0, save=fine.t).joint(name)
        assert joint.angle == pytest.approx(rates.angle, abs=1e-3)


def test_an_increment_that_tells_too_little() -> None:
    """Asked directly: turns about one axis are told, whatever their number; turns about two are
    refused."""
    system = gimbal(0.0, 0.0, SPRINGS)
    d = np.zeros(system.nv)
    d[9] = 1000.0
    assert system.retract(system.q0, d)[-1] == pytest.approx(1000.0, rel=1e-14)
    d[5], d[9], d[11] = 2.0, 2.0, 2.0
    with pytest.raises(ConvergenceError, match=r"'spin.angle' turns too far to be counted in one increment"):
        system.retract(system.q0, d)


def test_a_start_from_a_users_hands() -> None:
    """A pose that was changed without its angle: the angle follows the pose, in the nearest
    turn."""
    system = wheel(iso.JointSpring("s", "pin", 4.0))
    q = system.q0.copy()
    q[3], q[6], q[7] = np.cos(1.25), np.sin(1.25), 6 * np.pi
    sol = iso.integrate(replace(system, q0=q), dt=0.01, t_end=0.1)
    assert sol.joint("pin").angle[0] == pytest.approx(6 * np.pi + 2.5, rel=1e-14)


def test_beams_that_nothing_reads() -> None:
    """Slopes of planar beams are counted from row to row; rows too far apart are refused by
    name."""
    mech = iso.Mechanism(gravity=(0, 0, 0))
    section = iso.Section(EA=1e6, EI=1e4, rhoA=3.0)
    mech.add_beam("rod", (0, 0), (1, 0), elements=1, section=section, angular_velocity=16.0)
    mech.add_joint(iso.Hinge("pin", "ground", "rod.start"))
    system = mech.compile()
    assert system.nq == system.nv
    sol = iso.integrate(system, dt=2e-3, t_end=1.0, save_every=100)
    assert sol.joint("pin").angle == pytest.approx(16.0 * sol.t, abs=0.05)
    t, x, rate = np.array([0.0, 1.0]), np.array([0.0, 3.0]), np.array([0.0, 40.0])
    with pytest.raises(InputError, match="the angle of 'pin' cannot be counted from the saved rows"):
        over_rows("pin", t, x, rate)
