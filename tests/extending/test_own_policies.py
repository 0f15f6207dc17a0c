"""Step policies written outside the package: they run, compiled or in Python, with breakpoints,
landing times, rejected steps and checkpoints."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any, ClassVar

import numba
import numpy as np
import pytest

import isodyn as iso
from isodyn import problems
from isodyn.errors import ConvergenceError, InputError, SchemeError
from isodyn.results import Checkpoint
from isodyn.stepping.policies import ACCEPT

SCHEME = iso.Scheme.optimal(0.8)


@numba.cfunc(ACCEPT)
def keep_error(plan: Any, leg: Any, before: Any, state: Any, memory: Any) -> float:
    """Local error of q below plan.settings[0]; counts what it is asked in state.policy."""
    largest = 0.0
    for i in range(state.da.size):
        largest = max(largest, abs(state.da[i]))
    error = abs(1.0 / 6.0 + 0.5 * leg.phi - leg.l3) * state.dt * state.dt * largest
    state.policy[0] += 1.0
    factor = 0.9 * (plan.settings[0] / max(error, 1e-300)) ** (1.0 / 3.0)
    return -max(factor, 0.2) if error > plan.settings[0] else min(factor, 2.0)


@dataclass(frozen=True)
class Compiled(iso.StepPolicy):
    """Keep the error, asked without Python."""

    tolerance: float = 1e-6
    first_step: float = 1e-2
    land_on: tuple[float, ...] = ()
    compiled: ClassVar[Any] = keep_error

    @property
    def settings(self) -> tuple[float, ...]:  # type: ignore[override]
        return (self.tolerance,)

    def accept(self, step: Any) -> float:
        raise AssertionError("the compiled one is asked")


@dataclass(frozen=True)
class InPython(iso.StepPolicy):
    """The same in Python."""

    tolerance: float = 1e-6
    first_step: float = 1e-2

    def accept(self, step: Any) -> float:
        error = float(np.abs(step.error_q).max())
        factor = 0.9 * (self.tolerance / max(error, 1e-300)) ** (1.0 / 3.0)
        return -max(factor, 0.2) if error > self.tolerance else min(factor, 2.0)


@dataclass(frozen=True)
class Estimated(iso.StepPolicy):
    """Errors of q that come with the step, and no tolerance that runs could be compared with."""

    first_step: float = 1e-2
    estimates: ClassVar[bool] = True

    def accept(self, step: Any) -> float:
        factor = 0.9 * (1e-6 / max(float(np.abs(step.error_q).max()), 1e-300)) ** (1.0 / 3.0)
        return -max(factor, 0.2) if factor < 0.9 else min(factor, 2.0)


@dataclass(frozen=True)
class Says(iso.StepPolicy):
    """Always the same."""

    what: Any
    first_step: float = 1e-2
    smallest_step: float = 1e-5

    def accept(self, step: Any) -> float:
        if isinstance(self.what, Exception):
            raise self.what
        return self.what  # type: ignore[no-any-return]


def run(policy: Any, t_end: float = 1.0, **options: Any) -> iso.Solution:
    return iso.integrate(problems.get("pendulum").system(), SCHEME, dt=policy, t_end=t_end, **options)


def test_compiled_or_in_python() -> None:
    one, two = run(Compiled()), run(InPython())
    assert one.stats.steps == two.stats.steps > 20
    assert one.stats.rejected == two.stats.rejected
    assert one.q == pytest.approx(two.q, rel=1e-9)
    sizes = np.diff(one.t)
    assert sizes.max() > 1.2 * sizes.min()


def test_the_error_follows_the_tolerance() -> None:
    """The local error of q goes with Δt³, that at the end with Δt²: tolerance^(2/3), in q, v, a and
    λ, with steps that change all the time."""
    exact = iso.integrate_adaptive(problems.get("pendulum").system(), rtol=1e-12, t_end=1.0, save=[1.0])
    errors = []
    for tolerance in (1e-5, 1e-6, 1e-7, 1e-8):
        sol = run(Compiled(tolerance))
        errors.append([np.abs(getattr(sol, x)[-1] - getattr(exact, x)[-1]).max() for x in ("q", "v", "a", "lam")])
    slopes = np.log10(np.array(errors[0]) / errors[-1]) / 3.0
    assert slopes == pytest.approx(np.full(4, 2.0 / 3.0), abs=0.15)


def test_estimates_without_a_tolerance() -> None:
    """Nothing is promised, and nothing told about it: neither of a motion that begins at rest, at
    zero, nor with impacts."""
    assert run(Estimated()).q[-1] == pytest.approx(run(Compiled()).q[-1], abs=1e-4)

    def wakes(q: Any, v: Any, t: float) -> Any:
        return np.array([1e-3 * t**2])

    sol = iso.integrate(iso.MechanicalSystem(M=1.0, Q=wakes, q0=[0.0], v0=[0.0]), SCHEME, dt=Estimated(), t_end=1.0)
    assert sol.q[-1, 0] == pytest.approx(1e-3 / 12.0, rel=0.05)
    ball = iso.MechanicalSystem(
        M=1.0,
        Q=lambda q, v, t: np.array([-10.0]),
        gap=lambda q, t: np.array([q[0]]),
        restitution=0.5,
        q0=[5.0],
        v0=[0.0],
    )
    sol = iso.integrate(ball, dt=Estimated(), t_end=3.5)
    assert abs(sol.q[-1, 0]) < 1e-12


def test_breakpoints_and_landing_times() -> None:
    sol = run(Compiled(), breakpoints=[0.3337], save_every=3)
    assert 0.3337 in sol.t
    assert sol.t[-1] == 1.0
    assert sol.aux["breakpoint_rows"].size == 1
    landed = run(Compiled(land_on=(0.1, 0.25, 0.9)))
    assert landed.t.tolist() == [0.0, 0.1, 0.25, 0.9, 1.0]
    beyond = iso.integrate(
        problems.get("pendulum").system(), iso.Scheme.V0(0.3, 0.7, 0.1), dt=Compiled(), t_end=1.0, breakpoints=[0.5]
    )  # W₁ > 1: another member lands on the breakpoint
    assert beyond.q[-1] == pytest.approx(sol.q[-1], abs=1e-3)


def test_a_rejected_step_leaves_no_trace() -> None:
    """A first step far too large is taken again until it is small: the run is that which began with
    the small one."""
    tried = run(Compiled(first_step=0.5))
    first = float(tried.t[1])
    assert tried.stats.rejected > 0
    again = run(Compiled(first_step=first))
    assert np.array_equal(tried.q, again.q)
    assert np.array_equal(tried.lam, again.lam)


def test_more_rows_than_there_was_room_for() -> None:
    sol = run(Says(1.0, first_step=5e-4))
    assert sol.t.size > 1900
    assert sol.t == pytest.approx(np.linspace(0.0, 1.0, sol.t.size))


@pytest.mark.parametrize("stop", [0.31, 0.77])
def test_resumed_bit_for_bit(tmp_path: Path, stop: float) -> None:
    system, options = problems.get("pendulum").system(), {"t_end": 1.0, "breakpoints": [0.4], "dt": Compiled(1e-7)}
    kept = Checkpoint(tmp_path / "whole", every=7)
    whole = iso.integrate(system, SCHEME, checkpoint=kept, **options)

    def end(sample: Any) -> bool:
        return bool(sample.t > stop)

    part = iso.integrate(system, SCHEME, checkpoint=Checkpoint(tmp_path / "part", every=7), observe=end, **options)
    assert part.t[-1] < 1.0
    resumed = iso.resume(tmp_path / "part", system)
    for name in ("t", "q", "v", "a", "lam"):
        assert np.array_equal(getattr(resumed, name), getattr(whole, name))


def test_what_goes_wrong() -> None:
    with pytest.raises(ConvergenceError, match=r"Says\(-0.5\) accepts no step at t = 0"):
        run(Says(-0.5))
    for wrong in (0.0, -1.0, np.nan, np.inf):
        with pytest.raises(InputError, match="accept of Says returned"):
            run(Says(wrong))
    with pytest.raises(ZeroDivisionError, match="mine"):
        run(Says(ZeroDivisionError("mine")))
    with pytest.raises(InputError, match="do not fit a span"):
        run(Says(1.0, first_step=0.0))
    with pytest.raises(InputError, match=r"first_step of .* must not be negative"):
        run(Says(1.0, first_step=-1.0))
    with pytest.raises(SchemeError, match="no estimate of the error of a step"):
        iso.integrate(
            problems.get("pendulum").system(),
            iso.Composition(iso.Scheme.central_difference(), 4),
            dt=Says(1.0),
            t_end=1.0,
        )
    with pytest.raises(InputError, match="closes steps by their size"):
        run(Says(1.0), formulation=iso.Baumgarte())


def test_given_times() -> None:
    """The times of a grid give the run of the grid, up to rounding of their differences; any others
    are taken as they are."""
    system, grid = problems.get("pendulum").system(), 0.01 * np.arange(1, 101)
    one = iso.integrate(system, SCHEME, dt=0.01, t_end=1.0, breakpoints=[0.5])
    two = iso.integrate(system, SCHEME, dt=iso.StepTimes(grid), t_end=1.0, breakpoints=[0.5])
    three = iso.integrate(system, SCHEME, dt=iso.FixedSteps(0.01), t_end=1.0, breakpoints=[0.5])
    for other in (two, three):
        assert np.array_equal(other.t, one.t)
    assert np.array_equal(three.q, one.q)
    np.testing.assert_allclose(two.q, one.q, rtol=0.0, atol=1e-14)
    odd = iso.integrate(system, SCHEME, dt=iso.StepTimes([0.1, 0.15]), t_end=0.3, breakpoints=[0.12], save_every=2)
    assert odd.t.tolist() == [0.0, 0.12, 0.3]
    with pytest.raises(InputError, match="times of steps must ascend"):
        iso.StepTimes([0.2, 0.1])
    with pytest.raises(InputError, match=r"must lie behind t0 = 0 and not behind t_end = 0\.3"):
        iso.integrate(system, SCHEME, dt=iso.StepTimes([0.1, 0.4]), t_end=0.3)
    with pytest.raises(InputError, match=r"distance of times = .* is too small"):
        iso.integrate(system, SCHEME, dt=iso.StepTimes([0.1, np.nextafter(0.1, 1.0)]), t_end=0.3)
