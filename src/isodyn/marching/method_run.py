"""A run whose steps another method than GS4 takes (isodyn.stepping.methods): the same march, with
the method's own kernel.

Rows inside steps come from the dense output of the method, put onto the constraints, with
accelerations and multipliers of their own. Where a formulation or a retraction is known to Python
only, steps end in Python: the march calls it there.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from isodyn.errors import ConvergenceError, SingularError
from isodyn.formulations.closure import OPEN
from isodyn.formulations.gauss_reduction import Reduction
from isodyn.kernels.calls import CalledBack, address_of_kernel
from isodyn.kernels.compiled import GENERAL, KNOWS_RATE, NOT_CONVERGED, OK, RAISED, SINGULAR, FloatArray
from isodyn.kernels.struct_types import number_of
from isodyn.kernels.weak_methods import held_weakly
from isodyn.marching.at_rest import AtRest
from isodyn.marching.automatic import ToExplicit, ToImplicit, stepper_for
from isodyn.marching.branch_start import limits_on_branch
from isodyn.marching.last_step import LastStep
from isodyn.marching.method import OwnMethod
from isodyn.marching.method_remedies import OtherRowsOfMethod
from isodyn.marching.method_rows import MethodRows
from isodyn.marching.method_sizes import reckon, warn_if_loose
from isodyn.marching.plan import new_plan
from isodyn.marching.remedies import Remedy
from isodyn.marching.schedule import Stretch
from isodyn.marching.start import gaps, near_manifold, near_velocity
from isodyn.marching.step_memory import UNTRIED
from isodyn.marching.steppers import LARGEST, solves_sparse
from isodyn.results.solution import Sample, Solution
from isodyn.stepping import initial, rate
from isodyn.stepping.events import SCIPY
from isodyn.stepping.memory import UNDERFLOW, Plan, State, new_state
from isodyn.stepping.methods import StepMethod
from isodyn.stepping.told_step import take_in_python
from isodyn.systems.base import System
from isodyn.systems.model import Model

FAR = 1e3  # tolerances: a longer way onto the constraints than this is not trusted
ROUNDING = 1e-11  # violations of dropped rows above this ask whether they are independent by now


class MethodRun(MethodRows):
    """The memory of one run with the steps of a method.

    The run itself knows the system and its rows; `motion` gives accelerations, and is another one
    where a formulation computes them.
    """

    def __init__(
        self,
        system: System,
        method: StepMethod,
        stretches: list[Stretch],
        *,
        formulation: Any = None,
        atol: FloatArray | None = None,
        times: FloatArray | None = None,
        **options: Any,
    ) -> None:
        self.step_method, self.given_atol, self.times = method, atol, times
        self.projects = bool(method.project) and system.m > 0 and not system.first_order
        back = system.retract is None or bool(system.model().traits & KNOWS_RATE)
        self.hosted = formulation is not None or not back  # every step ends in Python
        self.sized = True
        super().__init__(system, OwnMethod(method), stretches, **options)
        self.trial = new_state(system.nq, system.nv, system.m)
        self.beat = 1.0  # how fast the system moves at the start, in typical sizes: 1/s
        self.allowed = np.zeros(system.nq + system.nv)  # errors of what is nearly zero
        self.other_motion: AtRest | None = None
        self.problem: Reduction | None = None
        if formulation is not None:
            self.other_motion = AtRest(formulation.transform(system), span=1.0 / self.slowest)
            self.other_motion.counters = self.counters
            self.problem = Reduction(formulation, self.ask)
        self.ranks = np.zeros(self.rows.t.size if system.m else 0, dtype=np.int64)
        self.named_redundant: dict[str, None] = {}
        self.called: CalledBack | None = None
        self.motion_plan = self.plan
        self.stepper = stepper_for(self)
        self.lay_stepper()

    @property
    def motion(self) -> AtRest:
        """What gives accelerations. The run itself is no attribute of its own: it would live on
        until the garbage collector finds it."""
        return self if self.other_motion is None else self.other_motion

    # ---- the plan

    def model_of(self, system: System) -> Model:
        """The model, with full matrices if the method solves with those."""
        model = super().model_of(system)
        if not self.step_method.full_matrices or model.dense is None:
            return model
        if solves_sparse(system, model) and not self.hosted:
            return model
        return model.dense() if system.nv + system.m <= LARGEST else model

    def _new_plan(self) -> Plan:
        """The plan, still without times and without a stepper."""
        member, times = self.method.main, self.times
        plan = new_plan(
            self.model, self.system.m_phi, member, member, UNTRIED, times=0 if times is None else times.size
        )
        plan.save_every, plan.largest_dt = 1, self.step_method.max_step
        if times is not None:
            plan.times, plan.between = times, 1
        return plan

    def lay_stepper(self) -> None:
        """Put the addresses of the stepper into the plan."""
        plan, stepper, motion = self.plan, self.stepper, self.motion
        plan.own = number_of(stepper.own)
        plan.take = address_of_kernel(stepper.take)
        plan.exponent, plan.safety = stepper.exponent, stepper.safety
        plan.most_growth, plan.unchanged = stepper.most_growth, stepper.unchanged
        if not self.hosted:
            return
        self.called = CalledBack(held_weakly(self.step_in_python))
        self.motion_plan = new_plan(motion.model, motion.system.m_phi, self.method.main, self.method.main, UNTRIED)
        self.motion_plan.own = plan.own
        plan.take, plan.accept = address_of_kernel(take_in_python), self.called.address

    def renew_memory(self) -> None:
        """Matrices of the stepper are for the same rows."""
        super().renew_memory()
        self.stepper.lay_matrices(self)

    def remedies_of(self) -> list[Remedy]:
        """Those of every run; rows are chosen again after other failures, too."""
        return [*super().remedies_of()[:-1], OtherRowsOfMethod(), ToImplicit(), ToExplicit()]

    # ---- starts

    def start(self, stretch: Stretch, *, first: bool) -> None:
        """A consistent state with its accelerations, and the size of the first step."""
        state, t = self.state, stretch.t_start
        state.t, state.lag = t, 0.0
        with self.explained():
            self.start_values(t if first else float(np.nextafter(t, np.inf)), first)
            lam = None
            if first and self.system.m and not self.model.traits & GENERAL:
                lam = limits_on_branch(self, t, rows=self.motion is self)
            state.lam[:] = state.lam if lam is None else lam
            reckon(self)
            self.stepper.begin(self)
        row = int(self.counters.rows) - 1
        if first and (self.times is None or self.times[0] == t):
            self.put_row(t, state)
            self.finish_rows(0)
        elif not first and row >= 0 and self.rows.t[row] == t:
            self.note_left(row)
            self.show_start(row)

    def start_values(self, t: float, first: bool = False) -> None:
        """Accelerations and multipliers at a start."""
        state = self.state
        self.initial_values(t, first)
        if self.independent.dropped.size:
            self.keep_rows(self.ask.G(t, state.q, state.v))
        if self.motion is not self:
            self.check(self.rate(t, state), t, t)
        self.stepper.forget()
        self.note_redundant()

    def has_new_accelerations(self, t: float) -> bool:
        """No: steppers forget at a start what they know of the last step."""
        return False

    # ---- states, asked for from Python

    def rate(self, t: float, state: State, out: FloatArray | None = None) -> int:
        """(q̇, v̇) at a state, whose a and lam are set too."""
        motion = self.motion
        out = np.zeros(self.system.nq + self.system.nv) if out is None else out
        status = int(rate.rate(*motion.physics(OPEN), t, state, motion.memory, out, self.counters))
        if status == OK and self.problem is not None:
            state.lam[:] = self.problem.solve(t, state.q, state.v)[1]
        return status

    def lived(self, q_0: FloatArray, q: FloatArray) -> FloatArray:
        """q put back onto the set that the retraction lives on, as seen from q_0."""
        retract, difference = self.system.retract, self.system.difference
        return q if retract is None else np.asarray(retract(q_0.copy(), difference(q_0.copy(), q.copy())), np.float64)

    def onto_constraints(self, t: float, state: State) -> int:
        """The nearest consistent state, where that is wanted."""
        if not self.projects:
            return OK
        return int(initial.nearest_consistent(*self.physics(OPEN), t, state, self.memory))

    def step_in_python(self) -> float:
        """A step that ends in Python: back where q lives, onto the constraints; a status."""
        state, memory, motion = self.state, self.memory, self.motion
        t_1, physics = float(memory.aim), (motion.model.function, motion.model.tables, motion.model.scratch)
        start = state.q.copy()
        status = int(self.stepper.take(*physics, self.motion_plan, t_1, state, motion.memory, self.counters))
        memory.error = motion.memory.error
        if status != OK or memory.error > 1.0:
            return status
        state.q[:] = self.lived(start, state.q)
        status = self.onto_constraints(t_1, state)
        if status == OK:
            dt = float(state.dt)
            status, state.dt = self.rate(t_1, state), dt
        return status

    def path(self) -> Callable[[float], Sample]:
        """States inside the last step, with accelerations if an event asks for them."""
        first, last = self.sample_of(self.memory.before), self.sample()
        assert self.watch is not None
        complete = any(event.arguments != SCIPY for event in self.watch.events)

        def state(t: float) -> Sample:
            if t in (first.t, last.t):
                return first if t == first.t else last
            found = self.between(t)
            if complete:
                self.complete(t, found)
            return Sample(np.float64(t), *(x.copy() for x in (found.q, found.v, found.a, found.lam)))

        return state

    def on_constraints(self, sample: Sample) -> Sample:
        """A state inside the last step, with its accelerations."""
        if float(sample.t) in (float(self.memory.before.t), float(self.state.t)):
            return sample
        state, t = self.between(float(sample.t)), float(sample.t)
        self.complete(t, state)
        return Sample(sample.t, *(x.copy() for x in (state.q, state.v, state.a, state.lam)))

    def step_again(self, t_1: float) -> bool:
        """The last step, to another end; False where there is no such step."""
        self.stepper.step_again()
        return super().step_again(t_1)

    def between(self, t: float) -> State:
        """The state inside the last step, on the constraints, without accelerations."""
        trial, found = self.trial, self.stepper.between(self, t)
        if found is None:
            inside = LastStep.path(self)(t)
            found = inside.q, inside.v
        trial.q[:], trial.v[:] = self.lived(self.memory.before.q, found[0]), found[1]
        given = trial.q.copy(), trial.v.copy()
        status = self.onto_constraints(t, trial)
        # at a loss of rank: over all rows, which need not be independent for this
        if status == SINGULAR:
            trial.q[:] = near_manifold(self.ask, t, trial.q)
            trial.v[:] = near_velocity(self.ask, t, trial.q, trial.v)
            status = OK
        self.check_there(status, t, self)
        far = max(float(np.abs(x - y).max(initial=0.0)) for x, y in zip((trial.q, trial.v), given, strict=True))
        size = max(float(np.abs(x).max(initial=0.0)) for x in found)
        if far > FAR * (self.step_method.rtol + 1e-12) * size:
            # beside a loss of rank: what is between two good states is better as it is
            trial.q[:], trial.v[:] = given
        return trial

    def complete(self, t: float, state: State) -> None:
        """Accelerations and multipliers of a state."""
        if self.model.traits & GENERAL and self.system.m:
            self.stepper.complete(self, t, state)
            return
        status = self.rate(t, state)
        if status == SINGULAR:  # they are computed anew where rows lose rank
            state.a[:], state.lam[:] = 0.0, 0.0
            return
        self.check_there(status, t, self.motion)
        self.stepper.calm(self, t, state)

    # ---- rows

    def fill_rows(self) -> None:
        """Rows at the times that lie in the last step."""
        if self.times is None:
            return
        k, t_0, t_1 = int(self.counters.rows), float(self.memory.before.t), float(self.state.t)
        t_0 = t_0 if k == 0 else max(t_0, float(self.rows.t[k - 1]))
        first, last = self.times.searchsorted((t_0, t_1), side="right")
        for t in self.times[first:last]:
            if t == t_1:
                self.put_row(t_1, self.state)
            else:
                state = self.between(float(t))
                self.complete(float(t), state)
                self.put_row(float(t), state)

    def watch_rows(self, wrote_row: bool) -> None:
        """With redundant rows: the dropped ones still hold, or another set is taken."""
        state, chosen = self.state, self.independent
        now = float(state.t), state.q, state.v
        held = np.arange(self.system.m) if self.held is None else self.held
        off = (gap[held[held < gap.size]] for _, gap, _ in gaps(self.ask, *now, self.slowest))
        violated = max(float(np.abs(gap).max(initial=0.0)) for gap in off)
        if violated > ROUNDING and self.independent_rows(now[0], self.ask.G(*now)).rank > chosen.rank:
            self.choose_again()
        self.keep_rows(self.ask.G(*now))
        if self.independent is not chosen:
            self.renew_rate()
            row = int(self.counters.rows) - 1
            if wrote_row and self.rows.t[row] == state.t:
                self.counters.rows = row
                self.put_row(float(state.t), state)

    def renew_rate(self) -> None:
        """Accelerations at the state, after other rows were chosen; guesses were for old ones."""
        state, dt = self.state, float(self.state.dt)
        self.stepper.forget()
        self.check(self.rate(float(state.t), state), float(state.t), float(state.t))
        state.dt = dt
        self.note_redundant()

    # ---- checkpoints

    def forget(self) -> None:
        """Factors, matrices and guesses, at a checkpoint."""
        self.stepper.forget()
        super().forget()

    def carried(self) -> dict[str, Any]:
        """All that the run needs to go on."""
        names = [self.system.row_names.index(name) for name in self.named_redundant]
        found = {"closest": np.array(self.closest), "redundant": np.array(names, dtype=np.int64), "beat": self.beat}
        return {**super().carried(), **found, "allowed": self.allowed, **self.stepper.carried()}

    def put_back(self, found: dict[str, Any]) -> None:
        """Go on from a checkpoint."""
        self.closest = float(found["closest"][0]), float(found["closest"][1])
        self.named_redundant = {self.system.row_names[int(i)]: None for i in found["redundant"]}
        self.beat, self.allowed = float(found["beat"]), found["allowed"]
        super().put_back(found)
        self.stepper.put_back(found)
        self.lay_stepper()
        self.stepper.resume(self)
        self.shown = int(self.counters.rows)

    def warn(self, sol: Solution) -> None:
        """Of what the run is not sure of, and of motions far smaller than was assumed."""
        warn_if_loose(self, sol, stacklevel=5)
        self.stepper.warn(self)
        super().warn(sol)

    def told(self) -> str:
        """Which of several methods took which steps."""
        return self.stepper.told()

    # ---- what went wrong, in words

    def place(self) -> str:
        """The next step, for a note on an exception."""
        return f"in the step from t = {self.state.t:.6g}"

    def check(self, status: int, t: float, t_next: float) -> None:
        """Turn a status of the steps into the error that says what happened where."""
        self.raise_what_was_raised(status)
        if status == RAISED and self.called is not None and self.called.raised is not None:
            raise self.called.raised
        if status == UNDERFLOW:
            raise ConvergenceError(
                f"the step became as small as rounding of t at t = {t:.6g} (step {self.counters.steps + 1}): the error asked for"
                f" ({self.step_method}) was not reached",
                hint="a jump, a kink, a singularity or a stiff motion; integrate(...) takes the first and the last of them,"
                " and passes singular positions where branches of motion cross",
            )
        if status == NOT_CONVERGED:
            raise ConvergenceError(
                f"the iteration for the stages of a step did not converge at t = {t:.6g} (step {self.counters.steps + 1}),"
                f" also with steps as small as rounding of t ({self.step_method})",
                hint="a jump, a kink or a singularity there; jumps at known times belong into breakpoints",
            )
        self.check_there(status, t, self.motion, t_next - t)

    def check_there(self, status: int, t: float, run: AtRest, h: float = 0.0) -> None:
        """Turn a status into the error that says what happened where; h is the step that was
        tried."""
        raised = run.model.raised
        if status == RAISED and raised is not None:
            raise raised
        try:
            AtRest.check(run, status, t, t + h)
        except SingularError as error:
            if self.system.m:
                error.add_note(f"rank {self.independent.rank} of {self.system.m} rows was enforced")
            raise
