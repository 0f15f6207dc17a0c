"""The transistor amplifier and Robertson's reaction: second order at their references, and in x and
x' over all of time, the layer at the start of the reaction (2 ms) included."""

from __future__ import annotations

import numpy as np
import pytest

import isodyn as iso
from isodyn import problems


@pytest.mark.slow
@pytest.mark.parametrize(
    ("name", "t_end", "dts"),
    [("transistor_amplifier", 0.2, (2e-4, 1e-4)), ("robertson", 0.4, (4e-4, 2e-4))],
)
def test_second_order_at_the_reference(name: str, t_end: float, dts: tuple[float, float]) -> None:
    problem = problems.get(name)
    runs = [iso.integrate(problem.system(), problem.scheme, dt=dt, t_end=t_end) for dt in dts]
    coarse, fine = (np.abs(sol.v[-1] - problem.reference.v[0]).max() for sol in runs)
    assert np.log2(coarse / fine) == pytest.approx(2.0, abs=0.15)


@pytest.mark.slow
@pytest.mark.parametrize(("name", "t_end", "dt"), [("transistor_amplifier", 0.01, 1e-4), ("robertson", 0.02, 5e-5)])
def test_second_order_over_all_of_time(name: str, t_end: float, dt: float) -> None:
    """Against steps eight times as short."""
    problem = problems.get(name)
    runs = [iso.integrate(problem.system(), problem.scheme, dt=dt / k, t_end=t_end, save_every=k) for k in (1, 2, 8)]
    coarse, fine = ([np.abs(getattr(sol, x) - getattr(runs[2], x)).max() for x in ("x", "xdot")] for sol in runs[:2])
    assert np.log2(np.divide(coarse, fine)) == pytest.approx(2.0, abs=0.15)
