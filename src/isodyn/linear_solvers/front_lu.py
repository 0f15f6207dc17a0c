"""LU factors of a sparse matrix front by front: the multifrontal way to what
isodyn.linear_solvers.block_lu does node by node, with the same blocks and the same solves.

A front is one dense block of the unknowns that go now and of those that they touch,

    [ D  Y ]     D = Pᵀ L U,     Y ← L⁻¹P Y,     Z ← Z U⁻¹,     C ← C − Z Y.
    [ Z  C ]

It begins with entries of the matrix (D, Y, Z lie where they were filled in) and with what its
children left (their C, isodyn.linear_solvers.front_tree). Pivots are chosen among all unknowns of a
front, bodies and multipliers. Small fronts have unrolled loops; large products go to BLAS.
"""

from __future__ import annotations

from typing import Any

from isodyn.kernels.blas import subtract_by_blas
from isodyn.kernels.compiled import OK, SINGULAR, FloatArray, IntArray, kernel
from isodyn.kernels.lowering import by_address, natural
from isodyn.linear_solvers.block_lu import FACTOR, LOST, NOTHING, WEAK, measure_diagonal

PANEL = 8  # columns that are eliminated before the rest hears of it
LARGE = 60_000  # products from which on BLAS is faster


@kernel(fused=True)
def subtract_product(
    A: FloatArray, target: int, left: int, right: int, shape: tuple[int, int, int], strides: tuple[int, int, int]
) -> None:
    """Block at `target` −= block at `left` × block at `right`: four products at a time, in two
    rows."""
    rows, depth, columns = shape
    of_target, of_left, of_right = strides
    k = 0
    while k + 3 < depth:
        a = natural(right + k * of_right)
        b, c, d = natural(a + of_right), natural(a + 2 * of_right), natural(a + 3 * of_right)
        i = 0
        while i + 1 < rows:
            x, y = natural(target + i * of_target), natural(target + (i + 1) * of_target)
            p, q = natural(left + i * of_left + k), natural(left + (i + 1) * of_left + k)
            p0, p1, p2, p3 = A[p], A[p + 1], A[p + 2], A[p + 3]
            q0, q1, q2, q3 = A[q], A[q + 1], A[q + 2], A[q + 3]
            for j in range(columns):
                u0, u1, u2, u3 = A[a + j], A[b + j], A[c + j], A[d + j]
                A[x + j] -= p0 * u0 + p1 * u1 + p2 * u2 + p3 * u3
                A[y + j] -= q0 * u0 + q1 * u1 + q2 * u2 + q3 * u3
            i += 2
        if i < rows:
            x, p = natural(target + i * of_target), natural(left + i * of_left + k)
            p0, p1, p2, p3 = A[p], A[p + 1], A[p + 2], A[p + 3]
            for j in range(columns):
                A[x + j] -= p0 * A[a + j] + p1 * A[b + j] + p2 * A[c + j] + p3 * A[d + j]
        k += 4
    while k < depth:
        a = natural(right + k * of_right)
        for i in range(rows):
            x, p0 = natural(target + i * of_target), A[natural(left + i * of_left + k)]
            for j in range(columns):
                A[x + j] -= p0 * A[a + j]
        k += 1


# ---- what children left


@kernel()
def add_row(A: FloatArray, S: Any, at: int, places: int, first: int, last: int, target: int) -> None:
    """Entries first … last of a row at `at` into a row at `target`, at their places."""
    inside = S.in_parent
    for j in range(first, last):
        A[target + natural(inside[places + j])] += A[at + j]


@kernel()
def add_child(A: FloatArray, S: Any, node: Any, front: Any, child: Any, left: Any) -> None:
    """What a child left, into the front of its parent."""
    h, m, places = natural(child.width), natural(left.inside), natural(child.later)
    f, w = natural(node.size), natural(node.width)
    for i in range(h):
        place, row = natural(S.in_parent[places + i]), natural(left.kept + i * h)
        if i < m:
            add_row(A, S, row, places, 0, m, node.D + place * f)
            add_row(A, S, row, places, m, h, node.Y + place * w)
        else:
            add_row(A, S, row, places, 0, m, node.Z + place * f)
            add_row(A, S, row, places, m, h, front.made + place * w)


@kernel()
def collect(A: FloatArray, S: Any, node: Any, front: Any) -> None:
    """The front with what its children left."""
    made, w = natural(front.made), natural(node.width)
    for i in range(w * w):
        A[made + i] = 0.0
    child = front.first_child
    while child >= 0:
        left = S.fronts[child]
        add_child(A, S, node, front, S.nodes[child], left)
        child = left.sibling


@kernel()
def measure_bodies(A: FloatArray, S: Any, node: Any) -> None:
    """Unknowns of a body count together: what the largest of their pivots is made of."""
    made_of, k, end = natural(S.storage), natural(node.first), node.first + node.size
    while k < end:
        until, largest = S.until[k], 0.0
        for i in range(k, until):
            largest = max(largest, A[made_of + i])
        for i in range(k, until):
            A[made_of + i] = largest
        k = until


# ---- pivots


@kernel(inline=True, fused=True)
def made_here(A: FloatArray, D: int, f: int, row: int, k: int) -> float:
    """What the columns before k took from an entry of column k."""
    value = 0.0
    for i in range(k):
        value += A[D + row * f + i] * A[D + i * f + k]
    return abs(value)


@kernel(inline=True, fused=True)
def choose_pivot(A: FloatArray, S: Any, f: int, node: Any, k: int, drop: float, dependent: IntArray) -> int:
    """The row whose entry is the pivot of column k; −1: there is none."""
    D, base, made_of = natural(node.D), natural(node.first), natural(S.storage)
    columns, rows = natural(made_of + 3 * S.size + base), natural(made_of + 4 * S.size + base)
    put_aside = drop > 0.0 and S.unknown[base + k] >= S.velocities
    end = f if drop == 0.0 else natural(S.until[base + k]) - base
    row, largest = k, abs(A[D + k * f + k]) * A[rows + k]
    if not put_aside:
        for i in range(k + 1, end):
            size = abs(A[D + i * f + k]) * A[rows + i]
            if size > largest:
                row, largest = i, size
    scale = max(A[made_of + base + k] / A[columns + k], made_here(A, D, f, row, k) * A[rows + row])
    if put_aside:
        if not largest > drop * scale:
            dependent[S.unknown[base + k]] = 1
            A[D + k * f + k] = NOTHING
    elif not largest > LOST * scale:  # also true for NaN
        return -1
    elif largest < WEAK * scale:
        S.weak = 1
    return row


@kernel(inline=True)
def exchange(A: FloatArray, S: Any, f: int, node: Any, k: int, row: int) -> None:
    """Rows k and `row` of D and Y, and their sizes, in each other's place."""
    D, Y, w = natural(node.D), natural(node.Y), natural(node.width)
    rows = natural(S.storage + 4 * S.size + node.first)
    A[rows + k], A[rows + row] = A[rows + row], A[rows + k]
    for j in range(f):
        A[D + k * f + j], A[D + row * f + j] = A[D + row * f + j], A[D + k * f + j]
    for j in range(w):
        A[Y + k * w + j], A[Y + row * w + j] = A[Y + row * w + j], A[Y + k * w + j]


@kernel(inline=True, fused=True)
def measure_later(A: FloatArray, S: Any, f: int, node: Any) -> None:
    """What the pivots of later fronts are made of: what this one takes from their diagonals."""
    w, Y, Z, later = natural(node.width), natural(node.Y), natural(node.Z), natural(node.later)
    made_of, columns = natural(S.storage), natural(S.storage + 3 * S.size)
    for i in range(w):
        value = 0.0
        for k in range(f):
            value += A[Z + i * f + k] * A[Y + k * w + i]
        j = natural(S.later[later + i])
        A[made_of + j] = max(A[made_of + j], abs(value) * (A[columns + j] * A[columns + j]))


# ---- small fronts: loops of known lengths


@kernel(inline=True, fused=True)
def eliminate_small(
    A: FloatArray, S: Any, f: int, node: Any, made: int, pivots: IntArray, drop: float, dependent: IntArray
) -> int:
    """A front with few unknowns; the unknown without a pivot, or −1."""
    w, D, Y, Z, base = natural(node.width), natural(node.D), natural(node.Y), natural(node.Z), natural(node.first)
    for k in range(f):
        row = choose_pivot(A, S, f, node, k, drop, dependent)
        if row < 0:
            return int(S.unknown[base + k])
        pivots[base + k] = row
        if row != k:
            exchange(A, S, f, node, k, row)
        inverse = 1.0 / A[D + k * f + k]
        A[D + k * f + k] = inverse
        for i in range(k + 1, f):
            factor = A[D + i * f + k] * inverse
            A[D + i * f + k] = factor
            for j in range(k + 1, f):
                A[D + i * f + j] -= factor * A[D + k * f + j]
            for j in range(w):
                A[Y + i * w + j] -= factor * A[Y + k * w + j]
    for i in range(w):
        z = Z + i * f
        for k in range(f):
            value = A[z + k]
            for j in range(k):
                value -= A[z + j] * A[D + j * f + k]
            A[z + k] = value * A[D + k * f + k]
        t = made + i * w
        for j in range(w):
            value = A[t + j]
            for k in range(f):
                value -= A[z + k] * A[Y + k * w + j]
            A[t + j] = value
    measure_later(A, S, f, node)
    return -1


# ---- large fronts: panels of columns


@kernel(fused=True)
def eliminate_panel(
    A: FloatArray, S: Any, node: Any, first: int, end: int, pivots: IntArray, drop: float, dependent: IntArray
) -> int:
    """Columns first … end of D, and their rows of D and Y to the right; the column without a pivot,
    or −1."""
    f, w, D, Y = natural(node.size), natural(node.width), natural(node.D), natural(node.Y)
    for k in range(first, end):
        row = choose_pivot(A, S, f, node, k, drop, dependent)
        if row < 0:
            return int(k)
        pivots[node.first + k] = row
        if row != k:
            exchange(A, S, f, node, k, row)
        inverse = 1.0 / A[D + k * f + k]
        A[D + k * f + k] = inverse
        for i in range(k + 1, f):
            factor = A[D + i * f + k] * inverse
            A[D + i * f + k] = factor
            for j in range(k + 1, end):
                A[D + i * f + j] -= factor * A[D + k * f + j]
    for k in range(first + 1, end):
        for i in range(first, k):
            factor = A[D + k * f + i]
            for j in range(end, f):
                A[D + k * f + j] -= factor * A[D + i * f + j]
            for j in range(w):
                A[Y + k * w + j] -= factor * A[Y + i * w + j]
    return -1


@kernel(fused=True)
def divide_rows(A: FloatArray, node: Any) -> None:
    """Z ← Z U⁻¹."""
    f, w, D, Z = natural(node.size), natural(node.width), natural(node.D), natural(node.Z)
    for first in range(0, f, PANEL):
        end = min(first + PANEL, f)
        for i in range(w):
            z = Z + i * f
            for k in range(first, end):
                value = A[z + k]
                for j in range(first, k):
                    value -= A[z + j] * A[D + j * f + k]
                A[z + k] = value * A[D + k * f + k]
        shape = (w, end - first, f - end)
        subtract_product(A, Z + end, Z + first, D + first * f + end, shape, (f, f, f))


@kernel(fused=True)
def eliminate_large(
    A: FloatArray, S: Any, node: Any, made: int, pivots: IntArray, drop: float, dependent: IntArray
) -> int:
    """A front with many unknowns; the unknown without a pivot, or −1."""
    f, w, D, Y = natural(node.size), natural(node.width), natural(node.D), natural(node.Y)
    for first in range(0, f, PANEL):
        end = min(first + PANEL, f)
        lost = eliminate_panel(A, S, node, first, end, pivots, drop, dependent)
        if lost >= 0:
            return int(S.unknown[node.first + lost])
        left, depth = D + end * f + first, end - first
        subtract_product(A, D + end * f + end, left, D + first * f + end, (f - end, depth, f - end), (f, f, f))
        subtract_product(A, Y + end * w, left, Y + first * w, (f - end, depth, w), (w, f, w))
    divide_rows(A, node)
    if w * w * f > LARGE and S.gemm != 0:
        subtract_by_blas(S.gemm, A, made, node.Z, Y, (w, f, w), (w, f, w))
    else:
        subtract_product(A, made, node.Z, Y, (w, f, w), (w, f, w))
    measure_later(A, S, f, node)
    return -1


@kernel()
def eliminate_front(
    A: FloatArray, S: Any, node: Any, made: int, pivots: IntArray, drop: float, dependent: IntArray
) -> int:
    """D, Y, Z and C of a front in their places; the unknown without a pivot, or −1."""
    f = natural(node.size)
    if f == 1:
        return eliminate_small(A, S, 1, node, made, pivots, drop, dependent)
    if f == 3:
        return eliminate_small(A, S, 3, node, made, pivots, drop, dependent)
    if f == 4:
        return eliminate_small(A, S, 4, node, made, pivots, drop, dependent)
    if f == 6:
        return eliminate_small(A, S, 6, node, made, pivots, drop, dependent)
    return eliminate_large(A, S, node, made, pivots, drop, dependent)


@kernel(FACTOR, fused=True)
def front_factor(A: FloatArray, S: Any, second: int, drop: float, dependent: IntArray) -> int:
    """What `block_factor` of isodyn.linear_solvers.block_lu does, front by front."""
    pivots = S.pivots[second]
    S.weak = 0
    measure_diagonal(A, S)
    for p in range(len(S.nodes)):
        node, front = S.nodes[p], S.fronts[p]
        collect(A, S, node, front)
        measure_bodies(A, S, node)
        lost = eliminate_front(A, S, node, natural(front.made), pivots, drop, dependent)
        if lost >= 0:
            dependent[0] = lost
            return SINGULAR
        if front.kept != front.made:
            kept, made = natural(front.kept), natural(front.made)
            for i in range(node.width * node.width):
                A[kept + i] = A[made + i]
    return OK


factor_fronts = by_address(front_factor, FACTOR)
