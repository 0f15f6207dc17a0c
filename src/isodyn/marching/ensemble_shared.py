"""One member of an ensemble whose rows depend on each other: a start onto the rows that it enforces,
and a march that looks at its rows as a single run does (isodyn.marching.redundant_rows).

Between the two a thread asks Python for what LAPACK decides: the choice of rows, and the multipliers
of the first row (isodyn.marching.ensemble_redundant). A member with a row that needs care is left to
a single run.
"""

from __future__ import annotations

from typing import Any

from isodyn.kernels.compiled import CONSTRAINT, MODEL_TYPE, OK, I, i8, kernel
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
from isodyn.marching.march import write_start
from isodyn.marching.redundant_rows import BLOCK, DOUBT, EXCHANGE, SHARING, look, look_at, march_sharing
from isodyn.stepping.initial import initial_acceleration


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


@kernel(i8(MODEL_TYPE, ADDRESS, COURSE, MEMBERS, THREAD, STACK, SHARING, i8[:, ::1], I, i8), nogil=True)
def march_member(
    model: Any,
    scratch: Any,
    course: Any,
    members: Any,
    thread: Any,
    stack: Any,
    work: Any,
    counts: Any,
    stop: Any,
    i: int,
) -> int:
    """All steps of member i, whose start is in thread.state."""
    state, memory, counters, plan = thread.state, thread.memory, thread.counters, course.plan
    own = i if len(members.tables) > 1 else 0
    tables, rows = address_at(members.tables[own]), rows_of(stack, thread, i)
    if model(CONSTRAINT, state.t, state.q, state.v, state.v, state.lam, work.c, tables, scratch, work.answer) != OK:
        return NOT_CLEAR
    work.reference = look(work, work.rate)
    if not work.reference >= 0.0 or look_at(model, tables, scratch, work, state) != OK:
        return NOT_CLEAR
    while state.step < plan.end:
        upto = min(state.step + BLOCK, plan.end)
        status = march_sharing(model, tables, scratch, plan, upto, state, memory, course.columns, rows, counters, work)
        if status != OK:
            return NOT_CLEAR if status in (DOUBT, EXCHANGE) else status
        if stop[0] != 0 and state.step < plan.end:
            return UNDONE
    write_counts(counters, counts[i])
    write_judged(state, stack.judged[i])
    return OK
