"""Counted angles over random geometry, axes, speeds, steps and saved rows: closed forms, the plane,
adaptive steps, split increments."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import isodyn as iso
from turning_joints import geared, gimbal, wheel

QUICK = settings(max_examples=12, deadline=None)
AXES = st.tuples(*(st.floats(-1, 1),) * 3).filter(lambda x: np.linalg.norm(x) > 0.1)
SPEEDS = st.floats(-200.0, 200.0)


@QUICK
@given(AXES, SPEEDS, st.floats(1e-3, 0.2), st.integers(1, 60), st.floats(-3.0, 3.0))
def test_constant_speed(axis: Any, speed: float, dt: float, save_every: int, turn: float) -> None:
    """θ = ωt to rounding, up to six turns in a step, whichever rows are saved."""
    sol = iso.integrate(wheel(speed=speed, axis=axis, turn=turn), dt=dt, t_end=60 * dt, save_every=save_every)
    assert sol.joint("pin").angle == pytest.approx(speed * sol.t, abs=1e-10 * (1 + abs(speed)))


@QUICK
@given(AXES, SPEEDS, st.floats(0.5, 20.0), st.integers(2, 40), st.floats(-3.0, 3.0))
def test_springs_in_the_plane_and_in_space(
    axis: Any, speed: float, stiffness: float, save_every: int, turn: float
) -> None:
    """The same to rounding about any axis, and near the closed form A sin Ωt."""
    load, Omega = iso.JointSpring("s", "pin", stiffness), np.sqrt(stiffness)
    dt = min(
        0.02 / Omega, 0.1 / (1.0 + abs(speed))
    )  # twice as much in a step, and rounding of multipliers grows in space
    options: Any = {"dt": dt, "t_end": 4.0 / Omega, "save_every": save_every}
    space = iso.integrate(wheel(load, speed=speed, axis=axis, turn=turn), **options).joint("pin").angle
    sol = iso.integrate(wheel(load, speed=speed, planar=True), **options)
    size = 1.0 + abs(speed) / Omega
    assert space == pytest.approx(sol.joint("pin").angle, abs=1e-10 * size)
    assert space == pytest.approx(speed / Omega * np.sin(Omega * sol.t), abs=1e-3 * size)


@QUICK
@given(st.floats(0.05, 20.0), st.sampled_from([-1, 1]), SPEEDS, st.floats(0.0, 5.0), st.floats(5e-3, 0.1))
def test_gears(ratio: float, sign: int, speed: float, stiffness: float, dt: float) -> None:
    """No ratio slips, in no step."""
    system = geared(sign * ratio, speed, iso.JointSpring("s", "first", stiffness))
    sol = iso.integrate(system, dt=dt, t_end=40 * dt, save_every=7)
    first, second = sol.joint("first").angle, sol.joint("second").angle
    size = 1.0 + np.abs(first).max() + ratio * np.abs(second).max()
    assert np.abs(first + sign * ratio * second).max() < 1e-12 * size


@settings(max_examples=5, deadline=None)
@given(st.floats(-15.0, 15.0), st.floats(-25.0, 25.0), st.floats(0.0, 4.0), st.integers(20, 200))
def test_moving_axes_against_adaptive_steps(outer: float, inner: float, stiffness: float, save_every: int) -> None:
    """A rotor in a frame, few rows: the same whole turns as with error control, and the same angles
    to the error of the step."""
    loads = iso.JointSpring("a", "turn", stiffness), iso.JointSpring("b", "spin", stiffness)
    fixed = iso.integrate(gimbal(outer, inner, *loads), dt=1e-3, t_end=1.0, save_every=save_every)
    sol = iso.integrate_adaptive(gimbal(outer, inner, *loads), t_end=1.0, save=fixed.t)
    for name in ("turn", "spin"):
        assert fixed.joint(name).angle == pytest.approx(sol.joint(name).angle, abs=0.02)


@settings(max_examples=40, deadline=None)
@given(AXES, st.floats(-500.0, 500.0), st.integers(1, 30), st.floats(-3.0, 3.0))
def test_split_increments(axis: Any, angle: float, parts: int, turn: float) -> None:
    """An increment and its parts lead to the same angle; the difference brings all turns back."""
    system = wheel(axis=axis, turn=turn)
    d = np.zeros(6)
    d[3:] = angle * np.asarray(axis) / np.linalg.norm(axis)
    whole, q = system.retract(system.q0, d), system.q0
    for _ in range(parts):
        q = system.retract(q, d / parts)
    assert whole[-1] == pytest.approx(angle, abs=1e-10)
    assert q[-1] == pytest.approx(angle, abs=1e-10)
    assert system.difference(system.q0, whole) == pytest.approx(d, abs=1e-9)
