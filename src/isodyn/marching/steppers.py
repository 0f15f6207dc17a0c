"""How a method that estimates the error of its steps takes part in a run.

The march calls its kernel (isodyn.stepping.told_step), and knows nothing else of it. A run
(isodyn.marching.method_run) asks a `Stepper` for memory, for the size of the first step, and for
states inside the last step.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Protocol

import numpy as np

from isodyn.errors import InputError
from isodyn.formulations.closure import OPEN
from isodyn.kernels.compiled import GENERAL, KNOWS_TANGENT, NONIDEAL, SOLVES, FloatArray
from isodyn.kernels.struct import Struct
from isodyn.kernels.struct_types import number_of
from isodyn.marching.grain_of_rows import grain_of_rows, warn_if_coarse
from isodyn.stepping import dop853, radau, radau_algebraic, radau_end, radau_memory, radau_sparse
from isodyn.stepping.closure import measure
from isodyn.stepping.first_step import FirstStep, first_step
from isodyn.stepping.memory import EPS, State
from isodyn.systems.derivative_chain import Index

# Radau's estimate is of order h⁴ and its error of order h⁵: steps held to rtol^(4/5) have an error
# proportional to rtol; at this one both are the same. It is so small that errors are not larger than
# those of steps held to rtol itself
EQUAL_AT, POWER = 1e-12, 0.8
# of the error allowed in a step, at most, and times the root of rtol: what its iteration may leave
LEFT, LEFT_AT_ROOT = 3e-3, 0.1
ROUNDING = 10.0  # units of the last place that corrections may have without end
UNKNOWN = np.full(2, np.nan)  # what rows carry
LARGEST = 1000  # unknowns of full matrices: their factors take about a second
SMALL = 100  # unknowns up to which full matrices are faster than sparse ones

if TYPE_CHECKING:
    from collections.abc import Callable

    from isodyn.linear_solvers.blocks import Sparsity
    from isodyn.marching.method_run import MethodRun
    from isodyn.systems.base import System
    from isodyn.systems.model import Model


class Stepper(Protocol):
    """A method in a run."""

    take: Callable[..., int]
    """The kernel, with the signature TAKE."""
    exponent: float
    """A step that is error^(−exponent) as long has the error 1."""
    safety: float
    """What part of that the next step takes."""
    most_growth: float
    """The most that a step is longer than the one before it."""
    unchanged: float
    """Growth below this is none."""
    own: Struct
    """Memory of the method, which the kernel opens; what outlives a step there can be forgotten."""

    def begin(self, run: MethodRun) -> None:
        """The run stands at a start, with a consistent state: set what steps from there need, and
        run.state.next_dt."""
        ...

    def between(self, run: MethodRun, t: float) -> tuple[FloatArray, FloatArray] | None:
        """(q, v) inside the last step, from run.memory.before to run.state, by the method's own
        dense output; None where it has none, and a quintic serves."""
        ...

    def complete(self, run: MethodRun, t: float, state: State) -> None:
        """Rates and algebraic unknowns, which enter as they like, at a state inside the last step;
        for methods that take such systems."""
        ...

    def calm(self, run: MethodRun, t: float, state: State) -> None:
        """Take from accelerations solved for at a state inside the last step what stiff parts make
        of its errors; for implicit methods."""
        ...

    def step_again(self) -> None:
        """The last step is repeated with another end."""
        ...

    def forget(self) -> None:
        """The run is written to a checkpoint, and its next steps must be those of a run that is
        resumed there."""
        ...

    def resume(self, run: MethodRun) -> None:
        """The run goes on from a checkpoint."""
        ...

    def lay_matrices(self, run: MethodRun) -> None:
        """Other rows are enforced, or the model changed: make memory that depends on them."""
        ...

    def carried(self) -> dict[str, Any]:
        """What a checkpoint keeps of it."""
        ...

    def put_back(self, found: dict[str, Any]) -> None:
        """Take over what a checkpoint has kept."""
        ...

    def told(self) -> str:
        """Which of several methods took which steps, in words; nothing where there is one."""
        ...

    def warn(self, run: MethodRun) -> None:
        """Say what a run that has ended could not reach."""
        ...


def take_first_size(run: MethodRun, exponent: float) -> None:
    """Set run.state.next_dt to the first step to try: what the user gave, or what the state and its
    rate say."""
    state, motion, method = run.state, run.motion, run.step_method
    if method.first_step:
        state.next_dt = method.first_step
        return
    t, asked = float(state.t), FirstStep(components=run.allowed.size)
    asked.unit, asked.rtol, asked.exponent, asked.atol = 1.0 / run.beat, method.rtol, exponent, run.allowed
    asked.longest = min(float(run.stretches[-1].t_stop) - t, method.max_step)
    asked.algebraic = int(bool(run.model.traits & GENERAL) and run.system.m > 0)
    given = *motion.physics(OPEN), asked, state, run.trial, motion.memory
    run.check_there(int(first_step(*given, run.counters)), t, motion)


def solves_sparse(system: System, model: Model) -> bool:
    """Whether Radau keeps the sparse pattern of a model: large ones, whose rows and tangents are
    known."""
    if model.sparsity is None or system.nv + system.m <= SMALL or system.nq == 0:
        return False
    return bool(model.traits & KNOWS_TANGENT) and not model.traits & (GENERAL | NONIDEAL | SOLVES)


def pattern_of(run: MethodRun) -> Sparsity | None:
    """The pattern that Radau keeps in a run; None: its matrices are full."""
    return run.model.sparsity if solves_sparse(run.system, run.model) and not run.hosted else None


def ending_of(run: MethodRun) -> int:
    """How accepted steps end."""
    return dop853.IN_PYTHON if run.hosted else dop853.PROJECTED if run.projects else dop853.UNTOUCHED


class OneMethod:
    """What steppers of one method have in common."""

    def calm(self, run: MethodRun, t: float, state: State) -> None:
        """Explicit steps resolve all parts."""

    def lay_matrices(self, run: MethodRun) -> None:
        """No memory depends on the rows that are enforced."""

    def carried(self) -> dict[str, Any]:
        """Nothing outlives a checkpoint."""
        return {}

    def put_back(self, found: dict[str, Any]) -> None:
        """Nothing was kept."""

    def told(self) -> str:
        """There is one method only."""
        return ""

    def warn(self, run: MethodRun) -> None:
        """There is nothing to warn of."""


class OrderEight(OneMethod):
    """The explicit method of order 8 (isodyn.stepping.dop853)."""

    # at 0.9 three in ten attempts are rejected, at 0.8 a fifth, at 0.7 an eighth: equal errors take the
    # fewest evaluations there (docs/adaptive.md)
    take, exponent, safety, most_growth, unchanged = staticmethod(dop853.take), 0.125, 0.7, 10.0, 1.0

    def __init__(self, run: MethodRun) -> None:
        system, method = run.system, run.step_method
        self.own = own = dop853.Stages(components=system.nq + system.nv)
        own.rtol, own.t_0, own.project = method.rtol, np.nan, ending_of(run)
        self.dense_of = np.nan, np.nan  # the step that there is dense output of

    def begin(self, run: MethodRun) -> None:
        """Errors allowed, and the first step."""
        self.resume(run)
        take_first_size(run, self.exponent)

    def between(self, run: MethodRun, t: float) -> tuple[FloatArray, FloatArray]:
        """The dense output of order 7."""
        own, motion = self.own, run.motion
        t_0, t_1 = float(own.t_0), float(own.t_1)
        if self.dense_of != (t_0, t_1):
            physics = motion.model.function, motion.model.tables, motion.model.scratch, run.motion_plan
            status = int(dop853.prepare_dense(*physics, t_1, run.state, motion.memory, run.counters))
            run.check_there(status, t_0, motion)
            self.dense_of = t_0, t_1
        x, y = (t - t_0) / (t_1 - t_0), np.zeros(own.start.size)
        for k, power in enumerate(reversed(own.powers)):
            y = (y + power) * (x if k % 2 == 0 else 1.0 - x)
        y += own.start
        q, v = np.split(y, [run.system.nq])
        return q, v

    def complete(self, run: MethodRun, t: float, state: State) -> None:
        """Nothing: it takes no algebraic unknowns."""

    def step_again(self) -> None:
        """The stages are those of another step from now on."""
        self.own.t_0 = np.nan

    def forget(self) -> None:
        """Nothing is kept from step to step."""

    def resume(self, run: MethodRun) -> None:
        """Errors allowed."""
        self.own.atol, self.own.t_0 = run.allowed, np.nan


class OrderFive(OneMethod):
    """Radau IIA of order 5 (isodyn.stepping.radau). A step is held to a tolerance that makes the
    error of the motion proportional to rtol."""

    take, exponent, safety, most_growth, unchanged = staticmethod(radau.take), 0.25, 0.9, 8.0, 1.2

    def __init__(self, run: MethodRun) -> None:
        system, given, pattern = run.system, run.step_method.rtol, pattern_of(run)
        if pattern is None and system.nv + system.m > LARGEST:
            raise InputError(
                f"Radau solves with full matrices here, for up to {LARGEST} unknowns; this system has {system.nv + system.m}",
                hint="integrate(...) with a scheme takes larger systems; so does Radau with mechanisms",
            )
        entries = None if pattern is None else (pattern.J_columns.size, pattern.G_columns.size)
        self.own = own = radau_memory.memory_of(system.nq, system.nv, system.m, entries)
        self.matrices: tuple[Struct, ...] = ()
        if pattern is not None:
            own.colour = radau_sparse.colours_of(pattern)
            own.colours = int(own.colour.max(initial=-1)) + 1
        rtol = min(given, EQUAL_AT * (given / EQUAL_AT) ** POWER)
        own.rtol, own.project, own.inside = rtol, ending_of(run), rtol / given
        own.asks_in = -1
        own.tolerance = max(EPS / rtol, min(LEFT, LEFT_AT_ROOT * np.sqrt(rtol)))
        own.rounding = max(ROUNDING * EPS / rtol, own.tolerance)

    def begin(self, run: MethodRun) -> None:
        """Errors allowed, and the first step."""
        self.resume(run)
        take_first_size(run, self.exponent)
        if isinstance(run.index, Index):
            self.own.determined = run.index.ranks[0]

    def lay_matrices(self, run: MethodRun) -> None:
        """Memory of sparse matrices for the rows that are enforced, still without factors."""
        pattern, chosen, sizes = pattern_of(run), run.memory.rows.copy(), run.memory.unknown_sizes
        if pattern is None:
            return
        twice = radau_sparse.doubled(pattern), radau_sparse.doubled_rows(chosen), np.repeat(sizes, 2)
        self.matrices = radau_sparse.stage_matrix(pattern, chosen, sizes), radau_sparse.stage_matrix(*twice)
        self.own.real_matrix, self.own.pair_matrix = (number_of(matrix) for matrix in self.matrices)
        self.own.factors_for = np.nan

    def carried(self) -> dict[str, Any]:
        """How many algebraic unknowns c determines as it stands, and what rows carry."""
        kept = np.array([self.own.reach, self.own.fastest, self.own.carried])
        return {"determined": int(self.own.determined), "grain": self.grain, "carried": kept}

    def put_back(self, found: dict[str, Any]) -> None:
        """The same, from a checkpoint; those of earlier versions lack it."""
        self.own.determined = int(found.get("determined", 0))
        self.grain = found.get("grain", UNKNOWN)
        own, kept = self.own, found.get("carried", (1.0, 0.0, 0.0))
        own.reach, own.fastest, own.carried = (float(x) for x in kept)

    @property
    def grain(self) -> FloatArray:
        """What rows carry, at rest and of the speed."""
        return np.array([self.own.grain_at_rest, self.own.grain])

    @grain.setter
    def grain(self, found: FloatArray) -> None:
        self.own.grain_at_rest, self.own.grain = (float(x) for x in found)

    def at(self, t: float) -> float:
        """A time as a part of the last step."""
        return (t - float(self.own.end)) / float(self.own.length) + 1.0

    def between(self, run: MethodRun, t: float) -> tuple[FloatArray, FloatArray]:
        """The polynomials through the stages, and what the embedded error adds to them."""
        own, nq, powers = self.own, run.system.nq, self.at(t) ** np.arange(radau_memory.STAGES + 2)
        x, bent = powers[:-1], powers @ radau_memory.BENT
        return x @ own.q_powers + bent * own.bend[:nq], x @ own.v_powers + bent * own.bend[nq:]

    def calm(self, run: MethodRun, t: float, state: State) -> None:
        """Towards the rate of the polynomials, where stiff parts magnify their errors."""
        if run.hosted:
            return
        own, nq, k = self.own, run.system.nq, np.arange(radau_memory.STAGES + 2)
        powers = k * self.at(t) ** np.maximum(k - 1, 0) / float(own.length)
        rate = powers[:-1] @ own.v_powers + (powers @ radau_memory.BENT) * own.bend[nq:]
        physics = run.model.function, run.model.tables, run.model.scratch, run.motion_plan
        run.check_there(int(radau_end.calm(*physics, t, rate, state, run.memory)), t, run)

    def complete(self, run: MethodRun, t: float, state: State) -> None:
        """Algebraic unknowns and ṡ that belong to s, from the polynomial through stages of z."""
        state.lam[:] = self.at(t) ** np.arange(radau_memory.STAGES + 1) @ self.own.lam_powers
        state.a[:] = -run.ask.balance(t, state.q, state.v, np.zeros(state.a.size), state.lam)
        physics = run.model.function, run.model.tables, run.model.scratch, run.motion_plan
        status = int(radau_algebraic.complete(*physics, t, state, run.memory, run.counters))
        run.check_there(status, t, run)

    def step_again(self) -> None:
        """A guess from the step itself would be none."""
        self.own.t_0 = np.nan

    def forget(self) -> None:
        """Matrices and guesses."""
        radau_memory.forget(self.own)

    def resume(self, run: MethodRun) -> None:
        """Errors allowed; nothing is known of steps before."""
        self.forget()
        self.lay_matrices(run)
        self.own.atol = self.own.inside * run.allowed
        if np.isnan(self.own.grain):
            self.grain = np.array(grain_of_rows(run))
            self.own.reach = max(1.0, float(measure(run.state.q, run.memory.by_q)))

    def warn(self, run: MethodRun) -> None:
        """Of rows that are too coarse for what was asked."""
        own, rtol = self.own, run.step_method.rtol
        if own.fastest > 0.0:
            nothing = float((own.atol[run.system.nq :] * run.memory.by_v).max(initial=0.0)) / own.inside
            warn_if_coarse(float(own.carried), float(own.fastest), rtol + nothing / own.fastest, rtol)
