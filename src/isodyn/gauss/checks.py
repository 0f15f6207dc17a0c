"""What `solve` accepts: shapes, finite numbers, a symmetric positive definite M, a method that
exists."""

from __future__ import annotations

from collections.abc import Sequence
from difflib import get_close_matches
from typing import TYPE_CHECKING, Any

import numpy as np
import scipy.sparse as sp

from isodyn.errors import InputError
from isodyn.linear_solvers.rank import FloatArray

if TYPE_CHECKING:
    from isodyn.open_types import Matrix

SYMMETRY = 1e-10  # |M_ij − M_ji| allowed relative to √(M_ii M_jj)
# coordinates up to which a sparse matrix is made dense for a method that needs it
DENSE_LIMIT = 5000


def method_name(method: object, known: Sequence[str], what: str = "method") -> None:
    """Refuse an unknown name and say which was meant."""
    if isinstance(method, str) and method in known:
        return
    similar = get_close_matches(str(method), known, n=1, cutoff=0.4)
    suggestion = f"did you mean {similar[0]!r}? " if similar else ""
    raise InputError(f"unknown {what} {method!r}", hint=f"{suggestion}known: {', '.join(map(repr, known))}")


def tolerance(rcond: float | None) -> float | None:
    """rcond as a number in [0, 1), or None."""
    if rcond is None:
        return None
    if not isinstance(rcond, (int, float, np.floating)) or not 0.0 <= rcond < 1.0:
        raise InputError(f"rcond must be a number in [0, 1), received {rcond!r}", hint="it is relative; None is 1e-8")
    return float(rcond)


def vector(name: str, value: object, size: int | None, of: str) -> FloatArray:
    """A finite vector of the given size; without one, of at least one entry."""
    x = _numbers(name, value, "a vector")
    if size is None and (x.ndim != 1 or not x.size):
        raise InputError(f"{name} must be a vector with one entry for each {of}, received an array of shape {x.shape}")
    if size is not None and (x.ndim != 1 or x.size != size):
        raise InputError(f"{name} must have shape ({size},), one entry for each {of}, received {x.shape}")
    _finite(name, x)
    return x


def square(name: str, value: Matrix) -> FloatArray:
    """A finite dense square matrix."""
    shape = np.shape(value)
    return np.asarray(matrix(name, value, (shape[0], shape[0]) if len(shape) == 2 else (None, 0), sparse=False))


def matrix(name: str, value: Matrix, shape: tuple[int | None, int], sparse: bool) -> Matrix:
    """A finite matrix of the given shape, sparse (CSC) where that is allowed and given so."""
    if sp.issparse(value):
        if value.dtype.kind not in "biuf":
            raise InputError(f"{name} must be a matrix of real numbers, received entries of type {value.dtype}")
        _finite(name, value.data)
        x = sp.csc_array(value, dtype=np.float64)
        if not sparse:
            if max(x.shape) > DENSE_LIMIT:
                raise InputError(
                    f"{name} of shape {x.shape} is too large to be made dense",
                    hint='method="range-space" and "regularised" keep it sparse',
                )
            x = x.toarray()
    else:
        x = _numbers(name, value, "a matrix")
        _finite(name, x)
    expected = f"({'m' if shape[0] is None else shape[0]}, {shape[1]})"
    if x.ndim != 2 or x.shape[1] != shape[1] or (shape[0] is not None and x.shape[0] != shape[0]):
        hint = "a single row is written [[…]]" if x.ndim == 1 and shape[0] is None else None
        raise InputError(f"{name} must have shape {expected}, received {x.shape}", hint=hint)
    return x


def _numbers(name: str, value: Any, what: str) -> FloatArray:
    try:
        x = np.ascontiguousarray(value)
    except (TypeError, ValueError) as error:
        raise InputError(f"{name} must be {what} of numbers: {error}") from error
    if x.dtype.kind not in "biuf":
        raise InputError(f"{name} must be {what} of real numbers, received entries of type {x.dtype}")
    return x.astype(np.float64, copy=False).reshape(np.shape(value))


def _finite(name: str, x: FloatArray) -> None:
    bad = np.argwhere(~np.isfinite(x))
    if bad.size:
        where = ", ".join(map(str, bad[0]))
        raise InputError(f"{name} must be finite, received {name}[{where}] = {x[tuple(bad[0])]}")


def symmetric_mass(M: Matrix) -> Matrix:
    """M with rounding errors in its symmetry removed; refuses what is not symmetric or has no
    positive diagonal."""
    diagonal = M.diagonal()
    if (diagonal <= 0.0).any():
        k = int(np.flatnonzero(diagonal <= 0.0)[0])
        raise InputError(f"M must be positive definite, received M[{k}, {k}] = {diagonal[k]:g}", hint=_INERTIA)
    scale = np.sqrt(diagonal)
    if sp.issparse(M):
        difference = sp.coo_array(M - M.T)
        defect = np.abs(difference.data) / (scale[difference.row] * scale[difference.col])
        rows, columns = difference.row, difference.col
    else:
        if np.array_equal(M, M.T):
            return M
        defect = (np.abs(M - M.T) / np.outer(scale, scale)).ravel()
        rows, columns = np.divmod(np.arange(defect.size), M.shape[0])
    if defect.max(initial=0.0) > SYMMETRY:
        i, j = int(rows[defect.argmax()]), int(columns[defect.argmax()])
        raise InputError(
            f"M must be symmetric, received M[{i}, {j}] = {M[i, j]:g} and M[{j}, {i}] = {M[j, i]:g}",
            hint='method="non-symmetric" takes such a matrix',
        )
    return 0.5 * (M + M.T)


_INERTIA = "every coordinate needs inertia; remove coordinates without mass, or check the signs in M"


def row_names(names: Sequence[str] | None, m: int) -> tuple[str, ...] | None:
    """One name for each row, or None."""
    if names is None:
        return None
    if isinstance(names, str) or len(names) != m:
        raise InputError(f"names must have {m} entries, one for each row of A, received {names!r}")
    return tuple(names)
