"""Fronts of a multifrontal LU from an order of elimination: which nodes go together, what they
touch, where their blocks lie. Compiled; once per pattern.

The parent of a node is the first one that goes after it among those that it touches. In postorder
the nodes below a node are its neighbours in the order, and what a node touches is a part of its
parent and of what that touches. A *front* is a run of nodes, each the parent of the one before,
that are eliminated as one dense block: where they touch the same, or where few zeros are stored by
it.

What a front leaves for later (its contribution, H × H) goes onto a stack, and is added into the
front of its parent: a list of H places in it, not a record per block. Places on the stack are known
beforehand.
"""

from __future__ import annotations

import numpy as np
from numba import types

from isodyn.kernels.compiled import I, IntArray, f8, i8, kernel

FEW = 0.05  # zeros that a front may store, as a part of it, …
SOME, NARROW = 0.3, 24  # … and while it has no more than so many unknowns


@kernel(I(I, I, I, I), allocates=True)
def parents(order: IntArray, first: IntArray, length: IntArray, pool: IntArray) -> IntArray:
    """For each node the first one that goes after it among those that it touches; −1: none."""
    n = order.size
    rank, parent = np.empty(n, dtype=np.int64), np.full(n, -1, dtype=np.int64)
    for k in range(n):
        rank[order[k]] = k
    for p in range(n):
        lowest = n
        for x in range(first[p], first[p] + length[p]):
            lowest = min(lowest, rank[pool[x]])
        if lowest < n:
            parent[p] = order[lowest]
    return parent


@kernel(I(I, I), allocates=True)
def postorder(order: IntArray, parent: IntArray) -> IntArray:
    """The nodes so that those below a node come right before it; roots and children as in
    `order`."""
    n = order.size
    child, sibling = np.full(n, -1, dtype=np.int64), np.full(n, -1, dtype=np.int64)
    for k in range(n - 1, -1, -1):
        i = order[k]
        if parent[i] >= 0:
            sibling[i] = child[parent[i]]
            child[parent[i]] = i
    out, stack, count = np.empty(n, dtype=np.int64), np.empty(n + 1, dtype=np.int64), 0
    for k in range(n):
        if parent[order[k]] >= 0:
            continue
        stack[0], top = order[k], 0
        while top >= 0:
            i = stack[top]
            below = child[i]
            if below >= 0:
                child[i] = sibling[below]
                top += 1
                stack[top] = below
            else:
                out[count] = i
                count += 1
                top -= 1
    return out


@kernel(I(I, I, I, I), allocates=True)
def front_starts(order: IntArray, parent: IntArray, sizes: IntArray, below: IntArray) -> IntArray:
    """Where fronts begin in the order, and its end; `below` are the unknowns that each node
    touches."""
    n = order.size
    starts, count, width, filled = np.empty(n + 1, dtype=np.int64), 0, 0, 0
    for k in range(n):
        i = order[k]
        own, joins = sizes[i] * (sizes[i] + 2 * below[i]), False
        if k > 0 and parent[order[k - 1]] == i:
            wider = width + sizes[i]
            whole = wider * (wider + 2 * below[i])
            zeros = whole - filled - own
            if below[order[k - 1]] == sizes[i] + below[i]:  # the same, and no further zeros
                zeros -= 2 * width * sizes[i]
                own += 2 * width * sizes[i]
            joins = zeros <= FEW * whole or (wider <= NARROW and zeros <= SOME * whole)
        if joins:
            width, filled = width + sizes[i], filled + own
        else:
            starts[count], width, filled = k, sizes[i], own
            count += 1
    starts[count] = n
    return starts[: count + 1].copy()


@kernel(types.Tuple((I, I))(I, I, I, I, I, I, I), allocates=True)
def front_rows(
    starts: IntArray,
    order: IntArray,
    position: IntArray,
    sizes: IntArray,
    first: IntArray,
    length: IntArray,
    pool: IntArray,
) -> tuple[IntArray, IntArray]:
    """Where the positions that each front touches begin, and these, in their order; `position` of
    the first unknown of each node."""
    fronts = starts.size - 1
    begin = np.zeros(fronts + 1, dtype=np.int64)
    for s in range(fronts):
        last, total = order[starts[s + 1] - 1], 0
        for x in range(first[last], first[last] + length[last]):
            total += sizes[pool[x]]
        begin[s + 1] = begin[s] + total
    rows = np.empty(begin[fronts], dtype=np.int64)
    for s in range(fronts):
        last, k = order[starts[s + 1] - 1], begin[s]
        for x in range(first[last], first[last] + length[last]):
            for j in range(sizes[pool[x]]):
                rows[k] = position[pool[x]] + j
                k += 1
        rows[begin[s] : begin[s + 1]].sort()
    return begin, rows


@kernel(types.Tuple((I, I, I))(I, I, I, I), allocates=True)
def places_in_parents(
    starts: IntArray, begin: IntArray, rows: IntArray, front_of: IntArray
) -> tuple[IntArray, IntArray, IntArray]:
    """Parent of each front, how many of its rows are unknowns of the parent, and where all of them
    lie in the parent: in its unknowns, or in what it touches.

    `starts` are the first positions of the fronts.
    """
    fronts = starts.size - 1
    parent, inside = np.full(fronts, -1, dtype=np.int64), np.zeros(fronts, dtype=np.int64)
    places = np.empty(rows.size, dtype=np.int64)
    for s in range(fronts):
        if begin[s] == begin[s + 1]:
            continue
        p = front_of[rows[begin[s]]]
        x = begin[p]
        parent[s] = p
        for k in range(begin[s], begin[s + 1]):
            if rows[k] < starts[p + 1]:
                places[k] = rows[k] - starts[p]
                inside[s] += 1
            else:
                while rows[x] != rows[k]:
                    x += 1
                places[k] = x - begin[p]
    return parent, inside, places


@kernel(types.Tuple((I, I, i8))(I, I), allocates=True)
def stack_places(parent: IntArray, heights: IntArray) -> tuple[IntArray, IntArray, int]:
    """Where the contribution of each front is made, where it stays, and how long the stack is.

    It is made above those of its children, and moved down to the first of them.
    """
    fronts = parent.size
    made, stays, low = np.zeros(fronts, dtype=np.int64), np.zeros(fronts, dtype=np.int64), np.full(fronts, -1)
    top = most = 0
    for s in range(fronts):
        size = heights[s] * heights[s]
        made[s] = top
        most = max(most, top + size)
        stays[s] = low[s] if low[s] >= 0 else top
        top = stays[s] + size
        if parent[s] >= 0 and low[parent[s]] < 0:
            low[parent[s]] = stays[s]
    return made, stays, most


@kernel(I(I, I, I, I, I), allocates=True)
def places_of_entries(a: IntArray, b: IntArray, front_of: IntArray, begin: IntArray, rows: IntArray) -> IntArray:
    """Where the positions b lie among the rows of the fronts of a; −1 where both are unknowns of
    the same front."""
    out = np.full(a.size, -1, dtype=np.int64)
    for k in range(a.size):
        s = front_of[a[k]]
        if front_of[b[k]] != s:
            low, high = begin[s], begin[s + 1]
            while high - low > 1:
                middle = (low + high) // 2
                if rows[middle] <= b[k]:
                    low = middle
                else:
                    high = middle
            out[k] = low - begin[s]
    return out


@kernel(f8(I, I))
def work_of(widths: IntArray, heights: IntArray) -> float:
    """Products that eliminating dense blocks of so many unknowns, that touch so many others,
    takes."""
    total = 0.0
    for s in range(widths.size):
        w, h = float(widths[s]), float(heights[s])
        total += w * w * w / 3.0 + w * w * h + w * h * h
    return total
