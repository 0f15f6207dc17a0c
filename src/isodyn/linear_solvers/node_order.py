"""Order of elimination of the nodes of a graph, compiled: least degree on the quotient graph.

An eliminated node p is an *element*: the nodes that it touched, L_p, are neighbours of each other
from then on, which is told by p in the list of each of them instead of by all the pairs. Elements
that a new one contains are absorbed by it, so that no list outgrows the number of neighbours that
its node had in the beginning. Degrees are exact, in unknowns, and kept in buckets.

A node of multipliers waits for its bodies, which keeps its pivot −G J⁻¹Gᵀ away from zero, or for
one of them whose only joint left it is (`early`): all other joints of that body went before, on the
side of their other bodies, so that nothing but inertia is left in its block, and the pivot of the
joint is as good as its rows on this body alone. After *any* body it may be zero: the last link of a
chain that was begun at the ground cannot move along itself.
"""

from __future__ import annotations

import numpy as np
from numba import types

from isodyn.kernels.compiled import I, IntArray, i8, kernel
from isodyn.kernels.struct import Struct, integer, integers
from isodyn.kernels.struct_types import StructType

WAITING, READY, GONE, ABSORBED = np.int64(0), np.int64(1), np.int64(2), np.int64(3)
NONE = -1


class NodeGraph(Struct):
    """Nodes and what they touch: given at first, then as a quotient graph.

    The list of node i has the room from starts[i] to starts[i + 1]: nodes fill it from the left,
    elements from the right.
    """

    starts, lists = integers("starts"), integers("edges")
    # whether the joint at the other end of an edge may go after the body at this one alone
    alone = integers("edges")
    weights = integers("nodes")  # unknowns of each node
    joint = integers("nodes")  # whether it holds multipliers
    # ---- what changes
    near, elements = integers("nodes"), integers("nodes")  # how many the lists hold
    state, degree = integers("nodes"), integers("nodes")
    mark, tag = integers("nodes"), integer
    # nodes of each degree, as linked lists
    head, before, after = integers("degrees"), integers("nodes"), integers("nodes")
    lowest = integer
    # bodies that a joint waits for, joints that a body has left
    waits = integers("nodes")
    # ---- L_p of eliminated nodes: where it begins in the pool, and how many
    first, length = integers("nodes"), integers("nodes")


GRAPH = StructType(NodeGraph)


@kernel()
def put_in(g: NodeGraph, i: int) -> None:
    """Node i into the bucket of its degree."""
    d = g.degree[i]
    g.before[i], g.after[i] = NONE, g.head[d]
    if g.head[d] != NONE:
        g.before[g.head[d]] = i
    g.head[d] = i
    g.lowest = min(g.lowest, d)


@kernel()
def take_out(g: NodeGraph, i: int) -> None:
    """Node i out of its bucket."""
    before, after = g.before[i], g.after[i]
    if before == NONE:
        g.head[g.degree[i]] = after
    else:
        g.after[before] = after
    if after != NONE:
        g.before[after] = before


@kernel()
def begin(g: NodeGraph) -> None:
    """Lists, degrees and buckets of the graph as it was given."""
    for d in range(g.head.size):
        g.head[d] = NONE
    g.lowest = g.head.size
    for i in range(g.weights.size):
        degree = waits = 0
        for k in range(g.starts[i], g.starts[i + 1]):
            j = g.lists[k]
            degree += g.weights[j]
            waits += g.joint[i] != g.joint[j]
        g.near[i], g.degree[i], g.waits[i] = g.starts[i + 1] - g.starts[i], degree, waits
    for i in range(g.weights.size - 1, -1, -1):
        if g.joint[i] == 0 or g.waits[i] == 0:
            g.state[i] = READY
            put_in(g, i)


@kernel()
def next_node(g: NodeGraph) -> int:
    """A node of least degree among those that are ready."""
    d = g.lowest
    while g.head[d] == NONE:
        d += 1
    g.lowest = d
    return int(g.head[d])


@kernel()
def reach_of(g: NodeGraph, p: int) -> int:
    """How many nodes L_p has at most."""
    found, end = g.near[p], g.starts[p + 1]
    for k in range(end - g.elements[p], end):
        found += g.length[g.lists[k]]
    return int(found)


@kernel()
def gather(g: NodeGraph, p: int, pool: IntArray, top: int) -> int:
    """L_p into the pool from `top` on, marked by the present tag; its end. Elements of p are
    absorbed."""
    tag, begin_p, end = g.tag, g.starts[p], g.starts[p + 1]
    g.mark[p] = tag
    for k in range(begin_p, begin_p + g.near[p]):
        j = g.lists[k]
        if g.state[j] < GONE and g.mark[j] != tag:
            g.mark[j] = tag
            pool[top] = j
            top += 1
    for k in range(end - g.elements[p], end):
        e = g.lists[k]
        for x in range(g.first[e], g.first[e] + g.length[e]):
            j = pool[x]
            if g.state[j] < GONE and g.mark[j] != tag:
                g.mark[j] = tag
                pool[top] = j
                top += 1
        g.state[e] = ABSORBED
    return top


@kernel()
def prune(g: NodeGraph, i: int, p: int) -> None:
    """The list of node i without what element p tells, and with p."""
    tag, start, end, kept = g.tag, g.starts[i], g.starts[i + 1], 0
    for k in range(start, start + g.near[i]):
        j = g.lists[k]
        if g.mark[j] != tag and g.state[j] < GONE:
            g.lists[start + kept] = j
            kept += 1
    g.near[i] = kept
    kept = 0
    for k in range(end - 1, end - 1 - g.elements[i], -1):
        e = g.lists[k]
        if g.state[e] != ABSORBED:
            kept += 1
            g.lists[end - kept] = e
    kept += 1
    g.lists[end - kept] = p
    g.elements[i] = kept


@kernel()
def count_degree(g: NodeGraph, i: int, pool: IntArray) -> int:
    """Unknowns of the nodes that node i touches."""
    g.tag += 1
    tag, start, end, found = g.tag, g.starts[i], g.starts[i + 1], 0
    g.mark[i] = tag
    for k in range(start, start + g.near[i]):
        found += g.weights[g.lists[k]]
        g.mark[g.lists[k]] = tag
    for k in range(end - g.elements[i], end):
        e = g.lists[k]
        for x in range(g.first[e], g.first[e] + g.length[e]):
            j = pool[x]
            if g.mark[j] != tag and g.state[j] < GONE:
                g.mark[j] = tag
                found += g.weights[j]
    return int(found)


@kernel()
def release(g: NodeGraph, given: IntArray, p: int, early: int) -> None:
    """Joints that were waiting for p alone, or that may go because p has no other joint left, are
    ready; p is no longer waited for."""
    last = g.joint[p] == 0 and g.waits[p] == 1
    for k in range(g.starts[p], g.starts[p + 1]):
        j = given[k]
        if g.joint[j] == g.joint[p]:
            continue
        g.waits[j] -= 1
        free = g.waits[j] == 0 or (early == 1 and last and g.alone[k] == 1)
        if g.joint[j] == 1 and g.state[j] == WAITING and free:
            g.state[j] = READY
            put_in(g, j)


@kernel(types.Tuple((I, I))(GRAPH, I, i8), allocates=True)
def least_degree(g: NodeGraph, given: IntArray, early: int) -> tuple[IntArray, IntArray]:
    """Order of elimination, and the pool that holds L_p of every node p; `given` are the lists as
    they were."""
    n = g.weights.size
    order, pool, top = np.empty(n, dtype=np.int64), np.empty(4 * g.lists.size + 64, dtype=np.int64), 0
    begin(g)
    for step in range(n):
        p = next_node(g)
        take_out(g, p)
        order[step] = p
        g.state[p] = GONE
        need = top + reach_of(g, p)
        if need > pool.size:
            larger = np.empty(2 * need, dtype=np.int64)
            larger[:top] = pool[:top]
            pool = larger
        g.tag += 1
        start, top = top, gather(g, p, pool, top)
        g.first[p], g.length[p] = start, top - start
        for x in range(start, top):
            prune(g, pool[x], p)
        for x in range(start, top):
            i = pool[x]
            if g.state[i] == READY:
                take_out(g, i)
            g.degree[i] = count_degree(g, i, pool)
            if g.state[i] == READY:
                put_in(g, i)
        release(g, given, p, early)
    return order, pool[:top].copy()
