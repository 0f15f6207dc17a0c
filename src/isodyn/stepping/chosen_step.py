"""A step whose size a policy chooses: it is taken, judged, and taken again from the state before it
if the policy says so.

Before a step of another size the carried acceleration is moved along its own slope
(isodyn.stepping.step.predict), so that the order stays what it is. Steps end at the times of the
plan and at t_stop; not to leave a tiny rest, two steps before such a time share the way.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from isodyn.kernels.calls import number_at
from isodyn.kernels.compiled import MODEL_TYPE, NO_PIVOT, OK, RAISED, WRONG_SHAPE, ModelFunction, i8, kernel
from isodyn.kernels.lowering import by_reference
from isodyn.kernels.struct_types import ADDRESS, copy_struct
from isodyn.stepping.controller import controlled
from isodyn.stepping.memory import (
    COUNTERS,
    LEAST_OF_T,
    MEMORY,
    PLAN,
    STATE,
    UNDERFLOW,
    Counters,
    Leg,
    Memory,
    Physics,
    Plan,
    State,
)
from isodyn.stepping.step import advance
from isodyn.stepping.step_error import estimate

if TYPE_CHECKING:
    from isodyn.kernels.struct import StructAddress

LONGER = 1.01  # a step may be longer by this to end at a time that it nearly reaches
SHORTER = 0.9  # a step that is repeated is at least so much shorter
HALF = -0.5  # what becomes of a step that fails
BEGINNING = 1e-6  # of t_stop: t counts as no less


@kernel()
def shift(state: State, lag: float) -> None:
    """Move the acceleration along its own slope, from t − state.lag·Δt to t − lag·Δt."""
    steps = state.lag - lag
    for i in range(state.a.size):
        state.a[i] += steps * state.da[i]
    state.lag = lag


@kernel()
def next_landing(plan: Plan, t: float) -> float:
    """The first time after t at which a step has to end."""
    k = np.searchsorted(plan.times, t, side="right")
    if k < plan.times.size:
        return min(plan.times[k], plan.t_stop)
    return plan.t_stop


@kernel()
def end_of_step(t: float, size: float, landing: float) -> float:
    """Where a step of about this size leads to."""
    left = landing - t
    if left <= LONGER * size:
        return landing
    if left < 2.0 * size:
        return t + 0.5 * left
    return t + size


@kernel()
def leg_number(plan: Plan, step: int) -> int:
    """Which leg a step of the run belongs to."""
    k = 0
    while k < len(plan.legs) - 1 and step >= plan.legs[k].last:
        k += 1
    return k


@kernel()
def leg_to(plan: Plan, step: int, t_1: float) -> int:
    """Which leg takes a step to t_1: the last one lands on a breakpoint where the scheme would look
    past it."""
    k, last = leg_number(plan, step), len(plan.legs) - 1
    beyond = k > 0 and plan.legs[last].last > plan.legs[last - 1].last
    return last if beyond and t_1 == plan.t_stop else k


@kernel()
def attempt(
    model: ModelFunction,
    tables: StructAddress,
    scratch: StructAddress,
    plan: Plan,
    t_1: float,
    state: State,
    memory: Memory,
    counters: Counters,
) -> int:
    """One step to t_1, and its local errors where they are asked for."""
    leg = plan.legs[leg_to(plan, state.step, t_1)]
    if state.lag != leg.phi:
        shift(state, leg.phi)
    p = by_reference(Physics(model, leg.traits, leg.holonomic, leg.closure, memory.rows, tables, scratch))
    status = advance(p, leg, t_1, state, memory, counters)
    if status == OK and plan.estimates == 1:
        complete = plan.tolerance == 0.0  # whoever judges the step sees both errors, and all of them
        t_end = min(t_1, leg.t_limit)
        status = estimate(p, leg, t_end, complete, plan.tolerance, memory.before, state, memory, counters)
    return status


@kernel()
def judged(plan: Plan, leg: Leg, state: State, memory: Memory) -> float:
    """What the policy says about a step that was taken."""
    if plan.tolerance > 0.0:
        return controlled(plan, memory.before, state, memory)
    return number_at(plan.accept, plan, leg, memory.before, state, memory)


@kernel()
def smallest_at(plan: Plan, t: float) -> float:
    """The smallest step from t, which leads to another time."""
    return max(plan.smallest_dt, LEAST_OF_T * max(abs(t), BEGINNING * abs(plan.t_stop)))


@kernel()
def bounded(plan: Plan, t: float, size: float) -> float:
    """A size between the smallest step from t and the largest."""
    return max(min(size, plan.largest_dt), smallest_at(plan, t))


@kernel(i8(MODEL_TYPE, ADDRESS, ADDRESS, PLAN, STATE, MEMORY, COUNTERS), inner=True, apart=True)
def chosen_step(
    model: ModelFunction,
    tables: StructAddress,
    scratch: StructAddress,
    plan: Plan,
    state: State,
    memory: Memory,
    counters: Counters,
) -> int:
    """One step that the policy accepts; state.next_dt is the size to try. On failure `state` is
    unchanged."""
    size = bounded(plan, state.t, state.next_dt)
    landing = next_landing(plan, state.t)
    copy_struct(state, memory.before)
    while True:
        t = memory.before.t
        t_1 = end_of_step(t, size, landing)
        leg = plan.legs[leg_to(plan, state.step, t_1)]
        status = attempt(model, tables, scratch, plan, t_1, state, memory, counters)
        factor = HALF
        if status == OK:
            factor = judged(plan, leg, state, memory)
        if status == OK and factor > 0.0:
            # a step that was cut short says little about larger ones
            wanted = factor * (t_1 - t)
            state.next_dt = bounded(plan, t_1, max(wanted, size) if t_1 - t < 0.99 * size and factor >= 1.0 else wanted)
            return OK
        if status != OK:
            memory.before.repeated = 1
        copy_struct(memory.before, state)
        memory.factors_good = 0
        if np.isnan(factor) or factor == 0.0:
            return RAISED
        if status in (RAISED, WRONG_SHAPE, NO_PIVOT):
            return status
        if min(size, t_1 - t) <= LONGER * smallest_at(plan, t):  # differences of times carry rounding
            return UNDERFLOW if status == OK else status
        counters.rejected += 1
        size = max(min(-factor, SHORTER) * (t_1 - t), smallest_at(plan, t))
