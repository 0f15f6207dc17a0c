"""Threads that share members whose constraint rows depend on each other.

A member costs two calls of Python's linear algebra, which hold the interpreter lock: the choice of
rows, and the multipliers of least norm of its first row. All else is compiled
(isodyn.marching.ensemble_shared).
"""

from __future__ import annotations

from queue import Empty
from typing import Any

import numpy as np

from isodyn.kernels.compiled import CONSTRAINT, OK, RAISED, FloatArray
from isodyn.later import Later
from isodyn.linear_solvers.rows import Rows, choose, least_in_units
from isodyn.marching.enforced_rows import SAME_ROWS
from isodyn.marching.ensemble_run import UNDONE, Threads, apart
from isodyn.marching.redundant_rows import Sharing
from isodyn.marching.row_sharing import put_sizes, sharing_for
from isodyn.stepping.memory import Counters, new_state
from isodyn.systems.base import System
from isodyn.systems.compiled_system import started

ensemble_shared: Any = Later("isodyn.marching.ensemble_shared")

# pivots beside the largest: those of enforced rows, and of rows that follow from them, beyond doubt
INDEPENDENT, DEPENDENT = 1e-4, 1e-9


def is_clear(rows: Rows) -> bool:
    """Whether nobody could choose another number of rows."""
    diagonal, rank = rows.diagonal, rows.rank
    if not 0 < rank < diagonal.size:
        return False
    return bool(diagonal[rank - 1] > INDEPENDENT * diagonal[0] and diagonal[rank] < DEPENDENT * diagonal[0])


def straight(kernel: Any) -> Any:
    """A kernel to be called with arguments of its declared types, at which nobody looks: that would cost
    more than a short run. Without compiling, the function itself."""
    return kernel.ready().entry_point if hasattr(kernel, "ready") else kernel


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
        self.scratch, self.stack = (
            threads.model.scratch.copy(),
            threads.kernel.Stack(*self.many.stack, self.many.judged),
        )
        system, kernels = self.many.run.system, ensemble_shared
        self.start, self.march = (straight(kernel) for kernel in (kernels.start_member, kernels.march_member))
        self.places: dict[bytes, tuple[Any, Sharing]] = {}
        # G in full, whatever the model answers, and where its answers belong
        self.G, self.answer = np.zeros((system.m, system.nv)), np.zeros(course.G_columns.size)
        self.row_of = np.repeat(np.arange(system.m), np.diff(course.G_starts))
        self.still, self.c = np.zeros(system.m), np.array([1.0, 0.0, 0.0, 1.0])

    def run(self, i: int) -> int:
        """Run member i; what became of it."""
        many, t = self.many, self.course.t
        system = many.systems[i if len(many.systems) > 1 else 0]
        model, q, v = self.threads.models[i if len(many.systems) > 1 else 0], many.q0[i], many.v0[i]
        not_clear: int = self.threads.kernel.NOT_CLEAR
        self.scratch.copy_from(model.scratch)
        if started(system, q, t) is not q or not self.ask(model, t, q, v):
            return not_clear
        rows = choose(self.G * system.scales.v)
        if not is_clear(rows):
            return not_clear
        thread, work = self.place(rows, system)
        given = model.function, self.scratch, self.course, self.threads.members, thread, self.stack
        status = int(self.start(*given, i))
        if status != OK:
            return status
        state = thread.state
        if not self.ask(model, t, state.q, state.v):
            return not_clear
        if self.moved(thread, q) and not np.array_equal(choose(self.G * system.scales.v).chosen, rows.chosen):
            return not_clear
        known = system.scales.rows is not None and system.scales.rows.size == system.m
        units, sizes = system.scales.rows if known else np.ones(system.m), system.scales.v
        B = self.G * (sizes / units[:, None])  # as isodyn.linear_solvers.rows
        many.stack[3][i, 0] = least_in_units(B, units * state.lam) / units
        put_sizes(work, system, self.G)
        status = int(self.march(*given, work, many.counts, many.stop, i))
        if status == OK:
            many.redundant[i] = tuple(system.row_names[k] for k in rows.dropped)
        return status

    def ask(self, model: Any, t: float, q: FloatArray, v: FloatArray) -> bool:
        """G at a state, in full; whether there is one."""
        given = CONSTRAINT, t, q, v, v, self.still, self.c, model.tables, self.scratch, self.answer
        if int(model.function(*given)) != OK:
            return False
        self.G[:] = 0.0
        self.G[self.row_of, self.course.G_columns] = self.answer
        return bool(np.isfinite(self.answer).all())

    def place(self, rows: Rows, system: System) -> tuple[Any, Sharing]:
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
