"""The explicit formulas for the constrained acceleration, each on plain arrays and on a rank that
is already decided.

    a = a_f + K₁ e,    a_f = M⁻¹Q,    e = b − A a_f,    λ = −S⁺ e,    S = A M⁻¹ Aᵀ

    square-root    K₁ = M^{-1/2} (A M^{-1/2})⁺
    cholesky       K₁ = U⁻¹ (A U⁻¹)⁺,  M = UᵀU
    range-space    K₁ = M⁻¹ Aᵀ S⁺
    non-symmetric  K₁ = M*⁻¹ Aᵀ (A* M*⁻¹ Aᵀ)⁺

The first two pseudo-inverses come from singular values of the scaled rows, cut at the rank. The
others use A = T A_c with independent rows A_c: S⁺ = (T⁺)ᵀ S_c⁻¹ T⁺, so only S_c is factorised. Each
correction is made twice, the second time with the error that the first left behind; it costs
products only and brings A a = b to rounding. Functions return λ with Aᵀλ right; `methods` makes it
the one of least norm.

Right-hand sides are attainable here (`Rank.attainable`): that is where inconsistent ones are
settled, in the same way for all.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
import scipy.sparse as sp
from scipy.linalg import LinAlgWarning, lapack, lu_factor, lu_solve, svd

from isodyn.errors import SingularError
from isodyn.gauss import bases, square_roots
from isodyn.linear_solvers.rank import EPS, FloatArray, Rank

if TYPE_CHECKING:
    from isodyn.open_types import Matrix

Answer = tuple[FloatArray, FloatArray]
Solver = Callable[[FloatArray], FloatArray]

SINGULAR = 16 * EPS  # size of a pivot, relative to what it replaces, at which nothing is left


def factor(M: FloatArray) -> FloatArray:
    """U with M = UᵀU [Fumagalli2009 (21)]; entries below the diagonal are not zero."""
    U, info = lapack.dpotrf(M.T, clean=0)
    if info:
        raise square_roots.not_positive_definite(M)
    return np.asarray(U)


def positive_definite(M: FloatArray) -> FloatArray:
    """The Cholesky factor of a dense M; refuses what has none or is singular to working
    precision."""
    U = factor(M)
    refuse_singular(U.diagonal() ** 2 / M.diagonal())
    return U


def refuse_singular(pivots: FloatArray) -> None:
    """Pivots relative to the diagonal that they replace: at rounding, nothing of the inertia is
    left."""
    if pivots.size and pivots.min() <= SINGULAR:
        k = int(pivots.argmin())
        raise SingularError(
            f"M is singular to working precision: coordinate {k} has no inertia of its own",
            hint="every coordinate needs inertia; remove coordinates that follow from others",
        )


def corrected(a: FloatArray, A: Matrix, b: FloatArray, multipliers: Solver, motion: Solver) -> Answer:
    """a + K₁ e and λ, with one repetition for what rounding left of e."""
    lam = np.zeros(b.size)
    for _ in range(2):
        mu = multipliers(b - A @ a)
        a = a + motion(mu)
        lam -= mu
    return a, lam


# ---- pseudo-inverses by singular values


def by_singular_values(
    a_f: FloatArray, A: FloatArray, b: FloatArray, D: FloatArray, back: Solver, rank: Rank
) -> Answer:
    """a_f + F (A F)⁺ (b − A a_f) for a factor F with F Fᵀ = M⁻¹; D = W A F, `back` multiplies by
    F."""
    if rank.rank == 0:
        return a_f, np.zeros(b.size)
    X, sigma, Yt = svd(D, full_matrices=False, check_finite=False, lapack_driver="gesdd")
    X, sigma, Yt = X[:, : rank.rank], sigma[: rank.rank], Yt[: rank.rank]
    W = rank.scale

    def multipliers(e: FloatArray) -> FloatArray:
        return W * (X @ ((X.T @ (W * e)) / sigma**2))

    def motion(mu: FloatArray) -> FloatArray:
        return back(Yt.T @ (sigma * (X.T @ np.divide(mu, W, out=np.zeros_like(mu), where=W > 0.0))))

    return corrected(a_f, A, b, multipliers, motion)


def square_root(
    M: FloatArray, Q: FloatArray, A: FloatArray, b: FloatArray, rank: Rank, root: Callable[..., Any]
) -> Answer:
    """Udwadia and Kalaba's form with the square root of one of `square_roots`."""
    Z = root(M).inverse
    a_f = Z @ (Z @ Q)
    D = (rank.scale[:, None] * A) @ Z
    # [Udwadia1992 (5c)], [Fumagalli2009 (6)]
    return by_singular_values(a_f, A, b, D, lambda y: Z @ y, rank)


def cholesky(M: FloatArray, Q: FloatArray, A: FloatArray, b: FloatArray, rank: Rank) -> Answer:
    """The Cholesky factor in the place of the square root."""
    U = factor(M)
    a_f = lapack.dpotrs(U, Q)[0]
    if not rank.rank:
        return a_f, np.zeros(b.size)
    H = lapack.dtrtrs(U, (rank.scale[:, None] * A).T, trans=1, overwrite_b=1)[0]
    # [Fumagalli2009 (23)]
    return by_singular_values(a_f, A, b, H.T, lambda y: lapack.dtrtrs(U, y)[0], rank)


# ---- range space


def range_space(M: FloatArray, Q: FloatArray, A: FloatArray, b: FloatArray, rank: Rank) -> Answer:
    """Only A_c M⁻¹A_cᵀ of the independent rows is factorised, besides M."""
    U = factor(M)
    a_f = lapack.dpotrs(U, Q)[0]
    if not rank.rank:
        return a_f, np.zeros(b.size)
    W = rank.scale[rank.chosen]
    A_c, b_c = (A, b) if rank.full else (A[rank.chosen], b[rank.chosen])
    H = lapack.dtrtrs(U, (W[:, None] * A_c).T, trans=1, overwrite_b=1)[0]
    R, info = lapack.dpotrf(H.T @ H, clean=0, overwrite_a=1)  # W S_c W = HᵀH
    # nearly dependent rows: the factor straight from H keeps twice the digits
    if info or R.diagonal().min() < 1e-4:
        R = lapack.dgeqrf(H)[0][: W.size]
    a, lam = corrected(
        a_f,
        A_c,
        b_c,
        lambda e: W * lapack.dpotrs(R, W * e)[0],  # [Fumagalli2009 (45)]
        lambda mu: lapack.dtrtrs(U, H @ (mu / W))[0],  # [Fumagalli2009 (44), (46)]
    )
    return a, spread(lam, rank)


def spread(lam: FloatArray, rank: Rank) -> FloatArray:
    """Multipliers of the independent rows, zero in the others."""
    if rank.full:
        return lam
    full = np.zeros(rank.scale.size)
    full[rank.chosen] = lam
    return full


def block_cholesky(M: FloatArray, Q: FloatArray, A: FloatArray, b: FloatArray, rank: Rank) -> Answer:
    """Two triangular factors of the matrix of both unknowns; needs independent rows."""
    refuse_dependent(rank)
    U = factor(M)
    L_Q = lapack.dtrtrs(U, Q, trans=1)[0]
    if not b.size:
        return lapack.dtrtrs(U, L_Q)[0], b.copy()
    H = lapack.dtrtrs(U, A.T, trans=1)[0]  # [Pennestri2008 (4), (5) adapted] H = L⁻¹Aᵀ, L = Uᵀ
    L_1, info = lapack.dpotrf(H.T @ H, clean=0)  # [Pennestri2008 (6)]
    if info:
        raise SingularError(
            f"A M⁻¹Aᵀ is not positive definite to working precision (leading minor {info} of {b.size})",
            hint='its condition is the square of that of A M^(-1/2); use method="cholesky"',
        )
    # [Pennestri2008 (7b) adapted] L₁⁻ᵀ, not L₁⁻¹
    lam_1 = lapack.dtrtrs(L_1, H.T @ L_Q - b, trans=1)[0]
    lam = lapack.dtrtrs(L_1, lam_1)[0]  # [Pennestri2008 (7a) adapted] L₁⁻¹, not L⁻¹
    return lapack.dtrtrs(U, L_Q - H @ lam)[0], lam  # [Pennestri2008 (8)]


def refuse_dependent(rank: Rank, names: Sequence[str] | None = None) -> None:
    """The error of methods that need independent rows."""
    if rank.full:
        return
    rows = ", ".join(str(k if names is None else names[k]) for k in rank.dropped)
    raise SingularError(
        f"A has rank {rank.rank} of {rank.scale.size} rows, block Cholesky needs independent ones; dependent: {rows}",
        hint='leave those rows out, or use method="range-space", "cholesky" or "null-space/qr"',
    )


# ---- non-symmetric mass


def non_symmetric(
    M: FloatArray, Q: FloatArray, A: FloatArray, b: FloatArray, rank: Rank, A_star: FloatArray | None = None
) -> Answer:
    """M* a + Aᵀλ = Q, A* a = b*: everything as it stands in the accelerations that are solved for,
    b* = b + A*γ among it."""
    solve_mass = general_solver(M, "M")
    a_f = solve_mass(Q)
    if not rank.rank:
        return a_f, np.zeros(b.size)
    A_star = A if A_star is None else A_star
    W = rank.scale[rank.chosen]
    A_c, A_star_c = W[:, None] * A[rank.chosen], W[:, None] * A_star[rank.chosen]
    X = solve_mass(A_c.T)
    solve = general_solver(A_star_c @ X, "A* M*⁻¹Aᵀ")
    b_c = W * b[rank.chosen]
    # [Fumagalli2009 (60) adapted] b* for b
    a, lam = corrected(a_f, A_star_c, b_c, solve, lambda mu: X @ mu)
    return a, spread(W * lam, rank)


def general_solver(M: FloatArray, name: str) -> Solver:
    """Solves with a square matrix by LU; one that is singular to working precision is refused."""
    rows, columns = equilibrated(M)
    with warnings.catch_warnings():
        warnings.simplefilter("error", LinAlgWarning)
        try:
            factors = lu_factor(rows[:, None] * M * columns, check_finite=False)
        except LinAlgWarning as error:
            raise singular(name) from error
    if np.abs(factors[0].diagonal()).min(initial=1.0) <= SINGULAR:
        raise singular(name)
    return lambda x: (columns * lu_solve(factors, (rows * x.T).T, check_finite=False).T).T


def equilibrated(M: Matrix) -> Answer:
    """Factors of the rows, then of the columns, of a dense or sparse M that make their largest
    entries 1."""
    size = abs(M)
    rows = _inverse(size.max(axis=1))
    return rows, _inverse((size.T * rows).max(axis=1))


def _inverse(largest: Matrix) -> FloatArray:
    x = (largest.toarray() if sp.issparse(largest) else largest).ravel()
    return np.divide(1.0, x, out=np.ones_like(x), where=x > 0.0)


def singular(name: str) -> SingularError:
    """The error for a square matrix without inverse."""
    return SingularError(
        f"{name} is singular to working precision",
        hint="every coordinate needs inertia, and every constraint must act on what it moves",
    )


# ---- null space


class RowSpace:
    """E = W A_c, the independent rows scaled to unit length, and Eᵀ = Q₁ R."""

    def __init__(self, A: FloatArray, rank: Rank) -> None:
        self.chosen, self.W = rank.chosen, rank.scale[rank.chosen]
        self.E = self.W[:, None] * A[rank.chosen]
        if rank.rank:
            factors, tau, _, _ = lapack.dgeqrf(self.E.T)
            self.Q_1, self.R = lapack.dorgqr(factors, tau)[0], factors[: rank.rank]

    def least_norm(self, b: FloatArray) -> FloatArray:
        """A⁺ b for a right-hand side that can be met."""
        if not self.W.size:
            return np.zeros(self.E.shape[1])
        return np.asarray(self.Q_1 @ lapack.dtrtrs(self.R, self.W * b[self.chosen], trans=1)[0])

    def coefficients(self, f: FloatArray) -> FloatArray:
        """λ_c with A_cᵀ λ_c = f in the least-squares sense."""
        if not self.W.size:
            return np.zeros(0)
        return np.asarray(self.W * lapack.dtrtrs(self.R, self.Q_1.T @ f)[0])


def null_space(M: FloatArray, Q: FloatArray, A: FloatArray, b: FloatArray, rank: Rank, basis: bases.Basis) -> Answer:
    """a = V z + S b with A V = 0; S is the least-squares inverse of (A; Vᵀ), which is A⁺ for every
    basis V."""
    rows = RowSpace(A, rank)
    V = bases.BY_NAME[basis](rows.E)
    a = rows.least_norm(b)  # [Pennestri2008 (33) adapted] least squares
    if V.shape[1]:
        reduced = factor(V.T @ (M @ V))
        a = (
            a + V @ lapack.dpotrs(reduced, V.T @ (Q - M @ a))[0]
        )  # [Pennestri2008 (17), (32) adapted] minus sign in (17)
        a = a + rows.least_norm(b - A @ a)  # what rounding left in A V
    return a, spread(rows.coefficients(Q - M @ a), rank)
