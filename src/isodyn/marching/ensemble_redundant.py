"""Threads that share members whose constraint rows depend on each other; with memory for each
choice of rows (isodyn.marching.ensemble_shared)."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from isodyn.kernels.compiled import OK, FloatArray
from isodyn.later import Later
from isodyn.linear_solvers.rows import Rows, choose
from isodyn.marching.ensemble_run import Desk, Threads
from isodyn.marching.redundant_rows import Sharing
from isodyn.marching.row_sharing import sharing_for
from isodyn.systems.compiled_system import started

if TYPE_CHECKING:
    from isodyn.marching.ensemble_loop import Course, Thread

ensemble_shared = Later("isodyn.marching.ensemble_shared")


class RedundantThreads(Threads):
    """Threads of members with redundant rows, `rows` being the choice of the first member."""

    def __init__(self, *given: Any) -> None:
        super().__init__(*given)
        run = self.many.run
        G = run.ask.G(run.stretches[0].t_start, run.system.q0, run.system.v0)
        self.rows = choose(G * run.system.scales.v)

    def units(self) -> FloatArray:
        """Of all systems; a system whose rows have sizes that do not fit is run alone, and a member
        whose turns are not chosen yet."""
        many, found = self.many, []
        for i, system in enumerate(many.systems):
            rows, which = system.scales.rows, i if len(many.systems) > 1 else slice(None)
            if rows is not None and rows.size != system.m:
                many.statuses[which] = self.kernel.NOT_CLEAR
            found.append(np.zeros(system.m) if rows is None or rows.size != system.m else rows)
        t = many.run.stretches[0].t_start
        for i, q in enumerate(many.q0):
            start = started(many.systems[i if len(many.systems) > 1 else 0], q, t)
            if start is not q and not np.array_equal(start, q):
                many.statuses[i] = self.kernel.NOT_CLEAR
        return np.array(found)

    def kernels(self) -> tuple[Any, ...]:
        """What has to be ready before threads start."""
        return ensemble_shared.run_sharing, self.model.function

    def desk(self, course: Course) -> Desk:
        """What one thread works with."""
        return RedundantDesk(self, course)


class RedundantDesk(Desk):
    """What one thread works with: memory for each choice of rows that its members have had."""

    def __init__(self, threads: Threads, course: Course) -> None:
        self.places: dict[bytes, tuple[Rows, Thread, Sharing]] = {}
        super().__init__(threads, course)

    def take(self, rows: Rows) -> None:
        """Work with memory for members that enforce these rows."""
        key = rows.chosen.tobytes()
        if key not in self.places:
            self.places[key] = rows, self.memory_for(rows), sharing_for(self.many.run, rows)
        self.rows, self.thread, self.work = self.places[key]

    def run(self, first: int, last: int) -> int:
        """Run members first … last − 1; the first of those that are left."""
        many = self.many
        reached = int(
            ensemble_shared.run_sharing(
                self.threads.model.function,
                self.scratch,
                self.course,
                self.threads.members,
                self.thread,
                self.work,
                self.stack,
                many.counts,
                many.statuses,
                first,
                last,
                many.stop,
            )
        )
        self.note(first, reached)
        if reached < last and many.stop[0] == 0:
            order, found = self.work.order, int(self.work.found)
            self.take(Rows(np.sort(order[:found]), np.sort(order[found:]), self.work.remainders.copy()))
        return reached

    def note(self, first: int, last: int) -> None:
        """Names of the rows that members did not enforce."""
        many = self.many
        known: dict[int, tuple[str, ...]] = {}
        for i in (np.flatnonzero(many.statuses[first:last] == OK) + first).tolist():
            own = i if len(many.systems) > 1 else 0
            if own not in known:
                names = many.systems[own].row_names
                known[own] = tuple(names[k] for k in self.rows.dropped)
            many.redundant[i] = known[own]
