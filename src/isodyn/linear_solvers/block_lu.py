"""LU factors of a sparse matrix of blocks with a fixed pattern, made again and again inside
compiled code.

Unknowns come in nodes (the velocities of a body, the multipliers of a joint). With node p
eliminated after the ones before it,

    A_pp = Pᵀ L U  (partial pivoting inside the node),     Y = L⁻¹P A_ps,     Z = A_sp U⁻¹,     A_ss ← A_ss − Z Y

over the later nodes s that touch p. Where the entries lie is worked out once
(isodyn.linear_solvers.blocks) and kept in a `BlockPattern`; numbers lie in one array of
floats: the blocks, what each pivot was made of, room for two right-hand sides and sizes in the
order of elimination, in which the unknowns of a node are neighbours. Two are solved for at a time:
a step has two to solve for, and the second costs little. A row of multipliers has no pivot of its
own: it comes after the bodies that it joins, and its pivot is what is left of −G J⁻¹Gᵀ. A pivot
that is only rounding of what it was made of counts as zero. Both are compared, and pivots chosen,
in units of typical sizes of unknowns and equations (isodyn.systems.scales).
"""

from __future__ import annotations

import numpy as np
from numba import types

from isodyn.kernels.compiled import OK, SINGULAR, F, FloatArray, I, IntArray, f8, i8, kernel
from isodyn.kernels.lowering import by_address, natural
from isodyn.kernels.struct_types import StructType
from isodyn.linear_solvers.block_pattern import BlockNode, BlockPattern

PATTERN = StructType(BlockPattern)
FACTOR, SOLVE = i8(F, PATTERN, i8, f8, I), types.void(F, PATTERN, i8, F, F)
LOST = 64.0 * float(
    np.finfo(np.float64).eps
)  # what is left of a pivot below this part of what it was made of is rounding …
WEAK = 1e-9  # … and below this part, solutions are refined
NOTHING = 1e300


@kernel()
def fill_blocks(
    J: FloatArray, G: FloatArray, soft: FloatArray, sizes: FloatArray, S: BlockPattern, A: FloatArray
) -> None:
    """A = [J Gᵀ; G −ε] in its blocks, from the values of J and G in their patterns; sizes of
    unknowns and equations behind them."""
    size, storage, n = natural(S.size), natural(S.storage), natural(S.velocities)
    places, lower, upper, unknown, diagonal = S.J, S.G, S.GT, S.unknown, S.diagonal
    for i in range(storage):
        A[i] = 0.0
    for i in range(places.size):
        A[natural(places[i])] += J[i]
    for i in range(lower.size):
        if lower[i] >= 0:
            A[natural(lower[i])] = G[i]
            A[natural(upper[i])] = G[i]
    for i in range(size - n):
        if soft[i] > 0.0:
            A[natural(diagonal[natural(n + i)])] = -soft[i]
    columns, rows = natural(storage + 3 * size), natural(storage + 4 * size)
    for i in range(size):
        unit = sizes[natural(unknown[i])]
        A[natural(columns + i)], A[natural(rows + i)] = unit, unit


@kernel()
def fill_lower(G: FloatArray, S: BlockPattern, A: FloatArray) -> None:
    """Another G into the lower rows of A alone."""
    places = S.G
    for i in range(places.size):
        if places[i] >= 0:
            A[natural(places[i])] = G[i]


@kernel()
def size_of_blocks(J: FloatArray, sizes: FloatArray, S: BlockPattern) -> float:
    """Largest entry of D J D, from the values of J in their pattern."""
    largest = 0.0
    starts, columns = S.J_starts, S.J_columns
    for i in range(S.velocities):
        for k in range(starts[i], starts[i + 1]):
            largest = max(largest, abs(J[k]) * (sizes[i] * sizes[columns[k]]))
    return largest


@kernel(inline=True, fused=True)
def find_pivot(A: FloatArray, f: int, k: int, D: int, rows: int) -> int:
    """Row of a node with the largest entry of column k, from row k on, in units of the rows."""
    row, largest = k, abs(A[D + k * f + k]) * A[rows + k]
    for i in range(k + 1, f):
        if abs(A[D + i * f + k]) * A[rows + i] > largest:
            row, largest = i, abs(A[D + i * f + k]) * A[rows + i]
    return row


@kernel(inline=True, fused=True)
def swap_rows(A: FloatArray, f: int, w: int, k: int, row: int, D: int, Y: int, rows: int) -> None:
    """Exchange two rows of a node, in its own block and in those of later nodes."""
    A[rows + k], A[rows + row] = A[rows + row], A[rows + k]
    for j in range(f):
        A[D + k * f + j], A[D + row * f + j] = A[D + row * f + j], A[D + k * f + j]
    for j in range(w):
        A[Y + k * w + j], A[Y + row * w + j] = A[Y + row * w + j], A[Y + k * w + j]


@kernel(inline=True, fused=True)
def eliminate_column(A: FloatArray, f: int, w: int, k: int, D: int, Y: int) -> None:
    """Take row k out of the rows below it; the inverse of the pivot in its place."""
    inverse = 1.0 / A[D + k * f + k]
    A[D + k * f + k] = inverse
    for i in range(k + 1, f):
        factor = A[D + i * f + k] * inverse
        A[D + i * f + k] = factor
        if factor != 0.0:
            for j in range(k + 1, f):
                A[D + i * f + j] -= factor * A[D + k * f + j]
            for j in range(w):
                A[Y + i * w + j] -= factor * A[Y + k * w + j]


@kernel(inline=True, fused=True)
def divide_later(A: FloatArray, S: BlockPattern, f: int, node: BlockNode, made_of: int, columns: int) -> None:
    """Z = A_sp U⁻¹ of the later unknowns, and what their pivots are made of."""
    w, D, Y, Z = natural(node.width), natural(node.D), natural(node.Y), natural(node.Z)
    later, positions = natural(node.later), S.later
    for i in range(w):
        z = natural(Z + i * f)
        for k in range(f):
            value = A[z + k]
            for j in range(k):
                value -= A[z + j] * A[D + j * f + k]
            A[z + k] = value * A[D + k * f + k]
        value = 0.0
        for k in range(f):
            value += A[z + k] * A[Y + k * w + i]
        j = natural(positions[later + i])
        size, made = A[natural(columns + j)], natural(made_of + j)
        A[made] = max(A[made], abs(value) * (size * size))


@kernel(inline=True, fused=True)
def update_later(A: FloatArray, S: BlockPattern, f: int, node: BlockNode) -> None:
    """A_ss − Z Y of the later nodes that a node touches."""
    w, Y, Z = natural(node.width), natural(node.Y), natural(node.Z)
    for u in range(node.first_update, node.first_update + node.updates):
        update = S.updates[u]
        a, n_a, b, n_b = natural(update.a), natural(update.rows), natural(update.b), natural(update.columns)
        target, stride = natural(update.target), natural(update.stride)
        for i in range(n_a):
            z, t = natural(Z + (a + i) * f), natural(target + i * stride)
            for j in range(n_b):
                y, goal = natural(Y + b + j), natural(t + j)
                value = A[goal]
                for k in range(f):
                    value -= A[z + k] * A[natural(y + k * w)]
                A[goal] = value


@kernel(inline=True, fused=True)
def eliminate_node(
    A: FloatArray, S: BlockPattern, f: int, node: BlockNode, pivots: IntArray, drop: float, dependent: IntArray
) -> int:
    """D, Y and Z of a node with f unknowns in their places, and A_ss − Z Y of those that it
    touches; the unknown without a pivot, or −1."""
    w, D, Y = natural(node.width), natural(node.D), natural(node.Y)
    base, made_of, n = natural(node.first), natural(S.storage), natural(S.size)
    own, columns = natural(made_of + base), natural(made_of + 3 * n)
    units, rows = natural(columns + base), natural(columns + n + base)
    put_aside = drop > 0.0 and node.multipliers == 1
    block = 0.0  # multipliers count one by one, unknowns of a body together
    if node.multipliers == 0:
        for k in range(f):
            block = max(block, A[own + k])
    for k in range(f):
        row = k
        if not put_aside:
            row = natural(find_pivot(A, f, k, D, rows))
        largest = abs(A[D + row * f + k]) * A[rows + row]
        scale = max(block, A[own + k]) / A[units + k]
        if put_aside:
            if not largest > drop * scale:
                dependent[S.unknown[base + k]] = 1
                A[D + k * f + k] = NOTHING
        elif not largest > LOST * scale:  # also true for NaN
            return S.unknown[base + k]
        elif largest < WEAK * scale:
            S.weak = 1
        pivots[base + k] = row
        if row != k:
            swap_rows(A, f, w, k, row, D, Y, rows)
        eliminate_column(A, f, w, k, D, Y)
    divide_later(A, S, f, node, made_of, columns)
    update_later(A, S, f, node)
    return -1


@kernel()
def measure_diagonal(A: FloatArray, S: BlockPattern) -> None:
    """What the pivots are made of to begin with: the diagonal, in units of typical sizes."""
    n, made_of, diagonal, unknown = natural(S.size), natural(S.storage), S.diagonal, S.unknown
    columns = natural(made_of + 3 * n)
    for k in range(n):
        size = A[natural(columns + k)]
        A[natural(made_of + k)] = abs(A[natural(diagonal[natural(unknown[k])])]) * (size * size)


@kernel(FACTOR, fused=True, loops="unrolled")
def block_factor(A: FloatArray, S: BlockPattern, second: int, drop: float, dependent: IntArray) -> int:
    """Overwrite A by its factors; SINGULAR leaves the failing unknown in dependent[0].

    S.weak = 1 afterwards where a pivot is only a small rest of what it was made of: growth, and
    solutions to be refined. With drop > 0, multipliers whose pivot falls below that part of what it
    was made of are put aside instead: dependent[k] = 1 for unknown k, and the factors are those of
    the others.
    """
    pivots = S.pivots[second]
    S.weak = 0
    measure_diagonal(A, S)
    for p in range(len(S.nodes)):
        node = S.nodes[p]
        f = natural(node.size)
        if f == 2:  # loops of a known length are unrolled
            lost = eliminate_node(A, S, 2, node, pivots, drop, dependent)
        elif f == 3:
            lost = eliminate_node(A, S, 3, node, pivots, drop, dependent)
        elif f == 4:
            lost = eliminate_node(A, S, 4, node, pivots, drop, dependent)
        elif f == 5:
            lost = eliminate_node(A, S, 5, node, pivots, drop, dependent)
        elif f == 6:
            lost = eliminate_node(A, S, 6, node, pivots, drop, dependent)
        else:
            lost = eliminate_node(A, S, f, node, pivots, drop, dependent)
        if lost >= 0:
            dependent[0] = lost
            return SINGULAR
    return OK


@kernel(inline=True, fused=True)
def forward(A: FloatArray, S: BlockPattern, f: int, node: BlockNode, pivots: IntArray, first: int) -> None:
    """L⁻¹P of a node with f unknowns on both right-hand sides, and what the later ones lose by
    it."""
    w, D, Z = natural(node.width), natural(node.D), natural(node.Z)
    base, later, positions = natural(node.first), natural(node.later), S.later
    u = natural(first + 2 * base)
    for k in range(f):
        row = natural(pivots[base + k])
        if row != k:
            j = natural(u + 2 * row)
            A[u + 2 * k], A[j] = A[j], A[u + 2 * k]
            A[u + 2 * k + 1], A[j + 1] = A[j + 1], A[u + 2 * k + 1]
    for k in range(1, f):
        one, two = A[u + 2 * k], A[u + 2 * k + 1]
        for i in range(k):
            one -= A[D + k * f + i] * A[u + 2 * i]
            two -= A[D + k * f + i] * A[u + 2 * i + 1]
        A[u + 2 * k], A[u + 2 * k + 1] = one, two
    for i in range(w):
        z, j = natural(Z + i * f), natural(first + 2 * natural(positions[later + i]))
        one, two = A[j], A[j + 1]
        for k in range(f):
            one -= A[z + k] * A[u + 2 * k]
            two -= A[z + k] * A[u + 2 * k + 1]
        A[j], A[j + 1] = one, two


@kernel(inline=True, fused=True)
def backward(A: FloatArray, S: BlockPattern, f: int, node: BlockNode, first: int) -> None:
    """The unknowns of a node with f of them on both right-hand sides, when the later ones are
    known."""
    w, D, Y = natural(node.width), natural(node.D), natural(node.Y)
    base, later, positions = natural(node.first), natural(node.later), S.later
    u = natural(first + 2 * base)
    for k in range(f):
        y = natural(Y + k * w)
        one, two = A[u + 2 * k], A[u + 2 * k + 1]
        for j in range(w):
            x = natural(first + 2 * natural(positions[later + j]))
            one -= A[y + j] * A[x]
            two -= A[y + j] * A[x + 1]
        A[u + 2 * k], A[u + 2 * k + 1] = one, two
    for k in range(f - 1, -1, -1):
        one, two = A[u + 2 * k], A[u + 2 * k + 1]
        for j in range(k + 1, f):
            one -= A[D + k * f + j] * A[u + 2 * j]
            two -= A[D + k * f + j] * A[u + 2 * j + 1]
        A[u + 2 * k], A[u + 2 * k + 1] = one * A[D + k * f + k], two * A[D + k * f + k]


@kernel(inline=True, fused=True)
def forward_node(A: FloatArray, S: BlockPattern, node: BlockNode, pivots: IntArray, first: int) -> None:
    """`forward` of a node, unrolled for the sizes that bodies and joints have."""
    f = natural(node.size)
    if f == 2:
        forward(A, S, 2, node, pivots, first)
    elif f == 3:
        forward(A, S, 3, node, pivots, first)
    elif f == 4:
        forward(A, S, 4, node, pivots, first)
    elif f == 5:
        forward(A, S, 5, node, pivots, first)
    elif f == 6:
        forward(A, S, 6, node, pivots, first)
    else:
        forward(A, S, f, node, pivots, first)


@kernel(inline=True, fused=True)
def backward_node(A: FloatArray, S: BlockPattern, node: BlockNode, first: int) -> None:
    """`backward` of a node, likewise."""
    f = natural(node.size)
    if f == 2:
        backward(A, S, 2, node, first)
    elif f == 3:
        backward(A, S, 3, node, first)
    elif f == 4:
        backward(A, S, 4, node, first)
    elif f == 5:
        backward(A, S, 5, node, first)
    elif f == 6:
        backward(A, S, 6, node, first)
    else:
        backward(A, S, f, node, first)


@kernel(SOLVE, fused=True, loops="unrolled")
def block_solve(A: FloatArray, S: BlockPattern, second: int, x: FloatArray, y: FloatArray) -> None:
    """Overwrite x and y by their solutions, with the factors that `block_factor` left in A."""
    unknown, n = S.unknown, natural(S.size)
    pivots, first = S.pivots[second], natural(S.storage + n)
    for i in range(n):
        k, place = natural(unknown[i]), natural(first + 2 * i)
        A[place], A[place + 1] = x[k], y[k]
    for p in range(len(S.nodes)):
        forward_node(A, S, S.nodes[p], pivots, first)
    for p in range(len(S.nodes) - 1, -1, -1):
        backward_node(A, S, S.nodes[p], first)
    for i in range(n):
        k, place = natural(unknown[i]), natural(first + 2 * i)
        x[k], y[k] = A[place], A[place + 1]


factor_blocks, solve_blocks = by_address(block_factor, FACTOR), by_address(block_solve, SOLVE)
"""The same as other kernels call them: unrolled, they are too large to be compiled into each."""


@kernel()
def subtract_product(J: FloatArray, S: BlockPattern, x: FloatArray, out: FloatArray) -> None:
    """out −= J x with the values of J in its pattern."""
    starts, columns = S.J_starts, S.J_columns
    for i in range(S.velocities):
        for k in range(starts[i], starts[i + 1]):
            out[i] -= J[k] * x[columns[k]]


@kernel()
def add_lower(G: FloatArray, S: BlockPattern, rows: int, x: FloatArray, out: FloatArray) -> None:
    """out += G x in the places of its first rows, with the values in their pattern."""
    starts, columns = S.G_starts, S.G_columns
    for r in range(rows):
        place = S.places[r]
        if place >= 0:
            total = 0.0
            for k in range(natural(starts[r]), starts[r + 1]):
                total += G[k] * x[natural(columns[k])]
            out[place] += total


@kernel()
def add_upper(G: FloatArray, S: BlockPattern, mu: FloatArray, out: FloatArray) -> None:
    """out += Gᵀμ of the enforced rows, with the values of G in their pattern."""
    starts, columns = S.G_starts, S.G_columns
    for r in range(S.places.size):
        if S.places[r] >= 0:
            for k in range(natural(starts[r]), starts[r + 1]):
                out[natural(columns[k])] += G[k] * mu[r]


@kernel()
def subtract_blocks(
    J: FloatArray, G: FloatArray, lower: FloatArray, soft: FloatArray, S: BlockPattern, x: FloatArray, out: FloatArray
) -> None:
    """out −= [J Gᵀ; lower −ε] x, with the values in their patterns."""
    subtract_product(J, S, x, out)
    starts, columns = S.G_starts, S.G_columns
    for i in range(S.velocities, S.size):
        out[i] += soft[i - S.velocities] * x[i]
    for r in range(S.places.size):
        place = S.places[r]
        if place >= 0:
            for k in range(starts[r], starts[r + 1]):
                column = columns[k]
                out[column] -= G[k] * x[place]
                out[place] -= lower[k] * x[column]
