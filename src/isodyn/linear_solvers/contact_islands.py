"""Contact problems of many contacts: those that do not act on each other are solved apart.

Contacts of bodies that nothing else connects have no entries of W in common; each island is a
problem of its own (isodyn.linear_solvers.complementarity), and the cost is that of the islands.
"""

from __future__ import annotations

import numpy as np

from isodyn.kernels.compiled import OK, FloatArray, IntArray, kernel
from isodyn.linear_solvers.complementarity import SOLVE_CONTACTS, solve_island


@kernel()
def acts_on(W: FloatArray, first: IntArray, k: int, m: int) -> bool:
    """Whether contact m moves contact k."""
    for i in range(first[k], first[k + 1]):
        for j in range(first[m], first[m + 1]):
            if W[i, j] != 0.0 or W[j, i] != 0.0:
                return True
    return False


@kernel(allocates=True)
def islands(W: FloatArray, first: IntArray, island: IntArray) -> int:
    """The number of the island of each contact into `island`; how many there are."""
    nc, found = island.size, 0
    queue = np.empty(nc, np.int64)
    for k in range(nc):
        island[k] = -1
    for begin in range(nc):
        if island[begin] >= 0:
            continue
        island[begin], queue[0], done, many = found, begin, 0, 1
        while done < many:
            k = queue[done]
            done += 1
            for m in range(nc):
                if island[m] < 0 and acts_on(W, first, k, m):
                    island[m], queue[many] = found, m
                    many += 1
        found += 1
    return found


@kernel(SOLVE_CONTACTS, apart=True, allocates=True)
def solve_contacts(
    W: FloatArray,
    b: FloatArray,
    first: IntArray,
    mu: FloatArray,
    base: FloatArray,
    sliding: IntArray,
    direction: FloatArray,
    tolerance: float,
    p: FloatArray,
) -> int:
    """Solve a contact problem from the guess p, into p; NOT_CONVERGED where no way leads to its
    solution, or there is none."""
    nc = first.size - 1
    island = np.empty(nc, np.int64)
    count = islands(W, first, island)
    if count <= 1:
        return solve_island(W, b, first, mu, base, sliding, direction, tolerance, p)
    for here in range(count):
        own = np.flatnonzero(island == here)
        begins = np.zeros(own.size + 1, np.int64)
        for i in range(own.size):
            begins[i + 1] = begins[i] + first[own[i] + 1] - first[own[i]]
        rows = np.empty(begins[own.size], np.int64)
        for i in range(own.size):
            for j in range(begins[i + 1] - begins[i]):
                rows[begins[i] + j] = first[own[i]] + j
        part = np.empty((rows.size, rows.size))
        for i in range(rows.size):
            for j in range(rows.size):
                part[i, j] = W[rows[i], rows[j]]
        x = p[rows]
        status = solve_island(
            part, b[rows], begins, mu[own], base[own], sliding[own], direction[rows], tolerance, x
        )  # fmt: skip
        if status != OK:
            return status
        for i in range(rows.size):
            p[rows[i]] = x[i]
    return OK
