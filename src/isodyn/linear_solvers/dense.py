"""LU factorisation with partial pivoting of a small dense matrix stored row by row, in place.

    P A = L U,   A x = b  ⇒  L (U x) = P b

Rows are updated contiguously, so that the compiler vectorises the inner loop; meant for systems up
to a few hundred unknowns. The diagonal holds the inverses of the pivots: a division takes as long
as many products.
"""

from __future__ import annotations

import numpy as np

from isodyn.kernels.compiled import OK, SINGULAR, FloatArray, IntArray, kernel
from isodyn.kernels.lowering import natural

EPS = float(np.finfo(np.float64).eps)


@kernel()
def put_back(sizes: FloatArray, pivots: IntArray, many: int) -> None:
    """Undo the first exchanges of rows."""
    for k in range(many - 1, -1, -1):
        p = natural(pivots[k])
        sizes[k], sizes[p] = sizes[p], sizes[k]


@kernel(fused=True)
def lu_factor(A: FloatArray, pivots: IntArray, sizes: FloatArray) -> int:
    """Overwrite A (flat, n·n) by its factors; SINGULAR leaves the failing column in pivots[0].

    Rows are compared in units: entries of row i times sizes[i], which move with the rows and are
    put back in the end. A column counts as dependent when elimination leaves nothing of it but
    rounding: a pivot below n·eps times its largest entry.
    """
    n = natural(pivots.size)
    for k in range(n):
        # the largest entry of column k before elimination: U above the diagonal tells what it was
        # made of
        column = 0.0
        p, largest = k, abs(A[k * n + k]) * sizes[k]
        for i in range(n):
            value = abs(A[i * n + k]) * sizes[i]
            if i < k:
                column = max(column, value)
            elif value > largest:
                p, largest = i, value
        if not largest > n * EPS * column:  # also true for NaN
            put_back(sizes, pivots, k)
            pivots[0] = k
            return SINGULAR
        pivots[k] = p
        if p != k:
            sizes[k], sizes[p] = sizes[p], sizes[k]
            for j in range(n):
                A[k * n + j], A[p * n + j] = A[p * n + j], A[k * n + j]
        pivot_row = A[k * n : k * n + n]
        inverse = 1.0 / pivot_row[k]
        pivot_row[k] = inverse
        for i in range(k + 1, n):
            row = A[i * n : i * n + n]
            factor = row[k] * inverse
            row[k] = factor
            if factor != 0.0:
                for j in range(k + 1, n):
                    row[j] -= factor * pivot_row[j]
    put_back(sizes, pivots, n)
    return OK


@kernel(fused=True)
def lu_solve(A: FloatArray, pivots: IntArray, b: FloatArray) -> None:
    """Overwrite b by the solution, with the factors that `lu_factor` left in A."""
    n = natural(b.size)
    for k in range(n):
        p = natural(pivots[k])
        b[k], b[p] = b[p], b[k]
    for i in range(n):
        value = b[i]
        for j in range(i):
            value -= A[i * n + j] * b[j]
        b[i] = value
    for i in range(n - 1, -1, -1):
        value = b[i]
        for j in range(i + 1, n):
            value -= A[i * n + j] * b[j]
        b[i] = value * A[i * n + i]


@kernel(fused=True)
def lu_solve_transposed(A: FloatArray, pivots: IntArray, b: FloatArray) -> None:
    """Overwrite b by the solution with the transposed matrix, Uᵀ Lᵀ P x = b."""
    n = natural(b.size)
    for i in range(n):
        value = b[i]
        for j in range(i):
            value -= A[j * n + i] * b[j]
        b[i] = value * A[i * n + i]
    for i in range(n - 1, -1, -1):
        value = b[i]
        for j in range(i + 1, n):
            value -= A[j * n + i] * b[j]
        b[i] = value
    for k in range(n - 1, -1, -1):
        p = natural(pivots[k])
        b[k], b[p] = b[p], b[k]


@kernel(fused=True)
def lu_solve_two(A: FloatArray, pivots: IntArray, b: FloatArray, d: FloatArray) -> None:
    """`lu_solve` for b and d at once: one waits for its last product while the other goes on."""
    n = natural(b.size)
    for k in range(n):
        p = natural(pivots[k])
        b[k], b[p] = b[p], b[k]
        d[k], d[p] = d[p], d[k]
    for i in range(n):
        value, other = b[i], d[i]
        for j in range(i):
            factor = A[i * n + j]
            value -= factor * b[j]
            other -= factor * d[j]
        b[i], d[i] = value, other
    for i in range(n - 1, -1, -1):
        value, other = b[i], d[i]
        for j in range(i + 1, n):
            factor = A[i * n + j]
            value -= factor * b[j]
            other -= factor * d[j]
        inverse = A[i * n + i]
        b[i], d[i] = value * inverse, other * inverse


@kernel()
def multiply(A: FloatArray, x: FloatArray, out: FloatArray) -> None:
    """out = A x with A (n, n); one order of summation, wherever it is called from."""
    for i in range(x.size):
        total = 0.0
        for j in range(x.size):
            total += A[i, j] * x[j]
        out[i] = total
