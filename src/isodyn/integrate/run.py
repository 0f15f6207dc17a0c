"""The Python around the compiled loop: stretches, blocks, observers, interrupts, errors.

Each stretch between breakpoints starts from the acceleration at its first time, takes its first
step with the trapezoidal member U0(1, 1, 0) (isodyn.integrate.coefficients), for which a_n belongs
to t_n itself, and then moves a to the time level of the chosen scheme, a ← a₁ − φ (a₁ − a₀). That
makes a second order from the first step on; see docs/derivations/first_step.md.
"""

from __future__ import annotations

import warnings
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from typing import TYPE_CHECKING, Any

import numpy as np

from isodyn.errors import CallableError, ConflictError, IsodynError, IsodynWarning
from isodyn.formulations.closure import OPEN, Closure
from isodyn.integrate import at_balance, loop
from isodyn.integrate.algebraic_start import algebraic_start
from isodyn.integrate.branch_start import limits_on_branch, settle_start
from isodyn.integrate.coefficients import coefficients, starting_scheme
from isodyn.integrate.columns import columns
from isodyn.integrate.enforced_rows import EnforcedRows
from isodyn.integrate.failures import failure
from isodyn.integrate.kernel_plan import expect_kernels
from isodyn.integrate.memory import Controls
from isodyn.integrate.outcome import solution_of, warn_of_doubts
from isodyn.integrate.progress import Progress
from isodyn.integrate.schedule import Stretch
from isodyn.integrate.start import (
    finite_rows,
    is_consistent,
    near_manifold,
    refuse_conflicts,
    refuse_if_far,
    refuse_stationary,
    still_open,
)
from isodyn.kernels import interrupts
from isodyn.kernels.compiled import (
    GENERAL,
    NO_PIVOT,
    NOT_CONVERGED,
    NOT_FINITE,
    OK,
    RAISED,
    SINGULAR,
    UNTOLD,
    Coefficients,
    FloatArray,
)
from isodyn.kernels.progress import run_clock
from isodyn.linear_solvers.rows import (
    LARGE,
    every,
    least_multipliers,
)
from isodyn.memory import require_rows
from isodyn.results.at_balance import balances_at_end
from isodyn.results.solution import Sample, Solution
from isodyn.schemes import FirstOrderScheme, Scheme
from isodyn.systems.compiled_system import started

if TYPE_CHECKING:
    from isodyn.integrate.composition import ComposedSteps
    from isodyn.integrate.driver import Newton

# steps between looks at redundant rows, where checkpoints ask for the same ones in every run
_BLOCK = 256
# how long the compiled loop may run before Python looks after progress and Ctrl-C
_BLOCK_SECONDS = 0.1


class Run(EnforcedRows):
    """The memory of one run, and the Python around the compiled loop."""

    def __init__(
        self,
        system: Any,
        scheme: Scheme | FirstOrderScheme,
        stretches: list[Stretch],
        select: Any,
        newton: Newton,
        observe: Any,
        closure: Closure,
        first_closure: Closure,
        assemble: bool,
        scaling: FloatArray | None = None,
        composed: ComposedSteps | None = None,
    ) -> None:
        super().__init__(system, closure, scaling)
        self.assemble = assemble
        self.loop, self.scheme, self.stretches, self.observe = loop, scheme, stretches, observe
        self.main, self.starting = coefficients(scheme), coefficients(starting_scheme(scheme))
        nq, nv, m = system.nq, system.nv, system.m
        self.columns = columns(select, nq, nv, m)
        keep_balance = (
            getattr(system, "elastic", False)
            and composed is None
            and not balances_at_end(self.main)
            and (self.columns.q.size, self.columns.v.size) == (nq, nv)
        )
        self.controls = Controls(
            newton.rtol,
            newton.max_iterations,
            newton.max_halvings,
            int(newton.full),
            int(newton.reuse),
            int(newton.quasi),
            newton.form,
            int(keep_balance),
        )
        self.first_closure, self.composed = first_closure, composed
        # beside which velocities count
        self.slowest = 1.0 / (stretches[-1].t_stop - stretches[0].t_start)
        self.total_steps = sum(stretch.steps for stretch in stretches)
        k = 1 + sum(stretch.rows for stretch in stretches)
        mu, nu = (m if flag else 0 for flag in (closure.keep_position, closure.keep_velocity))
        kept = (2, 2 * nq, 2 * nv) if keep_balance else (0, 0, 0)
        sizes = [*(chosen.size for chosen in self.columns), mu, nu, *kept]
        require_rows(k, 1 + sum(sizes), self.total_steps)
        self.rows = loop.SavedRows(np.zeros(k), *(np.zeros((k, size)) for size in sizes))
        self.left: list[tuple[int, FloatArray, FloatArray]] = []
        self.ranks = np.zeros(k if self.drifts else 0, dtype=np.int64)
        self.full: at_balance.FullMatrices | None = None
        self.index: Any = None  # of a system with algebraic unknowns
        self.checkpoint: Any = None  # of isodyn.results
        # clock at the start; seconds of the run that is resumed
        self.started, self.before = 0.0, 0.0
        self.careful = self.controls
        if closure.at_balance and self.model.sparsity is not None and nv + m <= at_balance.LARGEST:
            self.controls = self.controls._replace(max_halvings=0)

    # ---- the course of a run

    def execute(self, bar: Progress) -> Solution:
        """All stretches; an interrupt or an observer's word ends early."""
        stopped, done, first = None, 0, 0
        expect_kernels(self.model, self.system.m, self.closure)
        self.started = run_clock()
        try:
            if self.checkpoint is not None:
                self.checkpoint.settle(self.total_steps)
                with self.explained():
                    self.look(self.stretches[0].t_start)
                done = self.checkpoint.restore(self)
            with interrupts.noted():
                for number, stretch in enumerate(self.stretches):
                    # steps of this stretch before a checkpoint
                    here = min(max(done - first, 0), stretch.steps)
                    first += stretch.steps
                    if done > first:
                        continue
                    if here == 0:
                        self.start(stretch, first=number == 0)
                    if (number == 0 and here == 0 and self.ended_by_observer()) or self.follow(stretch, bar, here):
                        stopped = "stopped by observe"
                        break
                if self.checkpoint is not None and stopped is None:
                    self.checkpoint.finish(self)
        except KeyboardInterrupt:
            stopped = "interrupted"
        except BaseException as error:
            with suppress(AttributeError):
                error.partial = solution_of(self, "stopped by an error")  # type: ignore[attr-defined]
            raise
        if stopped is not None:
            stopped = f"{stopped} at t = {self.state.t:g} after {self.counters.steps} of {self.total_steps} steps"
            if stopped.startswith("interrupted"):
                warnings.warn(f"{stopped}; the solution holds what was done", IsodynWarning, stacklevel=3)
        sol = solution_of(self, stopped)
        warn_of_doubts(self, sol)
        return sol

    def seconds(self) -> float:
        """How long the run has taken, with what was done before a checkpoint."""
        return run_clock() - self.started + self.before

    def start(self, stretch: Stretch, *, first: bool) -> None:
        """Acceleration at the first time of a stretch; the row of a breakpoint gets the right-hand
        limit."""
        state, t = self.state, stretch.t_start
        state.t, state.lag = t, 0.0
        with self.explained():
            self.initial_values(t if first else float(np.nextafter(t, np.inf)), first)
            lam = limits_on_branch(self, t) if first and self.system.m and not self.model.traits & GENERAL else None
        self.loop.show_start(state, self.memory)
        row = 0 if first else int(self.counters.rows) - 1
        if first:
            self.counters.rows = 1
            self.ranks[:1] = self.independent.rank
        else:
            self.left.append((row, self.rows.a[row].copy(), self.rows.lam[row].copy()))
        self.loop.write_row(0.0, state, self.memory, self.columns, self.rows, row)
        if lam is not None:  # at a crossing of branches
            self.rows.lam[row] = lam[self.columns.lam]
        elif self.independent.dropped.size:
            self.watch_rows(True)

    def initial_values(self, t: float, first: bool) -> None:
        """Accelerations and multipliers at t, after q and v were put onto the constraints."""
        state = self.state
        if first:
            self.look(t)
        if self.model.traits & GENERAL and self.system.m:
            self.enforce(every(self.system.m))
            z = self.system.z0 if first else state.lam
            state.a[:], state.lam[:], self.index = algebraic_start(self.system, t, state.v, z, self.closure)
            state.da[:] = 0.0
            state.dt = 0.0
            return
        # what drifts by its own equation is left alone
        if self.system.m and (first or not self.closure.at_balance):
            self.consist(t, first)
            diagonal = self.independent.diagonal[: self.independent.rank]
            if diagonal.size and self.drifts:
                state.nearest, state.nearest_at = diagonal[-1] / diagonal[0], t
        if self.closure.compliance > 0.0:
            self.enforce(every(self.system.m))
        status = self.initial.initial_acceleration(*self.physics(self.closure), t, state, self.memory, self.counters)
        self.check(status, t, t)

    def consist(self, t: float, first: bool) -> None:
        """Choose independent rows, put q and v onto them, and see that the other rows follow."""
        state, ask = self.state, self.ask
        finite_rows(ask, t, state.q, state.v)
        state.q[:] = started(self.system, state.q, t) if first else state.q
        self.enforce(self.independent_rows(t))
        given = state.q.copy(), state.v.copy()
        status = OK
        if not is_consistent(ask, self.independent, t, state.q, state.v, self.slowest):
            status = self.initial.nearest_consistent(*self.physics(OPEN), t, state, self.memory)
        lost = status == OK and first and self.assemble and still_open(ask, self.independent, t, state.q)
        if status in (SINGULAR, NOT_FINITE, UNTOLD) or lost:
            state.q[:] = near_manifold(ask, t, given[0])
            self.enforce(self.independent_rows(t))
            status = self.initial.nearest_consistent(*self.physics(OPEN), t, state, self.memory)
        if status == OK:
            refuse_conflicts(ask, self.independent, t, state.q, state.v, self.slowest)
        if first:
            refuse_stationary(ask, self.independent, t, state.q, state.v)
        if first and not self.assemble:
            refuse_if_far(ask, t, *given, self.slowest)
        self.check(status, t, t)
        if self.moved_from(given[0]):
            self.enforce(self.independent_rows(t))
        if first:
            settle_start(self, t, given[1])

    def watch_rows(self, wrote_row: bool) -> None:
        """With redundant rows: the dropped ones still hold, and the newest row gets the multipliers
        of least norm."""
        state, t, row = self.state, self.state.t, int(self.counters.rows) - 1
        G = self.ask.G(t, state.q, state.v)
        if self.drifts and G.shape[0] * G.shape[1] <= LARGE:
            at_balance.watch_rows(self, wrote_row)
            return
        try:
            refuse_conflicts(self.ask, self.independent, t, state.q, state.v, self.slowest)
            exchanged = self.worn(G) and self.choose_again()
        except ConflictError:
            exchanged = self.choose_again()
            if not exchanged:
                raise
        if exchanged:
            G = self.ask.G(t, state.q, state.v)
            if wrote_row:
                at_balance.show(self, row)
        if wrote_row:
            lam = least_multipliers(G, self.memory.lam_1 if self.drifts else state.lam, self.system.scales)
            self.rows.lam[row] = lam[self.columns.lam]

    def follow(self, stretch: Stretch, bar: Progress, done: int = 0) -> bool:
        """All steps that are not `done`: the first by the starting member, the last too where the
        scheme would look past a jump."""
        n = stretch.steps
        if self.composed is not None:
            return self.go(self.main, self.closure, stretch, done, n, bar)
        beyond = n - 1 if stretch.ends_in_breakpoint and self.main.W1 > 1.0 and n > 1 else n
        if self.go(self.starting, self.first_closure, stretch, done, 1, bar):
            return True
        if done <= 1:
            self.shift(self.main.phi)
        if self.go(self.main, self.closure, stretch, max(done, 1), beyond, bar):
            return True
        if done < n or self.state.lag != 0.0:
            self.shift(0.0)
        return self.go(self.starting, self.first_closure, stretch, max(done, beyond), n, bar)

    def shift(self, phi: float) -> None:
        """Move the acceleration from t_n − φ_old Δt to t_n − φ Δt."""
        self.loop.shift(self.state, phi)

    def go(self, s: Coefficients, closure: Closure, stretch: Stretch, begin: int, end: int, bar: Progress) -> bool:
        """Steps begin … end − 1 of a stretch with one set of coefficients, in blocks short enough
        to stay responsive."""
        t_limit = float(np.nextafter(stretch.t_stop, -np.inf)) if stretch.ends_in_breakpoint else np.inf
        length = 16
        while begin < end:
            redundant = self.independent.dropped.size > 0
            if self.checkpoint is not None:
                length = min(_BLOCK if redundant else length, self.checkpoint.room(int(self.counters.steps)))
            times = stretch.times(begin, min(begin + length, end))
            save = stretch.save(begin, begin + times.size)
            if (self.observe is not None or redundant) and save.any():
                times = times[: int(np.argmax(save)) + 1]
                save = save[: times.size]
            clock, before, written = run_clock(), int(self.counters.steps), int(self.counters.rows)
            with self.explained():
                physics = self.physics(closure, s, self.controls, stepping=True)
                physics[-1].t_limit = t_limit
                tables = self.state, self.memory, self.columns, self.rows, self.counters
                if self.composed is None:
                    status = self.loop.run(*physics, times, save, *tables)
                else:
                    t_first = stretch.t_start
                    if stretch is not self.stretches[0]:
                        t_first = float(np.nextafter(t_first, np.inf))
                    status = self.composed.run(t_first, *physics, times, save, *tables)
                done = int(self.counters.steps) - before
                if status in (SINGULAR, NOT_CONVERGED, NOT_FINITE, UNTOLD) and self.careful is not self.controls:
                    status = self.with_full_matrices(s, closure, t_limit, times[done : done + 1], save[done : done + 1])
                    if status == OK:
                        times, save = times[: done + 1], save[: done + 1]
                self.ranks[written : int(self.counters.rows)] = self.independent.rank
                if status == NO_PIVOT and self.choose_pivots():
                    begin += done
                    continue
                if status in (SINGULAR, NOT_CONVERGED) and self.system.m and self.choose_again():
                    begin += done
                    continue
                self.check(status, self.state.t, times[min(done, times.size - 1)])
            if redundant:
                self.watch_rows(bool(save[-1]))
            if save[-1] and self.ended_by_observer():
                return True
            if self.checkpoint is not None and self.checkpoint.due(int(self.counters.steps)):
                self.checkpoint.write(self)
            bar.update(int(self.counters.steps), self.state.t)
            if interrupts.pending():
                raise KeyboardInterrupt
            begin += times.size
            length = int(times.size * np.clip(_BLOCK_SECONDS / max(run_clock() - clock, 1e-6), 0.5, 8.0)) + 1
        return False

    def with_full_matrices(self, s: Coefficients, closure: Closure, t_limit: float, time: Any, save: Any) -> int:
        """One step that sparse matrices failed at."""
        if self.full is None or not np.array_equal(self.full.chosen, self.independent.chosen):
            self.full = at_balance.FullMatrices(self)
        return self.full.step(self, s, closure, t_limit, time, save)

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

    # ---- what went wrong, in words

    @contextmanager
    def explained(self) -> Iterator[None]:
        """Step and time as a note on the exception of a user's function; the exception itself stays
        as it is."""
        try:
            yield
        except KeyboardInterrupt:
            raise
        except Exception as error:
            if not isinstance(error, IsodynError) or isinstance(error, CallableError):
                step = int(self.counters.steps)
                error.add_note(f"in step {step + 1} of {self.total_steps}, from t = {self.state.t:.6g}")
            raise

    def check(self, status: int, t: float, t_next: float) -> None:
        """Turn a status of the loop into the error that says what happened where."""
        if status == OK:
            return
        if status == RAISED:
            raised = self.model.raised or (self.other.raised if self.other is not None else None)
            assert raised is not None
            raise raised
        step = int(self.counters.steps)
        dt = t_next - t
        where = f"at t = {t:.6g} (step {step + 1}, dt = {dt:.3g})" if dt > 0 else f"at the start, t = {t:.6g}"
        raise failure(status, where, self.memory, self.careful, self.system, self.independent.chosen, self.state.q)
