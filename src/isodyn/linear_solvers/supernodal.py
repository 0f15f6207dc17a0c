"""Compiled solves with symmetric factors, in dense blocks.

    P A Pᵀ = L D Lᵀ,     z = L⁻¹ P b,   y = D⁻¹ z,   x = Pᵀ L⁻ᵀ y

Neighbouring columns of L with the same rows below them form a supernode: their entries are stored
as one dense block, column by column, so that a row number is read once per supernode instead of
once per entry, and inner loops run over contiguous memory. A solve is bound by the memory it reads;
four columns at a time keep it there.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Protocol

import numpy as np
from numba import types

from isodyn.kernels.compiled import F, FloatArray, I, IntArray, kernel

if TYPE_CHECKING:
    from collections.abc import Callable

    import numpy.typing as npt

    from isodyn.open_types import Matrix

I4 = types.int32[::1]


class SuperLU(Protocol):
    """Factors as SciPy gives them."""

    L: Matrix
    U: Matrix
    perm_r: npt.NDArray[np.int32]
    perm_c: npt.NDArray[np.int32]
    nnz: int
    solve: Callable[[FloatArray], FloatArray]


class Supernodal:
    """Solves with SuperLU's factors of a symmetric matrix that needed no row exchange: U = D Lᵀ is
    not kept."""

    def __init__(self, lu: SuperLU) -> None:
        L = lu.L
        L.sort_indices()
        self.permutation = lu.perm_c.astype(np.int64)
        self.inverse_pivots = 1.0 / lu.U.diagonal()
        indptr, indices = L.indptr.astype(np.int64), L.indices.astype(np.int32)
        self.first = supernodes(indptr, indices)
        self.row_start, self.block_start, self.rows, self.blocks = pack(self.first, indptr, indices, L.data)

        self.z, self.gathered = np.empty(L.shape[0]), np.empty(L.shape[0])

    def __call__(self, b: FloatArray) -> FloatArray:
        x = np.empty(b.size)
        factors = (self.first, self.row_start, self.block_start, self.rows, self.blocks, self.permutation)
        forward(*factors, np.ascontiguousarray(b), self.z, self.gathered)
        backward(*factors, self.inverse_pivots, self.z, self.gathered, x)
        return x


@kernel(I(I, I4), allocates=True)
def supernodes(indptr: IntArray, indices: IntArray) -> IntArray:
    """First columns of the supernodes, and n: column j joins j − 1 when it has the same rows
    below."""
    n = indptr.size - 1
    first = np.empty(n + 1, dtype=np.int64)
    count = 0
    for j in range(n):
        size = indptr[j + 1] - indptr[j]
        joins = j > 0 and indptr[j] - indptr[j - 1] == size + 1
        if joins:
            for k in range(size):
                if indices[indptr[j - 1] + 1 + k] != indices[indptr[j] + k]:
                    joins = False
                    break
        if not joins:
            first[count] = j
            count += 1
    first[count] = n
    return first[: count + 1].copy()


@kernel(types.Tuple((I, I, I4, F))(I, I, I4, F), allocates=True)
def pack(
    first: IntArray, indptr: IntArray, indices: IntArray, data: FloatArray
) -> tuple[IntArray, IntArray, Any, FloatArray]:
    """Starts of rows and blocks, row numbers below each supernode, and the blocks with their
    triangle on top."""
    count = first.size - 1
    row_start = np.zeros(count + 1, dtype=np.int64)
    block_start = np.zeros(count + 1, dtype=np.int64)
    for s in range(count):
        width, height = first[s + 1] - first[s], indptr[first[s] + 1] - indptr[first[s]]
        row_start[s + 1] = row_start[s] + height - width
        block_start[s + 1] = block_start[s] + width * height
    rows = np.empty(row_start[count], dtype=np.int32)
    blocks = np.zeros(block_start[count])
    for s in range(count):
        f, width = first[s], first[s + 1] - first[s]
        height = indptr[f + 1] - indptr[f]
        for i in range(width, height):
            rows[row_start[s] + i - width] = indices[indptr[f] + i]
        for j in range(width):
            start = block_start[s] + j * height
            for i in range(j, height):
                blocks[start + i] = data[indptr[f + j] + i - j]
    return row_start, block_start, rows, blocks


@kernel(types.void(I, I, I, I4, F, I, F, F, F))
def forward(
    first: IntArray,
    row_start: IntArray,
    block_start: IntArray,
    rows: npt.NDArray[np.int32],
    blocks: FloatArray,
    permutation: IntArray,
    b: FloatArray,
    x: FloatArray,
    y: FloatArray,
) -> None:
    """x = L⁻¹ P b; y is scratch."""
    for i in range(b.size):
        x[permutation[i]] = b[i]
    for s in range(first.size - 1):
        f, w, m = first[s], first[s + 1] - first[s], row_start[s + 1] - row_start[s]
        h = w + m
        B = blocks[block_start[s] : block_start[s + 1]]
        below = rows[row_start[s] : row_start[s + 1]]
        for j in range(w):
            for i in range(j + 1, w):
                x[f + i] -= B[j * h + i] * x[f + j]
        for i in range(m):
            y[i] = 0.0
        j = 0
        while j + 3 < w:
            x0, x1, x2, x3 = x[f + j], x[f + j + 1], x[f + j + 2], x[f + j + 3]
            b0, b1 = B[j * h + w : (j + 1) * h], B[(j + 1) * h + w : (j + 2) * h]
            b2, b3 = B[(j + 2) * h + w : (j + 3) * h], B[(j + 3) * h + w : (j + 4) * h]
            for i in range(m):
                y[i] += b0[i] * x0 + b1[i] * x1 + b2[i] * x2 + b3[i] * x3
            j += 4
        while j < w:
            x0, b0 = x[f + j], B[j * h + w : (j + 1) * h]
            for i in range(m):
                y[i] += b0[i] * x0
            j += 1
        for i in range(m):
            x[below[i]] -= y[i]


@kernel(types.void(I, I, I, I4, F, I, F, F, F, F))
def backward(
    first: IntArray,
    row_start: IntArray,
    block_start: IntArray,
    rows: npt.NDArray[np.int32],
    blocks: FloatArray,
    permutation: IntArray,
    inverse_pivots: FloatArray,
    x: FloatArray,
    y: FloatArray,
    out: FloatArray,
) -> None:
    """out = Pᵀ L⁻ᵀ D⁻¹ x; x is overwritten, y is scratch."""
    for i in range(x.size):
        x[i] *= inverse_pivots[i]
    for s in range(first.size - 2, -1, -1):
        f, w, m = first[s], first[s + 1] - first[s], row_start[s + 1] - row_start[s]
        h = w + m
        B = blocks[block_start[s] : block_start[s + 1]]
        below = rows[row_start[s] : row_start[s + 1]]
        for i in range(m):
            y[i] = x[below[i]]
        j = 0
        while j + 3 < w:
            b0, b1 = B[j * h + w : (j + 1) * h], B[(j + 1) * h + w : (j + 2) * h]
            b2, b3 = B[(j + 2) * h + w : (j + 3) * h], B[(j + 3) * h + w : (j + 4) * h]
            t0, t1, t2, t3 = 0.0, 0.0, 0.0, 0.0
            for i in range(m):
                t0 += b0[i] * y[i]
                t1 += b1[i] * y[i]
                t2 += b2[i] * y[i]
                t3 += b3[i] * y[i]
            x[f + j] -= t0
            x[f + j + 1] -= t1
            x[f + j + 2] -= t2
            x[f + j + 3] -= t3
            j += 4
        while j < w:
            b0, t0 = B[j * h + w : (j + 1) * h], 0.0
            for i in range(m):
                t0 += b0[i] * y[i]
            x[f + j] -= t0
            j += 1
        for j in range(w - 1, -1, -1):
            for i in range(j + 1, w):
                x[f + j] -= B[j * h + i] * x[f + i]
    for i in range(out.size):
        out[i] = x[permutation[i]]
