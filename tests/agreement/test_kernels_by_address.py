"""A kernel called at its address does what its copy would do, also when caller and callee come from
the cache of another process."""

from __future__ import annotations

import subprocess
import sys
from collections import namedtuple

import numpy as np
import pytest
from numba import types

from isodyn.kernels.compiled import F, f8, i8, kernel
from isodyn.kernels.lowering import Reference, by_address, by_reference

Pair = namedtuple("Pair", "x factor")
PAIR = types.NamedTuple((F, f8), Pair)
SCALE, TOTAL = types.void(F, i8, f8), f8(Reference(PAIR), i8)


@kernel(SCALE)
def scale(x, first, factor):
    for i in range(first, x.size):
        x[i] *= factor


@kernel(TOTAL, inner=True)
def total(r, first):
    found = 0.0
    for i in range(first, r.x.size):
        found += r.factor * r.x[i]
    return found


@kernel(SCALE)
def refuse(x, first, factor):
    if factor < 0.0:
        raise ValueError("negative")


scale_there, total_there = by_address(scale, SCALE), by_address(total, TOTAL)
refuse_there = by_address(refuse, SCALE)


@kernel(f8(F, f8))
def both(x, factor):
    scale_there(x, 1, factor)
    return total_there(by_reference(Pair(x, 10.0)), 0)


@kernel(f8(F, f8))
def after_asking(x, factor):
    refuse_there(x, 0, factor)
    return 1.0


def test_an_exception_passes_through() -> None:
    """As one of a user's compiled function does that such a kernel asks."""
    assert after_asking(np.zeros(1), 1.0) == 1.0
    with pytest.raises(ValueError, match="negative"):
        after_asking(np.zeros(1), -1.0)


@pytest.mark.parametrize("factor", [2.0, -0.5])
def test_the_same_as_in_place(factor: float) -> None:
    x = np.arange(4.0) + 1.0
    expected = np.array([1.0, 2.0 * factor, 3.0 * factor, 4.0 * factor])
    assert both(x, factor) == 10.0 * expected.sum()
    assert np.array_equal(x, expected)


def test_from_the_cache_of_another_process() -> None:
    """A fresh process loads what another one has compiled."""
    script = (
        "import sys, numpy as np; sys.path.insert(0, {!r}); import test_kernels_by_address as t;"
        "print(t.both(np.arange(4.0) + 1.0, 2.0), t.both.origin, t.total.origin)"
    ).format(str(__file__).rsplit("/", 1)[0])
    subprocess.run([sys.executable, "-c", script], capture_output=True, check=True)
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    assert done.stdout.split() == ["190.0", "loaded", "loaded"], done.stderr
