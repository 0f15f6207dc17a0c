"""The limit (H Hᵀ + εI)⁻¹ → (H Hᵀ)⁺ without a rank decision, for large sparse problems.

    ⎡ M   Aᵀ    ⎤ ⎡ a       ⎤   ⎡ Q              ⎤
    ⎣ A  −εW⁻²  ⎦ ⎣ λ_{k+1} ⎦ = ⎣ b − εW⁻² λ_k   ⎦

is factorised once; the iteration (proximal point) is repeated until both rows hold at rounding. A
component of the scaled error with singular value σ shrinks by ε/(σ² + ε) each time. W are the
inverse lengths of the rows of A diag(M)^(−1/2), so that ε is a pure number.

The nearest attainable right-hand side and the multipliers of least norm are problems of the same
kind: the part r of b that no acceleration can produce is the point nearest to b with Aᵀ r = 0.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

import numpy as np
import scipy.sparse as sp
from scipy.linalg import lapack
from scipy.sparse.linalg import splu

from isodyn.errors import ConvergenceError, SingularError
from isodyn.gauss.formulas import Answer, Solver, factor
from isodyn.linear_solvers.rank import EPS, FloatArray, Rank

if TYPE_CHECKING:
    from isodyn.open_types import Matrix

EPSILON_DENSE = 1e-12
# sparse factors are not pivoted: rounding times the condition of M must stay below
EPSILON_SPARSE = 1e-7
MAX_ITERATIONS = 200


def regularised(M: Matrix, Q: FloatArray, A: Matrix, b: FloatArray, rank: Rank | None) -> Answer:
    """The limit [Fumagalli2009 (39)]; without a rank, b and λ are projected by problems of the same
    kind."""
    if rank is not None:
        a, lam, _ = iterate(M, Q, A, b)
        return a, lam
    try:
        a, lam, worst = iterate(M, Q, A, b)
    except ConvergenceError:
        worst = np.inf
    if worst > 1e-10:  # not attainable: take away what no acceleration can produce
        a, lam, _ = iterate(M, Q, A, b - outside_range(A, b))
    return a, lam - outside_range(A, lam)


def outside_range(A: Matrix, x: FloatArray) -> FloatArray:
    """The part of x that is perpendicular to range(A): min |r − x| with Aᵀ r = 0."""
    identity = sp.eye_array(x.size, format="csc") if sp.issparse(A) else np.eye(x.size)
    return iterate(identity, x, A.T, np.zeros(A.shape[1]))[0]


def iterate(M: Matrix, Q: FloatArray, A: Matrix, b: FloatArray) -> tuple[FloatArray, FloatArray, float]:
    """a, λ and the relative error of the worst row."""
    sparse = sp.issparse(M) or sp.issparse(A)
    length = row_lengths(A, M.diagonal())
    W = np.divide(1.0, length, out=np.zeros_like(length), where=length > 0.0)
    step = (_sparse_step if sparse else _dense_step)(M, A, W)
    a, lam = step(Q, b)
    rows, columns = row_lengths(A, 1.0), row_lengths(A.T, 1.0)
    mass, free = row_lengths(M, 1.0), np.linalg.norm(Q / M.diagonal())
    previous = np.inf
    for _ in range(MAX_ITERATIONS):
        f, g = Q - M @ a - A.T @ lam, b - A @ a
        speed = np.linalg.norm(a) + free
        worst = _relative(g, np.abs(b) + rows * speed)
        error = max(worst, _relative(f, np.abs(Q) + mass * speed + columns * np.linalg.norm(lam)))
        if error <= 2 * EPS or (error <= 1e-13 and error >= 0.5 * previous):
            return a, lam, worst
        if error > 1e-13 and error > 0.999 * previous:
            break  # not attainable, or too near to dependent
        previous = error
        da, dlam = step(f, g)
        a, lam = a + da, lam + dlam
    if error <= 1e-12:
        return a, lam, worst
    raise ConvergenceError(
        f"the regularised iteration stopped at relative errors of {worst:.1e} in A a = b and {error:.1e} in all",
        hint='rows conflict or are nearly dependent; method="range-space" decides their rank and names them',
    )


def _relative(r: FloatArray, allowed: FloatArray) -> float:
    return float(np.max(np.abs(r) / np.where(allowed > 0.0, allowed, 1.0), initial=0.0))


def row_lengths(A: Matrix, mass: Matrix) -> FloatArray:
    """Lengths of the rows of A diag(mass)^(−1/2)."""
    squares = A.multiply(A) if sp.issparse(A) else A * A
    return np.sqrt(np.asarray(squares @ np.broadcast_to(1.0 / np.asarray(mass), A.shape[1])))


def _dense_step(M: FloatArray, A: FloatArray, W: FloatArray) -> Callable[[FloatArray, FloatArray], Answer]:
    """Elimination of a: (W S W + εI) μ = W(A a_f − b), λ = W μ."""
    U = factor(M)
    if not A.shape[0]:
        return lambda f, g: (lapack.dpotrs(U, f)[0], np.zeros(0))
    H = lapack.dtrtrs(U, (W[:, None] * A).T, trans=1)[0]
    S = H.T @ H
    S[np.diag_indices_from(S)] += EPSILON_DENSE * (S.diagonal().max(initial=0.0) or 1.0)
    R = factor(S)

    def step(f: FloatArray, g: FloatArray) -> Answer:
        a_f = lapack.dpotrs(U, f)[0]
        mu = lapack.dpotrs(R, W * (A @ a_f - g))[0]
        return a_f - lapack.dtrtrs(U, H @ mu)[0], W * mu

    return step


def _sparse_step(M: Matrix, A: Matrix, W: FloatArray) -> Callable[[FloatArray, FloatArray], Answer]:
    """The quasi-definite matrix of both unknowns, scaled to unit diagonal of M."""
    M, A = sp.csc_array(M), sp.csc_array(A)
    c = 1.0 / np.sqrt(M.diagonal())
    n, m = A.shape[1], A.shape[0]
    C, D = sp.diags_array(c), sp.diags_array(W)
    B = D @ A @ C
    K = sp.block_array([[C @ M @ C, B.T], [B, -EPSILON_SPARSE * sp.eye_array(m)]], format="csc")
    solve = quasi_definite(K)

    def step(f: FloatArray, g: FloatArray) -> Answer:
        x = solve(np.concatenate([c * f, W * g]))
        return c * x[:n], W * x[n:]

    return step


def quasi_definite(K: Matrix) -> Solver:
    """Solves with a symmetric quasi-definite matrix: a symmetric order needs no pivoting."""
    try:
        solve: Solver = splu(
            K, permc_spec="MMD_AT_PLUS_A", diag_pivot_thresh=0.0, options={"SymmetricMode": True}
        ).solve
    except RuntimeError as error:
        raise SingularError(f"the regularised matrix is singular: {error}", hint="check M") from error
    return solve
