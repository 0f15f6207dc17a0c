"""The march for one member of an ensemble after the other, without Python in between.

A member starts as a single run does: onto the constraints, accelerations, then the march along the
same plan; the kernels are the same and are called in the same order on cleared memory, so the
numbers are the same. What a single run decides in Python is decided
here only where it is beyond doubt: a start on the constraints, rows that are clearly independent.
Every other member, and every one whose steps fail, gets a status and is left to a single run, which
knows what to do and what to say.

The march is called at its address and is not compiled a second time. The global interpreter lock is
released: threads share the members.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from numba import types

from isodyn.kernels.compiled import (
    CONSTRAINT,
    COUNTS_TURNS,
    F2,
    MODEL_TYPE,
    OK,
    POSITION,
    RETRACTS,
    VELOCITY,
    F,
    FloatArray,
    I,
    IntArray,
    ModelFunction,
    f8,
    i8,
    kernel,
)
from isodyn.kernels.struct_types import ADDRESS, address_at, copy_struct
from isodyn.marching.ensemble_run import UNDONE
from isodyn.marching.march import COLUMNS, Columns, SavedRows, march, write_start
from isodyn.stepping.closure import copy_to, fill_with, measure, measure_rows
from isodyn.stepping.initial import initial_acceleration, nearest_consistent
from isodyn.stepping.memory import COUNTERS, LEG, MEMORY, PLAN, ROUNDING, STATE, Counters, Leg, Memory, Plan, State

if TYPE_CHECKING:
    from collections.abc import Sequence

    from isodyn.kernels.struct import Struct, StructAddress

NOT_CLEAR = 200  # status of a member that is better left to a single run
ON_CONSTRAINTS = 1e-7  # gaps below this, relative, are accepted by every single run
# rows with larger pivots than this, relative, are independent beyond doubt
# (isodyn.linear_solvers.rows)
CLEAR = 1e-4
BLOCK = 32  # steps between two looks at the stop sign


class Course(NamedTuple):
    """How all members are integrated: from when, a leg for the start, the plan, saved columns, and
    where the entries of G are (CSR)."""

    t: float
    rest: Leg
    plan: Plan
    columns: Columns
    G_starts: IntArray
    G_columns: IntArray


COURSE = types.NamedTuple((f8, LEG, PLAN, COLUMNS, I, I), Course)


class Members(NamedTuple):
    """Starts, addresses of tables and scratch of the models, weights (isodyn.systems.scales), and
    the known sizes of rows, zero where they are not: a row for each member; one row of all but
    starts when they have the same."""

    q0: FloatArray
    v0: FloatArray
    tables: Sequence[Struct] | IntArray
    scratch: Sequence[Struct] | IntArray
    by_q: FloatArray
    by_v: FloatArray
    rows: FloatArray
    sizes: FloatArray
    inertia: FloatArray
    units: FloatArray


MEMBERS = types.NamedTuple((F2, F2, I, I, F2, F2, F2, F2, F2, F2), Members)


class Thread(NamedTuple):
    """A thread's own memory, the same as it is before a run, constraint matrix, times of rows, the
    member in hand."""

    state: State
    memory: Memory
    counters: Counters
    fresh_state: State
    fresh_memory: Memory
    fresh_counters: Counters
    G: FloatArray
    t: FloatArray
    cursor: IntArray


THREAD = types.NamedTuple((STATE, MEMORY, COUNTERS, STATE, MEMORY, COUNTERS, F2, F, I), Thread)


class Stack(NamedTuple):
    """Rows of all members; and of each, largest changes and local errors of its components
    (isodyn.stepping.local_error)."""

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
    judged: FloatArray


STACK = types.NamedUniTuple(f8[:, :, ::1], 11, Stack)


@kernel()
def longest_row(G: FloatArray, first: int) -> tuple[int, float]:
    """The longest row of G from `first` on, and the square of its length."""
    longest, best = first, -1.0
    for i in range(first, G.shape[0]):
        square = 0.0
        for j in range(G.shape[1]):
            square += G[i, j] * G[i, j]
        if square > best:
            longest, best = i, square
    return longest, best


@kernel(types.boolean(F2), allocates=True)
def clearly_independent(G: FloatArray) -> bool:
    """Whether all rows of G, scaled to unit length, keep a part of at least CLEAR of their own; G
    is used up.

    Modified Gram–Schmidt, the longest remainder first: its lengths are the pivots of a
    rank-revealing QR of Gᵀ.
    """
    m, n = G.shape
    for i in range(m):
        length = np.sqrt((G[i] * G[i]).sum())
        if not length > 0.0:
            return False
        for j in range(n):
            G[i, j] /= length
    for k in range(m):
        longest, best = longest_row(G, k)
        if not best > CLEAR * CLEAR:
            return False
        for j in range(n):
            G[k, j], G[longest, j] = G[longest, j], G[k, j]
        for i in range(k + 1, m):
            along = 0.0
            for j in range(n):
                along += G[k, j] * G[i, j]
            for j in range(n):
                G[i, j] -= along / best * G[k, j]
    return True


@kernel()
def is_clearly_consistent(
    model: ModelFunction, tables: StructAddress, scratch: StructAddress, course: Course, thread: Thread
) -> bool:
    """True if q and v satisfy the constraints, by such a margin that a single run sees it too."""
    state, memory, t = thread.state, thread.memory, course.t
    c, q, v = memory.c, state.q, state.v
    if model(POSITION, t, q, v, v, state.lam, c, tables, scratch, memory.gap_q) != OK:
        return False
    if model(VELOCITY, t, q, v, v, state.lam, c, tables, scratch, memory.gap_v) != OK:
        return False
    slowest = 1.0 / (course.plan.t_stop - t)
    fast, m = max(slowest, measure(v, memory.by_v)), memory.gap_v.size
    if not measure_rows(memory.gap_q, memory.row_sizes, m) <= ON_CONSTRAINTS:
        return False
    return measure_rows(memory.gap_v, memory.row_sizes, m) <= ON_CONSTRAINTS * fast


@kernel()
def measure_enforced(gap: FloatArray, memory: Memory, last: int) -> float:
    """Largest gap of the enforced rows before `last`, each in units of its own size."""
    found = 0.0
    for k in range(memory.rows.size):
        row = memory.rows[k]
        if row < last:
            found = max(found, abs(gap[row]) / memory.row_sizes[row])
    return found


@kernel()
def is_exact(course: Course, thread: Thread) -> bool:
    """Whether the gaps that `is_clearly_consistent` found are rounding, as
    isodyn.marching.start.is_consistent sees it."""
    state, memory = thread.state, thread.memory
    if course.rest.traits & (RETRACTS | COUNTS_TURNS):
        return False
    fast, m = max(1.0 / (course.plan.t_stop - course.t), measure(state.v, memory.by_v)), memory.gap_v.size
    far = max(1.0, measure(state.q, memory.by_q))
    by_q = measure_enforced(memory.gap_q, memory, course.rest.holonomic)
    return by_q <= ROUNDING * far and measure_enforced(memory.gap_v, memory, m) <= ROUNDING * fast


@kernel()
def onto_constraints(
    model: ModelFunction, tables: StructAddress, scratch: StructAddress, course: Course, thread: Thread
) -> int:
    """Move a start onto the enforced rows, as a single run does; NOT_CLEAR where that has to be
    thought about."""
    memory = thread.memory
    if not is_clearly_consistent(model, tables, scratch, course, thread):
        return NOT_CLEAR
    exact = is_exact(course, thread)
    copy_struct(thread.fresh_memory, memory)
    return OK if exact else nearest_consistent(model, tables, scratch, course.rest, course.t, thread.state, memory)


@kernel()
def ask_rows(
    model: ModelFunction,
    tables: StructAddress,
    scratch: StructAddress,
    course: Course,
    thread: Thread,
    c: FloatArray,
    answer: FloatArray,
) -> bool:
    """G at the state into `answer`, and in typical sizes into thread.G; whether there is one."""
    state, G, columns, sizes = thread.state, thread.G, course.G_columns, thread.memory.unknown_sizes
    if model(CONSTRAINT, course.t, state.q, state.v, state.v, state.lam, c, tables, scratch, answer) != OK:
        return False
    for i in range(G.shape[0]):
        fill_with(G[i], 0.0)
        for k in range(course.G_starts[i], course.G_starts[i + 1]):
            G[i, columns[k]] += answer[k] * sizes[columns[k]]
    return True


@kernel()
def independent(
    model: ModelFunction, tables: StructAddress, scratch: StructAddress, course: Course, thread: Thread
) -> bool:
    """Whether the constraint rows are clearly independent at the state."""
    memory = thread.memory
    return ask_rows(model, tables, scratch, course, thread, memory.c, memory.G) and clearly_independent(thread.G)


@kernel()
def one_member(
    model: ModelFunction,
    tables: StructAddress,
    scratch: StructAddress,
    course: Course,
    thread: Thread,
    rows: SavedRows,
    stop: IntArray,
) -> int:
    """All steps of the member whose start is in thread.state."""
    state, memory, counters, t = thread.state, thread.memory, thread.counters, course.t
    rest, plan, columns = course.rest, course.plan, course.columns
    if memory.rows.size > 0:
        if not independent(model, tables, scratch, course, thread):
            return NOT_CLEAR
        status = onto_constraints(model, tables, scratch, course, thread)
        if status != OK:
            return status
        if not independent(model, tables, scratch, course, thread):
            return NOT_CLEAR
    status = initial_acceleration(model, tables, scratch, rest, t, state, memory, counters)
    if status != OK:
        return status
    write_start(state, memory, columns, rows, 0)
    counters.rows = 1
    while state.step < plan.end:
        upto = min(state.step + BLOCK, plan.end)
        status = march(model, tables, scratch, plan, upto, state, memory, columns, rows, counters)
        if status != OK:
            return status
        if stop[0] != 0:
            return UNDONE
    return OK


@kernel()
def begin_member(i: int, own: int, scratch: StructAddress, course: Course, members: Members, thread: Thread) -> None:
    """Start, scratch and weights of a member, in their rows i and `own`, into the memory of a
    thread, which is as before any run otherwise."""
    state, fresh = thread.state, thread.fresh_memory
    copy_struct(address_at(members.scratch[own]), scratch)
    copy_to(members.by_q[own], fresh.by_q)
    copy_to(members.by_v[own], fresh.by_v)
    copy_to(members.rows[own], fresh.row_sizes)
    n = fresh.by_v.size
    for k in range(n):
        fresh.unknown_sizes[k] = members.sizes[own, k]
    for k in range(fresh.rows.size):
        fresh.unknown_sizes[n + k] = members.sizes[own, n + fresh.rows[k]]
    fresh.inertia = members.inertia[own, 0]
    copy_struct(fresh, thread.memory)
    copy_struct(thread.fresh_state, state)
    copy_struct(thread.fresh_counters, thread.counters)
    state.t = course.t
    copy_to(members.q0[i], state.q)
    copy_to(members.v0[i], state.v)


@kernel()
def write_counts(counters: Counters, out: IntArray) -> None:
    """Counters of a member, in the order of isodyn.stepping.memory.COUNTED."""
    counted = (
        counters.steps,
        counters.iterations,
        counters.evaluations,
        counters.factorisations,
        counters.halvings,
        counters.round_off_stops,
        counters.rescues,
        counters.repivots,
        counters.fallbacks,
        counters.projections,
    )
    for i in range(out.size):
        out[i] = counted[i]


@kernel()
def write_judged(state: State, judged: FloatArray) -> None:
    """What the local errors of a member are told by."""
    copy_to(state.most_change, judged[0])
    copy_to(state.most_v, judged[1])
    copy_to(state.error_q, judged[2])
    copy_to(state.error_v, judged[3])
    copy_to(state.error_q_at, judged[4])
    copy_to(state.error_v_at, judged[5])


@kernel()
def rows_of(stack: Stack, thread: Thread, i: int) -> SavedRows:
    """The rows of one member."""
    return SavedRows(
        thread.t,
        stack.q[i],
        stack.v[i],
        stack.a[i],
        stack.lam[i],
        stack.mu[i],
        stack.nu[i],
        stack.balance_t[i],
        stack.balance_q[i],
        stack.balance_v[i],
        stack.step_error[i],
    )


@kernel(
    types.void(MODEL_TYPE, ADDRESS, COURSE, MEMBERS, THREAD, STACK, i8[:, ::1], I, i8, i8, I),
    nogil=True,
)
def run_members(
    model: ModelFunction,
    scratch: StructAddress,
    course: Course,
    members: Members,
    thread: Thread,
    stack: Stack,
    counts: IntArray,
    statuses: IntArray,
    first: int,
    last: int,
    stop: IntArray,
) -> None:
    """Members first … last − 1, their rows into `stack`, what became of them into `statuses`;
    `stop` ends it."""
    for i in range(first, last):
        if statuses[i] != UNDONE:
            continue
        thread.cursor[0] = i
        own = i if len(members.tables) > 1 else 0
        begin_member(i, own, scratch, course, members, thread)
        rows = rows_of(stack, thread, i)
        statuses[i] = one_member(model, address_at(members.tables[own]), scratch, course, thread, rows, stop)
        write_counts(thread.counters, counts[i])
        write_judged(thread.state, stack.judged[i])
        if stop[0] != 0:
            break
