"""Left singular vectors of a snapshot matrix in an inner product, by the cheapest route that is
accurate enough.

    A = U Σ Xᵀ,   Uᵀ W U = I                                        [Shimada2014 (C.4) adapted]

    method of snapshots   (AᵀW A) x = σ² x,   u = A x/σ             fewer snapshots than coordinates [Shimada2014 (C.15) adapted]
    A Aᵀ                  (A Aᵀ) u = σ² u                           more snapshots than coordinates  [Shimada2014 (C.15)]
    SVD                   of A itself, or of R in A = Q R with QᵀW Q = I

The first two square the condition: directions with σ below `BLURRED` σ₁ are lost in rounding. Where
such ones are asked for, the SVD follows. W = I where no inner product is given.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
import scipy.sparse as sp
from scipy.linalg import cholesky, eigh, solve_triangular, svd

from isodyn.errors import InputError
from isodyn.kernels.compiled import FloatArray
from isodyn.real_numbers import real_array

if TYPE_CHECKING:
    from isodyn.open_types import Matrix

BLURRED = 1e-5  # relative σ below which squared matrices do not resolve a direction
EPS = float(np.finfo(float).eps)


@dataclass(frozen=True, eq=False)
class Decomposition:
    """Directions U, all singular values, the number of those above rounding, and the route that was
    taken."""

    U: FloatArray
    singular_values: FloatArray
    independent: int
    method: str


def inner_matrix(inner: Matrix, n: int) -> Matrix:
    """W of the inner product xᵀW y, checked; None for the Euclidean one."""
    if inner is None:
        return None
    try:
        real_array("inner", inner.tocsr().data if sp.issparse(inner) else inner)
        W: Any = sp.csr_array(inner, dtype=np.float64) if sp.issparse(inner) else np.array(inner, dtype=np.float64)
    except (TypeError, ValueError) as error:
        raise InputError(
            f"inner must be a matrix of {n} × {n}, received {inner!r}", hint="a mass matrix: system.M"
        ) from error
    if W.ndim == 1 and W.size == n:
        W = sp.diags_array(W, format="csr")
    if W.shape != (n, n):
        raise InputError(
            f"inner must be a matrix of {n} × {n}, received shape {W.shape}", hint="one row per coordinate"
        )
    gap = abs(W - W.T).max()
    if not np.isfinite(gap) or gap > 1e-10 * abs(W).max():
        raise InputError("inner must be a finite symmetric matrix", hint="a mass matrix is one")
    if (W.diagonal() <= 0.0).any():
        raise InputError(f"inner must be positive definite, received the diagonal entry {W.diagonal().min():.3g}")
    return W


def times(W: Matrix, X: FloatArray) -> FloatArray:
    """W X; X itself without W."""
    return X if W is None else np.asarray(W @ X)


def decompose(A: FloatArray, W: Matrix, wanted: Callable[..., int | None]) -> Decomposition:
    """Directions of A (n, k) in the inner product of W; `wanted(σ, independent)` says how many are
    to be kept."""
    n, k = A.shape
    squared = _by_snapshots(A, W) if k <= n else _by_coordinates(A, W)
    sigma = squared.singular_values
    if sigma.size == 0 or sigma[0] == 0.0:
        raise InputError("all snapshots are zero: they hold no direction", hint="let the run move, or do not centre")
    count = wanted(sigma, squared.independent)
    if count is not None and count <= squared.independent and sigma[count - 1] > BLURRED * sigma[0]:
        return squared
    return _by_svd(A, W)


def _by_snapshots(A: FloatArray, W: Matrix) -> Decomposition:
    values, X = eigh(A.T @ times(W, A))
    sigma, independent = _singular(values)
    U = orthonormal((A @ X[:, ::-1][:, :independent]) / sigma[:independent], W)
    return Decomposition(U, sigma, independent, "method of snapshots")


def _by_coordinates(A: FloatArray, W: Matrix) -> Decomposition:
    try:
        L = None if W is None else cholesky(W.toarray() if sp.issparse(W) else W, lower=True)
    except np.linalg.LinAlgError as error:
        raise InputError("inner must be positive definite", hint="a mass matrix is") from error
    B = A if L is None else L.T @ A
    values, U = eigh(B @ B.T)
    sigma, independent = _singular(values)
    U = U[:, ::-1][:, :independent]
    if L is not None:
        U = solve_triangular(L.T, U, lower=False)
    return Decomposition(U, sigma, independent, "A Aᵀ")


def _singular(squares: FloatArray) -> tuple[FloatArray, int]:
    """σ from σ² in rising order, and how many rise above rounding."""
    largest = float(squares[-1])
    if squares[0] < -1e-8 * max(largest, 0.0):
        raise InputError(
            f"inner must be positive definite, received a product with the eigenvalue {squares[0]:.3g}",
            hint="a mass matrix is",
        )
    sigma = np.sqrt(np.maximum(squares[::-1], 0.0))
    return sigma, int((sigma**2 > 10 * sigma.size * EPS * largest).sum())


def _by_svd(A: FloatArray, W: Matrix) -> Decomposition:
    if W is None:
        U, sigma, _ = svd(A, full_matrices=False)
    else:
        Q, R = gram_schmidt(A, W)
        U, sigma, _ = svd(R, full_matrices=False)
        U = Q @ U
    independent = int((sigma > max(A.shape) * EPS * sigma[0]).sum())
    return Decomposition(orthonormal(U[:, :independent], W), sigma, independent, "SVD")


def gram_schmidt(A: FloatArray, W: Matrix) -> tuple[FloatArray, FloatArray]:
    """A = Q R with QᵀW Q = I; columns that depend on the ones before bring none to Q."""
    n, k = A.shape
    Q, WQ, R = np.zeros((n, min(n, k))), np.zeros((n, min(n, k))), np.zeros((min(n, k), k))
    found = 0
    for j in range(k):
        x = A[:, j].copy()
        size = np.sqrt(abs(x @ times(W, x)))
        for _ in range(2):  # twice is enough
            h = WQ[:, :found].T @ x
            x -= Q[:, :found] @ h
            R[:found, j] += h
        rest = np.sqrt(abs(x @ times(W, x)))
        if found < min(n, k) and rest > 10 * EPS * size:
            Q[:, found] = x / rest
            WQ[:, found] = times(W, Q[:, found])
            R[found, j] = rest
            found += 1
    return Q[:, :found], R[:found]


def orthonormal(U: FloatArray, W: Matrix) -> FloatArray:
    """The same directions, once more made orthonormal in the inner product."""
    if U.shape[1] == 0:
        return U
    Q, R = gram_schmidt(U, W)
    if Q.shape[1] < U.shape[1]:
        raise InputError("the inner product has no length for some of the snapshots: inner must be positive definite")
    return Q * np.sign(np.diag(R))
