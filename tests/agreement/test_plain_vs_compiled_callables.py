"""A system from plain Python functions and its twin from `@njit` functions give identical
numbers."""

import numba
import numpy as np
import pytest

import isodyn as iso
from isodyn.problems import manufactured

S = iso.Scheme


@pytest.mark.parametrize(
    "scheme", [S.U0(0.5, 0.5, 0.5), S.V0(0.3, 0.7, 0.1), S.central_difference(), S.optimal(0)], ids=lambda s: s.name
)
def test_identical_bit_for_bit(scheme):
    plain = iso.integrate(manufactured.plain_system(), scheme, dt=0.01, t_end=1.0)
    twin = iso.integrate(manufactured.compiled_system(), scheme, dt=0.01, t_end=1.0)
    for name in ("t", "q", "v", "a"):
        assert np.array_equal(getattr(plain, name), getattr(twin, name)), name
    assert plain.stats.iterations == twin.stats.iterations


def test_first_order_twins():
    def h(s, t):
        return np.array([1.0 - 4.0 * s[0] + s[0] * s[0] * s[1], 3.0 * s[0] - s[0] * s[0] * s[1]])

    plain = iso.integrate(iso.FirstOrderSystem(h, [1.0, 1.0]), S.optimal(0.5), dt=0.01, t_end=2.0)
    twin = iso.integrate(iso.FirstOrderSystem(numba.njit(h), [1.0, 1.0]), S.optimal(0.5), dt=0.01, t_end=2.0)
    assert np.array_equal(plain.s, twin.s)
    assert np.array_equal(plain.sdot, twin.sdot)


def test_supplied_derivatives_change_the_cost_not_the_motion():
    def Q(q, v, t):
        return np.array([-np.sin(q[0]) - 0.1 * v[0] ** 3])

    def Q_q(q, v, t):
        return np.array([[-np.cos(q[0])]])

    def Q_v(q, v, t):
        return np.array([[-0.3 * v[0] ** 2]])

    arguments = {"dt": 0.05, "t_end": 5.0, "newton": iso.Newton(rtol=1e-13)}
    differences = iso.integrate(iso.MechanicalSystem(1.0, Q, [1.0], [2.0]), S.hht(0.7), **arguments)
    for wrap in (lambda f: f, numba.njit):
        system = iso.MechanicalSystem(1.0, wrap(Q), [1.0], [2.0], Q_q=wrap(Q_q), Q_v=wrap(Q_v))
        supplied = iso.integrate(system, S.hht(0.7), **arguments)
        assert np.allclose(supplied.a, differences.a, rtol=0, atol=1e-10)
        assert supplied.stats.evaluations < differences.stats.evaluations


@pytest.mark.parametrize("newton", [iso.Newton(rtol=1e-13, full=True), iso.Newton(rtol=1e-13, reuse=True)])
def test_full_and_kept_jacobians_lead_to_the_same_motion(newton):
    reference = iso.integrate(
        manufactured.compiled_system(), S.U0(0.5, 0.5, 0.5), dt=0.01, t_end=1.0, newton=iso.Newton(rtol=1e-13)
    )
    other = iso.integrate(manufactured.compiled_system(), S.U0(0.5, 0.5, 0.5), dt=0.01, t_end=1.0, newton=newton)
    assert np.allclose(other.a, reference.a, rtol=0, atol=1e-10)
    if newton.reuse:
        assert other.stats.factorisations < reference.stats.factorisations / 5
    else:
        assert other.stats.factorisations == other.stats.iterations
