"""The loop of `isodyn.integrate.loop` for one member of an ensemble after the other, without Python in between.

A member starts as a single run does: onto the constraints, accelerations, the first step by the trapezoidal member, the rest by the scheme;
the kernels are the same and are called in the same order on cleared memory, so the numbers are the same. What a single run decides in
Python is decided here only where it is beyond doubt: a start on the constraints, rows that are clearly independent. Every other member,
and every one whose steps fail, gets a status and is left to a single run, which knows what to do and what to say.

The step comes in as a function and is not compiled a second time. The global interpreter lock is released: threads share the members.
"""

from __future__ import annotations

from collections import namedtuple
from typing import Any

import numpy as np
from numba import types

from isodyn.compiled import (
    CLOSURE,
    COEFFICIENTS,
    CONSTRAINT,
    F2,
    MODEL_TYPE,
    OK,
    POSITION,
    STATE,
    VELOCITY,
    F,
    FloatArray,
    I,
    IntArray,
    f8,
    i8,
    kernel,
)
from isodyn.integrate.closure import copy_to, fill_with, measure, measure_rows
from isodyn.integrate.ensemble_run import UNDONE
from isodyn.integrate.initial import INITIAL_ACCELERATION, NEAREST_CONSISTENT
from isodyn.integrate.loop import COLUMNS, RUN, SavedRows, balance_at_start, shift, write_row
from isodyn.integrate.work import CONTROLS, GAP_Q, GAP_V, NEAREST, ROWS, U_MOST, WHEN, WORK

NOT_CLEAR = 200  # status of a member that is better left to a single run
ON_CONSTRAINTS = 1e-7  # gaps below this, relative, are accepted by every single run
CLEAR = 1e-4  # rows with larger pivots than this, relative, are independent beyond doubt (isodyn.linear_solvers.rows)
BLOCK = 32  # steps between two looks at the stop sign

RUN_TYPE, NEAREST_TYPE, ACCELERATION_TYPE = (
    types.FunctionType(signature) for signature in (RUN, NEAREST_CONSISTENT, INITIAL_ACCELERATION)
)

Course = namedtuple("Course", "first_closure closure starting main controls")
"""How all members are integrated."""
COURSE = types.NamedTuple((CLOSURE, CLOSURE, COEFFICIENTS, COEFFICIENTS, CONTROLS), Course)

Members = namedtuple("Members", "q0 v0 pf by_q by_v rows sizes inertia")
"""Starts, numbers and weights (isodyn.systems.scales), a row for each member; one row of all but starts when they have the same."""
MEMBERS = types.NamedUniTuple(F2, 8, Members)

Memory = namedtuple("Memory", "pf G t cursor")
"""A thread's own numbers of the model, constraint matrix, times of rows, and the member in hand."""
MEMORY = types.NamedTuple((F, F2, F, I), Memory)

Pattern = namedtuple("Pattern", "starts columns fresh_pivots")
"""Where the entries of G are (CSR), and integers of the linear solver before a run."""
PATTERN = types.NamedUniTuple(I, 3, Pattern)

Stack = namedtuple("Stack", "q v a lam mu nu balance_t balance_q balance_v judged")
"""Rows of all members; and of each, largest changes and local errors of its components (isodyn.integrate.local_error)."""
STACK = types.NamedUniTuple(f8[:, :, ::1], 10, Stack)


@kernel(types.boolean(F2), allocates=True)
def clearly_independent(G: FloatArray) -> bool:
    """Whether all rows of G, scaled to unit length, keep a part of at least CLEAR of their own; G is used up.

    Modified Gram–Schmidt, the longest remainder first: its lengths are the pivots of a rank-revealing QR of Gᵀ.
    """
    m, n = G.shape
    for i in range(m):
        length = np.sqrt((G[i] * G[i]).sum())
        if not length > 0.0:
            return False
        for j in range(n):
            G[i, j] /= length
    for k in range(m):
        longest, best = k, -1.0
        for i in range(k, m):
            square = 0.0
            for j in range(n):
                square += G[i, j] * G[i, j]
            if square > best:
                longest, best = i, square
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
def clear(w: Any) -> None:
    """Memory as it is allocated, but for w.N: a basis that is made before it is used, or a constant."""
    for rows in (w.n, w.q, w.m, w.s):
        for i in range(rows.shape[0]):
            fill_with(rows[i], 0.0)
    for vector in (w.G, w.G_1, w.J_11, w.J, w.J_S, w.levels, w.key, w.fault, w.scale, w.c, w.past):
        fill_with(vector, 0.0)
    w.near[NEAREST], w.near[WHEN] = 1.0, 0.0


@kernel()
def beyond_doubt(
    model: Any, pf: FloatArray, pi: IntArray, t: float, slowest: float, state: Any, w: Any, pattern: Any, G: FloatArray
) -> bool:
    """Whether q and v are on the constraints, and their rows independent, so that no single run would see it otherwise."""
    c, q, v = w.c, state.q, state.v
    if model(POSITION, t, q, v, v, state.lam, c, pf, pi, w.m[GAP_Q]) != OK:
        return False
    if model(VELOCITY, t, q, v, v, state.lam, c, pf, pi, w.m[GAP_V]) != OK:
        return False
    fast, m = max(slowest, measure(v, w.by_v)), w.m[GAP_V].size
    if not measure_rows(w.m[GAP_Q], w.rows, m) <= ON_CONSTRAINTS:
        return False
    if not measure_rows(w.m[GAP_V], w.rows, m) <= ON_CONSTRAINTS * fast:
        return False
    return independent(model, pf, pi, t, state, w, pattern, G)


@kernel()
def independent(
    model: Any, pf: FloatArray, pi: IntArray, t: float, state: Any, w: Any, pattern: Any, G: FloatArray
) -> bool:
    """Whether the constraint rows are clearly independent at the state."""
    if model(CONSTRAINT, t, state.q, state.v, state.v, state.lam, w.c, pf, pi, w.G) != OK:
        return False
    for i in range(G.shape[0]):
        fill_with(G[i], 0.0)
        for k in range(pattern.starts[i], pattern.starts[i + 1]):
            G[i, pattern.columns[k]] += w.G[k] * w.sizes[pattern.columns[k]]
    return clearly_independent(G)


@kernel()
def one_member(
    run: Any,
    nearest: Any,
    acceleration: Any,
    model: Any,
    traits: int,
    holonomic: int,
    chosen: Any,
    pf: FloatArray,
    pi: IntArray,
    course: Any,
    pattern: Any,
    t: float,
    times: Any,
    save: Any,
    state: Any,
    w: Any,
    pivots: Any,
    columns: Any,
    rows: Any,
    count: Any,
    G: FloatArray,
    stop: Any,
) -> int:
    """All steps of the member whose start is in `state`."""
    closure, controls = course.closure, course.controls
    if chosen.size > 0:
        if not beyond_doubt(model, pf, pi, t, 1.0 / (times[times.size - 1] - t), state, w, pattern, G):
            return NOT_CLEAR
        clear(w)
        status = nearest(model, traits, holonomic, closure, chosen, pf, pi, t, state, w, pivots)
        if status != OK:
            return status
        if not independent(model, pf, pi, t, state, w, pattern, G):
            return NOT_CLEAR
    status = acceleration(model, traits, holonomic, closure, chosen, pf, pi, t, state, w, pivots, controls, count)
    if status != OK:
        return status
    balance_at_start(state, w)
    write_row(0.0, state, w, columns, rows, 0)
    count[ROWS] = 1
    end = times.size
    begin = 0
    while begin < end:
        s, close = course.main, closure
        last = min(begin + BLOCK, end)
        if begin == 0:
            s, close, last = course.starting, course.first_closure, 1
        status = run(
            model,
            traits,
            holonomic,
            close,
            chosen,
            pf,
            pi,
            s,
            controls,
            np.inf,
            times[begin:last],
            save[begin:last],
            state,
            w,
            pivots,
            columns,
            rows,
            count,
        )
        if status != OK:
            return status
        if begin == 0:
            shift(state, -course.main.phi)
        if stop[0] != 0:
            return UNDONE
        begin = last
    return OK


@kernel(
    types.void(
        RUN_TYPE,
        NEAREST_TYPE,
        ACCELERATION_TYPE,
        MODEL_TYPE,
        i8,
        i8,
        I,
        I,
        COURSE,
        PATTERN,
        MEMBERS,
        f8,
        F,
        types.boolean[::1],
        STATE,
        WORK,
        I,
        COLUMNS,
        MEMORY,
        STACK,
        i8[:, ::1],
        I,
        i8,
        i8,
        I,
    ),
    nogil=True,
)
def run_members(
    run: Any,
    nearest: Any,
    acceleration: Any,
    model: Any,
    traits: int,
    holonomic: int,
    chosen: Any,
    pi: Any,
    course: Any,
    pattern: Any,
    members: Any,
    t: float,
    times: Any,
    save: Any,
    state: Any,
    w: Any,
    pivots: Any,
    columns: Any,
    memory: Any,
    stack: Any,
    counts: Any,
    statuses: Any,
    first: int,
    last: int,
    stop: Any,
) -> None:
    """Members first … last − 1, their rows into `stack`, what became of them into `statuses`; `stop` ends it."""
    for i in range(first, last):
        if statuses[i] != UNDONE:
            continue
        memory.cursor[0] = i
        state.clock[0], state.clock[1] = t, 0.0
        copy_to(members.q0[i], state.q)
        copy_to(members.v0[i], state.v)
        fill_with(state.a, 0.0)
        fill_with(state.lam, 0.0)
        fill_with(state.da, 0.0)
        clear(w)
        own = i if members.pf.shape[0] > 1 else 0
        copy_to(members.pf[own], memory.pf)
        copy_to(members.by_q[own], w.by_q)
        copy_to(members.by_v[own], w.by_v)
        copy_to(members.rows[own], w.rows)
        copy_to(members.sizes[own], w.sizes)
        copy_to(members.inertia[own], w.inertia)
        for k in range(pivots.size):
            pivots[k] = pattern.fresh_pivots[k]
        rows = SavedRows(
            memory.t,
            stack.q[i],
            stack.v[i],
            stack.a[i],
            stack.lam[i],
            stack.mu[i],
            stack.nu[i],
            stack.balance_t[i],
            stack.balance_q[i],
            stack.balance_v[i],
        )
        statuses[i] = one_member(
            run,
            nearest,
            acceleration,
            model,
            traits,
            holonomic,
            chosen,
            memory.pf,
            pi,
            course,
            pattern,
            t,
            times,
            save,
            state,
            w,
            pivots,
            columns,
            rows,
            counts[i],
            memory.G,
            stop,
        )
        for k in range(stack.judged.shape[1]):
            copy_to(w.n[U_MOST + k], stack.judged[i, k])
        if stop[0] != 0:
            break
