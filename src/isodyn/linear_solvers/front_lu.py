"""LU factors of a sparse matrix front by front: the multifrontal way to what
isodyn.linear_solvers.block_lu does node by node.

A front is one dense block of the unknowns that go now and of those that they touch,

    [ D  Y ]     D = Pᵀ L U,     Y ← L⁻¹P Y,     Z ← Z U⁻¹,     C ← C − Z Y.
    [ Z  C ]

D and Y lie side by side, row by row; Z is stored as its transpose, so that all loops run along
rows. A front begins with entries of the matrix (D, Y, Z lie where they were filled in) and with
what its children left (their C, isodyn.linear_solvers.front_tree). Pivots are chosen among all
unknowns of a front, bodies and multipliers. Small fronts have unrolled loops; large products go to
BLAS.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from isodyn.kernels.blas import subtract_by_blas
from isodyn.kernels.compiled import OK, SINGULAR, FloatArray, IntArray, kernel
from isodyn.kernels.lowering import by_address, natural
from isodyn.linear_solvers.block_lu import FACTOR, LOST, NOTHING, WEAK, measure_diagonal

if TYPE_CHECKING:
    from isodyn.linear_solvers.block_pattern import BlockNode, BlockPattern, Front

PANEL = 8  # columns of a front that are eliminated before the rest hears of it, …
FEW = 12  # … unless there are no more than these
LARGE = 30_000  # products from which on BLAS is faster


@kernel(fused=True)
def subtract_product(
    A: FloatArray, target: int, left: int, right: int, shape: tuple[int, int, int], strides: tuple[int, int, int, int]
) -> None:
    """C −= L R for blocks at these places: four products at a time, in two rows. Strides of C, of
    rows and of columns of L, of R."""
    rows, depth, columns = shape
    of_target, down, along, of_right = strides
    k = 0
    while k + 3 < depth:
        a = natural(right + k * of_right)
        b, c, d = natural(a + of_right), natural(a + 2 * of_right), natural(a + 3 * of_right)
        i = 0
        while i + 1 < rows:
            x, y = natural(target + i * of_target), natural(target + (i + 1) * of_target)
            p, q = natural(left + i * down + k * along), natural(left + (i + 1) * down + k * along)
            p0, p1, p2, p3 = A[p], A[p + along], A[p + 2 * along], A[p + 3 * along]
            q0, q1, q2, q3 = A[q], A[q + along], A[q + 2 * along], A[q + 3 * along]
            for j in range(columns):
                u0, u1, u2, u3 = A[a + j], A[b + j], A[c + j], A[d + j]
                A[x + j] -= p0 * u0 + p1 * u1 + p2 * u2 + p3 * u3
                A[y + j] -= q0 * u0 + q1 * u1 + q2 * u2 + q3 * u3
            i += 2
        if i < rows:
            x, p = natural(target + i * of_target), natural(left + i * down + k * along)
            p0, p1, p2, p3 = A[p], A[p + along], A[p + 2 * along], A[p + 3 * along]
            for j in range(columns):
                A[x + j] -= p0 * A[a + j] + p1 * A[b + j] + p2 * A[c + j] + p3 * A[d + j]
        k += 4
    while k < depth:
        a = natural(right + k * of_right)
        for i in range(rows):
            x, p0 = natural(target + i * of_target), A[natural(left + i * down + k * along)]
            for j in range(columns):
                A[x + j] -= p0 * A[a + j]
        k += 1


@kernel(inline=True, fused=True)
def subtract_row(A: FloatArray, target: int, factor: float, row: int, count: int) -> None:
    """A row less a multiple of another."""
    for j in range(count):
        A[target + j] -= factor * A[row + j]


# ---- what children left


@kernel()
def add_child(A: FloatArray, S: BlockPattern, node: BlockNode, made: int, child: BlockNode, left: Front) -> None:
    """What a child left, into the front of its parent."""
    h, m, kept, inside = natural(child.width), natural(left.inside), natural(left.kept), S.in_parent
    f, w, later = natural(node.size), natural(node.width), natural(child.later)
    for i in range(m):
        row, top = kept + i * h, natural(node.D + inside[later + i] * (f + w))
        below = natural(node.Z + inside[later + i] * w)
        for j in range(m):
            A[top + natural(inside[later + j])] += A[row + j]
        for j in range(m, h):
            place = natural(inside[later + j])
            A[top + f + place] += A[row + j]
            A[below + place] += A[kept + j * h + i]
    for i in range(m, h):
        row, target = kept + i * h, natural(made + inside[later + i] * w)
        for j in range(m, h):
            A[target + natural(inside[later + j])] += A[row + j]


@kernel()
def collect(A: FloatArray, S: BlockPattern, node: BlockNode, front: Front) -> None:
    """The front with what its children left."""
    made, w = natural(front.made), natural(node.width)
    for i in range(w * w):
        A[made + i] = 0.0
    child = front.first_child
    while child >= 0:
        left = S.fronts[child]
        add_child(A, S, node, made, S.nodes[child], left)
        child = left.sibling


@kernel()
def measure_bodies(A: FloatArray, S: BlockPattern, node: BlockNode) -> None:
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
def made_here(A: FloatArray, D: int, stride: int, row: int, k: int) -> float:
    """What the columns before k took from an entry of column k, sizes added: bodies and joints take
    from each other what is far larger than their sum."""
    value = 0.0
    for i in range(k):
        value += abs(A[D + row * stride + i] * A[D + i * stride + k])
    return value


@kernel(inline=True, fused=True)
def choose_pivot(
    A: FloatArray, S: BlockPattern, f: int, node: BlockNode, k: int, drop: float, dependent: IntArray
) -> int:
    """The row whose entry is the pivot of column k; −1: there is none."""
    D, F, base, made_of = natural(node.D), natural(f + node.width), natural(node.first), natural(S.storage)
    columns, rows = natural(made_of + 3 * S.size + base), natural(made_of + 4 * S.size + base)
    put_aside = drop > 0.0 and S.unknown[base + k] >= S.velocities
    end = f if drop == 0.0 else natural(S.until[base + k]) - base
    row, largest = k, abs(A[D + k * F + k]) * A[rows + k]
    if not put_aside:
        for i in range(k + 1, end):
            size = abs(A[D + i * F + k]) * A[rows + i]
            if size > largest:
                row, largest = i, size
    scale = max(A[made_of + base + k] / A[columns + k], made_here(A, D, F, row, k) * A[rows + row])
    if put_aside:
        if not largest > drop * scale:
            dependent[S.unknown[base + k]] = 1
            A[D + k * F + k] = NOTHING
    elif not largest > LOST * scale:  # also true for NaN
        return -1
    elif largest < WEAK * scale:
        S.weak = 1
    return row


@kernel(inline=True)
def exchange(A: FloatArray, S: BlockPattern, f: int, node: BlockNode, k: int, row: int) -> None:
    """Rows k and `row` of D and Y, and their sizes, in each other's place."""
    F, rows = natural(f + node.width), natural(S.storage + 4 * S.size + node.first)
    one, two = natural(node.D + k * F), natural(node.D + row * F)
    A[rows + k], A[rows + row] = A[rows + row], A[rows + k]
    for j in range(F):
        A[one + j], A[two + j] = A[two + j], A[one + j]


@kernel(inline=True, fused=True)
def take_pivot(
    A: FloatArray, S: BlockPattern, f: int, node: BlockNode, k: int, pivots: IntArray, drop: float, dependent: IntArray
) -> bool:
    """Bring the pivot of column k to its place, and divide the column by it; False: there is
    none."""
    D, F = natural(node.D), natural(f + node.width)
    row = choose_pivot(A, S, f, node, k, drop, dependent)
    if row < 0:
        return False
    pivots[node.first + k] = row
    if row != k:
        exchange(A, S, f, node, k, row)
    inverse = 1.0 / A[D + k * F + k]
    A[D + k * F + k] = inverse
    for i in range(k + 1, f):
        A[D + i * F + k] *= inverse
    return True


@kernel(inline=True, fused=True)
def eliminate_rows(
    A: FloatArray, S: BlockPattern, f: int, node: BlockNode, pivots: IntArray, drop: float, dependent: IntArray
) -> int:
    """D and Y of a front with few unknowns, a column and a row at a time; the column without a
    pivot, or −1."""
    D, F = natural(node.D), natural(f + node.width)
    for k in range(f):
        for i in range(k, f):
            row, value = natural(D + i * F), 0.0
            for j in range(k):
                value += A[row + j] * A[D + j * F + k]
            A[row + k] -= value
        if not take_pivot(A, S, f, node, k, pivots, drop, dependent):
            return k
        row = D + k * F
        subtract_product(A, row + k + 1, row, D + k + 1, (1, k, F - k - 1), (F, F, 1, F))
    return -1


@kernel(fused=True)
def eliminate_panels(
    A: FloatArray, S: BlockPattern, node: BlockNode, pivots: IntArray, drop: float, dependent: IntArray
) -> int:
    """D and Y of a front with many unknowns, panel by panel; the column without a pivot, or −1."""
    f, D, F = natural(node.size), natural(node.D), natural(node.size + node.width)
    for first in range(0, f, PANEL):
        end = min(first + PANEL, f)
        for k in range(first, end):
            if not take_pivot(A, S, f, node, k, pivots, drop, dependent):
                return k
            for i in range(k + 1, f):
                row = D + i * F + k
                subtract_row(A, row + 1, A[row], D + k * F + k + 1, end - k - 1)
        for k in range(first + 1, end):
            row, right = D + k * F, D + first * F + end
            subtract_product(A, row + end, row + first, right, (1, k - first, F - end), (F, F, 1, F))
        left, right = D + end * F + first, D + first * F + end
        subtract_product(A, D + end * F + end, left, right, (f - end, end - first, F - end), (F, F, 1, F))
    return -1


@kernel(inline=True, fused=True)
def divide_columns(A: FloatArray, f: int, node: BlockNode, first: int, end: int) -> None:
    """Columns first … end of Z ← Z U⁻¹, when those before are done with."""
    w, D, F, Z = natural(node.width), natural(node.D), natural(f + node.width), natural(node.Z)
    for k in range(first, end):
        row = Z + k * w
        subtract_product(A, row, D + first * F + k, Z + first * w, (1, k - first, w), (w, 1, F, w))
        inverse = A[D + k * F + k]
        for j in range(w):
            A[row + j] *= inverse


@kernel(fused=True)
def divide_panels(A: FloatArray, node: BlockNode) -> None:
    """Z ← Z U⁻¹, panel by panel."""
    f, w, D, Z = natural(node.size), natural(node.width), natural(node.D), natural(node.Z)
    F = f + w
    for first in range(0, f, PANEL):
        end = min(first + PANEL, f)
        divide_columns(A, f, node, first, end)
        shape, strides = (f - end, end - first, w), (w, 1, F, w)
        subtract_product(A, Z + end * w, D + first * F + end, Z + first * w, shape, strides)


@kernel(inline=True, fused=True)
def measure_later(A: FloatArray, S: BlockPattern, f: int, node: BlockNode) -> None:
    """What the pivots of later fronts are made of: what this one takes from their diagonals,
    sizes added."""
    w, F, Z, later = natural(node.width), natural(f + node.width), natural(node.Z), natural(node.later)
    Y, made_of, columns, taken = natural(node.D + f), natural(S.storage), natural(S.storage + 3 * S.size), S.gathered
    for i in range(w):
        A[taken + i] = 0.0
    for k in range(f):
        z, y = natural(Z + k * w), natural(Y + k * F)
        for i in range(w):
            A[taken + i] += abs(A[z + i] * A[y + i])
    for i in range(w):
        j = natural(S.later[later + i])
        A[made_of + j] = max(A[made_of + j], A[taken + i] * (A[columns + j] * A[columns + j]))


@kernel(inline=True, fused=True)
def eliminate_small(
    A: FloatArray,
    S: BlockPattern,
    f: int,
    node: BlockNode,
    made: int,
    pivots: IntArray,
    drop: float,
    dependent: IntArray,
) -> int:
    """A front with f unknowns, a number that is known here; the column without a pivot, or −1."""
    w, F, Z, Y = natural(node.width), natural(f + node.width), natural(node.Z), natural(node.D + f)
    lost = eliminate_rows(A, S, f, node, pivots, drop, dependent)
    if lost >= 0:
        return int(lost)
    divide_columns(A, f, node, 0, f)
    for i in range(w):
        row = made + i * w
        for j in range(w):
            value = A[row + j]
            for k in range(f):
                value -= A[Z + k * w + i] * A[Y + k * F + j]
            A[row + j] = value
    measure_later(A, S, f, node)
    return -1


@kernel(fused=True)
def eliminate_large(
    A: FloatArray, S: BlockPattern, node: BlockNode, made: int, pivots: IntArray, drop: float, dependent: IntArray
) -> int:
    """A front with any number of unknowns; the column without a pivot, or −1."""
    f, w, Y = natural(node.size), natural(node.width), natural(node.D + node.size)
    lost = -1
    if f <= FEW:
        lost = eliminate_rows(A, S, f, node, pivots, drop, dependent)
    if f > FEW:
        lost = eliminate_panels(A, S, node, pivots, drop, dependent)
    if lost >= 0:
        return int(lost)
    divide_panels(A, node)
    if w * w * f > LARGE and S.gemm != 0:
        subtract_by_blas(S.gemm, A, made, node.Z, Y, (w, f, w), (w, w, f + w))
    else:
        subtract_product(A, made, node.Z, Y, (w, f, w), (w, 1, w, f + w))
    measure_later(A, S, f, node)
    return -1


@kernel()
def eliminate_front(
    A: FloatArray, S: BlockPattern, node: BlockNode, made: int, pivots: IntArray, drop: float, dependent: IntArray
) -> int:
    """D, Y, Z and C of a front in their places; the column without a pivot, or −1."""
    f = natural(node.size)
    if f == 1:
        return eliminate_small(A, S, 1, node, made, pivots, drop, dependent)
    if f == 3:
        return eliminate_small(A, S, 3, node, made, pivots, drop, dependent)
    if f == 6:
        return eliminate_small(A, S, 6, node, made, pivots, drop, dependent)
    return eliminate_large(A, S, node, made, pivots, drop, dependent)


@kernel(FACTOR, fused=True)
def front_factor(A: FloatArray, S: BlockPattern, second: int, drop: float, dependent: IntArray) -> int:
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
            dependent[0] = S.unknown[node.first + lost]
            return SINGULAR
        if front.kept != front.made:
            kept, made = natural(front.kept), natural(front.made)
            for i in range(node.width * node.width):
                A[kept + i] = A[made + i]
    return OK


factor_fronts = by_address(front_factor, FACTOR)
