"""Is a symmetric matrix positive definite, or at least not indefinite? Where not, the eigenvalue
and the unknown that carries it.

With D the diagonal, D^{−1/2} A D^{−1/2} has the inertia of A (Sylvester) and no units. A negative
or zero D_ii with entries beside it tells at once; else Cholesky's factorisation of the scaled
matrix, shifted by the tolerance, exists or does not.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from isodyn.errors import InputError
from isodyn.kernels.compiled import FloatArray
from isodyn.later import sparse as sp
from isodyn.later import sparse_linalg
from isodyn.linear_solvers.cholmod import cholesky
from isodyn.linear_solvers.pardiso import pardiso

if TYPE_CHECKING:
    from isodyn.open_types import Matrix

SYMMETRY = 1e-10  # |A_ij − A_ji| relative to √(A_ii A_jj) below which a matrix is symmetric
TOLERANCE = 1e-9  # eigenvalues of the scaled matrix above minus this are not negative
SMALL = 400  # unknowns up to which sparse matrices are made dense


def refuse_indefinite(what: str, A: Matrix, names: Sequence[str], hint: str) -> None:
    """InputError for a symmetric matrix with a negative eigenvalue; matrices that are not symmetric
    pass."""
    if sp.issparse(A) and A.shape[0] <= SMALL:
        A = A.toarray()
    if not _symmetric(A):
        return
    found = _negative_direction(A)
    if found is None:
        return
    x = found / np.abs(found).max()
    value = float(x @ (A @ x)) / float(x @ x)
    where = int(np.abs(x).argmax())
    raise InputError(
        f"{what} is indefinite: xᵀ{what} x/|x|² = {value:.4g} in a direction with its largest part in {names[where]!r}"
        f" (diagonal entry {A.diagonal()[where]:.4g})",
        hint=hint,
    )


def _symmetric(A: Matrix) -> bool:
    scale = np.sqrt(np.abs(A.diagonal()))
    largest = float(scale.max(initial=0.0))
    if sp.issparse(A):
        difference = sp.coo_array(A - A.T)
        i, j = difference.coords
        allowed = SYMMETRY * np.maximum(scale[i] * scale[j], SYMMETRY * largest**2)
        return bool((np.abs(difference.data) <= allowed).all())
    allowed = SYMMETRY * np.maximum(
        np.outer(scale, scale), max(SYMMETRY * largest**2, float(np.abs(A).max(initial=0.0)) * 1e-12)
    )
    return bool((np.abs(A - A.T) <= allowed).all())


def _negative_direction(A: Matrix) -> FloatArray | None:
    """x with xᵀAx < 0, or None where there is none."""
    n, diagonal = A.shape[0], A.diagonal()
    if (diagonal < 0.0).any():
        return np.eye(n)[int(diagonal.argmin())] if n <= SMALL else _unit(n, int(diagonal.argmin()))
    besides = abs(A).sum(axis=1) - diagonal if n else np.zeros(0)
    bare = np.flatnonzero((diagonal == 0.0) & (np.asarray(besides).ravel() > 0.0))
    if bare.size:  # x_i = 1, x_j small: −|A_ij| wins
        i = int(bare[0])
        row = A[[i]].toarray().ravel() if sp.issparse(A) else A[i]
        j = int(np.abs(row).argmax())
        x = _unit(n, i)
        x[j] = -row[j] / max(diagonal[j], abs(row[j]))
        return x
    scale = 1.0 / np.sqrt(np.where(diagonal > 0.0, diagonal, 1.0))
    if not sp.issparse(A):
        scaled = scale[:, None] * A * scale
        scaled = 0.5 * (scaled + scaled.T)
        try:
            np.linalg.cholesky(scaled + TOLERANCE * np.eye(n))
        except np.linalg.LinAlgError:
            values, vectors = np.linalg.eigh(scaled)
            return scale * vectors[:, 0] if values[0] < -TOLERANCE else None
        return None
    scaled = sp.diags_array(scale) @ A @ sp.diags_array(scale)
    shifted = sp.csc_array(scaled + TOLERANCE * sp.eye_array(n))
    if cholesky(shifted) is not None or pardiso(shifted) is not None:
        return None
    try:
        lu = sparse_linalg.splu(
            shifted, permc_spec="MMD_AT_PLUS_A", diag_pivot_thresh=0.0, options={"SymmetricMode": True}
        )
        if np.array_equal(lu.perm_r, lu.perm_c) and (lu.U.diagonal() > 0.0).all():
            return None
    except RuntimeError:  # no pivot at all
        pass
    value, vector = sparse_linalg.eigsh(scaled, k=1, which="SA", tol=1e-6)
    return scale * vector[:, 0] if value[0] < -TOLERANCE else None


def _unit(n: int, i: int) -> FloatArray:
    x = np.zeros(n)
    x[i] = 1.0
    return x
