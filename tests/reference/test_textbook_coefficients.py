"""Classical members against the coefficients printed in their own papers."""

from __future__ import annotations

import numpy as np
import pytest

from isodyn.schemes import FirstOrderScheme, Scheme, alpha_parameters, newmark_parameters, v0_parameters

RHO = [0.0, 0.2, 0.5, 0.8, 1.0]


@pytest.mark.parametrize("rho", RHO)
def test_generalised_alpha_of_chung_and_hulbert(rho):
    """alpha_m = (2 rho - 1)/(rho + 1), alpha_f = rho/(rho + 1), gamma = 1/2 - alpha_m + alpha_f,
    beta = (...)^2/4."""
    alpha_m, alpha_f = (2 * rho - 1) / (rho + 1), rho / (rho + 1)
    expected = (alpha_m, alpha_f, 0.25 * (1 - alpha_m + alpha_f) ** 2, 0.5 - alpha_m + alpha_f)
    np.testing.assert_allclose(alpha_parameters(Scheme.generalised_alpha(rho)), expected, atol=1e-15)
    by_alphas = Scheme.generalised_alpha(alpha_m=alpha_m, alpha_f=alpha_f)
    np.testing.assert_allclose(alpha_parameters(by_alphas), expected, atol=1e-15)


@pytest.mark.parametrize("rho", [0.5, 0.7, 1.0])
def test_hilber_hughes_taylor(rho):
    """alpha_f = (1 - rho)/(1 + rho) in [0, 1/3], gamma = 1/2 + alpha_f,
    beta = (1 + alpha_f)^2/4."""
    alpha_f = (1 - rho) / (1 + rho)
    expected = (0.0, alpha_f, 0.25 * (1 + alpha_f) ** 2, 0.5 + alpha_f)
    np.testing.assert_allclose(alpha_parameters(Scheme.hht(rho)), expected, atol=1e-15)
    np.testing.assert_allclose(alpha_parameters(Scheme.hht(alpha_f=alpha_f)), expected, atol=1e-15)


@pytest.mark.parametrize("rho", RHO)
def test_wood_bossak_zienkiewicz(rho):
    """alpha_m = (rho - 1)/(rho + 1), alpha_f = 0, gamma = 1/2 - alpha_m, beta = (1 -
    alpha_m)^2/4."""
    alpha_m = (rho - 1) / (rho + 1)
    expected = (alpha_m, 0.0, 0.25 * (1 - alpha_m) ** 2, 0.5 - alpha_m)
    np.testing.assert_allclose(alpha_parameters(Scheme.wbz(rho)), expected, atol=1e-15)
    np.testing.assert_allclose(alpha_parameters(Scheme.wbz(alpha_m=alpha_m)), expected, atol=1e-15)


@pytest.mark.parametrize("beta", [0.0, 1 / 12, 1 / 6, 0.25])
def test_newmark(beta):
    assert newmark_parameters(Scheme.newmark(beta, 0.5)) == (beta, 0.5)


def test_newmark_relatives():
    assert Scheme.newmark() == Scheme.implicit_newmark() == Scheme.U0(1, 1, 0) == Scheme.hht(1.0) == Scheme.wbz(1.0)
    assert Scheme.newmark(0.0, 0.5).half_explicit
    assert not Scheme.newmark(0.0, 0.5).explicit


def test_central_difference_is_velocity_verlet():
    s = Scheme.central_difference()
    assert list(s.coefficients.values()) == [1.0, 0.5, 0.0, 0.0, 1.0, 0.0, 0.5]
    assert s.explicit
    assert s.phi == 0.0


def test_midpoint_rules():
    epa, mpa = Scheme.midpoint_epa(), Scheme.midpoint_mpa()
    assert list(epa.coefficients.values()) == [0.5, 0.25, 0.125, 0.25, 0.5, 0.25, 0.5]
    assert list(mpa.coefficients.values()) == [0.5, 0.25, 0.25, 0.5, 1.0, 0.5, 1.0]
    assert (epa.phi, mpa.phi) == (0.0, 0.5)
    assert epa == Scheme.V0(1, 1, 1) == Scheme.generalised_alpha(1.0) == Scheme.optimal(1.0)
    assert mpa == Scheme.wbz(1.0, v0=True) == Scheme.hht(1.0, v0=True)


@pytest.mark.parametrize("rho", [0.5, 0.8])
def test_v0_counterparts_have_the_same_radii(rho):
    for method in (Scheme.hht, Scheme.wbz, Scheme.generalised_alpha):
        u0, v0 = method(rho), method(rho, v0=True)
        assert (u0.family, v0.family) == ("U0", "V0")
        assert u0.radii == v0.radii
        assert u0 != v0
    alpha_m, alpha_f, _, _ = alpha_parameters(Scheme.generalised_alpha(rho))
    by_alphas = Scheme.generalised_alpha(alpha_m=alpha_m, alpha_f=alpha_f, v0=True)
    np.testing.assert_allclose(by_alphas.radii, Scheme.generalised_alpha(rho).radii, rtol=1e-12)


@pytest.mark.parametrize(("rho_min", "rho_max", "rho_s"), [(0.3, 0.9, 0.1), (0.5, 0.5, 0.5), (0.0, 1.0, 0.0)])
def test_shift_of_the_acceleration(rho_min, rho_max, rho_s):
    """phi of (2.8) and (2.9)."""
    p = (1 + rho_min) * (1 + rho_max)
    assert Scheme.U0(rho_min, rho_max, rho_s).phi == pytest.approx((1 - rho_min * rho_max) / p, abs=1e-15)
    assert Scheme.V0(rho_min, rho_max, rho_s).phi == pytest.approx((1 - rho_s) / (2 * (1 + rho_s)), abs=1e-15)


def test_v0_framework_parameters():
    """q~ = q_{1-alpha_k} + kappa v dt, v~ = v_{1-alpha_k} + kappa a dt, alpha_k = 1 - 2/p (printed
    with misprints)."""
    rho_min, rho_max, rho_s = 0.3, 0.8, 0.2
    s = Scheme.V0(rho_min, rho_max, rho_s)
    p = (1 + rho_min) * (1 + rho_max)
    alpha_k, kappa = 1 - 2 / p, -(rho_min - 1) * (rho_max - 1) / (2 * p)
    expected = [1 - alpha_k + kappa, (1 - alpha_k) / 2, (1 - alpha_k) * s.l3, (1 - alpha_k) * s.l5]
    np.testing.assert_allclose([s.W1, s.W2L2, s.W3L3, s.W2L5], expected, rtol=1e-13)
    alpha_m = (rho_min + rho_max + 2 * rho_min * rho_max) / p - 1 / (1 + rho_s)
    alpha_f = (rho_min + rho_max + 3 * rho_min * rho_max - 1) / (2 * p)
    usual = [alpha_m, alpha_f, alpha_k, kappa, 1 / (2 * (1 + rho_s)), 1 / (1 + rho_s)]
    np.testing.assert_allclose(v0_parameters(s), usual, rtol=1e-13)


@pytest.mark.parametrize("rho", [0.5, 0.75, 1.0])
def test_v0_counterparts_give_their_parameters_back(rho):
    """Table 2.3 with beta and alpha_k as Algorithm 2.2.1 has them; for U0 members alpha_k = alpha_f
    and kappa = 0."""
    weight = 1 - 2 / (1 + rho) ** 2
    for s, rho_s in (
        (Scheme.generalised_alpha(rho, v0=True), rho),
        (Scheme.wbz(rho, v0=True), 0.0),
        (Scheme.hht(rho, v0=True), (1 - rho) / (2 * rho)),
    ):
        found = v0_parameters(s)
        assert found.alpha_f == pytest.approx((3 * rho - 1) / (2 * (1 + rho)), abs=1e-14)
        assert (found.alpha_k, found.gamma) == pytest.approx((weight, 1 / (1 + rho_s)), abs=1e-14)
        assert found.kappa == pytest.approx(-((1 - rho) ** 2) / (2 * (1 + rho) ** 2), abs=1e-14)
    u0 = v0_parameters(Scheme.hht(rho))
    assert (u0.alpha_k, u0.kappa) == pytest.approx((u0.alpha_f, 0.0), abs=1e-14)


def test_first_order_classics():
    def fields(s: FirstOrderScheme) -> tuple[float, ...]:
        return s.W1, s.W2L5, s.W1L6, s.l5

    assert fields(FirstOrderScheme.crank_nicolson()) == (1.0, 0.5, 1.0, 0.5)
    assert fields(FirstOrderScheme.gear()) == (1.0, 1.0, 1.5, 1.0)
    assert fields(FirstOrderScheme.midpoint_epa()) == (0.5, 0.25, 0.5, 0.5)
    assert fields(FirstOrderScheme.midpoint_mpa()) == (0.5, 0.5, 1.0, 1.0)
    assert FirstOrderScheme.gear() == FirstOrderScheme.GS4_1(0, 0)
