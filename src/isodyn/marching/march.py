"""The march: the only loop over steps of GS4. It goes on from a state along a plan.

It can be called again and again, for single steps, blocks, members of ensembles, sub-steps of
subdomains: what it needs is the state, and all it leaves is there. Progress, interrupts, starts and
messages belong to Python.

A plan has legs: the first step after a start by a member with φ = 0, then the scheme, and before a
breakpoint the first member again where the scheme would look past it. After each leg the
acceleration is moved along its own slope to where the next one wants it.

Formulations that close at the balance know λ there. What is saved at t_n are the multipliers of the
state itself, M a + Gᵀλ = Q with the formulation's own closure at (q_n, v_n), computed for saved
rows only; the acceleration is the one of the scheme, as everywhere.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from numba import types

from isodyn.kernels.compiled import (
    F2,
    MODEL_TYPE,
    OK,
    RAISED,
    WRONG_SHAPE,
    F,
    FloatArray,
    I,
    IntArray,
    ModelFunction,
    f8,
    i8,
    kernel,
)
from isodyn.kernels.lowering import by_reference
from isodyn.kernels.struct_types import ADDRESS, copy_struct
from isodyn.stepping.chosen_step import chosen_step, leg_number, leg_to, next_landing, shift
from isodyn.stepping.closeness import watch_rank
from isodyn.stepping.closure import copy_to
from isodyn.stepping.composed_step import composed_step
from isodyn.stepping.guards import look_for_events
from isodyn.stepping.initial import PATIENCE, acceleration
from isodyn.stepping.memory import COUNTERS, MEMORY, PLAN, STATE, UNDERFLOW, Counters, Leg, Memory, Physics, Plan, State
from isodyn.stepping.step import advance
from isodyn.stepping.told_step import take_at, told_step

if TYPE_CHECKING:
    from isodyn.kernels.struct import StructAddress


class SavedRows(NamedTuple):
    """Saved rows of a run, preallocated; balance_… hold the states at the last two balances, one
    behind the other, where they are kept; step_error the errors of q and v of the last step in
    units of the tolerance, its size, and the steps that were rejected so far."""

    t: FloatArray
    q: FloatArray
    v: FloatArray
    a: FloatArray
    lam: FloatArray
    mu: FloatArray
    nu: FloatArray
    balance_t: FloatArray
    balance_q: FloatArray
    balance_v: FloatArray
    step_error: FloatArray


ROWS_TYPE = types.NamedTuple((F,) + (F2,) * 10, SavedRows)


class Columns(NamedTuple):
    """Which components are saved."""

    q: IntArray
    v: IntArray
    a: IntArray
    lam: IntArray


COLUMNS = types.NamedUniTuple(I, 4, Columns)

FULL = 101  # a status: all rows are written, and more may come
# statuses: the last step, whose beginning is memory.before, is to be looked into, because a row is
# asked for inside; because an event may have happened there
LOOK, HAPPENED = 102, 103
NO_ROWS = SavedRows(np.zeros(0), *(np.zeros((0, 0)) for _ in range(10)))
NO_COLUMNS = Columns(*(np.zeros(0, dtype=np.int64) for _ in range(4)))


@kernel(types.void(f8, STATE, MEMORY, COLUMNS, ROWS_TYPE, i8))
def write_row(phi: float, state: State, memory: Memory, columns: Columns, rows: SavedRows, k: int) -> None:
    """Row k: the state at t_n, the acceleration brought to t_n, (1 + φ) a_n − φ a_{n−1} = a_n + φ
    Δa; multipliers of memory.lam_1."""
    rows.t[k] = state.t
    for j in range(columns.q.size):
        rows.q[k, j] = state.q[columns.q[j]]
    for j in range(columns.v.size):
        rows.v[k, j] = state.v[columns.v[j]]
    for j in range(columns.a.size):
        i = columns.a[j]
        rows.a[k, j] = state.a[i] + phi * state.da[i]  # [Shimada2014 (2.75)]
    for j in range(columns.lam.size):
        rows.lam[k, j] = memory.lam_1[columns.lam[j]]
    for j in range(rows.mu.shape[1]):
        rows.mu[k, j] = state.mu[j]
    for j in range(rows.nu.shape[1]):
        rows.nu[k, j] = state.nu[j]
    if rows.balance_t.shape[1] > 0:
        write_balances(state, rows, k)


@kernel()
def write_balances(state: State, rows: SavedRows, k: int) -> None:
    """The states at the last two balances."""
    nq, nv = state.q.size, state.v.size
    for b in range(2):
        rows.balance_t[k, b] = state.balance_t[b]
        for j in range(nq):
            rows.balance_q[k, b * nq + j] = state.balance_q[b, j]
        for j in range(nv):
            rows.balance_v[k, b * nv + j] = state.balance_v[b, j]


@kernel()
def write_error(state: State, rows: SavedRows, counters: Counters) -> None:
    """What a row tells of its step."""
    k = counters.rows
    rows.step_error[k, 0], rows.step_error[k, 1] = state.errors[0], state.errors[1]
    rows.step_error[k, 2], rows.step_error[k, 3] = state.dt, counters.rejected


@kernel(types.void(STATE, MEMORY, COLUMNS, ROWS_TYPE, i8))
def write_start(state: State, memory: Memory, columns: Columns, rows: SavedRows, k: int) -> None:
    """Row k of a start: the balance holds at the state itself, and its own multipliers are
    saved."""
    copy_to(state.lam, memory.lam_1)
    for b in range(2):
        state.balance_t[b] = state.t
        copy_to(state.q, state.balance_q[b])
        copy_to(state.v, state.balance_v[b])
    write_row(0.0, state, memory, columns, rows, k)


@kernel()
def show_multipliers(p: Physics, leg: Leg, t: float, state: State, memory: Memory, counters: Counters) -> int:
    """Put the multipliers to be saved into memory.lam_1: those of the step, or those of the state
    itself if the formulation closes at the balance. Where rows lose rank, those of the step are
    saved again."""
    copy_to(state.lam, memory.lam_1)
    if p.closure.at_balance == 0:
        return OK
    there = memory.aside
    copy_to(state.q, there.q)
    copy_to(state.v, there.v)
    iterations = counters.iterations
    status = acceleration(p, leg, t, there, memory, counters, PATIENCE)
    counters.iterations = iterations
    if status in (RAISED, WRONG_SHAPE):
        return status
    if status != OK:
        state.nearest = 0.0
        state.nearest_at = t
        return OK
    if p.closure.compliance == 0.0:
        watch_rank(p, t, state, memory)
    copy_to(there.lam, memory.lam_1)
    return OK


@kernel()
def save_row(
    p: Physics,
    leg: Leg,
    t_1: float,
    state: State,
    memory: Memory,
    columns: Columns,
    rows: SavedRows,
    counters: Counters,
) -> int:
    """The state as the next row, with the multipliers that are saved."""
    status = show_multipliers(p, leg, min(t_1, leg.t_limit), state, memory, counters)
    if status == OK:
        write_row(leg.phi, state, memory, columns, rows, counters.rows)
        if rows.step_error.shape[1] > 0:
            write_error(state, rows, counters)
        counters.rows += 1
    return status


@kernel()
def time_of(plan: Plan, step: int) -> float:
    """Where a step of the run leads to."""
    n = step - plan.begin
    if step + 1 == plan.end:
        return plan.t_stop
    if plan.times.size > 0:
        return plan.times[n]
    return plan.t0 + plan.dt * (plan.grid + n)


@kernel()
def is_saved(plan: Plan, step: int) -> bool:
    """Whether a step of the run becomes a row: every save_every-th of the grid, and the last."""
    if plan.save_every == 0:
        return False
    return step + 1 == plan.end or (plan.grid + step - plan.begin) % plan.save_every == 0


@kernel()
def lands_or_counts(plan: Plan, step: int, t_1: float, landing: float) -> bool:
    """Whether a step that a policy chose becomes a row: at the times of the plan, or else every
    save_every-th; and the last."""
    if t_1 == plan.t_stop:
        return True
    return t_1 == landing if plan.times.size > 0 else (step + 1) % plan.save_every == 0


@kernel()
def asked_for(times: FloatArray, t: float, t_1: float) -> bool:
    """Whether one of the ascending times lies in (t, t_1]."""
    k = np.searchsorted(times, t, side="right")
    if k >= times.size:
        return False
    return bool(times[k] <= t_1)


@kernel()
def planned_step(
    p: Physics, leg: Leg, plan: Plan, t_1: float, saved: bool, state: State, memory: Memory, counters: Counters
) -> int:
    """A step to a time of the plan."""
    if plan.stages.size > 0:
        return composed_step(p, leg, plan, t_1, saved, state, memory, counters)
    return advance(p, leg, t_1, state, memory, counters)


@kernel()
def sized_step(
    model: ModelFunction,
    tables: StructAddress,
    scratch: StructAddress,
    plan: Plan,
    state: State,
    memory: Memory,
    counters: Counters,
) -> int:
    """A step whose size is chosen: by its error, or by a policy."""
    if plan.take != 0:
        return told_step(model, tables, scratch, plan, state, memory, counters)
    return chosen_step(model, tables, scratch, plan, state, memory, counters)


STEP_TO = i8(MODEL_TYPE, ADDRESS, ADDRESS, PLAN, f8, STATE, MEMORY, COUNTERS)


@kernel(STEP_TO, apart=True)
def step_to(
    model: ModelFunction,
    tables: StructAddress,
    scratch: StructAddress,
    plan: Plan,
    t_1: float,
    state: State,
    memory: Memory,
    counters: Counters,
) -> int:
    """One step to t_1, whatever the plan says."""
    if plan.take != 0:
        status = take_at(plan.take, model, tables, scratch, plan, t_1, state, memory, counters)
        return UNDERFLOW if status == OK and memory.error > 1.0 else status
    leg = plan.legs[leg_to(plan, state.step, t_1)]
    if state.lag != leg.phi:
        shift(state, leg.phi)
    p = by_reference(Physics(model, leg.traits, leg.holonomic, leg.closure, memory.rows, tables, scratch))
    return planned_step(p, leg, plan, t_1, True, state, memory, counters)


@kernel()
def look_into(
    model: ModelFunction, tables: StructAddress, scratch: StructAddress, plan: Plan, state: State, memory: Memory
) -> int:
    """Whether somebody has to look into the last step."""
    if plan.guards != 0:
        found = look_for_events(model, tables, scratch, plan, state, memory)
        if found != 0:
            return RAISED if found == RAISED else HAPPENED
    if plan.between == 1 and asked_for(plan.times, memory.before.t, state.t):
        return LOOK
    return OK


MARCH = i8(MODEL_TYPE, ADDRESS, ADDRESS, PLAN, i8, STATE, MEMORY, COLUMNS, ROWS_TYPE, COUNTERS)


@kernel(MARCH, apart=True, nogil=True)
def march(
    model: ModelFunction,
    tables: StructAddress,
    scratch: StructAddress,
    plan: Plan,
    upto: int,
    state: State,
    memory: Memory,
    columns: Columns,
    rows: SavedRows,
    counters: Counters,
) -> int:
    """Go on from `state` until `upto` steps of the run are done; state.step and counters.rows tell
    how far it came. A step that fails leaves the motion as it was."""
    while state.step < upto:
        if plan.by_policy == 1 or plan.take != 0:
            if state.t >= plan.t_stop:
                return OK
            if counters.rows >= rows.t.size:
                return FULL
            landing = next_landing(plan, state.t)
            status = sized_step(model, tables, scratch, plan, state, memory, counters)
            t_1 = state.t
            leg = plan.legs[leg_to(plan, state.step, t_1)]
            saved = plan.between == 0 and lands_or_counts(plan, state.step, t_1, landing)
            p = by_reference(Physics(model, leg.traits, leg.holonomic, leg.closure, memory.rows, tables, scratch))
        else:
            leg = plan.legs[leg_number(plan, state.step)]
            p = by_reference(Physics(model, leg.traits, leg.holonomic, leg.closure, memory.rows, tables, scratch))
            t_1, saved = time_of(plan, state.step), is_saved(plan, state.step)
            if plan.guards != 0:
                copy_struct(state, memory.before)
            status = planned_step(p, leg, plan, t_1, saved, state, memory, counters)
        if status != OK:
            return status
        state.step += 1
        counters.steps += 1
        if saved:
            status = save_row(p, leg, t_1, state, memory, columns, rows, counters)
            if status != OK:
                return status
        if state.step == leg.last:
            shift(state, leg.next_phi)
        status = look_into(model, tables, scratch, plan, state, memory)
        if status != OK:
            return status
    return OK
