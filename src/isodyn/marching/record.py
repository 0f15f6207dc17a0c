"""What a run with adaptive steps keeps: rows at the times asked for, events, and the solution made
of them."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from isodyn.formulations.gauss import UdwadiaKalaba
from isodyn.formulations.gauss_reduction import Reduction
from isodyn.formulations.near_singular import warn_near_singular
from isodyn.kernels.compiled import FloatArray
from isodyn.linear_solvers.rank import decide
from isodyn.linear_solvers.rows import LARGE, TOLERANCE, Rows, least_multipliers
from isodyn.results.solution import Solution
from isodyn.results.statistics import Statistics
from isodyn.stepping.events import Event, locate
from isodyn.stepping.memory import Counters, State
from isodyn.systems.branches import limit
from isodyn.systems.questions import Questions


class Record:
    """Rows and events so far.

    `between(path, i, t)` gives the state inside step i of a path, `complete(t, state)` its
    accelerations and multipliers.
    """

    def __init__(
        self,
        ask: Questions,
        times: FloatArray | None,
        events: tuple[Event, ...],
        between: Callable[[Any, int, float], State],
        complete: Callable[[float, State], None],
    ) -> None:
        self.system, self.ask, self.times, self.events = ask.system, ask, times, events
        self.between, self.complete = between, complete
        self.rows: list[tuple[float, FloatArray, FloatArray, FloatArray, FloatArray]] = []
        self.found: list[list[tuple[float, FloatArray, FloatArray]]] = [[] for _ in events]
        self.values: list[float] = []
        self.redundant: tuple[str, ...] = ()
        self.enforced = 0  # rows
        self.ranks: list[int] = []
        self.closest = (1.0, 0.0)  # to a loss of rank: the smallest pivot, and when
        self.done = 0
        self.last: tuple[Any, int] | None = None  # the last whole step

    def start(self, t: float, state: State) -> None:
        """The first row, if it is asked for, and the events there."""
        self.values = [event.value(t, state.q, state.v) for event in self.events]
        if self.times is None or self.times[0] == t:
            self.keep(t, state.q, state.v, state.a, state.lam)

    def chosen(self, rows: Rows) -> None:
        """Note which rows are enforced from now on; the others follow from them."""
        self.enforced = rows.rank
        names = (self.system.row_names[i] for i in rows.dropped)
        self.redundant = tuple(dict.fromkeys((*self.redundant, *names)))

    def steps(self, path: Any) -> str | None:
        """Events and output times of a path, in order; return what ended the run there, or None."""
        if not self.events:
            self.steps_without_events(path)
            return None
        for i in range(path.clock.shape[0]):
            ended = self.step(path, i)
            if ended is not None:
                return ended
        return None

    def steps_without_events(self, path: Any) -> None:
        """Output times of all steps of a path; most steps have none."""
        before, self.done = path.clock[:, 0], self.done + path.clock.shape[0]
        last = path.clock.shape[0] - 1
        if self.times is None:
            wanted = np.arange(last + 1)
        else:
            inside = self.times[(self.times > before[0]) & (self.times <= path.clock[last, 1])]
            wanted = np.unique(np.searchsorted(before, inside, side="left") - 1)
        for i in wanted:
            self.output(path, int(i), path.clock[i, 1], False)
        self.last = path, last

    def step(self, path: Any, i: int) -> str | None:
        """Events and output times of step i of a path, in order; return what ended the run there,
        or None."""
        self.done += 1
        t_1, nq = path.clock[i, 1], self.system.nq
        end = path.end[i, :nq], path.end[i, nq:]
        after = [event.value(t_1, *end) for event in self.events]
        zeros = [
            (self.zero(path, i, event, g_0, g_1), event)
            for event, g_0, g_1 in zip(self.events, self.values, after, strict=True)
            if event.crosses(g_0, g_1)
        ]
        self.values = after
        last, ended = t_1, None
        for t, event in sorted(zeros, key=lambda zero: zero[0]):
            if t > last:
                break
            q, v = end if t == t_1 else self.inside(path, i, t)
            self.found[event.number].append((t, q.copy(), v.copy()))
            if ended is None and event.terminal and len(self.found[event.number]) >= event.terminal:
                last, ended = t, f"stopped by event {event.number} at t = {t:g} after {self.done} steps"
        self.output(path, i, last, ended is not None)
        self.last = (path, i) if ended is None else None
        return ended

    def inside(self, path: Any, i: int, t: float) -> tuple[FloatArray, FloatArray]:
        """q and v inside step i."""
        state = self.between(path, i, t)
        return state.q, state.v

    def zero(self, path: Any, i: int, event: Event, g_0: float, g_1: float) -> float:
        """Where an event happens in step i."""

        def g(t: float) -> float:
            state = self.between(path, i, t)
            return event.value(t, state.q, state.v)

        return locate(g, float(path.clock[i, 0]), g_0, float(path.clock[i, 1]), g_1)

    def output(self, path: Any, i: int, last: float, ended: bool) -> None:
        """Rows of step i up to `last`; where the run ends, a row there."""
        t_0, t_1, _ = path.clock[i]
        wanted = [] if self.times is None else [float(t) for t in self.times[(self.times > t_0) & (self.times <= last)]]
        if ended or self.times is None:
            wanted = sorted({*wanted, float(last)})
        for t in wanted:
            if t == t_1:
                self.keep_end(path, i)
            else:
                state = self.between(path, i, t)
                self.complete(t, state)
                self.keep(t, state.q, state.v, state.a, state.lam)

    def keep_last(self) -> None:
        """Save the end of the last whole step as a row."""
        if self.last is not None and not (self.rows and self.rows[-1][0] >= self.last[0].clock[self.last[1], 1]):
            self.keep_end(*self.last)

    def keep_end(self, path: Any, i: int) -> None:
        """Save the end of step i as a row."""
        q, v = np.split(path.end[i], [self.system.nq])
        self.keep(float(path.clock[i, 1]), q, v, path.a[i], path.lam[i])

    def keep(self, t: float, q: FloatArray, v: FloatArray, a: FloatArray, lam: FloatArray) -> None:
        """Save one row. Multipliers are those of least norm if rows are redundant; where rows lose
        rank, accelerations are computed anew too."""
        a, lam = a.copy(), lam.copy()
        if self.system.m:
            G = self.ask.G(t, q, v)
            decided = decide(G * self.system.scales.v, rcond=TOLERANCE)
            rank, diagonal = decided.rank, decided.diagonal
            if self.enforced:
                self.closest = min(self.closest, (float(diagonal[self.enforced - 1] / (diagonal[0] or 1.0)), t))
            if rank < self.enforced:
                a, lam = self.at_loss_of_rank(t, q, v, rank)
            elif self.enforced < self.system.m:
                lam = least_multipliers(G, lam, self.system.scales)
            self.ranks.append(rank)
        self.rows.append((t, q.copy(), v.copy(), a, lam))

    def at_loss_of_rank(self, t: float, q: FloatArray, v: FloatArray, rank: int) -> tuple[FloatArray, FloatArray]:
        """Accelerations and multipliers as limits along the branch; from fewer rows if there are no
        limits."""
        ask = Questions(self.system)
        found = limit(ask, t, q, v, rank) if self.system.m * self.system.nv <= LARGE else None
        if found is not None:
            return found.a, found.least
        # errors of v may contradict rows here, which the warning covers
        a, lam, _ = Reduction(UdwadiaKalaba(), ask).solve(t, q, v, TOLERANCE, strict=False)
        return a, lam

    def warn_of_rank(self) -> None:
        """AccuracyWarning for rows beside a loss of rank."""
        pivot, t = self.closest
        lost = [k for k, rank in enumerate(self.ranks) if rank < max(self.ranks)]
        if lost:
            pivot, t = 0.0, self.rows[lost[0]][0]
        warn_near_singular(pivot, t, "accelerations and multipliers saved there are uncertain", stacklevel=5)

    def solution(self, method: Any, solver: str, counters: Counters, seconds: float, stopped: str | None) -> Solution:
        """What was kept so far."""
        sizes = {"q": self.system.nq, "v": self.system.nv, "a": self.system.nv, "lam": self.system.m}
        t = np.array([row[0] for row in self.rows])
        q, v, a, lam = (
            np.array([row[k] for row in self.rows]).reshape(t.size, n) for k, n in enumerate(sizes.values(), start=1)
        )
        stats = Statistics(
            steps=self.done,
            iterations=int(counters.iterations),
            evaluations=int(counters.evaluations),
            factorisations=int(counters.factorisations),
            rejected=int(counters.rejected),
            seconds=seconds,
            solver=solver,
            stopped=stopped,
        )
        aux: dict[str, Any] = {"rank": np.array(self.ranks)} if self.system.m else {}
        if self.events:
            aux["event_times"] = [np.array([row[0] for row in found]) for found in self.found]
            for k, name in enumerate(("q", "v"), start=1):
                aux[f"event_{name}"] = [
                    np.array([row[k] for row in found]).reshape(-1, sizes[name]) for found in self.found
                ]
        columns = {name: np.arange(n) for name, n in sizes.items()}
        return Solution(t, q, v, a, lam, self.system, method, stats, columns, aux, self.redundant)
