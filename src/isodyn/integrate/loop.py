"""The only loop: steps along given times, and writes the rows that were asked for.

Kept apart from everything that is not arithmetic: progress, interrupts, restarts and messages belong to the driver, which calls
this for a block of steps at a time.

Formulations that close at the balance know λ there. What is saved at t_n are the multipliers of the state itself, M a + Gᵀλ = Q with the
formulation's own closure at (q_n, v_n), computed for saved rows only; the acceleration is the one of the scheme, as everywhere.
"""

from __future__ import annotations

from collections import namedtuple
from typing import Any

from numba import types

from isodyn.compiled import (
    CLOSURE,
    COEFFICIENTS,
    F2,
    MODEL_TYPE,
    OK,
    RAISED,
    STATE,
    WRONG_SHAPE,
    F,
    I,
    Physics,
    State,
    f8,
    i8,
    kernel,
)
from isodyn.integrate.closeness import watch_rank
from isodyn.integrate.closure import copy_to
from isodyn.integrate.initial import PATIENCE, acceleration
from isodyn.integrate.step import advance
from isodyn.integrate.work import (
    CONTROLS,
    ITERATIONS,
    LAM_1,
    MU,
    NEAREST,
    NU,
    Q_B,
    ROWS,
    STEPS,
    T_B,
    V_B,
    WHEN,
    WORK,
)
from isodyn.lowering import by_reference

SavedRows = namedtuple("SavedRows", "t q v a lam mu nu balance_t balance_q balance_v")
"""Saved rows of a run, preallocated; the last three hold the states at the last two balances, one behind the other, where they are kept."""
ROWS_TYPE = types.NamedTuple((F,) + (F2,) * 9, SavedRows)

Columns = namedtuple("Columns", "q v a lam")
"""Which components are saved."""
COLUMNS = types.NamedUniTuple(I, 4, Columns)


@kernel(types.void(f8, STATE, WORK, COLUMNS, ROWS_TYPE, i8))
def write_row(phi: float, state: Any, w: Any, columns: Any, rows: Any, k: int) -> None:
    """Row k: the state at t_n, the acceleration brought to t_n, (1 + φ) a_n − φ a_{n−1} = a_n + φ Δa."""
    rows.t[k] = state.clock[0]
    for j in range(columns.q.size):
        rows.q[k, j] = state.q[columns.q[j]]
    for j in range(columns.v.size):
        rows.v[k, j] = state.v[columns.v[j]]
    for j in range(columns.a.size):
        i = columns.a[j]
        rows.a[k, j] = state.a[i] + phi * state.da[i]  # [Shimada2014 (2.75)]
    for j in range(columns.lam.size):
        rows.lam[k, j] = state.lam[columns.lam[j]]
    for j in range(rows.mu.shape[1]):
        rows.mu[k, j] = w.m[MU, j]
    for j in range(rows.nu.shape[1]):
        rows.nu[k, j] = w.m[NU, j]
    if rows.balance_t.shape[1] > 0:
        nq, nv = state.q.size, state.v.size
        for b in range(2):
            rows.balance_t[k, b] = w.past[T_B + b]
            for j in range(nq):
                rows.balance_q[k, b * nq + j] = w.q[Q_B + b, j]
            for j in range(nv):
                rows.balance_v[k, b * nv + j] = w.n[V_B + b, j]


@kernel(types.void(STATE, WORK))
def balance_at_start(state: Any, w: Any) -> None:
    """At a start the balance holds at the state itself."""
    for b in range(2):
        w.past[T_B + b] = state.clock[0]
        copy_to(state.q, w.q[Q_B + b])
        copy_to(state.v, w.n[V_B + b])


@kernel()
def show_multipliers(p: Any, t: float, state: Any, w: Any, pivots: Any, controls: Any, count: Any) -> int:
    """w.there.lam as saved: the carried ones, or those of the state; where rows lose rank just there, the carried ones again."""
    carried, there = state.lam, w.there
    copy_to(carried, there.lam)
    copy_to(carried, w.m[LAM_1])
    if p.closure.at_balance == 0:
        return OK
    copy_to(state.q, there.q)
    copy_to(state.v, there.v)
    iterations = count[ITERATIONS]
    status = acceleration(p, t, there, w, pivots, controls, count, PATIENCE)
    count[ITERATIONS] = iterations
    if status in (RAISED, WRONG_SHAPE):
        return status
    if status != OK:
        copy_to(carried, there.lam)
        w.near[NEAREST] = 0.0
        w.near[WHEN] = t
    elif p.closure.compliance == 0.0:
        watch_rank(p, t, w, pivots)
    copy_to(there.lam, w.m[LAM_1])
    return OK


@kernel(types.void(STATE, f8))
def shift(state: Any, steps: float) -> None:
    """Move the acceleration by so many steps along its own slope."""
    for i in range(state.a.size):
        state.a[i] += steps * state.da[i]


RUN = i8(
    MODEL_TYPE,
    i8,
    i8,
    CLOSURE,
    I,
    F,
    I,
    COEFFICIENTS,
    CONTROLS,
    f8,
    F,
    types.boolean[::1],
    STATE,
    WORK,
    I,
    COLUMNS,
    ROWS_TYPE,
    I,
)


@kernel(RUN)
def run(
    model: Any,
    traits: int,
    holonomic: int,
    closure: Any,
    chosen: Any,
    pf: Any,
    pi: Any,
    s: Any,
    controls: Any,
    t_limit: float,
    times: Any,
    save: Any,
    state: Any,
    w: Any,
    pivots: Any,
    columns: Any,
    rows: Any,
    count: Any,
) -> int:
    """Step to every time of `times` in turn; count[STEPS], count[ROWS] tell how far it came."""
    p = by_reference(Physics(model, traits, holonomic, closure, chosen, pf, pi))
    shown = State(state.clock, state.q, state.v, state.a, w.there.lam, state.da)
    ref_s, ref_state, ref_w, ref_controls = (
        by_reference(s),
        by_reference(state),
        by_reference(w),
        by_reference(controls),
    )
    for k in range(times.size):
        status = advance(p, ref_s, times[k], t_limit, ref_state, w.c, ref_w, pivots, ref_controls, count)
        if status != OK:
            return status
        count[STEPS] += 1
        if save[k]:
            status = show_multipliers(p, min(times[k], t_limit), ref_state, ref_w, pivots, ref_controls, count)
            if status != OK:
                return status
            write_row(s.phi, shown, w, columns, rows, count[ROWS])
            count[ROWS] += 1
    return OK
