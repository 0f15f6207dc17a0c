"""Six bases V of the motions that the constraints allow, A V = 0.

All start from the independent rows of `rank.decide`, scaled to unit length (E below, r rows), so
that redundant rows, more rows than coordinates, no rows and zero rows need no case of their own.

    partitioning     Eᵀ = P L U by elimination with column pivoting; V = (−(L₁ᵀ)⁻¹L₂ᵀ; I) in the order of P
    qr               Eᵀ = (Q₁ Q₂)(R; 0),  V = Q₂
    putd             the same by r Householder reflections, V = H (0; I)
    zero-eigenvalue  EᵀE = T Λ Tᵀ, V = the columns of T with the n − r smallest eigenvalues
    svd              E = U Σ (W₁ W₂)ᵀ, V = W₂
    schur            EᵀE = K U Kᵀ, V = the columns of K with the n − r smallest diagonal entries of U

All but the first are orthonormal. The two that form EᵀE square the condition: their columns are
tilted by eps κ(E)² instead of eps κ(E), and they refuse rows for which that exceeds 1e-6.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Literal, get_args

import numpy as np
from scipy.linalg import lapack, schur

from isodyn.errors import SingularError
from isodyn.linear_solvers.rank import EPS, FloatArray, IntArray

Basis = Literal["partitioning", "qr", "putd", "zero-eigenvalue", "svd", "schur"]
TILT = 1e-6  # of the bases that form EᵀE, at most
BASES: tuple[Basis, ...] = get_args(Basis)


def partitioning(E: FloatArray) -> FloatArray:
    """Unit columns in the independent coordinates."""
    r, n = E.shape
    V, (dependent, independent) = np.zeros((n, n - r)), partition(E)
    V[independent, np.arange(n - r)] = 1.0
    if r and n > r:
        V[dependent] = -np.linalg.solve(E[:, dependent], E[:, independent])  # [Pennestri2008 (22)]
    return V


def partition(E: FloatArray) -> tuple[IntArray, IntArray]:
    """Dependent and independent coordinates: pivots of the elimination, and the rest, each in their
    own order."""
    r, n = E.shape
    order = np.arange(n)
    if r:
        _, pivots, _ = lapack.dgetrf(E.T)
        for k, p in enumerate(pivots):
            order[k], order[p] = order[p], order[k]
    return np.sort(order[:r]), np.sort(order[r:])


def qr(E: FloatArray) -> FloatArray:
    """Q₂ of the QR decomposition."""
    r, n = E.shape
    if not r:
        return np.eye(n)
    factors, tau, _, _ = lapack.dgeqrf(E.T)
    V = np.zeros((n, n - r), order="F")
    V[r:] = np.eye(n - r)
    return _multiply_by_q(factors, tau, V)  # [Pennestri2008 (58), (62)]


def _multiply_by_q(factors: FloatArray, tau: FloatArray, V: FloatArray) -> FloatArray:
    if not V.shape[1]:
        return V
    return np.asarray(lapack.dormqr("L", "N", factors, tau, V, max(64 * V.shape[1], 64), overwrite_c=1)[0])


def putd(E: FloatArray) -> FloatArray:
    """Householder reflections H_k = I − 2 u uᵀ that bring Eᵀ to upper triangular form, applied
    backwards to (0; I)."""
    r, n = E.shape
    X, reflections = E.T.copy(), []
    for k in range(r):
        u = X[k:, k].copy()
        u[0] += np.copysign(np.linalg.norm(u), u[0])
        u /= np.linalg.norm(u)
        X[k:, k:] -= 2.0 * np.outer(u, u @ X[k:, k:])
        reflections.append(u)
    V = np.eye(n)[:, r:]  # [Pennestri2008 (66), (67)]
    for k in reversed(range(r)):
        V[k:] -= 2.0 * np.outer(reflections[k], reflections[k] @ V[k:])
    return V


def zero_eigenvalue(E: FloatArray) -> FloatArray:
    """Eigenvectors of EᵀE with eigenvalue zero."""
    r, n = E.shape
    values, T = np.linalg.eigh(E.T @ E)  # [Pennestri2008 (68)–(71)]
    _refuse_tilted(values, r)
    return np.asarray(T[:, : n - r])


def svd(E: FloatArray) -> FloatArray:
    """Right singular vectors without singular value."""
    r, n = E.shape
    return np.asarray(np.linalg.svd(E)[2][r:].T) if r else np.eye(n)  # [Pennestri2008 (72), (74)]


def schur_vectors(E: FloatArray) -> FloatArray:
    """Schur vectors of EᵀE with eigenvalue zero; EᵀE is symmetric, so their order in the form does
    not matter."""
    r, n = E.shape
    U, K = schur(E.T @ E, check_finite=False)  # [Pennestri2008 (78)–(80)]
    order = np.argsort(U.diagonal())
    _refuse_tilted(U.diagonal()[order], r)
    return np.asarray(K[:, np.sort(order[: n - r])])


def _refuse_tilted(eigenvalues: FloatArray, r: int) -> None:
    """The r largest of the sorted eigenvalues belong to rows; the smallest of them must stand out
    of rounding."""
    if not r:
        return
    tilt = EPS * float(eigenvalues[-1] / max(eigenvalues[-r], EPS * eigenvalues[-1]))
    if tilt > TILT:
        raise SingularError(
            f"rows are too nearly dependent for a basis from AᵀA: eigenvalues from {eigenvalues[-r]:.1e} to {eigenvalues[-1]:.1e}",
            hint='use "qr" or "svd", or raise rcond if those rows are meant to be dependent',
        )


BY_NAME: dict[Basis, Callable[[FloatArray], FloatArray]] = {
    "partitioning": partitioning,
    "qr": qr,
    "putd": putd,
    "zero-eigenvalue": zero_eigenvalue,
    "svd": svd,
    "schur": schur_vectors,
}
