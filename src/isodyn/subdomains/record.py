"""Rows of a coupled run in flat arrays, subdomains one behind the other, and the solution made of them."""

from __future__ import annotations

from typing import Any

import numpy as np

from isodyn.compiled import FloatArray
from isodyn.integrate import work
from isodyn.linear_solvers.rows import Rows, least_multipliers
from isodyn.results.solution import Sample, Solution, Statistics
from isodyn.subdomains.part import Row
from isodyn.subdomains.solution import SubdomainSample, SubdomainSolution
from isodyn.subdomains.ties import Subdomains


class Record:
    """Memory for all rows of a run."""

    def __init__(self, sub: Subdomains, rows: Rows, G_all: Any, k: int) -> None:
        self.sub, self.rows, self.G_all, self.k = sub, rows, G_all, 0
        ends = np.cumsum([system.nv for system in sub.systems.values()])
        self.first = ends - [system.nv for system in sub.systems.values()]
        n = int(ends[-1])
        self.t, self.lam = np.zeros(k), np.zeros((k, rows.rank))
        self.q, self.v, self.a = np.zeros((k, n)), np.zeros((k, n)), np.zeros((k, n))
        self.own = [np.zeros((k, system.m)) for system in sub.systems.values()]

    def write(self, rows: list[Row], lam: FloatArray, replace: bool = False) -> None:
        """A row for every subdomain and for λ; at a breakpoint the right-hand limit in the place of the left-hand one."""
        k = self.k - 1 if replace else self.k
        if k == self.t.size:
            return
        self.t[k], self.lam[k] = rows[0].t, lam
        for first, row, own in zip(self.first, rows, self.own, strict=True):
            self.q[k, first : first + row.q.size] = row.q
            self.v[k, first : first + row.v.size] = row.v
            self.a[k, first : first + row.v.size] = row.a
            own[k] = row.lam
        self.k = k + 1

    def multipliers(self, k: slice | int) -> FloatArray:
        """λ of all ties; of least norm where some follow from others."""
        chosen = np.atleast_2d(self.lam[k])
        lam = np.zeros((chosen.shape[0], self.sub.m))
        lam[:, self.rows.chosen] = chosen
        if self.rows.dropped.size:
            lam = np.array([least_multipliers(self.G_all, row) for row in lam]).reshape(lam.shape)
        return lam if isinstance(k, slice) else lam[0]

    def views(self, k: slice | int) -> dict[str, tuple[FloatArray, ...]]:
        """q, v, a and own multipliers by subdomain."""
        found: dict[str, tuple[FloatArray, ...]] = {}
        for (name, system), first, own in zip(self.sub.systems.items(), self.first, self.own, strict=True):
            place, q = slice(first, first + system.nv), slice(first, first + system.nq)
            found[name] = self.q[k][..., q], self.v[k][..., place], self.a[k][..., place], own[k]
        return found

    def sample(self) -> SubdomainSample:
        """The newest row."""
        k = self.k - 1
        parts = {name: Sample(self.t[k], *(x.copy() for x in views)) for name, views in self.views(k).items()}
        return SubdomainSample(float(self.t[k]), self.multipliers(k), parts)

    def solution(self, counts: list[tuple[Any, str]], schemes: dict[str, Any], total: Statistics) -> SubdomainSolution:
        """Rows so far."""
        k = slice(0, self.k)
        t, sols = self.t[k].copy(), {}
        for (count, solver), (name, (q, v, a, own)) in zip(counts, self.views(k).items(), strict=True):
            stats = Statistics(
                steps=int(count[work.STEPS]),
                iterations=int(count[work.ITERATIONS]),
                evaluations=int(count[work.EVALUATIONS]),
                factorisations=int(count[work.FACTORISATIONS]),
                halvings=int(count[work.HALVINGS]),
                seconds=total.seconds,
                solver=solver,
                stopped=total.stopped,
            )
            total.evaluations += stats.evaluations
            total.factorisations += stats.factorisations
            total.halvings += stats.halvings
            total.solver = total.solver or stats.solver
            columns = {key: np.arange(x.shape[1]) for key, x in (("q", q), ("v", v), ("a", a), ("lam", own))}
            q, v, a, own = (np.ascontiguousarray(x) for x in (q, v, a, own))
            sols[name] = Solution(t, q, v, a, own, self.sub.systems[name], schemes[name], stats, columns)
        redundant = tuple(self.sub.row_names[i] for i in self.rows.dropped)
        return SubdomainSolution(t, sols, self.multipliers(k), self.sub, total, redundant)
