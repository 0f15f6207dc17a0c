"""Null-space bases and the coordinates that may be called independent."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from isodyn.errors import InputError
from isodyn.gauss import bases, checks
from isodyn.gauss.bases import Basis
from isodyn.linear_solvers.rank import FloatArray, Rank, decide

if TYPE_CHECKING:
    from isodyn.open_types import Matrix


def null_space(A: Matrix, method: Basis = "qr", *, rcond: float | None = None) -> FloatArray:
    """Return V (n, n − rank) with A V = 0.

    Parameters
    ----------
    A
        Constraint matrix.
    method
        How V is found.
    rcond
        Relative tolerance of the rank.

    Returns
    -------
    V
        Orthonormal columns; with "partitioning" unit rows for the independent coordinates.

    Examples
    --------
    >>> import numpy as np
    >>> from isodyn.gauss import null_space
    >>> abs(null_space(np.array([[0.0, 1.0]]))).round(12).tolist()
    [[1.0], [0.0]]
    """
    checks.method_name(method, bases.BASES, "basis")
    E, _ = _independent(A, rcond)
    return bases.BY_NAME[method](E)


@dataclass(frozen=True)
class Partition:
    """Dependent and independent coordinates, as indices or names.

    Parameters
    ----------
    dependent
        Coordinates that follow from the others.
    independent
        The others.

    Examples
    --------
    >>> import numpy as np
    >>> from isodyn.gauss import partition
    >>> partition(np.array([[2.0, 1.0]]), names=["x", "y"])
    Partition(dependent=('x',), independent=('y',))
    """

    dependent: tuple[Any, ...]
    independent: tuple[Any, ...]


def partition(A: Matrix, names: Sequence[str] | None = None, *, rcond: float | None = None) -> Partition:
    """Divide coordinates into dependent and independent ones.

    Elimination with column pivoting chooses them [Pennestri2008 (18)–(20)].

    Parameters
    ----------
    A
        Constraint matrix.
    names
        Names of the coordinates.
    rcond
        Relative tolerance of the rank.

    Returns
    -------
    partition
        Indices, or names if they were given.

    Examples
    --------
    >>> import numpy as np
    >>> from isodyn.gauss import partition
    >>> partition(np.array([[2.0, 1.0]])).independent
    (1,)
    """
    E, _ = _independent(A, rcond)
    n = E.shape[1]
    if names is not None and len(names) != n:
        raise InputError(f"names must have {n} entries, one for each coordinate, received {names!r}")
    labels = range(n) if names is None else names
    dependent, independent = bases.partition(E)
    return Partition(tuple(labels[k] for k in dependent), tuple(labels[k] for k in independent))


def _independent(A: Matrix, rcond: float | None) -> tuple[FloatArray, Rank]:
    """The independent rows of A, scaled to unit length."""
    columns = np.shape(A)[1] if len(np.shape(A)) == 2 else 0
    A = checks.matrix("A", A, (None, columns), sparse=False)
    rank = decide(A, None, checks.tolerance(rcond))
    return rank.scale[rank.chosen, None] * A[rank.chosen], rank
