"""A named tuple handed over by reference is the same tuple."""

from __future__ import annotations

from collections import namedtuple

import numpy as np

from isodyn.kernels.compiled import F2, F, f8, i8, kernel
from isodyn.kernels.lowering import by_reference

Inner = namedtuple("Inner", "weights factor")
Outer = namedtuple("Outer", "x table factor inner")


@kernel()
def fill(r, i):
    """Row i of the table, through members of members; the number of entries."""
    for j in range(r.x.size):
        r.table[i, j] += r.factor * r.x[j] + r.inner.factor * r.inner.weights[j]
        r.x[j] += 1.0  # writes to arrays do not move the members
    return r.x.size


@kernel(i8(F, F2, f8, F))
def both_ways(x, table, factor, weights):
    value = Outer(x, table, factor, Inner(weights, 0.5))
    n = fill(by_reference(value), 0)
    return n + fill(value, 1)


def test_members_are_those_of_the_tuple() -> None:
    x, table, weights = np.arange(3.0), np.zeros((2, 3)), np.array([10.0, 20.0, 30.0])
    assert both_ways(x, table, 2.0, weights) == 6
    first = np.arange(3.0)
    assert np.array_equal(table, [2.0 * first + 0.5 * weights, 2.0 * (first + 1.0) + 0.5 * weights])
    assert np.array_equal(x, first + 2.0)
