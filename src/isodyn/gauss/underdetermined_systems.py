"""General underdetermined systems A x = b, without a mass: what the relations fix, and what is left
to the modeller.

    x = s + v₁ + v₂,    v₁ = A⁺(b − A s),    v₂ = (I − A⁺A) c

s is the guess without relations, c whatever is to work inside them: with A v = 0, vᵀv₁ = 0,
vᵀv₂ = vᵀc, and v₁ ⟂ v₂.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import ArrayLike

from isodyn.gauss import checks
from isodyn.gauss.formulas import RowSpace
from isodyn.linear_solvers.rank import FloatArray, decide

if TYPE_CHECKING:
    from isodyn.open_types import Matrix, Numbers


@dataclass(frozen=True, eq=False)
class Underdetermined:
    """Solution of underdetermined relations, and its parts.

    Parameters
    ----------
    x
        The solution.
    s
        The point next to which it lies.
    v1
        The part that the relations determine.
    v2
        The part along the wish, as far as the relations allow.
    rank
        Rank of the relations.
    residual
        A x − b, zero for relations that agree.

    Examples
    --------
    >>> from isodyn.gauss import underdetermined
    >>> underdetermined([[1.0, 1.0]], [2.0]).x.round(12).tolist()
    [1.0, 1.0]
    """

    x: FloatArray
    s: FloatArray
    v1: FloatArray
    v2: FloatArray
    rank: int
    residual: FloatArray


def underdetermined(
    A: Matrix, b: ArrayLike, s: Numbers | None = None, c: Numbers | None = None, rcond: float | None = None
) -> Underdetermined:
    """Return the solution of A x = b next to s that moves along c as far as A allows.

    Parameters
    ----------
    A
        Matrix (m, n).
    b
        Right-hand side.
    s
        Point next to which the solution lies; zero if left out.
    c
        Direction along which it moves; zero if left out.
    rcond
        Relative tolerance of the rank.

    Returns
    -------
    found
        The solution and its parts; least squares if the relations disagree.

    Examples
    --------
    >>> from isodyn.gauss import underdetermined
    >>> underdetermined([[1.0, 0.0]], [2.0], s=[0.0, 3.0]).x.round(12).tolist()
    [2.0, 3.0]
    """
    columns = np.shape(A)[1] if len(np.shape(A)) == 2 else 0
    A = checks.matrix("A", A, (None, columns), sparse=False)
    b = checks.vector("b", b, A.shape[0], "row of A")
    s, c = (
        np.zeros(columns) if x is None else checks.vector(name, x, columns, "unknown")
        for name, x in (("s", s), ("c", c))
    )
    rank = decide(A, None, checks.tolerance(rcond))
    rows = RowSpace(A, rank)
    v1 = rows.least_norm(rank.attainable(b) - A @ s)  # [Fan2005 (42)]
    v2 = c - rows.least_norm(A @ c)  # [Fan2005 (43)]
    x = s + v1 + v2  # [Fan2005 (40), (41)]
    return Underdetermined(x, s, v1, v2, rank.rank, A @ x - b)
