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


def errors(name: str, steps: int) -> list[float]:
    """Largest errors of q, v, a and λ over all steps of one size, with an iteration that is carried
    through to rounding."""
    system, t_end = problems.get(name).system(), 1.0
    method = iso.Radau(rtol=1e-2, atol=1e3, first_step=t_end / steps, max_step=t_end / steps)
    run = MethodRun(system, method, plan(0.0, t_end, t_end, (), 1), atol=np.full(system.nq + system.nv, 1e3))
    run.stepper.own.tolerance = run.stepper.own.rounding = ROUNDING / (1e3 * run.stepper.inside)
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
