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
    i8,
    kernel,
)
from isodyn.kernels.struct_types import ADDRESS
from isodyn.linear_solvers.row_pivots import pivot_rows
from isodyn.linear_solvers.rows import TOLERANCE

if TYPE_CHECKING:
    from isodyn.kernels.struct import StructAddress

TINY = 1e-300  # a first pivot below this is none


ENFORCED, LOST, PIVOT, WHEN = range(4)  # places of what is told


@kernel(i8(MODEL_TYPE, ADDRESS, ADDRESS, i8, i8, F, F2, F2, F, I, F, F), allocates=True)
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
    ranks: IntArray,
    diagonal: FloatArray,
    told: FloatArray,
) -> int:
    """The ranks of the full G, columns in units of `sizes`, at the saved rows from `begin` to
    before `end`; the status of a model that fails. `diagonal` is memory for the numbers that
    decided.

    Of so many enforced rows, `told` gets how often the rank was smaller, and the smallest of their
    last pivots so far with its time.
    """
    m, n = diagonal.size, v.shape[1]
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
        pivot_rows(B, order, diagonal, squares)
        ranks[k] = 0
        for i in range(m):
            if diagonal[i] > TOLERANCE * max(diagonal[0], TINY):
                ranks[k] += 1
        tell(t[k], ranks[k], diagonal, told)
    return OK


@kernel()
def tell(t: float, rank: int, diagonal: FloatArray, told: FloatArray) -> None:
    """Note what the numbers that decided about a row say."""
    enforced = int(told[ENFORCED])
    if rank < enforced:
        told[LOST] += 1.0
    if enforced > 0:
        first = diagonal[0] if diagonal[0] != 0.0 else 1.0
        pivot = diagonal[enforced - 1] / first
        if pivot < told[PIVOT]:  # false for NaN
            told[PIVOT], told[WHEN] = pivot, t
