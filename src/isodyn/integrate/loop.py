"""The only loop: steps along given times, and writes the rows that were asked for.

Kept apart from everything that is not arithmetic: progress, interrupts, restarts and messages
belong to the driver, which calls this for a block of steps at a time.

Formulations that close at the balance know λ there. What is saved at t_n are the multipliers of the
state itself, M a + Gᵀλ = Q with the formulation's own closure at (q_n, v_n), computed for saved
rows only; the acceleration is the one of the scheme, as everywhere.
"""

from __future__ import annotations

from collections import namedtuple
from typing import Any

from numba import types

from isodyn.integrate.closeness import watch_rank
from isodyn.integrate.closure import copy_to
from isodyn.integrate.initial import PATIENCE, acceleration
from isodyn.integrate.memory import COUNTERS, LEG, MEMORY, STATE, Physics
from isodyn.integrate.step import advance
from isodyn.kernels.compiled import F2, MODEL_TYPE, OK, RAISED, WRONG_SHAPE, F, I, f8, i8, kernel
from isodyn.kernels.lowering import by_reference
from isodyn.kernels.struct_types import ADDRESS

SavedRows = namedtuple("SavedRows", "t q v a lam mu nu balance_t balance_q balance_v")
"""Saved rows of a run, preallocated; the last three hold the states at the last two balances, one
behind the other, where they are kept."""
ROWS_TYPE = types.NamedTuple((F,) + (F2,) * 9, SavedRows)

Columns = namedtuple("Columns", "q v a lam")
"""Which components are saved."""
COLUMNS = types.NamedUniTuple(I, 4, Columns)


@kernel(types.void(f8, STATE, MEMORY, COLUMNS, ROWS_TYPE, i8))
def write_row(phi: float, state: Any, memory: Any, columns: Any, rows: Any, k: int) -> None:
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
        rows.mu[k, j] = memory.mu[j]
    for j in range(rows.nu.shape[1]):
        rows.nu[k, j] = memory.nu[j]
    if rows.balance_t.shape[1] > 0:
        nq, nv = state.q.size, state.v.size
        for b in range(2):
            rows.balance_t[k, b] = state.balance_t[b]
            for j in range(nq):
                rows.balance_q[k, b * nq + j] = state.balance_q[b, j]
            for j in range(nv):
                rows.balance_v[k, b * nv + j] = state.balance_v[b, j]


@kernel(types.void(STATE, MEMORY))
def show_start(state: Any, memory: Any) -> None:
    """At a start the balance holds at the state itself, and its own multipliers are saved."""
    copy_to(state.lam, memory.lam_1)
    for b in range(2):
        state.balance_t[b] = state.t
        copy_to(state.q, state.balance_q[b])
        copy_to(state.v, state.balance_v[b])


@kernel()
def show_multipliers(p: Any, leg: Any, t: float, state: Any, memory: Any, counters: Any) -> int:
    """memory.lam_1 as saved: the carried ones, or those of the state; where rows lose rank just
    there, the carried ones again."""
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


@kernel(types.void(STATE, f8))
def shift(state: Any, lag: float) -> None:
    """Move the acceleration along its own slope, from t − state.lag·Δt to t − lag·Δt."""
    steps = state.lag - lag
    for i in range(state.a.size):
        state.a[i] += steps * state.da[i]
    state.lag = lag


RUN = i8(MODEL_TYPE, ADDRESS, ADDRESS, LEG, F, types.boolean[::1], STATE, MEMORY, COLUMNS, ROWS_TYPE, COUNTERS)


@kernel(RUN, apart=True)
def run(
    model: Any,
    tables: Any,
    scratch: Any,
    leg: Any,
    times: Any,
    save: Any,
    state: Any,
    memory: Any,
    columns: Any,
    rows: Any,
    counters: Any,
) -> int:
    """Step to every time of `times` in turn; counters.steps, counters.rows tell how far it came."""
    p = by_reference(Physics(model, leg.traits, leg.holonomic, leg.closure, leg.rows, tables, scratch))
    for k in range(times.size):
        status = advance(p, leg, times[k], state, memory, counters)
        if status != OK:
            return status
        counters.steps += 1
        if save[k]:
            status = show_multipliers(p, leg, min(times[k], leg.t_limit), state, memory, counters)
            if status != OK:
                return status
            write_row(leg.phi, state, memory, columns, rows, counters.rows)
            counters.rows += 1
    return OK
