"""How close the enforced rows of G come to depending on each other, watched inside the loop.

Columns are scaled by typical sizes D, rows to unit length; the pivots of the factorisation of Ĝ Ĝᵀ
with the largest one first are the squares of |R_kk| in Ĝᵀ P = Q R. With sparse matrices one more
solve with the factors of the step tells about as much, in the metric of J.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from numba import types

from isodyn.kernels.compiled import SPARSE, FloatArray, IntArray, f8, kernel
from isodyn.linear_solvers.choice import solve_two
from isodyn.stepping.memory import MEMORY, PHYSICS_REF, STATE, Memory, Physics, State

if TYPE_CHECKING:
    from isodyn.linear_solvers.block_pattern import BlockPattern


@kernel(types.void(PHYSICS_REF, f8, STATE, MEMORY), inner=True, apart=True)
def watch_rank(p: Physics, t: float, state: State, memory: Memory) -> None:
    """Keep the smallest pivot so far, and its time, of the last G that was formed."""
    sparse, n = p.traits & SPARSE, memory.x.size
    pivot = (
        smallest_of_blocks(memory.J, memory.blocks, memory.dp, memory.r_plus)
        if sparse
        else smallest_of_rows(memory.G, p.rows, memory.unknown_sizes, n, memory.J_S)
    )
    if pivot < state.nearest:
        state.nearest = pivot
        state.nearest_at = t


@kernel()
def unit_gram(G: FloatArray, rows: IntArray, sizes: FloatArray, n: int, gram: FloatArray) -> bool:
    """Products of the rows of G D (flat), scaled to unit length, into `gram`; False if a row is
    zero."""
    m = rows.size
    for i in range(m):
        for j in range(i + 1):
            product = 0.0
            for k in range(n):
                product += (G[rows[i] * n + k] * sizes[k]) * (G[rows[j] * n + k] * sizes[k])
            gram[i * m + j] = product
    for i in range(m):
        if not gram[i * m + i] > 0.0:
            return False
        gram[i * m + i] = np.sqrt(gram[i * m + i])
    for i in range(m):
        for j in range(i):
            gram[i * m + j] /= gram[i * m + i] * gram[j * m + j]
            gram[j * m + i] = gram[i * m + j]
    for i in range(m):
        gram[i * m + i] = 1.0
    return True


@kernel()
def largest_pivot(gram: FloatArray, m: int) -> int:
    """Number of the row with the largest pivot of those that are left; −1 if there is none."""
    best = -1
    for i in range(m):
        if gram[i * m + i] >= 0.0 and (best < 0 or gram[i * m + i] > gram[best * m + best]):
            best = i
    return best


@kernel()
def eliminate_row(gram: FloatArray, m: int, best: int, pivot: float) -> None:
    """Take row `best` out of the others; its pivot becomes −1, which marks it as taken."""
    gram[best * m + best] = -1.0
    for i in range(m):
        if gram[i * m + i] >= 0.0:
            factor = gram[i * m + best] / pivot
            for j in range(m):
                if j != i:
                    gram[i * m + j] -= factor * gram[best * m + j]
            gram[i * m + i] = max(0.0, gram[i * m + i] - factor * gram[best * m + i])


@kernel()
def smallest_of_rows(G: FloatArray, rows: IntArray, sizes: FloatArray, n: int, gram: FloatArray) -> float:
    """The smallest |R_kk| of these rows of G D (flat); `gram` is memory for the products of unit
    rows."""
    m, smallest = rows.size, 1.0
    if not unit_gram(G, rows, sizes, n, gram):
        return 0.0
    for _ in range(m):
        best = largest_pivot(gram, m)
        pivot = gram[best * m + best] if best >= 0 else 0.0
        if pivot == 0.0:
            return 0.0
        smallest = min(smallest, pivot)
        eliminate_row(gram, m, best, pivot)
    return np.sqrt(smallest)


@kernel()
def smallest_of_blocks(A: FloatArray, S: BlockPattern, x: FloatArray, y: FloatArray) -> float:
    """About the smallest singular value of unit rows, from the factors that `block_factor` left in
    A; x and y are memory for solutions.

    With D² what the pivots of the multipliers were made of, |D (G J⁻¹Gᵀ)⁻¹D r| ≈ |r|/σ² for an r
    that has a part in all directions.
    """
    n, made_of, unknown = S.velocities, S.storage, S.unknown
    sizes, length, sizes_at = 0.0, 0.0, S.storage + 3 * S.size
    for k in range(S.size):
        i = unknown[k]
        r = (1.0 + ((7 * i) % 5) / 5.0 if i % 2 == 0 else -1.0) if i >= n else 0.0
        sizes += r * r
        x[i] = r * np.sqrt(A[made_of + k]) / A[sizes_at + k]
    solve_two(A, S, 0, x, y)
    for k in range(S.size):
        if unknown[k] >= n:
            part = x[unknown[k]] / A[sizes_at + k]
            length += A[made_of + k] * part * part
    return np.sqrt(np.sqrt(sizes / length)) if length > sizes else 1.0
