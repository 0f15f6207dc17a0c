"""Matrices of a step of Radau IIA in their sparse patterns (isodyn.stepping.radau_matrix has the full
ones), for mechanisms, chains and beams of many bodies.

    [ M + gC + g²K   Gᵀ ]
    [ G + gH         0  ],        g = h/γ₁ and h/γ̄₂

J and G keep the patterns of the model, and H has that of G. Of the complex matrix every entry a + ib
becomes the block [a −b; b a], so that the real LU of blocks factorises it too: nodes are twice as
large, and their order is the same. H comes from differences along several coordinates at once, no two
of which meet in a row.
"""

from __future__ import annotations

from itertools import pairwise

import numpy as np

from isodyn.kernels.compiled import CONSTRAINT, OK, SINGULAR, VELOCITY, FloatArray, IntArray, f8, i8, kernel
from isodyn.kernels.lowering import natural
from isodyn.kernels.struct import Struct, one, reals
from isodyn.kernels.struct_types import StructType, opened, struct_at
from isodyn.linear_solvers.block_lu import fill_blocks, fill_lower
from isodyn.linear_solvers.block_pattern import BlockPattern
from isodyn.linear_solvers.blocks import Sparsity, storage_of
from isodyn.linear_solvers.choice import factor, pattern_for, solve_two
from isodyn.stepping.closure import copy_to, fill_with, measure, retract
from isodyn.stepping.memory import COUNTERS, MEMORY, PHYSICS_REF, STATE, Counters, Memory, Physics, State
from isodyn.stepping.radau_memory import GAMMA, GAMMA_IM, GAMMA_RE, Collocation
from isodyn.stepping.radau_questions import SMALL, STEP, ask, ask_for

COLLOCATION = StructType(Collocation)


class StageMatrix(Struct):
    """One of the two matrices: its values, its factors, and a right-hand side."""

    blocks = one(BlockPattern)
    J, upper, lower = reals("block_J"), reals("block_G"), reals("block_G")
    soft, units = reals("block_unknowns"), reals("block_unknowns")
    A = reals("storage")
    x, nothing = reals("block_unknowns"), reals("block_unknowns")


def stage_matrix(pattern: Sparsity, chosen: IntArray, sizes: FloatArray) -> StageMatrix:
    """Memory for the matrix with these rows of G."""
    packed = pattern_for(pattern, chosen, patient=True)
    found = StageMatrix(storage=storage_of(packed), **packed.sizes)
    found.blocks.copy_from(packed)
    found.units = sizes
    return found


def doubled(pattern: Sparsity) -> Sparsity:
    """The pattern of a matrix in which every entry is a block of two by two.

    >>> one = np.array([0, 1])
    >>> doubled(Sparsity(one, np.array([0]), one, np.array([0]), one, one)).J_columns.tolist()
    [0, 1, 0, 1]
    """

    def rows(starts: IntArray, columns: IntArray) -> tuple[IntArray, IntArray]:
        lengths = np.diff(starts)
        pairs = [np.repeat(2 * columns[begin:end], 2) + np.tile([0, 1], end - begin) for begin, end in pairwise(starts)]
        twice = [pair for pair in pairs for _ in range(2)]
        return (
            np.concatenate([[0], np.cumsum(np.repeat(2 * lengths, 2))]).astype(np.int64),
            np.concatenate([*twice, np.zeros(0, dtype=np.int64)]).astype(np.int64),
        )

    return Sparsity(
        *rows(pattern.J_starts, pattern.J_columns),
        *rows(pattern.G_starts, pattern.G_columns),
        2 * pattern.bodies,
        2 * pattern.joints,
    )


def doubled_rows(chosen: IntArray) -> IntArray:
    """Rows of G in the doubled pattern."""
    return (np.repeat(2 * chosen, 2) + np.tile([0, 1], chosen.size)).astype(np.int64)


def colours_of(pattern: Sparsity) -> IntArray:
    """A number for each column of G, such that no two columns of one number meet in a row.

    >>> lines, one = np.array([0, 1, 2, 3]), np.array([0])
    >>> rows = np.array([0, 2, 4]), np.array([0, 1, 1, 2])
    >>> colours_of(Sparsity(lines, np.arange(3), *rows, lines, np.arange(3))).tolist()
    [0, 1, 0]
    """
    rows = [pattern.G_columns[a:b] for a, b in pairwise(pattern.G_starts)]
    taken: list[set[int]] = [set() for _ in rows]  # colours in each row
    touched: list[list[int]] = [[] for _ in range(pattern.n)]
    for r, columns in enumerate(rows):
        for j in columns:
            touched[j].append(r)
    found = np.zeros(pattern.n, dtype=np.int64)
    for j, own in enumerate(touched):
        used = set().union(*(taken[r] for r in own)) if own else set()
        found[j] = next(k for k in range(len(used) + 1) if k not in used)
        for r in own:
            taken[r].add(int(found[j]))
    return found


@kernel()
def rows_by_q(p: Physics, t: float, own: Collocation, memory: Memory) -> int:
    """H = ∂(φ̇, ψ)/∂q in the pattern of G, by differences."""
    S = opened(StageMatrix, struct_at(own.real_matrix)).blocks
    n, status = natural(memory.v.size), ask(p, VELOCITY, t, own, memory, memory.gap_v)
    near = STEP * max(SMALL, measure(memory.q, memory.by_q))
    copy_to(memory.q, own.moved)
    for colour in range(own.colours):
        fill_with(memory.d, 0.0)
        for j in range(n):
            if own.colour[j] == colour:
                memory.d[j] = near / memory.by_v[j]
        if status == OK:
            status = retract(p, own.moved, memory.d, own.c, memory.q)
        if status == OK:
            status = ask(p, VELOCITY, t, own, memory, own.gap_plus)
        copy_to(own.moved, memory.q)
        if status != OK:
            return status
        for row in range(memory.lam.size):
            for k in range(S.G_starts[row], S.G_starts[row + 1]):
                j = S.G_columns[k]
                if own.colour[j] == colour:
                    own.H[k] = (own.gap_plus[row] - memory.gap_v[row]) / memory.d[j]
    return status


@kernel(i8(PHYSICS_REF, COLLOCATION, f8, f8, STATE, MEMORY, COUNTERS), inner=True, apart=True)
def derive_sparse(
    p: Physics, own: Collocation, t: float, h: float, state: State, memory: Memory, counters: Counters
) -> int:
    """All derivatives at the state, in their patterns."""
    copy_to(state.q, memory.q)
    copy_to(state.v, memory.v)
    copy_to(state.a, memory.a)
    copy_to(state.lam, memory.lam)
    status = ask_for(p, 0, t, own, memory, own.M)
    status = max(status, ask_for(p, 1, t, own, memory, own.C))
    status = max(status, ask_for(p, 2, t, own, memory, own.K))
    if status == OK and state.lam.size > 0:
        status = ask(p, CONSTRAINT, t, own, memory, own.G)
        if status == OK:
            status = rows_by_q(p, t, own, memory)
    return status


@kernel()
def fill_real(own: Collocation, g: float, real: StageMatrix) -> None:
    """Values of the matrix for a real g."""
    square = g * g
    for k in range(real.J.size):
        real.J[k] = own.M[k] + g * own.C[k] + square * own.K[k]
    for k in range(real.upper.size):
        real.upper[k], real.lower[k] = own.G[k], own.G[k] + g * own.H[k]


@kernel()
def put_pair(values: FloatArray, begin: int, length: int, k: int, re: float, im: float) -> None:
    """The block of entry k of a row that begins there and has so many entries."""
    first = 4 * begin + 2 * k
    second = first + 2 * length
    values[first], values[first + 1], values[second], values[second + 1] = re, -im, im, re


@kernel()
def fill_complex(own: Collocation, g: float, g_im: float, real: StageMatrix, pair: StageMatrix) -> None:
    """Values of the matrix for g + i g_im, in pairs."""
    S, square, square_im = real.blocks, g * g - g_im * g_im, 2.0 * g * g_im
    for i in range(S.velocities):
        begin = S.J_starts[i]
        length = S.J_starts[i + 1] - begin
        for k in range(length):
            M, C, K = own.M[begin + k], own.C[begin + k], own.K[begin + k]
            put_pair(pair.J, begin, length, k, M + g * C + square * K, g_im * C + square_im * K)
    for row in range(S.places.size):
        begin = S.G_starts[row]
        length = S.G_starts[row + 1] - begin
        for k in range(length):
            G, H = own.G[begin + k], own.H[begin + k]
            put_pair(pair.upper, begin, length, k, G, 0.0)
            put_pair(pair.lower, begin, length, k, G + g * H, g_im * H)


@kernel()
def factorise_matrix(matrix: StageMatrix, memory: Memory) -> int:
    """Factors of a matrix whose values are known."""
    fill_blocks(matrix.J, matrix.upper, matrix.soft, matrix.units, matrix.blocks, matrix.A)
    fill_lower(matrix.lower, matrix.blocks, matrix.A)
    return int(factor(matrix.A, matrix.blocks, 0, 0.0, matrix.blocks.fault))


@kernel(i8(PHYSICS_REF, COLLOCATION, f8, MEMORY, COUNTERS), inner=True, apart=True)
def factorise_sparse(p: Physics, own: Collocation, h: float, memory: Memory, counters: Counters) -> int:
    """Factors of both matrices for steps of h; memory.fault tells the unknown without a pivot."""
    real, pair = opened(StageMatrix, struct_at(own.real_matrix)), opened(StageMatrix, struct_at(own.pair_matrix))
    length = GAMMA_RE * GAMMA_RE + GAMMA_IM * GAMMA_IM
    own.factors_for = np.nan
    counters.factorisations += 2
    fill_real(own, h / GAMMA, real)
    status, unknown = factorise_matrix(real, memory), real.blocks.fault[0]
    if status == OK:
        fill_complex(own, h * GAMMA_RE / length, h * GAMMA_IM / length, real, pair)
        status, unknown = factorise_matrix(pair, memory), pair.blocks.fault[0] // 2
    if status == SINGULAR:
        memory.fault[0] = unknown
    if status == OK:
        own.factors_for = h
        own.enforced = p.rows.size
        for k in range(p.rows.size):
            own.rows[k] = p.rows[k]
    return status


@kernel()
def solve_real(own: Collocation, x: FloatArray) -> None:
    """x ← solution with the real matrix."""
    real = opened(StageMatrix, struct_at(own.real_matrix))
    copy_to(x, real.x)
    solve_two(real.A, real.blocks, 0, real.x, real.nothing)
    copy_to(real.x, x)


@kernel()
def solve_complex(own: Collocation, x_re: FloatArray, x_im: FloatArray) -> None:
    """x ← solution with the complex matrix."""
    pair = opened(StageMatrix, struct_at(own.pair_matrix))
    for i in range(x_re.size):
        pair.x[2 * i], pair.x[2 * i + 1] = x_re[i], x_im[i]
    solve_two(pair.A, pair.blocks, 0, pair.x, pair.nothing)
    for i in range(x_re.size):
        x_re[i], x_im[i] = pair.x[2 * i], pair.x[2 * i + 1]


@kernel()
def products(p: Physics, own: Collocation, g: float, along: FloatArray, turned: FloatArray, x: FloatArray) -> None:
    """x = (g (M turned − g K along), −g H along)."""
    S, n = opened(StageMatrix, struct_at(own.real_matrix)).blocks, natural(own.v_0.size)
    for i in range(n):
        total = 0.0
        for k in range(S.J_starts[i], S.J_starts[i + 1]):
            j = S.J_columns[k]
            total += own.M[k] * turned[j] - g * own.K[k] * along[j]
        x[i] = g * total
    for i in range(p.rows.size):
        row, total = p.rows[i], 0.0
        for k in range(S.G_starts[row], S.G_starts[row + 1]):
            total -= g * own.H[k] * along[S.G_columns[k]]
        x[n + i] = total
