"""The Python around the members of an ensemble: memory, threads, members that run alone, Ctrl-C."""

from __future__ import annotations

import threading
import warnings
from collections.abc import Callable, Sequence
from queue import Empty, SimpleQueue
from typing import TYPE_CHECKING, Any, TypeVar

import numpy as np

from isodyn.errors import InterruptedWarning
from isodyn.kernels import interrupts
from isodyn.kernels.compiled import OK, RAISED, FloatArray, IntArray, make_ready
from isodyn.kernels.progress import run_clock
from isodyn.kernels.struct import LINE
from isodyn.kernels.struct_types import addresses
from isodyn.later import Later
from isodyn.linear_solvers.rows import Rows, every
from isodyn.marching.plan import lay_stretch
from isodyn.marching.progress import Progress
from isodyn.marching.run import Run
from isodyn.memory import FEWER_ROWS, require_memory
from isodyn.results.ensemble import Ensemble, warn_of_coarse_members, with_start
from isodyn.results.solution import Solution
from isodyn.stepping.memory import COUNTED, JUDGED, Counters, new_state
from isodyn.systems.model import Model
from isodyn.systems.questions import Questions
from isodyn.systems.scales import unlooked, weights

if TYPE_CHECKING:
    import numpy.typing as npt

    from isodyn.marching.ensemble_loop import Course, Thread
    from isodyn.schemes.composition import Composition
    from isodyn.schemes.gs4_1 import FirstOrderScheme
    from isodyn.schemes.gs4_2 import Scheme

ensemble_loop = Later("isodyn.marching.ensemble_loop")  # which knows this module

Scalar = TypeVar("Scalar", bound=np.generic)

UNDONE = -1  # status of a member that was not run, or not to its end
_PART = 4  # of what each thread has left to do on average, the next portion is one in so many
_LOOK = 0.05  # seconds between two looks at progress and Ctrl-C


class Members:
    """What became of all members: those that were run by themselves, by `alone`, and their
    errors."""

    def __init__(
        self,
        systems: tuple[Any, ...],
        q0: FloatArray,
        v0: FloatArray,
        alone: Callable[[Any], Solution],
        threads: int,
    ) -> None:
        self.systems, self.q0, self.v0, self.alone, self.threads = systems, q0, v0, alone, threads
        n = q0.shape[0]
        self.judged: FloatArray | None = None
        self.statuses = np.full(n, UNDONE)
        self.counts = np.zeros((n, len(COUNTED)), dtype=np.int64)
        self.errors: dict[int, Exception] = {}
        self.single: dict[int, Solution] = {}
        self.redundant: dict[int, tuple[str, ...]] = {}  # rows that follow from others, by member

    def execute(self, together: Threads | None, bar: Progress, *, side_by_side: bool) -> Ensemble:
        """Run all members: together if that is possible, then the others by themselves,
        `side_by_side` in several threads."""
        started, stopped = run_clock(), None
        try:
            with interrupts.noted():
                if together is not None:
                    together.execute(bar)
                self.run_rest(np.flatnonzero(self.statuses != OK).tolist(), bar, side_by_side)
        except KeyboardInterrupt:
            self.statuses[self.statuses != OK] = UNDONE
            done = int((self.statuses == OK).sum()) + len(self.errors)
            stopped = f"interrupted after {done} of {self.statuses.size} members"
            warnings.warn(f"{stopped}; the ensemble holds what was done", InterruptedWarning, stacklevel=3)
        ensemble = self.result(run_clock() - started, stopped)
        warn_of_coarse_members(ensemble, stacklevel=3)
        return ensemble

    def run_rest(self, left: list[int], bar: Progress, side_by_side: bool) -> None:
        """Members by themselves. The first one makes kernels ready before threads share them."""
        ahead: SimpleQueue[int] = SimpleQueue()
        for i in left:
            ahead.put(i)

        def work(most: int) -> None:
            for _ in range(most):
                try:
                    i = ahead.get_nowait()
                except Empty:
                    return
                if interrupts.pending():
                    return
                self.run_alone(i)
                bar.update(int((self.statuses == OK).sum()) + len(self.errors), i)

        work(1 if side_by_side else len(left))
        threads = min(self.threads, len(left) - 1) if side_by_side else 0
        wait_for([threading.Thread(target=work, args=(len(left),), daemon=True) for _ in range(threads)], lambda: None)
        if interrupts.pending():
            raise KeyboardInterrupt

    def run_alone(self, i: int) -> None:
        """Run member i by itself; its error is kept. One that Ctrl-C ended is none."""
        system = with_start(self.systems[i if len(self.systems) > 1 else 0], self.q0[i], self.v0[i])
        sol: Solution | None
        failed: Exception | None = None
        try:
            sol = self.alone(system)
        except Exception as error:
            error.add_note(f"in member {i} of the ensemble")
            failed, sol = error, getattr(error, "partial", None)
        if interrupts.pending():
            return
        self.counts[i] = 0 if sol is None else [getattr(sol.stats, name) for name in COUNTED]
        self.take(i, sol)
        if failed is not None:
            self.errors[i], self.statuses[i] = failed, RAISED
        else:
            assert sol is not None
            self.single[i], self.statuses[i] = sol, OK

    def take(self, i: int, sol: Solution | None) -> None:
        """The rows of a member that was run by itself."""

    def result(self, seconds: float, stopped: str | None) -> Ensemble:
        """Rows at times of the members' own, one below the other; behind their ends NaN."""
        partial = {i: getattr(error, "partial", None) for i, error in self.errors.items()}
        found = self.single | {i: sol for i, sol in partial.items() if isinstance(sol, Solution)}
        first = next((sol.t for sol in self.single.values()), np.zeros(0))
        same = len(self.single) > 0 and all(np.array_equal(sol.t, first) for sol in self.single.values())
        n, k = self.statuses.size, max((sol.t.size for sol in (self.single if same else found).values()), default=0)
        system, like = self.systems[0], next(iter(found.values()), None)
        widths = (system.nq, system.nv, system.nv, system.m)
        if like is not None:
            widths = like.q.shape[1], like.v.shape[1], like.a.shape[1], like.lam.shape[1]
        require_memory(8.0 * n * k * (1 + sum(widths)), f"{n} members with up to {k} rows", hint=FEWER_ROWS)
        t, stack = np.full((n, k), np.nan), [np.full((n, k, width), np.nan) for width in widths]
        for i, sol in found.items():
            kept = min(sol.t.size, k)
            t[i, :kept] = sol.t[:kept]
            for rows, own in zip(stack, (sol.q, sol.v, sol.a, sol.lam), strict=True):
                rows[i, :kept] = own[:kept]
        if same:  # for all that came to their ends; the last row of one that failed is where it failed
            for rows in stack:
                rows[t != first] = np.nan
            t = first
        if like is None:
            return self.made_of(t, stack, None, {}, "", seconds, stopped)
        return self.made_of(t, stack, like.scheme, like.columns, like.stats.solver, seconds, stopped)

    def made_of(
        self,
        t: FloatArray,
        stack: Sequence[FloatArray],
        scheme: Scheme | FirstOrderScheme | Composition | None,
        columns: dict[str, IntArray],
        solver: str,
        seconds: float,
        stopped: str | None,
    ) -> Ensemble:
        """The ensemble with these rows."""
        q, v, a, lam = stack
        counts = {name: self.counts[:, k] for k, name in enumerate(COUNTED)}
        who = self.systems, self.q0, self.v0, scheme, columns, self.statuses == OK, counts, self.errors, self.single
        ensemble = Ensemble(t, q, v, a, lam, *who, seconds, self.threads, solver, stopped)
        ensemble.judged, ensemble.redundant = self.judged, self.redundant
        return ensemble


class EnsembleRun(Members):
    """Members with rows at the times of one grid: `run` is a prepared run of the first of them."""

    def __init__(self, run: Run, *given: Any) -> None:
        super().__init__(*given)
        self.run = run
        n, k = self.q0.shape[0], run.rows.t.size
        columns = sum(rows.shape[1] for rows in run.rows[1:])
        require_memory(8.0 * n * k * columns, f"{n} members with {k} rows of {columns} columns", hint=FEWER_ROWS)
        self.stack = tuple(np.empty((n, k, rows.shape[1])) for rows in run.rows[1:])
        self.judged = np.zeros((n, len(JUDGED), self.v0.shape[1]))
        self.stop = np.zeros(1, dtype=np.int64)
        times = [stretch.saved_times for stretch in run.stretches]
        self.times = np.concatenate([[run.stretches[0].t_start], *times])

    def take(self, i: int, sol: Solution | None) -> None:
        """Its rows among those of the others."""
        assert self.judged is not None
        self.judged[i], k = 0.0, 0
        if sol is not None:
            k = min(sol.t.size, self.times.size)
            k = int((sol.t[:k] == self.times[:k]).cumprod().sum())  # the last row of one that failed is where it failed
            aux = [sol.aux.get(name, np.nan) for name in self.run.rows._fields[5:]]
            for rows, found in zip(self.stack, (sol.q, sol.v, sol.a, sol.lam, *aux), strict=True):
                rows[i, :k] = found if np.ndim(found) == 0 else found[:k]
        for rows in self.stack:
            rows[i, k:] = np.nan

    def result(self, seconds: float, stopped: str | None) -> Ensemble:
        """Rows at the times of the grid."""
        run = self.run
        for rows in self.stack:
            rows[self.statuses == UNDONE] = np.nan
        q, v, a, lam, *more = self.stack
        aux = {name: rows for name, rows in zip(run.rows._fields[5:], more, strict=True) if rows.shape[2]}
        found = self.made_of(
            self.times, (q, v, a, lam), run.method.scheme, run.columns._asdict(), run.solver, seconds, stopped
        )
        found.aux = aux
        return found


def wait_for(workers: list[threading.Thread], look: Callable[[], None]) -> None:
    """Let threads work to their end; the main thread looks after progress and Ctrl-C meanwhile."""
    for worker in workers:
        worker.start()
    for worker in workers:
        while worker.is_alive():
            worker.join(_LOOK)
            look()


class Threads:
    """Members whose models are one compiled function, in threads that share them out."""

    def __init__(self, many: EnsembleRun, models: list[Model], threads: int) -> None:
        self.many, self.kernel, self.threads = many, ensemble_loop, min(threads, many.statuses.size)
        self.rows, model = every(many.run.system.m), models[0]
        self.model = model
        for i, one in enumerate(models):
            if not _alike(one, model):
                many.statuses[i] = ensemble_loop.NOT_CLEAR
        self.models = models  # their memory is read at its addresses
        where = addresses([one.tables for one in models]), addresses([one.scratch for one in models])
        self.members = ensemble_loop.Members(many.q0, many.v0, *where, *self.weights(models), self.units())
        self.fault: Exception | None = None  # what went wrong outside the members
        self.portions: SimpleQueue[tuple[int, int]] = SimpleQueue()
        first, n = 0, many.statuses.size
        while first < n:  # smaller and smaller ones: threads end together
            last = first + max(1, (n - first) // (_PART * self.threads))
            self.portions.put((first, last))
            first = last

    def weights(self, models: list[Model]) -> list[FloatArray]:
        """Weights of all systems (isodyn.systems.scales), a row for each; those whose functions
        fail are run alone, which tells it."""
        t, found = self.many.run.stretches[0].t_start, []
        for i, (system, model) in enumerate(zip(self.many.systems, models, strict=True)):
            try:
                found.append(weights(Questions(system, model), t))
            except Exception:
                found.append(unlooked(system))
                self.many.statuses[i if len(models) > 1 else slice(None)] = self.kernel.NOT_CLEAR
        return [np.array([np.atleast_1d(one[k]) for one in found]) for k in range(len(found[0]))]

    def units(self) -> FloatArray:
        """Known sizes of rows of all systems, where members ask for them."""
        return np.zeros((1, self.many.run.system.m))

    def course(self) -> Course:
        """How all members are run: the plan, and the pattern of G."""
        run, model, system = self.many.run, self.model, self.many.run.system
        pattern, m, n = model.sparsity, system.m, system.nv
        starts = np.arange(m + 1) * n if pattern is None else pattern.G_starts
        columns = np.tile(np.arange(n), m) if pattern is None else pattern.G_columns
        lay_stretch(run.plan, run.stretches[0], 0, composed=False)
        where = starts.astype(np.int64), columns.astype(np.int64)
        return self.kernel.Course(run.stretches[0].t_start, run.physics(run.closure)[-1], run.plan, run.columns, *where)

    def kernels(self) -> tuple[Any, ...]:
        """What has to be ready before threads start."""
        return self.kernel.run_members, self.model.function

    def execute(self, bar: Progress) -> None:
        """Until nothing is left; the main thread looks after progress and Ctrl-C."""
        make_ready(*self.kernels())
        course = self.course()  # of millions of steps it takes long enough for Ctrl-C
        workers = [threading.Thread(target=self.work, args=(course,), daemon=True) for _ in range(self.threads)]

        def look() -> None:
            done = int((self.many.statuses != UNDONE).sum())
            bar.update(done, done)
            if interrupts.pending():
                self.many.stop[0] = 1

        try:
            wait_for(workers, look)
        finally:
            self.many.stop[0] = 1
        if interrupts.pending():
            raise KeyboardInterrupt
        if self.fault is not None:
            raise self.fault

    def desk(self, course: Course) -> Desk:
        """What one thread works with."""
        return Desk(self, course)

    def work(self, course: Course) -> None:
        """One thread: portions until none is left, with memory of its own."""
        many, mine = self.many, self.desk(course)
        while many.stop[0] == 0:
            try:
                first, last = self.portions.get_nowait()
            except Empty:
                return
            while first < last and many.stop[0] == 0:
                cursor = mine.thread.cursor
                cursor[0] = UNDONE
                try:
                    first = mine.run(first, last)
                # of a user's compiled function: the member is run alone, which tells it properly
                except Exception as error:
                    if cursor[0] == UNDONE:  # no member was begun
                        self.fault = error
                        return
                    many.statuses[cursor[0]] = RAISED
                    first = int(cursor[0]) + 1


class Desk:
    """What one thread works with."""

    def __init__(self, threads: Threads, course: Course) -> None:
        self.threads, self.many, self.course = threads, threads.many, course
        self.scratch = threads.model.scratch.copy()
        self.stack = threads.kernel.Stack(*self.many.stack, self.many.judged)
        self.take(threads.rows)

    def take(self, rows: Rows) -> None:
        """Work with memory for members that enforce these rows."""
        self.thread = self.memory_for(rows)

    def memory_for(self, rows: Rows) -> Thread:
        """Memory for members that enforce these rows."""
        run, kernel = self.many.run, self.threads.kernel
        sizes = run.system.nq, run.system.nv, run.system.m
        return kernel.Thread(
            *(new_state(*sizes), run.memory_for(rows), Counters()),
            *(new_state(*sizes), run.memory_for(rows), Counters()),
            *map(apart, (np.zeros(sizes[:0:-1]), np.zeros(run.rows.t.size), np.zeros(1, dtype=np.int64))),
        )

    def run(self, first: int, last: int) -> int:
        """Run members first … last − 1; the first of those that are left."""
        threads, many = self.threads, self.many
        threads.kernel.run_members(
            threads.model.function,
            self.scratch,
            self.course,
            threads.members,
            self.thread,
            self.stack,
            many.counts,
            many.statuses,
            first,
            last,
            many.stop,
        )
        return last


def apart(array: npt.NDArray[Scalar]) -> npt.NDArray[Scalar]:
    """A copy of an array in cache lines of its own. NumPy places small arrays next to each other,
    and threads that write into the same cache line wait for each other."""
    block = np.zeros(array.nbytes + 2 * LINE, dtype=np.uint8)
    first = -block.ctypes.data % LINE
    moved = block[first : first + array.nbytes].view(array.dtype).reshape(array.shape)
    moved[...] = array
    return moved


def _alike(one: Model, other: Model) -> bool:
    """Whether two models differ in their numbers only."""
    if one is other:
        return True
    same = one.function is other.function and one.traits == other.traits and one.callback is None
    same = same and all(x.alike(y) for x, y in ((one.tables, other.tables), (one.scratch, other.scratch)))
    patterns = [[] if m.sparsity is None else list(vars(m.sparsity).values()) for m in (one, other)]
    return same and len(patterns[0]) == len(patterns[1]) and all(map(np.array_equal, *patterns))
