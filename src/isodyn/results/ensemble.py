"""What an ensemble returns: the rows of all members stacked, and any member as an ordinary
solution."""

from __future__ import annotations

import warnings
from collections.abc import Iterator
from copy import copy
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from isodyn.errors import CoarseStepWarning, InputError
from isodyn.kernels.compiled import FloatArray, IntArray
from isodyn.results.quality import COARSE, largest_local_error
from isodyn.results.solution import Solution, Statistics


@dataclass(eq=False)
class Ensemble:
    """N runs over the same times: t (k,), q (N, k, nq), v (N, k, nv), a (N, k, nv), lam (N, k, m).

    `ens[i]` is the `Solution` of member i, or raises the error that ended it. `errors` holds these
    errors by member; rows that such a member did not reach are NaN. `ok` tells who came to the end,
    `single` who was run alone. `counts` holds the statistics, an array over the members for each
    name.
    """

    t: FloatArray
    q: FloatArray
    v: FloatArray
    a: FloatArray
    lam: FloatArray
    systems: tuple[Any, ...]
    q0: FloatArray
    v0: FloatArray
    scheme: Any
    columns: dict[str, IntArray]
    ok: Any
    counts: dict[str, IntArray]
    errors: dict[int, Exception]
    single: dict[int, Solution]
    seconds: float = 0.0
    threads: int = 1
    solver: str = ""
    stopped: str | None = None
    aux: dict[str, Any] = field(default_factory=dict)
    # largest changes and local errors of all members (isodyn.integrate.local_error)
    judged: FloatArray | None = None

    def __len__(self) -> int:
        return self.q.shape[0]

    def __iter__(self) -> Iterator[Solution]:
        return (self[i] for i in range(len(self)))

    def system(self, i: int) -> Any:
        """The system of member i, with its start."""
        return with_start(self.systems[i if len(self.systems) > 1 else 0], self.q0[i], self.v0[i])

    def __getitem__(self, i: int) -> Solution:
        n = len(self)
        if isinstance(i, bool) or not isinstance(i, int | np.integer) or not -n <= i < n:
            raise IndexError(f"members are numbered 0…{n - 1}, received {i!r}")
        i = int(i) % n
        if i in self.errors:
            raise self.errors[i]
        if i in self.single:
            return self.single[i]
        if not self.ok[i]:
            raise InputError(f"member {i} was not run to its end: {self.stopped}")
        counted: dict[str, Any] = {name: int(count[i]) for name, count in self.counts.items()}
        stats = Statistics(**counted, seconds=self.seconds / n, solver=self.solver)
        if self.judged is not None:
            stats.take(largest_local_error(self.judged[i], self.systems[0]))
        aux = {name: rows[i] for name, rows in self.aux.items()}
        rows = (self.t, self.q[i], self.v[i], self.a[i], self.lam[i])
        return Solution(*rows, self.system(i), self.scheme, stats, self.columns, aux)

    def __repr__(self) -> str:
        text = f"<Ensemble: {len(self)} members, {self.t.size} rows from t = {self.t[0]:g} to {self.t[-1]:g}"
        text += f"; {self.counts['steps'].sum()} steps on {self.threads} threads, {self.seconds:.3g} s"
        if self.single:
            text += f", {len(self.single)} members run alone"
        if self.errors:
            text += f", {len(self.errors)} failed"
        return text + (">" if self.stopped is None else f"; {self.stopped}>")


def warn_of_coarse_members(ensemble: Ensemble, stacklevel: int) -> None:
    """One warning for all members that ran together and have a local error that is not small."""
    if ensemble.judged is None:
        return
    together = [i for i in np.flatnonzero(ensemble.ok).tolist() if i not in ensemble.single]
    found = {i: largest_local_error(ensemble.judged[i], ensemble.systems[0]) for i in together}
    coarse = {i: error for i, error in found.items() if error.value > COARSE}
    if coarse:
        i, worst = max(coarse.items(), key=lambda item: item[1].value)
        warnings.warn(
            f"the steps of {len(coarse)} of {len(ensemble)} members are coarse: the local error of member {i} reaches"
            f" {100.0 * worst.value:.2g} % of the largest change in a step, in {worst.of} of {worst.component!r} at t = {worst.t:.6g}"
            f" (more than {100.0 * COARSE:g} % is not small)\nhint: a smaller dt",
            CoarseStepWarning,
            stacklevel=stacklevel,
        )


def with_start(system: Any, q0: FloatArray, v0: FloatArray) -> Any:
    """The same system with another start."""
    started = copy(system)
    object.__setattr__(started, "q0", q0.copy())
    object.__setattr__(started, "v0", v0.copy())
    return started
