"""`integrate_adaptive` against exact motions and the reference of Andrews' mechanism, with both
constraint levels at rounding.

Measured, relative, with the default rtol = 1e-9: Andrews 7e-11 in q, 3e-10 in v, 2e-9 in a, 4e-10
in λ at t = 0.03.
"""

from __future__ import annotations

import numpy as np
import pytest

import isodyn as iso
import rotating_bodies as rotating
from isodyn import problems

EXACT = [
    "kepler",
    "manufactured",
    "oscillator_forced",
    "pendulum",
    "planar_loop_in_space",
    "rheonomic_crank",
    "moving_guide",
    "knife_edge",
    "rolling_disc",
    "constant_speed",
]


def relative(found, exact):
    return np.abs(found - exact).max() / np.abs(exact).max()


@pytest.mark.parametrize("name", EXACT)
@pytest.mark.parametrize("rtol", [1e-7, 1e-11])
def test_exact_motions(name, rtol):
    """q, v, a and λ at output times between the steps; M(q), loads in time, moving and nonholonomic
    rows, redundant rows."""
    problem = problems.get(name)
    sol = iso.integrate_adaptive(problem.system(), t_end=min(problem.t_end, 4.0), rtol=rtol, atol=1e-2 * rtol, save=41)
    exact = problem.exact(sol.t)
    assert relative(sol.q, exact.q) < 50 * rtol
    assert relative(sol.v, exact.v) < 100 * rtol
    assert relative(sol.a, exact.a) < 200 * rtol
    if sol.system.m:
        assert relative(sol.lam, exact.lam) < 200 * rtol
        assert max(sol.drift().largest) < 1e-13


def test_andrews():
    """The mechanism of the test set at t = 0.03, 80-bit reference: far below 2e-7, constraints at
    rounding."""
    problem = problems.get("andrews")
    known, rows = problem.reference, slice(0, 6)
    assert known.t[5] == pytest.approx(0.03)
    sol = iso.integrate_adaptive(problem.system(), t_end=0.03, save=np.minimum(known.t[rows], 0.03))
    assert (np.abs(sol.q[-1] - known.q[5]) <= 2e-7 * np.abs(known.q[5])).all()
    for name, bound in (("q", 1e-9), ("v", 1e-8), ("a", 1e-7), ("lam", 1e-8)):
        assert relative(getattr(sol, name), getattr(known, name)[rows]) < bound, name
    assert max(sol.drift().largest) < 1e-12
    every = iso.integrate_adaptive(problem.system(), t_end=0.03)
    assert max(every.drift().largest) < 1e-12
    assert every.t.size == every.stats.steps + 1 > 50
    assert 0 < every.stats.rejected < every.stats.steps


def test_first_order_systems():
    """s' = h(s, t), plain and linear."""
    sol = iso.integrate_adaptive(iso.FirstOrderSystem(lambda s, t: -2 * t * s, [1.0]), t_end=2.0, save=9)
    assert np.abs(sol.s[:, 0] - np.exp(-(sol.t**2))).max() < 1e-8
    assert np.abs(sol.sdot + 2 * sol.t[:, None] * sol.s).max() < 1e-14
    linear = iso.LinearFirstOrderSystem([[2.0, 0.0], [0.0, 1.0]], [[2.0, -2.0], [1.0, 1.0]], None, [1.0, 0.0])
    sol = iso.integrate_adaptive(linear, t_end=1.0, save=[1.0])
    assert sol.s[0] == pytest.approx(np.exp(-1.0) * np.array([np.cos(1.0), -np.sin(1.0)]), rel=1e-8)


def test_rotations():
    """A top on a pivot in position and quaternion: the motion of Euler's equations, and
    |quaternion| = 1 to rounding."""
    sol = iso.integrate_adaptive(rotating.top_system(), t_end=0.5, rtol=1e-11, atol=1e-13, save=6)
    quaternion, spin = rotating.top_end(0.5)
    assert np.abs(sol.q[-1, 3:] - quaternion).max() < 1e-10
    assert np.abs(sol.v[-1, 3:] - spin).max() < 1e-9
    assert np.abs(np.linalg.norm(sol.q[:, 3:], axis=1) - 1).max() < 1e-14
    assert max(sol.drift().largest) < 1e-13
    assert np.ptp(sum(sol.energy())) < 1e-8


def test_without_projection_the_constraints_drift_with_the_tolerance():
    """The same method leaves φ and φ̇ where its errors put them."""
    system = problems.get("pendulum").system()
    levels = [
        iso.integrate_adaptive(system, t_end=4.0, rtol=1e-7, project=project).drift().largest
        for project in (False, True)
    ]
    assert 1e-9 < levels[0][0] < 1e-5
    assert max(levels[1]) < 1e-14


SEVEN = [
    iso.NullSpace("partitioning"),
    iso.NullSpace("qr"),
    iso.NullSpace("putd"),
    iso.NullSpace("svd"),
    iso.NullSpace("zero-eigenvalue"),
    iso.NullSpace("schur"),
    iso.UdwadiaKalaba("square-root"),
]


@pytest.mark.parametrize("formulation", [None, *SEVEN], ids=repr)
def test_rigid_pendulum_by_every_method(formulation):
    """Ten seconds of the pendulum of the comparison: to the tolerance asked by the seven methods of
    Table 2, and by the compiled one."""
    problem = problems.get("rigid_pendulum")
    for rtol in (1e-9,) if formulation else (1e-6, 1e-12):
        sol = iso.integrate_adaptive(problem.system(), formulation, t_end=10.0, rtol=rtol, atol=1e-2 * rtol, save=51)
        exact = problem.exact(sol.t)
        assert relative(sol.q, exact.q) < 100 * rtol
        assert relative(sol.v, exact.v) < 200 * rtol
        assert relative(sol.lam, exact.lam) < 200 * rtol
        assert max(sol.drift().largest) < 1e-13
