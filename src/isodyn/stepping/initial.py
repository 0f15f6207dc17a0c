"""Initial values: q and v on the constraints, then M a + Gᵀλ = Q and G a = b for a and λ
[Shimada2014 (3.88)].

Where a formulation closes at the balance, G a = b is replaced by its own closure at the state, with
gains or compliance.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from isodyn.kernels.compiled import (
    ACCELERATION,
    BALANCE,
    CONSTANT_MASS,
    JAMMED,
    MODEL_TYPE,
    NONIDEAL,
    NOT_FINITE,
    OK,
    REACTS,
    FloatArray,
    ModelFunction,
    f8,
    i8,
    kernel,
)
from isodyn.kernels.lowering import by_reference
from isodyn.kernels.struct_types import ADDRESS
from isodyn.stepping.closure import (
    add_to,
    close_at_balance,
    copy_to,
    fill_with,
    finite,
    measure,
    measure_forces,
    settle,
)
from isodyn.stepping.corrections import solve
from isodyn.stepping.jamming import jammed
from isodyn.stepping.matrix import factorise
from isodyn.stepping.memory import COUNTERS, EPS, LEG, MEMORY, PHYSICS_REF, STATE, Counters, Leg, Memory, Physics, State
from isodyn.stepping.projection import mass_matrix, project

if TYPE_CHECKING:
    from isodyn.kernels.struct import StructAddress

# most solves for the first acceleration; as a literal it would compile what it is handed to once
# more
PATIENCE = np.int64(40)
LONGEST = np.int64(300)  # … where forces depend on multipliers
TINY = 1e-300  # beside which every acceleration is large
SETTLED = 1e-14  # a change of it below this, relative, is none
NOISE = 1e-9  # where forces depend on multipliers, changes below this may be rounding that stays


@kernel(i8(PHYSICS_REF, LEG, f8, STATE, MEMORY, COUNTERS, i8), inner=True, apart=True)
def acceleration(
    p: Physics, leg: Leg, t: float, state: State, memory: Memory, counters: Counters, most: int | np.int64
) -> int:
    """state.a and state.lam from M a + Gᵀλ = Q, G a = b at the state itself; no last step is known
    after this.

    The equations are linear [Shimada2014 (3.88)]; a second solve removes the rounding of the first.
    Where forces depend on λ beyond Gᵀλ (friction of mechanisms), the same matrix is used until λ
    does not change; JAMMED where it does not end. Models that put ∂Q/∂λ into their matrices have an
    iteration of their own. After `most` solves it is enough; memory.second_change tells what the
    second of them changed.
    """
    if p.traits & NONIDEAL:
        return nonideal_acceleration(p, t, state, memory, counters)
    reacts = (p.traits & REACTS) != 0 and p.rows.size > 0
    most = LONGEST if reacts else most
    n = memory.x.size
    c = memory.c
    c[0], c[1], c[2], c[3] = 1.0, 0.0, 0.0, 1.0
    fill_with(state.a, 0.0)
    fill_with(state.lam, 0.0)
    status = OK
    copy_to(state.q, memory.q)
    copy_to(state.v, memory.v)
    before = np.inf
    for k in range(most):
        copy_to(state.a, memory.a)
        copy_to(state.lam, memory.lam)
        counters.iterations += 1
        counters.evaluations += 1
        status = initial_residual(p, t, c, memory)
        if status != OK:
            return status
        if k == 0:
            fill_with(memory.d_p, 0.0)
            copy_to(state.v, memory.v_p)
            fill_with(memory.a_p, 0.0)
            fill_with(memory.x, 0.0)
            status = initial_matrix(p, leg, t, state, c, memory, counters)
            if status != OK:
                return status
        for i in range(memory.r.size):
            memory.dx[i] = -memory.r[i]
        status = solve(p, t, c, memory, memory.dx, memory.r_plus, False)
        add_to(memory.dx, state.a)
        for i in range(p.rows.size):
            state.lam[p.rows[i]] += memory.dx[n + i]
        change, size = measure(memory.dx, memory.by_v), measure(state.a, memory.by_v)
        if reacts:
            change, size = change_of_multipliers(p, memory), measure(state.lam, memory.row_sizes)
        if k == 1:
            memory.second_change = 1.0 if reacts else max(change / max(size, TINY), EPS)
        ends = change > 0.5 * before and (not reacts or change <= NOISE * size)
        if status != OK or p.rows.size == 0 or (k > 0 and (change <= SETTLED * size or ends)):
            break
        before = change
        if reacts and k == most - 1:
            status = JAMMED
    fill_with(state.da, 0.0)
    state.dt = 0.0
    return status


@kernel(i8(PHYSICS_REF, f8, STATE, MEMORY, COUNTERS), inner=True, apart=True)
def nonideal_acceleration(p: Physics, t: float, state: State, memory: Memory, counters: Counters) -> int:
    """The same where forces depend on multipliers: M a + Gᵀλ = Q(q, v, t, λ), G a = b by Newton's
    iteration from the solution without them; JAMMED where it finds none."""
    c = memory.c
    fill_with(state.a, 0.0)
    fill_with(state.lam, 0.0)
    fill_with(state.da, 0.0)
    state.dt = 0.0
    memory.second_change = 1.0  # one solve is never enough
    copy_to(state.q, memory.q)
    copy_to(state.v, memory.v)
    before, free = np.inf, 0.0
    for k in range(PATIENCE):
        copy_to(state.a, memory.a)
        copy_to(state.lam, memory.lam)
        counters.iterations += 1
        counters.evaluations += 1
        counters.factorisations += 1
        status = mass_matrix(p, t, state.q, state.v, state.a, state.lam, c, memory, k > 0)
        if status == OK:
            status = initial_residual(p, t, c, memory)
        if status != OK:
            return status
        if k == 0:
            free = measure_forces(memory.r, memory.by_v) / max(memory.inertia, TINY)
        for i in range(memory.r.size):
            memory.dx[i] = -memory.r[i]
        solve(p, t, c, memory, memory.dx, memory.r_plus, False)
        add_to(memory.dx, state.a)
        for i in range(p.rows.size):
            state.lam[p.rows[i]] += memory.dx[memory.x.size + i]
        change = changed(p, free, state, memory)
        if k > 0 and (change <= SETTLED or (change <= NOISE and change > 0.5 * before)):
            return jammed(p, t, state.q, state.v, state.a, state.lam, memory)
        before = change
    return JAMMED


@kernel()
def changed(p: Physics, free: float, state: State, memory: Memory) -> float:
    """What the last solve changed of the acceleration and of all multipliers, relatively; beside
    the acceleration that forces alone would make, and these forces, where they vanish."""
    a = max(measure(state.a, memory.by_v), free, TINY)
    lam = max(measure(state.lam, memory.row_sizes), free * memory.inertia, TINY)
    return max(measure(memory.dx, memory.by_v) / a, change_of_multipliers(p, memory) / lam)


@kernel()
def change_of_multipliers(p: Physics, memory: Memory) -> float:
    """What the last solve changed of multipliers, in units of their rows."""
    own = 0.0
    for k in range(p.rows.size):
        own = max(own, abs(memory.dx[memory.x.size + k]) * memory.row_sizes[p.rows[k]])
    return own


@kernel()
def initial_residual(p: Physics, t: float, c: FloatArray, memory: Memory) -> int:
    """Balance and closure at the trial acceleration and multipliers, into memory.r."""
    n = memory.x.size
    status = p.model(BALANCE, t, memory.q, memory.v, memory.a, memory.lam, c, p.tables, p.scratch, memory.r[:n])
    if status == OK and p.rows.size > 0 and p.closure.at_balance == 1:
        status = close_at_balance(p, t, c, memory)
    elif status == OK and p.rows.size > 0:
        status = p.model(ACCELERATION, t, memory.q, memory.v, memory.a, memory.lam, c, p.tables, p.scratch, memory.gap)
    if status != OK:
        return status
    for i in range(p.rows.size):
        memory.r[n + i] = memory.gap[p.rows[i]]
    return OK if finite(memory.r) else NOT_FINITE


@kernel()
def initial_matrix(
    p: Physics, leg: Leg, t: float, state: State, c: FloatArray, memory: Memory, counters: Counters
) -> int:
    """Factors of M, or of [M Gᵀ; G 0], at the state."""
    if p.rows.size > 0:
        counters.factorisations += 1
        return mass_matrix(p, t, state.q, state.v, state.a, state.lam, c, memory, False)
    known = (p.traits & CONSTANT_MASS) != 0 and memory.factors_good == 1
    for i in range(4):
        known = known and memory.factors_c[i] == c[i]
    if known:
        return OK
    return factorise(p, leg, t, t, 0.0, state, c, memory, 0, counters)


INITIAL_ACCELERATION = i8(MODEL_TYPE, ADDRESS, ADDRESS, LEG, f8, STATE, MEMORY, COUNTERS)


@kernel(INITIAL_ACCELERATION, apart=True)
def initial_acceleration(
    model: ModelFunction,
    tables: StructAddress,
    scratch: StructAddress,
    leg: Leg,
    t: float,
    state: State,
    memory: Memory,
    counters: Counters,
) -> int:
    """`acceleration` for callers outside compiled code; loads are taken at t, which may be a
    right-hand limit."""
    p = by_reference(Physics(model, leg.traits, leg.holonomic, leg.closure, memory.rows, tables, scratch))
    return acceleration(p, leg, t, state, memory, counters, PATIENCE)


@kernel()
def nearest(p: Physics, t: float, state: State, memory: Memory) -> int:
    """Move state.q and state.v onto the constraints by the least change in the mass norm."""
    copy_to(state.q, memory.q_1)
    copy_to(state.v, memory.v_1)
    fill_with(memory.a_1, 0.0)
    status = project(p, t, np.int64(2), np.int64(0), 0.0, memory)
    if status == OK:
        status = settle(p, memory.c, memory.q_1)
    if status == OK:
        copy_to(memory.q_1, state.q)
        copy_to(memory.v_1, state.v)
    return status


NEAREST_CONSISTENT = i8(MODEL_TYPE, ADDRESS, ADDRESS, LEG, f8, STATE, MEMORY)


@kernel(NEAREST_CONSISTENT, apart=True)
def nearest_consistent(
    model: ModelFunction,
    tables: StructAddress,
    scratch: StructAddress,
    leg: Leg,
    t: float,
    state: State,
    memory: Memory,
) -> int:
    """`nearest` for callers outside compiled code."""
    p = by_reference(Physics(model, leg.traits, leg.holonomic, leg.closure, memory.rows, tables, scratch))
    return nearest(p, t, state, memory)
