"""Ranks of the constraint rows along the saved rows of a run, compiled: in Python they took as long
as the steps of a short run."""

from __future__ import annotations

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
from isodyn.kernels.struct import Struct, StructAddress, integer, real, reals
from isodyn.kernels.struct_types import ADDRESS, StructType
from isodyn.linear_solvers.row_pivots import pivot_rows
from isodyn.linear_solvers.rows import TOLERANCE

TINY = 1e-300  # a first pivot below this is none


class Ranks(Struct):
    """What is found along rows: how often the rank is below the number of enforced rows, the
    smallest of their last pivots so far and when; the numbers that decided about the last row."""

    enforced, lost = integer, integer
    pivot, when = real, real
    diagonal = reals("m")


@kernel(i8(MODEL_TYPE, ADDRESS, ADDRESS, i8, i8, F, F2, F2, F, I, StructType(Ranks)), allocates=True)
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
    told: Ranks,
) -> int:
    """The ranks of the full G, columns in units of `sizes`, at the saved rows from `begin` to
    before `end`; the status of a model that fails."""
    diagonal = told.diagonal
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
        tell(t[k], ranks[k], told)
    return OK


@kernel()
def tell(t: float, rank: int, told: Ranks) -> None:
    """Note what the numbers that decided about a row say."""
    enforced, diagonal = told.enforced, told.diagonal
    if rank < enforced:
        told.lost += 1
    if enforced > 0:
        first = diagonal[0] if diagonal[0] != 0.0 else 1.0
        pivot = diagonal[enforced - 1] / first
        if pivot < told.pivot:  # false for NaN
            told.pivot = pivot
            told.when = t


tell_in_python = getattr(tell, "py_func", tell)
