"""Sparse factors of matrices of contacts, which have entries only where contacts act on each other:
through a body that both touch, or through joints between their bodies.

Contacts that act on the fewest others are eliminated first, block by block,

    [ D  Y ]
    [ Z  C ]      U = D⁻¹Y,    C ← C − Z U,

until what is left is nearly full: that is inverted as a whole, with pivots. Between contacts no
rows are exchanged, so that a solution may be poor: it is corrected by what it misses, and the full
matrix is taken where that does not help.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from isodyn.kernels.compiled import FloatArray, IntArray, kernel
from isodyn.linear_solvers.shortest import SHIFT, solve_shifted

if TYPE_CHECKING:
    from isodyn.open_types import BoolArray

NEARLY_FULL = 0.75  # of the contacts that are left: so many neighbours of each of them
NO_PIVOT = 1e-14  # smaller pivots are replaced by this
CORRECTIONS = 3
GOOD = 1e-6  # a solution that misses no more than this part of the right-hand side is good enough …
FINE = 1e-12  # … and one that misses so little is not corrected where it need not be better


class ContactFactors(NamedTuple):
    """Factors in the order of elimination: A with D⁻¹, U and Z in it, where contacts begin there,
    which contacts these were, runs of components that each of them touches later (begin and end in
    turn), how many contacts are eliminated one by one, and the inverse of what is left then."""

    A: FloatArray
    first: IntArray
    order: IntArray
    runs: IntArray
    ends: IntArray
    sparse: int
    inverse: FloatArray


@kernel(allocates=True)
def neighbours(A: FloatArray, first: IntArray) -> BoolArray:
    """Whether contacts have entries in common."""
    many = first.size - 1
    near = np.zeros((many, many), np.bool_)
    for k in range(many):
        for i in range(first[k], first[k + 1]):
            for m in range(many):
                for j in range(first[m], first[m + 1]):
                    if A[i, j] != 0.0:
                        near[k, m] = near[m, k] = True
    return near


@kernel()
def join_neighbours(near: BoolArray, best: int, gone: BoolArray, mine: IntArray, degree: IntArray) -> None:
    """What is left beside a contact that goes has entries in common afterwards."""
    count = 0
    for m in range(degree.size):
        if near[best, m] and not gone[m]:
            mine[count] = m
            count += 1
    for a in range(count):
        degree[mine[a]] -= 1
        for b in range(a):
            i, j = mine[a], mine[b]
            if not near[i, j]:
                near[i, j] = near[j, i] = True
                degree[i] += 1
                degree[j] += 1


@kernel(allocates=True)
def least_degree(near: BoolArray, order: IntArray) -> int:
    """The order of elimination, fewest neighbours first, and how many go one by one; `near` is
    then the pattern of the factors."""
    many = order.size
    degree, gone, mine = np.zeros(many, np.int64), np.zeros(many, np.bool_), np.empty(many, np.int64)
    for k in range(many):
        for m in range(many):
            degree[k] += 1 if near[k, m] and m != k else 0
    for place in range(many):
        best = -1
        for k in range(many):
            if not gone[k] and (best < 0 or degree[k] < degree[best]):
                best = k
        if degree[best] >= NEARLY_FULL * (many - place - 1):
            rest = place
            for k in range(many):
                if not gone[k]:
                    order[rest] = k
                    rest += 1
            return place
        order[place], gone[best] = best, True
        join_neighbours(near, best, gone, mine, degree)
    return many


@kernel(allocates=True)
def in_order(A: FloatArray, first: IntArray, order: IntArray, begins: IntArray) -> FloatArray:
    """A with a small shift, with its contacts in the order of elimination."""
    n = A.shape[0]
    new = np.empty((n, n))
    for a in range(order.size):
        for b in range(order.size):
            k, m = first[order[a]], first[order[b]]
            for i in range(begins[a + 1] - begins[a]):
                for j in range(begins[b + 1] - begins[b]):
                    new[begins[a] + i, begins[b] + j] = A[k + i, m + j]
    for i in range(n):
        new[i, i] += SHIFT
    return new


@kernel(allocates=True)
def runs_of(near: BoolArray, order: IntArray, begins: IntArray, ends: IntArray) -> IntArray:
    """Runs of components that each contact which goes alone touches later; contact a has those up
    to ends[a + 1]. In what is left then, a run goes on to its end."""
    many, sparse, count = order.size, ends.size - 1, 0
    runs = np.empty(many * many + 2, np.int64)
    for a in range(sparse):
        last = -1
        for b in range(a + 1, many):
            if not (near[order[a], order[b]] or (b >= sparse and last == begins[b])):
                continue
            if last == begins[b]:
                runs[count - 1] = begins[b + 1]
            else:
                runs[count], runs[count + 1] = begins[b], begins[b + 1]
                count += 2
            last = begins[b + 1]
        ends[a + 1] = count
    return runs[:count].copy()


@kernel()
def invert_in_place(A: FloatArray, i: int, size: int) -> None:
    """The block of a contact at A[i, i] becomes its inverse, component by component (Jordan); the
    largest on the diagonal goes first."""
    done = 0  # bits of those that went
    for _ in range(size):
        best, largest = 0, -1.0
        for k in range(size):
            if done & (1 << k) == 0 and not abs(A[i + k, i + k]) <= largest:
                best, largest = k, abs(A[i + k, i + k])
        done |= 1 << best
        k = i + best
        pivot = A[k, k] if abs(A[k, k]) > NO_PIVOT else NO_PIVOT
        A[k, k] = 1.0
        for j in range(i, i + size):
            A[k, j] /= pivot
        for m in range(i, i + size):
            if m != k:
                f = A[m, k]
                A[m, k] = 0.0
                for j in range(i, i + size):
                    A[m, j] -= f * A[k, j]


@kernel()
def eliminate_contact(f: ContactFactors, a: int) -> None:
    """One contact: D⁻¹, U = D⁻¹Y, C ← C − Z U."""
    A, i = f.A, f.first[a]
    size = f.first[a + 1] - i
    invert_in_place(A, i, size)
    one, two = i + min(1, size - 1), i + min(2, size - 1)
    d = A[i : i + size, i : i + size]
    for run in range(f.ends[a], f.ends[a + 1], 2):
        for j in range(f.runs[run], f.runs[run + 1]):
            y_0, y_1, y_2 = A[i, j], A[one, j], A[two, j]
            A[i, j] = d[0, 0] * y_0
            if size > 1:
                A[i, j] += d[0, 1] * y_1
                A[one, j] = d[1, 0] * y_0 + d[1, 1] * y_1
            if size > 2:
                A[i, j] += d[0, 2] * y_2
                A[one, j] += d[1, 2] * y_2
                A[two, j] = d[2, 0] * y_0 + d[2, 1] * y_1 + d[2, 2] * y_2
    for down in range(f.ends[a], f.ends[a + 1], 2):
        for row in range(f.runs[down], f.runs[down + 1]):
            z_0 = A[row, i]
            z_1 = A[row, one] if size > 1 else 0.0
            z_2 = A[row, two] if size > 2 else 0.0
            if z_0 == 0.0 and z_1 == 0.0 and z_2 == 0.0:
                continue
            for run in range(f.ends[a], f.ends[a + 1], 2):
                begin, end = f.runs[run], f.runs[run + 1]
                c, u_0, u_1, u_2 = A[row, begin:end], A[i, begin:end], A[one, begin:end], A[two, begin:end]
                for j in range(end - begin):
                    c[j] -= z_0 * u_0[j] + z_1 * u_1[j] + z_2 * u_2[j]


@kernel(allocates=True)
def factor_contact_matrix(A: FloatArray, first: IntArray) -> ContactFactors:
    """Factors of A with a small shift of its diagonal; contact k has the components first[k] …
    first[k + 1], at most three."""
    many, n = first.size - 1, A.shape[0]
    order, begins = np.empty(many, np.int64), np.zeros(many + 1, np.int64)
    near = neighbours(A, first)
    sparse = least_degree(near, order)
    for place in range(many):
        begins[place + 1] = begins[place] + first[order[place] + 1] - first[order[place]]
    ends, tail = np.zeros(sparse + 1, np.int64), n - begins[sparse]
    new, runs = in_order(A, first, order, begins), runs_of(near, order, begins, ends)
    f = ContactFactors(new, begins, order, runs, ends, sparse, np.zeros((tail, tail)))
    for a in range(sparse):
        eliminate_contact(f, a)
    rest = new[begins[sparse] :, begins[sparse] :].copy()
    if rest.size > 0 and np.isfinite(rest).all():
        f.inverse[:, :] = np.linalg.inv(rest)
    return f


@kernel(allocates=True)
def go_forward(f: ContactFactors, y: FloatArray) -> None:
    """Eliminate the contacts that go one by one from y, in their order."""
    A, part = f.A, np.zeros(3)
    for a in range(f.sparse):
        i, size = f.first[a], f.first[a + 1] - f.first[a]
        for s in range(size):
            part[s] = 0.0
            for j in range(size):
                part[s] += A[i + s, i + j] * y[i + j]
        for s in range(size):
            y[i + s] = part[s]
        for run in range(f.ends[a], f.ends[a + 1], 2):
            for row in range(f.runs[run], f.runs[run + 1]):
                for s in range(size):
                    y[row] -= A[row, i + s] * part[s]


@kernel(allocates=True)
def solve_by_factors(f: ContactFactors, first: IntArray, x: FloatArray) -> None:
    """Overwrite x by the solution."""
    y = np.empty(x.size)
    for a in range(f.order.size):
        for i in range(f.first[a + 1] - f.first[a]):
            y[f.first[a] + i] = x[first[f.order[a]] + i]
    go_forward(f, y)
    begin = f.first[f.sparse]
    rest = y[begin:].copy()
    for i in range(rest.size):
        y[begin + i] = 0.0
        for j in range(rest.size):
            y[begin + i] += f.inverse[i, j] * rest[j]
    for a in range(f.sparse - 1, -1, -1):
        i = f.first[a]
        for s in range(f.first[a + 1] - i):
            for run in range(f.ends[a], f.ends[a + 1], 2):
                for j in range(f.runs[run], f.runs[run + 1]):
                    y[i + s] -= f.A[i + s, j] * y[j]
    for a in range(f.order.size):
        for i in range(f.first[a + 1] - f.first[a]):
            x[first[f.order[a]] + i] = y[f.first[a] + i]


@kernel(allocates=True)
def solve_refined(f: ContactFactors, A: FloatArray, first: IntArray, enough: float, x: FloatArray) -> float:
    """x ← (A + ε)⁻¹ x by its factors, corrected by what it misses until that is less than `enough`
    of the right-hand side; what it is in the end."""
    n = x.size
    b, found, missed, most = x.copy(), x.copy(), np.empty(n), 1e-300
    solve_by_factors(f, first, found)
    best = np.inf
    for i in range(n):
        most = max(most, abs(b[i]))
    for turn in range(CORRECTIONS + 1):
        largest = 0.0
        for i in range(n):
            total = b[i] - SHIFT * found[i]
            for j in range(n):
                total -= A[i, j] * found[j]
            missed[i] = total
            if not abs(total) <= largest:
                largest = abs(total)
        if not largest < best:
            break
        best = largest
        for i in range(n):
            x[i] = found[i]
        if best <= enough * most or turn == CORRECTIONS:
            break
        solve_by_factors(f, first, missed)
        for i in range(n):
            found[i] += missed[i]
    return best / most


@kernel(allocates=True)
def solve_contact_matrix(f: ContactFactors, A: FloatArray, first: IntArray, enough: float, x: FloatArray) -> bool:
    """x ← (A + ε)⁻¹ x by its factors; by the full matrix where they are not good enough, which is
    told."""
    b = x.copy()
    if solve_refined(f, A, first, enough, x) <= GOOD:
        return True
    for i in range(x.size):
        x[i] = b[i]
    solve_shifted(A.copy(), x)
    return False
