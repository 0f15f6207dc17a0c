"""CHOLMOD's supernodal Cholesky factors, P A Pᵀ = L Lᵀ, through cvxopt where the user has installed
it.

Measured against SuperLU with the compiled solves of `supernodal`, 16,000 to 20,000 unknowns, one
thread: factorises 1.5 to 4 times, solves 1.0 to 1.4 times as fast.
"""

from __future__ import annotations

from collections.abc import Callable
from importlib import import_module
from typing import TYPE_CHECKING

import numpy as np

from isodyn.kernels.compiled import FloatArray
from isodyn.later import sparse as sp

if TYPE_CHECKING:
    from isodyn.open_types import Matrix


def cholesky(A: Matrix) -> Callable[[FloatArray], FloatArray] | None:
    """A function that solves with the symmetric matrix A; None without cvxopt, or when A is not
    positive definite."""
    try:
        cvxopt, cholmod = import_module("cvxopt"), import_module("cvxopt.cholmod")
    except ImportError:
        return None
    lower = sp.coo_array(sp.tril(A))
    S = cvxopt.spmatrix(lower.data, lower.row.astype(np.int64), lower.col.astype(np.int64), A.shape)
    try:
        factors = cholmod.symbolic(S)
        cholmod.numeric(S, factors)
    except ArithmeticError:
        return None

    def solve(b: FloatArray) -> FloatArray:
        x = cvxopt.matrix(b)
        cholmod.solve(factors, x)
        return np.array(x).ravel()

    return solve
