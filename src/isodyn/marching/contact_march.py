"""The march with contacts: steps of GS4, with closed contacts in them, until something happens.

It returns to Python where an open gap closed in the last step, where slip came to rest or turned
round, and where other contacts are closed than before: impacts and starts are Python's
(isodyn.marching.contact_run).
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from numba import types

from isodyn.kernels.compiled import (
    F2,
    MODEL_TYPE,
    NO_PIVOT,
    OK,
    POSITION,
    RAISED,
    VELOCITY,
    WRONG_SHAPE,
    FloatArray,
    ModelFunction,
    f8,
    i8,
    kernel,
)
from isodyn.kernels.lowering import by_reference
from isodyn.kernels.struct_types import ADDRESS, copy_struct
from isodyn.marching.march import (
    COLUMNS,
    FULL,
    ROWS_TYPE,
    Columns,
    SavedRows,
    is_saved,
    lands_or_counts,
    look_into,
    save_row,
    time_of,
)
from isodyn.stepping.chosen_step import (
    HALF,
    LONGER,
    SHORTER,
    bounded,
    end_of_step,
    judged,
    leg_to,
    next_landing,
    shift,
    smallest_at,
)
from isodyn.stepping.closure import copy_to
from isodyn.stepping.contact_memory import CONTACTS, OPEN, SLIP, STICK, Contacts, Touching, ask
from isodyn.stepping.contact_step import closed_step, note_slip
from isodyn.stepping.memory import COUNTERS, MEMORY, PLAN, STATE, UNDERFLOW, Counters, Memory, Physics, Plan, State
from isodyn.stepping.step import advance
from isodyn.stepping.step_error import estimate

if TYPE_CHECKING:
    from isodyn.kernels.struct import StructAddress

# statuses: in the last step a gap closed; slip came to rest or turned round; a contact was torn loose;
# and after it other contacts are closed
CLOSED, TURNED, LOOSE, CHANGED = 130, 131, 132, 133
MOVED = 134  # a status: bodies have moved so far that other contacts may be near; the last step was not taken
TAKEN = (OK, CLOSED, TURNED, LOOSE)  # statuses of steps that were taken
DEEP = 1e-13  # of the size of a gap: less penetration is rounding


class ContactRows(NamedTuple):
    """What is saved of contacts in each row."""

    gap: FloatArray
    force: FloatArray
    balance: FloatArray
    mode: FloatArray


CONTACT_ROWS = types.NamedUniTuple(F2, 4, ContactRows)


@kernel(types.void(CONTACTS, CONTACT_ROWS, i8))
def write_contacts(contacts: Contacts, kept: ContactRows, row: int) -> None:
    """A row of the contacts."""
    for k in range(contacts.closed.size):
        kept.gap[row, k], kept.mode[row, k] = contacts.gap[k], contacts.mode[k]
    for j in range(contacts.force.size):
        kept.force[row, j], kept.balance[row, j] = contacts.force[j], contacts.balance[j]


@kernel()
def dips(g_0: float, s_0: float, g_1: float, s_1: float, dt: float) -> bool:
    """Whether a gap with these values and slopes at the ends of a step, both values above zero, may
    have been below it: as the cubic, or as far as its tangents leave room (two small bodies that
    fly through each other)."""
    if not (s_0 < 0.0 < s_1):
        return False
    if g_0 + s_0 * (g_1 - g_0 - s_1 * dt) / (s_0 - s_1) < 0.0:
        return True
    b, c = s_0 * dt, 3.0 * (g_1 - g_0) - (2.0 * s_0 + s_1) * dt
    d = (s_0 + s_1) * dt - 2.0 * (g_1 - g_0)
    lowest = g_0
    for i in range(1, 32):
        x = i / 32.0
        lowest = min(lowest, g_0 + x * (b + x * (c + x * d)))
    return lowest < 0.0


@kernel()
def gaps_closed(contacts: Contacts, dt: float) -> int:
    """CLOSED if an open contact is closed at the end of the last step, or was inside it."""
    deepest, status = 0.0, OK
    for k in range(contacts.closed.size):
        if contacts.closed[k] == 1 or contacts.mode[k] != OPEN:
            continue
        gap, size = contacts.gap[k], contacts.size[k]
        through = gap < -DEEP * size or dips(contacts.gap_before[k], contacts.rate_before[k], gap, contacts.rate[k], dt)
        # a gap that closes just at the end of the step must not be left to the next one
        through = through or (gap <= DEEP * size < contacts.gap_before[k] and contacts.rate[k] < 0.0)
        if through:
            status = CLOSED
            if gap / size <= deepest:
                deepest, contacts.culprit = gap / size, k
    return status


@kernel()
def slips_turned(contacts: Contacts) -> int:
    """TURNED if a contact that slid comes to rest, or slides back; LOOSE if one at rest is torn
    loose, and friction drops."""
    for k in range(contacts.closed.size):
        if contacts.mode[k] == OPEN:
            continue
        along, size = 0.0, 0.0
        for row in range(contacts.tangent[k], contacts.tangent[k + 1]):
            along += contacts.rate[row] * contacts.slip[row]
            size += contacts.slip[row] ** 2
        if size > 0.0 and (contacts.mode[k] == STICK or along <= 0.0):
            contacts.culprit = k
            return TURNED
        torn = contacts.mode_before[k] == STICK and contacts.mode[k] == SLIP
        if torn and contacts.closed[k] == 1 and contacts.balance[k] > 0.0 and contacts.mu_static[k] > contacts.mu[k]:
            contacts.culprit = k
            return LOOSE
    return OK


@kernel()
def count_closed(contacts: Contacts) -> int:
    """How many contacts are closed."""
    found = 0
    for k in range(contacts.closed.size):
        found += contacts.closed[k]
    return found


@kernel()
def remember_contacts(contacts: Contacts) -> None:
    """What contacts do before a step."""
    for k in range(contacts.closed.size):
        contacts.closed_before[k], contacts.mode_before[k] = contacts.closed[k], contacts.mode[k]
    for j in range(contacts.force.size):
        contacts.force_before[j] = contacts.force[j]


@kernel(types.void(CONTACTS))
def forget_step(contacts: Contacts) -> None:
    """What contacts did before the last step."""
    for k in range(contacts.closed.size):
        contacts.closed[k], contacts.mode[k] = contacts.closed_before[k], contacts.mode_before[k]
    copy_to(contacts.force_before, contacts.force)


@kernel()
def forget_kink(contacts: Contacts, before: State, state: State) -> None:
    """Where contacts opened, or began to slide or to stick, forces have a kink in the step: its
    local error tells nothing about its size, nor do differences across it."""
    for k in range(contacts.closed.size):
        if contacts.closed[k] != contacts.closed_before[k] or contacts.mode[k] != contacts.mode_before[k]:
            copy_to(before.error_q, state.error_q)
            copy_to(before.error_v, state.error_v)
            copy_to(before.error_q_at, state.error_q_at)
            copy_to(before.error_v_at, state.error_v_at)
            state.smooth_steps = state.samples = 0
            return


@kernel()
def has_moved_far(contacts: Contacts, q: FloatArray) -> bool:
    """Whether bodies have moved farther than contacts were looked for."""
    far = 0.0
    for i in range(contacts.places.size):
        far = max(far, abs(q[contacts.places[i]] - contacts.anchor[i]))
    return far > contacts.margin


STEP_WITH = i8(MODEL_TYPE, ADDRESS, ADDRESS, PLAN, f8, STATE, MEMORY, COUNTERS, MODEL_TYPE, CONTACTS)


@kernel(STEP_WITH, apart=True)
def step_with_contacts(
    model: ModelFunction,
    tables: StructAddress,
    scratch: StructAddress,
    plan: Plan,
    t_1: float,
    state: State,
    memory: Memory,
    counters: Counters,
    gap_model: ModelFunction,
    contacts: Contacts,
) -> int:
    """One step to t_1; a status of TAKEN, or what went wrong. The state before it is in
    memory.before."""
    leg = plan.legs[leg_to(plan, state.step, t_1)]
    copy_struct(state, memory.before)
    if state.lag != leg.phi:
        shift(state, leg.phi)
    p = by_reference(Physics(model, leg.traits, leg.holonomic, leg.closure, memory.rows, tables, scratch))
    g = by_reference(Touching(gap_model, contacts))
    t, c = state.t, memory.c
    remember_contacts(contacts)
    status = ask(g, POSITION, t, state.q, state.v, state.a, c, contacts.gap_before)
    if status == OK and count_closed(contacts) > 0:
        status = note_slip(g, t, state, memory)
        if status == OK:
            status = closed_step(p, g, leg, t_1, state, memory, counters)
    elif status == OK:
        status = advance(p, leg, t_1, state, memory, counters)
    if status == OK and has_moved_far(contacts, state.q):
        forget_step(contacts)
        status = MOVED
    if status != OK:
        copy_struct(memory.before, state)
        return status
    before = memory.before
    forget_kink(contacts, before, state)
    status = ask(g, VELOCITY, t, before.q, before.v, before.a, c, contacts.rate_before)
    if status == OK:
        status = ask(g, POSITION, t_1, state.q, state.v, state.a, c, contacts.gap)
    if status == OK:
        status = ask(g, VELOCITY, t_1, state.q, state.v, state.a, c, contacts.rate)
    if status == OK:
        status = gaps_closed(contacts, t_1 - t)
    return slips_turned(contacts) if status == OK else status


@kernel(i8(MODEL_TYPE, ADDRESS, ADDRESS, PLAN, STATE, MEMORY), apart=True)
def look_after(
    model: ModelFunction, tables: StructAddress, scratch: StructAddress, plan: Plan, state: State, memory: Memory
) -> int:
    """Whether somebody has to look into the last step, which was cut."""
    return look_into(model, tables, scratch, plan, state, memory)


@kernel()
def sized_with_contacts(
    model: ModelFunction,
    tables: StructAddress,
    scratch: StructAddress,
    plan: Plan,
    state: State,
    memory: Memory,
    counters: Counters,
    gap_model: ModelFunction,
    contacts: Contacts,
) -> int:
    """One step whose size the policy chooses; a status of TAKEN, or what went wrong. A step through
    a gap is judged like others, and looked into afterwards."""
    size = bounded(plan, state.t, state.next_dt)
    while True:
        t, t_1 = state.t, end_of_step(state.t, size, next_landing(plan, state.t))
        leg = plan.legs[leg_to(plan, state.step, t_1)]
        status = step_with_contacts(model, tables, scratch, plan, t_1, state, memory, counters, gap_model, contacts)
        wrong = OK if status in TAKEN else status
        if wrong == OK and plan.estimates == 1:
            p = by_reference(Physics(model, leg.traits, leg.holonomic, leg.closure, memory.rows, tables, scratch))
            t_end = min(t_1, leg.t_limit)
            wrong = estimate(p, leg, t_end, True, plan.tolerance, memory.before, state, memory, counters)
        factor = judged(plan, leg, state, memory) if wrong == OK else HALF
        if factor > 0.0:
            wanted = factor * (t_1 - t)
            state.next_dt = bounded(plan, t_1, max(wanted, size) if t_1 - t < 0.99 * size and factor >= 1.0 else wanted)
            memory.before.next_dt = state.next_dt
            return status
        if wrong != OK:
            memory.before.repeated = 1
        copy_struct(memory.before, state)
        forget_step(contacts)
        memory.factors_good = 0
        if np.isnan(factor) or factor == 0.0:
            return RAISED
        if wrong in (RAISED, WRONG_SHAPE, NO_PIVOT, MOVED):
            return wrong
        if min(size, t_1 - t) <= LONGER * smallest_at(plan, t):
            return UNDERFLOW if wrong == OK else wrong
        counters.rejected += 1
        size = max(min(-factor, SHORTER) * (t_1 - t), smallest_at(plan, t))


MARCH_WITH = i8(
    MODEL_TYPE, ADDRESS, ADDRESS, PLAN, STATE, MEMORY, COLUMNS, ROWS_TYPE, COUNTERS, MODEL_TYPE, CONTACTS, CONTACT_ROWS
)


@kernel(MARCH_WITH, apart=True)
def march_with_contacts(
    model: ModelFunction,
    tables: StructAddress,
    scratch: StructAddress,
    plan: Plan,
    state: State,
    memory: Memory,
    columns: Columns,
    rows: SavedRows,
    counters: Counters,
    gap_model: ModelFunction,
    contacts: Contacts,
    kept: ContactRows,
) -> int:
    """Go on until contacts.upto steps are done, or something happened in the last one: CHANGED
    after it is counted, with what was seen of events in contacts.seen; others before."""
    while state.step < contacts.upto:
        closed = count_closed(contacts)
        if plan.by_policy == 1:
            if state.t >= plan.t_stop:
                return OK
            if counters.rows >= rows.t.size:
                return FULL
            landing = next_landing(plan, state.t)
            status = sized_with_contacts(model, tables, scratch, plan, state, memory, counters, gap_model, contacts)
            t_1 = state.t
            saved = lands_or_counts(plan, state.step, t_1, landing)
        else:
            t_1, saved = time_of(plan, state.step), is_saved(plan, state.step)
            status = step_with_contacts(model, tables, scratch, plan, t_1, state, memory, counters, gap_model, contacts)
        if status != OK:
            return status
        leg = plan.legs[leg_to(plan, state.step, t_1)]
        state.step += 1
        counters.steps += 1
        if saved:
            p = by_reference(Physics(model, leg.traits, leg.holonomic, leg.closure, memory.rows, tables, scratch))
            write_contacts(contacts, kept, counters.rows)
            status = save_row(p, leg, t_1, state, memory, columns, rows, counters)
            if status != OK:
                return status
        status = look_into(model, tables, scratch, plan, state, memory)
        if count_closed(contacts) != closed:
            contacts.seen = status
            return CHANGED
        if status != OK:
            return status
    return OK
