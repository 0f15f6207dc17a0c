"""One member of an ensemble whose rows depend on each other: a start onto the rows that it enforces,
and a march in blocks, each looked at as a single run does (isodyn.marching.redundant_rows).

Between the two a thread asks Python for what LAPACK decides: the choice of rows, and the multipliers
of the first row (isodyn.marching.ensemble_redundant). A member with a row that needs care is left to
a single run.
"""

from __future__ import annotations

from collections import namedtuple
from typing import Any

from numba import types

from isodyn.kernels.compiled import CONSTRAINT, F2, MODEL_TYPE, OK, F, I, i8, kernel
from isodyn.kernels.struct_types import ADDRESS, address_at
from isodyn.marching.ensemble_loop import (
    COURSE,
    MEMBERS,
    NOT_CLEAR,
    STACK,
    THREAD,
    begin_member,
    onto_constraints,
    rows_of,
    write_counts,
    write_judged,
)
from isodyn.marching.ensemble_run import UNDONE
from isodyn.marching.march import march, write_start
from isodyn.marching.redundant_rows import BLOCK, SHARING, look, share_block
from isodyn.stepping.closure import copy_to
from isodyn.stepping.initial import initial_acceleration
from isodyn.stepping.memory import State

Aside = namedtuple("Aside", "t q v lam")
"""Memory for one row."""
ASIDE = types.NamedTuple((F, F2, F2, F2), Aside)


@kernel(i8(MODEL_TYPE, ADDRESS, COURSE, MEMBERS, THREAD, STACK, i8), nogil=True)
def start_member(model: Any, scratch: Any, course: Any, members: Any, thread: Any, stack: Any, i: int) -> int:
    """Member i onto its rows, with accelerations and multipliers there, and its first row."""
    state, memory, counters, t = thread.state, thread.memory, thread.counters, course.t
    own = i if len(members.tables) > 1 else 0
    thread.cursor[0] = i
    begin_member(i, own, scratch, course, members, thread)
    tables = address_at(members.tables[own])
    status = onto_constraints(model, tables, scratch, course, thread)
    if status != OK:
        return status
    status = initial_acceleration(model, tables, scratch, course.rest, t, state, memory, counters)
    if status != OK:
        return status
    write_start(state, memory, course.columns, rows_of(stack, thread, i), 0)
    counters.rows = 1
    return OK


@kernel()
def state_is_clear(model: Any, tables: Any, scratch: Any, work: Any, one: Any, state: State) -> bool:
    """Whether the state itself, which may lie between saved rows, needs no care."""
    one.t[0] = state.t
    copy_to(state.q, one.q[0])
    copy_to(state.v, one.v[0])
    copy_to(state.lam, one.lam[0])
    return share_block(model, tables, scratch, work, one.t, one.q, one.v, one.lam, 0, 1) < 0


@kernel(i8(MODEL_TYPE, ADDRESS, COURSE, MEMBERS, THREAD, STACK, SHARING, ASIDE, i8[:, ::1], I, i8), nogil=True)
def march_member(
    model: Any,
    scratch: Any,
    course: Any,
    members: Any,
    thread: Any,
    stack: Any,
    work: Any,
    one: Any,
    counts: Any,
    stop: Any,
    i: int,
) -> int:
    """All steps of member i, whose start is in thread.state; `one` is memory for one row."""
    state, memory, counters, plan = thread.state, thread.memory, thread.counters, course.plan
    own = i if len(members.tables) > 1 else 0
    tables, rows = address_at(members.tables[own]), rows_of(stack, thread, i)
    if model(CONSTRAINT, state.t, state.q, state.v, state.v, state.lam, work.c, tables, scratch, work.answer) != OK:
        return NOT_CLEAR
    work.reference = look(work, work.rate)
    if not work.reference >= 0.0 or not state_is_clear(model, tables, scratch, work, one, state):
        return NOT_CLEAR
    while state.step < plan.end:
        written = counters.rows
        upto = min(state.step + BLOCK, plan.end)
        status = march(model, tables, scratch, plan, upto, state, memory, course.columns, rows, counters)
        if status != OK:
            return status
        if share_block(model, tables, scratch, work, rows.t, rows.q, rows.v, rows.lam, written, counters.rows) >= 0:
            return NOT_CLEAR
        saved = counters.rows > 0 and rows.t[counters.rows - 1] == state.t
        if not saved and not state_is_clear(model, tables, scratch, work, one, state):
            return NOT_CLEAR
        if stop[0] != 0 and state.step < plan.end:
            return UNDONE
    write_counts(counters, counts[i])
    write_judged(state, stack.judged[i])
    return OK
