"""Radau with constant steps is of order 5 in q and v; a, which is solved for at the ends of steps,
follows."""

from __future__ import annotations

import numpy as np
import pytest

import isodyn as iso
from isodyn import problems
from isodyn.marching.method_run import MethodRun
from isodyn.marching.progress import Progress
from isodyn.marching.schedule import plan


def errors(name: str, h: float) -> list[float]:
    """Largest errors over all steps of size h, with an iteration that is carried through."""
    problem, t_end = problems.get(name), 1.0
    method = iso.Radau(rtol=1e-2, atol=1e3, first_step=h, max_step=h)
    atol = np.full(problem.system().nq + problem.system().nv, 1e3)
    run = MethodRun(problem.system(), method, plan(0.0, t_end, t_end, (), 1), atol=atol)
    run.stepper.own.tolerance = 1e-16
    with Progress(run.whole, False) as bar:
        sol = run.execute(bar)
    exact = problem.exact(sol.t)
    return [float(np.abs(getattr(sol, part) - getattr(exact, part)).max()) for part in ("q", "v", "a")]


@pytest.mark.parametrize("name", ["manufactured"])
def test_order_5(name):
    """Slopes in the maximum norm over all of time."""
    coarse, fine = errors(name, 0.1), errors(name, 0.05)
    for one, other in zip(coarse, fine, strict=True):
        assert np.log2(one / other) > 4.6
