"""Functions whose zeros are events, as the march watches them.

After each step every function g has a value at the end of it, and that of the step before at its
beginning. A function is near zero where either value is small beside what it changed by and what
its slope at the beginning lets it change by; then it gets a slope at the end as well, and otherwise
one that follows from the values. Something may have happened in the step if g is near and

    g changes sign, or becomes zero at the end, in a direction that counts; or
    g keeps its sign but turns round inside, and the cubic through values and slopes falls to less
    than half of the smaller value there

Then the march says so, and Python looks into the step (isodyn.marching.event_watch). The slope is a
difference over a moment of 1e-4 of the step, along the motion at its end. A function that is zero
at the beginning of a step (an event was there, or the run begins there) has the sign of its slope.
At a start nobody knows yet how accelerations and multipliers go on: functions of these have no
slope there, NaN, and where they are near zero in the step after it, Python looks. What a start
corrects of them (the error of a and λ) passes no zero: it is left out at first, and comes in over a
step or so.
Values at the level of rounding are zero: what an event has locked stays so.
"""

from __future__ import annotations

import numpy as np

from isodyn.kernels.calls import kernel_at, number_at
from isodyn.kernels.compiled import MODEL_TYPE, OK, RAISED, F, FloatArray, ModelFunction, f8, i8, kernel
from isodyn.kernels.lowering import by_reference
from isodyn.kernels.struct import Struct, StructAddress, integer, integers, real, reals
from isodyn.kernels.struct_types import ADDRESS, opened, struct_at
from isodyn.stepping.closure import retract
from isodyn.stepping.memory import MEMORY, PLAN, STATE, Memory, Physics, Plan, State

GUARD = f8(i8, f8, F, F, F, F, ADDRESS, ADDRESS)
"""Signature of a compiled function: of its number, (t, q, v, a, lam), and tables and scratch that it
knows."""
MOMENT = 1e-4  # of a step: over this slopes are taken
NOISE = 1e-13  # of the largest value so far: as small as this, a value is zero
DEEP = 0.5  # part of the smaller value that is left where a function turns round, to be looked at
FAR = 4.0  # times the change in a step: beyond this a function is not near zero
VALUES, SLOPES = 0, 1  # what functions in Python are asked for


class Guards(Struct):
    """Functions, their last values and slopes, and the states that they are asked about."""

    # addresses of the first of them, and what each is given: a number, tables, scratch; …
    compiled, number = integers("compiled"), integers("compiled")
    tables, scratch = integers("compiled"), integers("compiled")
    in_python = integer  # … and of what evaluates the others; 0: there are none
    asked = integer  # VALUES or SLOPES
    directions = reals("guards")
    starts, start_slopes = reals("guards"), reals("guards")  # values and slopes at the beginning of a step
    ends, end_slopes = reals("guards"), reals("guards")  # at its end
    near = integers("guards")  # whether a function was near zero in the step
    largest = reals("guards")  # of all values so far
    lead, lead_t, lead_over = reals("guards"), real, real  # what a start has corrected, when; comes in over this time
    # the state at the end, with the acceleration brought there; and a moment later
    t, a = real, reals("nv")
    t_later, q_later, v_later = real, reals("nq"), reals("nv")
    a_later, lam_later, d = reals("nv"), reals("m"), reals("nv")


guard_at = kernel_at(GUARD)


@kernel()
def value_at(guards: Guards, k: int, t: float, q: FloatArray, v: FloatArray, a: FloatArray, lam: FloatArray) -> float:
    """The value of compiled function k."""
    tables, scratch = struct_at(guards.tables[k]), struct_at(guards.scratch[k])
    return guard_at(guards.compiled[k], guards.number[k], t, q, v, a, lam, tables, scratch)


@kernel()
def led(guards: Guards, k: int, t: float) -> float:
    """What a start has corrected of function k, as far as it is still left out at t."""
    if guards.lead[k] == 0.0 or not guards.lead_over > 0.0:
        return 0.0
    return guards.lead[k] * min(max(1.0 - (t - guards.lead_t) / guards.lead_over, 0.0), 1.0)


@kernel()
def may_happen(g_0: float, s_0: float, g_1: float, s_1: float, h: float, direction: float) -> bool:
    """Whether an event may have happened in a step of size h."""
    if not np.isfinite(g_1):
        return True
    if np.isnan(s_0):
        return g_0 != 0.0 or g_1 != 0.0
    sign = np.sign(g_0) if g_0 != 0.0 else np.sign(s_0)
    if sign == 0.0:
        return False
    if sign * g_1 < 0.0 or (g_1 == 0.0 and g_0 != 0.0):
        return direction * sign <= 0.0 or g_0 == 0.0
    if not (sign * s_0 < 0.0 and sign * s_1 > 0.0):
        return False
    # the cubic through values and slopes, at the zero of its slope between the ends
    rise = (g_1 - g_0) / h
    c, b = s_0 + s_1 - 2.0 * rise, 3.0 * rise - 2.0 * s_0 - s_1
    root = np.sqrt(max(b * b - 3.0 * c * s_0, 0.0))
    x = -s_0 / (b + sign * root) if b + sign * root != 0.0 else 0.5
    least = sign * (g_0 + h * x * (s_0 + x * (b + x * c)))
    return bool(least <= DEEP * min(abs(g_0), abs(g_1)))


@kernel()
def go_on(guards: Guards, k: int) -> None:
    """The end of a step is the beginning of the next. A function that has not left zero yet keeps
    the direction in which it was about to."""
    if guards.starts[k] != 0.0 or guards.ends[k] != 0.0:
        guards.starts[k], guards.start_slopes[k] = guards.ends[k], guards.end_slopes[k]


@kernel()
def move_on(p: Physics, guards: Guards, state: State, memory: Memory) -> int:
    """The state a moment after the end of the step."""
    before, dt = memory.before, state.t - memory.before.t
    moment = MOMENT * dt
    guards.t_later = state.t + moment
    for i in range(state.v.size):
        a = guards.a[i]
        change = (a - before.a[i] - before.lag * before.da[i]) / dt
        guards.a_later[i] = a + moment * change
        guards.v_later[i] = state.v[i] + moment * a
        guards.d[i] = moment * (state.v[i] + 0.5 * moment * a)
    for i in range(state.lam.size):
        guards.lam_later[i] = state.lam[i] + moment * (state.lam[i] - before.lam[i]) / dt
    return retract(p, state.q, guards.d, memory.kappa, guards.q_later) if state.q.size > 0 else OK


@kernel()
def find_values(guards: Guards, plan: Plan, state: State, memory: Memory) -> int:
    """Values of all functions at the end of the step; RAISED if one in Python raised."""
    guards.t, guards.asked = state.t, VALUES
    for i in range(state.v.size):
        guards.a[i] = state.a[i] + state.lag * state.da[i]
    for k in range(guards.compiled.size):
        guards.ends[k] = value_at(guards, k, guards.t, state.q, state.v, guards.a, state.lam) - led(guards, k, guards.t)
    if guards.in_python != 0 and np.isnan(
        number_at(guards.in_python, plan, plan.legs[0], memory.before, state, memory)
    ):
        return RAISED
    return OK


@kernel()
def find_near(guards: Guards, h: float) -> int:
    """How many functions are near zero in a step of size h; slopes of the others."""
    count = 0
    for k in range(guards.ends.size):
        g_0, s_0, g_1 = guards.starts[k], guards.start_slopes[k], guards.ends[k]
        s_0 = (g_1 - g_0) / h if np.isnan(s_0) else s_0
        if abs(g_1) <= NOISE * guards.largest[k]:
            guards.ends[k] = g_1 = 0.0
        guards.largest[k] = max(guards.largest[k], abs(g_1))
        reach = FAR * (abs(g_1 - g_0) + abs(h * s_0))
        guards.near[k] = 0 if min(abs(g_0), abs(g_1)) > reach else 1
        # half of the turn that value, slope and value show: errors of slopes die out
        guards.end_slopes[k] = 1.5 * (g_1 - g_0) / h - 0.5 * s_0
        count += guards.near[k]
    return count


@kernel()
def find_slopes(guards: Guards, h: float, plan: Plan, state: State, memory: Memory) -> int:
    """Slopes of the functions that are near zero; RAISED if one in Python raised."""
    guards.asked = SLOPES
    for k in range(guards.compiled.size):
        if guards.near[k] == 1:
            later = value_at(
                guards, k, guards.t_later, guards.q_later, guards.v_later, guards.a_later, guards.lam_later
            )
            guards.end_slopes[k] = (later - led(guards, k, guards.t_later) - guards.ends[k]) / (MOMENT * h)
    if guards.in_python != 0 and np.isnan(
        number_at(guards.in_python, plan, plan.legs[0], memory.before, state, memory)
    ):
        return RAISED
    return OK


@kernel(i8(MODEL_TYPE, ADDRESS, ADDRESS, PLAN, STATE, MEMORY), inner=True, apart=True)
def look_for_events(
    model: ModelFunction, tables: StructAddress, scratch: StructAddress, plan: Plan, state: State, memory: Memory
) -> int:
    """0 if nothing happened in the step from memory.before to `state`, 1 if something may have;
    RAISED if a function in Python raised."""
    guards, leg = opened(Guards, struct_at(plan.guards)), plan.legs[0]
    h, found = state.t - memory.before.t, 0
    if h <= 0.0:
        return 0
    if find_values(guards, plan, state, memory) != OK:
        return RAISED
    if find_near(guards, h) > 0:
        p = by_reference(Physics(model, leg.traits, leg.holonomic, leg.closure, memory.rows, tables, scratch))
        if move_on(p, guards, state, memory) != OK:
            return 1
        if find_slopes(guards, h, plan, state, memory) != OK:
            return RAISED
        for k in range(guards.ends.size):
            g_0, s_0, g_1, s_1 = guards.starts[k], guards.start_slopes[k], guards.ends[k], guards.end_slopes[k]
            if guards.near[k] == 1 and may_happen(g_0, s_0, g_1, s_1, h, guards.directions[k]):
                found = 1
    if found == 0:
        for k in range(guards.ends.size):
            go_on(guards, k)
    return found


@kernel(f8(ADDRESS, i8, f8))
def led_of_guard(guards: Guards, k: int, t: float) -> float:
    """`led` for callers outside compiled code."""
    return led(opened(Guards, guards), k, t)


@kernel(f8(ADDRESS, i8, f8, F, F, F, F))
def value_of_guard(
    guards: Guards, k: int, t: float, q: FloatArray, v: FloatArray, a: FloatArray, lam: FloatArray
) -> float:
    """`value_at` for callers outside compiled code."""
    return value_at(opened(Guards, guards), k, t, q, v, a, lam)
