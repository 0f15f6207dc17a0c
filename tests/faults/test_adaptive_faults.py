"""Adaptive steps that end early: events, exceptions, Ctrl-C, jumps, singular and conflicting
constraints. Nothing is lost in silence."""

from __future__ import annotations

import os
import signal
import threading

import numba
import numpy as np
import pytest

import constrained_systems as known
import isodyn as iso
from isodyn import problems
from isodyn.errors import (
    AccuracyWarning,
    CallableError,
    ConflictError,
    ConvergenceError,
    InputError,
    IsodynWarning,
    NonFiniteError,
    SingularError,
)


def oscillator(Q=lambda q, v, t: -q):
    return iso.MechanicalSystem(M=1.0, Q=Q, q0=[1.0], v0=[0.0])


# ---- events


def crossing(direction=0.0, terminal=False):
    def event(t, q, v):
        return q[0]

    event.direction, event.terminal = direction, terminal
    return event


def test_events_are_located_to_rounding():
    """Zeros of cos t, and of the velocity, with their states."""
    sol = iso.integrate_adaptive(
        oscillator(), t_end=10.0, rtol=1e-12, atol=1e-14, events=[crossing(), lambda t, q, v: v[0]]
    )
    assert sol.aux["event_times"][0] == pytest.approx(np.pi * np.array([0.5, 1.5, 2.5]), abs=1e-11)
    assert sol.aux["event_times"][1] == pytest.approx(np.pi * np.array([1, 2, 3]), abs=1e-11)
    assert np.abs(sol.aux["event_q"][0]).max() < 1e-14
    assert np.abs(sol.aux["event_v"][1]).max() < 1e-14
    assert sol.stats.stopped is None


@pytest.mark.parametrize(("direction", "expected"), [(1.0, [1.5]), (-1.0, [0.5, 2.5])])
def test_direction(direction, expected):
    sol = iso.integrate_adaptive(oscillator(), t_end=10.0, events=crossing(direction))
    assert sol.aux["event_times"][0] / np.pi == pytest.approx(expected, abs=1e-8)


@pytest.mark.parametrize("save", [None, [0.0, 1.0, 2.0, 9.0]])
@pytest.mark.parametrize(("terminal", "end"), [(True, 0.5), (2, 1.5)])
def test_terminal_event_ends_the_run_there(terminal, end, save):
    sol = iso.integrate_adaptive(oscillator(), t_end=10.0, save=save, events=[crossing(terminal=terminal)])
    assert sol.t[-1] / np.pi == pytest.approx(end, abs=1e-8)
    assert abs(sol.q[-1, 0]) < 1e-14
    assert sol.a[-1, 0] == -sol.q[-1, 0]
    assert sol.stats.stopped.startswith("stopped by event 0 at t = ")
    assert (np.diff(sol.t) > 0).all()
    if save is not None:
        assert list(sol.t[:-1]) == [t for t in save if t < end * np.pi]


def test_event_on_constraints():
    """The located state lies on the constraints, like every saved one."""
    system = problems.get("pendulum").system()
    sol = iso.integrate_adaptive(system, t_end=4.0, events=[crossing(terminal=True)])
    assert max(sol.drift().largest) < 1e-14
    assert abs(sol.q[-1, 0]) < 1e-14


def test_events_that_are_no_numbers():
    with pytest.raises(NonFiniteError, match="event 0 returned nan at t = 0"):
        iso.integrate_adaptive(oscillator(), t_end=1.0, events=lambda t, q, v: np.nan)
    with pytest.raises(CallableError, match="event 0 must return a number"):
        iso.integrate_adaptive(oscillator(), t_end=1.0, events=lambda t, q, v: q[:, None] * [1, 2])
    for bad in (3, ["x"]):
        with pytest.raises(InputError, match="events must be functions"):
            iso.integrate_adaptive(oscillator(), t_end=1.0, events=bad)


# ---- exceptions and interrupts


class FuelError(Exception):
    pass


@pytest.mark.parametrize("save", [None, [0.0, 0.9]])
@pytest.mark.parametrize("compiled", [False, True])
def test_exception_arrives_with_what_exists(compiled, save):
    def force(q, v, t):
        if t > 0.7:
            raise ValueError("tank 2")
        return -q

    Q = numba.njit(force) if compiled else force
    with pytest.raises(ValueError, match="tank 2") as caught:
        iso.integrate_adaptive(oscillator(Q), t_end=1.0, max_step=0.1, save=save)
    assert caught.value.__notes__[0].startswith("in the step from t = 0.")
    partial = caught.value.partial
    assert 0.4 < partial.t[-1] < 0.7
    assert np.abs(partial.q[:, 0] - np.cos(partial.t)).max() < 1e-9


@pytest.fixture
def listening():
    """Python's own handler, also where the process was started with interrupts ignored."""
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    yield
    signal.signal(signal.SIGINT, before)


@pytest.mark.usefixtures("listening")
@pytest.mark.parametrize("compiled", [False, True])
def test_ctrl_c_returns_what_exists(compiled):
    def force(q, v, t):
        return -np.sin(q)

    system = oscillator(numba.njit(force) if compiled else force)
    iso.integrate_adaptive(system, t_end=1.0)  # compiled before the clock starts
    threading.Timer(0.5, os.kill, (os.getpid(), signal.SIGINT)).start()
    with pytest.warns(IsodynWarning, match=r"interrupted at t = .* after \d+ steps"):
        sol = iso.integrate_adaptive(system, t_end=1e7, rtol=1e-12, save=3, max_step=0.05)
    assert 1.0 < sol.t[-1] < 1e7
    assert sol.stats.stopped.startswith("interrupted")
    assert np.ptp(0.5 * sol.v**2 - np.cos(sol.q)) < 1e-8


# ---- steps that cannot be taken


def test_the_end_of_a_domain_is_an_error():
    """No force beyond t = 0.7: steps shrink up to there; what was done is there."""
    system = oscillator(lambda q, v, t: -q if t < 0.7 else np.array([np.nan]))
    with pytest.raises(NonFiniteError, match=r"NaN or an infinity appeared at t = 0\.7") as caught:
        iso.integrate_adaptive(system, t_end=2.0)
    partial = caught.value.partial
    assert partial.t[-1] == pytest.approx(0.7, abs=1e-9)
    assert np.abs(partial.q[:, 0] - np.cos(partial.t)).max() < 1e-9
    assert partial.stats.rejected > 5


def test_discontinuity_that_no_step_passes():
    """A force that is noise has no step at all, where it is so large that no step is small beside
    the time in which it moves something."""
    noise = np.random.default_rng(1)
    with pytest.raises(ConvergenceError, match=r"as small as rounding of t at t = (.|\n)*hint: a jump") as caught:
        iso.integrate_adaptive(oscillator(lambda q, v, t: 1e26 * noise.standard_normal(1)), t_end=2.0)
    assert caught.value.partial.t.size >= 1


def test_a_jump_is_passed_with_small_steps():
    sol = iso.integrate_adaptive(oscillator(lambda q, v, t: np.array([1.0 if t > 0.5 else 0.0])), t_end=1.0, save=[1.0])
    assert sol.q[0, 0] == pytest.approx(1.125, abs=1e-8)
    assert sol.stats.rejected > 5


def test_nan_and_singular_mass():
    with pytest.raises(NonFiniteError, match="NaN or an infinity"):
        iso.integrate_adaptive(oscillator(lambda q, v, t: np.array([np.nan])), t_end=1.0)
    with pytest.raises(SingularError, match=r"singular (.|\n)*every coordinate needs inertia"):
        iso.integrate_adaptive(iso.MechanicalSystem(np.zeros((1, 1)), lambda q, v, t: q, [1.0], [0.0]), t_end=1.0)


# ---- constraints: redundant, conflicting, losing and gaining rank


def test_redundant_rows():
    """The motion of the minimal model; rows named; multipliers of least norm."""
    many, few = (
        iso.integrate_adaptive(known.three_bars_system(redundant=redundant), t_end=1.0, save=5)
        for redundant in (True, False)
    )
    assert np.abs(many.q - few.q).max() < 1e-9
    assert len(many.redundant) == 3
    assert max(many.drift().largest) < 1e-13
    least = iso.integrate(known.three_bars_system(), dt=1e-4, t_end=1e-3).lam[0]
    assert many.lam[0] == pytest.approx(least, abs=1e-9)


def test_conflicting_start_is_refused():
    with pytest.raises(ConflictError, match=r"'elbow again x' is off by 0\.1 at position level where 'elbow x' hold"):
        iso.integrate_adaptive(known.double_pendulum_system(2, offset=0.1), t_end=1.0)
    system = known.pendulum_system()
    system.q0 = 1.1 * system.q0
    with pytest.raises(InputError, match=r"the start violates constraint .* at position level"):
        iso.integrate_adaptive(system, t_end=1.0)
    sol = iso.integrate_adaptive(system, t_end=0.1, assemble=True)
    assert max(sol.drift().largest) < 1e-13


@pytest.mark.parametrize("formulation", [None, iso.UdwadiaKalaba("cholesky")], ids=repr)
def test_rows_that_begin_to_contradict_each_other(formulation):
    """x = 0 and x = (t − ½)³ for t > ½: consistent at the start, a conflict later."""

    def late(t):
        return max(0.0, t - 0.5) ** 3

    system = iso.MechanicalSystem(
        1.0,
        lambda q, v, t: np.array([0.0, -1.0]),
        [0.0, 0.0],
        [0.0, 0.0],
        phi=lambda q, t: np.array([q[0], q[0] - late(t)]),
        G=lambda q, t: np.array([[1.0, 0.0], [1.0, 0.0]]),
        phi_t=lambda q, t: np.array([0.0, -3 * max(0.0, t - 0.5) ** 2]),
        b=lambda q, v, t: np.array([0.0, 6 * max(0.0, t - 0.5)]),
        row_names=["wall", "piston"],
    )
    with pytest.raises(ConflictError, match=r"'(wall|piston)'.*where '(wall|piston)'") as caught:
        iso.integrate_adaptive(system, formulation, t_end=2.0, max_step=0.1)
    assert caught.value.partial.t[-1] < 0.8


def isosceles(angle=0.5, rate=1.0):
    """Crank and rod of equal lengths: where they lie on each other, at x = 0, the rank is 1 of 2,
    and the motion could branch."""
    c, s = np.cos(angle), np.sin(angle)
    return iso.MechanicalSystem(
        np.array([1.0, 1.0, 0.5]),
        lambda q, v, t: np.zeros(3),
        [c, s, 2 * c],
        [-rate * s, rate * c, -2 * rate * s],
        phi=lambda q, t: 0.5 * np.array([q[0] ** 2 + q[1] ** 2 - 1, (q[0] - q[2]) ** 2 + q[1] ** 2 - 1]),
        G=lambda q, t: np.array([[q[0], q[1], 0.0], [q[0] - q[2], q[1], q[2] - q[0]]]),
        b=lambda q, v, t: -np.array([v[0] ** 2 + v[1] ** 2, (v[0] - v[2]) ** 2 + v[1] ** 2]),
        energy=lambda q, v, t: (0.5 * v @ (np.array([1.0, 1.0, 0.5]) * v), 0.0),
    )


@pytest.mark.parametrize("formulation", [None, iso.UdwadiaKalaba("cholesky"), iso.NullSpace("svd")], ids=repr)
def test_a_loss_of_rank_is_passed_and_reported(formulation):
    """On the branch it came on, x_slider = 2 x_crank, with the energy; a row saved there has rank
    1, finite numbers and a warning."""
    sol = iso.integrate_adaptive(isosceles(), formulation, t_end=2.5)
    assert np.abs(sol.q[:, 2] - 2 * sol.q[:, 0]).max() < 1e-8
    assert np.ptp(sol.energy()[0]) < 1e-9
    with pytest.warns(AccuracyWarning, match=r"close to losing rank at t = 1\.363"):
        sol = iso.integrate_adaptive(isosceles(), formulation, t_end=2.5, events=[crossing(terminal=True)])
    assert sol.aux["rank"][-1] == 1
    assert set(sol.aux["rank"][:-1]) == {2}
    assert np.abs(sol.lam).max() < 10
    assert sol.a[-1, 1] == pytest.approx(-(sol.v[-1, 0] ** 2), rel=1e-6)
    position, *rates = sol.drift().largest
    assert position < 1e-9
    # in the row at the loss of rank: over tolerances from 1e-8 to 1e-12 anything from 1e-12 to 6e-8,
    # as the ends of steps lie
    assert max(rates) < 1e-6


def test_a_start_where_rank_is_lost():
    """Two rows, one of which follows from the other here alone: it is taken up again where it does
    not."""
    with pytest.warns(AccuracyWarning, match="close to losing rank"):
        sol = iso.integrate_adaptive(isosceles(angle=0.5 * np.pi), t_end=0.5)
    assert max(sol.drift().largest) < 1e-9
    assert np.abs(sol.q[:, 2] - 2 * sol.q[:, 0]).max() < 1e-8
    assert list(sol.aux["rank"][[0, -1]]) == [1, 2]


def test_terminal_event_before_the_end_of_a_domain():
    """A compiled force that raises behind the event is not asked there."""

    @numba.njit
    def force(q, v, t):
        if q[0] < -0.5:
            raise ValueError("below the floor")
        return -q

    sol = iso.integrate_adaptive(oscillator(force), t_end=10.0, max_step=0.2, events=[crossing(terminal=True)])
    assert sol.t[-1] / np.pi == pytest.approx(0.5, abs=1e-8)


@pytest.mark.parametrize("formulation", [None, iso.NullSpace()], ids=repr)
def test_exception_of_a_constraint(formulation):
    """φ that raises in a projection arrives as it is, also where accelerations are computed
    elsewhere."""

    def phi(q, t):
        if t > 0.3:
            raise KeyError("hinge 3")
        return np.array([0.5 * (q @ q - 1)])

    system = iso.MechanicalSystem(
        1.0,
        lambda q, v, t: np.array([0.0, -9.81]),
        [1.0, 0.0],
        [0.0, 0.0],
        phi=phi,
        G=lambda q, t: q[None, :],
        b=lambda q, v, t: np.array([-v @ v]),
        phi_t=lambda q, t: np.zeros(1),
    )
    with pytest.raises(KeyError, match="hinge 3") as caught:
        iso.integrate_adaptive(system, formulation, t_end=1.0)
    assert 0 < caught.value.partial.t[-1] <= 0.3
