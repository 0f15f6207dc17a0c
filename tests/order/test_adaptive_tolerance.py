"""With adaptive steps the error follows rtol over decades, and the cost grows like rtol^(−1/8)."""

from __future__ import annotations

import numpy as np
import pytest

import isodyn as iso
from isodyn import problems

DECADES = np.array([1e-6, 1e-7, 1e-8, 1e-9, 1e-10, 1e-11, 1e-12])


def study(name, dense):
    problem = problems.get(name)
    errors, evaluations = [], []
    for rtol in DECADES:
        save = 31 if dense else None
        sol = iso.integrate_adaptive(problem.system(), t_end=8.0, rtol=rtol, atol=1e-3 * rtol, save=save)
        exact = problem.exact(sol.t)
        errors.append([np.abs(getattr(sol, x) - getattr(exact, x)).max() for x in ("q", "v", "a")])
        evaluations.append(sol.stats.evaluations)
    return np.array(errors), np.array(evaluations)


@pytest.mark.parametrize("name", ["kepler", "pendulum", "manufactured", "moving_guide"])
@pytest.mark.parametrize("dense", [False, True], ids=["steps", "dense"])
def test_error_is_proportional_to_rtol(name, dense):
    """Slope of log error over log rtol near one in q, v and a; the least is Kepler's 0.78, as with
    SciPy's own steps."""
    errors, evaluations = study(name, dense)
    slopes = np.polyfit(np.log(DECADES), np.log(errors), 1)[0]
    assert slopes == pytest.approx([1.0] * 3, abs=0.25)
    assert (errors < [100 * rtol * np.array([1, 2, 5]) for rtol in DECADES]).all()
    growth = np.polyfit(np.log(DECADES), np.log(evaluations), 1)[0]
    assert -0.14 < growth < -0.08  # 1/8, less the steps that output and the ends of the run cost


def test_halving_the_steps_of_order_eight():
    """Fixed steps, forced by max_step under a loose tolerance: the error falls by 2⁸."""
    problem = problems.get("pendulum")
    errors = []
    for h in (0.1, 0.05):
        sol = iso.integrate_adaptive(problem.system(), t_end=2.0, rtol=0.1, atol=1.0, first_step=h, max_step=h)
        assert sol.stats.steps == round(2.0 / h)
        errors.append(np.abs(sol.q - problem.exact(sol.t).q).max())
    assert np.log2(errors[0] / errors[1]) == pytest.approx(8.0, abs=0.7)
