"""Order, fronts and places of a block matrix [J Gᵀ; G 0], for the multifrontal LU
(isodyn.linear_solvers.front_lu), once per pattern."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from isodyn.kernels.blas import address_of_gemm
from isodyn.kernels.compiled import IntArray
from isodyn.linear_solvers import front_tree
from isodyn.linear_solvers.block_pattern import BlockPattern
from isodyn.linear_solvers.blocks import Nodes, Sparsity
from isodyn.linear_solvers.front_lu import LARGE
from isodyn.linear_solvers.node_order import NodeGraph, least_degree


@dataclass(frozen=True, eq=False)
class Elimination:
    """An order of nodes, and the nodes that each of them touches when it goes: length[p] of them
    from first[p] on in the pool."""

    order: IntArray
    first: IntArray
    length: IntArray
    pool: IntArray
    below: IntArray  # how many unknowns they have


def eliminate(pattern: Sparsity, nodes: Nodes, early: bool) -> Elimination:
    """Order the nodes of a matrix by least degree; with `early`, joints may go before all of their
    bodies."""
    graph = graph_of(pattern, nodes)
    order, pool = least_degree(graph, graph.lists.copy(), int(early))
    ends = np.concatenate([[0], np.cumsum(nodes.sizes[pool])])
    below = ends[graph.first + graph.length] - ends[graph.first]
    return Elimination(order, graph.first.copy(), graph.length.copy(), pool, below)


def graph_of(pattern: Sparsity, nodes: Nodes) -> NodeGraph:
    """Which nodes touch each other, and which joints may go after one of their bodies alone."""
    count, inside = nodes.sizes.size, nodes.G_rows >= 0
    rows, columns = nodes.G_rows[inside], pattern.G_columns[inside]
    a = np.concatenate([nodes.node_of[nodes.J_rows], nodes.node_of[rows], nodes.node_of[columns]])
    b = np.concatenate([nodes.node_of[pattern.J_columns], nodes.node_of[columns], nodes.node_of[rows]])
    keys = np.unique(a[a != b] * count + b[a != b])
    of, lists = np.divmod(keys, count)
    graph = NodeGraph(nodes=count, starts=count + 1, edges=keys.size, degrees=nodes.node_of.size + 1)
    graph.starts = np.concatenate([[0], np.cumsum(np.bincount(of, minlength=count))])
    graph.lists, graph.weights = lists, nodes.sizes
    graph.joint = np.arange(count) >= nodes.bodies
    # rows of a joint that a body has a part in: all of them, and no more than it has unknowns
    pairs = np.unique(nodes.node_of[columns] * nodes.node_of.size + rows)
    body, row = np.divmod(pairs, nodes.node_of.size)
    apart = nodes.node_of[row] != body  # not eliminated together
    body, row = body[apart], row[apart]
    touched = np.bincount(np.searchsorted(keys, body * count + nodes.node_of[row]), minlength=keys.size)
    graph.alone = (touched == nodes.sizes[lists]) & (nodes.sizes[lists] <= nodes.sizes[of]) & (lists >= nodes.bodies)
    return graph


def pack_fronts(pattern: Sparsity, nodes: Nodes, found: Elimination, early: bool) -> BlockPattern:
    """Everything that the kernels need to know about the matrix, front by front."""
    size, sizes = nodes.node_of.size, nodes.sizes
    parent = front_tree.parents(found.order, found.first, found.length, found.pool)
    order = front_tree.postorder(found.order, parent)
    starts = front_tree.front_starts(order, parent, sizes, found.below)
    ends = np.concatenate([[0], np.cumsum(sizes[order])])
    first_of_node = np.empty_like(sizes)
    first_of_node[order] = ends[:-1]
    begin, rows = front_tree.front_rows(starts, order, first_of_node, sizes, found.first, found.length, found.pool)
    first = ends[starts]
    widths, heights = np.diff(first), np.diff(begin)
    front_of = np.repeat(np.arange(widths.size), widths)
    above, inside, in_parent = front_tree.places_in_parents(first, begin, rows, front_of)
    made, kept, stack = front_tree.stack_places(above, heights)

    inside_G = nodes.G_rows >= 0
    packed = BlockPattern(
        block_nodes=widths.size,
        block_updates=0,
        block_later=rows.size,
        block_J=nodes.J_rows.size,
        block_G=nodes.G_rows.size,
        block_unknowns=size,
        block_J_rows=pattern.n + 1,
        block_G_rows=pattern.m + 1,
        block_rows=pattern.m,
        block_fronts=widths.size,
        front_later=rows.size,
        front_unknowns=size,
    )
    blocks = np.concatenate([[0], np.cumsum(widths * (widths + 2 * heights))])
    D, Y, Z = blocks[:-1], blocks[:-1] + widths, blocks[:-1] + widths * (widths + heights)
    packed.size, packed.velocities, packed.stack, packed.gathered = size, pattern.n, stack, blocks[-1]
    packed.storage = blocks[-1] + 2 * (widths + heights).max(initial=0)
    packed.nodes.fill(size=widths, width=heights, D=D, Y=Y, Z=Z, first=first[:-1], later=begin[:-1])
    end = packed.storage + 5 * size
    child, sibling = children_of(above)
    packed.fronts.fill(made=end + made, kept=end + kept, first_child=child, sibling=sibling, inside=inside)
    packed.later, packed.in_parent = rows, in_parent

    position = np.empty(size, dtype=np.int64)
    position[nodes.unknowns] = np.repeat(first_of_node, sizes) + np.arange(size) - np.repeat(nodes.first[:-1], sizes)
    packed.unknown[position] = np.arange(size)
    bodies = np.arange(size) if size == 0 else nodes.node_of[packed.unknown]
    packed.until = np.where(bodies < nodes.bodies, first_of_node[bodies] + sizes[bodies], np.arange(size) + 1)

    def places(of_rows: IntArray, of_columns: IntArray) -> IntArray:
        """Places of entries of the matrix."""
        i, j = position[of_rows], position[of_columns]
        s = front_of[np.minimum(i, j)]
        below = front_tree.places_of_entries(np.minimum(i, j), np.maximum(i, j), front_of, begin, rows)
        row, column = i - first[s], j - first[s]
        stride = widths[s] + heights[s]
        together, above = D[s] + row * stride + column, Y[s] + row * stride + below
        return np.where(below < 0, together, np.where(i < j, above, Z[s] + column * heights[s] + below))

    packed.J, packed.diagonal = places(nodes.J_rows, pattern.J_columns), places(np.arange(size), np.arange(size))
    packed.G, packed.GT = -1, -1
    packed.G[inside_G] = places(nodes.G_rows[inside_G], pattern.G_columns[inside_G])
    packed.GT[inside_G] = places(pattern.G_columns[inside_G], nodes.G_rows[inside_G])
    packed.J_starts, packed.J_columns = pattern.J_starts, pattern.J_columns
    packed.G_starts, packed.G_columns, packed.places = pattern.G_starts, pattern.G_columns, nodes.place_of_row
    packed.early = early
    if (widths * heights * heights > LARGE).any():
        packed.gemm = address_of_gemm()
    return packed


def children_of(parent: IntArray) -> tuple[IntArray, IntArray]:
    """First child and next sibling of each front; −1: none."""
    child, sibling = np.full(parent.size, -1), np.full(parent.size, -1)
    for s in range(parent.size - 1, -1, -1):
        if parent[s] >= 0:
            sibling[s], child[parent[s]] = child[parent[s]], s
    return child, sibling
