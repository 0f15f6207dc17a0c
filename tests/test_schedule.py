"""Times of a run: the user's grid, breakpoints in it, the end hit exactly."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import isodyn as iso
from isodyn.marching.schedule import plan


def collected(stretches):
    times = np.concatenate([s.times(0, s.steps) for s in stretches])
    save = np.concatenate([s.save(0, s.steps) for s in stretches])
    return times, save


def test_breakpoints_on_and_off_the_grid():
    stretches = plan(0.0, 1.0, 0.25, [0.5, 0.6], 1)
    assert [s.times(0, s.steps).tolist() for s in stretches] == [[0.25, 0.5], [0.6], [0.75, 1.0]]
    assert [s.ends_in_breakpoint for s in stretches] == [True, True, False]
    assert [s.t_start for s in stretches] == [0.0, 0.5, 0.6]


def test_breakpoint_a_rounding_error_off_the_grid_makes_no_sliver():
    times, _ = collected(plan(0.0, 1.0, 0.1, [0.3 + 1e-14], 1))
    assert times.size == 10
    assert np.diff(times).min() > 0.09


@given(
    n=st.integers(1, 60),
    part=st.floats(0.01, 1.0),
    dt=st.floats(1e-3, 10.0),
    t0=st.floats(-100.0, 100.0),
    cuts=st.lists(st.floats(0.0, 1.0), max_size=4),
    every=st.integers(1, 7),
)
def test_every_plan_is_a_partition(n, part, dt, t0, cuts, every):
    t_end = t0 + (n - 1 + part) * dt
    breaks = [t0 + c * (t_end - t0) for c in cuts]
    breaks = [t for t in breaks if t0 <= t <= t_end]
    stretches = plan(t0, t_end, dt, breaks, every)
    times, save = collected(stretches)
    steps = np.diff(np.concatenate([[t0], times]))
    assert times[-1] == t_end
    assert steps.min() > 0
    assert steps.max() < dt * (1 + 1e-5) + 1e-12 * (abs(t0) + abs(t_end))
    assert sum(s.rows for s in stretches) == save.sum()
    assert np.array_equal(np.concatenate([s.saved_times for s in stretches]), times[save])
    assert save[-1]
    for t in breaks:
        assert np.abs(np.concatenate([[t0], times]) - t).min() <= 1e-6 * dt * 1.01


def test_rows_of_a_long_run_are_counted_without_listing_them():
    (stretch,) = plan(0.0, 1e3, 1e-6, (), 1000)
    assert stretch.rows == 1_000_000
    assert stretch.times(0, 2) == pytest.approx([1e-6, 2e-6])


def test_stretches_far_shorter_than_a_step_are_one_step() -> None:
    """A span below a millionth of dt had no step and no row, and the loop wrote where no memory
    was."""
    (only,) = plan(0.0, 0.2, 1e12, (), 1)
    assert (only.steps, only.rows, only.times(0, 1).tolist()) == (1, 1, [0.2])
    stretches = plan(0.0, 1.0, 0.1, [0.5, 0.5 + 1e-9], 1)
    assert [stretch.steps for stretch in stretches] == [5, 1, 5]
    assert [stretch.rows for stretch in stretches] == [5, 1, 5]
    system = iso.LinearSystem(1.0, None, 4.0, None, [1.0], [0.0])
    for options in ({"dt": 1e12, "t_end": 0.2}, {"dt": 0.1, "t_end": 1.0, "breakpoints": [0.5, 0.5 + 1e-9]}):
        sol = iso.integrate(system, **options)
        assert (np.diff(sol.t) > 0).all()
        assert sol.t[-1] == options["t_end"]


@pytest.mark.parametrize(
    "method",
    [iso.Radau(rtol=1e-4), iso.DOP853(rtol=1e-4), iso.Adaptive(1e-3), iso.StepTimes(np.linspace(0.01, 1.0, 100))],
    ids=lambda method: type(method).__name__,
)
@pytest.mark.parametrize("pulse", [(1e-9, 3e-9), (3e-7, 5e-7), (1.0 - 3e-9, 1.0 - 1e-9)])
def test_breakpoints_beside_the_ends_of_a_run(method, pulse):
    """Those nearer to an end than 1e-6 of the span were left out with methods and StepTimes, and
    nearer than 1e-8 with adaptive steps: loads of the first seconds of many days never were."""
    begin, end = pulse

    def push(q, v, t):
        return np.array([1.0 / (end - begin) if begin < t < end else 0.0]) - 0.1 * q

    system = iso.MechanicalSystem(M=1.0, Q=push, q0=[1.0], v0=[0.0])
    given = {"scheme": method} if isinstance(method, iso.Radau | iso.DOP853) else {"dt": method}
    sol = iso.integrate(system, t_end=1.0, breakpoints=pulse, **given)
    w, after = np.sqrt(0.1), 1.0 - end
    exact = -w * np.sin(w) + np.cos(w * after)
    assert sol.v[-1, 0] == pytest.approx(exact, abs=3e-4)
