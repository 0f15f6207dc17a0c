"""A tolerance below what rounding allows is no failure: the iteration knows its floor, stops there
and counts it."""

from __future__ import annotations

import numpy as np

import isodyn as iso

STIFFNESS, REST, DT = (
    1e12,
    1.0,
    1e-6,
)  # a unit of rounding in q moves the force by 2e-4, while accelerations are about one


def spring(q: np.ndarray, v: np.ndarray, t: float) -> np.ndarray:
    x = q - REST
    return -STIFFNESS * (x + x**3)


def test_iteration_stops_at_the_round_off_floor() -> None:
    """Corrections cannot fall below 1e-4 of the acceleration; asked for are 1e-10. No halving, and
    the energy is right."""
    system = iso.MechanicalSystem(1.0, spring, q0=[REST], v0=[1e-6])
    sol = iso.integrate(system, iso.Scheme.midpoint_epa(), dt=DT, t_end=400 * DT)
    assert sol.stats.round_off_stops > 0
    assert sol.stats.halvings == 0
    energy = sol.v[:, 0] ** 2 + STIFFNESS * (sol.q[:, 0] - REST) ** 2
    assert np.abs(energy / energy[0] - 1.0).max() < 0.05
