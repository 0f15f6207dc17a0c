"""Members of an ensemble whose rows depend on each other, one after the other without Python in
between: the choice of rows, a start onto those that are enforced, and a march that looks at rows as
a single run does (isodyn.marching.redundant_rows).

The memory of a thread is made for one choice of rows. A member with another choice ends the loop,
which goes on with memory for that. Members whose choice is not beyond doubt, or with a row that
needs care, are left to single runs.
"""

from __future__ import annotations

from math import frexp, ldexp
from typing import TYPE_CHECKING

from isodyn.kernels.compiled import MODEL_TYPE, OK, FloatArray, I, IntArray, ModelFunction, i8, kernel
from isodyn.kernels.struct_types import ADDRESS, address_at
from isodyn.linear_solvers.row_pivots import pivot_rows
from isodyn.linear_solvers.rows import TOLERANCE, WORN
from isodyn.marching.enforced_rows import SAME_ROWS
from isodyn.marching.ensemble_loop import (
    COURSE,
    MEMBERS,
    NOT_CLEAR,
    STACK,
    THREAD,
    Course,
    Members,
    Stack,
    Thread,
    ask_rows,
    begin_member,
    onto_constraints,
    rows_of,
    write_counts,
    write_judged,
)
from isodyn.marching.ensemble_run import UNDONE
from isodyn.marching.march import SavedRows, write_start
from isodyn.marching.redundant_rows import BLOCK, DOUBT, EXCHANGE, SHARING, Sharing, look, look_at, march_sharing
from isodyn.stepping.closure import copy_to
from isodyn.stepping.initial import initial_acceleration
from isodyn.systems.scales import HALF

if TYPE_CHECKING:
    from isodyn.kernels.struct import StructAddress

# pivots beside the largest: those of enforced rows, and of rows that follow from them, beyond doubt
INDEPENDENT, DEPENDENT = 1e-4, 1e-9
OTHER_ROWS = 201  # status of a member that enforces other rows than this memory is made for


@kernel()
def choose_clearly(G: FloatArray, work: Sharing) -> bool:
    """The rows to enforce, into work.order and work.found; whether nobody could choose another
    number of them. G is used up."""
    left, m = work.remainders, work.remainders.size
    pivot_rows(G, work.order, left, work.squares)
    rank = 0
    while rank < m and left[rank] > TOLERANCE * left[0]:
        rank += 1
    work.found = rank
    return 0 < rank < m and left[rank - 1] > INDEPENDENT * left[0] and left[rank] < DEPENDENT * left[0]


@kernel()
def are_enforced(work: Sharing) -> bool:
    """Whether the rows that were found are those that memory is made for."""
    if work.found != work.chosen.size:
        return False
    for k in range(work.found):
        known = False
        for i in range(work.chosen.size):
            known = known or work.chosen[i] == work.order[k]
        if not known:
            return False
    return True


@kernel()
def has_moved(q: FloatArray, now: FloatArray, by: FloatArray) -> bool:
    """Whether the start has moved so far that rows should be chosen again, as
    isodyn.marching.enforced_rows sees it."""
    change, size = 0.0, 0.0
    for i in range(q.size):
        change, size = max(change, abs(now[i] - q[i]) * by[i]), max(size, abs(now[i]) * by[i])
    return change > SAME_ROWS * size


@kernel()
def power_of_two(x: float) -> float:
    """The power of two nearest to x > 0 (isodyn.systems.scales)."""
    mantissa, exponent = frexp(x)
    return ldexp(1.0, exponent - 1 if mantissa < HALF else exponent)


@kernel()
def sizes_from(G: FloatArray, sizes: FloatArray) -> None:
    """Sizes of rows by their largest entries (isodyn.systems.scales); rows of nothing get the
    largest of the others."""
    largest = 0.0
    for k in range(sizes.size):
        sizes[k] = 0.0
        for j in range(G.shape[1]):
            sizes[k] = max(sizes[k], abs(G[k, j]))
        largest = max(largest, sizes[k])
    for k in range(sizes.size):
        found = sizes[k] if sizes[k] > 0.0 else largest
        sizes[k] = power_of_two(found) if found > 0.0 else 1.0


@kernel()
def put_sizes(members: Members, own: int, course: Course, G: FloatArray, work: Sharing) -> None:
    """Typical sizes of a member in what a pass needs, with G at its state in typical sizes."""
    units = members.units[own]
    sizes_from(G, work.gap_sizes)
    for k in range(units.size):
        known = units[k] > 0.0
        work.units[k] = units[k] if known else 1.0
        if known:
            work.gap_sizes[k] = units[k]
        for e in range(course.G_starts[k], course.G_starts[k + 1]):
            work.scales[e] = members.sizes[own, course.G_columns[e]] / work.units[k]
    for i in range(work.size_q.size):
        work.size_q[i] = 1.0 / members.by_q[own, i]
    for i in range(work.size_v.size):
        work.size_v[i] = 1.0 / members.by_v[own, i]


@kernel()
def start_sharing(
    model: ModelFunction,
    tables: StructAddress,
    scratch: StructAddress,
    course: Course,
    members: Members,
    thread: Thread,
    work: Sharing,
    own: int,
    i: int,
) -> int:
    """A member onto its rows, with accelerations and multipliers there, and sizes for the march."""
    state, memory, counters = thread.state, thread.memory, thread.counters
    if not ask_rows(model, tables, scratch, course, thread, work.c, work.answer) or not choose_clearly(thread.G, work):
        return NOT_CLEAR
    if not are_enforced(work):
        return OTHER_ROWS
    status = onto_constraints(model, tables, scratch, course, thread)
    if status != OK:
        return status
    status = initial_acceleration(model, tables, scratch, course.rest, course.t, state, memory, counters)
    if status != OK:
        return status
    if not ask_rows(model, tables, scratch, course, thread, work.c, work.answer):
        return NOT_CLEAR
    put_sizes(members, own, course, thread.G, work)
    if has_moved(members.q0[i], state.q, memory.by_q):
        return OK if choose_clearly(thread.G, work) and are_enforced(work) else NOT_CLEAR
    return OK


@kernel()
def first_row(
    model: ModelFunction,
    tables: StructAddress,
    scratch: StructAddress,
    course: Course,
    thread: Thread,
    work: Sharing,
    rows: SavedRows,
) -> int:
    """The first row of a member, G at its state being in work.answer."""
    state, lam = thread.state, rows.lam[0]
    write_start(state, thread.memory, course.columns, rows, 0)
    thread.counters.rows = 1
    copy_to(state.lam, lam)
    work.reference = 0.0
    work.reference = look(work, lam)
    if not work.reference >= WORN or look_at(model, tables, scratch, work, state) != OK:
        return NOT_CLEAR
    return OK


@kernel()
def one_sharing(
    model: ModelFunction,
    tables: StructAddress,
    scratch: StructAddress,
    course: Course,
    members: Members,
    thread: Thread,
    work: Sharing,
    rows: SavedRows,
    stop: IntArray,
    own: int,
    i: int,
) -> int:
    """All steps of the member whose start is in thread.state."""
    state, memory, counters, plan = thread.state, thread.memory, thread.counters, course.plan
    status = start_sharing(model, tables, scratch, course, members, thread, work, own, i)
    if status == OK:
        status = first_row(model, tables, scratch, course, thread, work, rows)
    while status == OK and state.step < plan.end:
        upto = min(state.step + BLOCK, plan.end)
        status = march_sharing(model, tables, scratch, plan, upto, state, memory, course.columns, rows, counters, work)
        if status == OK and stop[0] != 0 and state.step < plan.end:
            return UNDONE
    return NOT_CLEAR if status in (DOUBT, EXCHANGE) else status


@kernel(
    i8(MODEL_TYPE, ADDRESS, COURSE, MEMBERS, THREAD, SHARING, STACK, i8[:, ::1], I, i8, i8, I),
    nogil=True,
)
def run_sharing(
    model: ModelFunction,
    scratch: StructAddress,
    course: Course,
    members: Members,
    thread: Thread,
    work: Sharing,
    stack: Stack,
    counts: IntArray,
    statuses: IntArray,
    first: int,
    last: int,
    stop: IntArray,
) -> int:
    """Members first … last − 1, their rows into `stack`, what became of them into `statuses`;
    `stop` ends it. Returns the first member that was not looked at: `last`, or the one whose choice
    of rows is another."""
    for i in range(first, last):
        if stop[0] != 0:
            return last
        if statuses[i] != UNDONE:
            continue
        thread.cursor[0] = i
        own = i if len(members.tables) > 1 else 0
        begin_member(i, own, scratch, course, members, thread)
        tables, rows = address_at(members.tables[own]), rows_of(stack, thread, i)
        status = one_sharing(model, tables, scratch, course, members, thread, work, rows, stop, own, i)
        if status == OTHER_ROWS:
            return i
        statuses[i] = status
        write_counts(thread.counters, counts[i])
        write_judged(thread.state, stack.judged[i])
    return last
