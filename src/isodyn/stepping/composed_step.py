"""A step of a composed scheme: sub-steps forwards and backwards, then, at times that are saved, a
and λ of the state itself.

q and v carry the order of the composition. Accelerations and multipliers of sub-steps do not; they
are solved for from M a + Gᵀλ = Q, G a = b at (t_n, q_n, v_n), and nothing of them is carried on.
"""

from __future__ import annotations

from numba import types

from isodyn.kernels.compiled import OK, f8, i8, kernel
from isodyn.kernels.struct_types import copy_struct
from isodyn.stepping.initial import PATIENCE, acceleration
from isodyn.stepping.memory import (
    COUNTERS,
    LEG,
    MEMORY,
    PHYSICS_REF,
    PLAN,
    STATE,
    Counters,
    Leg,
    Memory,
    Physics,
    Plan,
    State,
)
from isodyn.stepping.step import advance
from isodyn.stepping.symmetric_step import symmetric_step


@kernel()
def sub_step(
    p: Physics,
    leg: Leg,
    plan: Plan,
    part: float,
    dt: float,
    t_1: float,
    state: State,
    memory: Memory,
    counters: Counters,
) -> int:
    """A sub-step to t_1, which is so large a part of Δt."""
    if plan.central == 0:
        return advance(p, leg, t_1, state, memory, counters)
    here, there = max(state.t, plan.t_first), min(t_1, leg.t_limit)
    status = symmetric_step(p, leg, here, there, part * dt, state, memory, counters)
    state.t = t_1
    return status


@kernel(i8(PHYSICS_REF, LEG, PLAN, f8, types.boolean, STATE, MEMORY, COUNTERS), inner=True, apart=True)
def composed_step(
    p: Physics, leg: Leg, plan: Plan, t_1: float, saved: bool, state: State, memory: Memory, counters: Counters
) -> int:
    """From state.t to t_1; loads are asked for up to leg.t_limit. On failure `state` is
    unchanged."""
    t, stages, many = state.t, plan.stages, plan.stages.size
    dt = t_1 - t
    copy_struct(state, memory.before)
    status, before = OK, 0.0
    for j in range(many):
        end = t_1 if j == many - 1 else t + stages[j] * dt
        if status == OK:
            status = sub_step(p, leg, plan, stages[j] - before, dt, end, state, memory, counters)
        before = stages[j]
    if status == OK and saved:
        status = acceleration(p, leg, min(t_1, leg.t_limit), state, memory, counters, PATIENCE)
    if status == OK:
        state.t = t_1
    else:
        copy_struct(memory.before, state)
    return status
