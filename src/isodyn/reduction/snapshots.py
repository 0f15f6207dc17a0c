"""Snapshots: states of one or more runs as the columns of a matrix.

    A = [q(t₁) … q(t_k)]                                            [Shimada2014 (C.3)]
    A = [q(t₁) − q̄ … q(t_k) − q̄],   q̄ = (1/k) Σ q(t_i)              centred [Shimada2014 (C.1), (C.2)]

Columns may be displacements, velocities or accelerations. What is subtracted from displacements
stays in the ansatz q ≈ q̄ + V ξ; the mean of velocities or accelerations has no place there.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Literal, NamedTuple

import numpy as np

from isodyn.errors import InputError
from isodyn.kernels.compiled import FloatArray, IntArray
from isodyn.results.solution import Solution

Kind = Literal["q", "v", "a"]
WITNESSES = 12  # states that a basis remembers


class Witness(NamedTuple):
    """A state of the run that the snapshots come from: a reduced system has to be able to pass
    through it."""

    t: float
    q: FloatArray
    v: FloatArray


def solutions(source: object) -> tuple[Solution, ...]:
    """One solution, or several."""
    several = (source,) if isinstance(source, Solution) else tuple(source) if isinstance(source, Iterable) else (None,)
    if not all(isinstance(sol, Solution) for sol in several):
        hint = 'of subdomains one: sol["name"]' if isinstance(source, Mapping) else "iso.integrate makes one"
        mapping = isinstance(source, Mapping | str)
        wrong = source if mapping else next((one for one in several if not isinstance(one, Solution)), None)
        what = type(source if wrong is None else wrong).__name__
        raise InputError(f"snapshots come from a solution or a sequence of solutions, received {what}", hint=hint)
    if not several:
        raise InputError("there are no snapshots: the sequence of solutions is empty")
    return several


def histories(sol: Solution, of: Kind) -> FloatArray:
    """Rows in time of q, v or a; of a first-order system s stands for q and s' for v."""
    if of not in ("q", "v", "a") or (of == "a" and sol.system.first_order):
        raise InputError(
            f"snapshots are of 'q', 'v' or 'a', received {of!r}",
            hint="of a first-order system 'q' (s) or 'v' (its rate)",
        )
    name = {"q": "v", "v": "a"}[of] if sol.system.first_order else of
    wanted = sol.system.nq if name == "q" else sol.system.nv
    if sol.columns[name].size != wanted:
        raise InputError(
            f"snapshots need all of {of}, but only {sol.columns[name].size} of {wanted} columns were saved",
            hint="run without select=, or collect with isodyn.reduction.Snapshots while the run goes on",
        )
    rows: FloatArray = getattr(sol, name)
    return rows


def chosen(columns: object, n: int) -> IntArray | None:
    """Numbers of the coordinates that are reduced, in order; None for all of them."""
    if columns is None:
        return None
    picked = np.arange(n)[columns] if isinstance(columns, slice) else np.asarray(columns)
    if picked.ndim != 1 or not np.issubdtype(picked.dtype, np.integer) or picked.size == 0:
        raise InputError(f"columns must be numbers of coordinates, received {columns!r}")
    picked = np.unique(picked.astype(np.int64))
    if picked[0] < 0 or picked[-1] >= n:
        raise InputError(f"columns must lie between 0 and {n - 1}, received {picked[0]} to {picked[-1]}")
    return None if picked.size == n else picked


def finite(rows: FloatArray, t: FloatArray, of: str) -> None:
    """Refuse what is not a number, with its time and place."""
    bad = np.argwhere(~np.isfinite(rows))
    if bad.size:
        i, j = (int(x) for x in bad[0])
        raise InputError(
            f"snapshots must be finite, received {of}[{j}] = {rows[i, j]} at t = {t[i]:.6g}",
            hint="look at the run that they come from",
        )


def matrix(source: Sequence[Solution], of: Kind, columns: IntArray | None) -> FloatArray:
    """All snapshots side by side, a column each."""
    parts = []
    for sol in source:
        rows = histories(sol, of)
        rows = rows if columns is None else rows[:, columns]
        finite(rows, sol.t, of)
        parts.append(rows)
    if len({part.shape[1] for part in parts}) != 1:
        raise InputError(
            f"solutions have {', '.join(str(part.shape[1]) for part in parts)} coordinates: not one system"
        )
    return np.concatenate(parts).T


def witnesses(source: Sequence[Solution]) -> tuple[Witness, ...]:
    """A few states of the runs, evenly in time; none where only some columns were saved."""
    found = []
    for sol in source:
        if sol.columns["q"].size != sol.system.nq or sol.columns["v"].size != sol.system.nv:
            continue
        rows = np.unique(np.linspace(0, sol.t.size - 1, max(2, WITNESSES // len(source))).round().astype(int))
        found += [Witness(float(sol.t[i]), sol.q[i].copy(), sol.v[i].copy()) for i in rows]
    return tuple(found)
