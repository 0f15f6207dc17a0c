"""The square root of a mass matrix, M^{1/2} M^{1/2} = M, and its inverse, by three algorithms.

    spectral          M = V D Vᵀ,  M^{±1/2} = V D^{±1/2} Vᵀ
    Denman–Beavers    Y ← ½(μY + (μZ)⁻¹),  Z ← ½(μZ + (μY)⁻¹),  from Y = M, Z = I;  Y → M^{1/2}, Z → M^{-1/2}
    Schur             M = Q S Qᵀ,  T² = S,  M^{1/2} = Q T Qᵀ

The scaling μ = (det Y det Z)^(−1/2n) of the second makes the number of iterations nearly
independent of the condition of M; it tends to 1.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy.linalg import lapack, schur

from isodyn.errors import ConvergenceError, InputError
from isodyn.gauss import checks
from isodyn.linear_solvers.rank import EPS, FloatArray

MAX_ITERATIONS = 60


@dataclass(frozen=True, eq=False)
class Root:
    """M^{1/2}, M^{-1/2}, and the last relative changes of the iteration that found them (empty for
    direct algorithms)."""

    root: FloatArray
    inverse: FloatArray
    changes: tuple[float, ...] = ()


def not_positive_definite(M: FloatArray) -> InputError:
    """The error for a mass matrix that has no Cholesky factor, with its smallest eigenvalue."""
    smallest = float(np.linalg.eigvalsh(M)[0])
    return InputError(
        f"M must be positive definite, its smallest eigenvalue is {smallest:.3g}",
        hint="every coordinate needs inertia; remove coordinates without mass, or check the signs in M",
    )


def _checked(M: Any) -> FloatArray:
    """A finite symmetric M."""
    return np.asarray(checks.symmetric_mass(checks.square("M", M)))


def spectral(M: Any) -> Root:
    """By eigenvalues and eigenvectors."""
    M = _checked(M)
    D, V = np.linalg.eigh(M)
    if D.size and D[0] <= 0.0:
        raise not_positive_definite(M)
    s = np.sqrt(D)
    return Root((V * s) @ V.T, (V / s) @ V.T)  # [Fumagalli2009 (9)–(12), (17), (18)]


def denman_beavers(M: Any) -> Root:
    """By the scaled iteration of Denman and Beavers; fails with ConvergenceError, never
    silently."""
    M = _checked(M)
    n = M.shape[0]
    Y, Z = M.copy(), np.eye(n)
    changes: list[float] = []
    for _ in range(MAX_ITERATIONS):
        (Y_inverse, log_y), (Z_inverse, log_z) = _inverse(Y, M), _inverse(Z, M)
        mu = np.exp(-(log_y + log_z) / (2 * n)) if not changes or changes[-1] > 1e-2 else 1.0
        Y_1 = 0.5 * (mu * Y + Z_inverse / mu)  # [Fumagalli2009 (13a) adapted] scaled by μ
        Z = 0.5 * (mu * Z + Y_inverse / mu)  # [Fumagalli2009 (13b) adapted]
        changes.append(float(np.linalg.norm(Y_1 - Y) / np.linalg.norm(Y_1)))
        Y = Y_1
        settled = changes[-1] <= 4 * n * EPS
        stalled = len(changes) > 2 and changes[-1] < 1e-6 and changes[-1] >= 0.25 * changes[-2]
        if settled or stalled:  # quadratic convergence: what does not shrink any more is rounding
            return Root(Y, Z, tuple(changes))
    raise ConvergenceError(
        f"Denman–Beavers iteration for M^(1/2): relative change {changes[-1]:.1e} after {MAX_ITERATIONS} iterations",
        hint='use method="square-root" (spectral) or one without a square root, such as "range-space"',
    )


def _inverse(X: FloatArray, M: FloatArray) -> tuple[FloatArray, float]:
    """Inverse and log det of a symmetric positive definite matrix."""
    U, info = lapack.dpotrf(X.T)
    if info:
        raise not_positive_definite(M)
    half = lapack.dpotri(U)[0]
    logarithm = 2.0 * float(np.log(U.diagonal()).sum())
    upper = np.triu(half)
    return upper + np.triu(half, 1).T, logarithm


def schur_root(M: Any) -> Root:
    """By the Schur decomposition, of any M with positive eigenvalues; for symmetric M its
    triangular factor is diagonal up to rounding."""
    M = checks.square("M", M)
    S, Q = schur(M, output="real", check_finite=False)  # [Fumagalli2009 (14)]
    if np.diagonal(S, -1).any():
        raise InputError("M has no real root by its Schur form: two of its eigenvalues are complex")
    if S.size and S.diagonal().min() <= 0.0:
        raise not_positive_definite(M)
    T = _triangular_root(np.triu(S))
    half = lapack.dtrtrs(T, Q.T)[0] if S.size else Q.T
    return Root(Q @ T @ Q.T, Q @ half)  # [Fumagalli2009 (16)]


def _triangular_root(S: FloatArray) -> FloatArray:
    """T upper triangular with T² = S [Fumagalli2009 (15)]: halves by recursion, the block between
    them from T₁X + XT₂ = S₁₂."""
    n = S.shape[0]
    if n <= 1:
        return np.sqrt(S)
    k = n // 2
    T = np.zeros_like(S)
    T[:k, :k], T[k:, k:] = _triangular_root(S[:k, :k]), _triangular_root(S[k:, k:])
    X, factor, _ = lapack.dtrsyl(T[:k, :k], T[k:, k:], S[:k, k:])
    T[:k, k:] = X / factor
    return T
