"""Ranks of the constraint rows along the saved rows of a run, compiled: in Python they took as long
as the steps of a short run."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from isodyn.kernels.compiled import (
    CONSTRAINT,
    F2,
    MODEL_TYPE,
    OK,
    F,
    FloatArray,
    I,
    IntArray,
    ModelFunction,
    f8,
    i8,
    kernel,
)
from isodyn.kernels.struct_types import ADDRESS
from isodyn.linear_solvers.row_pivots import pivot_rows

if TYPE_CHECKING:
    from isodyn.kernels.struct import StructAddress

TINY = 1e-300  # a first pivot below this is none


@kernel(i8(MODEL_TYPE, ADDRESS, ADDRESS, i8, i8, F, F2, F2, F, f8, I, F2), allocates=True)
def ranks_of_rows(
    model: ModelFunction,
    tables: StructAddress,
    scratch: StructAddress,
    begin: int,
    end: int,
    t: FloatArray,
    q: FloatArray,
    v: FloatArray,
    sizes: FloatArray,
    tolerance: float,
    ranks: IntArray,
    diagonals: FloatArray,
) -> int:
    """The ranks of the full G, columns in units of `sizes`, at the saved rows from `begin` to
    before `end`, and the numbers that decided (isodyn.linear_solvers.rows.choose); the status of a
    model that fails."""
    m, n = diagonals.shape[1], v.shape[1]
    values, B, c, lam = np.empty(m * n), np.empty((m, n)), np.zeros(4), np.zeros(m)
    order, squares = np.zeros(m, np.int64), np.zeros(m)
    c[0], c[3] = 1.0, 1.0
    for k in range(begin, end):
        status = model(CONSTRAINT, t[k], q[k], v[k], v[k], lam, c, tables, scratch, values)
        if status != OK:
            return status
        for i in range(m):
            for j in range(n):
                B[i, j] = values[i * n + j] * sizes[j]
        diagonal = diagonals[k - begin]
        pivot_rows(B, order, diagonal, squares)
        ranks[k - begin] = 0
        for i in range(m):
            if diagonal[i] > tolerance * max(diagonal[0], TINY):
                ranks[k - begin] += 1
    return OK
