"""The adaptation process: a GS4-2 member stripped of q is the GS4-1 member of the same radii."""

from __future__ import annotations

import numpy as np
import pytest

from isodyn.schemes import FirstOrderScheme, Scheme

FIELDS = ("W1", "W2L5", "W1L6", "l5")


def values(s: FirstOrderScheme) -> list[float]:
    return [getattr(s, key) for key in FIELDS]


@pytest.mark.parametrize("explicit", [False, True])
def test_v0_with_unit_rho_max_is_gs4_1(explicit):
    for rho_s, rho in np.sort(np.random.default_rng(1).random((50, 2)), axis=1):
        adapted = Scheme.V0(rho, 1.0, rho_s, explicit=explicit).first_order()
        np.testing.assert_allclose(
            values(adapted), values(FirstOrderScheme.GS4_1(rho, rho_s, explicit=explicit)), rtol=1e-13
        )
        assert adapted.radii == (rho, rho_s)
        assert adapted.order == 2


@pytest.mark.parametrize("rho", [0.0, 0.25, 1.0])
def test_optimal_u0_is_gs4_1_without_selective_control(rho):
    np.testing.assert_allclose(
        values(Scheme.optimal(rho).first_order()), values(FirstOrderScheme.GS4_1(rho, rho)), rtol=1e-13
    )


def test_own_coefficients_of_an_admissible_member_adapt_too():
    own = Scheme(**Scheme.V0(0.6, 1.0, 0.2).coefficients)
    np.testing.assert_allclose(own.first_order().radii, (0.6, 0.2), rtol=1e-12)


@pytest.mark.parametrize("rho", [0.0, 0.3, 1.0])
def test_u0_and_v0_coincide_for_the_optimal_radii(rho):
    u0, v0 = Scheme.U0(rho, 1.0, rho), Scheme.V0(rho, 1.0, rho)
    np.testing.assert_allclose(list(u0.coefficients.values()), list(v0.coefficients.values()), rtol=1e-14)


def test_u0_and_v0_differ_elsewhere():
    assert Scheme.U0(0.5, 0.9, 0.5) != Scheme.V0(0.5, 0.9, 0.5)
    assert Scheme.U0(0.5, 1.0, 0.2) != Scheme.V0(0.5, 1.0, 0.2)


def march(s: FirstOrderScheme, lam: float, dt: float, steps: int) -> np.ndarray:
    """s' = -lam s + sin t from s = 1, started with the exact rate at t_0."""
    x, v, out = 1.0, -lam, [1.0]
    for n in range(steps):
        load = np.sin((n + s.W1) * dt)
        dv = (load - lam * (x + s.W1 * dt * v) - v) / (s.W1L6 + lam * s.W2L5 * dt)
        x, v = x + dt * (v + s.l5 * dv), v + dv
        out.append(x)
    return np.array(out)


def test_gear_is_bdf2_written_out():
    lam, dt = 2.0, 0.05
    x = march(FirstOrderScheme.gear(), lam, dt, 40)
    y = list(x[:2])
    for n in range(1, 40):
        y.append((4 * y[n] - y[n - 1] + 2 * dt * np.sin((n + 1) * dt)) / (3 + 2 * dt * lam))
    np.testing.assert_allclose(x, y, rtol=1e-12)


def test_crank_nicolson_is_the_trapezoidal_rule():
    lam, dt = 2.0, 0.05
    x = march(FirstOrderScheme.crank_nicolson(), lam, dt, 40)
    load = np.sin(dt * np.arange(41))
    np.testing.assert_allclose(x[1:] - x[:-1], 0.5 * dt * (load[1:] + load[:-1] - lam * (x[1:] + x[:-1])), atol=1e-14)


def test_both_midpoint_members_give_the_midpoint_rule():
    lam, dt = 2.0, 0.05
    load = np.sin(dt * (np.arange(40) + 0.5))
    for s in (FirstOrderScheme.midpoint_epa(), FirstOrderScheme.midpoint_mpa()):
        x = march(s, lam, dt, 40)
        np.testing.assert_allclose(x[1:] - x[:-1], dt * (load - 0.5 * lam * (x[1:] + x[:-1])), atol=1e-14)


@pytest.mark.parametrize("s", [FirstOrderScheme.GS4_1(0.3, 0.1), FirstOrderScheme.GS4_1(0.5, 0.5, explicit=True)])
def test_members_are_second_order(s):
    lam = 2.0
    t = 1.0
    exact = (1 + 1 / (1 + lam**2)) * np.exp(-lam * t) + (lam * np.sin(t) - np.cos(t)) / (1 + lam**2)
    errors = [abs(march(s, lam, t / n, n)[-1] - exact) for n in (200, 400)]
    assert np.log2(errors[0] / errors[1]) == pytest.approx(2.0, abs=0.1)
