"""A run: the march (isodyn.marching.march) along the stretches between breakpoints, and the Python
around it.

`go_on` calls the march once; single steps, blocks and whole runs differ in how far they ask it to
go. Starts, remedies, redundant rows, observers, checkpoints and Ctrl-C come between two calls.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from isodyn.errors import ConvergenceError
from isodyn.kernels import interrupts
from isodyn.kernels.compiled import GENERAL, OK, RAISED
from isodyn.kernels.progress import run_clock
from isodyn.linear_solvers.rows import LARGE, Rows
from isodyn.marching import at_balance, march
from isodyn.marching.branch_start import limits_on_branch
from isodyn.marching.carried import carried, put_back
from isodyn.marching.columns import columns
from isodyn.marching.error_sizes import ErrorSizes, begin_stretch
from isodyn.marching.event_watch import EventWatch
from isodyn.marching.kernel_plan import expect_kernels
from isodyn.marching.last_step import LastStep
from isodyn.marching.method import Method
from isodyn.marching.outcome import carry_out, solution_of, warn_of_doubts
from isodyn.marching.plan import LAST, MAIN, START, UNKNOWN, follow_policy, lay_legs, lay_stretch, new_plan
from isodyn.marching.progress import Progress
from isodyn.marching.redundant_rows import Sharing
from isodyn.marching.remedies import FullMatrix, Remedy, remedies_for
from isodyn.marching.row_sharing import can_share, least_norm, march_to_doubt
from isodyn.marching.schedule import Stretch
from isodyn.marching.switches import as_names, rows_of
from isodyn.memory import require_rows
from isodyn.open_types import Selection
from isodyn.results.solution import Sample, Solution
from isodyn.schemes.balance import balances_at_end
from isodyn.stepping.events import Event
from isodyn.stepping.memory import LEAST_OF_T, UNDERFLOW, Plan
from isodyn.stepping.newton_settings import Newton
from isodyn.stepping.policies import AskedPolicy, StepPolicy, TakenStep
from isodyn.systems.base import System

PASSED = (OK, march.FULL, march.LOOK, march.HAPPENED)  # statuses of a march that did not fail
_BLOCK_SECONDS = 0.1  # of the march before Python looks after progress and Ctrl-C
QUICK = 60  # velocities of compiled systems whose first steps take less than that


class Run(LastStep):
    """The memory of one run, and how it comes to its end."""

    sized = False  # whether steps are as long as somebody finds on the way
    own_march = False  # whether `march` does more than the plan asks for
    doubt, independence = True, 0.0  # of redundant rows (isodyn.marching.row_sharing)
    sharing: tuple[Rows, Sharing] | None = None

    def __init__(
        self,
        system: System,
        method: Method,
        stretches: list[Stretch],
        *,
        newton: Newton | None = None,
        select: Selection | None = None,
        observe: Callable[..., Any] | None = None,
        assemble: bool = False,
        policy: StepPolicy | None = None,
        events: tuple[Event, ...] = (),
        released: Sequence[str] = (),
    ) -> None:
        span = stretches[-1].t_stop - stretches[0].t_start
        super().__init__(system, method.closure, method.scaling, assemble=assemble, span=span, newton=newton)
        self.method, self.stretches, self.observe = method, stretches, observe
        self.columns = columns(select, system.nq, system.nv, system.m)
        self.keeps_balance = self._keeps_balance()
        self.asked = None if policy is None else AskedPolicy(policy, self.taken_step)
        if policy is not None and policy.estimates:
            self.sizes = ErrorSizes(policy, system, span)
            self.sizes.put_into(self.memory)
        self.sized = self.sized or policy is not None
        self.total_steps = UNKNOWN if self.sized else sum(stretch.steps for stretch in stretches)
        self.rows = self._empty_rows()
        self.left, self.holds, self.switched = [], [], []
        self.ranks = np.zeros(self.rows.t.size if self.drifts else 0, dtype=np.int64)
        self.remedies = self.remedies_of()
        self.number = -1  # of the stretch
        self.plan = self._new_plan()
        self.watch = EventWatch(self, events) if events else None
        for name in as_names(released):
            self.hold(rows_of(system, name), False)
        self.checkpoint: Any = None  # of isodyn.results
        self.started, self.before = 0.0, 0.0  # clock at the start; seconds of the run that is resumed

    def _keeps_balance(self) -> bool:
        """Whether forces are read from the balances: elastic parts, all of q and v saved."""
        system, method, kept = self.system, self.method, self.columns
        whole = (kept.q.size, kept.v.size) == (system.nq, system.nv) and method.composition is None
        return system.elastic and whole and not balances_at_end(method.main.coefficients)

    def _empty_rows(self) -> march.SavedRows:
        """Memory for all rows."""
        system, closure = self.system, self.closure
        mu, nu = (system.m if flag else 0 for flag in (closure.keep_position, closure.keep_velocity))
        kept = (2, 2 * system.nq, 2 * system.nv) if self.keeps_balance else (0, 0, 0)
        sizes = [*(chosen.size for chosen in self.columns), mu, nu, *kept, 0 if self.sizes is None else 4]
        k = self.rows_expected(1 + sum(sizes))
        require_rows(k, 1 + sum(sizes), k if self.sized else self.total_steps)
        return march.SavedRows(np.zeros(k), *(np.zeros((k, size)) for size in sizes))

    def _new_plan(self) -> Plan:
        """The plan, still without times."""
        method = self.method
        controls = self.newton.controls(keep_balance=self.keeps_balance, one_size=self.asked is None)
        # full matrices come first; and a policy repeats a step that fails with a smaller size
        if self.asked is not None or any(isinstance(remedy, FullMatrix) for remedy in self.remedies):
            controls = controls._replace(max_halvings=0)
        stages = () if method.composition is None else method.composition.ends
        sizes = {"stages": len(stages), "times": max(0 if x.given is None else x.steps for x in self.stretches)}
        if self.asked is not None:
            sizes |= {"times": len(self.asked.policy.land_on), "settings": len(self.asked.policy.settings)}
        plan = new_plan(self.model, self.system.m_phi, method.starting, method.main, controls, **sizes)
        if self.asked is not None:
            follow_policy(plan, self.asked, 1.0 / self.slowest)
            self.state.next_dt = self.asked.policy.first_step
        if method.composition is not None:
            plan.stages, plan.central = np.array(stages), int(method.composition.central)
            self.updates = controls.max_iterations
            self.renew_memory()
        return plan

    # ---- the course of a run

    def execute(self, bar: Progress) -> Solution:
        """Take all stretches; an interrupt, or an observer that returns True, ends the run."""
        expect_kernels(self.model, self.system.m, self.closure)
        self.started = run_clock()
        sol = carry_out(lambda: self.follow(bar), self.where, self.solution)
        self.warn(sol)
        return sol

    def solution(self, stopped: str | None) -> Solution:
        """The solution of the rows so far."""
        return solution_of(self, stopped)

    def warn(self, sol: Solution) -> None:
        """Warn of what the run is not sure of."""
        warn_of_doubts(self, sol)

    def remedies_of(self) -> list[Remedy]:
        """What is done about a step that failed, in this order."""
        return remedies_for(self)

    def follow(self, bar: Progress) -> str | None:
        """Go from the start, or from a checkpoint, to the end; return what ended the run early, or
        None."""
        self.begin()
        if self.state.step == 0 and self.ended_by_observer():
            return f"stopped by observe {self.where()}"
        length = 16 if self.model.callback is not None or self.state.v.size > QUICK else 256
        while not self.finished:
            clock, step, written = run_clock(), int(self.state.step), int(self.counters.rows)
            self.go_on(self.end_of_block(length))
            if self.counters.rows > written and self.ended_by_observer():
                return f"stopped by observe {self.where()}"
            if self.ended is not None:
                return self.ended
            done = int(self.state.step) - step
            if self.checkpoint is not None and done and self.checkpoint.due(step + done):
                self.checkpoint.write(self)
            bar.update(self.progress, self.state.t)
            if interrupts.pending():
                raise KeyboardInterrupt
            length = int(max(done, 1) * min(max(_BLOCK_SECONDS / max(run_clock() - clock, 1e-6), 0.5), 8.0)) + 1
        if self.checkpoint is not None:
            self.checkpoint.finish(self)
        return None

    def begin(self) -> None:
        """Start the run, or go to its last checkpoint."""
        if self.checkpoint is not None:
            self.checkpoint.settle(self.total_steps)
            with self.explained():
                self.look(self.stretches[0].t_start)
            if self.checkpoint.restore(self):
                return
        self.enter(0)

    def enter(self, number: int, *, start: bool = True) -> None:
        """Go to a stretch: `start` at its first time, or go on inside it."""
        self.number = number
        stretch, done = self.stretches[number], int(self.state.step)
        if not self.sized:
            done = sum(before.steps for before in self.stretches[:number])
        lay_stretch(self.plan, stretch, done, composed=self.method.composition is not None)
        if self.sized:  # as many steps as it takes
            lay_legs(self.plan, done, UNKNOWN, start=start or self.state.dt == 0.0, stop=stretch.ends_in_breakpoint)
        if start:
            self.start(stretch, first=number == 0)
            if self.watch is not None:
                with self.explained():
                    self.watch.begin(jumps=number > 0)
        elif self.state.dt == 0.0 and not self.sized:
            self.begin_leg()

    def return_to_state(self) -> None:
        """Go to the stretch that contains the state, which is known already."""
        number = 0
        while self.stretches[number].t_stop < self.state.t:
            number += 1
        self.enter(number, start=False)

    @property
    def finished(self) -> bool:
        """Whether the end of the last stretch is reached."""
        return self.number == len(self.stretches) - 1 and self.at_stop

    @property
    def at_stop(self) -> bool:
        """Whether the end of the stretch is reached."""
        return bool(self.state.t >= self.plan.t_stop if self.sized else self.state.step == self.plan.end)

    def show_last(self, k: int) -> None:
        """The state as row k, where the run was stopped."""
        self.make_room(k + 1)
        at_balance.show(self, k)

    def seconds(self) -> float:
        """How long the run has taken, with what was done before a checkpoint."""
        return run_clock() - self.started + self.before

    def told(self) -> str:
        """Which of several methods took which steps, in words."""
        return ""

    def carried(self) -> dict[str, Any]:
        """All that the run needs to go on, for a checkpoint."""
        return carried(self)

    def put_back(self, found: dict[str, Any]) -> None:
        """Go on from a checkpoint."""
        put_back(self, found)

    # ---- between two calls of the march

    def start(self, stretch: Stretch, *, first: bool) -> None:
        """Acceleration at the first time of a stretch; the row of a breakpoint gets the right-hand
        limit."""
        state, t = self.state, stretch.t_start
        state.t, state.lag = t, 0.0
        with self.explained():
            self.initial_values(t if first else float(np.nextafter(t, np.inf)), first)
            if self.sizes is not None:
                begin_stretch(self, self.sizes, t, first=first)
            lam = limits_on_branch(self, t) if first and self.system.m and not self.model.traits & GENERAL else None
        row = 0 if first else int(self.counters.rows) - 1
        if first:
            self.counters.rows = 1
            self.ranks[:1] = self.independent.rank
        else:
            self.note_left(row)
        march.write_start(state, self.memory, self.columns, self.rows, row)
        if lam is not None:  # at a crossing of branches
            self.rows.lam[row] = lam[self.columns.lam]
        elif self.independent.dropped.size:
            self.watch_rows(True)

    def end_of_block(self, length: int) -> int:
        """The step up to which the march may go: soon enough for progress and Ctrl-C, at most to
        the next row if somebody looks at it, and to the next checkpoint."""
        step, redundant = int(self.state.step), self.independent.dropped.size > 0
        upto = step + length
        if self.checkpoint is not None:
            upto = min(upto, step + self.checkpoint.room(step))
        if self.observe is not None or (redundant and not can_share(self)):
            upto = min(upto, self.next_row(step))
        return upto

    def next_row(self, step: int) -> int:
        """How many steps are done when the next row is written."""
        if self.sized:
            return step + 1
        stretch, begin = self.stretches[self.number], int(self.plan.begin)
        return begin + 1 + stretch.next_saved(step - begin) if step < self.plan.end else step + 1

    def go_on(self, upto: int) -> None:
        """Call the march once, up to a step or the end of the stretch. After a step that failed,
        apply a remedy, or raise the error that explains the failure."""
        if self.at_stop:
            self.enter(self.number + 1)
        if self.sampling is not None:
            upto = self.sampling.before(upto)
        written, upto = int(self.counters.rows), min(upto, int(self.plan.end))
        self.unfinished = written
        with self.explained():
            self.see_to_room(upto)
            status = march_to_doubt(self, upto)
            failed_at = None if status in PASSED else int(self.state.step)
            status = self.remedied(status)
            if status == march.HAPPENED and self.watch is not None:
                self.ended = self.watch.look()
            if status in (march.HAPPENED, march.LOOK):
                self.fill_rows()
            status = OK if status in PASSED else status
            self.ranks[self.unfinished : int(self.counters.rows)] = self.independent.rank
            if status != OK:
                self.check(status, self.state.t, self.next_time())
        if self.independent.dropped.size and self.doubt and self.state.step != failed_at:
            k = int(self.counters.rows)
            self.watch_rows(k > written and self.rows.t[k - 1] == self.state.t)
        self.finish_rows(self.unfinished)

    def see_to_room(self, upto: int) -> None:
        """Memory for rows, where nobody knows how many there will be."""
        if self.sized and self.counters.rows == self.rows.t.size:
            self.make_room(2 * self.rows.t.size)
        elif self.watch is not None and not self.sized:
            self.make_room(int(self.counters.rows) + upto - int(self.state.step) + 1)

    def march(self, upto: int) -> int:
        """March with the present memory and plan; return a status."""
        return self.along_plan(march.march, upto)

    def along_plan(self, kernel: Callable[..., Any], upto: int, *more: object) -> int:
        """Call this march with the present memory and plan; return its status."""
        model = self.model if self.other is None else self.other
        if self.plan.legs[0].traits != model.traits:
            for leg in self.plan.legs:
                leg.traits = model.traits
        tables = self.state, self.memory, self.columns, self.rows, self.counters
        return self.answer(kernel, model.function, model.tables, model.scratch, self.plan, upto, *tables, *more)

    def remedied(self, status: int) -> int:
        """Try the remedies for a status, in their order; OK where the march can go on."""
        for remedy in self.remedies:
            if status in remedy.against:
                status = remedy.apply(self, status)
        return status

    def taken_step(self) -> TakenStep:
        """The step that a policy is asked about."""
        state, legs = self.state, self.plan.legs
        lands = legs[LAST].last > legs[MAIN].last and state.t == self.plan.t_stop
        number = START if state.step < legs[START].last else LAST if lands else MAIN
        return TakenStep(legs[number], self.memory.before, state, self.memory, self.sizes is not None)

    def check(self, status: int, t: float, t_next: float) -> None:
        """Turn a status of the march into the error that says what happened where."""
        self.raise_what_was_raised(status)
        if self.asked is not None and status in (RAISED, UNDERFLOW) and self.model.raised is None:
            raise ConvergenceError(
                f"{self.asked.policy!r} accepts no step at t = {t:.6g}, down to {max(self.plan.smallest_dt, LEAST_OF_T * abs(t)):.3g}",
                hint="a jump that belongs into breakpoints, a tolerance below rounding, or a smallest size of steps that is too large",
            )
        super().check(status, t, t_next)

    def raise_what_was_raised(self, status: int) -> None:
        """The exception of a function in Python that the march has called."""
        for asked in (self.asked, None if self.watch is None else self.watch.called):
            if status == RAISED and asked is not None and asked.raised is not None:
                raise asked.raised

    def next_time(self) -> float:
        """Where the next step leads to."""
        if self.sized:
            return float(self.state.t + self.state.next_dt)
        stretch = self.stretches[self.number]
        n = min(int(self.state.step) - int(self.plan.begin), stretch.steps - 1)
        return float(stretch.times(n, n + 1)[0])

    def watch_rows(self, wrote_row: bool) -> None:
        """Check that rows that are not enforced still hold; give the newest row its multipliers."""
        state, t, row = self.state, self.state.t, int(self.counters.rows) - 1
        self.sharing, self.independence = None, 0.0
        if self.drifts and self.system.m * self.system.nv <= LARGE:
            at_balance.watch_rows(self, wrote_row)
            return
        G = self.ask.rows(t, state.q, state.v)
        if self.keep_rows(G):
            G = self.ask.rows(t, state.q, state.v)
            if wrote_row:
                at_balance.show(self, row)
        if wrote_row:
            self.rows.lam[row] = least_norm(self, G)[self.columns.lam]

    def ended_by_observer(self) -> bool:
        """Show the newest row to the observer; True from it ends the run."""
        if self.observe is None:
            return False
        k = int(self.counters.rows) - 1
        rows, state = self.rows, self.state
        q, v, a = rows.q[k].copy(), rows.v[k].copy(), rows.a[k].copy()
        # observers see all, also what is not kept
        if q.size + v.size + a.size < state.q.size + 2 * state.v.size:
            q, v, a = state.q.copy(), state.v.copy(), state.a + state.lag * state.da
        return bool(self.observe(Sample(rows.t[k], q, v, a, rows.lam[k].copy())))
