"""Which LU a sparse matrix [J Gᵀ; G 0] gets: node by node (isodyn.linear_solvers.block_lu) or front
by front (isodyn.linear_solvers.front_lu). One rule for all callers, and a cache by pattern.

Both are reckoned from the orders of elimination that they would take. Small blocks have unrolled
loops and nothing to collect, which wins on chains, trees and single loops; fronts win wherever
blocks meet many others: nets, stars, frames.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from hashlib import sha256

import numpy as np

from isodyn.kernels.compiled import FloatArray, IntArray, kernel
from isodyn.kernels.lowering import by_address
from isodyn.linear_solvers import front_tree
from isodyn.linear_solvers.block_lu import FACTOR, SOLVE, factor_blocks, solve_blocks
from isodyn.linear_solvers.block_pattern import BlockPattern
from isodyn.linear_solvers.blocks import Nodes, Sparsity, nodes_of, pack
from isodyn.linear_solvers.front_lu import factor_fronts
from isodyn.linear_solvers.front_solves import solve_fronts
from isodyn.linear_solvers.fronts import Elimination, eliminate, pack_fronts

# nanoseconds of a factorisation with two solutions, fitted to nets, chains, trees, stars and random
# graphs (benchmarks/factors.py): of a node, of an update of one block by two others, of a product in it …
NODE, UPDATE, PRODUCT = 100.0, 9.5, 0.93
# … and of an unknown of a front, of a product there with all that comes with it
UNKNOWN, LARGE_PRODUCT = 136.0, 0.3
# … and of an unknown in a correction of the iteration (of particles in nets; of bodies on joints), of
# an entry of the factors in it
CORRECTION, BODY_CORRECTION, ENTRY = 60.0, 110.0, 1.2
# corrections that a factorisation must cost to be kept for later steps (isodyn.stepping.kept_matrix): in
# all motions; in slow ones
DEAR, WORTH = 2.0, 1.0
FULL = 20.0  # unknowns of a full matrix for each correction that its factorisation costs
MARGIN = 1.25  # by which fronts must be ahead: what is reckoned is no measurement
MOST_PATTERNS = 16  # that are kept


@kernel(FACTOR)
def sparse_factor(A: FloatArray, S: BlockPattern, second: int, drop: float, dependent: IntArray) -> int:
    """Overwrite A by its factors, in the way that its pattern is made for
    (isodyn.linear_solvers.block_lu.block_factor)."""
    if len(S.fronts) > 0:
        return int(factor_fronts(A, S, second, drop, dependent))
    return int(factor_blocks(A, S, second, drop, dependent))


@kernel(SOLVE)
def sparse_solve(A: FloatArray, S: BlockPattern, second: int, x: FloatArray, y: FloatArray) -> None:
    """Overwrite x and y by their solutions, with the factors that `sparse_factor` left in A."""
    if len(S.fronts) > 0:
        solve_fronts(A, S, second, x, y)
    else:
        solve_blocks(A, S, second, x, y)


factor, solve_two = by_address(sparse_factor, FACTOR), by_address(sparse_solve, SOLVE)


class Asked:
    """A pattern with these rows of G and joints merged into bodies; equal to others of the same
    contents."""

    def __init__(self, pattern: Sparsity, chosen: IntArray, merged: Sequence[tuple[int, int]], patient: bool) -> None:
        self.pattern, self.chosen, self.merged, self.patient = pattern, chosen, tuple(merged), patient
        digest = sha256(repr((self.merged, patient)).encode())
        for part in (*vars(pattern).values(), chosen):
            digest.update(np.int64(part.size).tobytes())
            digest.update(np.ascontiguousarray(part).tobytes())
        self.digest = digest.digest()

    def __hash__(self) -> int:
        return hash(self.digest)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Asked) and other.digest == self.digest


def pattern_for(
    pattern: Sparsity, chosen: IntArray, merged: Sequence[tuple[int, int]] = (), patient: bool = False
) -> BlockPattern:
    """Everything that the kernels need to know about the matrix with these rows of G; to be copied,
    not to be written to.

    `merged` are pairs of a node of J and a row of G whose joint is eliminated together with it;
    `patient` joints wait for all of their bodies.
    """
    return _pattern_for(Asked(pattern, chosen, merged, patient))


@lru_cache(maxsize=MOST_PATTERNS)
def _pattern_for(asked: Asked) -> BlockPattern:
    nodes = nodes_of(asked.pattern, asked.chosen, asked.merged)
    waiting = eliminate(asked.pattern, nodes, early=False)
    found = waiting if asked.patient else eliminate(asked.pattern, nodes, early=True)
    if reckoned_for_fronts(nodes, found) * MARGIN < reckoned_for_blocks(nodes, waiting):
        packed = pack_fronts(asked.pattern, nodes, found, early=not asked.patient)
        packed.ratio = factorisation_in_corrections(nodes, found)
        return packed
    packed = pack(asked.pattern, asked.chosen, asked.merged)
    packed.ratio = blocks_in_corrections(nodes, waiting)
    return packed


def reckoned_for_blocks(nodes: Nodes, found: Elimination) -> float:
    """Nanoseconds of a factorisation node by node."""
    products = float(front_tree.work_of(nodes.sizes, found.below))
    return NODE * nodes.sizes.size + UPDATE * float((found.length**2).sum()) + PRODUCT * products


def reckoned_for_fronts(nodes: Nodes, found: Elimination) -> float:
    """Nanoseconds of a factorisation front by front."""
    widths, heights = fronts_of(nodes, found)
    products = float(front_tree.work_of(widths, heights))
    return UNKNOWN * nodes.node_of.size + LARGE_PRODUCT * products


def factorisation_in_corrections(nodes: Nodes, found: Elimination) -> float:
    """How many corrections of an iteration a factorisation costs; 0 for too few."""
    widths, heights = fronts_of(nodes, found)
    unknowns, stored = nodes.node_of.size, float((widths * (widths + 2 * heights)).sum())
    factorisation = UNKNOWN * unknowns + LARGE_PRODUCT * float(front_tree.work_of(widths, heights))
    ratio = factorisation / (CORRECTION * unknowns + ENTRY * stored)
    return ratio if ratio > DEAR else 0.0


def blocks_in_corrections(nodes: Nodes, found: Elimination) -> float:
    """The same node by node; never so many that a matrix is kept in fast motions, too."""
    stored = float((nodes.sizes * (nodes.sizes + 2 * found.below)).sum())
    ratio = reckoned_for_blocks(nodes, found) / (BODY_CORRECTION * nodes.node_of.size + ENTRY * stored)
    return min(ratio, DEAR) if ratio > WORTH else 0.0


def dense_in_corrections(unknowns: int) -> float:
    """The same for a full matrix."""
    ratio = unknowns / FULL
    return ratio if ratio > WORTH else 0.0


def fronts_of(nodes: Nodes, found: Elimination) -> tuple[IntArray, IntArray]:
    """Unknowns of each front, and unknowns that it touches."""
    parent = front_tree.parents(found.order, found.first, found.length, found.pool)
    order = front_tree.postorder(found.order, parent)
    starts = front_tree.front_starts(order, parent, nodes.sizes, found.below)
    return np.add.reduceat(nodes.sizes[order], starts[:-1]), found.below[order[starts[1:] - 1]]
