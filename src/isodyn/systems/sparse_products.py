"""The balance of large linear systems, M a + C v + K q − f, in one pass over the rows.

Every row is summed where it is needed, so that nothing but the matrices and the five vectors goes
through memory. Diagonal matrices are vectors; C and K with the same pattern, as Rayleigh's damping
makes them, read it once; unknowns that belong to the same node of a mesh make full blocks of 2 × 2
or 3 × 3, of which the first column alone is kept. Values stay row by row.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

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
    block = integer  # K consists of full blocks of so many rows and columns: 1, 2 or 3
    on_diagonals = integer  # whether C or K is diagonal
    m, c, k = reals("n"), reals("n"), reals("n")
    M_starts, C_starts = integers("starts"), integers("starts")
    K_starts = integers("block_starts")  # in blocks; their values begin at block² times that


PRODUCTS = StructType(Products)


@kernel()
def row_product(first: int, last: int, columns: npt.NDArray[np.uint32], values: FloatArray, x: FloatArray) -> float:
    """Σ values · x over one row."""
    total = 0.0
    for e in range(first, last):
        total += values[e] * x[columns[e]]
    return total


@kernel()
def row_of(
    block: int, count: int, columns: npt.NDArray[np.uint32], K: FloatArray, C: FloatArray, q: FloatArray, v: FloatArray
) -> float:
    """A row of K q, and of C v where C has the same pattern."""
    if C.size == 0:
        return row_product(block, block + count, columns, K, q)
    total = 0.0
    for e in range(block, block + count):
        j = columns[e]
        total += K[e] * q[j] + C[e] * v[j]
    return total


@kernel()
def two_rows(
    block: int, count: int, columns: npt.NDArray[np.uint32], A: FloatArray, x: FloatArray, one: float, two: float
) -> tuple[float, float]:
    """Two sums with two rows of A x added, by blocks of 2 × 2."""
    first = 4 * block
    second = first + 2 * count
    for e in range(block, block + count):
        j = columns[e]
        for k in range(2):
            x_k = x[j + np.uint32(k)]
            one += A[first + k] * x_k
            two += A[second + k] * x_k
        first, second = natural(first + 2), natural(second + 2)
    return one, two


@kernel()
def three_rows(
    block: int,
    count: int,
    columns: npt.NDArray[np.uint32],
    A: FloatArray,
    x: FloatArray,
    sums: tuple[float, float, float],
) -> tuple[float, float, float]:
    """The same for three, by blocks of 3 × 3."""
    one, two, three = sums
    first = 9 * block
    second = first + 3 * count
    third = second + 3 * count
    for e in range(block, block + count):
        j = columns[e]
        for k in range(3):
            x_k = x[j + np.uint32(k)]
            one += A[first + k] * x_k
            two += A[second + k] * x_k
            three += A[third + k] * x_k
        first, second, third = natural(first + 3), natural(second + 3), natural(third + 3)
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
    starts, rows, loaded, damped = given.K_starts, natural(given.K_starts.size - 1), f.size > 0, C.size > 0
    if given.block == 2:
        for b in range(rows):
            first, i = natural(starts[b]), 2 * b
            count = natural(starts[b + 1] - first)
            one, two = two_rows(first, count, columns, K, q, 0.0, 0.0)
            if damped:
                one, two = two_rows(first, count, columns, C, v, one, two)
            out[i] = one - f[i] if loaded else one
            out[i + 1] = two - f[i + 1] if loaded else two
    elif given.block == 3:
        for b in range(rows):
            first, i = natural(starts[b]), 3 * b
            count = natural(starts[b + 1] - first)
            one, two, three = three_rows(first, count, columns, K, q, (0.0, 0.0, 0.0))
            if damped:
                one, two, three = three_rows(first, count, columns, C, v, (one, two, three))
            out[i] = one - f[i] if loaded else one
            out[i + 1] = two - f[i + 1] if loaded else two
            out[i + 2] = three - f[i + 2] if loaded else three
    else:
        for i in range(rows):
            first = natural(starts[i])
            one = row_of(first, natural(starts[i + 1] - first), columns, K, C, q, v)
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
        (m, M_rows), (c, C_rows), (k, K_rows) = (_split(matrix, n) for matrix in (M, C, K))
        shared = _same_pattern(C, K)
        if shared:
            C_rows, K_rows = sp.csr_array(C), sp.csr_array(K)
        block = block_size(K_rows)
        self.given = given = Products(n=n, starts=n + 1, block_starts=n // block + 1)
        given.shared, given.block, given.on_diagonals = int(shared), block, int(c.any() or k.any())
        given.m, given.c, given.k = m, c, k
        given.M_starts, given.C_starts = M_rows.indptr, C_rows.indptr
        given.K_starts = K_rows.indptr[::block] // block**2
        self.arrays = (
            *_packed(M_rows.indices, M_rows.data),
            *_packed(C_rows.indices, C_rows.data),
            *_packed(K_rows.indices[_places(K_rows.indptr, block)], K_rows.data),
        )

    @property
    def masses(self) -> FloatArray | None:
        """The diagonal of M where it is diagonal and has no zeros."""
        return self.given.m.copy() if self.given.m.all() else None

    def put(self, f: FloatArray, q: FloatArray, v: FloatArray, a: FloatArray, out: FloatArray) -> None:
        """out = M a + C v + K q − f; an empty f or a is zero."""
        balance_of(self.given, *self.arrays, f, q, v, a, out)


def block_size(A: Matrix) -> int:
    """3 or 2 where a matrix consists of full blocks of so many rows and columns; else 1."""
    for k in (3, 2):
        if A.nnz == 0 or A.shape[0] % k or (A.indptr % k).any():
            continue
        lengths = np.diff(A.indptr).reshape(-1, k)
        if not (lengths == lengths[:, :1]).all():
            continue
        first, length = _places(A.indptr, k), np.repeat(lengths[:, 0], lengths[:, 0] // k)
        corner = A.indices[first]
        if not (corner % k).any() and all(
            np.array_equal(A.indices[first + row * length + column], corner + column)
            for row in range(k)
            for column in range(k)
        ):
            return k
    return 1


def _places(starts: IntArray, k: int) -> IntArray:
    """Where the first entries of blocks of k rows and columns are kept, of rows that start there."""
    firsts, counts = starts[:-1:k].astype(np.int64), np.diff(starts)[::k] // k
    return np.repeat(firsts, counts) + k * _counted(counts)


def _counted(lengths: IntArray) -> IntArray:
    """0, 1, …, length − 1 for every length."""
    ends = np.cumsum(lengths, dtype=np.int64)
    return np.arange(ends[-1], dtype=np.int64) - np.repeat(ends - lengths, lengths)


def is_diagonal(A: Matrix) -> bool:
    """Whether a sparse matrix has entries on its diagonal only."""
    entries = sp.coo_array(A)
    return bool((entries.coords[0] == entries.coords[1]).all())


def _packed(columns: IntArray, values: FloatArray) -> tuple[npt.NDArray[np.uint32], FloatArray]:
    """Columns and values as kernels read them."""
    return columns.astype(np.uint32), np.ascontiguousarray(values, dtype=np.float64)


def _split(matrix: Matrix, n: int) -> tuple[FloatArray, Matrix]:
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
