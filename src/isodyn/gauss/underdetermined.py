"""General underdetermined systems A x = b, without a mass: what the relations fix, and what is left
to the modeller.

    x = s + v₁ + v₂,    v₁ = A⁺(b − A s),    v₂ = (I − A⁺A) c

s is the guess without relations, c whatever is to work inside them: with A v = 0, vᵀv₁ = 0,
vᵀv₂ = vᵀc, and v₁ ⟂ v₂.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from isodyn.gauss import checks
from isodyn.gauss.formulas import RowSpace
from isodyn.linear_solvers.rank import FloatArray, decide


@dataclass(frozen=True, eq=False)
class Underdetermined:
    """The solution and its parts; `residual` is A x − b, zero for relations that agree."""

    x: FloatArray
    s: FloatArray
    v1: FloatArray
    v2: FloatArray
    rank: int
    residual: FloatArray


def underdetermined(A: Any, b: Any, s: Any = None, c: Any = None, rcond: float | None = None) -> Underdetermined:
    """The solution of A x = b next to s that moves along c as far as the relations allow; least
    squares where they disagree."""
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
