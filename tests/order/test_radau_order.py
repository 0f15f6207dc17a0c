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
LOOKED_AT = 200  # rows of a run whose errors are looked at, about


def errors(name: str, steps: int) -> list[float]:
    """Largest errors of q, v, a and λ over all steps of one size, with an iteration that is carried
    through to rounding."""
    system, t_end = problems.get(name).system(), 1.0
    method = iso.Radau(rtol=1e-2, atol=1e3, first_step=t_end / steps, max_step=t_end / steps)
    run = MethodRun(system, method, plan(0.0, t_end, t_end, (), 1), atol=np.full(system.nq + system.nv, 1e3))
    run.stepper.own.tolerance = ROUNDING / (1e3 * run.stepper.inside)
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


@pytest.mark.parametrize("name", [pytest.param("van der Pol", marks=pytest.mark.slow), "pendulum", "andrews"])
def test_error_is_proportional_to_rtol(name: str) -> None:
    """Over six decades and all of time error/rtol varies by less than 30 in q and v (by up to 160 where
    steps were held to rtol itself); of Andrews over four, since with rtol = 1e-10 its error is that of
    rounding, 1e-13."""
    stiff, tolerances = name == "van der Pol", (1e-4, 1e-6, 1e-8) if name == "andrews" else (1e-4, 1e-7, 1e-10)
    system = iso.MechanicalSystem(M=1.0, Q=relaxing, q0=[2.0], v0=[0.0]) if stiff else problems.get(name).system()
    t_end = {"van der Pol": 100.0, "pendulum": 1.0, "andrews": 0.01}[name]
    runs = {rtol: iso.integrate(system, iso.Radau(rtol), t_end=t_end) for rtol in tolerances}
    method = iso.Radau(1e-13) if stiff else iso.DOP853(1e-13, max_step=t_end / 200)
    some = {rtol: slice(None, None, max(1, sol.t.size // LOOKED_AT)) for rtol, sol in runs.items()}
    times = np.unique(np.concatenate([sol.t[some[rtol]] for rtol, sol in runs.items()]))
    exact, ratios = iso.integrate(system, method, t_end=t_end, save=times), []
    for rtol, sol in runs.items():
        rows = np.searchsorted(times, sol.t[some[rtol]])
        pairs = [(sol.q[some[rtol]], exact.q[rows]), (sol.v[some[rtol]], exact.v[rows])]
        ratios.append([np.abs(one - two).max() / np.abs(two).max() / rtol for one, two in pairs])
    assert (np.max(ratios, axis=0) < 30.0 * np.min(ratios, axis=0)).all(), ratios
