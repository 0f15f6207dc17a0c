"""One linear system cut into subdomains.

By elements: each subdomain assembles its own, and a coordinate that elements of several subdomains
share appears in each of them, tied. By index sets: an entry (i, j) of M, C or K is divided among
the subdomains that hold both i and j, in proportion to their weights (equal parts by default);
entries that no subdomain holds are refused. Of a diagonal entry a subdomain gets as much as its
share of the others in that row, Σ_j |A_ij|, and of what remains its weight: springs go with their
own stiffness, and no part of a diagonally dominant matrix is indefinite. By bodies: sets of names;
what couples bodies of two sets goes to the one named first, which then also holds the coordinates
at its other end. The sum of the parts is the undivided matrix in all cases, so that tied subdomains
move like it. Loads are divided by the weights.

Coordinates in k subdomains get k − 1 ties, from the first to the second, the second to the third
and so on: none is redundant.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from itertools import pairwise
from typing import TYPE_CHECKING, Any

import numpy as np
import scipy.sparse as sp

from isodyn.errors import InputError
from isodyn.kernels.compiled import FloatArray, IntArray
from isodyn.subdomains.elements import Elements
from isodyn.subdomains.ties import Subdomains, named, named_coordinates
from isodyn.systems import LinearSystem, checks

if TYPE_CHECKING:
    from isodyn.open_types import Matrix


def partition(
    system: LinearSystem | Elements,
    sets: Mapping[str, Any],
    *,
    weights: Mapping[str, float] | None = None,
    overlap: bool | None = None,
) -> Subdomains:
    """Divide a linear system into subdomains, tied where they meet.

    Parameters
    ----------
    system
        A `LinearSystem`, cut by sets of coordinates or bodies; or `Elements`, cut by sets of
        element numbers.
    sets
        {"name": indices, ...}. Coordinates may be in several sets, elements in one only. Names in
        place of numbers are those of coordinates, or of bodies: "cart" stands for "cart.x",
        "cart.y", …
    weights
        Weights of the subdomains for what they share: entries of matrices (not of elements) and
        loads; equal by default.
    overlap
        Whether couplings across a cut bring the coordinates at their far end along; by default with
        names, not with numbers.

    Returns
    -------
    sub
        The subdomains.

    Raises
    ------
    InputError
        If the sets do not cover the system.

    Examples
    --------
    >>> import numpy as np, isodyn as iso
    >>> K = np.array([[2.0, -1.0, 0.0], [-1.0, 2.0, -1.0], [0.0, -1.0, 2.0]])
    >>> chain = iso.LinearSystem(M=1.0, C=None, K=K, f=None, q0=[0.0, 0.0, 1.0], v0=[0.0, 0.0, 0.0])
    >>> sub = iso.partition(chain, {"left": [0, 1], "right": [1, 2]})
    >>> sub.systems["left"].M.tolist(), sub.row_names
    ([[1.0, 0.0], [0.0, 0.5]], ('left.q1 = right.q1',))
    """
    if not isinstance(sets, Mapping) or not sets:
        raise InputError(f"sets must be a mapping such as {{'left': [0, 1], 'right': [1, 2]}}, received {sets!r}")
    if isinstance(system, Elements):
        return _by_elements(system, sets, weights)
    if not isinstance(system, LinearSystem):
        raise InputError(
            f"partition takes a LinearSystem or Elements, received {type(system).__name__}",
            hint="systems of other kinds are tied as they are: iso.Subdomains({...}, ties=[...])",
        )
    if system.G is not None:
        raise InputError(
            f"a system with constraints cannot be partitioned, received one with {system.m}",
            hint="give the parts with rows of their own, and tie them: iso.Subdomains({...}, ties=[...])",
        )
    by_name = any(named(indices) for indices in sets.values())
    places = {
        name: _places(name, named_coordinates(name, indices, system.names) if named(indices) else indices, system.nv)
        for name, indices in sets.items()
    }
    _cover(places, system.nv)
    if overlap if overlap is not None else by_name:
        places = grown(places, system)
    weight = _weights(weights, places)
    shares = {}
    for name in ("M", "C", "K"):
        matrix = getattr(system, name)
        if matrix is not None:
            shares[name] = _divided(name, sp.coo_array(matrix), places, weight, system)
    dense = not any(sp.issparse(A) for A in (system.M, system.C, system.K))
    parts = {}
    for name, at in places.items():
        M, C, K = (
            None if key not in shares else shares[key][name].toarray() if dense else shares[key][name]
            for key in ("M", "C", "K")
        )
        parts[name] = _part(system, at, M, C, K, _load_share(name, places, weight, system.nv))
    return _tied(parts, places, system.nv)


def grown(places: dict[str, IntArray], system: LinearSystem) -> dict[str, IntArray]:
    """Sets with the far ends of couplings that none of them holds: the set named first takes them
    in."""
    holds = {name: set(at.tolist()) for name, at in places.items()}
    for matrix in (system.M, system.C, system.K):
        if matrix is None:
            continue
        entries = sp.coo_array(matrix)
        for i, j in zip(entries.row[entries.data != 0].tolist(), entries.col[entries.data != 0].tolist(), strict=True):
            if not any(i in held and j in held for held in holds.values()):
                first = next(held for held in holds.values() if i in held or j in held)
                first |= {i, j}
    return {name: np.array(sorted(held), dtype=np.int64) for name, held in holds.items()}


def _by_elements(elements: Elements, sets: Mapping[str, Any], weights: Mapping[str, float] | None) -> Subdomains:
    dofs, n = np.asarray(elements.dofs), np.size(elements.q0)
    numbers = {name: _places(name, chosen, dofs.shape[0]) for name, chosen in sets.items()}
    owner = np.zeros(dofs.shape[0], dtype=np.int64)
    for chosen in numbers.values():
        owner[chosen] += 1
    if (owner != 1).any():
        worst = int(np.flatnonzero(owner != 1)[0])
        raise InputError(
            f"every element belongs to one subdomain, but element {worst} is in {owner[worst]}",
            hint="the sets must cover all elements without overlap",
        )
    places = {name: np.unique(dofs[chosen][dofs[chosen] >= 0]).astype(np.int64) for name, chosen in numbers.items()}
    _cover(places, n)
    weight = _weights(weights, places)
    undivided = elements.assemble()
    parts = {}
    for name, at in places.items():
        M, C, K = (_cut(elements.matrix(key, numbers[name]), at) for key in ("M", "C", "K"))
        parts[name] = _part(undivided, at, M, C, K, _load_share(name, places, weight, n))
    return _tied(parts, places, n)


def _part(system: LinearSystem, at: IntArray, M: Matrix, C: Matrix, K: Matrix, share: FloatArray) -> LinearSystem:
    """The subdomain that holds the coordinates `at`, with its share of the load."""
    f = system.f
    names = [system.names[i] for i in at]
    load: Any = None if f is None else share * f[at] if not callable(f) else _Share(f, at, share, system.nv)
    return LinearSystem(M, C, K, load, system.q0[at], system.v0[at], names=names, indefinite=True)


@dataclass(frozen=True, eq=False)
class _Share:
    """A part of the load f(t) of the undivided system."""

    f: Any
    at: IntArray
    share: FloatArray
    n: int

    def __call__(self, t: float) -> FloatArray:
        whole = checks.returned("f", self.f(t), (self.n,), t)
        part: FloatArray = self.share * whole[self.at]
        return part


def _tied(parts: dict[str, LinearSystem], places: dict[str, IntArray], n: int) -> Subdomains:
    """Subdomains with ties between neighbours in the list of those that hold a coordinate."""
    holders: list[list[tuple[str, int]]] = [[] for _ in range(n)]
    for name, at in places.items():
        for local, i in enumerate(at.tolist()):
            holders[i].append((name, local))
    ties: dict[tuple[str, str], tuple[list[int], list[int]]] = {}
    for held in holders:
        for (first, i), (second, j) in pairwise(held):
            left, right = ties.setdefault((first, second), ([], []))
            left.append(i)
            right.append(j)
    sub = Subdomains(parts, [(first, i, second, j) for (first, second), (i, j) in ties.items()])
    sub.indices, sub.undivided = places, n
    return sub


def _places(name: str, indices: object, n: int) -> IntArray:
    array = np.atleast_1d(np.asarray(indices))
    if array.ndim != 1 or array.size == 0 or array.dtype.kind not in "iu":
        raise InputError(f"the set of {name!r} must hold whole numbers, at least one, received {indices!r}")
    if array.min() < 0 or array.max() >= n:
        raise InputError(f"the set of {name!r} must lie between 0 and {n - 1}, received {array.min()} to {array.max()}")
    if np.unique(array).size != array.size:
        raise InputError(f"the set of {name!r} names a number twice")
    return array.astype(np.int64)


def _cover(places: dict[str, IntArray], n: int) -> None:
    missing = np.setdiff1d(np.arange(n), np.concatenate([np.zeros(0, dtype=np.int64), *places.values()]))
    if missing.size:
        raise InputError(
            f"coordinate {missing[0]} is in no subdomain" + (f", nor are {missing.size - 1} more" * (missing.size > 1)),
            hint="the sets together must hold every coordinate",
        )


def _weights(weights: Mapping[str, float] | None, places: Mapping[str, Any]) -> dict[str, float]:
    weight: Any = dict.fromkeys(places, 1.0) if weights is None else weights
    if (
        not isinstance(weight, Mapping)
        or set(weight) != set(places)
        or not all(isinstance(w, int | float | np.number) and 0.0 < w < np.inf for w in weight.values())
    ):
        raise InputError(f"weights must hold a positive number for each of {list(places)}, received {weights!r}")
    return {name: float(w) for name, w in weight.items()}


def _load_share(name: str, places: dict[str, IntArray], weight: dict[str, float], n: int) -> FloatArray:
    """What part of the load at its coordinates a subdomain carries."""
    total = np.zeros(n)
    for other, at in places.items():
        total[at] += weight[other]
    share: FloatArray = weight[name] / total[places[name]]
    return share


def _cut(matrix: Matrix, at: IntArray) -> Matrix:
    return None if matrix is None else sp.csr_array(sp.csr_array(matrix)[at][:, at])


def _divided(
    key: str, matrix: Matrix, places: dict[str, IntArray], weight: dict[str, float], system: LinearSystem
) -> dict[str, Any]:
    """Shares of one matrix by subdomain."""
    n, total = matrix.shape[0], np.zeros(matrix.nnz)
    inside = {}
    for name, at in places.items():
        local = np.full(n, -1, dtype=np.int64)
        local[at] = np.arange(at.size)
        i, j = local[matrix.row], local[matrix.col]
        inside[name] = i, j, (i >= 0) & (j >= 0)
        total += weight[name] * inside[name][2]
    lost = np.flatnonzero((total == 0.0) & (matrix.data != 0.0))
    if lost.size:
        i, j = int(matrix.row[lost[0]]), int(matrix.col[lost[0]])
        raise InputError(
            f"{key}[{i}, {j}] couples {system.names[i]!r} with {system.names[j]!r}, but no subdomain holds both",
            hint="neighbouring subdomains share the coordinates between them",
        )
    diagonal = matrix.row == matrix.col
    beside = np.bincount(matrix.row[~diagonal], np.abs(matrix.data[~diagonal]), minlength=n)
    shares = {}
    for name, (i, j, both) in inside.items():
        share = np.zeros(matrix.nnz)
        share[both] = weight[name] * matrix.data[both] / total[both]
        own = np.bincount(matrix.row[~diagonal], np.abs(share[~diagonal]), minlength=n)
        rest = diagonal & both
        at = matrix.row[rest]
        share[rest] = own[at] + weight[name] / total[rest] * (matrix.data[rest] - beside[at])
        shares[name] = sp.csr_array((share[both], (i[both], j[both])), shape=(places[name].size, places[name].size))
    return shares
