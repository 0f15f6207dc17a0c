"""LU factorisation with partial pivoting of a small complex matrix, real and imaginary parts stored
apart, row by row, in place.

    P A = L U,   A x = b  ⇒  L (U x) = P b

Parts that are stored apart keep the inner loop contiguous, so that the compiler vectorises it. The
diagonal holds the inverses of the pivots, as in isodyn.linear_solvers.dense.
"""

from __future__ import annotations

import numpy as np

from isodyn.kernels.compiled import OK, SINGULAR, FloatArray, IntArray, kernel
from isodyn.kernels.lowering import natural
from isodyn.linear_solvers.dense import put_back

EPS = float(np.finfo(np.float64).eps)


@kernel()
def pivot_of(re: FloatArray, im: FloatArray, n: int, k: int, sizes: FloatArray) -> int:
    """The row of the largest entry of column k from row k on; −1 where elimination has left nothing
    of the column but rounding."""
    column, largest, found = 0.0, 0.0, k
    for i in range(n):
        value = (abs(re[i * n + k]) + abs(im[i * n + k])) * sizes[i]
        if i < k:
            column = max(column, value)
        elif i == k or value > largest:
            found, largest = i, value
    return found if largest > n * EPS * column else -1  # NaN is no pivot


@kernel()
def exchange(A: FloatArray, n: int, k: int, p: int) -> None:
    """Exchange two rows."""
    for j in range(n):
        A[k * n + j], A[p * n + j] = A[p * n + j], A[k * n + j]


@kernel(fused=True)
def complex_lu_factor(re: FloatArray, im: FloatArray, pivots: IntArray, sizes: FloatArray) -> int:
    """Overwrite re + i im (flat, n·n) by its factors; SINGULAR leaves the failing column in
    pivots[0]. Rows are compared in units, entries of row i times sizes[i]."""
    n = natural(pivots.size)
    for k in range(n):
        p = pivot_of(re, im, n, k, sizes)
        if p < 0:
            put_back(sizes, pivots, k)
            pivots[0] = k
            return SINGULAR
        pivots[k] = p
        if p != k:
            sizes[k], sizes[p] = sizes[p], sizes[k]
            exchange(re, n, k, p)
            exchange(im, n, k, p)
        pivot_re, pivot_im = re[k * n : k * n + n], im[k * n : k * n + n]
        length = pivot_re[k] * pivot_re[k] + pivot_im[k] * pivot_im[k]
        inverse_re, inverse_im = pivot_re[k] / length, -pivot_im[k] / length
        pivot_re[k], pivot_im[k] = inverse_re, inverse_im
        for i in range(k + 1, n):
            row_re, row_im = re[i * n : i * n + n], im[i * n : i * n + n]
            x, y = row_re[k], row_im[k]
            if x == 0.0 and y == 0.0:
                continue
            f, g = x * inverse_re - y * inverse_im, x * inverse_im + y * inverse_re
            row_re[k], row_im[k] = f, g
            for j in range(k + 1, n):
                row_re[j] -= f * pivot_re[j] - g * pivot_im[j]
                row_im[j] -= f * pivot_im[j] + g * pivot_re[j]
    put_back(sizes, pivots, n)
    return OK


@kernel(fused=True)
def complex_lu_solve(re: FloatArray, im: FloatArray, pivots: IntArray, x: FloatArray, y: FloatArray) -> None:
    """Overwrite x + i y by the solution, with the factors that `complex_lu_factor` left."""
    n = natural(x.size)
    for k in range(n):
        p = natural(pivots[k])
        x[k], x[p] = x[p], x[k]
        y[k], y[p] = y[p], y[k]
    for i in range(n):
        a, b = x[i], y[i]
        for j in range(i):
            a -= re[i * n + j] * x[j] - im[i * n + j] * y[j]
            b -= re[i * n + j] * y[j] + im[i * n + j] * x[j]
        x[i], y[i] = a, b
    for i in range(n - 1, -1, -1):
        a, b = x[i], y[i]
        for j in range(i + 1, n):
            a -= re[i * n + j] * x[j] - im[i * n + j] * y[j]
            b -= re[i * n + j] * y[j] + im[i * n + j] * x[j]
        f, g = re[i * n + i], im[i * n + i]
        x[i], y[i] = a * f - b * g, a * g + b * f
