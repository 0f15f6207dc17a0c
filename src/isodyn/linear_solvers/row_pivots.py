"""How far the rows of a small matrix depend on each other: the |R_kk| of its rows in unit length
with the largest one first, as isodyn.linear_solvers.rows.choose has them from LAPACK, in one call.

Rows that are left are made orthogonal to each one that is taken. All of them have unit length in
the beginning, so that rounding is that of 1, far below the tolerance of the choice.
"""

from __future__ import annotations

import numpy as np
from numba import types

from isodyn.kernels.compiled import F, FloatArray, kernel

MOST = 64  # rows, beyond which LAPACK is faster


@kernel(fused=True)
def squared_length(row: FloatArray) -> float:
    """Σ x²."""
    total = 0.0
    for j in range(row.size):
        total += row[j] * row[j]
    return total


@kernel(types.void(F, F))
def row_pivots(B: FloatArray, diagonal: FloatArray) -> None:
    """|R_kk| of the rows of B (flat, m·n), which is overwritten; zeros from the first row on that
    is nothing but others."""
    m = diagonal.size
    n = B.size // m
    for i in range(m):
        diagonal[i] = 0.0
        length = np.sqrt(squared_length(B[i * n : i * n + n]))
        for j in range(n):
            B[i * n + j] /= length if length > 0.0 else 1.0
    for k in range(min(m, n)):
        largest, p = 0.0, k
        for i in range(k, m):
            square = squared_length(B[i * n : i * n + n])
            if square > largest:
                largest, p = square, i
        if not largest > 0.0:
            return
        diagonal[k] = np.sqrt(largest)
        for j in range(n):
            x = B[p * n + j] / diagonal[k]
            B[p * n + j] = B[k * n + j]
            B[k * n + j] = x
        taken = B[k * n : k * n + n]
        for i in range(k + 1, m):
            row, part = B[i * n : i * n + n], 0.0
            for j in range(n):
                part += taken[j] * row[j]
            for j in range(n):
                row[j] -= part * taken[j]
