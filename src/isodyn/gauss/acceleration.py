"""One function for the acceleration problem of Gauss,

    min ½(a − a_f − M⁻¹C)ᵀ M (a − a_f − M⁻¹C)   subject to   A a = b,      a_f = M⁻¹Q

by any of the methods, with everything that can be said about the answer. The time of an evaluation
inside an integrator is better spent in `methods.accelerations`, which this calls.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
import scipy.sparse as sp
from numpy.typing import ArrayLike
from scipy.linalg import lapack

from isodyn.errors import InputError
from isodyn.gauss import checks, formulas
from isodyn.gauss.formulas import Answer, Solver
from isodyn.gauss.methods import METHODS, SPARSE, Formula, Method, formula, on_rank, with_trial_rows
from isodyn.gauss.regularised import regularised, row_lengths
from isodyn.gauss.result import Conflict, Result
from isodyn.gauss.sparse_mass import sparse_general_solver, symmetric_solver
from isodyn.linear_solvers.rank import FloatArray, Rank, decide, too_large

if TYPE_CHECKING:
    from isodyn.open_types import Matrix

UNDECIDED = (
    # entries of a sparse A above which "regularised", which can do without, is spared the rank
    # decision
    1_000_000
)
# |A a − b| in a row, relative to |b| + |A||a| there, at which it is called a conflict
CONFLICT = 1e-9


def solve(
    M: Matrix,
    Q: ArrayLike,
    A: Matrix,
    b: ArrayLike,
    method: Method = "range-space",
    C: Matrix | None = None,
    A_star: Matrix | None = None,
    rcond: float | None = None,
    *,
    names: Sequence[str] | None = None,
) -> Result:
    """Return the acceleration of a system under constraints: M a + Aᵀλ = Q + C, A a = b.

    Rows may be redundant, more than coordinates, none, or in conflict. A a then meets b in the
    least-squares sense, and `conflict` says where it does not.

    With the method "non-symmetric", M is M*, `A` (test rows) acts on forces and `A_star` (trial
    rows) on accelerations: M* a + Aᵀλ = Q, A* a = b. Q and b are those of the accelerations that
    are solved for; `trial_variables` makes them from others.

    Parameters
    ----------
    M
        Mass matrix.
    Q
        Forces.
    A
        Constraint matrix.
    b
        Right-hand side.
    method
        How the equations are solved.
    C
        Force that the constraints are known to exert beyond the ideal one.
    A_star
        Trial rows of the method "non-symmetric"; A if left out.
    rcond
        Relative tolerance of the rank.
    names
        Names of the rows.

    Returns
    -------
    result
        Acceleration, multipliers, rank and forces.

    Raises
    ------
    InputError
        If sizes do not fit.

    Examples
    --------
    >>> import numpy as np
    >>> from isodyn.gauss import solve
    >>> result = solve(np.eye(2), [1.0, -9.81], [[0.0, 1.0]], [0.0])
    >>> result.a.tolist(), result.lam.tolist()
    ([1.0, 0.0], [-9.81])
    """
    problem = _checked(M, Q, A, b, method, A_star, rcond, names)
    a, lam = problem.answer(problem.Q if C is None else problem.Q + problem.non_ideal(C))
    force = -(problem.A.T @ lam)
    ideal, coulomb = force, np.zeros_like(force)
    free_of_rows = problem.free
    if C is not None:
        force = force + problem.non_ideal(C)
        ideal = -(problem.A.T @ problem.answer(problem.Q)[1])  # [Fan2005 (20)]
        coulomb = force - ideal  # [Fan2005 (21)]
        free_of_rows = problem.free + problem.solve_mass(problem.non_ideal(C))
    residual = problem.trial @ a - problem.b
    return Result(
        method=method,
        a=a,
        lam=lam,
        force=force,
        free=problem.free,
        error=problem.b - problem.trial @ problem.free,
        residual=residual,
        # ½ yᵀMy, as M y = −Aᵀλ
        gauss_value=0.0 - 0.5 * float(lam @ (problem.trial @ (a - free_of_rows))),
        newton=problem.Q,
        lagrange=ideal,
        coulomb=coulomb,
        conflict=conflict(problem.trial, a, residual, problem.b, problem.names) if problem.dependent else None,
        decision=problem.rank,
        names=problem.names,
    )


@dataclass(frozen=True, eq=False)
class _Problem:
    """Checked arguments, the decided rank, and the free acceleration."""

    M: Matrix
    Q: FloatArray
    A: Matrix
    trial: Matrix  # A*, which is A unless M is not symmetric
    b: FloatArray
    apply: Formula
    rank: Rank | None
    solve_mass: Solver
    free: FloatArray
    names: tuple[str, ...] | None

    def answer(self, Q: FloatArray) -> Answer:
        if self.rank is None:
            return regularised(self.M, Q, self.A, self.b, None)
        return on_rank(self.apply, self.M, Q, self.A, self.b, self.rank)

    @property
    def dependent(self) -> bool:
        """Whether rows may contradict each other."""
        return self.rank is None or not self.rank.full

    def non_ideal(self, C: Matrix) -> FloatArray:
        return checks.vector("C", C, self.Q.size, "coordinate")


def _checked(
    M: Matrix,
    Q: ArrayLike,
    A: Any,
    b: ArrayLike,
    method: Any,
    A_star: Matrix,
    rcond: float | None,
    names: Sequence[str] | None,
) -> _Problem:
    checks.method_name(method, METHODS)
    tolerance = checks.tolerance(rcond)
    sparse, symmetric = method in SPARSE, method != "non-symmetric"
    Q = checks.vector("Q", Q, None, "coordinate")
    n = Q.size
    M = checks.matrix("M", M, (n, n), sparse)
    A = checks.matrix("A", A, (None, n), sparse)
    b = checks.vector("b", b, A.shape[0], "row of A")
    names = checks.row_names(names, A.shape[0])
    trial, apply = A, formula(method)
    if A_star is not None:
        if symmetric:
            raise InputError(f"A_star belongs to method 'non-symmetric', received method {method!r}")
        trial = checks.matrix("A_star", A_star, A.shape, sparse)
        apply = with_trial_rows(trial)
    if symmetric:
        M = checks.symmetric_mass(M)
    solve_mass = _mass_solver(M, symmetric)
    skip = method == "regularised" and too_large(A, UNDECIDED)
    rank = None if skip else decide(A, M.diagonal() if symmetric else None, tolerance)
    if rank is not None and method == "block-cholesky":
        formulas.refuse_dependent(rank, names)
    if rank is not None and A_star is not None:
        _same_dependence(trial, rank)
    return _Problem(M, Q, A, trial, b, apply, rank, solve_mass, solve_mass(Q), names)


def _mass_solver(M: Matrix, symmetric: bool) -> Solver:
    if not symmetric:
        return sparse_general_solver(M) if sp.issparse(M) else formulas.general_solver(M, "M")
    if sp.issparse(M):
        return symmetric_solver(M)
    U = formulas.positive_definite(M)
    return lambda f: lapack.dpotrs(U, f)[0]


def _same_dependence(trial: Matrix, rank: Rank) -> None:
    """A* = A X has the dependent rows of A; anything else is not one set of constraints."""
    if rank.mixture is None:
        return
    rows = trial.toarray() if sp.issparse(trial) else trial
    defect = rows[rank.dropped] - rank.mixture @ rows[rank.chosen]
    size = np.linalg.norm(rows[rank.dropped], axis=1) + np.abs(rank.mixture) @ np.linalg.norm(rows[rank.chosen], axis=1)
    bad = np.flatnonzero(np.linalg.norm(defect, axis=1) > 1e-6 * size)
    if bad.size:
        raise InputError(
            f"row {rank.dropped[bad[0]]} depends on others in A but not in A_star",
            hint="A_star = A X with an invertible X; rows that are dependent in one are so in the other",
        )


def conflict(
    A: Matrix, a: FloatArray, residual: FloatArray, b: FloatArray, names: Sequence[str] | None = None
) -> Conflict | None:
    """The rows whose residual A a − b is more than rounding can explain."""
    size = np.abs(b) + row_lengths(A, 1.0) * np.linalg.norm(a)
    rows = np.flatnonzero(np.abs(residual) > CONFLICT * size)
    if not rows.size:
        return None
    labels = tuple(f"row {k}" if names is None else names[int(k)] for k in rows)
    return Conflict(tuple(int(k) for k in rows), labels, tuple(float(residual[k]) for k in rows))
