"""Drift and energies of all rows at once are those of one row after the other."""

from __future__ import annotations

import numpy as np
import pytest
from numba import njit

import isodyn as iso
from isodyn.systems.questions import Questions
from isodyn.systems.scales import pace, reach, sizes_of_rows
from linkages import four_bar


def largest(x):
    return float(np.abs(x).max(initial=0.0))


def drift_by_rows(sol):
    """The formulas of isodyn.results.balance, state by state in Python."""
    ask, slowest = Questions(sol.system, sparse=True), 1.0 / float(sol.t[-1] - sol.t[0])
    fast = max([slowest, *(pace(sol.system, v) for v in sol.v)])
    hard = max([slowest**2, *(pace(sol.system, a) for a in sol.a)])
    levels = np.zeros((3, sol.t.size))
    for i, (t, q, v, a) in enumerate(zip(sol.t, sol.q, sol.v, sol.a, strict=True)):
        sizes, phi = sizes_of_rows(sol.system, ask.G(t, q, v)), ask.position(t, q, v)
        levels[0, i] = largest(phi / sizes[: phi.size]) / reach(sol.system, q)
        levels[1, i] = largest(ask.velocity(t, q, v) / sizes) / fast
        levels[2, i] = largest(ask.acceleration(t, q, v, a) / sizes) / hard
    return levels


def plain_pendulum(wrap):
    return iso.MechanicalSystem(
        np.eye(2),
        wrap(lambda q, v, t: np.array([0.0, -9.81])),
        [3.0, 4.0],
        [0.4, -0.3],
        phi=wrap(lambda q, t: np.array([q @ q - 25.0])),
        energy=wrap(lambda q, v, t: (0.5 * (v @ v), 9.81 * q[1])),
    )


SYSTEMS = {
    "pendulum": lambda: iso.problems.get("pendulum").system(),
    "knife edge": lambda: iso.problems.get("knife_edge").system(),
    "linkage": lambda: four_bar(False).compile(),
    "plain functions": lambda: plain_pendulum(lambda f: f),
    "compiled functions": lambda: plain_pendulum(njit),
}


@pytest.mark.parametrize("name", SYSTEMS)
def test_drift_and_energy(name):
    sol = iso.integrate(SYSTEMS[name](), iso.Scheme.optimal(0.5), iso.AccelerationLevel(), dt=0.005, t_end=0.1)
    sol.v[3] *= 1.0 + 1e-3
    sol.q[5] += 1e-4
    found = sol.drift()
    for level, expected in zip((found.position, found.velocity, found.acceleration), drift_by_rows(sol), strict=True):
        np.testing.assert_allclose(level, expected, rtol=1e-12, atol=1e-16)
    assert found.largest[1] > 1e-6
    if sol.system.energy is not None:
        one_by_one = np.array([sol.system.energy(q, v, t) for q, v, t in zip(sol.q, sol.v, sol.t, strict=True)])
        np.testing.assert_allclose(np.array(sol.energy()).T, one_by_one, rtol=1e-14, atol=1e-14)


def test_linear_energy():
    K = np.array([[3.0, -1.0], [-1.0, 2.0]])
    sol = iso.integrate(iso.LinearSystem([1.0, 2.0], 0.0, K, None, [1.0, 0.5], [0.0, 1.0]), dt=0.1, t_end=1.0)
    one_by_one = np.array([sol.system.energy(q, v, t) for q, v, t in zip(sol.q, sol.v, sol.t, strict=True)])
    np.testing.assert_allclose(np.array(sol.energy()).T, one_by_one, rtol=1e-14)


def test_what_functions_raise_in_drift():
    """An exception of a plain function comes through the pass."""
    sol = iso.integrate(plain_pendulum(lambda f: f), dt=0.01, t_end=0.05)

    def broken(q, t):
        raise ZeroDivisionError("of the user")

    sol.system.constraints.phi_ = broken
    with pytest.raises(ZeroDivisionError, match="of the user"):
        sol.drift()
