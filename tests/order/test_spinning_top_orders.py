"""Second order on a body that turns fast: position, orientation, velocity, acceleration and
multipliers of the spinning top."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import isodyn as iso
from isodyn import problems
from isodyn.studies import accurate_motion
from isodyn.studies.errors import gap_of_configurations

rate, eps = 2.0, 0.1
T_END, STEPS = 0.1, (0.001, 0.0005, 0.00025)
SCHEMES = [
    iso.Scheme.U0(0.8, 0.8, 0.8),
    iso.Scheme.optimal(0.5),
    iso.Scheme.V0(1, 1, 0),
    iso.Scheme.central_difference(),
]


@pytest.fixture(scope="module")
def reference() -> Any:
    return accurate_motion(problems.get("spinning_top").system(), T_END)


@pytest.mark.parametrize("scheme", SCHEMES, ids=str)
def test_second_order_of_the_spinning_top(scheme: iso.Scheme, reference: Any) -> None:
    """Over all of time, and at n = 1 alone, where q and v are of third order; constraints at
    rounding."""
    system = problems.get("spinning_top").system()
    largest, first = [], []
    for dt in STEPS:
        sol = iso.integrate(system, scheme, dt=dt, t_end=T_END)
        motion = reference.at(sol.t)
        gap = gap_of_configurations(sol, motion.q)
        errors = [np.abs(x).max(axis=1) for x in (gap[:, :3], gap[:, 3:], sol.v - motion.v, sol.a - motion.a)]
        errors.append(np.abs(sol.lam - motion.lam).max(axis=1))
        largest.append([e.max() for e in errors])
        first.append([e[1] for e in errors])
        position, velocity, _ = sol.drift().largest
        assert position <= 1e-12
        assert velocity <= 1e-12
    for k in (0, 1):
        assert np.log2(np.array(largest[k]) / largest[k + 1]) == pytest.approx(rate, abs=eps)
        slopes = np.log2(np.array(first[k]) / first[k + 1])
        assert slopes[:3] == pytest.approx(rate + 1, abs=eps)
        assert slopes[3:] == pytest.approx(rate, abs=eps)


def test_orientation_error_is_an_angle() -> None:
    """q and −q are the same rotation, and a turn by 0.01 counts 0.01."""
    system = problems.get("spinning_top").system()
    sol = iso.integrate(system, dt=0.001, t_end=0.002)
    q = sol.q.copy()
    q[:, 3:] *= -1
    assert np.abs(gap_of_configurations(sol, q)).max() < 1e-15
    moved = np.array([system.retract(row, [0, 0, 0, 0, 0.01, 0]) for row in sol.q])
    assert np.abs(gap_of_configurations(sol, moved)).max() == pytest.approx(0.01, abs=1e-14)
