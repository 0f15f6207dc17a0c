"""Properties of every member, for radii chosen by hypothesis."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from isodyn.schemes import (
    FirstOrderScheme,
    Scheme,
    alpha_parameters,
    amplification_matrix,
    critical_frequency,
    first_order_critical_step,
    roots_at_infinity,
)

unit = st.floats(0.0, 1.0)
admissible = st.tuples(unit, unit, unit).map(sorted).map(lambda r: (r[1], r[2], r[0]))
above_minus_one = st.floats(-0.9, 1.5)
family = st.sampled_from([Scheme.U0, Scheme.V0])


@given(family, admissible)
def test_admissible_members_are_second_order_and_stable(make, radii):
    s = make(*radii)
    assert s.order == 2
    assert -1e-15 <= s.phi <= 1.0
    assert s.W1L6 >= 0.5 - 1e-15
    assert critical_frequency(s) == np.inf


@given(family, admissible)
def test_roots_at_infinity_are_real_and_the_radii(make, radii):
    np.testing.assert_allclose(roots_at_infinity(make(*radii)), -np.sort(radii), atol=1e-6)


@given(family, admissible, st.sampled_from([(0, 0, 0), (0, 1, 0), (0, 0, 1), (1, 1, 0), (1, 0, 1)]))
def test_eta_touches_three_coefficients_only(make, radii, eta):
    s, e = make(*radii), make(*radii, eta=eta)
    assert (e.W3L3, e.W2L5, e.l3) == pytest.approx((eta[0] * s.W3L3, eta[1] * s.W2L5, eta[2] * s.l3))
    assert (e.W1, e.W2L2, e.W1L6, e.l5) == (s.W1, s.W2L2, s.W1L6, s.l5)
    assert e.order == 2
    assert e.explicit == (eta[:2] == (0, 0))
    assert e.half_explicit == (eta[:2] == (0, 1))


@given(family, above_minus_one, above_minus_one)
def test_coefficients_are_symmetric_in_the_principal_radii(make, one, other):
    a, b = (make(x, y, 0.5, explicit=True) for x, y in ((one, other), (other, one)))
    np.testing.assert_allclose(list(a.coefficients.values()), list(b.coefficients.values()), rtol=1e-12)


@given(family, admissible, st.floats(0.0, 1e3), st.floats(0.0, 2.0))
def test_rigid_motion_is_exact(make, radii, Omega, xi):
    """A at Omega = 0 moves x by dt v and keeps v when a = 0; at any Omega rest stays rest."""
    s = make(*radii)
    np.testing.assert_allclose(amplification_matrix(s, 0.0) @ [1.0, 2.0, 0.0], [3.0, 2.0, 0.0], atol=1e-14)
    assert np.all(np.isfinite(amplification_matrix(s, Omega, xi)))


@given(admissible)
def test_implicit_u0_round_trips_through_alpha_parameters(radii):
    s = Scheme.U0(*radii)
    alpha_m, alpha_f, beta, gamma = alpha_parameters(s)
    assert gamma == pytest.approx(0.5 - alpha_m + alpha_f)
    assert beta == s.l3
    if radii[0] == radii[1] == radii[2]:
        again = Scheme.generalised_alpha(alpha_m=min(alpha_m, alpha_f), alpha_f=alpha_f)
        np.testing.assert_allclose(list(again.coefficients.values()), list(s.coefficients.values()), rtol=1e-9)


@given(unit, unit)
@settings(max_examples=50)
def test_gs4_1_members_are_second_order_and_stable(a, b):
    rho_s, rho = sorted((a, b))
    s = FirstOrderScheme.GS4_1(rho, rho_s)
    assert s.order == 2
    assert first_order_critical_step(s) == np.inf
    assert Scheme.V0(rho, 1.0, rho_s).first_order().order == 2
