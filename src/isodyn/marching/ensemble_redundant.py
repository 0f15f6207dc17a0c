"""Threads that share members whose constraint rows depend on each other.

A member costs two calls of Python's linear algebra, which hold the interpreter lock: the choice of
rows, and the multipliers of least norm of its first row. All else is compiled
(isodyn.marching.ensemble_shared).
"""

from __future__ import annotations

from dataclasses import replace
from queue import Empty
from typing import Any

import numpy as np

from isodyn.kernels.compiled import OK, RAISED, FloatArray
from isodyn.later import Later
from isodyn.linear_solvers.rows import Rows, choose, least_multipliers
from isodyn.marching.enforced_rows import SAME_ROWS
from isodyn.marching.ensemble_run import UNDONE, Threads, apart
from isodyn.marching.redundant_rows import Sharing, sharing_for
from isodyn.stepping.memory import Counters, new_state
from isodyn.systems.compiled_system import started
from isodyn.systems.questions import Questions
from isodyn.systems.scales import sizes_of_rows

ensemble_shared: Any = Later("isodyn.marching.ensemble_shared")

# pivots beside the largest: those of enforced rows, and of rows that follow from them, beyond doubt
INDEPENDENT, DEPENDENT = 1e-4, 1e-9


def is_clear(rows: Rows) -> bool:
    """Whether nobody could choose another number of rows."""
    diagonal, rank = rows.diagonal, rows.rank
    if not 0 < rank < diagonal.size:
        return False
    return bool(diagonal[rank - 1] > INDEPENDENT * diagonal[0] and diagonal[rank] < DEPENDENT * diagonal[0])


class RedundantThreads(Threads):
    """Threads of members with redundant rows."""

    def kernels(self) -> tuple[Any, ...]:
        """What has to be ready before threads start."""
        return ensemble_shared.start_member, ensemble_shared.march_member, self.model.function

    def work(self, course: Any) -> None:
        """One thread: members until none is left, with memory of its own for each choice of rows."""
        many, mine = self.many, Desk(self, course)
        while many.stop[0] == 0:
            try:
                first, last = self.portions.get_nowait()
            except Empty:
                return
            for i in range(first, last):
                if many.statuses[i] == UNDONE and many.stop[0] == 0:
                    try:
                        many.statuses[i] = mine.run(i)
                    except Exception:  # the member is run alone, which tells it properly
                        many.statuses[i] = RAISED


class Desk:
    """What one thread works with."""

    def __init__(self, threads: RedundantThreads, course: Any) -> None:
        self.threads, self.many, self.course = threads, threads.many, course
        self.model = replace(threads.model, scratch=threads.model.scratch.copy())
        self.scratch, self.stack = self.model.scratch.copy(), threads.kernel.Stack(*self.many.stack, self.many.judged)
        system = self.many.run.system
        self.one = ensemble_shared.Aside(
            np.zeros(1), np.zeros((1, system.nq)), np.zeros((1, system.nv)), np.zeros((1, system.m))
        )
        self.places: dict[bytes, tuple[Any, Sharing]] = {}

    def run(self, i: int) -> int:
        """Run member i; what became of it."""
        many, t = self.many, self.course.t
        system = many.systems[i if len(many.systems) > 1 else 0]
        model = self.model if len(many.systems) == 1 else replace(self.threads.models[i], scratch=self.model.scratch)
        ask, q, v = Questions(system, model), many.q0[i], many.v0[i]
        not_clear: int = self.threads.kernel.NOT_CLEAR
        if started(system, q, t) is not q:
            return not_clear
        rows = choose(ask.G(t, q, v) * system.scales.v)
        if not is_clear(rows):
            return not_clear
        thread, work = self.place(rows, system)
        given = model.function, self.scratch, self.course, self.threads.members, thread, self.stack
        status = int(ensemble_shared.start_member(*given, i))
        if status != OK:
            return status
        state = thread.state
        G = ask.G(t, state.q, state.v)
        if self.moved(thread, q) and not np.array_equal(choose(G * system.scales.v).chosen, rows.chosen):
            return not_clear
        many.stack[3][i, 0] = least_multipliers(G, state.lam, system.scales)
        known = system.scales.rows is not None and system.scales.rows.size == system.m
        work.units, work.gap_sizes = system.scales.rows if known else np.ones(system.m), sizes_of_rows(system, G)
        work.size_q, work.size_v = system.scales.q, system.scales.v
        status = int(ensemble_shared.march_member(*given, work, self.one, many.counts, many.stop, i))
        if status == OK:
            many.redundant[i] = tuple(system.row_names[k] for k in rows.dropped)
        return status

    def place(self, rows: Rows, system: Any) -> tuple[Any, Sharing]:
        """Memory for members that enforce these rows."""
        key = rows.chosen.tobytes()
        if key not in self.places:
            run, sizes = self.many.run, (system.nq, system.nv, system.m)
            thread = self.threads.kernel.Thread(
                *(new_state(*sizes), run.memory_for(rows), Counters()),
                *(new_state(*sizes), run.memory_for(rows), Counters()),
                *map(apart, (np.zeros((system.m, system.nv)), np.zeros(run.rows.t.size))),
                apart(np.zeros(1, dtype=np.int64)),
            )
            self.places[key] = thread, sharing_for(run, rows)
        return self.places[key]

    def moved(self, thread: Any, q: FloatArray) -> bool:
        """Whether the start has moved so far that rows should be chosen again, as a single run sees
        it."""
        by, now = thread.memory.by_q, thread.state.q
        return bool((np.abs(now - q) * by).max(initial=0.0) > SAME_ROWS * (np.abs(now) * by).max(initial=0.0))
