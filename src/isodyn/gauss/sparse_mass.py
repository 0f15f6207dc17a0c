"""The range-space formulas with sparse M and A: M is factorised in its sparse form, M⁻¹Aᵀ is made a
few columns at a time.

    symmetric M       P M Pᵀ = L D Lᵀ (SuperLU in symmetric mode); a positive D proves that M is positive definite
    non-symmetric M   P M Q = L U

Only A_c M⁻¹A_cᵀ, as large as the number of independent rows, is dense.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import scipy.sparse as sp
from scipy.linalg import lapack
from scipy.sparse.linalg import splu

from isodyn.errors import InputError, SingularError
from isodyn.gauss.formulas import (
    SINGULAR,
    Answer,
    Solver,
    corrected,
    equilibrated,
    general_solver,
    refuse_singular,
    singular,
    spread,
)
from isodyn.linear_solvers.rank import FloatArray, Rank

if TYPE_CHECKING:
    from isodyn.open_types import Matrix

COLUMNS = 64  # of M⁻¹Aᵀ held at a time


def symmetric_solver(M: Matrix) -> Solver:
    """Solves with M = Mᵀ > 0; anything else is refused."""
    M = sp.csc_array(M)
    try:
        lu = splu(M, permc_spec="MMD_AT_PLUS_A", diag_pivot_thresh=0.0, options={"SymmetricMode": True})
    except RuntimeError as error:
        raise SingularError(f"M is singular: {error}", hint="every coordinate needs inertia") from error
    pivots = lu.U.diagonal()[lu.perm_r]
    if not (np.array_equal(lu.perm_r, lu.perm_c) and (pivots > 0.0).all()):
        raise InputError(
            "M must be positive definite: its factorisation has a pivot that is not positive",
            hint="every coordinate needs inertia; remove coordinates without mass, or check the signs in M",
        )
    refuse_singular(pivots / M.diagonal())
    solve: Solver = lu.solve
    return solve


def sparse_general_solver(M: Matrix) -> Solver:
    """Solves with a sparse square M by LU; one that is singular to working precision is refused."""
    rows, columns = equilibrated(M)
    try:
        lu = splu(sp.csc_array(sp.diags_array(rows) @ M @ sp.diags_array(columns)))
    except RuntimeError as error:
        raise singular("M") from error
    if np.abs(lu.U.diagonal()).min(initial=1.0) <= SINGULAR:
        raise singular("M")
    return lambda f: (columns * lu.solve((rows * f.T).T).T).T


def _gram(A: Matrix, solve: Solver, A_star: Matrix) -> FloatArray:
    """A* M⁻¹ Aᵀ, a few columns of M⁻¹Aᵀ at a time."""
    m = A.shape[0]
    S = np.empty((m, m))
    for k in range(0, m, COLUMNS):
        S[:, k : k + COLUMNS] = A_star @ solve(A[k : k + COLUMNS].toarray().T)
    return S


def sparse_range_space(M: Matrix, Q: FloatArray, A: Matrix, b: FloatArray, rank: Rank) -> Answer:
    """[Fumagalli2009 (44)–(46)] with sparse factors of M."""
    solve = symmetric_solver(M)
    a_f = solve(Q)
    if not rank.rank:
        return a_f, np.zeros(b.size)
    W = rank.scale[rank.chosen]
    A_c = sp.diags_array(W) @ sp.csr_array(A)[rank.chosen]
    S = _gram(A_c, solve, A_c)
    R, info = lapack.dpotrf(0.5 * (S + S.T), clean=0)
    if info:
        raise SingularError(
            f"A M⁻¹Aᵀ is not positive definite to working precision (leading minor {info} of {W.size})",
            hint='raise rcond, or use method="regularised"',
        )
    a, lam = corrected(a_f, A_c, W * b[rank.chosen], lambda e: lapack.dpotrs(R, e)[0], lambda mu: solve(A_c.T @ mu))
    return a, spread(W * lam, rank)


def sparse_non_symmetric(
    M: Matrix, Q: FloatArray, A: Matrix, b: FloatArray, rank: Rank, A_star: Matrix | None = None
) -> Answer:
    """[Fumagalli2009 (60) adapted] with sparse factors of M*."""
    solve = sparse_general_solver(sp.csc_array(M))
    a_f = solve(Q)
    if not rank.rank:
        return a_f, np.zeros(b.size)
    W = sp.diags_array(rank.scale[rank.chosen])
    A_c = W @ sp.csr_array(A)[rank.chosen]
    A_star_c = A_c if A_star is None else W @ sp.csr_array(A_star)[rank.chosen]
    inner = general_solver(_gram(A_c, solve, A_star_c), "A* M*⁻¹Aᵀ")
    a, lam = corrected(a_f, A_star_c, W @ b[rank.chosen], inner, lambda mu: solve(A_c.T @ mu))
    return a, spread(W @ lam, rank)
