"""Factorisations of large matrices behind one function: `factorise(A)` has `solve(b)` and the name
of what it used.

    dense                        P A = L U, LAPACK
    diagonal                     b / d
    symmetric, positive diagonal P A Pᵀ = L D Lᵀ: CHOLMOD where cvxopt is installed, else PARDISO
                                 where pypardiso is, else SuperLU in symmetric mode with minimum
                                 degree on A + Aᵀ, whose factors go over to compiled solves in
                                 dense blocks
    else                         P A Q = L U, SuperLU with column ordering and row pivoting

The order is that of what they took of 200,000 unknowns of a plate in one thread (factors and one
solve: 1.0 + 0.05, 1.1 + 0.1, 4.3 + 0.08 s). Minimum degree on A + Aᵀ fills the factors without
symmetric mode; with it, it is SuperLU's best ordering for stiffness matrices. What was chosen
without pivoting is trusted only after one solve with a known right-hand side: with R, C the largest
entries of rows and columns and scaled unknowns y = C x,

    |R⁻¹ (A x − b)| / (|R⁻¹ b| + |y|)  ≫ eps      the factors are unstable, pivoting is needed
    |y| / |R⁻¹ b|  ≥ 1 / (10 eps)                 A is singular to working precision

which, unlike a condition number, does not change when rows or columns are measured in other units.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from isodyn.errors import SingularError
from isodyn.kernels.compiled import FloatArray
from isodyn.later import linalg, sparse_linalg
from isodyn.later import sparse as sp
from isodyn.linear_solvers.cholmod import cholesky
from isodyn.linear_solvers.pardiso import pardiso
from isodyn.linear_solvers.supernodal import SuperLU, Supernodal

if TYPE_CHECKING:
    from isodyn.open_types import Matrix

EPS = float(np.finfo(np.float64).eps)
_MANY_ENTRIES = 100_000  # of both factors; below this, SuperLU's own solves are as good
_MANY_SOLVES = 24  # after these, bringing the factors into blocks pays: it costs about as much


@dataclass(frozen=True)
class Factorisation:
    """A matrix ready for solves."""

    solve: Callable[[FloatArray], FloatArray]
    name: str


def factorise(A: Matrix) -> Factorisation:
    """Factors of a square matrix, dense or sparse; raises SingularError where there are none."""
    if not sp.issparse(A):
        return _trusted(A, _dense(A))
    A = sp.csc_array(A)
    A.sort_indices()
    diagonal = A.diagonal()
    if A.nnz == A.shape[0] == np.count_nonzero(diagonal):
        return _trusted(A, Factorisation(lambda b: b / diagonal, "division by the diagonal"))
    if A.shape[0] > 0 and _symmetric(A):
        for name, package in (("CHOLMOD (cvxopt)", cholesky), ("PARDISO (pypardiso)", pardiso)):
            factors = package(A)
            if factors is not None:
                return _trusted(A, Factorisation(factors, name))
        lu = _superlu(A, permc_spec="MMD_AT_PLUS_A", diag_pivot_thresh=0.0, options={"SymmetricMode": True})
        growth, error = _probe(A, lu.solve)
        if error <= 1e-12 and np.array_equal(lu.perm_r, lu.perm_c):
            _refuse_singular(A, growth)
            if lu.nnz < _MANY_ENTRIES:
                return Factorisation(lu.solve, "SuperLU (symmetric mode)")
            return Factorisation(_Symmetric(lu), "SuperLU (symmetric mode, compiled solves)")
    return _trusted(A, Factorisation(_superlu(A).solve, "SuperLU"))


def _dense(A: FloatArray) -> Factorisation:
    with warnings.catch_warnings():
        warnings.simplefilter("error", linalg.LinAlgWarning)
        try:
            factors = linalg.lu_factor(A)
        except linalg.LinAlgWarning as error:
            raise SingularError(_singular(A, str(error)), hint=_HINT) from error
    return Factorisation(lambda b: linalg.lu_solve(factors, b), "LAPACK LU")


def _superlu(A: Matrix, **options: Any) -> SuperLU:
    try:
        return sparse_linalg.splu(A, **options)
    except RuntimeError as error:
        raise SingularError(_singular(A, str(error)), hint=_HINT) from error


class _Symmetric:
    """Solves with SuperLU's factors, after a while by our own kernels."""

    def __init__(self, lu: SuperLU) -> None:
        self.lu: SuperLU | None = lu
        self.count = 0
        self.solve: Callable[[FloatArray], FloatArray] = lu.solve

    def __call__(self, b: FloatArray) -> FloatArray:
        self.count += 1
        if self.count == _MANY_SOLVES and self.lu is not None:
            self.solve = Supernodal(self.lu)
            self.lu = None
        return self.solve(b)


# ---- is it symmetric, singular, unstable


def _symmetric(A: Matrix) -> bool:
    """Positive diagonal, and |a_ij − a_ji| at rounding of √(a_ii a_jj)."""
    diagonal = A.diagonal()
    if not (diagonal > 0.0).all():
        return False
    difference = sp.coo_array(A - A.T)
    scale = np.sqrt(diagonal)
    allowed = 64 * EPS * scale[difference.row] * scale[difference.col]
    return bool((np.abs(difference.data) <= allowed).all())


def _trusted(A: Matrix, factors: Factorisation) -> Factorisation:
    growth, _ = _probe(A, factors.solve)
    _refuse_singular(A, growth)
    return factors


def _probe(A: Matrix, solve: Callable[[FloatArray], FloatArray]) -> tuple[float, float]:
    """Growth of the scaled solution and scaled residual for one right-hand side."""
    R, C = _scales(A)
    r = 1.0 + np.random.default_rng(0).random(A.shape[0])
    x = solve(R * r)
    y = float(np.abs(C * x).max(initial=0.0))
    error = float(np.abs((A @ x) / R - r).max(initial=0.0)) / (2.0 + y)
    return (y, error) if np.isfinite(y) and np.isfinite(error) else (np.inf, np.inf)


def _scales(A: Matrix) -> tuple[FloatArray, FloatArray]:
    """Largest entries of the rows, and of the columns after dividing by those; 1 for a row or
    column of zeros."""
    n = A.shape[0]
    if not sp.issparse(A):
        R = _positive(np.abs(A).max(axis=1, initial=0.0))
        return R, _positive((np.abs(A) / R[:, None]).max(axis=0, initial=0.0))
    rows, columns, size = A.indices, np.repeat(np.arange(n), np.diff(A.indptr)), np.abs(A.data)
    R, C = np.zeros(n), np.zeros(n)
    np.maximum.at(R, rows, size)
    R = _positive(R)
    np.maximum.at(C, columns, size / R[rows])
    return R, _positive(C)


def _positive(largest: FloatArray) -> FloatArray:
    return np.where(largest > 0.0, largest, 1.0)


_HINT = "every unknown needs inertia: look at that row and column of the mass matrix"


def _refuse_singular(A: Matrix, growth: float) -> None:
    if not growth < 0.1 / EPS:
        raise SingularError(_singular(A, f"a solution grew by {growth:.1e} from rounding alone"), hint=_HINT)


def _singular(A: Matrix, reason: str) -> str:
    """What is known about a singular matrix, with the first empty row or column if there is one."""
    kind, size = ("sparse" if sp.issparse(A) else "dense"), abs(A)
    for axis, name in ((1, "row"), (0, "column")):
        empty = np.flatnonzero(np.asarray(size.sum(axis=axis)).ravel() == 0.0)
        if empty.size:
            return f"{kind} matrix of size {A.shape[0]} is singular: {name} {empty[0]} is zero"
    return f"{kind} matrix of size {A.shape[0]} is singular: {reason}"
