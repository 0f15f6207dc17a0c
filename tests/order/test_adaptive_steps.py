"""Adaptive steps of GS4: the error of q, v, a and λ, in the maximum norm over all of time, goes with
the tolerance; stiff parts, breakpoints and first-order systems included."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import numba
import numpy as np
import pytest
from scipy.integrate import solve_ivp

import isodyn as iso
from isodyn import problems
from isodyn.errors import AccuracyWarning
from isodyn.marching.error_sizes import ErrorSizes

MEMBERS = {
    "damping": None,
    "U0": iso.Scheme.U0(0.5, 0.5, 0.5),
    "V0": iso.Scheme.V0(0.5, 1.0, 0.5),
    "annihilating": iso.Scheme.U0(0.0, 0.0, 0.0),
}


def sizes_of_errors(sol: Any, exact: Any) -> Any:
    """Largest errors of q, v, a, λ, relative to the largest values."""
    pairs = [(getattr(sol, name), getattr(exact, name)) for name in ("q", "v", "a", "lam")]
    return np.array([np.abs(one - two).max() / np.abs(two).max() for one, two in pairs])


def errors(system: Any, t_end: float, rtol: float, scheme: Any = None, **options: Any) -> Any:
    """Largest errors of q, v, a, λ over all steps, relative to the largest values."""
    sol = iso.integrate(system, scheme, dt=iso.Adaptive(rtol), t_end=t_end, **options)
    exact = iso.integrate_adaptive(system, rtol=1e-12, t_end=t_end, save=sol.t)
    assert max(sol.drift().largest[:2]) < 1e-13
    return sizes_of_errors(sol, exact)


def check_slopes(system: Any, t_end: float, scheme: Any, rtols: Any = (1e-2, 1e-3, 1e-4, 1e-5)) -> None:
    """Slopes against rtol of at least 0.95 in q, v, a and λ."""
    found = np.array([errors(system, t_end, rtol, scheme) for rtol in rtols])
    slopes = np.polyfit(np.log10(rtols), np.log10(found), 1)[0]
    assert (slopes >= 0.95).all(), slopes
    ratios = found / np.array(rtols)[:, None]
    assert (ratios.max(axis=0) / ratios.min(axis=0) <= 3.0).all(), ratios


@pytest.mark.parametrize("name", MEMBERS)
@pytest.mark.parametrize(("problem", "t_end"), [("pendulum", 2.0), ("rheonomic_crank", 2.0)])
def test_proportional_to_the_tolerance(problem: str, t_end: float, name: str) -> None:
    check_slopes(problems.get(problem).system(), t_end, MEMBERS[name])


@pytest.mark.parametrize("name", [*MEMBERS, "optimal"])
def test_andrews(name: str) -> None:
    """Its accelerations change by a factor of a hundred on the way."""
    scheme, rtols = MEMBERS.get(name, iso.Scheme.optimal(0.8)), np.array([1e-2, 1e-3, 1e-4, 1e-5])
    found = np.array([errors(problems.get("andrews").system(), 0.03, rtol, scheme) for rtol in rtols])
    assert (np.polyfit(np.log10(rtols), np.log10(found), 1)[0] >= 0.95).all(), found
    assert (found[:, 0] < rtols).all()


def test_steps_do_not_alternate_between_two_sizes() -> None:
    """Where the error of v passes through zero, what a change of the step leaves for the next one
    must not be answered by another change: it was, in a quarter of all steps, with 80 repeated."""
    sol = iso.integrate(problems.get("andrews").system(), MEMBERS["V0"], dt=iso.Adaptive(1e-4), t_end=0.05)
    change = np.diff(np.log(np.diff(sol.t)))
    assert sol.stats.rejected < 10
    assert (change[1:] * change[:-1] < 0.0).mean() < 0.02


@pytest.fixture(scope="module")
def damped_beam() -> tuple[Any, Any]:
    """Arm, beam and bob on hinges, let go; stretching is damped within milliseconds. Reference by
    order 8."""
    system = problems.get("beam_and_bodies").system(damping=1e-3)
    return system, iso.integrate_adaptive(system, rtol=1e-11, t_end=0.5, save=101)


@pytest.mark.parametrize("name", MEMBERS)
def test_beam_mechanism(damped_beam: Any, name: str) -> None:
    system, exact = damped_beam
    rtols = np.array([1e-2, 1e-3, 1e-4, 1e-5])
    runs = [iso.integrate(system, MEMBERS[name], dt=iso.Adaptive(rtol), t_end=0.5, save=101) for rtol in rtols]
    found = np.array([sizes_of_errors(sol, exact) for sol in runs])
    slopes = np.polyfit(np.log10(rtols), np.log10(found), 1)[0]
    assert (slopes >= 0.95).all(), slopes
    ratios = found / rtols[:, None]
    assert (ratios.max(axis=0) / ratios.min(axis=0) <= 3.0).all(), ratios


def test_beam_mechanism_at_a_stop() -> None:
    """The arm hits a stiff stop: from then on steps are a thousand times shorter for a while. Errors
    follow rtol, and are smaller than with twice as many steps of one size; those depend on how near
    to the stop a step happens to end, by a factor of twenty, so that several sizes are taken."""
    system = problems.get("beam_and_bodies").system(damping=1e-3, stop=2000.0)
    exact = iso.integrate(system, iso.Radau(1e-7), t_end=0.6, save=61)
    rtols = np.array([1e-2, 1e-3])
    runs = [iso.integrate(system, dt=iso.Adaptive(rtol), t_end=0.6, save=61) for rtol in rtols]
    ratios = np.array([sizes_of_errors(sol, exact) for sol in runs]) / rtols[:, None]
    assert (ratios < 2.0).all(), ratios
    assert (ratios.max(axis=0) / ratios.min(axis=0) <= 1.5).all(), ratios
    dts = 0.6 / (2 * runs[0].stats.steps) * np.linspace(0.97, 1.03, 7)
    even = [iso.integrate(system, iso.Scheme.U0(0.0, 0.5, 0.0), dt=dt, t_end=0.6, save=61) for dt in dts]
    usual = np.median([sizes_of_errors(sol, exact) for sol in even], axis=0)
    assert (usual > sizes_of_errors(runs[0], exact)).all()


@pytest.mark.slow
def test_vibrations_that_last() -> None:
    """Without damping the beam goes on to vibrate along its axis, with a good part of a. Loose
    tolerances, under which its phase is lost, leave an error as large as the vibration; from
    where the phase is kept errors are proportional to rtol."""
    system = problems.get("beam_and_bodies").system()
    rtols = (1e-2, 1e-4, 1e-5)
    runs = [iso.integrate(system, dt=iso.Adaptive(rtol), t_end=0.5, save=101) for rtol in rtols]
    exact = iso.integrate_adaptive(system, rtol=1e-11, t_end=0.5, save=101)
    loose, fine, finer = (sizes_of_errors(sol, exact) for sol in runs)
    assert loose[0] < 1e-2 < 0.1 < loose[2]
    assert np.log10(fine / finer) == pytest.approx([1.0] * 4, abs=0.1)


@numba.njit
def relaxing(q: Any, v: Any, t: float) -> Any:
    return 1000.0 * (1.0 - q**2) * v - q


def test_dampers_take_back_velocities_only() -> None:
    """van der Pol, μ = 1000: of positions no damper takes an error back; an estimate that lets it do
    so lets steps through that end somewhere else."""
    system = iso.MechanicalSystem(M=1.0, Q=relaxing, q0=[2.0], v0=[0.0])
    exact = solve_ivp(
        lambda t, y: [y[1], 1000.0 * (1.0 - y[0] ** 2) * y[1] - y[0]],
        (0.0, 1000.0),
        [2.0, 0.0],
        method="Radau",
        rtol=1e-10,
        atol=1e-12,
    ).y[0, -1]
    for scheme in (None, iso.Scheme.U0(0.9, 1.0, 0.0)):
        for rtol in (1e-2, 1e-3):
            sol = iso.integrate(system, scheme, dt=iso.Adaptive(rtol), t_end=1000.0, save=2)
            assert abs(sol.q[-1, 0] - exact) < rtol
            assert sol.stats.steps < 3000


@numba.njit
def stiff_spring(q: Any, v: Any, t: float) -> Any:
    length = np.sqrt(q[0] ** 2 + q[1] ** 2)
    pull = 1e8 * (length - 1.0) / length
    return np.array([-pull * q[0], -pull * q[1] - 9.81])


def test_stiff_springs_are_not_resolved() -> None:
    """A pendulum on a spring of 1e8 N/m swings as one on a rod, in a few hundred steps."""
    system = iso.MechanicalSystem(M=np.eye(2), Q=stiff_spring, q0=[1.0, 0.0], v0=[0.0, 0.0])
    rod = iso.MechanicalSystem(
        M=np.eye(2),
        Q=lambda q, v, t: np.array([0.0, -9.81]),
        q0=[1.0, 0.0],
        v0=[0.0, 0.0],
        phi=lambda q, t: np.array([0.5 * (q @ q - 1.0)]),
        G=lambda q, t: q[None, :],
    )
    sol = iso.integrate(system, dt=iso.Adaptive(1e-3), t_end=2.0)
    exact = iso.integrate_adaptive(rod, t_end=2.0, rtol=1e-10, save=sol.t)
    assert sol.stats.steps < 1000
    assert np.abs(sol.q - exact.q).max() < 3e-3
    undamped = iso.Scheme.U0(0.0, 1.0, 0.0)  # more steps, the same motion
    sol = iso.integrate(system, undamped, dt=iso.Adaptive(1e-2), t_end=2.0)
    exact = iso.integrate_adaptive(rod, t_end=2.0, rtol=1e-10, save=sol.t)
    assert np.abs(sol.q - exact.q).max() < 3e-2


def test_vibrations_that_nobody_damps() -> None:
    """Where errors of v would be as large as v without what stiff parts take back, a member that does
    not damp says so."""
    found = ErrorSizes(iso.Adaptive(), problems.get("pendulum").system(), 1.0)
    rough = SimpleNamespace(roughest=0.5, roughest_at=0.25)
    with pytest.warns(AccuracyWarning, match=r"stiff parts vibrate at t = 0.25.* not damped by U0\(0.9, 1, 0\)"):
        found.warn_of_vibrations(rough, iso.Scheme.U0(0.9, 1.0, 0.0), stacklevel=1)
    found.warn_of_vibrations(rough, iso.Scheme.U0(0.0, 0.5, 0.0), stacklevel=1)


def test_first_order_and_index_1() -> None:
    """Robertson's reaction as differential and as implicit equations."""

    def rates(s: Any, t: float) -> Any:
        x, y, z = s
        return np.array([-0.04 * x + 1e4 * y * z, 0.04 * x - 1e4 * y * z - 3e7 * y * y, 3e7 * y * y])

    exact = solve_ivp(lambda t, s: rates(s, t), (0.0, 4.0), [1.0, 0.0, 0.0], method="Radau", rtol=1e-11, atol=1e-15).y[
        :, -1
    ]
    free = iso.FirstOrderSystem(rates, [1.0, 0.0, 0.0])
    closed = problems.get("robertson").system()
    for rtol in (1e-3, 1e-4):
        sol = iso.integrate(free, dt=iso.Adaptive(rtol), t_end=4.0)
        assert np.abs(sol.s[-1] / exact - 1.0).max() < rtol
        sol = iso.integrate(closed, dt=iso.Adaptive(rtol), t_end=4.0)
        assert np.abs(sol.x[-1] / exact - 1.0).max() < rtol


def test_breakpoints() -> None:
    """A force that jumps: the run starts anew there, and the error goes with the tolerance."""

    def push(q: Any, v: Any, t: float) -> Any:
        return -q + (5.0 if t > 0.7 else 0.0)

    def exact(t: Any) -> Any:
        return np.cos(t) + np.where(t > 0.7, 5.0 * (1.0 - np.cos(t - 0.7)), 0.0)

    system = iso.MechanicalSystem(M=1.0, Q=push, q0=[1.0], v0=[0.0])
    for rtol in (1e-3, 1e-4, 1e-5):
        sol = iso.integrate(system, dt=iso.Adaptive(rtol), t_end=3.0, breakpoints=[0.7])
        assert np.abs(sol.q[:, 0] - exact(sol.t)).max() < 6.0 * rtol
        assert 0.7 in sol.t
        a = exact(sol.t) * -1.0 + np.where(sol.t >= 0.7, 5.0, 0.0)
        assert np.abs(sol.a[:, 0] - a).max() < 12.0 * rtol
