"""Composed schemes have order 4 and 6 in q, v, a and λ, in the maximum norm over all of time."""

import numpy as np
import pytest
from scipy.linalg import expm

import isodyn as iso
from isodyn import problems
from isodyn.studies import accurate_motion
from isodyn.studies.errors import gap_of_configurations

eps = 0.1
CENTRAL, MIDPOINT = iso.Scheme.central_difference(), iso.Scheme.V0(1, 1, 0)


@pytest.mark.parametrize("order", [4, 6])
def test_conditions_of_order(order):
    """Σw = 1, Σw³ = 0 and Σw⁵ = 0 to rounding; palindromes; sub-steps inside the step."""
    scheme = iso.Composition(CENTRAL, order)
    w = np.array(scheme.weights)
    assert np.array_equal(w, w[::-1])
    assert abs(w.sum() - 1.0) < 1e-15
    assert abs((w**3).sum()) < 1e-15
    assert abs((w**5).sum()) < 1e-15 or order == 4
    assert min(scheme.ends) > 0.0
    assert max(scheme.ends) == scheme.ends[-1] == 1.0
    assert np.cumsum(w)[:-1] == pytest.approx(scheme.ends[:-1])


@pytest.mark.parametrize("order", [4, 6])
def test_order_on_a_general_symmetric_step(order):
    """exp(hA + h³B + h⁵C) with matrices that do not commute is the general symmetric step of order
    2 for h⁷."""
    A, B, C = np.random.default_rng(0).standard_normal((3, 4, 4))
    errors = []
    for h in (0.2, 0.1, 0.05):
        product = np.eye(4)
        for w in iso.Composition(CENTRAL, order).weights:
            product = product @ expm(w * h * A + (w * h) ** 3 * B + (w * h) ** 5 * C)
        errors.append(np.abs(product - expm(h * A)).max())
    assert np.log2(errors[1] / errors[2]) == pytest.approx(order + 1, abs=eps)


def slopes(name, base, order, dt, t_end, **options):
    """Of the last refinement, in q, v, a and λ."""
    problem = problems.get(name)
    system = problem.system()
    exact = None if problem.motion is None else problem.motion(np.zeros(1), **problem.parameters)
    reference = accurate_motion(system, t_end) if exact is None else None
    errors = []
    for h in (dt, dt / 2):
        sol = iso.integrate(system, iso.Composition(base, order), dt=h, t_end=t_end, **options)
        motion = problem.motion(sol.t, **problem.parameters) if reference is None else reference.at(sol.t)
        gaps = [gap_of_configurations(sol, motion.q), sol.v - motion.v, sol.a - motion.a]
        gaps += [sol.lam - motion.lam] if system.m else []
        errors.append([np.abs(gap).max() for gap in gaps])
        if system.m:
            assert max(sol.drift().largest) < 1e-12
    return np.log2(np.array(errors[0]) / errors[1])


@pytest.mark.parametrize(
    ("name", "base", "order", "dt", "t_end"),
    [
        ("kepler", CENTRAL, 4, 0.05, 2.0),
        ("kepler", CENTRAL, 6, 0.05, 2.0),
        ("kepler", MIDPOINT, 4, 0.025, 2.0),
        ("kepler", MIDPOINT, 6, 0.05, 2.0),
        ("kepler", iso.Scheme.V0(1, 1, 0.5), 6, 0.05, 2.0),
        ("pleiades", CENTRAL, 4, 0.01, 1.0),
        ("pleiades", MIDPOINT, 4, 0.01, 1.0),
        ("pleiades", CENTRAL, 6, 0.04, 1.0),
        ("manufactured", CENTRAL, 4, 0.1, 1.0),  # M(q), forces of v, loads in time
        ("manufactured", CENTRAL, 6, 0.1, 1.0),
        ("manufactured", MIDPOINT, 4, 0.1, 1.0),
        ("manufactured", MIDPOINT, 6, 0.1, 1.0),
        ("pendulum", CENTRAL, 4, 0.05, 2.0),
        ("pendulum", CENTRAL, 6, 0.05, 2.0),
        ("spherical_pendulum", CENTRAL, 4, 0.05, 1.0),
        ("spherical_pendulum", CENTRAL, 6, 0.05, 1.0),
        ("rheonomic_crank", CENTRAL, 4, 0.02, 0.5),
        ("double_pendulum_doubled", CENTRAL, 6, 0.02, 0.4),  # redundant rows
        ("spinning_top", CENTRAL, 4, 0.004, 0.1),  # rotations
        ("spinning_top", CENTRAL, 6, 0.008, 0.1),
        ("gyroscope", CENTRAL, 6, 0.004, 0.1),
        ("andrews", CENTRAL, 6, 2e-4, 0.01),
    ],
    ids=str,
)
def test_order(name, base, order, dt, t_end):
    assert slopes(name, base, order, dt, t_end) == pytest.approx(order, abs=eps)


@pytest.mark.parametrize("order", [4, 6])
def test_first_order_systems(order):
    """The midpoint rule composes for first-order systems too."""

    def rate(s, t):
        return np.array([s[1], -np.sin(s[0]) - 0.2 * s[1] + np.cos(t)])

    system = iso.FirstOrderSystem(rate, [1.0, 0.0])
    fine = iso.integrate(system, iso.Composition(MIDPOINT, 6), dt=0.01, t_end=2.0).s[-1]
    errors = [
        np.abs(iso.integrate(system, iso.Composition(MIDPOINT, order), dt=dt, t_end=2.0).s[-1] - fine).max()
        for dt in (0.2, 0.1)
    ]
    assert np.log2(errors[0] / errors[1]) == pytest.approx(order, abs=0.25)


def test_jumps_of_loads():
    """Across a breakpoint the order stays, because no sub-step leaves its step."""

    def force(q, v, t):
        return -q + (2.0 if t >= 1.03 else 0.0)

    system = iso.MechanicalSystem(M=1.0, Q=force, q0=[1.0], v0=[0.0])
    scheme = iso.Composition(CENTRAL, 6)
    sol = iso.integrate(system, scheme, dt=0.1, t_end=2.0, breakpoints=[1.03])
    tau = np.maximum(sol.t - 1.03, 0.0)
    assert np.abs(sol.q[:, 0] - np.cos(sol.t) - 2.0 * (1.0 - np.cos(tau))).max() < 1e-8
    (row,) = sol.aux["breakpoint_rows"]
    assert sol.a[row] - sol.aux["a_left"][0] == pytest.approx(2.0)


def test_what_is_saved_does_not_matter():
    system = problems.get("pendulum").system()
    scheme = iso.Composition(CENTRAL, 6)
    every = iso.integrate(system, scheme, dt=0.05, t_end=1.0)
    few = iso.integrate(system, scheme, dt=0.05, t_end=1.0, save_every=5)
    for name in ("q", "v", "a", "lam"):
        assert np.abs(getattr(every, name)[::5] - getattr(few, name)).max() < 1e-12
    assert every.stats.steps == few.stats.steps == 20
    assert every.scheme is scheme
