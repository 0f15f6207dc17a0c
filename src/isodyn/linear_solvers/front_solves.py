"""Solutions with the factors that isodyn.linear_solvers.front_lu left, for two right-hand sides at
a time: a step has two to solve for, and the second costs little.

The right-hand sides lie one after the other in the order of elimination, so that the unknowns of a
front are neighbours; what they touch is gathered.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from isodyn.kernels.compiled import FloatArray, IntArray, kernel
from isodyn.kernels.lowering import by_address, natural
from isodyn.linear_solvers.block_lu import SOLVE

if TYPE_CHECKING:
    from isodyn.linear_solvers.block_pattern import BlockNode, BlockPattern


@kernel(fused=True, reordered=True)
def forward(A: FloatArray, S: BlockPattern, node: BlockNode, pivots: IntArray, one: int, two: int) -> None:
    """L⁻¹P of a front on both right-hand sides, and what the later unknowns lose by it."""
    f, w, D, Z = natural(node.size), natural(node.width), natural(node.D), natural(node.Z)
    F, base, later, taken = f + w, natural(node.first), natural(node.later), natural(S.gathered)
    u, v = natural(one + base), natural(two + base)
    for k in range(f):
        row = natural(pivots[base + k])
        if row != k:
            A[u + k], A[u + row] = A[u + row], A[u + k]
            A[v + k], A[v + row] = A[v + row], A[v + k]
    for k in range(1, f):
        first, second, row = 0.0, 0.0, D + k * F
        for i in range(k):
            first += A[row + i] * A[u + i]
            second += A[row + i] * A[v + i]
        A[u + k] -= first
        A[v + k] -= second
    for i in range(2 * w):
        A[taken + i] = 0.0
    for k in range(f):
        first, second, row = A[u + k], A[v + k], Z + k * w
        for i in range(w):
            A[taken + i] += A[row + i] * first
            A[taken + w + i] += A[row + i] * second
    for i in range(w):
        j = natural(S.later[later + i])
        A[one + j] -= A[taken + i]
        A[two + j] -= A[taken + w + i]


@kernel(fused=True, reordered=True)
def backward(A: FloatArray, S: BlockPattern, node: BlockNode, one: int, two: int) -> None:
    """The unknowns of a front on both right-hand sides, when the later ones are known."""
    f, w, D = natural(node.size), natural(node.width), natural(node.D)
    F, base, later, known = f + w, natural(node.first), natural(node.later), natural(S.gathered)
    u, v = natural(one + base), natural(two + base)
    for i in range(w):
        j = natural(S.later[later + i])
        A[known + i], A[known + w + i] = A[one + j], A[two + j]
    for k in range(f - 1, -1, -1):
        first, second, row = 0.0, 0.0, D + k * F
        for i in range(w):
            first += A[row + f + i] * A[known + i]
            second += A[row + f + i] * A[known + w + i]
        for i in range(k + 1, f):
            first += A[row + i] * A[u + i]
            second += A[row + i] * A[v + i]
        A[u + k] = (A[u + k] - first) * A[row + k]
        A[v + k] = (A[v + k] - second) * A[row + k]


@kernel(SOLVE, fused=True)
def front_solve(A: FloatArray, S: BlockPattern, second: int, x: FloatArray, y: FloatArray) -> None:
    """Overwrite x and y by their solutions, with the factors that `front_factor` left in A."""
    unknown, n, pivots = S.unknown, natural(S.size), S.pivots[second]
    one = natural(S.storage + n)
    two = one + n
    for i in range(n):
        A[one + i], A[two + i] = x[natural(unknown[i])], y[natural(unknown[i])]
    for p in range(len(S.nodes)):
        forward(A, S, S.nodes[p], pivots, one, two)
    for p in range(len(S.nodes) - 1, -1, -1):
        backward(A, S, S.nodes[p], one, two)
    for i in range(n):
        x[natural(unknown[i])], y[natural(unknown[i])] = A[one + i], A[two + i]


solve_fronts = by_address(front_solve, SOLVE)
