"""Bases from snapshots: orthonormal, by every route the same, cut where the energy criterion
says."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
import scipy.sparse as sp

import isodyn as iso
from isodyn.reduction.basis import Basis, from_matrix
from isodyn.reduction.decomposition import decompose
from isodyn.reduction.rank import by_energy


def snapshots(n: int, k: int, sigma: list[float], seed: int = 0) -> np.ndarray:
    """A matrix with these singular values."""
    rng = np.random.default_rng(seed)
    U, X = (np.linalg.qr(rng.standard_normal((m, len(sigma))))[0] for m in (n, k))
    return (U * sigma) @ X.T


def mass(n: int) -> np.ndarray:
    A = np.random.default_rng(1).standard_normal((n, n))
    return A @ A.T + n * np.eye(n)


def basis(A: np.ndarray, W: Any = None, rank: int | None = None, energy: float | None = None) -> Basis:
    return from_matrix(A, W, rank, energy, np.zeros(A.shape[0]), None, "POD", ())


@pytest.mark.parametrize("weighted", [None, "dense", "sparse"])
@pytest.mark.parametrize(
    ("n", "k", "sigma", "method"),
    [
        (40, 12, [5.0, 2.0, 1.0, 0.3], "method of snapshots"),
        (12, 40, [5.0, 2.0, 1.0, 0.3], "A Aᵀ"),
        (40, 12, [5.0, 2.0, 1e-6, 1e-9], "SVD"),
        (12, 40, [5.0, 2.0, 1e-6, 1e-9], "SVD"),
    ],
)
def test_columns_are_orthonormal_in_the_inner_product(
    n: int, k: int, sigma: list[float], method: str, weighted: str | None
) -> None:
    """VᵀWV = I to rounding by every route, and V spans the snapshots."""
    A, W = snapshots(n, k, sigma), None if weighted is None else mass(n)
    given = sp.csr_array(W) if weighted == "sparse" else W
    found = basis(A, given, rank=4)
    assert found.method == method
    gram = found.V.T @ (np.eye(n) if W is None else W) @ found.V
    assert np.abs(gram - np.eye(4)).max() < 1e-13
    assert np.abs(A - found.V @ found.components(A.T).T).max() < 1e-13 * sigma[0]
    if W is None:
        np.testing.assert_allclose(found.singular_values[:4], sigma, rtol=1e-6)


@pytest.mark.parametrize(("n", "k"), [(30, 8), (8, 30)])
def test_routes_agree(n: int, k: int) -> None:
    """Method of snapshots or A Aᵀ against the SVD: same values, same directions up to sign, also in
    an inner product."""
    A = snapshots(n, k, [4.0, 3.0, 1.0, 0.5, 0.2])
    for W in (None, mass(n)):
        cheap, exact = decompose(A, W, lambda s, d: 5), decompose(A, W, lambda s, d: None)
        assert cheap.method != exact.method == "SVD"
        np.testing.assert_allclose(cheap.singular_values[:5], exact.singular_values[:5], rtol=1e-12)
        overlap = np.abs(cheap.U[:, :5].T @ (exact.U[:, :5] if W is None else W @ exact.U[:, :5]))
        np.testing.assert_allclose(overlap, np.eye(5), atol=1e-11)


@pytest.mark.parametrize(("n", "k"), [(30, 8), (8, 30)])
def test_weak_directions_are_not_left_to_squared_matrices(n: int, k: int) -> None:
    """A direction at 1e-6 of the first one: found to ten digits, by the SVD."""
    sigma = [4.0, 3.0, 4e-6]
    A = snapshots(n, k, sigma)
    weak = np.linalg.svd(A)[0][:, 2]
    found = basis(A, rank=3)
    assert found.method == "SVD"
    assert abs(found.V[:, 2] @ weak) == pytest.approx(1.0, abs=1e-12)
    assert np.linalg.norm(A.T @ found.V[:, 2]) == pytest.approx(4e-6, rel=1e-9)


def test_singular_values_in_an_inner_product_are_those_of_the_square_root() -> None:
    """σ of A in W are σ of LᵀA with W = LLᵀ."""
    A, W = snapshots(20, 6, [4.0, 3.0, 1.0]), mass(20)
    expected = np.linalg.svd(np.linalg.cholesky(W).T @ A, compute_uv=False)
    np.testing.assert_allclose(basis(A, W, rank=3).singular_values[:3], expected[:3], rtol=1e-12)


def test_energy_criterion_is_exact() -> None:
    """The smallest s with a tail below the tolerance, for every tolerance between two steps of the
    staircase."""
    sigma = np.array([3.0, 2.0, 1.0, 0.5, 0.01])
    squares = sigma**2
    for s in range(1, 6):
        tail, longer = squares[s:].sum() / squares.sum(), squares[s - 1 :].sum() / squares.sum()
        assert by_energy(sigma, 1.0 - 0.5 * (tail + longer)) == s
        assert by_energy(sigma, 1.0 - longer * (1 - 1e-12)) == s
        found = basis(snapshots(20, 9, sigma.tolist()), energy=1.0 - 0.5 * (tail + longer))
        assert found.rank == s
        assert found.captured == pytest.approx(1.0 - tail, abs=1e-14)
        assert found.error == pytest.approx(squares[s:].sum(), abs=1e-12)
    assert basis(snapshots(20, 9, sigma.tolist()), energy=1.0).rank == 5


def test_error_estimate_is_the_error_of_the_snapshots() -> None:
    """‖A − VVᵀA‖² = Σ of the squares left out, and no other basis of that rank does better."""
    A = np.random.default_rng(2).standard_normal((15, 11))
    found = basis(A, rank=4)
    assert np.linalg.norm(A - found.V @ (found.V.T @ A)) ** 2 == pytest.approx(found.error, rel=1e-12)
    assert found.relative_error == pytest.approx(found.error / np.linalg.norm(A) ** 2, rel=1e-12)
    other = np.linalg.qr(found.V + 0.05 * np.random.default_rng(3).standard_normal(found.V.shape))[0]
    assert np.linalg.norm(A - other @ (other.T @ A)) ** 2 > found.error


@pytest.fixture(scope="module")
def run() -> iso.Solution:
    bar = iso.problems.get("clamped_bar").system()
    return iso.integrate(bar, iso.Scheme.optimal(0.9), dt=0.01, t_end=1.0)


@pytest.mark.parametrize("of", ["q", "v", "a"])
@pytest.mark.parametrize("weighted", [False, True])
def test_streaming_equals_all_at_once(run: iso.Solution, of: Any, weighted: bool) -> None:
    """Directions and values of snapshots merged block by block, against one decomposition."""
    W = run.system.M if weighted else None
    seen = iso.reduction.Snapshots(of, W, block=7)
    kept = iso.integrate(run.system, run.scheme, dt=0.01, t_end=1.0, observe=seen, select=[])
    assert kept.q.size == kept.v.size == kept.a.size == 0
    streamed, whole = seen.basis(rank=6), iso.pod(run, of, rank=6, inner=W)
    assert seen.count == run.t.size
    np.testing.assert_allclose(streamed.singular_values[:12], whole.singular_values[:12], rtol=1e-9)
    overlap = np.abs(streamed.V.T @ (whole.V if W is None else W @ whole.V))
    np.testing.assert_allclose(overlap, np.eye(6), atol=1e-10)
    assert streamed.captured == pytest.approx(whole.captured, abs=1e-12)


def test_streaming_takes_the_mean_off_exactly(run: iso.Solution) -> None:
    """Blocks centred by their own means, with the step between means as a column."""
    seen = iso.reduction.Snapshots(centred=True, block=9)
    seen.add(run)
    streamed, whole = seen.basis(rank=6), iso.pod(run, rank=6, centred=True)
    np.testing.assert_allclose(streamed.mean, whole.mean, atol=1e-15)
    np.testing.assert_allclose(streamed.singular_values[:8], whole.singular_values[:8], rtol=1e-9)


def test_streaming_of_some_columns(run: iso.Solution) -> None:
    """With an inner product of all coordinates, about a configuration of all."""
    columns, about = [1, 4, 5, 7, 20, 21], np.linspace(0.0, 0.1, 30)
    seen = iso.reduction.Snapshots(inner=run.system.M, about=about, columns=columns)
    seen.add(run)
    streamed, whole = seen.basis(rank=4), iso.pod(run, rank=4, inner=run.system.M, about=about, columns=columns)
    np.testing.assert_array_equal(streamed.columns, whole.columns)
    np.testing.assert_array_equal(streamed.mean, whole.mean)
    np.testing.assert_allclose(streamed.singular_values, whole.singular_values, rtol=1e-9)


def test_streaming_with_a_limit_keeps_the_sum_of_squares(run: iso.Solution) -> None:
    """What a limit throws away still counts in the energy criterion."""
    seen = iso.reduction.Snapshots(limit=20)
    seen.add(run)
    assert seen.basis(rank=5).captured == pytest.approx(iso.pod(run, rank=5).captured, abs=5e-6)
    assert (seen.basis(rank=5).singular_values ** 2).sum() == pytest.approx((run.q**2).sum(), rel=1e-12)


def test_several_solutions_and_truncation(run: iso.Solution) -> None:
    """Snapshots of two runs lie side by side; a truncated basis is the smaller basis."""
    both, one = iso.pod([run, run], rank=5), iso.pod(run, rank=5)
    np.testing.assert_allclose(both.singular_values[:5], np.sqrt(2) * one.singular_values[:5], rtol=1e-10)
    np.testing.assert_array_equal(one.truncated(3).V, one.V[:, :3])
    assert one.truncated(3).captured == pytest.approx(iso.pod(run, rank=3).captured)
