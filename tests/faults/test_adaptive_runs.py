"""Adaptive runs that fail, are stopped and resumed, or are asked for what they do not do."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

import isodyn as iso
from isodyn import problems
from isodyn.errors import (
    ConvergenceError,
    InputError,
    IsodynError,
    LooseToleranceWarning,
    SchemeError,
)
from isodyn.results import Checkpoint


def pendulum() -> Any:
    return problems.get("pendulum").system()


@pytest.mark.parametrize("scheme", [None, iso.Scheme.V0(0.5, 1.0, 0.5)], ids=["U0", "V0"])
def test_resumed_bit_for_bit(tmp_path: Path, scheme: Any) -> None:
    options: Any = {"t_end": 1.0, "breakpoints": [0.4], "dt": iso.Adaptive(1e-3)}
    whole = iso.integrate(pendulum(), scheme, checkpoint=Checkpoint(tmp_path / "whole", every=7), **options)
    part = iso.integrate(
        pendulum(),
        scheme,
        checkpoint=Checkpoint(tmp_path / "part", every=7),
        observe=lambda sample: bool(sample.t > 0.63),
        **options,
    )
    assert part.t[-1] < 1.0
    resumed = iso.resume(tmp_path / "part", pendulum())
    for name in ("t", "q", "v", "a", "lam"):
        assert np.array_equal(getattr(resumed, name), getattr(whole, name))
    assert np.array_equal(resumed.aux["step_error"], whole.aux["step_error"])


def test_rows_at_named_times(tmp_path: Path) -> None:
    """Dense output has the error of the steps and keeps the constraints; it does not change the
    steps. A resumed run has it too."""
    kept = Checkpoint(tmp_path / "run", every=50)
    sol = iso.integrate(pendulum(), dt=iso.Adaptive(1e-4), t_end=1.0, save=14, checkpoint=kept)
    exact = iso.integrate_adaptive(pendulum(), t_end=1.0, rtol=1e-12, save=14)
    assert np.array_equal(sol.t, exact.t)
    for name, bound in (("q", 2e-4), ("v", 5e-4), ("a", 2e-3), ("lam", 2e-3)):
        assert np.abs(getattr(sol, name) - getattr(exact, name)).max() < bound
    assert max(sol.drift().largest[:2]) < 1e-13
    steps = iso.integrate(pendulum(), dt=iso.Adaptive(1e-4), t_end=1.0)
    assert steps.stats.steps == sol.stats.steps
    assert np.array_equal(steps.q[-1], sol.q[-1])
    again = iso.resume(tmp_path / "run", pendulum())
    assert np.array_equal(again.q, sol.q)
    few = iso.integrate(pendulum(), dt=0.01, t_end=1.0, save=[0.0, 0.505], select={"q": [1], "v": []})
    assert few.t.tolist() == [0.0, 0.505]
    assert few.q.shape == (2, 1)
    with pytest.raises(InputError, match="save_every must be left out"):
        iso.integrate(pendulum(), dt=0.01, t_end=1.0, save=3, save_every=2)


def test_a_motion_that_ends_in_finite_time() -> None:
    """q̈ = 6 q²: q = 1/(1 − t)². What was done until no step is small enough is kept."""
    system = iso.MechanicalSystem(M=1.0, Q=lambda q, v, t: 6.0 * q**2, q0=[1.0], v0=[2.0])
    with pytest.raises(IsodynError) as caught:
        iso.integrate(system, dt=iso.Adaptive(1e-3, smallest=1e-5), t_end=2.0)
    done = caught.value.partial
    assert 0.9 < done.t[-1] < 1.1
    early = done.t < 0.9
    assert done.q[early, 0] == pytest.approx((1.0 - done.t[early]) ** -2, rel=2e-2)


def test_a_jump_that_nobody_named() -> None:
    """Steps become small enough to pass it, or the run ends with a word."""
    system = iso.MechanicalSystem(M=1.0, Q=lambda q, v, t: -q + 100.0 * (t > 0.5), q0=[1.0], v0=[0.0])
    sol = iso.integrate(system, dt=iso.Adaptive(1e-3), t_end=1.0)
    exact = np.cos(1.0) + 100.0 * (1.0 - np.cos(0.5))
    assert sol.q[-1, 0] == pytest.approx(exact, rel=3e-3)
    with pytest.raises(ConvergenceError, match=r"accepts no step at t = 0\.\d+, down to 0.01"):
        iso.integrate(system, dt=iso.Adaptive(1e-3, smallest=0.01), t_end=1.0)


@pytest.mark.filterwarnings("ignore::isodyn.errors.AccuracyWarning")
def test_refused() -> None:
    for rtol in (1e-17, 0.0, -1.0, 0.5):
        with pytest.raises(InputError, match=r"rtol of adaptive steps must lie between 1e-09 and 0\.1"):
            iso.Adaptive(rtol)
    with pytest.raises(InputError, match="largest must be a positive size"):
        iso.Adaptive(largest=0.0)
    with pytest.raises(InputError, match="atol must not be negative"):
        iso.Adaptive(atol=-1.0)
    with pytest.raises(InputError, match="atol must be finite, received inf"):
        iso.Adaptive(atol=np.inf)
    for sizes in ({"first": 2.0}, {"smallest": 5.0}, {"smallest": 0.5, "largest": 0.1}):
        with pytest.raises(InputError, match="hint: no smallest size above the largest one or longer than the span"):
            iso.integrate(pendulum(), dt=iso.Adaptive(**sizes), t_end=1.0)
    for t_end in (0.0, -1.0):
        with pytest.raises(InputError, match=f"t_end must lie after t0, received t0 = 0, t_end = {t_end:g}"):
            iso.integrate(pendulum(), dt=iso.Adaptive(first=0.1), t_end=t_end)
    with pytest.raises(InputError, match="atol takes one number or 2 of them, received 3"):
        iso.integrate(pendulum(), dt=iso.Adaptive(atol=(np.ones(3), 1.0)), t_end=1.0)
    with pytest.raises(SchemeError, match="is of first order, λ₅ ≠ "):
        iso.integrate(pendulum(), iso.Scheme.newmark(0.3025, 0.6), dt=iso.Adaptive(), t_end=1.0)
    with pytest.raises(InputError, match="closes φ alone"):
        iso.integrate(pendulum(), None, iso.PositionLevel(), dt=iso.Adaptive(), t_end=1.0)


@pytest.mark.parametrize("size", [1e-9, 1e-3, 1e6])
def test_motions_of_any_size(size: float) -> None:
    """Tolerances are relative; where a start says nothing about sizes, the run does."""
    for q0, v0 in ((size, 0.0), (0.0, size)):
        system = iso.MechanicalSystem(M=1.0, Q=lambda q, v, t: -q, q0=[q0], v0=[v0])
        sol = iso.integrate(system, dt=iso.Adaptive(1e-4), t_end=6.0)
        exact = q0 * np.cos(sol.t) + v0 * np.sin(sol.t)
        assert np.abs(sol.q[:, 0] - exact).max() < 3e-4 * size
        assert sol.stats.steps < 3000
    pushed = iso.MechanicalSystem(M=1.0, Q=lambda q, v, t: -q + size * np.sin(2.0 * t), q0=[0.0], v0=[0.0])
    exact = size * (2.0 * np.sin(6.0) - np.sin(12.0)) / 3.0
    if size < 0.1:
        with pytest.warns(LooseToleranceWarning, match=r"positions stayed below .*\nhint: name a size by atol="):
            iso.integrate(pushed, dt=iso.Adaptive(1e-4), t_end=6.0)
    else:
        sol = iso.integrate(pushed, dt=iso.Adaptive(1e-4), t_end=6.0)
        assert abs(sol.q[-1, 0] - exact) < 1e-3 * size
    sol = iso.integrate(pushed, dt=iso.Adaptive(1e-4, atol=1e-4 * size), t_end=6.0)
    assert abs(sol.q[-1, 0] - exact) < 3e-4 * size


def test_a_jump_far_from_the_beginning_of_time() -> None:
    """Steps that were shorter than the distance of neighbouring times led nowhere, for ever."""
    t_0 = 1.7e9
    system = iso.MechanicalSystem(M=1.0, Q=lambda q, v, t: -q + 1e4 * (t > t_0 + 0.5), q0=[1.0], v0=[0.0])
    with pytest.raises(ConvergenceError, match=r"accepts no step at t = 1\.7e\+09, down to 3\.77e-06") as caught:
        iso.integrate(system, dt=iso.Adaptive(1e-3), t0=t_0, t_end=t_0 + 1.0)
    done = caught.value.partial.t - t_0
    assert 0.49 < done[-1] < 0.51
    for name in ("first", "largest"):
        with pytest.raises(InputError, match=f"the {name} step = 1e-06 is too small for times between"):
            iso.integrate(system, dt=iso.Adaptive(1e-3, **{name: 1e-6}), t0=t_0, t_end=t_0 + 1.0)


@pytest.mark.parametrize("steps", [iso.Adaptive(1e-3), 1e-3], ids=str)
def test_named_rows_of_a_start_that_was_assembled(steps: Any) -> None:
    """Rows between steps were looked for from the start as given, which need not keep the constraints."""
    mech = iso.Mechanism(gravity=(0, 0, -9.81))
    mech.add_body("bar", 1.0, (0.01, 0.1, 0.1), (0.5, 0, 0), angular_velocity=(0, 3.0, 0))
    mech.add_joint(iso.Hinge("pin", "ground", "bar", point=(0, 0, 0), axis=(0, 1, 0)))
    sol = iso.integrate(mech.compile(), dt=steps, t_end=0.1, save=[0.0, 0.0501234, 0.1], assemble=True)
    assert max(sol.drift().largest[:2]) < 1e-13


@pytest.mark.parametrize(("rtol", "rate"), [(1e-2, 0.0), (3e-3, 0.0), (3e-3, 0.01)])
def test_steps_that_grow_after_a_jump_stay_where_they_are(rtol: float, rate: float) -> None:
    """Steps grow by half, one after the other, for twenty steps after a jump that nobody named. First
    unknowns of such steps were noise that grew by a factor of eight in each, until a pendulum that
    hung down stood upright after a step of 25 µs, without a word."""
    mech = iso.Mechanism(gravity=(0, 0, -9.81))
    inertia, turning = (0.01, 0.1, 0.1), (0.0, rate, 0.0)
    mech.add_body("bob", 2.0, inertia, (0, 0, -0.5), angular_velocity=turning, velocity=(-0.5 * rate, 0, 0))
    mech.add_joint(iso.Hinge("pin", "ground", "bob", point=(0, 0, 0), axis=(0, 1, 0)))
    staircase = iso.Staircase([0.0, 2.0, 2.5], [0.0, 1.0, 2.0])
    mech.add_load(iso.Torque("push", "bob", (0, 3.0, 0), time=staircase))
    sol = iso.integrate(mech.compile(), dt=iso.Adaptive(rtol), t_end=3.0)
    known = iso.integrate(mech.compile(), iso.DOP853(1e-10), t_end=3.0, breakpoints=[2.0, 2.5], save=sol.t)
    assert np.abs(sol.q - known.q).max() < rtol
