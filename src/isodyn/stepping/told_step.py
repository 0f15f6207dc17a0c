"""Steps of a method that takes one step and tells its error: the loop that chooses their sizes.

A method is a kernel `take` with the signature TAKE,

    status = take(model, tables, scratch, plan, t_1, state, memory, counters)

which goes from state.t to t_1 in one step, puts the end into q, v, a, lam, t and dt of `state`, and
the size of its error, as a multiple of what is allowed, into memory.error. It may leave the end
unfinished where that is above 1. A status other than OK says that no step to t_1 was found. What
the method needs beside the memory of GS4 is a struct of its own, whose address is plan.own; nothing
there may outlive a step, because a run goes on from its state alone.

A step is accepted when the error is at most 1. The next one is

    h ← h · min(plan.most_growth, max(0.2, plan.safety error^(−plan.exponent)))

long, and no longer than this one after a rejection [Hairer1993 Sec. II.4]. A method that knows more
puts the most that the next step may grow into memory.growth, or after a failure what part of the
step is tried next; and factors between 1 and plan.unchanged leave the size as it is, for methods
whose matrices belong to a size.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from isodyn.kernels.calls import kernel_at, number_at
from isodyn.kernels.compiled import (
    JAMMED,
    MODEL_TYPE,
    NOT_CONVERGED,
    NOT_FINITE,
    OK,
    RAISED,
    SINGULAR,
    UNTOLD,
    ModelFunction,
    f8,
    i8,
    kernel,
)
from isodyn.kernels.struct_types import ADDRESS, copy_struct
from isodyn.stepping.chosen_step import LONGER, bounded, smallest_at
from isodyn.stepping.memory import COUNTERS, MEMORY, PLAN, STATE, UNDERFLOW, Counters, Memory, Plan, State

if TYPE_CHECKING:
    from isodyn.kernels.struct import StructAddress

TAKE = i8(MODEL_TYPE, ADDRESS, ADDRESS, PLAN, f8, STATE, MEMORY, COUNTERS)
"""Signature of the kernel of a method."""

take_at = kernel_at(TAKE)

LEAST = 0.2  # of the last size
AFTER_FAILURE = 0.25  # of the size of a step that was not found
RETRIED = (NOT_FINITE, SINGULAR, NOT_CONVERGED, UNDERFLOW, UNTOLD, JAMMED)  # statuses that a smaller step may cure


@kernel()
def factor_of(plan: Plan, error: float) -> float:
    """How much longer a step may be."""
    if error == 0.0:
        return float(plan.most_growth)
    return float(min(plan.most_growth, max(LEAST, plan.safety * error**-plan.exponent)))


@kernel()
def end_of(plan: Plan, t: float, size: float) -> float:
    """Where a step of this size leads to: t_stop, where it nearly comes there."""
    return plan.t_stop if LONGER * size >= plan.t_stop - t else t + size


@kernel(i8(MODEL_TYPE, ADDRESS, ADDRESS, PLAN, STATE, MEMORY, COUNTERS), inner=True, apart=True)
def told_step(
    model: ModelFunction,
    tables: StructAddress,
    scratch: StructAddress,
    plan: Plan,
    state: State,
    memory: Memory,
    counters: Counters,
) -> int:
    """One step that is good enough; state.next_dt is the size to try. On failure `state` is
    unchanged."""
    copy_struct(state, memory.before)
    t, size, failed = state.t, bounded(plan, state.t, state.next_dt), OK
    while True:
        t_1 = end_of(plan, t, size)
        h = t_1 - t
        if failed != OK and size <= smallest_at(plan, t):
            return failed
        memory.error = memory.growth = np.inf
        status = take_at(plan.take, model, tables, scratch, plan, t_1, state, memory, counters)
        error = memory.error
        if status == OK and error <= 1.0:
            factor = min(factor_of(plan, error), memory.growth)
            if 1.0 <= factor < plan.unchanged:
                factor = 1.0
            # a step that was cut short says little about larger ones
            wanted = max(h * factor, size) if h < 0.99 * size and failed == OK else h * factor
            state.next_dt = bounded(plan, t_1, min(wanted, h) if failed != OK else wanted)
            return OK
        copy_struct(memory.before, state)
        if status == OK:
            status = UNDERFLOW if np.isfinite(error) else NOT_FINITE
        if status not in RETRIED:
            return status
        counters.rejected += 1
        failed = status
        shorter = memory.growth if memory.growth < 1.0 else AFTER_FAILURE
        size = h * (factor_of(plan, error) if 1.0 < error < np.inf else shorter)


@kernel(TAKE, inner=True, apart=True)
def take_in_python(
    model: ModelFunction,
    tables: StructAddress,
    scratch: StructAddress,
    plan: Plan,
    t_1: float,
    state: State,
    memory: Memory,
    counters: Counters,
) -> int:
    """A step that ends in Python, which the function at plan.accept takes; it finds t_1 in
    memory.aim."""
    memory.aim = t_1
    status = number_at(plan.accept, plan, plan.legs[0], memory.before, state, memory)
    return RAISED if np.isnan(status) else int(status)
