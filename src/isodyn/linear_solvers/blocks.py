"""Order, fill and places of a block matrix [J Gᵀ; G 0], once per model
(isodyn.linear_solvers.block_lu does the numbers).

Nodes are eliminated by least degree, a node of multipliers not before the bodies that it joins.
That keeps its pivot away from zero, and a chain stays a band.
"""

from __future__ import annotations

import heapq
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from isodyn.kernels.compiled import FloatArray, IntArray
from isodyn.later import sparse as sp
from isodyn.linear_solvers.block_pattern import BlockPattern

if TYPE_CHECKING:
    from isodyn.open_types import Matrix


@dataclass(frozen=True, eq=False)
class Sparsity:
    """Patterns (CSR) of J (n, n), structurally symmetric, and of G (m, n), and which unknowns
    belong together.

    `bodies` holds the first unknown of each node of J and n at the end; `joints` the same for the
    rows of G.
    """

    J_starts: IntArray
    J_columns: IntArray
    G_starts: IntArray
    G_columns: IntArray
    bodies: IntArray
    joints: IntArray

    @property
    def n(self) -> int:
        return self.J_starts.size - 1

    @property
    def m(self) -> int:
        return self.G_starts.size - 1


@dataclass(frozen=True, eq=False)
class Nodes:
    """Which unknowns of [J Gᵀ; G 0] are eliminated together: bodies first, then joints."""

    bodies: int
    node_of: IntArray  # of each unknown
    sizes: IntArray
    unknowns: IntArray  # of all nodes, one after the other, …
    first: IntArray  # … and where those of each node begin
    local: IntArray  # number of each unknown in its node
    place_of_row: IntArray  # unknown of each row of G; −1: not enforced
    J_rows: IntArray  # row of each value of J, …
    G_rows: IntArray  # … and of G, as an unknown


def nodes_of(pattern: Sparsity, chosen: IntArray, merged: Sequence[tuple[int, int]] = ()) -> Nodes:
    """The nodes of the matrix with these rows of G.

    `merged` are pairs of a node of J and a row of G whose joint is to be eliminated together with
    it, with pivots from both.
    """
    n, nb = pattern.n, pattern.bodies.size - 1
    body_of = np.repeat(np.arange(nb), np.diff(pattern.bodies))
    joint_of_row = np.repeat(np.arange(pattern.joints.size - 1), np.diff(pattern.joints))
    used, joint_node = np.unique(joint_of_row[chosen], return_inverse=True)
    node_of = np.concatenate([body_of, nb + joint_node]).astype(np.int64)
    nodes = nb + used.size
    for body, row in merged:
        node_of[node_of == node_of[n + int(np.flatnonzero(chosen == row)[0])]] = body
    nodes = renumbered(node_of, nodes)
    sizes = np.bincount(node_of, minlength=nodes)
    unknowns = np.argsort(node_of, kind="stable")
    first = np.concatenate([[0], np.cumsum(sizes)]).astype(np.int64)
    local = np.empty(node_of.size, dtype=np.int64)
    local[unknowns] = np.arange(node_of.size) - first[node_of[unknowns]]

    J_rows = np.repeat(np.arange(n), np.diff(pattern.J_starts))
    place_of_row = np.full(pattern.m, -1, dtype=np.int64)
    place_of_row[chosen] = n + np.arange(chosen.size)
    G_rows = place_of_row[np.repeat(np.arange(pattern.m), np.diff(pattern.G_starts))]
    return Nodes(nb, node_of, sizes, unknowns, first, local, place_of_row, J_rows, G_rows)


def pack(pattern: Sparsity, chosen: IntArray, merged: Sequence[tuple[int, int]] = ()) -> BlockPattern:
    """Everything that the kernels need to know about the matrix with these rows of G, node by
    node."""
    known = nodes_of(pattern, chosen, merged)
    n, nb, nodes, sizes, node_of, local = (
        pattern.n,
        known.bodies,
        known.sizes.size,
        known.sizes,
        known.node_of,
        known.local,
    )
    unknowns, first, J_rows, G_rows, place_of_row = (
        known.unknowns,
        known.first,
        known.J_rows,
        known.G_rows,
        known.place_of_row,
    )
    inside = G_rows >= 0
    pairs = {(int(a), int(b)) for a, b in zip(node_of[J_rows], node_of[pattern.J_columns], strict=True) if a != b}
    ties = {(int(a), int(b)) for a, b in zip(node_of[G_rows[inside]], node_of[pattern.G_columns[inside]], strict=True)}
    pairs |= {(a, b) for a, b in ties if a < nb and a != b}  # of joints that are merged with a body
    ties = {(a, b) for a, b in ties if a >= nb}
    order, follow = eliminate(nodes, nb, sizes, pairs, ties)

    rank = np.empty(nodes, dtype=np.int64)
    rank[order] = np.arange(nodes)
    storage = 0
    D, Y, Z, width = (np.zeros(nodes, dtype=np.int64) for _ in range(4))
    begin: dict[tuple[int, int], int] = {}
    for p in order:
        near = follow[p]
        offset = 0
        for s in near:
            begin[p, s] = offset
            offset += int(sizes[s])
        f = int(sizes[p])
        width[p] = offset
        D[p], Y[p], Z[p] = storage, storage + f * f, storage + f * f + f * offset
        storage += f * f + 2 * f * offset

    def target(a: int, b: int) -> tuple[int, int]:
        """Place and stride of block (a, b)."""
        if a == b:
            return int(D[a]), int(sizes[a])
        if rank[a] < rank[b]:
            return int(Y[a] + begin[a, b]), int(width[a])
        return int(Z[b] + begin[b, a] * sizes[b]), int(sizes[b])

    keys, inverse = np.unique(
        np.concatenate(
            [
                node_of[J_rows] * nodes + node_of[pattern.J_columns],
                node_of[G_rows[inside]] * nodes + node_of[pattern.G_columns[inside]],
                node_of[pattern.G_columns[inside]] * nodes + node_of[G_rows[inside]],
            ]
        ),
        return_inverse=True,
    )
    targets = np.array([target(int(key // nodes), int(key % nodes)) for key in keys], dtype=np.int64).reshape(-1, 2)
    rows = np.concatenate([J_rows, G_rows[inside], pattern.G_columns[inside]])
    columns = np.concatenate([pattern.J_columns, pattern.G_columns[inside], G_rows[inside]])
    where = targets[inverse, 0] + local[rows] * targets[inverse, 1] + local[columns]
    n_J, n_G = J_rows.size, int(inside.sum())
    places_G, places_GT = np.full((2, G_rows.size), -1, dtype=np.int64)
    places_G[inside], places_GT[inside] = where[n_J : n_J + n_G], where[n_J + n_G :]
    diagonal = D[node_of] + local * (sizes[node_of] + 1)

    lists = [unknowns[first[p] : first[p + 1]] for p in range(nodes)]
    sequence = np.concatenate([lists[p] for p in order]) if order else np.zeros(0, dtype=np.int64)
    position = np.empty(sequence.size, dtype=np.int64)
    position[sequence] = np.arange(sequence.size)
    later = [position[lists[s]] for p in order for s in follow[p]]
    updates = [
        [begin[p, a], sizes[a], begin[p, b], sizes[b], *target(a, b)]
        for p in order
        for a in follow[p]
        for b in follow[p]
    ]
    found = BlockPattern(
        block_nodes=nodes,
        block_updates=len(updates),
        block_later=sum(x.size for x in later),
        block_J=n_J,
        block_G=G_rows.size,
        block_unknowns=node_of.size,
        block_J_rows=n + 1,
        block_G_rows=pattern.m + 1,
        block_rows=pattern.m,
        block_fronts=0,
        front_later=0,
        front_unknowns=0,
    )
    found.size, found.velocities, found.storage = node_of.size, n, storage
    counts = [len(follow[p]) ** 2 for p in order]
    found.nodes.fill(
        size=sizes[order],
        width=width[order],
        D=D[order],
        Y=Y[order],
        Z=Z[order],
        first=[position[lists[p][0]] for p in order],
        later=np.cumsum([0, *width[order]])[:-1],
        first_update=np.cumsum([0, *counts])[:-1],
        updates=counts,
        multipliers=np.array(order) >= nb,
    )
    names = "a", "rows", "b", "columns", "target", "stride"
    found.updates.fill(**dict(zip(names, np.reshape(updates, (-1, len(names))).T, strict=True)))
    found.later = np.concatenate([*later, np.zeros(0, dtype=np.int64)])
    found.J, found.G, found.GT, found.diagonal, found.unknown = where[:n_J], places_G, places_GT, diagonal, sequence
    found.J_starts, found.J_columns = pattern.J_starts, pattern.J_columns
    found.G_starts, found.G_columns, found.places = pattern.G_starts, pattern.G_columns, place_of_row
    return found


def renumbered(node_of: IntArray, nodes: int) -> int:
    """Close the gaps that merging left in the numbers of nodes, in place; how many there are."""
    present = np.unique(node_of)
    rank = np.zeros(nodes, dtype=np.int64)
    rank[present] = np.arange(present.size)
    node_of[:] = rank[node_of]
    return int(present.size)


def joint_to_merge(
    pattern: Sparsity, chosen: IntArray, merged: Sequence[tuple[int, int]], unknown: int
) -> tuple[int, int] | None:
    """For an unknown of J without a pivot: its node, and a row of a joint there that is not merged
    with another yet."""
    body = int(np.searchsorted(pattern.bodies, unknown, side="right")) - 1
    joint_of_row = np.repeat(np.arange(pattern.joints.size - 1), np.diff(pattern.joints))
    taken = {int(joint_of_row[row]) for _, row in merged}
    inside = range(int(pattern.bodies[body]), int(pattern.bodies[body + 1]))
    for row in chosen:
        columns = pattern.G_columns[pattern.G_starts[row] : pattern.G_starts[row + 1]]
        if int(joint_of_row[row]) not in taken and any(int(c) in inside for c in columns):
            return body, int(row)
    return None


def eliminate(
    nodes: int, bodies: int, sizes: IntArray, pairs: set[tuple[int, int]], ties: set[tuple[int, int]]
) -> tuple[list[int], dict[int, list[int]]]:
    """Order of elimination, and for every node the later ones that it touches, in that order."""
    near: list[set[int]] = [set() for _ in range(nodes)]
    waits = [0] * nodes
    joined: list[list[int]] = [[] for _ in range(nodes)]
    for a, b in pairs | ties:
        near[a].add(b)
        near[b].add(a)
    for row, body in ties:
        waits[row] += 1
        joined[body].append(row)

    def degree(p: int) -> int:
        return int(sum(sizes[s] for s in near[p]))

    heap = [(degree(p), p) for p in range(nodes) if p < bodies or waits[p] == 0]
    heapq.heapify(heap)
    done, order, follow = [False] * nodes, [], {}
    while heap:
        d, p = heapq.heappop(heap)
        if done[p]:
            continue
        now = degree(p)
        if d != now:
            heapq.heappush(heap, (now, p))
            continue
        done[p] = True
        order.append(p)
        follow[p] = list(near[p])
        for a in near[p]:
            near[a] |= near[p]
            near[a] -= {a, p}
        for row in joined[p]:
            waits[row] -= 1
            if waits[row] == 0:
                heapq.heappush(heap, (degree(row), row))
    rank = {p: k for k, p in enumerate(order)}
    for p in order:
        follow[p].sort(key=rank.__getitem__)
    return order, follow


def storage_of(packed: BlockPattern) -> int:
    """How many floats the factors take, with what the pivots were made of, room for two right-hand
    sides, sizes of columns and rows, and contributions of fronts."""
    return int(packed.storage + 5 * packed.size + packed.stack)


def full(matrix: Matrix) -> FloatArray:
    """An array of all entries."""
    return np.asarray(matrix.toarray() if sp.issparse(matrix) else matrix, dtype=np.float64)


def lengths_of_rows(matrix: Matrix, sizes: FloatArray) -> FloatArray:
    """Lengths of the rows of a matrix whose columns are multiplied by these sizes."""
    if not sp.issparse(matrix):
        return np.asarray(np.linalg.norm(matrix * sizes, axis=1))
    matrix = sp.csr_array(matrix)
    rows = np.repeat(np.arange(matrix.shape[0]), np.diff(matrix.indptr))
    return np.sqrt(np.bincount(rows, (matrix.data * sizes[matrix.indices]) ** 2, matrix.shape[0]))


def largest(matrix: Matrix) -> float:
    """Largest entry by size."""
    return float(np.abs(matrix.data if sp.issparse(matrix) else matrix).max(initial=0.0))


def values_to_csr(starts: IntArray, columns: IntArray, values: FloatArray, n: int) -> Matrix:
    """A SciPy matrix from values in a pattern."""
    return sp.csr_array((values, columns, starts), shape=(starts.size - 1, n))
