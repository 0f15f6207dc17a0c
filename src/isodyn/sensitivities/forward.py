"""The tangent of a run: derivatives of the state by parameters, carried along with the steps
(isodyn.sensitivities.memory has the equations).

The unknowns δx, δλ̃ and δp of every parameter come from an iteration with the factors that the step
left, for several parameters at a time (isodyn.sensitivities.many): residuals of the linearised
equations are exact, so that the factors only decide how fast it converges.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from isodyn.kernels.compiled import MODEL_TYPE, NOT_FINITE, OK, ModelFunction, i8, kernel
from isodyn.kernels.lowering import by_reference, natural
from isodyn.kernels.struct_types import ADDRESS, copy_struct, opened, struct_at
from isodyn.marching.march import COLUMNS, FULL, ROWS_TYPE, Columns, SavedRows, march
from isodyn.sensitivities.by_parameters import by_parameter, spread_parameter
from isodyn.sensitivities.linearise import linearise
from isodyn.sensitivities.many import (
    correct_many,
    give_parameters,
    put_bases,
    put_ends,
    start_ranges,
    take_parameters,
)
from isodyn.sensitivities.memory import TOGETHER, Derivatives, Linear, Many, Tangents, Together, Varied
from isodyn.stepping.chosen_step import leg_number
from isodyn.stepping.closure import copy_to, fill_with, measure_forces
from isodyn.stepping.memory import COUNTERS, MEMORY, PLAN, STATE, Counters, Leg, Memory, Physics, Plan, State

if TYPE_CHECKING:
    from isodyn.kernels.struct import StructAddress

MOST = 60  # iterations for one parameter
DONE = 1e-13  # what a correction may leave, in parts of the solution
ENOUGH = 1e-9  # … and those that do not shrink any more, if they are below this …
ROUNDING = 1e-11  # … or this part of what forces could do
LAST_DIGITS = 1e-14  # … or of accelerations that would change all of δq or δv within the step
UNSOLVED = 121  # a status: the derivatives of a step do not converge
BROKEN = 120  # a status: the step was repeated or divided, so that it is no smooth function of the state


@kernel()
def is_last(change: float, before: float, done: float, size: float, floor: float, k: int) -> bool:
    """Whether correction k is the last: what it leaves, by how corrections shrink, does not matter,
    or they have come to the rounding of residuals."""
    left = change * change / (before - change) if k > 0 and 2.0 * change < before else change
    return left <= done * size or (k > 1 and change > 0.5 * before and change <= max(ENOUGH * size, floor))


@kernel()
def largest_force(memory: Memory, linear: Linear, tangents: Tangents, first: int, many: Many, c: int) -> float:
    """The largest of ∂balance/∂θ and of the derivatives of forces of constraint, along typical
    displacements."""
    fill_with(linear.work, 0.0)
    for i in range(many.lam.shape[0]):
        for k in range(natural(linear.G_starts[i]), natural(linear.G_starts[i + 1])):
            linear.work[natural(linear.G_columns[k])] += linear.D[k] * many.lam[i, c]
    force = measure_forces(linear.work, memory.by_v)
    return max(force, measure_forces(tangents.f[first + c], memory.by_v)) if first + c < tangents.f.shape[0] else force


@kernel()
def all_done(dt: float, memory: Memory, linear: Linear, tangents: Tangents, first: int, many: Many, k: int) -> bool:
    """Whether the last correction of every parameter was small enough. Gaps of constraints are
    closed to rounding of δq and δv, which is much in accelerations where the step is short."""
    for c in range(many.x.shape[1]):
        size = quickest = 0.0
        for i in range(many.x.shape[0]):
            a = many.a[i, c] + memory.c[0] * many.x[i, c]
            size = max(size, memory.by_v[i] * max(abs(many.x[i, c]), abs(many.p[i, c]), abs(a)))
            quickest = max(quickest, memory.by_v[i] * (abs(many.q_1[i, c]) / dt + abs(many.v_1[i, c])) / dt)
        change, before = many.change[c], many.before[c]
        if is_last(change, before, DONE, size, 0.0, k):
            continue
        forces = largest_force(memory, linear, tangents, first, many, c)
        floor = ROUNDING * forces / memory.inertia
        if many.lam.shape[0] > 0:
            floor = max(floor, LAST_DIGITS * quickest)
        if not is_last(change, before, DONE, size, floor, k):
            return False
    return True


@kernel()
def tangents_of_step(
    p: Physics,
    leg: Leg,
    t: float,
    dt: float,
    shift: float,
    after: State,
    memory: Memory,
    linear: Linear,
    tangents: Tangents,
    first: int,
    many: Many,
) -> int:
    """Bring the derivatives by parameters from `first` on to the end of the step."""
    status, keep = OK, p.closure.keep_position == 1 and p.rows.size > 0
    take_parameters(tangents, first, shift, leg.W1 if tangents.known > 2 else 0.0, many)
    put_bases(leg, dt, memory, linear, many)
    if keep:
        status = start_ranges(p, t, memory, linear, many)
    else:
        for i in range(many.p.shape[0]):
            fill_with(many.p[i], 0.0)
    fill_with(many.before, 1e300)
    for k in range(MOST):
        if status == OK:
            status = correct_many(p, leg, t, dt, after, memory, linear, many)
        if status != OK:
            return status
        for c in range(many.change.size):
            if not many.change[c] < 1e300:
                return NOT_FINITE
        if all_done(dt, memory, linear, tangents, first, many, k):
            put_ends(leg, dt, linear, many)
            give_parameters(leg, shift, tangents, first, many)
            return OK
        copy_to(many.change, many.before)
    return UNSOLVED


@kernel()
def retimed(leg: Leg, dt: float, before: State) -> float:
    """How many times Δa the acceleration is moved before the step, because its size changed."""
    return leg.phi * (before.dt - dt) / before.dt if before.dt != 0.0 else 0.0


@kernel()
def after_step(
    p: Physics,
    other_model: ModelFunction,
    leg: Leg,
    state: State,
    memory: Memory,
    linear: Linear,
    varied: Varied,
    tangents: Tangents,
    many: Many,
) -> int:
    """Bring all derivatives along with the step that was just taken, from memory.before to
    state."""
    before, dt = memory.before, state.dt
    t, t_1 = min(before.t + leg.W1 * dt, leg.t_limit), min(state.t, leg.t_limit)
    status = linearise(p, leg, t, t_1, dt, before, state, memory, linear)
    shift, keep = retimed(leg, dt, before), p.closure.keep_position == 1
    for j in range(varied.in_balance.size):
        if status == OK:
            status = by_parameter(
                other_model, keep, p.closure.acceleration != 0.0, varied, j, t, t_1, before, state, memory, linear
            )
            spread_parameter(varied, j, tangents)
    for j in range(0, varied.in_balance.size, many.q.shape[1]):
        if status == OK:
            status = tangents_of_step(p, leg, t, dt, shift, state, memory, linear, tangents, j, many)
    return status


@kernel()
def write_tangents(phi: float, k: int, tangents: Tangents, out: Derivatives) -> None:
    """Row k of the derivatives, the acceleration brought to t_n."""
    for j in range(tangents.q.shape[0]):
        for i in range(tangents.q.shape[1]):
            out.q[k, j, i], out.v[k, j, i] = tangents.q[j, i], tangents.v[j, i]
            out.a[k, j, i] = tangents.a[j, i] + phi * tangents.da[j, i]
        for i in range(tangents.lam.shape[1]):
            out.lam[k, j, i] = tangents.lam[j, i]


@kernel()
def shift_tangents(steps: float, tangents: Tangents) -> None:
    """Move the derivatives of the acceleration as the acceleration is moved."""
    for j in range(tangents.a.shape[0]):
        for i in range(tangents.a.shape[1]):
            tangents.a[j, i] += steps * tangents.da[j, i]


MARCH_TANGENTS = i8(
    MODEL_TYPE, ADDRESS, ADDRESS, MODEL_TYPE, PLAN, i8, STATE, MEMORY, COLUMNS, ROWS_TYPE, COUNTERS, TOGETHER
)


@kernel(MARCH_TANGENTS)
def march_tangents(
    model: ModelFunction,
    tables: StructAddress,
    scratch: StructAddress,
    other_model: ModelFunction,
    plan: Plan,
    upto: int,
    state: State,
    memory: Memory,
    columns: Columns,
    rows: SavedRows,
    counters: Counters,
    together: Together,
) -> int:
    """`march` with derivatives: after every step they are brought along."""
    linear, varied = opened(Linear, struct_at(together.linear)), opened(Varied, struct_at(together.varied))
    tangents, out = opened(Tangents, struct_at(together.tangents)), opened(Derivatives, struct_at(together.out))
    many = opened(Many, struct_at(together.many))
    while state.step < upto:
        leg = plan.legs[leg_number(plan, state.step)]
        copy_struct(state, memory.before)
        lag, written = state.lag, counters.rows
        trouble = counters.halvings + counters.rescues
        status = march(model, tables, scratch, plan, state.step + 1, state, memory, columns, rows, counters)
        if status != OK and status != FULL:
            return status
        if counters.halvings + counters.rescues != trouble:
            return BROKEN
        p = by_reference(Physics(model, leg.traits, leg.holonomic, leg.closure, memory.rows, tables, scratch))
        status = after_step(p, other_model, leg, state, memory, linear, varied, tangents, many)
        if status != OK:
            return status
        tangents.step, tangents.known = state.step, tangents.known + 1
        if counters.rows > written:
            write_tangents(leg.phi, counters.rows - 1, tangents, out)
        if state.lag != lag:
            shift_tangents(lag - state.lag, tangents)
    return OK
