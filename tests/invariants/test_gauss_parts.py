"""The parts of the acceleration problem: square roots, weighted inverses, general underdetermined
systems, rank along a path."""

from __future__ import annotations

import itertools

import numpy as np
import pytest
import scipy.linalg
import scipy.sparse as sp

from gauss_cases import EPS, MASSES, ROWS, case, mass
from isodyn import gauss
from isodyn.gauss.bases import BASES
from isodyn.gauss.methods import METHODS


@pytest.mark.parametrize("kind", MASSES)
@pytest.mark.parametrize("algorithm", [gauss.spectral, gauss.denman_beavers, gauss.schur_root])
def test_square_roots(kind, algorithm):
    """Y Y = M, Z M Z = I and Y = Yᵀ within eps √κ and eps κ; at condition 1e8 and below."""
    rng = np.random.default_rng(1)
    for decades in (0.0, 2.0, 4.0, 8.0):
        for n in (1, 2, 5, 13, 40):
            M = mass(kind, n, decades, rng)
            root = algorithm(M)
            condition = np.linalg.cond(M)
            size = np.linalg.norm(M, 2)
            assert np.linalg.norm(root.root @ root.root - M, 2) <= 20 * n * EPS * size * max(1.0, np.sqrt(condition))
            assert np.linalg.norm(root.inverse @ M @ root.inverse - np.eye(n), 2) <= 20 * n * EPS * condition
            assert np.linalg.norm(root.root - root.root.T, 2) <= 20 * n * EPS * np.sqrt(size * condition)


def test_schur_root_of_a_matrix_that_is_not_symmetric():
    """Positive eigenvalues are enough; here the triangular factor has more than its diagonal."""
    rng = np.random.default_rng(7)
    for n in (1, 2, 3, 7, 16):
        X = np.eye(n) + 0.3 * rng.uniform(-1, 1, (n, n)) / n
        M = X @ np.diag(rng.uniform(1, 9, n)) @ np.linalg.inv(X)
        root = gauss.schur_root(M)
        np.testing.assert_allclose(root.root @ root.root, M, atol=1e-12)
        np.testing.assert_allclose(root.inverse @ root.root, np.eye(n), atol=1e-12)


@pytest.mark.parametrize("n", [2, 3, 4, 7, 16, 31])
def test_schur_root_with_complex_pairs(n: int) -> None:
    """Real roots of real matrices whose eigenvalues are complex in pairs, against SciPy's root, which
    is principal: its eigenvalues lie in the right half plane."""
    rng = np.random.default_rng(n)
    for angle in (0.3, 1.5, 2.9):  # of the eigenvalues; 2.9 is close to the negative axis
        blocks = np.zeros((n, n))
        for k in range(0, n - 1, 2):
            r, a = rng.uniform(0.2, 5.0), angle * rng.uniform(0.5, 1.0)
            blocks[k : k + 2, k : k + 2] = r * np.array([[np.cos(a), 3 * np.sin(a)], [-np.sin(a) / 3, np.cos(a)]])
        if n % 2:
            blocks[-1, -1] = 1.7
        X = np.eye(n) + 0.4 * rng.uniform(-1, 1, (n, n)) / np.sqrt(n)
        M = X @ blocks @ np.linalg.inv(X)
        root = gauss.schur_root(M)
        size = np.abs(M).max()
        np.testing.assert_allclose(root.root @ root.root, M, atol=1e-12 * size)
        np.testing.assert_allclose(root.inverse @ root.root, np.eye(n), atol=1e-11)
        np.testing.assert_allclose(root.root, scipy.linalg.sqrtm(M).real, atol=1e-10 * size)
        assert np.linalg.eigvals(root.root).real.min() > 0.0


def test_denman_beavers_converges_in_few_iterations():
    """With scaling, a condition of 1e8 costs no more than twelve iterations; the last changes fall
    quadratically."""
    rng = np.random.default_rng(2)
    for decades in (0.0, 4.0, 8.0):
        changes = gauss.denman_beavers(mass("dense", 20, decades, rng)).changes
        assert len(changes) <= 12
        falling = [x for x in changes if 1e-6 < x < 1e-1]
        assert all(b < 10 * a**2 for a, b in itertools.pairwise(falling))


def test_three_forms_of_the_explicit_equations():
    """(5a), (5b) and (5c′) of [Udwadia1992] written out with the pseudo-inverse of A M^(-1/2)."""
    rng = np.random.default_rng(3)
    for rows in ROWS[:3]:
        c = case(rng, "dense", rows, True, n=7, decades=2.0)
        Z = gauss.spectral(c.M)
        scaled = c.A @ Z.inverse
        K = Z.root @ np.linalg.pinv(scaled, rcond=1e-10)
        result = gauss.solve(c.M, c.Q, c.A, c.b)
        np.testing.assert_allclose(c.M @ result.a, c.Q + K @ result.error, atol=1e-8 * np.linalg.norm(c.Q) * 100)
        np.testing.assert_allclose(result.force, K @ result.error, atol=1e-8 * np.linalg.norm(c.Q) * 100)
        K_1 = gauss.proportionality_matrix(c.M, c.A)
        np.testing.assert_allclose(result.a - result.free, K_1 @ result.error, atol=1e-9 * np.linalg.norm(result.a))
        np.testing.assert_allclose(c.M @ K_1, K, atol=1e-8 * np.linalg.norm(K))


def test_underdetermined_systems():
    """(40)–(49) of [Fan2005]: A x = b, vᵀv₁ = 0, vᵀv₂ = vᵀc, v₁ ⟂ v₂, vᵀ(x − s) = vᵀc; c in one of
    the two spaces."""
    rng = np.random.default_rng(4)
    for rows in ROWS * 20:
        c = case(rng, "diagonal", rows, True)
        s, load = rng.standard_normal((2, c.n))
        u = gauss.underdetermined(c.A, c.b, s, load)
        v = gauss.null_space(c.A) @ rng.standard_normal(c.n - c.rank)
        T = np.linalg.cond(c.T / np.linalg.norm(c.T, axis=0)) if c.rank else 1.0
        close = 1e-12 * T * (np.linalg.norm(u.x) + np.linalg.norm(s) + np.linalg.norm(load)) ** 2
        assert np.abs(u.residual).max(initial=0.0) <= close * np.linalg.norm(c.A)
        for found, expected in (
            (v @ u.v1, 0.0),
            (v @ u.v2, v @ load),
            (u.v1 @ u.v2, 0.0),
            (v @ (u.x - s), v @ load),
        ):
            assert abs(found - expected) <= close * max(1.0, np.linalg.norm(v))
        pinv = np.linalg.pinv(c.E)
        np.testing.assert_allclose(u.v2, load - pinv @ (c.E @ load), atol=close)
        inside = gauss.underdetermined(c.A, c.b, s, v)
        np.testing.assert_allclose(inside.v2, v, atol=close)
        if c.rank:
            across = gauss.underdetermined(c.A, c.b, s, c.E.T @ rng.standard_normal(c.rank))
            assert np.linalg.norm(across.v2) <= close
        assert u.rank == c.rank


def test_sparse_matrices_of_some_size():
    """A chain of 300 coordinates under 150 rows, ten of them redundant: sparse and dense, symmetric
    and not."""
    rng = np.random.default_rng(8)
    n, m = 300, 140
    M = sp.diags_array(
        [np.full(n - 1, 0.3), rng.uniform(1, 2, n), np.full(n - 1, 0.3)], offsets=[-1, 0, 1], format="csc"
    )
    A = sp.random_array((m, n), density=0.02, rng=rng, format="csr") + sp.eye_array(m, n)
    A = sp.csr_array(sp.vstack([A, 2.0 * A[:10]]))
    Q, b = rng.standard_normal(n), A @ rng.standard_normal(n)
    dense = gauss.solve(M.toarray(), Q, A.toarray(), b, "cholesky")
    assert dense.rank == m
    for method in ("range-space", "regularised", "non-symmetric"):
        for matrices in ((M, A), (M, A.toarray()), (M.toarray(), A)):
            result = gauss.solve(matrices[0], Q, matrices[1], b, method)
            np.testing.assert_allclose(result.a, dense.a, atol=1e-11)
            np.testing.assert_allclose(result.lam, dense.lam, atol=1e-10)
            assert result.rank == m


def test_nothing_to_constrain_and_nothing_left_free():
    """No rows: the free acceleration. As many independent rows as coordinates: the rows alone."""
    rng = np.random.default_rng(5)
    M, Q = mass("dense", 4, 2.0, rng), rng.standard_normal(4)
    E, a = rng.standard_normal((4, 4)), rng.standard_normal(4)
    for method in METHODS:
        free = gauss.solve(M, Q, np.zeros((0, 4)), np.zeros(0), method)
        np.testing.assert_allclose(M @ free.a, Q, atol=1e-12)
        assert (free.rank, free.redundant, free.gauss_value) == (0, (), 0.0)
        fixed = gauss.solve(M, Q, E, E @ a, method)
        np.testing.assert_allclose(fixed.a, a, atol=1e-9)
        np.testing.assert_allclose(E.T @ fixed.lam, Q - M @ a, atol=1e-8 * np.linalg.norm(M))


@pytest.mark.parametrize("method", [m for m in METHODS if m != "block-cholesky"])
def test_nearly_dependent_rows_are_met(method):
    """Rows at an angle of 1e-4: corrections bring A a = b to rounding, also for bases from squared
    rows."""
    rng = np.random.default_rng(10)
    for _ in range(30):
        E = np.linalg.qr(rng.standard_normal((6, 6)))[0][:3]
        A = np.vstack([E, E[0] + 1e-4 * E[1:].sum(axis=0)])[[0, 2, 3]]
        b, M = A @ rng.standard_normal(6), mass("dense", 6, 1.0, rng)
        result = gauss.solve(M, rng.standard_normal(6), A, b, method)
        assert result.rank == 3
        assert np.abs(result.residual).max() <= 40 * EPS * (np.linalg.norm(result.a) + np.abs(b).max())


@pytest.mark.parametrize("method", [m for m in METHODS if m != "block-cholesky"])
def test_rank_that_changes_along_a_path(method):
    """Two rods of a parallelogram pass the dead centre s = 0, where their rows coincide: rank 2, 1,
    2, all right-hand sides met."""
    M, Q = np.diag([1.0, 2.0, 0.5]), np.array([0.3, -9.81, 0.1])
    for s in (-0.5, -1e-3, -1e-12, 0.0, 1e-12, 1e-3, 0.5):
        A = np.array([[np.cos(s), np.sin(s), 0.0], [np.cos(s), -np.sin(s), 0.0], [2 * np.cos(s), 0.0, 0.0]])
        b = np.array([-1.0, -1.0, -2.0])
        result = gauss.solve(M, Q, A, b, method)
        assert result.rank == (2 if abs(s) > 1e-8 else 1)
        assert result.conflict is None
        assert np.abs(result.residual).max() < 1e-10
        assert result.a[0] == pytest.approx(-1.0 / np.cos(s))
        assert result.a[1] == pytest.approx(0.0 if abs(s) > 1e-8 else -9.81 / 2, abs=1e-9)


@pytest.mark.parametrize("basis", BASES)
def test_pendulum_of_the_review(basis):
    """§8 of [Pennestri2008]: the reduced equation is (I_g + m L²) θ̈ = −m g L cos θ."""
    m, L, I_g = 1.3, 0.5, 0.1
    for theta, omega in ((0.0, 0.0), (0.7, 2.0), (-2.5, -1.0)):
        A = np.array([[1.0, 0.0, L * np.sin(theta)], [0.0, 1.0, -L * np.cos(theta)]])
        b = -L * omega**2 * np.array([np.cos(theta), np.sin(theta)])
        result = gauss.solve(np.diag([m, m, I_g]), [0.0, -9.8 * m, 0.0], A, b, f"null-space/{basis}")
        assert result.a[2] == pytest.approx(-m * 9.8 * L * np.cos(theta) / (I_g + m * L**2), rel=1e-12)
        assert result.lam[0] == pytest.approx(-m * result.a[0], abs=1e-12)
