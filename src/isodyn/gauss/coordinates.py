"""Null-space bases and the coordinates that may be called independent."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from isodyn.errors import InputError
from isodyn.gauss import bases, checks
from isodyn.gauss.bases import Basis
from isodyn.linear_solvers.rank import FloatArray, Rank, decide


def null_space(A: Any, method: Basis = "qr", *, rcond: float | None = None) -> FloatArray:
    """V (n, n − rank) with A V = 0; orthonormal columns except for "partitioning", which has unit
    rows instead."""
    checks.method_name(method, bases.BASES, "basis")
    E, _ = _independent(A, rcond)
    return bases.BY_NAME[method](E)


@dataclass(frozen=True)
class Partition:
    """Coordinates that follow from the others, and those: indices, or names where they were
    given."""

    dependent: tuple[Any, ...]
    independent: tuple[Any, ...]


def partition(A: Any, names: Sequence[str] | None = None, *, rcond: float | None = None) -> Partition:
    """Dependent and independent coordinates u and v [Pennestri2008 (18)–(20)], by elimination with
    column pivoting."""
    E, _ = _independent(A, rcond)
    n = E.shape[1]
    if names is not None and len(names) != n:
        raise InputError(f"names must have {n} entries, one for each coordinate, received {names!r}")
    labels = range(n) if names is None else names
    dependent, independent = bases.partition(E)
    return Partition(tuple(labels[k] for k in dependent), tuple(labels[k] for k in independent))


def _independent(A: Any, rcond: float | None) -> tuple[FloatArray, Rank]:
    """The independent rows of A, scaled to unit length."""
    columns = np.shape(A)[1] if len(np.shape(A)) == 2 else 0
    A = checks.matrix("A", A, (None, columns), sparse=False)
    rank = decide(A, None, checks.tolerance(rcond))
    return rank.scale[rank.chosen, None] * A[rank.chosen], rank
