"""The march with contacts: steps of GS4, with closed contacts in them, until something happens.

It returns to Python where an open gap closed in the last step, where slip came to rest or turned
round, and where other contacts are closed than before: impacts and starts are Python's
(isodyn.marching.contact_run).
"""

from __future__ import annotations

from collections import namedtuple
from typing import Any

from numba import types

from isodyn.kernels.compiled import F2, MODEL_TYPE, OK, POSITION, VELOCITY, f8, i8, kernel
from isodyn.kernels.lowering import by_reference
from isodyn.kernels.struct_types import ADDRESS, copy_struct
from isodyn.marching.march import (
    COLUMNS,
    ROWS_TYPE,
    is_saved,
    look_into,
    save_row,
    time_of,
)
from isodyn.stepping.chosen_step import leg_number, leg_to, shift
from isodyn.stepping.contact_memory import CONTACTS, OPEN, STICK, Contacts, Touching, ask
from isodyn.stepping.contact_step import closed_step, note_slip
from isodyn.stepping.memory import COUNTERS, MEMORY, PLAN, STATE, Counters, Memory, Physics, Plan, State
from isodyn.stepping.step import advance

# statuses: a gap closed, or slip came to rest or turned, in the last step; other contacts are closed
CLOSED, TURNED, CHANGED = 130, 131, 132
DEEP = 1e-13  # of the size of a gap: less penetration is rounding

ContactRows = namedtuple("ContactRows", "gap force balance mode")
"""What is saved of contacts in each row."""
CONTACT_ROWS = types.NamedUniTuple(F2, 4, ContactRows)


@kernel(types.void(CONTACTS, CONTACT_ROWS, i8))
def write_contacts(contacts: Contacts, kept: Any, row: int) -> None:
    """A row of the contacts."""
    for k in range(contacts.closed.size):
        kept.gap[row, k], kept.mode[row, k] = contacts.gap[k], contacts.mode[k]
    for j in range(contacts.force.size):
        kept.force[row, j], kept.balance[row, j] = contacts.force[j], contacts.balance[j]


@kernel()
def dips(g_0: float, s_0: float, g_1: float, s_1: float, dt: float) -> bool:
    """Whether the cubic with these values and slopes at the ends of a step, both above zero, has
    been below it."""
    if not (s_0 < 0.0 < s_1):
        return False
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
        if through:
            status = CLOSED
            if gap / size <= deepest:
                deepest, contacts.culprit = gap / size, k
    return status


@kernel()
def slips_turned(contacts: Contacts) -> int:
    """TURNED if a contact with one tangent that slid comes to rest, or slides the other way."""
    for k in range(contacts.closed.size):
        if contacts.slip[k] == 0.0 or contacts.mode[k] == OPEN or contacts.enforced[k] == 1:
            continue
        row = contacts.tangent[k]
        if contacts.mode[k] == STICK or contacts.rate[row] * contacts.slip[k] <= 0.0:
            contacts.culprit = k
            return TURNED
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


STEP_WITH = i8(MODEL_TYPE, ADDRESS, ADDRESS, PLAN, f8, STATE, MEMORY, COUNTERS, MODEL_TYPE, CONTACTS)


@kernel(STEP_WITH, apart=True)
def step_with_contacts(
    model: Any,
    tables: Any,
    scratch: Any,
    plan: Plan,
    t_1: float,
    state: State,
    memory: Memory,
    counters: Counters,
    gap_model: Any,
    contacts: Contacts,
) -> int:
    """One step to t_1; OK, CLOSED, TURNED, or what went wrong. The state before it is in
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
    if status != OK:
        copy_struct(memory.before, state)
        return status
    before = memory.before
    status = ask(g, VELOCITY, t, before.q, before.v, before.a, c, contacts.rate_before)
    if status == OK:
        status = ask(g, POSITION, t_1, state.q, state.v, state.a, c, contacts.gap)
    if status == OK:
        status = ask(g, VELOCITY, t_1, state.q, state.v, state.a, c, contacts.rate)
    if status == OK:
        status = gaps_closed(contacts, t_1 - t)
    return slips_turned(contacts) if status == OK else status


MARCH_WITH = i8(
    MODEL_TYPE, ADDRESS, ADDRESS, PLAN, STATE, MEMORY, COLUMNS, ROWS_TYPE, COUNTERS, MODEL_TYPE, CONTACTS, CONTACT_ROWS
)


@kernel(MARCH_WITH, apart=True)
def march_with_contacts(
    model: Any,
    tables: Any,
    scratch: Any,
    plan: Plan,
    state: State,
    memory: Memory,
    columns: Any,
    rows: Any,
    counters: Counters,
    gap_model: Any,
    contacts: Contacts,
    kept: Any,
) -> int:
    """Go on until contacts.upto steps are done, or something happened in the last one: CLOSED and TURNED
    before it is counted, CHANGED after."""
    while state.step < contacts.upto:
        leg = plan.legs[leg_number(plan, state.step)]
        t_1, saved, closed = time_of(plan, state.step), is_saved(plan, state.step), count_closed(contacts)
        status = step_with_contacts(model, tables, scratch, plan, t_1, state, memory, counters, gap_model, contacts)
        if status != OK:
            return status
        state.step += 1
        counters.steps += 1
        if saved:
            p = by_reference(Physics(model, leg.traits, leg.holonomic, leg.closure, memory.rows, tables, scratch))
            write_contacts(contacts, kept, counters.rows)
            status = save_row(p, leg, t_1, state, memory, columns, rows, counters)
            if status != OK:
                return status
        if count_closed(contacts) != closed:
            return CHANGED
        status = look_into(model, tables, scratch, plan, state, memory)
        if status != OK:
            return status
    return OK
