"""Radau with constant steps is of order 5 in q and v; a and λ, which are solved for at the ends of
steps, follow, with constraints too. With steps of its own the error is proportional to rtol."""

from __future__ import annotations

from typing import Any

import numba
import numpy as np
import pytest

import isodyn as iso
from isodyn import problems
from isodyn.marching.method_run import MethodRun
from isodyn.marching.progress import Progress
from isodyn.marching.schedule import plan

ROUNDING = 3e-13  # of the iteration for the stages, absolute
STIFF = ("van der Pol", "Robertson")
LOOKED_AT = 200  # rows of a run whose errors are looked at, about


def errors(name: str, steps: int, times: np.ndarray | None = None) -> list[float]:
    """Largest errors of q, v, a and λ over all steps of one size, or at these times, with an iteration
    that is carried through to rounding."""
    system, t_end = problems.get(name).system(), 1.0
    method = iso.Radau(rtol=1e-2, atol=1e3, first_step=t_end / steps, max_step=t_end / steps)
    allowed = np.full(system.nq + system.nv, 1e3)
    run = MethodRun(system, method, plan(0.0, t_end, t_end, (), 1), atol=allowed, times=times)
    run.stepper.own.tolerance = run.stepper.own.rounding = ROUNDING / (1e3 * run.stepper.own.inside)
    with Progress(run.whole, False) as bar:
        sol = run.execute(bar)
    assert sol.stats.steps == steps
    exact = iso.integrate(system, iso.DOP853(1e-13, max_step=t_end / 200), t_end=t_end, save=sol.t)
    parts = ("q", "v", "a", "lam") if system.m else ("q", "v", "a")
    return [float(np.abs(getattr(sol, part) - getattr(exact, part)).max()) for part in parts]


@pytest.mark.parametrize("name", ["manufactured", "pendulum", "moving_guide", "rheonomic_crank"])
def test_order_5(name: str) -> None:
    """Slopes in the maximum norm over all of time."""
    steps = 60 if name == "pendulum" else 20  # eight iterations lead to rounding
    coarse, fine = errors(name, steps), errors(name, 2 * steps)
    for one, other in zip(coarse, fine, strict=True):
        assert np.log2(one / other) > 4.6


@numba.njit
def relaxing(q: Any, v: Any, t: float) -> Any:
    return 100.0 * (1.0 - q**2) * v - q


@numba.njit
def reacting(s: Any, t: float) -> Any:
    slow, back, fast = 0.04 * s[0], 1e4 * s[1] * s[2], 3e7 * s[1] ** 2
    return np.array([back - slow, slow - back - fast, fast])


def motion(name: str) -> tuple[Any, float]:
    """A system, and how long it is looked at."""
    if name == "van der Pol":
        return iso.MechanicalSystem(M=1.0, Q=relaxing, q0=[2.0], v0=[0.0]), 100.0
    if name == "Robertson":
        return iso.FirstOrderSystem(reacting, s0=[1.0, 0.0, 0.0]), 1e4
    return problems.get(name).system(), {"pendulum": 1.0, "andrews": 0.01}[name]


def relative(found: np.ndarray, true: np.ndarray) -> float:
    """The largest error, relative to the largest value of its component."""
    most = np.abs(true).max(axis=0)
    return float((np.abs(found - true).max(axis=0) / np.maximum(most, 1e-3 * most.max())).max())


@pytest.mark.parametrize(
    "name", [pytest.param("van der Pol", marks=pytest.mark.slow), "Robertson", "pendulum", "andrews"]
)
def test_error_is_proportional_to_rtol(name: str) -> None:
    """Over six decades and all of time error/rtol varies by less than 30 in q and v (by up to 160 where
    steps were held to rtol itself, by 54 for Robertson's reactions where the iteration might leave ten
    units of the last place in every step); of Andrews over four, since with rtol = 1e-10 its error is
    that of rounding, 1e-13."""
    stiff, tolerances = name in STIFF, (1e-4, 1e-6, 1e-8) if name == "andrews" else (1e-4, 1e-7, 1e-10)
    system, t_end = motion(name)
    runs = {rtol: iso.integrate(system, iso.Radau(rtol), t_end=t_end) for rtol in tolerances}
    method = iso.Radau(1e-12) if stiff else iso.DOP853(1e-13, max_step=t_end / 200)
    some = {rtol: slice(None, None, max(1, sol.t.size // LOOKED_AT)) for rtol, sol in runs.items()}
    times = np.unique(np.concatenate([sol.t[some[rtol]] for rtol, sol in runs.items()]))
    exact, ratios = iso.integrate(system, method, t_end=t_end, save=times), []
    for rtol, sol in runs.items():
        rows = np.searchsorted(times, sol.t[some[rtol]])
        pairs = [(sol.q[some[rtol]], exact.q[rows]), (sol.v[some[rtol]], exact.v[rows])]
        ratios.append([relative(one, two) / rtol for one, two in pairs if two.size])
    assert (np.max(ratios, axis=0) < 30.0 * np.min(ratios, axis=0)).all(), ratios


@pytest.mark.parametrize("name", ["moving_guide", "pendulum"])
def test_rows_between_steps_are_of_order_5(name: str) -> None:
    """The polynomials through the stages lack a term, which the embedded error knows: rows inside
    steps were of order 4, with errors 10 to 100 times those at the ends of steps."""
    steps = 60 if name == "pendulum" else 20
    coarse, fine = (errors(name, n, np.linspace(0.0, 1.0, 54)) for n in (steps, 2 * steps))
    for one, other in zip(coarse, fine, strict=True):
        assert np.log2(one / other) > 4.6


def test_errors_where_rates_enter_by_their_cube() -> None:
    """The first correction of s is large beside those that follow, since the guess of s is worse than
    that of its rate: what is left of the rate has to be judged by its own corrections."""

    def F(t, x, xdot):
        return np.array([xdot[0] ** 3 + xdot[0] - np.cos(t) ** 3 - np.cos(t) - x[0] + np.sin(t)])

    ratios = []
    for rtol in (1e-4, 1e-6, 1e-8, 1e-10):
        sol = iso.integrate(iso.ImplicitSystem(F, x0=[0.0], xdot0=[1.0]), iso.Radau(rtol=rtol), t_end=6.0)
        ratios.append(np.abs(sol.x[:, 0] - np.sin(sol.t)).max() / rtol)
    assert max(ratios) < 5e-3


@pytest.mark.parametrize("save", [None, 61])
def test_algebraic_unknowns_of_index_2_are_as_accurate_as_the_states(save: int | None) -> None:
    """z follows from s and the derivative of c, at the ends of steps and inside them. Stages know it
    to order 3, and rows inside steps had errors from 0.05 rtol (1e-4) to 12 rtol (1e-10)."""
    problem = problems.get("circle_index2")
    for rtol in (1e-4, 1e-7, 1e-10):
        sol = iso.integrate(problem.system(), iso.Radau(rtol), t_end=2.0, save=save)
        exact = problem.exact(sol.t)
        for x in ("v", "a", "lam"):
            assert relative(getattr(sol, x), getattr(exact, x)) < 1e-3 * rtol + 3e-12, (rtol, x)
        assert np.abs((sol.v**2).sum(axis=1) - 1.0).max() < 1e-4 * rtol + 1e-12


@pytest.mark.parametrize(("length", "speed"), [(1.0, 1.0), (1e-6, 1e4), (1e3, 1e-3)])
def test_algebraic_unknowns_that_vanish(length: float, speed: float) -> None:
    """A point on a circle with z = 0: no correction is small beside z, and z of the stages stayed; in
    other units of length and time too."""

    def h(s: Any, z: Any, t: float) -> Any:
        return speed * np.array([-s[1] + s[0] * z[0], s[0] + s[1] * z[0]])

    system = iso.FirstOrderSystem(h, [length, 0.0], z0=[0.0], c=lambda s, z, t: np.array([s @ s - length**2]))
    sol = iso.integrate(system, iso.Radau(1e-8), t_end=2.0 / speed, save=21)
    assert np.abs(sol.v[:, 0] / length - np.cos(speed * sol.t)).max() < 1e-8
    assert np.abs(sol.a[:, 0] / (speed * length) + np.sin(speed * sol.t)).max() < 1e-7
    assert np.abs(sol.lam).max() < 1e-8


def test_constraints_that_change_faster_than_the_state() -> None:
    """c contains sin(1000 t), beside a state that hardly moves: z inside steps was wrong by 1.3."""

    def h(s: Any, z: Any, t: float) -> Any:
        return np.array([0.1 * s[0], z[0]])

    def c(s: Any, z: Any, t: float) -> Any:
        return np.array([s[1] - 1e-3 * np.sin(1000.0 * t)])

    system = iso.FirstOrderSystem(h, [1.0, 0.0], z0=[1.0], c=c)
    sol = iso.integrate(system, iso.Radau(1e-7), t_end=0.05, save=51)
    assert np.abs(sol.lam[:, 0] - np.cos(1000.0 * sol.t)).max() < 1e-5


def rowwise(s: Any, z: Any, t: float) -> Any:
    return np.array([-s[1] + 2.0 * s[0] * z[0], s[0] + 2.0 * s[1] * z[0], z[1] - s[2]])


def closing(s: Any, z: Any, t: float) -> Any:
    return np.array([s[0] ** 2 + s[1] ** 2 - 1.0, z[1] ** 3 + z[1] - s[0]])


def tangled(s: Any, z: Any, t: float) -> Any:
    c = closing(s, z, t)
    return np.array([c[0] + c[1], c[0] - c[1]])


@pytest.mark.parametrize("c", [closing, tangled])
def test_rows_of_both_kinds(c: Any) -> None:
    """One unknown of index 2, one of index 1; or combinations of them, whose unknowns are those of
    the stages, which are good to the tolerance."""
    system = iso.FirstOrderSystem(rowwise, [1.0, 0.0, 0.0], z0=[0.0, 0.68], c=c)
    sol = iso.integrate(system, iso.Radau(1e-8), t_end=2.0, save=41)
    root = sol.lam[:, 1]
    assert np.abs(root**3 + root - np.cos(sol.t)).max() < (1e-9 if c is closing else 1e-7)
    assert np.abs(sol.lam[:, 0]).max() < (1e-10 if c is closing else 1e-7)
    assert np.abs(sol.v[:, 0] - np.cos(sol.t)).max() < 1e-9


@pytest.mark.parametrize("stiffness", [1e4, 1e8, 1e12])
def test_accelerations_of_stiff_parts_between_steps(stiffness: float) -> None:
    """A point that a stiff spring with damping holds to a moving place. a solved for at (q, v) inside
    a step magnifies their errors by k/m: a was wrong by 3 for 1e8 and by 3e4 for 1e12, without a
    word, where q was good to 7 digits. Stages know a to order 2 then, 1e-3 here."""
    c = np.sqrt(stiffness)

    def force(q: Any, v: Any, t: float) -> Any:
        return -stiffness * (q - np.sin(t)) - c * (v - np.cos(t)) - np.sin(t)

    system = iso.MechanicalSystem(M=1.0, Q=force, q0=[0.0], v0=[1.0])
    sol = iso.integrate(system, iso.Radau(1e-4), t_end=3.0, save=41)
    assert np.abs(sol.a[:, 0] + np.sin(sol.t)).max() < 2e-3


def test_accelerations_of_a_stiff_beam_with_constraints() -> None:
    """A clamped beam whose load grows; its accelerations and reactions beside those of steps of GS4
    that damp what they do not resolve. With 16 elements a was wrong by 160 %."""
    system = problems.get("elastica").system(elements=4.0)
    exact = iso.integrate(system, dt=iso.Adaptive(1e-5), t_end=0.5, save=21)
    sol = iso.integrate(system, iso.Radau(1e-6), t_end=0.5, save=21)
    for x, bound in (("q", 1e-5), ("v", 1e-5), ("a", 1e-4), ("lam", 1e-5)):
        assert relative(getattr(sol, x), getattr(exact, x)) < bound, x
    assert max(sol.drift().largest) < 1e-12
