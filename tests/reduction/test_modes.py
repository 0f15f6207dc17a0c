"""Eigenmodes and Craig–Bampton bases beside POD."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
import scipy.sparse as sp
from scipy.linalg import eigh

import isodyn as iso
from isodyn.errors import InputError, SingularError
from isodyn.problems import clamped_bar

M, K = clamped_bar.matrices(30, False)


def bar(G: np.ndarray | None = None) -> iso.LinearSystem:
    return iso.LinearSystem(M, None, K, None, np.zeros(30), np.zeros(30), G=G)


@pytest.mark.parametrize("sparse", [False, True])
def test_eigenmodes_are_those_of_the_pencil(sparse: bool) -> None:
    """Frequencies, unit modal mass, diagonal reduced matrices; dense and by Lanczos."""
    kind = sp.csr_array if sparse else np.asarray
    system = iso.LinearSystem(kind(M), None, kind(K), None, np.zeros(30), np.zeros(30))
    basis = iso.reduction.eigenmodes(system, rank=5)
    squares = eigh(K, M, eigvals_only=True)[:5]
    np.testing.assert_allclose(basis.omega**2, squares, rtol=1e-9)
    red = iso.reduce(system, basis)
    np.testing.assert_allclose(red.M, np.eye(5), atol=1e-12)
    np.testing.assert_allclose(red.K, np.diag(squares), atol=1e-7 * squares[-1])


def test_first_frequency_of_the_bar() -> None:
    """ω₁ = 1.06891 and ω_max = 70.638 rad/s with consistent mass, as computed independently."""
    omega = iso.reduction.eigenmodes(bar(), rank=30).omega
    assert omega[0] == pytest.approx(1.06891, abs=5e-6)
    assert omega[-1] == pytest.approx(70.638, abs=5e-4)


def test_eigenmodes_of_a_constrained_system_fulfil_the_rows() -> None:
    """The right end held by a row: the modes of the bar clamped at both ends."""
    G = np.eye(30)[29:]
    basis = iso.reduction.eigenmodes(bar(G), rank=4)
    np.testing.assert_allclose(basis.omega**2, eigh(K[:-1, :-1], M[:-1, :-1], eigvals_only=True)[:4], rtol=1e-9)
    assert np.abs(G @ basis.V).max() < 1e-12


def test_eigenmodes_of_a_beam_are_those_of_its_linearisation() -> None:
    """A cantilever in absolute nodal coordinates about its undeformed state."""
    beam = iso.Beam([(0, 0), (1, 0)], elements=4, section=iso.Section(EA=1e4, EI=1.0, rhoA=1.0))
    beam.clamp("start", stretch=True)
    system = beam.compile()
    basis = iso.reduction.eigenmodes(system, rank=3)
    np.testing.assert_allclose(basis.omega, iso.linearise(system, system.q0).omega[:3], rtol=1e-8)
    assert basis.omega[0] == pytest.approx(3.516, abs=2e-3)


def test_craig_bampton_with_all_modes_is_the_full_system() -> None:
    """Interface and every fixed-interface mode span all motions."""
    basis = iso.reduction.craig_bampton(bar(), interface=[3, 29], rank=28)
    omega = np.sqrt(eigh(iso.reduce(bar(), basis).K, iso.reduce(bar(), basis).M, eigvals_only=True))
    np.testing.assert_allclose(omega, np.sqrt(eigh(K, M, eigvals_only=True)), rtol=1e-7)


def test_craig_bampton_keeps_the_interface_and_converges_from_above() -> None:
    """Interface coordinates are coordinates of the reduced system; frequencies fall with more
    modes, to 3e-4 with ten."""
    exact = np.sqrt(eigh(K, M, eigvals_only=True))[:3]
    gaps = []
    for rank in (2, 5, 10):
        basis = iso.reduction.craig_bampton(bar(), interface=[29], rank=rank)
        assert np.array_equal(basis.V[29], np.eye(rank + 1)[-1])
        x = np.random.default_rng(0).standard_normal(30)
        assert basis.coordinates(x)[-1] == x[29]
        np.testing.assert_allclose(basis.left @ basis.V, np.eye(rank + 1), atol=1e-10)
        red = iso.reduce(bar(), basis)
        gaps.append(np.sqrt(eigh(red.K, red.M, eigvals_only=True))[:3] / exact - 1.0)
    assert (np.array(gaps) > -1e-10).all()
    assert (np.diff(gaps, axis=0) < 0).all()
    assert gaps[-1].max() < 3e-4


def test_static_shapes_are_exact() -> None:
    """A force on the interface and nothing else: the reduced equilibrium is the full one, with a
    single mode."""
    f = 1e4 * np.eye(30)[29]
    system = iso.LinearSystem(M, None, K, f, np.zeros(30), np.zeros(30))
    basis = iso.reduction.craig_bampton(system, interface=[29], rank=1)
    red = iso.reduce(system, basis)
    lifted = red.embedding.q(np.linalg.solve(red.K, red.f))
    np.testing.assert_allclose(lifted, np.linalg.solve(K, f), rtol=1e-10)


def test_snapshots_in_the_place_of_fixed_interface_modes() -> None:
    """POD of the interior beside the interface: better than modes for the motion that it has seen,
    and the interface stays."""
    system = iso.problems.get("clamped_bar").system()
    sol = iso.integrate(system, iso.Scheme.V0(1, 1, 0), dt=0.002, t_end=0.5)
    errors = []
    for basis in (
        iso.reduction.craig_bampton(system, [29], rank=8),
        iso.reduction.craig_bampton(system, [29], rank=8, snapshots=sol),
    ):
        back = basis.lift(iso.integrate(iso.reduce(system, basis), iso.Scheme.V0(1, 1, 0), dt=0.002, t_end=0.5))
        errors.append(np.linalg.norm(back.q - sol.q) / np.linalg.norm(sol.q))
        assert basis.V.shape == (30, 9)
    assert errors[1] < 0.6 * errors[0]


def test_a_reduced_subdomain_is_tied_at_its_interface() -> None:
    """Two bars end to end, the second one by its interface and more and more modes: the motion of
    both in full."""

    def half(start: float) -> iso.LinearSystem:
        v0 = start * np.linspace(0.0, 1.0, 30) if start else np.zeros(30)
        return iso.LinearSystem(M, None, K, None, np.zeros(30), v0)

    left, right = half(0.1), half(0.0)
    right.v0[-1] = left.v0[-1]  # where they are tied

    def run(second: iso.LinearSystem, place: int) -> Any:
        sub = iso.Subdomains({"left": left, "right": second}, ties=[("left", [29], "right", [place])])
        return iso.integrate(sub, iso.Scheme.optimal(0.8), dt=0.01, t_end=2.0)

    whole, gaps = run(right, 29), []
    for rank in (6, 14, 29):
        red = iso.reduce(right, iso.reduction.craig_bampton(right, interface=[29], rank=rank))
        sol = run(red, rank)
        lifted = red.embedding.q(sol["right"].q)
        gap = max(np.abs(sol["left"].q - whole["left"].q).max(), np.abs(lifted - whole["right"].q).max())
        gaps.append(gap / np.abs(whole["left"].q).max())
    assert gaps[0] < 0.1
    assert gaps[1] < 0.03
    assert gaps[2] < 1e-9


def test_messages() -> None:
    with pytest.raises(InputError, match="whole number from 1 to 30, received 31"):
        iso.reduction.eigenmodes(bar(), rank=31)
    with pytest.raises(InputError, match="with an interface cannot be truncated"):
        iso.reduction.craig_bampton(bar(), interface=[29], rank=3).truncated(2)
    with pytest.raises(InputError, match="nothing is left to reduce"):
        iso.reduction.craig_bampton(bar(), interface=range(30), rank=1)
    with pytest.raises(InputError, match="whole number from 1 to 29"):
        iso.reduction.craig_bampton(bar(), interface=[29], rank=30)
    first_order = iso.LinearFirstOrderSystem(1.0, 1.0, None, [1.0])
    with pytest.raises(InputError, match="second-order systems, received LinearFirstOrderSystem"):
        iso.reduction.eigenmodes(first_order, rank=1)
    free = iso.LinearSystem(np.eye(3), None, np.array([[1.0, -1, 0], [-1, 1, 0], [0, 0, 1]]), None, [0] * 3, [0] * 3)
    with pytest.raises(SingularError, match="moves freely when the interface is held"):
        iso.reduction.craig_bampton(free, interface=[2], rank=1)
