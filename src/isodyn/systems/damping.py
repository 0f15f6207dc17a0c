"""Damping matrices from what is known of a structure.

    C = α M + β K                                   Rayleigh; the ratio at ω is ξ = α/(2ω) + βω/2
    C = M Φ diag(2 ξ ω) Φᵀ M,   K Φ = M Φ diag(ω²),   Φᵀ M Φ = I           modal

Both are textbook structural dynamics. Rayleigh damping stays as sparse as M and K; modal damping
couples all coordinates.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import scipy.linalg
import scipy.sparse as sp
from scipy.sparse.linalg import eigsh

from isodyn.errors import InputError, SingularError
from isodyn.kernels.compiled import FloatArray
from isodyn.systems import checks

if TYPE_CHECKING:
    from isodyn.open_types import Matrix, Numbers

_FULL = 5000  # modal damping couples all coordinates: beyond this size the full matrix does not fit


def rayleigh(M: Matrix, K: Matrix, alpha: float, beta: float) -> Matrix:
    """Return C = αM + βK.

    Parameters
    ----------
    M, K
        Matrices, as in `LinearSystem`.
    alpha, beta
        Factors.

    Returns
    -------
    C
        The damping matrix, sparse if both matrices are.

    Examples
    --------
    >>> import isodyn as iso
    >>> iso.rayleigh(2.0, 50.0, alpha=0.1, beta=0.01).tolist()
    [[0.7]]
    """
    M, K = _pair(M, K)
    for name, value in (("alpha", alpha), ("beta", beta)):
        if not np.isfinite(value):
            raise InputError(f"{name} must be finite, received {value!r}")
    return alpha * M + beta * K


def rayleigh_from_ratios(M: Matrix, K: Matrix, first: tuple[float, float], second: tuple[float, float]) -> Matrix:
    """Return C = αM + βK with given damping ratios at two frequencies.

    Parameters
    ----------
    M, K
        Matrices, as in `LinearSystem`.
    first, second
        Angular frequency and damping ratio (ω, ξ), for two frequencies.

    Returns
    -------
    C
        The damping matrix, sparse if both matrices are.

    Raises
    ------
    InputError
        If other motions would grow with such factors.

    Examples
    --------
    >>> import isodyn as iso
    >>> iso.rayleigh_from_ratios(1.0, 100.0, (10.0, 0.05), (40.0, 0.05)).round(12).tolist()
    [[1.0]]
    """
    (omega_1, xi_1), (omega_2, xi_2) = first, second
    if not (0.0 < omega_1 < np.inf and 0.0 < omega_2 < np.inf and omega_1 != omega_2):
        raise InputError(f"two different positive frequencies are needed, received {omega_1!r} and {omega_2!r}")
    beta = 2.0 * (xi_2 * omega_2 - xi_1 * omega_1) / (omega_2**2 - omega_1**2)
    alpha = 2.0 * xi_1 * omega_1 - beta * omega_1**2
    slack = 1e-12 * (abs(xi_1) * omega_1 + abs(xi_2) * omega_2)
    if not (alpha >= -slack and beta * max(omega_1, omega_2) ** 2 >= -slack):
        raise InputError(
            f"ratios {xi_1:g} at {omega_1:g} and {xi_2:g} at {omega_2:g} need alpha = {alpha:.3g}, beta = {beta:.3g}: "
            "motions outside these frequencies would grow",
            hint="with ω₁ < ω₂ it takes ω₁/ω₂ ≤ ξ₁/ξ₂ ≤ ω₂/ω₁; modal_damping knows no such limit",
        )
    return rayleigh(M, K, max(alpha, 0.0), max(beta, 0.0))


def modal_damping(M: Matrix, K: Matrix, ratios: Numbers) -> FloatArray:
    """Return C with given damping ratios of the modes.

    M and K are symmetric, M is positive definite, and K has no negative eigenvalues. Sparse
    matrices with fewer ratios than modes use Lanczos iterations.

    Parameters
    ----------
    M, K
        Matrices, as in `LinearSystem`.
    ratios
        One damping ratio for all modes, or k ratios for the k lowest; the other modes stay
        undamped.

    Returns
    -------
    C
        The damping matrix, a full one.

    Raises
    ------
    InputError
        If the matrices are not admissible, or too large for a full matrix.

    Examples
    --------
    >>> import isodyn as iso
    >>> iso.modal_damping(2.0, 50.0, 0.1).round(12).tolist()
    [[2.0]]
    """
    M, K = _pair(M, K)
    n = M.shape[0]
    xi = np.full(n, float(ratios)) if np.ndim(ratios) == 0 else checks.vector("ratios", ratios)
    if not (np.isfinite(xi).all() and (xi >= 0.0).all() and 1 <= xi.size <= n):
        raise InputError(
            f"ratios must be one number, or 1 to {n} numbers for the lowest modes, none negative, received {ratios!r}"
        )
    if n > _FULL:
        raise InputError(
            f"modal damping fills a matrix of {n} × {n}, more than {_FULL} × {_FULL}",
            hint="use rayleigh_from_ratios, which stays sparse, or a reduced system",
        )
    omega, modes = _modes(M, K, xi.size)
    P = M @ modes
    C: FloatArray = (P * (2.0 * xi * omega)) @ P.T
    return 0.5 * (C + C.T)


def _modes(M: Matrix, K: Matrix, k: int) -> tuple[FloatArray, FloatArray]:
    """The k lowest frequencies and mass-normalised modes."""
    n = M.shape[0]
    largest = float((np.abs(K.diagonal()) / np.maximum(np.abs(M.diagonal()), np.finfo(float).tiny)).max())
    if sp.issparse(M) and sp.issparse(K) and k < n - 1:
        # just below zero, so that structures without supports are no exception
        squares, modes = eigsh(
            sp.csc_array(K), k, sp.csc_array(M), sigma=-1e-8 * max(largest, np.finfo(float).tiny), which="LM"
        )
        order = np.argsort(squares)
        squares, modes = squares[order], modes[:, order]
    else:
        full = [A.toarray() if sp.issparse(A) else A for A in (K, M)]
        try:
            squares, modes = scipy.linalg.eigh(*full, subset_by_index=(0, k - 1))
        except np.linalg.LinAlgError as error:
            raise SingularError(
                "modal damping needs a positive definite mass matrix", hint="every coordinate needs inertia"
            ) from error
    if squares[0] < -1e-9 * max(largest, abs(squares[-1])):
        raise InputError(
            f"K has the negative eigenvalue {squares[0]:.3g} relative to M: a mode that grows has no damping ratio"
        )
    return np.sqrt(np.maximum(squares, 0.0)), modes


def _pair(M: Matrix, K: Matrix) -> tuple[Any, Any]:
    """Both matrices, checked, of the size of the first that has one."""
    sizes = [np.shape(A)[0] for A in (M, K) if np.ndim(A) > 0 or sp.issparse(A)]
    n = sizes[0] if sizes else 1
    return checks.square("M", M, n), checks.square("K", K, n)
