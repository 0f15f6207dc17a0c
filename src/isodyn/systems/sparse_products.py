"""The balance of large linear systems, M a + C v + K q − f, in one pass over the rows.

Every row is summed where it is needed, so that nothing but the matrices and the five vectors goes
through memory. Diagonal matrices are vectors; C and K with the same pattern, as Rayleigh's damping
makes them, read it once; rows that belong to the same node of a mesh have the same columns, and
read them once.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from numba import types

from isodyn.kernels.compiled import F, FloatArray, IntArray, kernel
from isodyn.kernels.lowering import natural
from isodyn.kernels.struct import Struct, integer, integers, reals
from isodyn.kernels.struct_types import StructType
from isodyn.later import sparse as sp

if TYPE_CHECKING:
    import numpy.typing as npt

    from isodyn.open_types import Matrix

U4 = types.uint32[::1]


class Products(Struct):
    """Diagonals and starts of rows of M, C, K; the last two may share a pattern."""

    shared = integer
    rows_alike = integer  # how many rows of K, one after the other, have the same columns: 1, 2 or 3
    on_diagonals = integer  # whether C or K is diagonal
    m, c, k = reals("n"), reals("n"), reals("n")
    M_starts, C_starts, K_starts = integers("starts"), integers("starts"), integers("starts")


PRODUCTS = StructType(Products)


@kernel()
def row_product(first: int, last: int, columns: npt.NDArray[np.uint32], values: FloatArray, x: FloatArray) -> float:
    """Σ values · x over one row."""
    total = 0.0
    for e in range(first, last):
        total += values[e] * x[columns[e]]
    return total


@kernel()
def one_row(
    first: int, length: int, columns: npt.NDArray[np.uint32], K: FloatArray, C: FloatArray, q: FloatArray, v: FloatArray
) -> float:
    """A row of K q, and of C v where C has the same pattern."""
    if C.size == 0:
        return row_product(first, first + length, columns, K, q)
    total = 0.0
    for e in range(first, first + length):
        j = columns[e]
        total += K[e] * q[j] + C[e] * v[j]
    return total


@kernel()
def two_rows(
    first: int, length: int, columns: npt.NDArray[np.uint32], K: FloatArray, C: FloatArray, q: FloatArray, v: FloatArray
) -> tuple[float, float]:
    """The same for two rows with the same columns."""
    one, two, second = 0.0, 0.0, first + length
    for e in range(length):
        x = q[columns[first + e]]
        one += K[first + e] * x
        two += K[second + e] * x
    if C.size > 0:
        for e in range(length):
            x = v[columns[first + e]]
            one += C[first + e] * x
            two += C[second + e] * x
    return one, two


@kernel()
def three_rows(
    first: int, length: int, columns: npt.NDArray[np.uint32], K: FloatArray, C: FloatArray, q: FloatArray, v: FloatArray
) -> tuple[float, float, float]:
    """The same for three."""
    one, two, three, second, third = 0.0, 0.0, 0.0, first + length, first + 2 * length
    for e in range(length):
        x = q[columns[first + e]]
        one += K[first + e] * x
        two += K[second + e] * x
        three += K[third + e] * x
    if C.size > 0:
        for e in range(length):
            x = v[columns[first + e]]
            one += C[first + e] * x
            two += C[second + e] * x
            three += C[third + e] * x
    return one, two, three


@kernel()
def stiffness_rows(
    given: Products,
    columns: npt.NDArray[np.uint32],
    K: FloatArray,
    C: FloatArray,
    f: FloatArray,
    q: FloatArray,
    v: FloatArray,
    out: FloatArray,
) -> None:
    """out = K q − f, with C v where C has the same pattern."""
    starts, n, rows_alike, loaded = given.K_starts, natural(out.size), given.rows_alike, f.size > 0
    if rows_alike == 2:
        for i in range(0, n, 2):
            first = natural(starts[i])
            one, two = two_rows(first, natural(starts[i + 1] - first), columns, K, C, q, v)
            out[i] = one - f[i] if loaded else one
            out[i + 1] = two - f[i + 1] if loaded else two
    elif rows_alike == 3:
        for i in range(0, n, 3):
            first = natural(starts[i])
            one, two, three = three_rows(first, natural(starts[i + 1] - first), columns, K, C, q, v)
            out[i] = one - f[i] if loaded else one
            out[i + 1] = two - f[i + 1] if loaded else two
            out[i + 2] = three - f[i + 2] if loaded else three
    else:
        for i in range(n):
            first = natural(starts[i])
            one = one_row(first, natural(starts[i + 1] - first), columns, K, C, q, v)
            out[i] = one - f[i] if loaded else one


@kernel()
def add_rows(
    starts: IntArray, columns: npt.NDArray[np.uint32], values: FloatArray, x: FloatArray, out: FloatArray
) -> None:
    """out += A x."""
    for i in range(natural(out.size)):
        out[i] += row_product(natural(starts[i]), natural(starts[i + 1]), columns, values, x)


@kernel(types.void(PRODUCTS, U4, F, U4, F, U4, F, F, F, F, F, F))
def balance_of(
    given: Products,
    M_columns: npt.NDArray[np.uint32],
    M_values: FloatArray,
    C_columns: npt.NDArray[np.uint32],
    C_values: FloatArray,
    K_columns: npt.NDArray[np.uint32],
    K_values: FloatArray,
    f: FloatArray,
    q: FloatArray,
    v: FloatArray,
    a: FloatArray,
    out: FloatArray,
) -> None:
    """out = M a + C v + K q − f; an empty f or a is zero, empty diagonals are."""
    n = natural(out.size)
    if K_columns.size > 0:
        stiffness_rows(given, K_columns, K_values, C_values if given.shared == 1 else C_values[:0], f, q, v, out)
    else:
        for i in range(n):
            out[i] = -f[i] if f.size > 0 else 0.0
    if a.size > 0:
        m = given.m
        for i in range(n):
            out[i] += m[i] * a[i]
        if M_columns.size > 0:
            add_rows(given.M_starts, M_columns, M_values, a, out)
    if given.on_diagonals == 1:
        c, k = given.c, given.k
        for i in range(n):
            out[i] += c[i] * v[i]
        for i in range(natural(q.size)):
            out[i] += k[i] * q[i]
    if given.shared == 0 and C_columns.size > 0:
        add_rows(given.C_starts, C_columns, C_values, v, out)


class SparseBalance:
    """M a + C v + K q − f of sparse matrices; matrices that are not there are None."""

    def __init__(self, M: Matrix, C: Matrix, K: Matrix, n: int) -> None:
        self.given = Products(n=n, starts=n + 1)
        parts = [_split(matrix, n) for matrix in (M, C, K)]
        (self.given.m, M_rows), (self.given.c, C_rows), (self.given.k, K_rows) = parts
        if _same_pattern(C, K):
            (_, C_rows), (_, K_rows) = ((None, sp.csr_array(matrix)) for matrix in (C, K))
            self.given.shared, self.given.c, self.given.k = 1, 0.0, 0.0
        self.given.rows_alike = alike_rows(K_rows)
        self.given.on_diagonals = int(self.given.c.any() or self.given.k.any())
        arrays: Any = []
        names = ("M_starts", "C_starts", "K_starts")
        for name, rows in zip(names, (M_rows, C_rows, K_rows), strict=True):
            setattr(self.given, name, rows.indptr.astype(np.int64))
            arrays += [rows.indices.astype(np.uint32), np.ascontiguousarray(rows.data, dtype=np.float64)]

        self.arrays: tuple[Any, Any, Any, Any, Any, Any] = tuple(arrays)

    @property
    def masses(self) -> FloatArray | None:
        """The diagonal of M where it is diagonal and has no zeros."""
        return self.given.m.copy() if self.given.m.all() else None

    def put(self, f: FloatArray, q: FloatArray, v: FloatArray, a: FloatArray, out: FloatArray) -> None:
        """out = M a + C v + K q − f; an empty f or a is zero."""
        balance_of(self.given, *self.arrays, f, q, v, a, out)


def alike_rows(A: Matrix) -> int:
    """How many rows, one after the other, have the same columns everywhere: 3, 2, or 1."""
    lengths = np.diff(A.indptr)
    for k in (3, 2):
        if A.nnz == 0 or A.shape[0] % k or not (lengths.reshape(-1, k) == lengths[::k, None]).all():
            continue
        starts = A.indptr[::k].astype(np.int64)
        first = np.repeat(starts[:-1], lengths[::k]) + _counted(lengths[::k])
        places = [first + np.repeat(j * lengths[::k], lengths[::k]) for j in range(1, k)]
        if all(np.array_equal(A.indices[first], A.indices[place]) for place in places):
            return k
    return 1


def _counted(lengths: IntArray) -> IntArray:
    """0, 1, …, length − 1 for every length."""
    ends = np.cumsum(lengths, dtype=np.int64)
    return np.arange(ends[-1]) - np.repeat(ends - lengths, lengths)


def is_diagonal(A: Matrix) -> bool:
    """Whether a sparse matrix has entries on its diagonal only."""
    entries = sp.coo_array(A)
    return bool((entries.coords[0] == entries.coords[1]).all())


def _split(matrix: Matrix, n: int) -> tuple[FloatArray, Any]:
    """The diagonal and nothing, or zeros and all of a matrix."""
    nothing = sp.csr_array((n, n))
    if matrix is None:
        return np.zeros(n), nothing
    rows = sp.csr_array(matrix)
    if is_diagonal(rows):
        return rows.diagonal(), nothing
    rows.sum_duplicates()
    return np.zeros(n), rows


def _same_pattern(C: Matrix, K: Matrix) -> bool:
    if C is None or K is None or is_diagonal(C) or is_diagonal(K):
        return False
    C, K = sp.csr_array(C), sp.csr_array(K)
    return np.array_equal(C.indptr, K.indptr) and np.array_equal(C.indices, K.indices)
