"""The last step of a run, for those who look into it: states inside, the same step to another end,
and a start from there (isodyn.marching.event_watch)."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any, TypeVar

import numpy as np

from isodyn.errors import InputError
from isodyn.formulations.closure import OPEN
from isodyn.kernels.compiled import GENERAL, OK, RAISED, WRONG_SHAPE, FloatArray, IntArray
from isodyn.marching import at_balance, march
from isodyn.marching.at_rest import AtRest
from isodyn.marching.error_sizes import begin_stretch
from isodyn.marching.event_actions import refuse_open_rows
from isodyn.marching.event_watch import EventWatch
from isodyn.marching.held_inputs import HeldInputs
from isodyn.marching.plan import LAST, MAIN, START
from isodyn.marching.switches import SystemSwitch
from isodyn.memory import require_rows
from isodyn.results.dense_output import cubic, quintic
from isodyn.results.solution import Sample
from isodyn.stepping import initial
from isodyn.stepping.memory import Counters, Plan, State, forget, new_state
from isodyn.systems.base import System
from isodyn.systems.contacts import refuse_contacts
from isodyn.systems.questions import Questions

if TYPE_CHECKING:
    import numpy.typing as npt

    from isodyn.marching.march import Columns, SavedRows
    from isodyn.marching.sampling import Sampling
    from isodyn.marching.schedule import Stretch

Scalar = TypeVar("Scalar", bound=np.generic)

PARTS = 1000  # of the time span, on the progress bar of runs whose steps are not counted before
SNAP = 1e-6  # of Δt: a grid time nearer to an event than this is left out
# rows of a run that nobody has counted before: at first, and numbers in them
FEWEST_ROWS, MOST_ROWS, NUMBERS = 128, 2048, 50_000
UNITS = 100  # distances of neighbouring times: no step is smaller


class LastStep(AtRest):
    """A run that can look into its last step, from memory.before to its state."""

    watch: EventWatch | None = None
    inputs: HeldInputs | None = None
    sampling: Sampling | None = None
    ended: str | None = None  # what ended the run, in words
    sized: bool
    total_steps: int
    number: int  # of the stretch
    plan: Plan
    columns: Columns
    rows: SavedRows
    ranks: IntArray
    left: list[tuple[int, FloatArray, FloatArray, FloatArray, FloatArray]]
    stretches: list[Stretch]
    # from which row on which constraint rows are held, once events have released some
    holds: list[tuple[int, Any]]
    loads_off: tuple[str, ...] = ()
    switched: list[tuple[int, tuple[str, ...]]]  # from which row on which loads are off
    touches = False  # whether it knows of contacts
    unfinished = 0  # the first row that is not finished
    parts: tuple[str, ...] = ("state", "memory", "plan", "counters")  # what steps from here depend on

    def __init__(self, system: System, *given: Any, **options: Any) -> None:
        if not self.touches:
            refuse_contacts(system, "this kind of run")
        super().__init__(system, *given, **options)

    # ---- states

    def sample(self) -> Sample:
        """The state, with the acceleration brought to t."""
        return self.sample_of(self.state)

    def sample_of(self, state: State) -> Sample:
        """A state, with the acceleration brought to its time."""
        a = state.a + state.lag * state.da
        return Sample(float(state.t), state.q.copy(), state.v.copy(), a, state.lam.copy())

    def moved(self, q: FloatArray, d: FloatArray) -> FloatArray:
        """q ⊕ d."""
        retract = self.system.retract
        return q + d if retract is None else np.asarray(retract(q.copy(), d.copy()), dtype=np.float64)

    def path(self) -> Callable[[float], Sample]:
        """States inside the last step: the quintic of (q, v, a), with a and lam in a straight line;
        the cubic of (s, s') for systems of first order."""
        first, last = self.sample_of(self.memory.before), self.sample()
        dt, difference = np.array([last.t - first.t]), self.system.difference
        d_1 = last.q - first.q if difference is None else difference(first.q.copy(), last.q.copy())

        def state(t: float) -> Sample:
            if t in (first.t, last.t):
                return first if t == first.t else last
            x = np.array([(t - float(first.t)) / dt[0]])
            a, lam = ((1 - x) * one + x * two for one, two in zip(first[3:], last[3:], strict=True))
            if self.system.first_order:
                return Sample(np.float64(t), first.q, cubic(x, dt, first.v, last.v, first.a, last.a), a, lam)
            d, v = quintic(x, dt, d_1, first.v, last.v, first.a, last.a)
            return Sample(np.float64(t), self.moved(first.q, d), v, a, lam)

        return state

    def on_constraints(self, sample: Sample) -> Sample:
        """The nearest state that keeps the constraints, where the formulation keeps them."""
        return sample if self.drifts else self.nearest_consistent(sample)

    def nearest_consistent(self, sample: Sample) -> Sample:
        """The nearest state that keeps the constraints; the state itself where there is none."""
        if self.system.m == 0 or self.system.first_order:
            return sample
        state = new_state(self.system.nq, self.system.nv, self.system.m)
        state.q, state.v = sample.q, sample.v
        status = int(initial.nearest_consistent(*self.physics(OPEN), float(sample.t), state, self.memory))
        self.memory.factors_good = 0
        return sample._replace(q=state.q.copy(), v=state.v.copy()) if status == OK else sample

    @property
    def typical_dt(self) -> float:
        """About the size of a step."""
        return float(self.state.next_dt if self.sized else self.plan.dt)

    # ---- the step once more

    def take_back(self) -> None:
        """Take the last step back, with its row."""
        k = int(self.counters.rows)
        if k and self.rows.t[k - 1] == self.state.t:
            self.counters.rows = k - 1
        self.state.copy_from(self.memory.before)
        self.counters.steps -= 1

    def step_again(self, t_1: float) -> bool:
        """The last step, to another end; False where there is no such step."""
        state, memory, model = self.state, self.memory, self.other or self.model
        state.copy_from(memory.before)
        memory.factors_good = 0
        with self.explained():
            status = int(
                march.step_to(model.function, model.tables, model.scratch, self.plan, t_1, state, memory, self.counters)
            )
            if status in (RAISED, WRONG_SHAPE):
                self.check(status, float(memory.before.t), t_1)
        return status == OK

    def put_state(self, sample: Sample) -> None:
        """Another state at the end of the last step."""
        state = self.state
        state.dt = float(sample.t) - float(self.memory.before.t)
        state.t, state.q, state.v, state.lag = float(sample.t), sample.q, sample.v, 0.0
        state.a, state.lam, state.da = sample.a, sample.lam, 0.0

    def count_part(self) -> None:
        """Count a step that ends at an event; a grid time that is as good as reached is left
        out."""
        state, plan = self.state, self.plan
        self.counters.steps += 1
        tiny = UNITS * float(np.spacing(abs(plan.t_stop)))
        if self.sized:
            state.step += 1
            if plan.t_stop - state.t <= tiny:
                state.t = plan.t_stop
            return
        last = state.step + 1 == plan.end
        if self.next_time() - state.t <= (tiny if last else max(tiny, SNAP * plan.dt)):
            state.step += 1

    def next_time(self) -> float:
        """Where the next step leads to."""
        raise NotImplementedError

    # ---- how far the run is

    def where(self) -> str:
        """How far the run is, in words."""
        total = "" if self.sized else f"of {self.total_steps} "
        return f"at t = {self.state.t:g} after {self.counters.steps} {total}steps"

    def place(self) -> str:
        """The next step, for a note on an exception."""
        total = "" if self.sized else f" of {self.total_steps}"
        return f"in step {int(self.counters.steps) + 1}{total}, from t = {self.state.t:.6g}"

    @property
    def progress(self) -> int:
        """How far the run is, in steps or in parts of its span."""
        if not self.sized:
            return int(self.state.step)
        t_0, t_end = self.stretches[0].t_start, self.stretches[-1].t_stop
        return int(PARTS * (self.state.t - t_0) / (t_end - t_0))

    @property
    def whole(self) -> int:
        """What `progress` counts up to."""
        return PARTS if self.sized else self.total_steps

    @property
    def redundant(self) -> tuple[str, ...]:
        """Rows that follow from others."""
        return tuple(self.system.row_names[i] for i in self.independent.dropped)

    # ---- rows, and a start

    def rows_expected(self, numbers: int) -> int:
        """How many rows of so many numbers there is memory for at first."""
        return rows_at_first(numbers) if self.sized else 1 + sum(stretch.rows for stretch in self.stretches)

    def make_room(self, k: int) -> None:
        """Memory for k rows, if their number is not known in advance."""
        if k <= self.rows.t.size or not (self.sized or self.watch is not None):
            return
        require_rows(k, 1 + sum(rows.shape[1] for rows in self.rows[1:]), k)
        self.ranks = lengthened(self.ranks, k) if self.ranks.size else self.ranks
        self.rows = march.SavedRows(*(lengthened(rows, k) for rows in self.rows))

    def fill_rows(self) -> None:
        """Rows inside the last step, of runs that have such."""

    def finish_rows(self, begin: int) -> None:
        """Finish the rows from this one on."""

    def aux_of(self, rows: int) -> dict[str, Any]:
        """Further histories of the run."""
        return {}

    def keep_row(self) -> None:
        """The state as a row, if it is none yet."""
        k = int(self.counters.rows)
        if k and self.rows.t[k - 1] == self.state.t:
            return
        self.make_room(k + 1)
        at_balance.show(self, k)
        self.counters.rows = k + 1
        self.ranks[k : k + 1] = self.independent.rank

    def note_left(self, row: int) -> None:
        """Keep a row as the left-hand limits there."""
        if not self.left or self.left[-1][0] != row:
            rows = self.rows
            self.left.append((row, *(x[row].copy() for x in (rows.q, rows.v, rows.a, rows.lam))))

    def restart(self, after: Sample, switches: list[SystemSwitch]) -> None:
        """Start at t from another state, as at a breakpoint: the row there keeps the left-hand
        limits, and gets the others."""
        state, t = self.state, float(self.state.t)
        self.keep_row()
        row = int(self.counters.rows) - 1
        self.note_left(row)
        if switches:  # rows before are those of the system before
            self.ranks[self.unfinished : row] = self.independent.rank
            self.finish_rows(self.unfinished)
            self.unfinished = row
        for switch in switches:
            switch.apply(self)
        if not self.assemble:
            refuse_open_rows(self.ask, t, state.q, after, self.slowest, self.held)
        state.q[:], state.v[:], state.lag = after.q, after.v, 0.0
        self.memory.factors_good = 0
        forget(state)
        with self.explained():
            if self.drifts:  # which is left alone at breakpoints
                self.make_consistent(t, False)
                self.note_nearest(t)
            self.start_values(t)
            self.begin_errors()
        self.begin_leg()
        self.show_start(row)

    def start_from_here(self, *, show: bool = True) -> None:
        """Start at t from the same state, after forces have jumped: the row there, if there is one
        and it is to show it, keeps the left-hand limits, and gets the others."""
        state, row = self.state, int(self.counters.rows) - 1
        shown, t = show and row >= 0 and self.rows.t[row] == state.t, self.from_right()
        if shown and state.step > 0:
            self.note_left(row)
        state.lag, self.memory.factors_good = 0.0, 0
        forget(state)
        with self.explained():
            if not self.has_new_accelerations(t):
                self.start_values(t)
            self.begin_errors()
        self.begin_leg()
        if shown:
            self.show_start(row)
        if self.watch is not None:
            self.watch.begin(jumps=bool(self.state.step > 0))

    def from_right(self) -> float:
        """The time of the state, from the right at a breakpoint."""
        t = float(self.state.t)
        later = self.number > 0 and t == self.stretches[self.number].t_start
        return float(np.nextafter(t, np.inf)) if later else t

    def begin_errors(self) -> None:
        """Start the estimates of errors again, if there are any."""
        if self.sizes is not None:
            begin_stretch(self, self.sizes, float(self.state.t), first=False)

    def has_new_accelerations(self, t: float) -> bool:
        """Solve for accelerations and multipliers at a state that stays as it is; False where q and
        v have to be put onto the constraints first, or other rows have to be chosen."""
        closure = self.closure
        kept = closure.at_balance or (closure.keep_position and closure.velocity != 0.0)
        if self.model.traits & GENERAL or self.independent.dropped.size or (self.system.m and not kept):
            return False
        given = self.physics(closure)
        return self.answer(initial.initial_acceleration, *given, t, self.state, self.memory, self.counters) == OK

    def acceleration_at(self, t: float, there: State) -> FloatArray | None:
        """Accelerations at a state near that of the run; None where there are none."""
        given = self.physics(self.closure)
        status = self.answer(initial.initial_acceleration, *given, t, there, self.memory, Counters())
        self.memory.factors_good = 0
        return np.array(there.a) if status == OK else None

    def start_values(self, t: float) -> None:
        """Accelerations and multipliers at a start that is not the first."""
        self.initial_values(t, False)

    def show_start(self, row: int) -> None:
        """A start in a row."""
        march.write_start(self.state, self.memory, self.columns, self.rows, row)
        at_balance.share_row(self, row)

    def begin_leg(self) -> None:
        """The next step is the first one after a start."""
        starting, main, last = (self.plan.legs[k] for k in (START, MAIN, LAST))
        if self.plan.stages.size:
            return
        starting.last = self.state.step + 1
        starting.next_phi = last.phi if starting.last > main.last else main.phi

    # ---- other systems

    def take_inputs(self, inputs: HeldInputs) -> None:
        """Let loads be inputs from now on."""
        self.inputs, self.model = inputs, inputs.adopt(self.system, self.model)
        self.ask = Questions(self.system, self.model)

    def hold(self, rows: IntArray, held: bool) -> None:
        """Enforce these rows from now on, or release them."""
        m = self.system.m
        if self.system.first_order or self.closure.compliance > 0.0:
            raise InputError("rows of this system, or with this formulation, cannot be released")
        now = np.ones(m, dtype=bool) if not self.holds else self.holds[-1][1].copy()
        now[rows] = held
        # of the row at which the next start is shown
        self.holds.append((max(int(self.counters.rows) - 1, 0), now))
        self.held = np.flatnonzero(now)
        self.state.lam[rows] = 0.0
        if self.drifts and self.independent_rows(float(self.state.t)).dropped.size:
            raise InputError(
                "a formulation that drifts can release and lock rows where those that are held are independent;"
                f" at t = {self.state.t:.6g} they are not",
                hint="leave the formulation out",
            )

    def take_model(self, system: System, off: tuple[str, ...]) -> None:
        """Go on with the model of another system with the same coordinates and rows."""
        self.loads_off = off
        self.switched.append((max(int(self.counters.rows) - 1, 0), off))
        self.model = self.model_of(system)
        if self.inputs is not None:
            self.model, self.inputs.loads_off = self.inputs.adopt(system, self.model), off
        self.ask, self.other = Questions(self.system, self.model), None
        self.legs.clear()
        self.renew_memory()
        self.look(float(self.state.t))


def rows_at_first(numbers: int) -> int:
    """How many rows of so many numbers a run has memory for if nobody knows how many there will
    be."""
    return max(FEWEST_ROWS, min(MOST_ROWS, NUMBERS // numbers))


def lengthened(rows: npt.NDArray[Scalar], k: int) -> npt.NDArray[Scalar]:
    """Memory for k rows that begins with these."""
    longer = np.zeros((k, *rows.shape[1:]), dtype=rows.dtype)
    longer[: len(rows)] = rows
    return longer
