"""Solutions for many right-hand sides at a time, and with the transposed matrix, from the factors
of blocks or fronts (sensitivities and adjoints need them).

With node p eliminated after the ones before it (isodyn.linear_solvers.block_lu),

    K = Pᵀ [L 0; Z 1] [U Y; 0 C]       so that     K x = b:     L u = P b,  b_s −= Z u;    U x = u − Y x_s
                                                    Kᵀ x = b:    Uᵀ u = b,   b_s −= Yᵀ u;   Lᵀ x = u − Zᵀ x_s,  then Pᵀ

with the reciprocals of the pivots on the diagonal of U.

Pivots are taken inside nodes, so that entries may grow. A body of mass m on a joint leaves 1/m in
the place of the zero of its multipliers, and the acceleration that it gets from a force f is off by
eps f/m, however large its pivots are beside what they were made of. Newton's iteration takes that
away by itself; a solution that nobody corrects is refined, x ← x + K⁻¹(b − K x), until that changes
nothing more.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from numba import types

from isodyn.errors import SingularError
from isodyn.kernels.compiled import F2, OK, F, FloatArray, I, IntArray, i8, kernel
from isodyn.kernels.lowering import natural
from isodyn.later import sparse as sp
from isodyn.linear_solvers import sparse
from isodyn.linear_solvers.block_lu import PATTERN, fill_blocks, fill_lower
from isodyn.linear_solvers.blocks import Sparsity, storage_of, values_to_csr
from isodyn.linear_solvers.choice import factor, pattern_for

if TYPE_CHECKING:
    from isodyn.linear_solvers.block_pattern import BlockNode, BlockPattern
    from isodyn.open_types import Matrix

MANY = types.void(F, PATTERN, i8, F2, F2)
MOST = 5  # refinements; each takes as many digits as the factors are good for
SETTLED = 4.0 * float(np.finfo(np.float64).eps)  # a relative change that is rounding
LOST = 1e-8  # a last change above this: the factors are of no use


@kernel(inline=True)
def strides(S: BlockPattern, node: BlockNode) -> tuple[int, int, int, int]:
    """Of rows of D and Y, and of rows and columns of Z: blocks and fronts are stored in two
    ways."""
    f, w = natural(node.size), natural(node.width)
    return (f + w, f + w, 1, w) if len(S.fronts) > 0 else (f, w, f, 1)


@kernel(fused=True)
def subtract(X: FloatArray, i: int, factor: float, j: int) -> None:
    """Row i of X less a multiple of row j."""
    for r in range(X.shape[1]):
        X[i, r] -= factor * X[j, r]


@kernel()
def scale(X: FloatArray, i: int, by: float) -> None:
    """Row i of X times a number."""
    for r in range(X.shape[1]):
        X[i, r] *= by


@kernel()
def exchange(X: FloatArray, i: int, j: int) -> None:
    """Rows i and j of X in each other's place."""
    if i != j:
        for r in range(X.shape[1]):
            X[i, r], X[j, r] = X[j, r], X[i, r]


@kernel()
def take(S: BlockPattern, B: FloatArray, X: FloatArray) -> None:
    """The rows of B in the order of elimination."""
    for i in range(S.size):
        for r in range(B.shape[1]):
            X[i, r] = B[natural(S.unknown[i]), r]


@kernel()
def give(S: BlockPattern, X: FloatArray, B: FloatArray) -> None:
    """The rows of X in their own order."""
    for i in range(S.size):
        for r in range(B.shape[1]):
            B[natural(S.unknown[i]), r] = X[i, r]


@kernel(MANY, fused=True)
def solve_many(A: FloatArray, S: BlockPattern, second: int, B: FloatArray, X: FloatArray) -> None:
    """Overwrite the columns of B by their solutions, with the factors in A; X is memory of the same
    shape."""
    take(S, B, X)
    for p in range(len(S.nodes)):
        node = S.nodes[p]
        f, w, base, later = natural(node.size), natural(node.width), natural(node.first), natural(node.later)
        of_D, _, down, along = strides(S, node)
        for k in range(f):
            exchange(X, base + k, base + natural(S.pivots[second, base + k]))
        for k in range(1, f):
            for i in range(k):
                subtract(X, base + k, A[node.D + k * of_D + i], base + i)
        for i in range(w):
            for k in range(f):
                subtract(X, natural(S.later[later + i]), A[node.Z + i * down + k * along], base + k)
    for p in range(len(S.nodes) - 1, -1, -1):
        node = S.nodes[p]
        f, w, base, later = natural(node.size), natural(node.width), natural(node.first), natural(node.later)
        of_D, of_Y, _, _ = strides(S, node)
        for k in range(f - 1, -1, -1):
            for i in range(w):
                subtract(X, base + k, A[node.Y + k * of_Y + i], natural(S.later[later + i]))
            for i in range(k + 1, f):
                subtract(X, base + k, A[node.D + k * of_D + i], base + i)
            scale(X, base + k, A[node.D + k * of_D + k])
    give(S, X, B)


@kernel(MANY, fused=True)
def solve_transposed(A: FloatArray, S: BlockPattern, second: int, B: FloatArray, X: FloatArray) -> None:
    """Overwrite the columns of B by solutions with the transposed matrix; X is memory of the same
    shape."""
    take(S, B, X)
    for p in range(len(S.nodes)):
        node = S.nodes[p]
        f, w, base, later = natural(node.size), natural(node.width), natural(node.first), natural(node.later)
        of_D, of_Y, _, _ = strides(S, node)
        for k in range(f):
            for i in range(k):
                subtract(X, base + k, A[node.D + i * of_D + k], base + i)
            scale(X, base + k, A[node.D + k * of_D + k])
        for i in range(w):
            for k in range(f):
                subtract(X, natural(S.later[later + i]), A[node.Y + k * of_Y + i], base + k)
    for p in range(len(S.nodes) - 1, -1, -1):
        node = S.nodes[p]
        f, w, base, later = natural(node.size), natural(node.width), natural(node.first), natural(node.later)
        of_D, _, down, along = strides(S, node)
        for k in range(f - 1, -1, -1):
            for i in range(w):
                subtract(X, base + k, A[node.Z + i * down + k * along], natural(S.later[later + i]))
            for i in range(k + 1, f):
                subtract(X, base + k, A[node.D + i * of_D + k], base + i)
        for k in range(f - 1, -1, -1):
            exchange(X, base + k, base + natural(S.pivots[second, base + k]))
    give(S, X, B)


@kernel(i8(F, F, F, F, F, PATTERN, F, I))
def factorise(
    J: FloatArray,
    G: FloatArray,
    lower: FloatArray,
    soft: FloatArray,
    sizes: FloatArray,
    S: BlockPattern,
    A: FloatArray,
    fault: IntArray,
) -> int:
    """Factors of [J Gᵀ; lower −ε] into A."""
    fill_blocks(J, G, soft, sizes, S, A)
    fill_lower(lower, S, A)
    return factor(A, S, 0, 0.0, fault)


class SparseFactors:
    """Factors of [J Gᵀ; G −ε] for callers outside compiled code: refined solutions for any number
    of right-hand sides, also with the transposed matrix.

    Parameters
    ----------
    pattern
        Patterns of J and G.
    chosen
        Rows of G that count; all of them if left out.
    sizes
        Typical sizes of unknowns and equations, by which pivots are compared; ones if left out.

    Examples
    --------
    >>> import numpy as np
    >>> from isodyn.linear_solvers.blocks import Sparsity
    >>> lines = np.array([0, 1, 2])
    >>> pattern = Sparsity(lines, np.array([0, 1]), np.array([0, 2]), np.array([0, 1]), lines, np.array([0, 1]))
    >>> factors = SparseFactors(pattern)
    >>> factors.factorise(J=np.array([2.0, 2.0]), G=np.array([1.0, -1.0]))
    >>> factors.solve(np.array([1.0, 3.0, 0.0]))
    array([ 1.,  1., -1.])
    """

    def __init__(self, pattern: Sparsity, chosen: IntArray | None = None, sizes: FloatArray | None = None) -> None:
        self.chosen = np.arange(pattern.m) if chosen is None else chosen
        self.packed = pattern_for(pattern, self.chosen).copy()
        self.sizes = np.ones(self.packed.size) if sizes is None else sizes
        self.values = np.zeros(storage_of(self.packed))
        self.pattern = pattern
        self.matrix: Matrix = None

    def factorise(
        self, J: FloatArray, G: FloatArray, lower: FloatArray | None = None, soft: FloatArray | None = None
    ) -> None:
        """Factorise the matrix with these values in their patterns.

        Parameters
        ----------
        J, G
            Values of J and G.
        lower
            Values of another G for the lower rows.
        soft
            ε of the chosen rows; zeros if left out.

        Raises
        ------
        SingularError
            If an unknown has no pivot.
        """
        fault = np.zeros(1, dtype=np.int64)
        soft = np.zeros(self.chosen.size) if soft is None else soft
        lower = G if lower is None else lower
        if factorise(J, G, lower, soft, self.sizes, self.packed, self.values, fault) != OK:
            raise SingularError(f"the matrix has no pivot for unknown {fault[0]} of {self.packed.size}")
        self.matrix = self._whole(J, G, lower, soft)

    def _whole(self, J: FloatArray, G: FloatArray, lower: FloatArray, soft: FloatArray) -> Matrix:
        """The matrix as SciPy knows it."""
        known, rows = self.pattern, self.chosen
        upper = values_to_csr(known.J_starts, known.J_columns, J, known.n)
        right, left = (values_to_csr(known.G_starts, known.G_columns, values, known.n)[rows] for values in (G, lower))
        return sp.csr_array(sp.block_array([[upper, right.T], [left, -sp.diags_array(soft)]]))

    def solve(self, b: FloatArray, transposed: bool = False) -> FloatArray:
        """Solve for one right-hand side, or for the columns of a matrix.

        Parameters
        ----------
        b
            Right-hand side (n,) or right-hand sides (n, k).
        transposed
            Whether to solve with the transposed matrix.

        Returns
        -------
        x
            Solution, of the same shape.
        """
        B = np.array(b, dtype=np.float64).reshape(self.packed.size, -1)
        K, X, changes = self.matrix.T if transposed else self.matrix, np.zeros_like(B), np.inf
        for k in range(MOST + 1):
            rest = B - K @ X
            self._apply(transposed, rest)
            before, changes = changes, self._relative(rest, X + rest)
            if k > 1 and not changes <= 0.5 * before:  # rounding, or no use
                break
            X += rest
            if k > 0 and changes <= SETTLED:
                break
        if not min(before, changes) <= LOST:
            D = sp.diags_array(self.sizes)
            X = np.asarray(D @ sparse.factorise(D @ K @ D).solve(D @ B))
        return X.reshape(np.shape(b))

    def _apply(self, transposed: bool, B: FloatArray) -> None:
        """Overwrite B by what the factors make of it."""
        kernel = solve_transposed if transposed else solve_many
        kernel(self.values, self.packed, 0, B, np.empty_like(B))

    def _relative(self, change: FloatArray, X: FloatArray) -> float:
        """The largest change of a column beside the column, in units of typical sizes."""
        of_change, of_X = (np.abs(one / self.sizes[:, None]).max(axis=0, initial=0.0) for one in (change, X))
        return float(np.divide(of_change, of_X, out=np.zeros_like(of_X), where=of_change > 0.0).max(initial=0.0))
