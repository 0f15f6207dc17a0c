"""Sparse factorisations behind one function: `factorise(A)` returns an object with `solve(b)` and the name of what it used."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import scipy.sparse as sp
from scipy.linalg import LinAlgWarning, lu_factor, lu_solve
from scipy.sparse.linalg import splu

from isodyn.compiled import FloatArray
from isodyn.errors import SingularError


@dataclass(frozen=True)
class Factorisation:
    """A matrix ready for solves."""

    solve: Callable[[FloatArray], FloatArray]
    name: str


def factorise(A: Any) -> Factorisation:
    """Factors of a square matrix, dense or sparse; raises SingularError where there are none."""
    if not sp.issparse(A):
        with warnings.catch_warnings():
            warnings.simplefilter("error", LinAlgWarning)
            try:
                factors = lu_factor(A)
            except LinAlgWarning as error:
                raise SingularError(f"dense matrix of size {A.shape[0]} is singular: {error}") from error
        return Factorisation(lambda b: lu_solve(factors, b), "LAPACK LU")
    A = sp.csc_array(A)
    symmetric = abs(A - A.T).max() <= 1e-12 * abs(A).max()
    try:
        if symmetric:
            lu = splu(A, permc_spec="MMD_AT_PLUS_A", diag_pivot_thresh=0.0, options={"SymmetricMode": True})
        else:
            lu = splu(A)
    except RuntimeError as error:
        raise SingularError(f"sparse matrix of size {A.shape[0]} is singular: {error}") from error
    return Factorisation(lu.solve, "SuperLU (symmetric mode)" if symmetric else "SuperLU")
