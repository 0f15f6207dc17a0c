"""Contact problems of many contacts: those that do not act on each other are solved apart.

Contacts of bodies that nothing else connects have no entries of W in common; each island is a
problem of its own (isodyn.linear_solvers.complementarity), and the cost is that of the islands.
"""

from __future__ import annotations

import numpy as np

from isodyn.kernels.compiled import OK, FloatArray, IntArray, kernel
from isodyn.linear_solvers.contact_laws import Laws, has_entries
from isodyn.linear_solvers.contact_ways import ADMISSIBLE, SOLVE_CONTACTS, solve_island


@kernel()
def loads(laws: Laws, k: int, m: int) -> bool:
    """Whether forces of contact m change what constraints carry for contact k."""
    for i in range(laws.bears[k], laws.bears[k + 1]):
        for j in range(laws.first[m], laws.first[m + 1]):
            if laws.lever[i, j] != 0.0:
                return True
    return False


@kernel()
def acts_on(W: FloatArray, laws: Laws, k: int, m: int) -> bool:
    """Whether contacts k and m act on each other."""
    if has_entries(W, laws.first, k, m) or has_entries(W, laws.first, m, k):
        return True
    return loads(laws, k, m) or loads(laws, m, k)


@kernel(allocates=True)
def islands(W: FloatArray, laws: Laws, island: IntArray) -> int:
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
                if island[m] < 0 and acts_on(W, laws, k, m):
                    island[m], queue[many] = found, m
                    many += 1
        found += 1
    return found


@kernel(allocates=True)
def part_of(starts: IntArray, own: IntArray) -> tuple[IntArray, IntArray]:
    """Components of some contacts: where they begin among themselves, and their numbers in all."""
    begins = np.zeros(own.size + 1, np.int64)
    for i in range(own.size):
        begins[i + 1] = begins[i] + starts[own[i] + 1] - starts[own[i]]
    rows = np.empty(begins[own.size], np.int64)
    for i in range(own.size):
        for j in range(begins[i + 1] - begins[i]):
            rows[begins[i] + j] = starts[own[i]] + j
    return begins, rows


@kernel(SOLVE_CONTACTS, apart=True, allocates=True)
def solve_contacts(W: FloatArray, b: FloatArray, laws: Laws, tolerance: float, p: FloatArray) -> int:
    """Solve a contact problem from the guess p, into p; ADMISSIBLE where p obeys the laws only
    roughly; NOT_CONVERGED where no way leads to its solution, or there is none."""
    island = np.empty(laws.first.size - 1, np.int64)
    count = islands(W, laws, island)
    if count <= 1:
        return solve_island(W, b, laws, tolerance, p)
    worst = OK
    for here in range(count):
        own = np.flatnonzero(island == here)
        begins, rows = part_of(laws.first, own)
        bears, borne = part_of(laws.bears, own)
        part, lever = np.empty((rows.size, rows.size)), np.empty((borne.size, rows.size))
        for j in range(rows.size):
            for i in range(rows.size):
                part[i, j] = W[rows[i], rows[j]]
            for i in range(borne.size):
                lever[i, j] = laws.lever[borne[i], rows[j]]
        x = p[rows]
        law = Laws(
            begins, laws.mu[own], laws.base[own], laws.sliding[own], laws.direction[rows], bears, laws.fixed[borne],
            lever,
        )  # fmt: skip
        status = solve_island(part, b[rows], law, tolerance, x)
        if status not in (OK, ADMISSIBLE):
            return status
        worst = max(worst, status)
        for i in range(rows.size):
            p[rows[i]] = x[i]
    return worst
