"""The Python around the compiled steps of `integrate_adaptive`: start, blocks of steps, choice of
rows, interrupts, errors."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import numpy as np

from isodyn.errors import ConvergenceError
from isodyn.formulations.closure import OPEN
from isodyn.kernels import interrupts
from isodyn.kernels.compiled import KNOWS_RATE, NOT_FINITE, OK, SINGULAR, FloatArray
from isodyn.kernels.progress import run_clock
from isodyn.linear_solvers.rows import choose
from isodyn.marching.branch_start import limits_on_branch
from isodyn.marching.outcome import carry_out
from isodyn.marching.record import Record
from isodyn.marching.start import gaps
from isodyn.marching.states import States
from isodyn.results.solution import Solution
from isodyn.stepping import dop853
from isodyn.stepping.events import Event
from isodyn.stepping.memory import UNDERFLOW
from isodyn.systems.scales import pace, power_of_two

# how long the compiled steps may take before Python looks after progress and Ctrl-C
_BLOCK_SECONDS = 0.1
_MOST_NUMBERS = 1_000_000  # in a block of steps …
_FIRST_NUMBERS = 16_000  # … and in the first one, of which it is not known how long it takes
ATOL = 1e-12  # of typical sizes: errors that are allowed where nothing else is said
FAR = 1e3  # tolerances: a longer way onto the constraints than this is not trusted
ROUNDING = 1e-11  # violations of dropped rows above this ask whether they are independent by now


class AdaptiveRun:
    """The memory of one run with adaptive steps."""

    def __init__(
        self,
        system: Any,
        formulation: Any,
        method: Any,
        atol: FloatArray | None,
        span: tuple[float, float],
        times: FloatArray | None,
        first_step: float | None,
        max_step: float,
        project: bool,
        events: tuple[Event, ...],
        assemble: bool,
    ) -> None:
        self.kernel = dop853
        self.system, self.method, self.given = system, method, atol
        self.beat = 1.0  # how fast the system moves at the start, in typical sizes: 1/s
        self.span, self.times, self.project = span, times, project
        self.dense = 2 if events else 0 if times is None else 1
        self.first_step, self.max_step = first_step, max_step
        self.states = States(system, formulation, project, assemble, span[1] - span[0])
        self.states.far = FAR * (method.rtol + 1e-12)
        self.base, self.motion, self.counters = self.states.base, self.states.motion, self.states.counters
        back = system.retract is None or bool(
            self.base.model.traits & KNOWS_RATE
        )  # compiled code brings q back to where it lives
        self.hosted = formulation is not None or not back  # every step ends in Python
        self.alone = self.hosted or any(event.terminal for event in events)  # one step at a time
        self.state, self.trial, self.K = self.base.state, self.states.trial, self.states.K
        self.pace = self.pace_of(span[1])
        self.record = Record(self.base.ask, times, events, self.states.between, self.states.complete)

    def pace_of(self, t_end: float) -> Any:
        """How far and how exactly the steps go; allowed errors and the first step are found at the
        start."""
        components = self.system.nq + self.system.nv
        pace = self.kernel.Pace(components=components, times=0 if self.times is None else self.times.size)
        pace.t_end, pace.rtol, pace.h_max = t_end, self.method.rtol, self.max_step
        pace.project, pace.dense = 2 if self.hosted else 1 if self.project else 0, self.dense
        if self.times is not None:
            pace.times = self.times
        return pace

    # ---- the course of a run

    def execute(self, show: Callable[[float], None]) -> Solution:
        """Run from start to end; a terminal event or an interrupt ends it early."""
        started = run_clock()
        sol = carry_out(lambda: self.follow(show), self.where, lambda stopped: self.solution(started, stopped))
        self.record.warn_of_rank()
        return sol

    def where(self) -> str:
        """How far the run is, as text for messages."""
        return f"at t = {self.state.t:g} after {self.counters.steps} steps"

    def follow(self, show: Callable[[float], None]) -> str | None:
        """Take all steps, in blocks that are short enough for progress and Ctrl-C; return what
        ended the run before t_end, or None."""
        self.start()
        length = 4 if self.base.model.callback is not None else max(4, _FIRST_NUMBERS // self.K.size)
        while self.state.t < self.span[1]:
            alone = self.alone or self.base.independent.dropped.size > 0
            clock = run_clock()
            path = self.march(1 if alone else length)
            with self.base.explained():
                ended = self.record.steps(path)
            if ended is not None:
                return ended
            show(self.state.t)
            if interrupts.pending():
                raise KeyboardInterrupt
            scale = _BLOCK_SECONDS / max(run_clock() - clock, 1e-6)
            length = min(int(length * np.clip(scale, 0.5, 8.0)) + 1, max(1, _MOST_NUMBERS // self.K.size))
        return None

    def start(self) -> None:
        """A consistent state, its rate, and the size of the first step."""
        state, (t, t_end) = self.state, self.span
        state.t = t
        with self.base.explained():
            self.base.look(t)
            if self.system.m:
                self.base.make_consistent(t, True)
                if self.base.independent.dropped.size:
                    self.base.keep_rows(self.base.ask.G(*self.now()))
            self.check(self.states.rate(t, state, self.K[0]))
            if self.system.m:
                lam = limits_on_branch(self.base, t, rows=self.base is self.motion)
                state.lam[:] = state.lam if lam is None else lam
                self.K[0, self.system.nq :] = state.a
            self.reckon()
            self.pace.h = self.first_step or self.guess(t, t_end)
            self.record.chosen(self.base.independent)
            self.record.start(t, state)

    def reckon(self) -> None:
        """How fast the system moves, and the errors that are allowed of what is nearly zero."""
        state, system = self.state, self.system
        if not system.first_order:
            rates = pace(system, state.v), float(np.sqrt(pace(system, state.a))), self.base.slowest
            self.beat = float(power_of_two(max(rates)))
        own = np.concatenate([system.scales.q, self.beat * system.scales.v])
        self.pace.atol = ATOL * own if self.given is None else self.given

    def guess(self, t: float, t_end: float) -> float:
        """A first step from the sizes of y, ẏ and ÿ [Hairer1993 Sec. II.4], in units of the time in
        which the system moves."""
        state, trial, unit = self.state, self.trial, 1.0 / self.beat
        y, f = np.concatenate([state.q, state.v]), self.K[0]
        scale = self.pace.atol + self.method.rtol * np.abs(y)

        def norm(x: FloatArray) -> float:
            return float(np.sqrt(np.mean((x / scale) ** 2)))

        d0, d1 = norm(y), unit * norm(f)
        h0 = unit * (1e-6 if min(d0, d1) < 1e-5 else 0.01 * d0 / d1)
        h0 = min(h0, t_end - t, self.max_step)
        trial.q[:], trial.v[:] = np.split(y + h0 * f, [state.q.size])
        if self.states.rate(t + h0, trial, self.K[1]) != OK:
            return h0
        d2 = unit**2 * norm(self.K[1] - f) / h0
        h1 = max(1e-6 * unit, 1e-3 * h0) if max(d1, d2) <= 1e-15 else unit * (0.01 / max(d1, d2)) ** 0.125
        return min(100.0 * h0, h1)

    def march(self, length: int) -> Any:
        """Take accepted steps, at least one, and return them as a path."""
        system, base = self.system, self.base
        path = self.kernel.allocate_path(length, system.nq, system.nv, system.m, self.dense > 0)
        before = int(self.counters.steps)
        while True:
            with self.base.explained(), self.salvaged(path, before):
                status = self.kernel.march(
                    *self.motion.physics(OPEN),
                    self.pace,
                    self.state,
                    self.trial,
                    self.motion.memory,
                    self.K,
                    path,
                    self.counters,
                )
            done = int(self.counters.steps) - before
            with self.base.explained():
                if status != OK and done == 0:
                    self.recover(status)
                    continue
            path = self.kernel.Path(*(x[:done] for x in path))
            if self.hosted and not self.land(path):
                self.counters.steps -= 1
                continue
            if base.independent.dropped.size:
                self.watch(path)
            return path

    def recover(self, status: int) -> None:
        """Choose other rows at the last accepted state, or raise the error that says why there is
        no further step."""
        base = self.base
        if status in (SINGULAR, NOT_FINITE, UNDERFLOW) and self.system.m and base.choose_again():
            self.check(self.states.rate(self.state.t, self.state, self.K[0]))
            self.record.chosen(base.independent)
            self.pace.h = max(self.pace.h, 1e-3 * self.guess(self.state.t, self.span[1]))
            return
        self.check(status)

    def land(self, path: Any) -> bool:
        """End a step in Python: bring q back to its manifold and the state onto the constraints.
        Return False if that fails, so that h shrinks."""
        state, t, nq = self.state, float(path.clock[0, 1]), self.system.nq
        with self.base.explained():
            state.q[:] = self.states.lived(path.start[0, :nq], state.q)
            status = self.states.onto_constraints(t, state)
            if status in (SINGULAR, NOT_FINITE) and t - path.clock[0, 0] > 1e-12 * (self.span[1] - self.span[0]):
                state.t = path.clock[0, 0]
                state.q[:], state.v[:] = path.start[0, :nq], path.start[0, nq:]
                self.counters.rejected += 1
                self.pace.h = 0.25 * (t - path.clock[0, 0])
                self.check(self.states.rate(state.t, state, self.K[0]))
                return False
            self.states.check(status, t, self.base)
            self.check(self.states.rate(t, state, self.K[0]))
        path.end[0, :nq], path.end[0, nq:], path.a[0], path.lam[0] = state.q, state.v, state.a, state.lam
        return True

    def watch(self, path: Any) -> None:
        """With redundant rows: the dropped ones still hold at the end of the path, or another set
        is taken."""
        state, base, nq = self.state, self.base, self.system.nq
        chosen = base.independent
        with self.base.explained():
            violated = max(
                float(np.abs(gap).max(initial=0.0)) for _, gap, _ in gaps(base.ask, *self.now(), base.slowest)
            )
            if violated > ROUNDING and choose(base.ask.G(*self.now()) * self.system.scales.v).rank > chosen.rank:
                base.choose_again()
            base.keep_rows(base.ask.G(*self.now()))
            if base.independent is not chosen:
                self.check(self.states.rate(state.t, state, self.K[0]))
                path.end[-1, :nq], path.end[-1, nq:], path.a[-1], path.lam[-1] = state.q, state.v, state.a, state.lam
                self.record.chosen(base.independent)

    def now(self) -> tuple[float, FloatArray, FloatArray]:
        """t, q and v of the last accepted state."""
        return float(self.state.t), self.state.q, self.state.v

    def solution(self, started: float, stopped: str | None) -> Solution:
        """The rows that were saved so far; if something stopped the run, also the end of its last
        whole step."""
        seconds = run_clock() - started
        if stopped is not None:
            self.record.keep_last()
        return self.record.solution(self.method, self.motion.model.solver, self.counters, seconds, stopped)

    # ---- what went wrong, in words

    @contextmanager
    def salvaged(self, path: Any, before: int) -> Iterator[None]:
        """The steps that were done before a compiled function of the user raised."""
        try:
            yield
        except Exception:
            for i in range(0 if self.hosted else int(self.counters.steps) - before):
                self.record.step(path, i)
            raise

    def check(self, status: int) -> None:
        """Turn a status of the steps into the error that says what happened where."""
        t = self.state.t
        if status == UNDERFLOW:
            raise ConvergenceError(
                f"the step became as small as rounding of t at t = {t:.6g} (step {self.counters.steps + 1}): the error asked for"
                f" ({self.method}) was not reached",
                hint="a jump, a kink, a singularity or a stiff motion; integrate(...) takes the first and the last of them,"
                " and passes singular positions where branches of motion cross",
            )
        self.states.check(status, t, self.motion, float(self.pace.h))
