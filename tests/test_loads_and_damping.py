"""Loads and damping matrices: they mean what their names say."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
import scipy.linalg
import scipy.sparse as sp

import isodyn as iso
from isodyn.systems.damping import modal_damping, rayleigh, rayleigh_from_ratios
from isodyn.systems.loads import base_excitation, harmonic, step_load, tabulated

N = 6
RNG = np.random.default_rng(3)
K = 200.0 * (2.0 * np.eye(N) - np.eye(N, k=1) - np.eye(N, k=-1))
ROOT = RNG.standard_normal((N, N))
M = np.eye(N) + 0.1 * ROOT @ ROOT.T
SQUARES, MODES = scipy.linalg.eigh(K, M)
OMEGA = np.sqrt(SQUARES)


def ratios(C: Any) -> tuple[Any, Any]:
    """ω and ξ from the eigenvalues −ξω ± iω√(1−ξ²) of the first-order form, by rising ω."""
    inverse = np.linalg.inv(M)
    A = np.block([[np.zeros((N, N)), np.eye(N)], [-inverse @ K, -inverse @ C]])
    roots = np.linalg.eigvals(A)
    roots = roots[roots.imag > 0]
    roots = roots[np.argsort(np.abs(roots))]
    return np.abs(roots), -roots.real / np.abs(roots)


# ---- damping


@pytest.mark.parametrize("convert", [np.array, sp.csr_array], ids=["dense", "sparse"])
def test_modal_damping_gives_the_ratios_back(convert: Any) -> None:
    wanted = np.linspace(0.01, 0.2, N)
    omega, xi = ratios(modal_damping(convert(M), convert(K), wanted))
    assert np.allclose(omega, OMEGA, rtol=1e-10)
    assert np.allclose(xi, wanted, atol=1e-10)


@pytest.mark.parametrize("convert", [np.array, sp.csr_array], ids=["dense", "sparse"])
def test_modal_damping_of_the_lowest_modes(convert: Any) -> None:
    """Two ratios damp the two lowest modes and nothing else; the sparse way is by Lanczos
    iterations."""
    C = modal_damping(convert(M), convert(K), [0.03, 0.08])
    assert np.allclose(MODES.T @ C @ MODES, np.diag([2 * 0.03 * OMEGA[0], 2 * 0.08 * OMEGA[1], 0, 0, 0, 0]), atol=1e-9)
    assert np.array_equal(C, C.T)


def test_modal_damping_of_a_free_body() -> None:
    """Without supports: the rigid motion is free of damping, the other mode has its ratio."""
    k = sp.csr_array(50.0 * np.array([[1.0, -1.0, 0.0], [-1.0, 2.0, -1.0], [0.0, -1.0, 1.0]]))
    C = modal_damping(sp.eye_array(3), k, [0.5])
    assert np.abs(C @ np.ones(3)).max() < 1e-5
    C = modal_damping(sp.eye_array(3).toarray(), k.toarray(), 0.1)
    assert np.allclose(np.linalg.eigvalsh(C), [0.0, 0.2 * np.sqrt(50.0), 0.2 * np.sqrt(150.0)], atol=1e-6)


def test_one_ratio_for_all_modes() -> None:
    _, xi = ratios(modal_damping(M, K, 0.05))
    assert np.allclose(xi, 0.05, atol=1e-11)


def test_rayleigh() -> None:
    _, xi = ratios(rayleigh(M, K, 0.3, 0.002))
    assert np.allclose(xi, 0.3 / (2 * OMEGA) + 0.002 * OMEGA / 2, atol=1e-11)


def test_rayleigh_from_ratios() -> None:
    _, xi = ratios(rayleigh_from_ratios(M, K, (OMEGA[0], 0.02), (OMEGA[3], 0.03)))
    assert np.allclose(xi[[0, 3]], [0.02, 0.03], atol=1e-11)
    swapped = rayleigh_from_ratios(M, K, (OMEGA[3], 0.03), (OMEGA[0], 0.02))
    assert np.allclose(swapped, rayleigh_from_ratios(M, K, (OMEGA[0], 0.02), (OMEGA[3], 0.03)), rtol=1e-12)


def test_rayleigh_stays_sparse() -> None:
    C = rayleigh(sp.eye_array(4), sp.diags_array(np.arange(1.0, 5.0)), 0.1, 0.2)
    assert sp.issparse(C)
    assert C.nnz == 4


# ---- loads


def test_tabulated_interpolates_each_column() -> None:
    f = tabulated([0.0, 1.0, 3.0], [[0.0, 5.0], [2.0, 5.0], [6.0, -5.0]])
    for t in (0.0, 0.3, 1.0, 1.7, 3.0):
        assert np.allclose(f(t), [2.0 * t, 5.0 if t <= 1 else 5.0 - 5.0 * (t - 1.0)], atol=1e-14)
    assert f(3.0 + 1e-13).tolist() == [6.0, -5.0]


def test_tabulated_holds_its_ends() -> None:
    f = tabulated([1.0, 2.0], [3.0, 4.0], extrapolate=True)
    assert [f(t)[0] for t in (0.0, 1.5, 9.0)] == [3.0, 3.5, 4.0]


def test_tabulated_keeps_its_own_numbers() -> None:
    values = np.array([0.0, 1.0])
    f = tabulated([0.0, 1.0], values)
    values[:] = 7.0
    f(1.0)[:] = 9.0
    assert f(1.0).tolist() == [1.0]


def test_tabulated_load_equals_the_function_it_samples() -> None:
    """A piecewise linear load from a table and from a formula: the same motion."""
    grid = np.linspace(0.0, 2.0, 21)
    table = tabulated(grid, np.abs(grid - 1.0))
    motions = [
        iso.integrate(iso.LinearSystem(1.0, 0.1, 9.0, f, [0.0], [0.0]), dt=0.05, t_end=1.9).q
        for f in (table, lambda t: np.array([abs(t - 1.0)]))
    ]
    assert np.allclose(*motions, atol=1e-12)


def test_harmonic() -> None:
    f = harmonic([2.0, -1.0], omega=3.0, phase=0.4)
    assert np.allclose(f(0.7), np.sin(3.0 * 0.7 + 0.4) * np.array([2.0, -1.0]), rtol=1e-15)


def test_base_excitation_against_the_exact_motion() -> None:
    """A base that moves by ½ g t²: relative to it, q hangs like under gravity, q = −(g/ω²)(1 − cos
    ωt)."""
    m, k, g = 2.0, 50.0, 9.81
    omega = np.sqrt(k / m)
    system = iso.LinearSystem(m, None, k, base_excitation(m, [1.0], lambda t: g), [0.0], [0.0])
    sol = iso.integrate(system, iso.Scheme.newmark(), dt=1e-3, t_end=2.0)
    assert np.abs(sol.q[:, 0] + g / omega**2 * (1.0 - np.cos(omega * sol.t))).max() < 1e-4 * g / omega**2


def test_base_excitation_equals_the_motion_in_the_fixed_frame() -> None:
    """Several masses, two directions: relative coordinates with −M r a_g plus the base, against
    springs pulled by the moving base."""
    r = np.zeros((N, 2))
    r[::2, 0] = r[1::2, 1] = 1.0

    def base(t: float) -> Any:
        return np.array([np.sin(2.0 * t) - 2.0 * t, t**3 / 6.0])

    def acceleration(t: float) -> Any:
        return np.array([-4.0 * np.sin(2.0 * t), t])

    relative = iso.LinearSystem(M, None, K, base_excitation(M, r, acceleration), np.zeros(N), np.zeros(N))
    fixed = iso.LinearSystem(M, None, K, lambda t: K @ (r @ base(t)), np.zeros(N), np.zeros(N))
    sols = [iso.integrate(s, iso.Scheme.newmark(), dt=5e-4, t_end=1.0) for s in (relative, fixed)]
    moved = sols[0].q + np.array([r @ base(t) for t in sols[0].t])
    assert np.abs(moved - sols[1].q).max() < 1e-5 * np.abs(sols[1].q).max()


def test_step_load_names_its_breakpoints() -> None:
    """With its breakpoint, second order and the exact response k⁻¹p (1 − cos ω(t − t_on)); without
    it, a far larger error."""
    f = step_load([3.0], t_on=0.333)
    system = iso.LinearSystem(1.0, None, 9.0, f, [0.0], [0.0])

    def error(**options: Any) -> float:
        sol = iso.integrate(system, dt=0.01, t_end=2.0, **options)
        exact = np.where(sol.t < 0.333, 0.0, (1.0 - np.cos(3.0 * (sol.t - 0.333))) / 3.0)
        return float(np.abs(sol.q[:, 0] - exact).max())

    assert error(breakpoints=f.breakpoints) < 2e-4
    assert error() > 10 * error(breakpoints=f.breakpoints)
