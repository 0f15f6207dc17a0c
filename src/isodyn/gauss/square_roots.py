"""The square root of a mass matrix, M^{1/2} M^{1/2} = M, and its inverse, by three algorithms.

    spectral          M = V D Vᵀ,  M^{±1/2} = V D^{±1/2} Vᵀ
    Denman–Beavers    Y ← ½(μY + (μZ)⁻¹),  Z ← ½(μZ + (μY)⁻¹),  from Y = M, Z = I;  Y → M^{1/2}, Z → M^{-1/2}
    Schur             M = Q S Qᵀ,  T² = S,  M^{1/2} = Q T Qᵀ

The scaling μ = (det Y det Z)^(−1/2n) of the second makes the number of iterations nearly
independent of the condition of M; it tends to 1.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from scipy.linalg import lapack, schur

from isodyn.errors import ConvergenceError, InputError
from isodyn.gauss import checks
from isodyn.linear_solvers.rank import EPS, FloatArray

if TYPE_CHECKING:
    from isodyn.open_types import Matrix

MAX_ITERATIONS = 60


@dataclass(frozen=True, eq=False)
class Root:
    """Square root of a mass matrix, and its inverse.

    Parameters
    ----------
    root
        M^{1/2}.
    inverse
        M^{-1/2}.
    changes
        Last relative changes of the iteration that found them; empty for direct algorithms.

    Examples
    --------
    >>> import numpy as np
    >>> from isodyn.gauss import spectral
    >>> spectral(np.diag([4.0, 9.0])).root.round(12).tolist()
    [[2.0, 0.0], [0.0, 3.0]]
    """

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


def _checked(M: Matrix) -> FloatArray:
    """A finite symmetric M."""
    return np.asarray(checks.symmetric_mass(checks.square("M", M)))


def spectral(M: Matrix) -> Root:
    """Return the square root by eigenvalues and eigenvectors.

    Parameters
    ----------
    M
        Symmetric mass matrix.

    Returns
    -------
    root
        The root and its inverse.

    Examples
    --------
    >>> import numpy as np
    >>> from isodyn.gauss import spectral
    >>> spectral(np.diag([4.0, 9.0])).inverse.diagonal().round(3).tolist()
    [0.5, 0.333]
    """
    M = _checked(M)
    D, V = np.linalg.eigh(M)
    if D.size and D[0] <= 0.0:
        raise not_positive_definite(M)
    s = np.sqrt(D)
    return Root((V * s) @ V.T, (V / s) @ V.T)  # [Fumagalli2009 (9)–(12), (17), (18)]


def denman_beavers(M: Matrix) -> Root:
    """Return the square root by the scaled iteration of Denman and Beavers.

    Parameters
    ----------
    M
        Mass matrix.

    Returns
    -------
    root
        The root and its inverse.

    Raises
    ------
    ConvergenceError
        If the iteration does not converge.

    Examples
    --------
    >>> import numpy as np
    >>> from isodyn.gauss import denman_beavers
    >>> denman_beavers(np.diag([4.0, 9.0])).root.diagonal().round(12).tolist()
    [2.0, 3.0]
    """
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


def schur_root(M: Matrix) -> Root:
    """Return the square root by the Schur decomposition, for positive eigenvalues.

    For symmetric M the triangular factor is diagonal up to rounding.

    Parameters
    ----------
    M
        Mass matrix; it need not be symmetric.

    Returns
    -------
    root
        The root and its inverse.

    Examples
    --------
    >>> import numpy as np
    >>> from isodyn.gauss import schur_root
    >>> schur_root(np.diag([4.0, 9.0])).root.diagonal().round(12).tolist()
    [2.0, 3.0]
    """
    M = checks.square("M", M)
    S, Q = schur(M, output="real", check_finite=False)  # [Fumagalli2009 (14)]
    pairs = np.diagonal(S, -1) != 0.0
    single = np.flatnonzero(~(np.append(pairs, False) | np.append(False, pairs)))
    if single.size and S.diagonal()[single].min() <= 0.0:
        raise _no_root(M, float(S.diagonal()[single].min()))
    T = _quasi_triangular_root(S)
    half = np.linalg.solve(T, Q.T) if pairs.any() else lapack.dtrtrs(T, Q.T)[0] if S.size else Q.T
    return Root(Q @ T @ Q.T, Q @ half)  # [Fumagalli2009 (16)]


def _no_root(M: FloatArray, eigenvalue: float) -> InputError:
    if np.array_equal(M, M.T):
        return not_positive_definite(M)
    return InputError(
        f"M has no real root by its Schur form: it has the eigenvalue {eigenvalue:.3g}",
        hint="real eigenvalues must be positive; complex pairs may be any",
    )


def _quasi_triangular_root(S: FloatArray) -> FloatArray:
    """T with T² = S and the same blocks on its diagonal [Fumagalli2009 (15)], its reference 20 for
    blocks of two: halves by recursion, the part between them from T₁X + XT₂ = S₁₂."""
    n = S.shape[0]
    if n <= 1:
        return np.sqrt(S)
    if n == 2 and S[1, 0] != 0.0:
        return _root_of_pair(S)
    k = n // 2
    k += S[k, k - 1] != 0.0  # a pair stays together
    T = np.zeros_like(S)
    T[:k, :k], T[k:, k:] = _quasi_triangular_root(S[:k, :k]), _quasi_triangular_root(S[k:, k:])
    X, factor, _ = lapack.dtrsyl(T[:k, :k], T[k:, k:], S[:k, k:])
    T[:k, k:] = X / factor
    return T


def _root_of_pair(S: FloatArray) -> FloatArray:
    """The root of a block with eigenvalues θ ± iμ: α + (S − θ)/2α with α = Re √(θ + iμ)."""
    theta = 0.5 * (S[0, 0] + S[1, 1])
    mu = np.sqrt(-S[0, 1] * S[1, 0] - 0.25 * (S[0, 0] - S[1, 1]) ** 2)
    size = np.hypot(theta, mu)
    alpha = np.sqrt(0.5 * (theta + size)) if theta > 0.0 else mu / np.sqrt(2.0 * (size - theta))  # no cancellation
    return np.asarray(alpha * np.eye(2) + (S - theta * np.eye(2)) / (2.0 * alpha))
