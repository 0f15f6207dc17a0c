"""A plate that turns about its clamped edge: finite elements with geometric stiffness against Ritz's method for
a thin plate with the membrane forces of the rotation.

    M p̈ + (K_D + Ω²(K_N − M)) p = Ω̇ f        w = Σ φ_k p_k,   φ = xⁱ P_j(2 y),  i ≥ 2
"""

from __future__ import annotations

from functools import cache

import numpy as np
import pytest
from numpy.polynomial import Polynomial
from numpy.polynomial.legendre import Legendre, leggauss
from scipy.integrate import solve_ivp
from scipy.linalg import eigh

import isodyn as iso
from isodyn.errors import IsodynError

skfem = pytest.importorskip("skfem")
SIDE, THICK, E, NU, RHO = 1.0, 0.01, 7e10, 0.3, 3000.0
BENDING, STRETCHING = E * THICK**3 / 12 / (1 - NU**2), E * THICK / (1 - NU**2)
UNIT = float(np.sqrt(BENDING / (RHO * THICK)) / SIDE**2)
FIRST = 3.4739  # of the plate at rest, in UNIT, by the six terms of `ritz`


@cache
def ritz(most: int = 6) -> tuple[np.ndarray, ...]:
    """K_D, K_N of Ω = 1, M, f, and w at the middle of the free edge."""
    s, ws = leggauss(14)
    x, y = np.meshgrid((s + 1) / 2, s / 2, indexing="ij")
    w = np.outer(ws, ws) / 4

    def shapes(lowest: int, dx: int, dy: int) -> np.ndarray:
        across = [Legendre.basis(j, domain=[-0.5, 0.5]).deriv(dy) for j in range(most)]
        along = [Polynomial.basis(i).deriv(dx) for i in range(lowest, lowest + most)]
        return np.array([a(x) * b(y) for a in along for b in across])

    def over(a: np.ndarray, b: np.ndarray, by: float | np.ndarray = 1.0) -> np.ndarray:
        return np.asarray(np.einsum("ikl,jkl,kl->ij", a, b, w * by))

    u, u_x, u_y = (shapes(1, *d) for d in ((0, 0), (1, 0), (0, 1)))
    shear = STRETCHING * (1 - NU) / 2
    mixed = STRETCHING * NU * over(u_x, u_y) + shear * over(u_y, u_x)
    K = np.block([
        [STRETCHING * over(u_x, u_x) + shear * over(u_y, u_y), mixed],
        [mixed.T, STRETCHING * over(u_y, u_y) + shear * over(u_x, u_x)],
    ])  # fmt: skip
    pull = RHO * THICK * np.einsum("ikl,kl->i", u, w * x)
    c = np.linalg.solve(K, np.concatenate([pull, np.zeros_like(pull)])).reshape(2, -1)
    e = np.einsum("di,aikl->adkl", c, np.array([u_x, u_y]))  # ∂u_d/∂x_a
    N_x, N_y = (STRETCHING * (e[i, i] + NU * e[1 - i, 1 - i]) for i in (0, 1))
    N_xy = shear * (e[0, 1] + e[1, 0])
    z, z_x, z_y, z_xx, z_yy, z_xy = (shapes(2, *d) for d in ((0, 0), (1, 0), (0, 1), (2, 0), (0, 2), (1, 1)))
    K_D = over(z_xx, z_xx) + over(z_yy, z_yy) + NU * (over(z_xx, z_yy) + over(z_yy, z_xx))
    K_D = BENDING * (K_D + 2 * (1 - NU) * over(z_xy, z_xy))
    K_N = over(z_x, z_x, N_x) + over(z_y, z_y, N_y) + over(z_x, z_y, N_xy) + over(z_y, z_x, N_xy)
    edge = np.array([Legendre.basis(j)(0.0) for _ in range(most) for j in range(most)])
    return K_D, K_N, RHO * THICK * over(z, z), RHO * THICK * np.einsum("ikl,kl->i", z, w * x), edge


@cache
def elements() -> iso.FiniteElements:
    ticks = np.linspace(0, SIDE, 9)
    mesh = skfem.MeshHex.init_tensor(ticks, ticks - SIDE / 2, np.array([-THICK / 2, THICK / 2]))
    return iso.FiniteElements.from_mesh(mesh, E=E, nu=NU, rho=RHO)


def plate(motion: object, *, stiffening: bool = True) -> iso.Mechanism:
    """One interface, so that all that bends are modes."""
    mech = iso.Mechanism(gravity=(0, 0, 0))
    root = {"root": lambda x: x[0] < 1e-9}
    mech.add_flexible_body("plate", elements(), interface=root, modes=8, stiffening=stiffening)
    mech.add_joint(iso.Hinge("hub", "ground", "plate.root", point=(0, 0, 0), axis=(0, 1, 0)))
    mech.add_joint(iso.Drive("motor", "hub", motion))
    return mech


def test_frequencies_of_a_turning_plate() -> None:
    """Bending and torsion at rest, and how much they rise; the mesh and shear make all of them 1 % too high."""
    K_D, K_N, M, _, _ = ritz()
    found, thin = [], []
    for omega in (0.0, 2 * UNIT, 5 * UNIT):
        turning = iso.spin(plate(iso.Polynomial(0.0, omega)), omega, axis=(0, 1, 0)).linear.omega
        found.append(np.sort(turning[turning > 1e-3])[:2])
        thin.append(np.sqrt(eigh(K_D + omega**2 * (K_N - M), M, eigvals_only=True)[:2]))
    assert thin[0][0] / UNIT == pytest.approx(FIRST, rel=1e-3)
    np.testing.assert_allclose(found[0], thin[0], rtol=0.012)
    for k in (1, 2):
        np.testing.assert_allclose(found[k] / found[0], thin[k] / thin[0], rtol=0.004)


@pytest.mark.slow
def test_spin_up_of_a_plate() -> None:
    """Up to twice the first frequency within 2 s: the edge lags behind and comes back. Without the stiffness of
    the membrane forces the plate would bend away as soon as the speed passes its first frequency."""
    top, time = 2 * FIRST * UNIT, 2.0
    K_D, K_N, M, f, edge = ritz()
    V = eigh(K_D, M)[1][:, :8]
    K_D, K_N, f, edge = V.T @ K_D @ V, V.T @ K_N @ V, V.T @ f, V.T @ edge

    def rates(t: float, s: np.ndarray) -> np.ndarray:
        turn = 2 * np.pi * t / time
        speed, gain = top * (t / time - np.sin(turn) / (2 * np.pi)), top / time * (1 - np.cos(turn))
        return np.concatenate([s[8:], f * gain - (K_D + speed**2 * (K_N - np.eye(8))) @ s[:8]])

    def angle(t: float) -> float:
        return top * (t * t / (2 * time) + time / (4 * np.pi**2) * (np.cos(2 * np.pi * t / time) - 1))

    sol = iso.integrate(plate(angle), iso.Scheme.U0(0.8, 0.8, 0.8), dt=1e-3, t_end=time, save_every=20)
    thin = solve_ivp(rates, (0, time), np.zeros(16), method="DOP853", rtol=1e-8, atol=1e-10, t_eval=sol.t)
    w = edge @ thin.y[:8]
    body, at = sol.flexible_body("plate"), int(np.linalg.norm(elements().points - [SIDE, 0, 0], axis=1).argmin())
    found = np.array([body.displacement(k)[at, 2] for k in range(sol.t.size)])
    assert w.max() > 0.03
    assert np.abs(found - w).max() < 0.02 * w.max()
    with pytest.raises(IsodynError):
        iso.integrate(plate(angle, stiffening=False), iso.Scheme.U0(0.8, 0.8, 0.8), dt=1e-3, t_end=time)
