"""Steps of one size are as long as they were asked to be, wherever on the time axis the run lies: ends
of steps carry rounding, differences of them more of it, and their sum must not drift."""

from __future__ import annotations

import numpy as np
import pytest

import isodyn as iso


@pytest.mark.parametrize("t0", [100.0, 1e4, -1.1])
def test_the_same_motion_at_another_time(t0: float) -> None:
    """Once all steps had the size of the first difference of times: the motion of the run from 1e4
    was off by 1e-9 after 220 steps."""
    system = iso.LinearSystem(1.0, None, 9.0, None, [1.0], [0.0])
    here, there = (iso.integrate(system, dt=0.01, t0=t, t_end=t + 2.2) for t in (0.0, t0))
    assert np.array_equal(here.q, there.q)
    assert np.array_equal(here.v, there.v)
    stepper = iso.Stepper(system, dt=0.01, t0=t0)
    for _ in range(220):
        stepper.step()
    assert np.array_equal(stepper.state.q, here.q[-1])


@pytest.mark.parametrize("t0", [0.0, 100.0, 1e4])
def test_events_beside_the_ends_of_steps(t0: float) -> None:
    """A ball that bounces at whole seconds, which are ends of steps. Steps that were shorter by less
    than 1e-8 counted as whole ones: an event beside the end of a step was found 7e-11 too early, all
    steps after it were too short by as much, and the next event came 7e-9 too early."""
    ball = iso.MechanicalSystem(1.0, lambda q, v, t: np.array([-10.0]), [5.0], [0.0])
    floor = iso.Event(lambda t, q, v: q[0], -1, action=lambda s: s._replace(v=-0.5 * s.v))
    sol = iso.integrate(ball, dt=0.01, t0=t0, t_end=t0 + 2.2, events=[floor])
    found = np.array([event.t for event in sol.events]) - t0
    assert np.abs(found - [1.0, 2.0]).max() <= 4.0 * np.spacing(t0 + 2.0)
    assert np.abs([event.q[0] for event in sol.events]).max() <= 40.0 * np.spacing(t0 + 2.0)


@pytest.mark.parametrize("t0", [0.0, -10.0, 1e4])
def test_factors_stay_good(t0: float) -> None:
    """A linear system has one matrix for its first step and one for the others."""
    system = iso.LinearSystem(np.eye(2), 0.1 * np.eye(2), np.diag([9.0, 4.0]), None, [1.0, 0.0], [0.0, 1.0])
    sol = iso.integrate(system, iso.Scheme.optimal(0.8), dt=0.01, t0=t0, t_end=t0 + 20.0)
    assert sol.stats.factorisations <= 3
