"""Rows of a coupled run in flat arrays, subdomains one after the other, and the solution made of
them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import numpy as np

from isodyn.errors import InputError
from isodyn.kernels.compiled import FloatArray
from isodyn.linear_solvers.rows import Rows, least_multipliers
from isodyn.marching.columns import columns
from isodyn.memory import require_rows
from isodyn.results.solution import Sample, Solution
from isodyn.results.statistics import Statistics
from isodyn.subdomains.part import Row
from isodyn.subdomains.solution import SubdomainSample, SubdomainSolution
from isodyn.subdomains.ties import Subdomains

if TYPE_CHECKING:
    from isodyn.open_types import Selection


def selected(select: Any, sub: Subdomains) -> dict[str, Any]:
    """Saved columns of every subdomain; `select` is by name, others then keep everything, or one
    selection for all."""
    by_name = isinstance(select, Mapping) and bool(select) and set(select) <= set(sub.systems)
    if isinstance(select, Mapping) and not by_name and (wrong := set(select) - {"q", "v", "a", "lam"}):
        raise InputError(
            f"select is by subdomain ({', '.join(map(repr, sub.systems))}) or by q, v, a, lam, received {min(map(str, wrong))!r}"
        )
    chosen = select if by_name else dict.fromkeys(sub.systems, select)
    found = {}
    for name, system in sub.systems.items():
        try:
            found[name] = columns(chosen.get(name), system.nq, system.nv, system.m)
        except InputError as error:
            error.add_note(f"in subdomain {name!r}")
            raise
    return found


class Record:
    """Memory for all rows of a run; of each subdomain the selected columns."""

    def __init__(self, sub: Subdomains, rows: Rows, G_all: FloatArray, k: int, select: Selection | None = None) -> None:
        self.sub, self.rows, self.G_all, self.k = sub, rows, G_all, 0
        self.columns = selected(select, sub)
        first = np.cumsum([0, *(system.nv for system in sub.systems.values())])
        self.at_q, self.at_v, self.at_a = (
            np.concatenate([n + getattr(c, key) for n, c in zip(first, self.columns.values(), strict=False)])
            for key in ("q", "v", "a")
        )
        sizes = (
            1,
            rows.rank,
            self.at_q.size,
            self.at_v.size,
            self.at_a.size,
            *(c.lam.size for c in self.columns.values()),
        )
        require_rows(k, sum(sizes))
        self.t, self.lam = np.zeros(k), np.zeros((k, rows.rank))
        self.q, self.v, self.a = (np.zeros((k, at.size)) for at in (self.at_q, self.at_v, self.at_a))
        self.own = [np.zeros((k, c.lam.size)) for c in self.columns.values()]

    def write(self, rows: list[Row], lam: FloatArray, replace: bool = False) -> None:
        """A row for every subdomain and for λ; at a breakpoint the right-hand limit in the place of
        the left-hand one."""
        k = self.k - 1 if replace else self.k
        if k == self.t.size:
            return
        self.t[k], self.lam[k] = rows[0].t, lam
        self.q[k] = np.concatenate([row.q for row in rows])[self.at_q]
        self.v[k] = np.concatenate([row.v for row in rows])[self.at_v]
        self.a[k] = np.concatenate([row.a for row in rows])[self.at_a]
        for row, c, own in zip(rows, self.columns.values(), self.own, strict=True):
            own[k] = row.lam[c.lam]
        self.k = k + 1

    def multipliers(self, chosen: FloatArray) -> FloatArray:
        """λ of all ties from rows of those that are enforced; of least norm where some follow from
        others."""
        lam = np.zeros((chosen.shape[0], self.sub.m))
        lam[:, self.rows.chosen] = chosen
        if self.rows.dropped.size:
            lam = np.array([least_multipliers(self.G_all, row) for row in lam]).reshape(lam.shape)
        return lam

    def sample(self, rows: list[Row], lam: FloatArray) -> SubdomainSample:
        """The state of all subdomains, whatever is saved of it."""
        parts = {name: Sample(np.array(row.t), *row[1:]) for name, row in zip(self.sub.systems, rows, strict=True)}
        return SubdomainSample(rows[0].t, self.multipliers(lam[None])[0], parts)

    def solution(self, counts: list[tuple[Any, str]], schemes: dict[str, Any], total: Statistics) -> SubdomainSolution:
        """Rows so far."""
        k = slice(0, self.k)
        t, sols = self.t[k].copy(), {}
        first = {"q": 0, "v": 0, "a": 0}
        for (counters, solver), (name, chosen), own in zip(counts, self.columns.items(), self.own, strict=True):
            stats = Statistics(
                steps=int(counters.steps),
                iterations=int(counters.iterations),
                evaluations=int(counters.evaluations),
                factorisations=int(counters.factorisations),
                halvings=int(counters.halvings),
                seconds=total.seconds,
                solver=solver,
                stopped=total.stopped,
            )
            total.evaluations += stats.evaluations
            total.factorisations += stats.factorisations
            total.halvings += stats.halvings
            total.solver = total.solver or stats.solver
            motion: dict[str, Any] = {}
            for key, n in first.items():
                first[key] = n + getattr(chosen, key).size
                motion[key] = np.ascontiguousarray(getattr(self, key)[k, n : first[key]])
            rest: dict[str, Any] = {"lam": own[k].copy(), "system": self.sub.systems[name], "columns": chosen._asdict()}
            sols[name] = Solution(t, **motion, **rest, scheme=schemes[name], stats=stats)
        redundant = tuple(self.sub.row_names[i] for i in self.rows.dropped)
        return SubdomainSolution(t, sols, self.multipliers(self.lam[k]), self.sub, total, redundant)
