"""The balance of large linear systems, M a + C v + K q − f, in one pass over the rows.

Every row is summed where it is needed, so that nothing but the matrices and the five vectors goes
through memory. Diagonal matrices are vectors; C and K with the same pattern, as Rayleigh's damping
makes them, read it once.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numba import types

from isodyn.kernels.compiled import F, FloatArray, kernel
from isodyn.kernels.struct import Struct, integer, integers, reals
from isodyn.kernels.struct_types import StructType
from isodyn.later import sparse as sp

U4 = types.uint32[::1]


class Products(Struct):
    """Diagonals and starts of rows of M, C, K; the last two may share a pattern."""

    shared = integer
    m, c, k = reals("n"), reals("n"), reals("n")
    M_starts, C_starts, K_starts = integers("starts"), integers("starts"), integers("starts")


PRODUCTS = StructType(Products)


@kernel()
def row_product(first: int, last: int, columns: Any, values: FloatArray, x: FloatArray) -> float:
    """Σ values · x over one row."""
    total = 0.0
    for e in range(first, last):
        total += values[e] * x[columns[e]]
    return total


@kernel(types.void(PRODUCTS, U4, F, U4, F, U4, F, F, F, F, F, F))
def balance_of(
    given: Any,
    M_columns: Any,
    M_values: FloatArray,
    C_columns: Any,
    C_values: FloatArray,
    K_columns: Any,
    K_values: FloatArray,
    f: FloatArray,
    q: FloatArray,
    v: FloatArray,
    a: FloatArray,
    out: FloatArray,
) -> None:
    """out = M a + C v + K q − f; an empty f is zero, empty diagonals are."""
    M, C, K = given.M_starts, given.C_starts, given.K_starts
    for i in range(out.size):
        total = -f[i] if f.size > 0 else 0.0
        total += given.m[i] * a[i]
        if M_columns.size > 0:
            total += row_product(M[i], M[i + 1], M_columns, M_values, a)
        if given.shared == 1:
            for e in range(K[i], K[i + 1]):
                j = K_columns[e]
                total += K_values[e] * q[j] + C_values[e] * v[j]
        else:
            total += given.c[i] * v[i]
            if C_columns.size > 0:
                total += row_product(C[i], C[i + 1], C_columns, C_values, v)
            if K_columns.size > 0:
                total += given.k[i] * q[i] + row_product(K[i], K[i + 1], K_columns, K_values, q)
            elif q.size > 0:
                total += given.k[i] * q[i]
        out[i] = total


class SparseBalance:
    """M a + C v + K q − f of sparse matrices; matrices that are not there are None."""

    def __init__(self, M: Any, C: Any, K: Any, n: int) -> None:
        self.given = Products(n=n, starts=n + 1)
        parts = [_split(matrix, n) for matrix in (M, C, K)]
        (self.given.m, M_rows), (self.given.c, C_rows), (self.given.k, K_rows) = parts
        if _same_pattern(C, K):
            (_, C_rows), (_, K_rows) = ((None, sp.csr_array(matrix)) for matrix in (C, K))
            self.given.shared = 1
        arrays: Any = []
        names = ("M_starts", "C_starts", "K_starts")
        for name, rows in zip(names, (M_rows, C_rows, K_rows), strict=True):
            setattr(self.given, name, rows.indptr.astype(np.int64))
            arrays += [rows.indices.astype(np.uint32), np.ascontiguousarray(rows.data, dtype=np.float64)]

        self.arrays: tuple[Any, Any, Any, Any, Any, Any] = tuple(arrays)

    def put(self, f: FloatArray, q: FloatArray, v: FloatArray, a: FloatArray, out: FloatArray) -> None:
        """out = M a + C v + K q − f; an empty f is zero."""
        balance_of(self.given, *self.arrays, f, q, v, a, out)


def is_diagonal(A: Any) -> bool:
    """Whether a sparse matrix has entries on its diagonal only."""
    entries = sp.coo_array(A)
    return bool((entries.coords[0] == entries.coords[1]).all())


def _split(matrix: Any, n: int) -> tuple[FloatArray, Any]:
    """The diagonal and nothing, or zeros and all of a matrix."""
    nothing = sp.csr_array((n, n))
    if matrix is None:
        return np.zeros(n), nothing
    rows = sp.csr_array(matrix)
    if is_diagonal(rows):
        return rows.diagonal(), nothing
    rows.sum_duplicates()
    return np.zeros(n), rows


def _same_pattern(C: Any, K: Any) -> bool:
    if C is None or K is None or is_diagonal(C) or is_diagonal(K):
        return False
    C, K = sp.csr_array(C), sp.csr_array(K)
    return np.array_equal(C.indptr, K.indptr) and np.array_equal(C.indices, K.indices)
