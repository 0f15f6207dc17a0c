"""Linear theory of the schemes: roots at infinity, stability limits, the three-step form, damping
and period error."""

from __future__ import annotations

import numpy as np
import pytest

from isodyn.schemes import (
    FirstOrderScheme,
    Scheme,
    amplification_matrix,
    bifurcation_frequency,
    characteristic_coefficients,
    critical_frequency,
    damping_ratio,
    first_order_amplification_matrix,
    first_order_critical_step,
    first_order_roots_at_infinity,
    first_order_spectral_radius,
    load_operator,
    period_error,
    roots_at_infinity,
    satisfies_symplectic_condition,
    spectral_radius,
    three_step_form,
)

FAMILIES = (Scheme.U0, Scheme.V0)


def random_radii(count: int, seed: int = 20140) -> np.ndarray:
    """Rows (rho_min, rho_max, rho_s) with 0 <= rho_s <= rho_min <= rho_max <= 1."""
    return np.sort(np.random.default_rng(seed).random((count, 3)), axis=1)[:, [1, 2, 0]]


@pytest.mark.parametrize("family", FAMILIES, ids=["U0", "V0"])
def test_roots_at_infinity_are_the_chosen_radii(family):
    for radii in random_radii(200):
        s = family(*radii)
        expected = -np.sort(radii)
        np.testing.assert_allclose(roots_at_infinity(s), expected, atol=1e-9)
        far = np.linalg.eigvals(amplification_matrix(s, 1e8))
        np.testing.assert_allclose(np.sort(np.abs(far)), -expected, atol=1e-6)


@pytest.mark.parametrize("family", FAMILIES, ids=["U0", "V0"])
@pytest.mark.parametrize("rho", [0.0, 0.3, 0.77, 1.0])
def test_coincident_roots_at_infinity_stay_accurate(family, rho):
    """The limit matrix is defective here: plain eigenvalues are good to 1e-5 only."""
    np.testing.assert_allclose(roots_at_infinity(family(rho, rho, rho)), -rho, atol=1e-7)
    np.testing.assert_allclose(np.abs(roots_at_infinity(family(rho, 1.0, rho))), [rho, rho, 1.0], atol=1e-7)


def test_explicit_members_have_one_infinite_root():
    roots = roots_at_infinity(Scheme.central_difference())
    assert np.isinf(roots[2])
    assert np.all(np.isfinite(roots[:2]))


@pytest.mark.parametrize("family", FAMILIES, ids=["U0", "V0"])
def test_implicit_members_are_unconditionally_stable(family):
    Omega = np.logspace(-2, 6, 400)
    for radii in random_radii(40, seed=7):
        s = family(*radii)
        assert critical_frequency(s) == np.inf
        assert critical_frequency(s, xi=0.2) == np.inf
        assert np.max(spectral_radius(s, Omega)) < 1.0 + 1e-9


@pytest.mark.parametrize("rho", [0.0, 0.4, 0.9, 1.0])
def test_radii_of_principal_roots_one_mean_no_dissipation(rho):
    Omega = np.logspace(-1, 3, 200)
    for s in (Scheme.non_dissipative_u0(rho), Scheme.non_dissipative_v0(rho)):
        np.testing.assert_allclose(spectral_radius(s, Omega), 1.0, atol=1e-9)
    if rho < 1.0:
        assert spectral_radius(Scheme.optimal(rho), 1.0) < 1.0 - 1e-5


@pytest.mark.parametrize(
    "s",
    [
        Scheme.central_difference(),
        Scheme.U0(0.4, 0.4, 0, explicit=True),
        Scheme.U0(0.1, 0.7, 0, explicit=True),
        Scheme.U0(1, 1, 1, explicit=True),
        Scheme.U0(1, 1, 0.3, explicit=True),
        Scheme.V0(0.4, 1, 1, explicit=True),
        Scheme.V0(1, 0.4, 1, explicit=True),
    ],
    ids=str,
)
def test_non_dissipative_explicit_members_reach_two(s):
    """The members of (2.59)."""
    assert critical_frequency(s) == pytest.approx(2.0, abs=1e-12)
    np.testing.assert_allclose(spectral_radius(s, np.linspace(0.1, 1.99, 50)), 1.0, atol=1e-9)
    assert spectral_radius(s, 2.01) > 1.01


@pytest.mark.parametrize("s", [Scheme.U0(0.5, 0.5, 0.5, explicit=True), Scheme.V0(0.5, 1, 0.5, explicit=True)], ids=str)
def test_explicit_members_of_chapter_four_are_never_stable(s):
    assert critical_frequency(s) == 0.0
    Omega = np.array([0.03, 0.1, 0.5, 1.0])
    assert np.all(spectral_radius(s, Omega) > 1.0 + 1e-2 * Omega**4)


@pytest.mark.parametrize(("beta", "limit"), [(0.0, 2.0), (1 / 12, 6.0**0.5), (1 / 6, 12.0**0.5), (0.25, np.inf)])
def test_newmark_limit_is_one_over_root_of_quarter_minus_beta(beta, limit):
    assert critical_frequency(Scheme.newmark(beta, 0.5)) == pytest.approx(limit, rel=1e-12)


@pytest.mark.parametrize("xi", [0.0, 0.05, 0.3])
@pytest.mark.parametrize("eta", [(0, 0, 0), (0, 1, 0), (0, 0, 1)])
def test_critical_frequency_against_eigenvalues(xi, eta):
    Omega = np.linspace(0.1, 5.0, 4901)
    finite = 0
    for radii in np.random.default_rng(3).random((25, 3)):
        for family in FAMILIES:
            s = family(*radii, eta=eta)
            unstable = spectral_radius(s, Omega, xi) > 1.0 + 1e-8
            limit = critical_frequency(s, xi)
            first = Omega[np.argmax(unstable)] if unstable.any() else np.inf
            assert first == pytest.approx(limit, abs=2e-3) or (limit == 0.0 and first == Omega[0]), s.name
            finite += np.isfinite(limit)
    assert finite > 0


def test_explicit_velocity_of_midpoint_member_is_unstable_with_damping():
    """Explicit U0(1, 1, 1) has its spurious root at -1 for Omega = 0; damping pushes it out."""
    s = Scheme.U0(1, 1, 1, explicit=True)
    assert critical_frequency(s, xi=0.1) == 0.0
    assert spectral_radius(s, 0.01, 0.1) > 1.0
    assert critical_frequency(Scheme.U0(1, 1, 1, eta=(0, 1, 0)), xi=0.1) == pytest.approx(2.0)


def test_three_step_form_reproduces_the_characteristic_polynomial():
    rng = np.random.default_rng(11)
    for radii in random_radii(30, seed=5):
        for s in (Scheme.U0(*radii), Scheme.V0(*radii), Scheme.V0(*radii, explicit=True), Scheme.newmark(0.2, 0.5)):
            alpha, beta, gamma = three_step_form(s)
            Omega, xi = rng.uniform(0.01, 20.0), rng.uniform(0.0, 1.0)
            form = alpha - 2.0 * xi * Omega * beta - Omega**2 * gamma
            A1, A2, A3 = characteristic_coefficients(s, Omega, xi)
            np.testing.assert_allclose(form / form[0], [1.0, -A1, A2, -A3], rtol=1e-9, atol=1e-9)


def test_load_operator_is_the_step_under_a_constant_load_from_rest():
    s, Omega, xi = Scheme.V0(0.3, 0.8, 0.1), 0.7, 0.2
    da = 1.0 / (s.W1L6 + 2 * xi * Omega * s.W2L5 + Omega**2 * s.W3L3)
    np.testing.assert_allclose(load_operator(s, Omega, xi), [s.l3 * da, s.l5 * da, da], rtol=1e-14)
    fixed_point = np.linalg.solve(np.eye(3) - amplification_matrix(s, Omega, xi), load_operator(s, Omega, xi))
    np.testing.assert_allclose(fixed_point, [1.0 / Omega**2, 0.0, 0.0], atol=1e-12)


def test_amplification_matrix_is_one_step_written_out():
    s, w, dt, xi = Scheme.U0(0.2, 0.6, 0.1), 3.0, 0.2, 0.15
    q, v, a = 0.7, -0.4, 1.3
    at_predictor = a + 2 * xi * w * (v + s.W1 * a * dt) + w**2 * (q + s.W1 * v * dt + s.W2L2 * a * dt**2)
    da = -at_predictor / (s.W1L6 + 2 * xi * w * s.W2L5 * dt + w**2 * s.W3L3 * dt**2)
    expected = [q + v * dt + (0.5 * a + s.l3 * da) * dt**2, (v + (a + s.l5 * da) * dt) * dt, (a + da) * dt**2]
    A = amplification_matrix(s, w * dt, xi)
    np.testing.assert_allclose(A @ [q, v * dt, a * dt**2], expected, rtol=1e-13)
    assert amplification_matrix(s, np.ones((4, 5)), xi).shape == (4, 5, 3, 3)


def test_period_error_and_damping_of_known_members():
    Omega = np.array([0.1, 0.5, 1.0])
    np.testing.assert_allclose(period_error(Scheme.newmark(), Omega), Omega / (2 * np.arctan(Omega / 2)) - 1, rtol=1e-8)
    expected = Omega / (2 * np.arcsin(Omega / 2)) - 1
    np.testing.assert_allclose(period_error(Scheme.central_difference(), Omega), expected, rtol=1e-8)
    np.testing.assert_allclose(damping_ratio(Scheme.newmark(), Omega), 0.0, atol=1e-12)
    assert np.all(damping_ratio(Scheme.generalised_alpha(0.5), Omega) > 0.0)


@pytest.mark.parametrize("s", [Scheme.optimal(0.3), Scheme.V0(0.2, 0.9, 0.1), Scheme.hht(0.8)], ids=str)
def test_damping_and_period_converge_to_the_physical_ones(s):
    xi, Omega = 0.1, np.array([0.1, 0.05])
    damping, period = np.abs(damping_ratio(s, Omega, xi) - xi), np.abs(period_error(s, Omega, xi))
    assert damping[1] < 1e-3
    assert np.log2(damping[0] / damping[1]) == pytest.approx(2.0, abs=0.2)
    assert np.log2(period[0] / period[1]) == pytest.approx(2.0, abs=0.2)


def test_no_period_behind_the_bifurcation():
    s = Scheme.optimal(0.5)
    limit = bifurcation_frequency(s)
    assert np.all(np.isfinite(period_error(s, [0.5 * limit, 0.999 * limit])))
    assert np.all(np.isnan(period_error(s, [1.001 * limit, 2 * limit, 50 * limit])))
    assert bifurcation_frequency(Scheme.generalised_alpha(0.5)) == np.inf
    assert np.all(np.isnan(damping_ratio(s, [0.0, 0.1], xi=1.5)))
    assert np.isnan(period_error(s, 0.0))


def test_pair_of_a_principal_and_the_spurious_root_is_not_an_oscillation():
    s = Scheme.V0(0.2, 0.4, 0.1, explicit=True)
    Omega = 10.0
    assert Omega > bifurcation_frequency(s)
    assert np.max(np.linalg.eigvals(amplification_matrix(s, Omega)).imag) > 0.1
    assert np.isnan(period_error(s, Omega))


def test_symplectic_condition():
    assert satisfies_symplectic_condition(Scheme.U0(1, 1, 1))
    assert satisfies_symplectic_condition(Scheme.V0(1, 1, 0.4))
    assert satisfies_symplectic_condition(Scheme.U0(0.3, 0.9, 0, explicit=True))
    assert satisfies_symplectic_condition(Scheme.V0(1 / 3, 1 / 3, 0.3, explicit=True))
    assert not satisfies_symplectic_condition(Scheme.U0(1, 1, 0))
    assert not satisfies_symplectic_condition(Scheme.V0(0.9, 1, 0.4))


def test_explicit_v0_members_that_pass_the_condition_may_dissipate():
    """(2.172b) is not enough: only with W2L2 = 1/2, i.e. radii (0, 1, rho_s), is the spectral
    radius one."""
    assert spectral_radius(Scheme.V0(1 / 3, 1 / 3, 0.3, explicit=True), 0.5) < 0.999
    assert spectral_radius(Scheme.V0(0, 1, 0.3, explicit=True), 0.5) == pytest.approx(1.0, abs=1e-12)


def test_first_order_roots_and_stability():
    for rho_s, rho in np.sort(np.random.default_rng(2).random((50, 2)), axis=1):
        s = FirstOrderScheme.GS4_1(rho, rho_s)
        np.testing.assert_allclose(first_order_roots_at_infinity(s), [-rho_s, -rho], atol=1e-12)
        far = np.sort(np.abs(np.linalg.eigvals(first_order_amplification_matrix(s, 1e9))))
        np.testing.assert_allclose(far, [rho_s, rho], atol=1e-6)
        assert first_order_critical_step(s) == np.inf
        z = np.logspace(-2, 5, 100)
        assert np.max(first_order_spectral_radius(s, z)) < 1.0
        assert np.max(first_order_spectral_radius(s, 1j * z)) < 1.0 + 1e-9


def test_first_order_explicit_limit_against_eigenvalues():
    for rho, rho_s in np.random.default_rng(4).random((20, 2)):
        s = FirstOrderScheme.GS4_1(rho, rho_s, explicit=True)
        limit = first_order_critical_step(s)
        assert 0.0 < limit < 10.0
        assert first_order_spectral_radius(s, 0.99 * limit) < 1.0 < first_order_spectral_radius(s, 1.01 * limit)
