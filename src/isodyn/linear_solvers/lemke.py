"""Lemke's pivots for a linear complementarity problem: 0 ≤ p ⊥ W p + b ≥ 0."""

from __future__ import annotations

import numpy as np

from isodyn.kernels.compiled import F2, NOT_CONVERGED, OK, F, FloatArray, IntArray, i8, kernel

NOTHING = 1e-10  # a pivot, beside the largest of its column or of the matrix
EQUAL = 1e-12  # ratios that differ by less are the same
DONE = 1e-12  # of the largest b: an artificial variable below this has left


@kernel()
def pivot(T: FloatArray, row: int, column: int) -> None:
    """Make a column of a tableau a unit vector."""
    f = 1.0 / T[row, column]
    for j in range(T.shape[1]):
        T[row, j] *= f
    for i in range(T.shape[0]):
        f = T[i, column]
        if i != row and f != 0.0:
            for j in range(T.shape[1]):
                T[i, j] -= f * T[row, j]


@kernel()
def leaving_row(T: FloatArray, basis: IntArray, column: int) -> int:
    """The row of the smallest ratio, the artificial variable first among equals, then the largest
    pivot; −1 where the column has no pivot."""
    n = basis.size
    last, row, smallest, largest = 2 * n + 1, -1, np.inf, 1.0
    for i in range(n):
        largest = max(largest, abs(T[i, column]))
    for i in range(n):
        if T[i, column] > NOTHING * largest:
            smallest = min(smallest, max(T[i, last], 0.0) / T[i, column])
    for i in range(n):
        pivot_here = T[i, column]
        if pivot_here <= NOTHING * largest:
            continue
        if max(T[i, last], 0.0) / pivot_here > smallest + EQUAL * (smallest + 1.0):
            continue
        if basis[i] == 2 * n:
            return i
        if row < 0 or pivot_here > T[row, column]:
            row = i
    return row


@kernel()
def has_left(T: FloatArray, basis: IntArray) -> bool:
    """Whether the artificial variable left the basis, or is rounding in it."""
    n = basis.size
    for i in range(n):
        if basis[i] == 2 * n:
            return bool(T[i, 2 * n + 1] <= DONE)
    return True


@kernel(i8(F2, F, F), apart=True, allocates=True)
def lemke(W: FloatArray, b: FloatArray, p: FloatArray) -> int:
    """0 ≤ p ⊥ W p + b ≥ 0 by Lemke's pivots, into p; NOT_CONVERGED where they end on a ray.
    Matrices may be singular: pivots that are rounding are none, and an artificial variable that is
    rounding is zero."""
    n = b.size
    T, basis = np.zeros((n, 2 * n + 2)), np.empty(n, dtype=np.int64)
    row, size, most = 0, 0.0, 0.0
    for i in range(n):
        p[i] = 0.0
        most = max(most, abs(b[i]))
        for j in range(n):
            size = max(size, abs(W[i, j]))
    size = size if size > 0.0 else 1.0
    for i in range(n):
        T[i, i], T[i, 2 * n], T[i, 2 * n + 1], basis[i] = 1.0, -1.0, b[i] / max(most, 1e-300), i
        for j in range(n):
            T[i, n + j] = -W[i, j] / size
        if b[i] < b[row]:
            row = i
    if b[row] >= 0.0:
        return OK
    enters = 2 * n
    for _ in range(50 * n + 50):
        pivot(T, row, enters)
        leaves, basis[row] = basis[row], enters
        if has_left(T, basis):
            for i in range(n):
                if n <= basis[i] < 2 * n:
                    p[basis[i] - n] = max(0.0, T[i, 2 * n + 1]) * most / size
            return OK
        enters = leaves + n if leaves < n else leaves - n
        row = leaving_row(T, basis, enters)
        if row < 0:
            return NOT_CONVERGED
    return NOT_CONVERGED
