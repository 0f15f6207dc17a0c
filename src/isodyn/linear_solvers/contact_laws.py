"""What contacts obey: the laws of a contact problem (isodyn.linear_solvers.complementarity), and
its operator W.

Two-sided contacts, whose normal force is carried by constraints (friction in a joint, a bead on a
wire), have p_N = |N|, N = fixed + lever p, with the components bears[k] … bears[k + 1] of N; rows
and columns of W are zero for their p_N. N has either sign, and |p_T| ≤ μ|N|.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numba import types

from isodyn.kernels.compiled import F2, F, FloatArray, I, IntArray, kernel


class Laws(NamedTuple):
    """What contacts obey: where their components begin, their friction, and what carries the
    two-sided ones."""

    first: IntArray
    mu: FloatArray
    base: FloatArray
    sliding: IntArray
    direction: FloatArray
    bears: IntArray
    fixed: FloatArray
    lever: FloatArray


LAWS = types.NamedTuple((I, F, F, I, F, I, F, F2), Laws)


def one_sided_laws(first: IntArray, mu: FloatArray) -> Laws:
    """Contacts that only push, whose slip is not known."""
    n, many = int(first[-1]), mu.size
    none, flat = np.zeros(many), np.zeros(many, np.int64)
    bears = np.zeros(many + 1, np.int64)
    return Laws(first, mu, none, flat, np.zeros(n), bears, np.zeros(0), np.zeros((0, n)))


class Delassus(NamedTuple):
    """W, where in each of its rows there are entries, these one after the other, and r."""

    W: FloatArray
    starts: IntArray
    columns: IntArray
    values: FloatArray
    r: FloatArray


@kernel()
def is_two_sided(laws: Laws, k: int) -> bool:
    """Whether constraints carry the normal force of contact k."""
    return bool(laws.bears[k + 1] > laws.bears[k])


@kernel()
def carried(laws: Laws, k: int, p: FloatArray, slope: FloatArray) -> float:
    """|N| of a two-sided contact, and ∂|N|/∂p."""
    size = 0.0
    for i in range(p.size):
        slope[i] = 0.0
    for m in range(laws.bears[k], laws.bears[k + 1]):
        N = laws.fixed[m]
        for j in range(p.size):
            N += laws.lever[m, j] * p[j]
        size += N * N
        for j in range(p.size):
            slope[j] += N * laws.lever[m, j]
    size = np.sqrt(size)
    for j in range(p.size):
        slope[j] = slope[j] / size if size > 0.0 else 0.0
    return size


@kernel()
def has_entries(W: FloatArray, first: IntArray, k: int, m: int) -> bool:
    """Whether rows of contact k have entries for contact m."""
    for i in range(first[k], first[k + 1]):
        for j in range(first[m], first[m + 1]):
            if W[i, j] != 0.0:
                return True
    return False


@kernel(allocates=True)
def operator(W: FloatArray, laws: Laws) -> Delassus:
    """W with its pattern, by blocks of contacts. r = 1/W_ii; the tangents of a contact share the
    smallest, normal components of two-sided ones have none."""
    n, many, first = W.shape[0], 0, laws.first
    starts, columns, values, r = np.zeros(n + 1, np.int64), np.empty(n * n, np.int64), np.empty(n * n), np.empty(n)
    for k in range(first.size - 1):
        begin = many
        for m in range(first.size - 1):
            if k == m or has_entries(W, first, k, m):
                for j in range(first[m], first[m + 1]):
                    columns[many] = j
                    many += 1
        size = many - begin
        for i in range(first[k], first[k + 1]):  # all rows of a contact have the same columns
            starts[i + 1] = starts[i] + size
            for j in range(size):
                columns[starts[i] + j] = columns[begin + j]
        many = starts[first[k + 1]]
    for i in range(n):
        for k in range(starts[i], starts[i + 1]):
            values[k] = W[i, columns[k]]
    for k in range(laws.first.size - 1):
        i = laws.first[k]
        r[i] = 0.0 if is_two_sided(laws, k) else 1.0 / max(W[i, i], 1e-300)
        largest = 1e-300
        for j in range(i + 1, laws.first[k + 1]):
            largest = max(largest, W[j, j])
        for j in range(i + 1, laws.first[k + 1]):
            r[j] = 1.0 / largest
    return Delassus(W, starts, columns, values, r)


@kernel()
def row_times(d: Delassus, i: int, p: FloatArray) -> float:
    """Row i of W p."""
    found = 0.0
    for k in range(d.starts[i], d.starts[i + 1]):
        found += d.values[k] * p[d.columns[k]]
    return found


@kernel()
def rim(k: int, p: FloatArray, u: FloatArray, laws: Laws, r: FloatArray) -> tuple[float, float, float]:
    """Of contact k: the normal component of the projection, the radius of its cone, and |p_T − r
    u_T|."""
    i = laws.first[k]
    push = max(0.0, p[i] - r[i] * u[i])
    size = 0.0
    for j in range(i + 1, laws.first[k + 1]):
        size += (p[j] - r[j] * u[j]) ** 2
    return push, laws.mu[k] * (push + laws.base[k]), np.sqrt(size)


@kernel()
def size_of(d: Delassus, b: FloatArray, laws: Laws) -> float:
    """The largest of r b, and of the forces that constraints carry anyway."""
    scale = 1e-300
    for i in range(b.size):
        scale = max(scale, abs(d.r[i] * b[i]))
    for m in range(laws.fixed.size):
        scale = max(scale, abs(laws.fixed[m]))
    return scale


@kernel(allocates=True)
def scaled(W: FloatArray, first: IntArray, s: FloatArray) -> FloatArray:
    """W with rows and columns divided by the s of each contact, √ of its largest W_ii."""
    n, out = W.shape[0], np.empty(W.shape)
    for k in range(first.size - 1):
        largest = 0.0
        for i in range(first[k], first[k + 1]):
            largest = max(largest, W[i, i])
        for i in range(first[k], first[k + 1]):
            s[i] = np.sqrt(largest) if largest > 0.0 else 1.0
    for i in range(n):
        for j in range(n):
            out[i, j] = W[i, j] / (s[i] * s[j])
    return out


@kernel(allocates=True)
def scaled_laws(laws: Laws, s: FloatArray) -> Laws:
    """The laws of forces times s."""
    base, fixed, lever = laws.base.copy(), laws.fixed.copy(), laws.lever.copy()
    for k in range(base.size):
        own = s[laws.first[k]]
        base[k] *= own
        for m in range(laws.bears[k], laws.bears[k + 1]):
            fixed[m] *= own
            for j in range(s.size):
                lever[m, j] *= own / s[j]
    return Laws(laws.first, laws.mu, base, laws.sliding, laws.direction, laws.bears, fixed, lever)
