"""What the errors of steps are compared with at a start, and the first step to try.

The error of a first step, a trapezoidal one, is Δt³ ȧ/12 in q. With tol the error that a step may
have, L the size of q, V that of v, a and ȧ those of the acceleration and of its slope, all beside
typical sizes,

    Δt = min((12 tol L/ȧ)^(1/3),  tol^(1/3) (L/a)^(1/2)),

in first-order systems, where v is all there is, min(tol^(1/3) V/a, tol^(1/3) (V/ȧ)^(1/2)).
"""

from __future__ import annotations

import numpy as np
from numba import types

from isodyn.kernels.compiled import i8, kernel
from isodyn.kernels.struct import Struct, integer, real
from isodyn.kernels.struct_types import StructType
from isodyn.stepping.adaptive import OPENING
from isodyn.stepping.closure import fill_with, measure, size
from isodyn.stepping.memory import MEMORY, PLAN, STATE, Memory, Plan, State

SLOW = 1e-3  # of the size of q in the span of the run: slower motions are rest
NOTHING = 1e-10  # of typical sizes: smaller starts are rounding of zero
UNTOLD = 1e-6  # the error of a first step where a policy names none
ON_TRAPEZOID = 12.0  # 1/|1/6 − λ₃| of the member that takes the first step


class FirstSizes(Struct):
    """What a run asks for."""

    first_order = integer
    part = real  # of the largest component of a unit: what smaller ones are at least compared with
    span, first = real, real  # of the run; the first step, 0 where it is to be found


@kernel()
def guess_first_order(sizes: FirstSizes, state: State) -> None:
    """Least sizes of v in a system of first order: those of the start, or of what its rate, or the
    slope of that, would make of nothing in the span of the run."""
    most, rate, bent = 0.0, 0.0, 0.0
    for i in range(state.v.size):
        most, rate, bent = max(most, abs(state.v[i])), max(rate, abs(state.a[i])), max(bent, abs(state.slope[i]))
    if not most > 0.0:
        most = min(rate * sizes.span, 1.0)
    if not most > 0.0:
        most = min(0.5 * bent * sizes.span**2, 1.0)
    state.assumed = 0 if most > 0.0 else 1
    fill_with(state.least_v, sizes.part * (most if most > 0.0 else 1.0))


@kernel()
def guess(sizes: FirstSizes, state: State, memory: Memory) -> None:
    """Least sizes of q and v, from the start or from typical sizes."""
    part, far = sizes.part, 1.0
    fast, pull = measure(state.v, memory.by_v), measure(state.a, memory.by_v)
    bent = measure(state.slope, memory.by_v)
    state.assumed = 0
    if memory.follows == 1:
        far = measure(state.q, memory.by_v)
        if fast > 0.0 and bent > 0.0:  # of an oscillation its amplitude
            far = max(far, fast * np.sqrt(fast / bent))
        if far < NOTHING:
            state.assumed, far = 1, 1.0
    # velocities at which forces of the start move sizes of q
    moving = max(fast, np.sqrt(pull * far), SLOW * far / sizes.span)
    for i in range(state.v.size):
        state.least_q[i] = part * far / memory.by_v[i] if memory.follows == 1 else 0.0
        state.least_v[i] = part * moving / memory.by_v[i]


@kernel()
def begin_sizes(state: State, memory: Memory) -> None:
    """Sizes of q and v at the first start of a run."""
    state.size_a = measure(state.a, memory.by_v)
    typical = state.q.size > 0 and memory.part > 0.0
    for i in range(state.v.size):
        state.size_v[i] = abs(state.v[i])
        if memory.follows == 1:
            state.size_q[i] = abs(state.q[i])
        else:
            state.size_q[i] = 1.0 / memory.by_v[i] if typical else 0.0


@kernel()
def first_size(sizes: FirstSizes, plan: Plan, state: State, memory: Memory) -> float:
    """A first step whose error should be small."""
    if sizes.first > 0.0:
        return sizes.first
    tolerance = plan.tolerance if plan.tolerance > 0.0 else UNTOLD
    cube_root = tolerance ** (1.0 / 3.0)
    a, slope = measure(state.a, memory.by_v), measure(state.slope, memory.by_v)
    far = max(measure(state.size_q, memory.by_v), measure(state.least_q, memory.by_v) / sizes.part)
    fast = max(measure(state.size_v, memory.by_v), measure(state.least_v, memory.by_v) / sizes.part)
    found = min(OPENING * sizes.span, plan.largest_dt)
    if state.q.size > 0 and far > 0.0:
        if slope > 0.0:
            found = min(found, (ON_TRAPEZOID * tolerance * far / slope) ** (1.0 / 3.0))
        if a > 0.0:
            found = min(found, cube_root * np.sqrt(far / a))
    elif fast > 0.0 and a > 0.0:
        found = min(found, cube_root * fast / a)
        if slope > 0.0:
            found = min(found, cube_root * np.sqrt(fast / slope))
    return max(found, 4.0 * plan.smallest_dt)


@kernel(types.void(StructType(FirstSizes), PLAN, i8, i8, STATE, MEMORY))
def size_up(sizes: FirstSizes, plan: Plan, first: int, slope_known: int, state: State, memory: Memory) -> None:
    """state.next_dt, a first step from a state whose acceleration is known, and what its error is
    compared with. Until the slope of the acceleration is known it counts as nothing."""
    if slope_known == 0:
        fill_with(state.slope, 0.0)
        fill_with(state.missed, 0.0)
        fill_with(state.errors, 0.0)
        state.slope_at, state.last_error, state.repeated = state.t, 0.0, 0
        if first == 1:
            begin_sizes(state, memory)
    if sizes.first_order == 1:
        if memory.part > 0.0 and (first == 1 or not size(state.size_v) > 0.0):  # states that were nothing so far
            guess_first_order(sizes, state)
    elif first == 1 and memory.part > 0.0:
        guess(sizes, state, memory)
    state.next_dt = first_size(sizes, plan, state, memory)
