"""LU factorisation with partial pivoting of a small dense matrix stored row by row, in place.

    P A = L U,   A x = b  ⇒  L (U x) = P b

Rows are updated contiguously, so that the compiler vectorises the inner loop; meant for systems up
to a few hundred unknowns. For the few of a body or two all loops are unrolled: what goes on around
loops of three to six turns takes several times as long as the arithmetic. The diagonal holds the
inverses of the pivots: a division takes as long as many products.
"""

from __future__ import annotations

import numpy as np
from numba import types

from isodyn.kernels.compiled import OK, SINGULAR, F, FloatArray, I, IntArray, i8, kernel
from isodyn.kernels.lowering import natural

EPS = float(np.finfo(np.float64).eps)
FEW = 6  # unknowns up to which loops are unrolled


@kernel(inline=True)
def put_back(sizes: FloatArray, pivots: IntArray, many: int) -> None:
    """Undo the first exchanges of rows."""
    for k in range(many - 1, -1, -1):
        p = natural(pivots[k])
        sizes[k], sizes[p] = sizes[p], sizes[k]


@kernel(inline=True)
def swap(A: FloatArray, sizes: FloatArray, n: int, k: int, p: int) -> None:
    """Exchange rows k and p, and their units."""
    sizes[k], sizes[p] = sizes[p], sizes[k]
    one, other = natural(k * n), natural(p * n)
    for j in range(n):
        i, m = natural(one + j), natural(other + j)
        A[i], A[m] = A[m], A[i]


@kernel(inline=True, fused=True)
def factor_rows(A: FloatArray, pivots: IntArray, sizes: FloatArray, n: int) -> int:
    """`lu_factor` of n rows."""
    for k in range(n):
        top = natural(k * n)  # where the row of the pivot begins
        # the largest entry of column k before elimination: U above the diagonal tells what it was
        # made of
        column = 0.0
        for i in range(k):
            column = max(column, abs(A[natural(i * n + k)]) * sizes[i])
        p, largest = k, abs(A[natural(top + k)]) * sizes[k]
        for i in range(k + 1, n):
            value = abs(A[natural(i * n + k)]) * sizes[i]
            if value > largest:
                p, largest = i, value
        if not largest > n * EPS * column:  # also true for NaN
            put_back(sizes, pivots, k)
            pivots[0] = k
            return SINGULAR
        pivots[k] = p
        if p != k:
            swap(A, sizes, n, k, natural(p))
        inverse = 1.0 / A[natural(top + k)]
        A[natural(top + k)] = inverse
        for i in range(k + 1, n):
            row = natural(i * n)
            factor = A[natural(row + k)] * inverse
            A[natural(row + k)] = factor
            if factor != 0.0:
                for j in range(k + 1, n):
                    A[natural(row + j)] -= factor * A[natural(top + j)]
    put_back(sizes, pivots, n)
    return OK


@kernel(i8(F, I, F), inner=True, apart=True, fused=True, loops="unrolled")
def factor_few(A: FloatArray, pivots: IntArray, sizes: FloatArray) -> int:
    """`lu_factor` of two to FEW rows."""
    n = pivots.size
    if n == 2:
        return factor_rows(A, pivots, sizes, 2)
    if n == 3:
        return factor_rows(A, pivots, sizes, 3)
    if n == 4:
        return factor_rows(A, pivots, sizes, 4)
    if n == 5:
        return factor_rows(A, pivots, sizes, 5)
    return factor_rows(A, pivots, sizes, 6)


@kernel(fused=True)
def lu_factor(A: FloatArray, pivots: IntArray, sizes: FloatArray) -> int:
    """Overwrite A (flat, n·n) by its factors; SINGULAR leaves the failing column in pivots[0].

    Rows are compared in units: entries of row i times sizes[i], which move with the rows and are
    put back in the end. A column counts as dependent when elimination leaves nothing of it but
    rounding: a pivot below n·eps times its largest entry.
    """
    if 1 < pivots.size <= FEW:
        return int(factor_few(A, pivots, sizes))
    return factor_rows(A, pivots, sizes, natural(pivots.size))


@kernel(fused=True)
def lu_solve(A: FloatArray, pivots: IntArray, b: FloatArray) -> None:
    """Overwrite b by the solution, with the factors that `lu_factor` left in A."""
    n = natural(b.size)
    for k in range(n):
        p = natural(pivots[k])
        if p != k:
            b[k], b[p] = b[p], b[k]
    for i in range(1, n):
        row, value = natural(i * n), b[i]
        for j in range(i):
            value -= A[natural(row + j)] * b[j]
        b[i] = value
    for i in range(n - 1, -1, -1):
        row, value = natural(i * n), b[natural(i)]
        for j in range(i + 1, n):
            value -= A[natural(row + j)] * b[natural(j)]
        b[natural(i)] = value * A[natural(row + i)]


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


@kernel(inline=True, fused=True)
def solve_rows(A: FloatArray, pivots: IntArray, b: FloatArray, d: FloatArray, n: int) -> None:
    """`lu_solve_two` of n rows."""
    for k in range(n):
        p = natural(pivots[k])
        if p != k:
            b[k], b[p] = b[p], b[k]
            d[k], d[p] = d[p], d[k]
    for i in range(1, n):
        row, value, other = natural(i * n), b[i], d[i]
        for j in range(i):
            factor = A[natural(row + j)]
            value -= factor * b[j]
            other -= factor * d[j]
        b[i], d[i] = value, other
    for i in range(n - 1, -1, -1):
        row, value, other = natural(i * n), b[natural(i)], d[natural(i)]
        for j in range(i + 1, n):
            factor = A[natural(row + j)]
            value -= factor * b[natural(j)]
            other -= factor * d[natural(j)]
        inverse = A[natural(row + i)]
        b[natural(i)], d[natural(i)] = value * inverse, other * inverse


@kernel(types.void(F, I, F, F), inner=True, apart=True, fused=True, loops="unrolled")
def solve_few(A: FloatArray, pivots: IntArray, b: FloatArray, d: FloatArray) -> None:
    """`lu_solve_two` of two to FEW rows."""
    n = b.size
    if n == 2:
        solve_rows(A, pivots, b, d, 2)
    elif n == 3:
        solve_rows(A, pivots, b, d, 3)
    elif n == 4:
        solve_rows(A, pivots, b, d, 4)
    elif n == 5:
        solve_rows(A, pivots, b, d, 5)
    else:
        solve_rows(A, pivots, b, d, 6)


@kernel(fused=True)
def lu_solve_two(A: FloatArray, pivots: IntArray, b: FloatArray, d: FloatArray) -> None:
    """`lu_solve` for b and d at once: one waits for its last product while the other goes on."""
    if 1 < b.size <= FEW:
        solve_few(A, pivots, b, d)
    else:
        solve_rows(A, pivots, b, d, natural(b.size))


@kernel()
def multiply(A: FloatArray, x: FloatArray, out: FloatArray) -> None:
    """out = A x with A (n, n); one order of summation, wherever it is called from."""
    for i in range(x.size):
        total = 0.0
        for j in range(x.size):
            total += A[i, j] * x[j]
        out[i] = total
