"""Reduced linear systems: the full basis changes nothing, energy is kept, constraints keep their
multipliers."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from numba import njit

import isodyn as iso
from isodyn.errors import InputError

RNG = np.random.default_rng(5)
N = 6
ROOT = RNG.standard_normal((N, N))
M = ROOT @ ROOT.T + N * np.eye(N)
STIFF = RNG.standard_normal((N, N))
K = STIFF @ STIFF.T + np.eye(N)
C = 0.02 * K + 0.1 * M
Q0, V0 = RNG.standard_normal(N), RNG.standard_normal(N)
SCHEME = iso.Scheme.U0(0.7, 0.9, 0.2)


@njit
def compiled_load(t):  # type: ignore[no-untyped-def]
    return np.sin(np.arange(6) + 3.0 * t)


LOADS: dict[str, Any] = {
    "none": None,
    "constant": np.arange(6.0),
    "Python": lambda t: np.sin(np.arange(6) + 3.0 * t),
    "compiled": compiled_load,
}


def system(f: Any = None, G: Any = None, q0: Any = Q0, v0: Any = V0) -> iso.LinearSystem:
    return iso.LinearSystem(M, C, K, f, q0, v0, G=G)


def run(s: Any, scheme: Any = SCHEME) -> iso.Solution:
    return iso.integrate(s, scheme, dt=0.05, t_end=2.0)


@pytest.mark.parametrize("centred", [False, True])
@pytest.mark.parametrize("inner", [None, M])
@pytest.mark.parametrize("load", list(LOADS))
def test_full_basis_is_the_full_system(load: str, inner: Any, centred: bool) -> None:
    """All coordinates in another basis, with the mean of the snapshots or without: the same motion
    to rounding."""
    s = system(LOADS[load])
    sol = run(s)
    basis = iso.pod(sol, rank=N, inner=inner, centred=centred)
    red = iso.reduce(s, basis)
    assert isinstance(red, iso.LinearSystem)
    red_sol = run(red)
    back = basis.lift(red_sol)
    for name in ("q", "v", "a"):
        x, y = getattr(back, name), getattr(sol, name)
        assert np.abs(x - y).max() < 1e-11 * np.abs(y).max()
    np.testing.assert_allclose(red_sol.energy(), back.energy(), rtol=1e-11, atol=1e-11)
    assert back.system is s


def test_full_basis_of_a_first_order_system() -> None:
    """Heat-like rates, with and without the mean."""
    s = iso.LinearFirstOrderSystem(M, K, lambda t: np.cos(np.arange(N) + t), Q0)
    sol = iso.integrate(s, iso.Scheme.optimal(0.5), dt=0.05, t_end=2.0)
    for centred in (False, True):
        basis = iso.pod(sol, rank=N, centred=centred)
        red = iso.reduce(s, basis)
        assert isinstance(red, iso.LinearFirstOrderSystem)
        back = basis.lift(iso.integrate(red, iso.Scheme.optimal(0.5), dt=0.05, t_end=2.0))
        assert np.abs(back.s - sol.s).max() < 1e-11 * np.abs(sol.s).max()
        assert np.abs(back.sdot - sol.sdot).max() < 1e-11 * np.abs(sol.sdot).max()


def test_snapshots_of_the_rate_of_a_first_order_system() -> None:
    s = iso.LinearFirstOrderSystem(M, K, None, Q0)
    sol = iso.integrate(s, iso.Scheme.optimal(0.5), dt=0.05, t_end=2.0)
    basis = iso.pod(sol, of="v", rank=3)
    np.testing.assert_allclose(basis.V @ (basis.V.T @ sol.sdot.T), sol.sdot.T, atol=0.1 * np.abs(sol.sdot).max())
    with pytest.raises(InputError, match="'q', 'v' or 'a', received 'a'"):
        iso.pod(sol, of="a", rank=3)


@pytest.mark.parametrize("family", ["U0", "V0"])
@pytest.mark.parametrize("rho_s", [0.0, 0.5, 1.0])
@pytest.mark.parametrize("centred", [False, True])
def test_energy_is_kept_by_undamped_members(family: str, rho_s: float, centred: bool) -> None:
    """½vᵀMv + ½qᵀKq − qᵀf of the lifted motion, under a constant load, to rounding."""
    bar = iso.problems.get("clamped_bar")
    s: Any = bar.system()
    basis = iso.pod(iso.integrate(s, iso.Scheme.optimal(0.5), dt=0.01, t_end=1.0), of="q", rank=7, centred=centred)
    scheme = getattr(iso.Scheme, family)(1.0, 1.0, rho_s)
    back = basis.lift(iso.integrate(iso.reduce(s, basis), scheme, dt=0.005, t_end=1.5))
    found = bar.invariants(back)
    assert found is not None
    assert np.ptp(found["energy"]) < 2e-13 * np.abs(back.energy()[0]).max()


def test_constraints_keep_rows_and_multipliers() -> None:
    """Two rows that the basis does not fulfil: kept in the reduced system, same motion and
    multipliers with the full basis."""
    G = RNG.standard_normal((2, N))
    P = np.eye(N) - G.T @ np.linalg.solve(G @ G.T, G)
    s = system(LOADS["Python"], G, P @ Q0, P @ V0)
    sol = run(s)
    free = run(system(LOADS["Python"]))
    basis = iso.pod(free, rank=N)
    red = iso.reduce(s, basis)
    assert red.m == 2
    back = basis.lift(run(red))
    assert np.abs(back.q - sol.q).max() < 1e-11
    assert np.abs(back.lam - sol.lam).max() < 1e-9 * np.abs(sol.lam).max()
    assert max(back.drift().largest[:2]) < 1e-12


def test_rows_that_the_basis_fulfils_are_left_out_and_their_multipliers_found_again() -> None:
    """Snapshots of constrained motion: G V = 0. The lifted multipliers carry what the balance
    leaves over at t_n; those of the full run differ from that by their own error of second
    order."""
    G = RNG.standard_normal((2, N))
    P = np.eye(N) - G.T @ np.linalg.solve(G @ G.T, G)
    s = system(LOADS["Python"], G, P @ Q0, P @ V0)
    gaps = []
    for dt in (0.02, 0.01):
        sol = iso.integrate(s, SCHEME, dt=dt, t_end=2.0)
        basis = iso.pod(sol, rank=N - 2)
        red = iso.reduce(s, basis)
        assert red.m == 0
        back = basis.lift(iso.integrate(red, SCHEME, dt=dt, t_end=2.0))
        assert np.abs(back.q - sol.q).max() < 1e-10
        gaps.append(np.abs(back.lam - sol.lam)[5:].max() / np.abs(sol.lam).max())
    assert gaps[0] < 1e-3
    assert gaps[0] / gaps[1] == pytest.approx(4.0, abs=0.5)


def test_some_columns_are_reduced_and_others_kept() -> None:
    """Coordinates 1, 2, 4, 5 in a basis of four directions, 0 and 3 as they are: nothing changes;
    names say who is who."""
    s = system(LOADS["Python"])
    sol = run(s)
    basis = iso.pod(sol, columns=[1, 2, 4, 5], rank=4, inner=M)
    red = iso.reduce(s, basis)
    assert red.names == ("xi0", "xi1", "xi2", "xi3", "q0", "q3")
    back = basis.lift(run(red))
    assert np.abs(back.q - sol.q).max() < 1e-11
    np.testing.assert_allclose(basis.coordinates(sol.q)[:, 4:], sol.q[:, [0, 3]])


def test_everything_runs_on_a_reduced_system() -> None:
    """Linearisation, equilibrium, ensembles, adaptive steps, dense output."""
    s = system(np.arange(6.0))
    basis = iso.pod(run(s), rank=4, inner=M)
    red = iso.reduce(s, basis)
    np.testing.assert_allclose(iso.equilibrium(red).q, np.linalg.solve(red.K, red.f), atol=1e-9)
    assert iso.linearise(red, iso.equilibrium(red).q).omega.size == 4
    sol = run(red, iso.Scheme.midpoint_epa())
    fine = iso.integrate_adaptive(red, t_end=2.0, rtol=1e-9)
    assert np.abs(fine.q[-1] - sol.q[-1]).max() < 5e-3
    members = iso.ensemble(red, iso.Scheme.midpoint_epa(), dt=0.05, t_end=2.0, q0=np.array([red.q0, 2 * red.q0]))
    np.testing.assert_array_equal(members.q[0, -1], sol.q[-1])
    assert sol.at(0.77).q.shape == (4,)
    assert basis.lift(sol).at(0.77).q.shape == (6,)
