"""The loop of composed schemes: sub-steps forwards and backwards, then, at times that are saved, a
and λ of the state itself.

q and v carry the order of the composition. Accelerations and multipliers of sub-steps do not; they
are solved for from M a + Gᵀλ = Q, G a = b at (t_n, q_n, v_n), and nothing of them is carried on.
"""

from __future__ import annotations

from collections import namedtuple
from typing import Any

import numpy as np
from numba import types

from isodyn.integrate.closure import copy_to
from isodyn.integrate.initial import initial_acceleration
from isodyn.integrate.loop import COLUMNS, ROWS_TYPE, run, write_row
from isodyn.integrate.memory import COUNTERS, LEG, MEMORY, STATE, Physics
from isodyn.integrate.symmetric_step import symmetric_step
from isodyn.kernels.compiled import MODEL_TYPE, OK, F, f8, i8, kernel
from isodyn.kernels.lowering import by_reference
from isodyn.kernels.struct_types import ADDRESS

Stages = namedtuple("Stages", "ends central t_first")
"""Where the sub-steps of a step end, as parts of it; whether their base is the central difference;
loads are not asked for earlier."""
STAGES = types.NamedTuple((F, i8, f8), Stages)


@kernel(
    i8(STAGES, MODEL_TYPE, ADDRESS, ADDRESS, LEG, F, types.boolean[::1], STATE, MEMORY, COLUMNS, ROWS_TYPE, COUNTERS),
    allocates=True,
)
def run_composed(
    stages: Any,
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
    """Composed steps to every time of `times`; loads are asked for up to leg.t_limit. A step that
    fails is undone."""
    p = by_reference(Physics(model, leg.traits, leg.holonomic, leg.closure, leg.rows, tables, scratch))
    c, ends, t_limit = np.ones(4), stages.ends, leg.t_limit
    S = np.zeros((leg.max_iterations, memory.dx.size))
    many = ends.size
    sub, never = np.empty(many), np.zeros(many, dtype=np.bool_)
    q_n, v_n = state.q.copy(), state.v.copy()
    for k in range(times.size):
        t = state.t
        dt = times[k] - t
        copy_to(state.q, q_n)
        copy_to(state.v, v_n)
        for j in range(many):
            sub[j] = t + ends[j] * dt
        sub[many - 1] = times[k]
        status = OK
        if stages.central == 1:
            for j in range(many):
                here, part = (t, ends[0]) if j == 0 else (sub[j - 1], ends[j] - ends[j - 1])
                here, there = max(here, stages.t_first), min(sub[j], t_limit)
                status = symmetric_step(p, leg, here, there, part * dt, state, c, memory, S, counters)
                if status != OK:
                    break
        else:
            before = counters.steps
            status = run(model, tables, scratch, leg, sub, never, state, memory, columns, rows, counters)
            counters.steps = before
        if status == OK and save[k]:
            t_1 = min(times[k], t_limit)
            status = initial_acceleration(model, tables, scratch, leg, t_1, state, memory, counters)
            if status == OK:
                state.t = times[k]
                copy_to(state.lam, memory.lam_1)
                write_row(0.0, state, memory, columns, rows, counters.rows)
                counters.rows += 1
        if status != OK:
            copy_to(q_n, state.q)
            copy_to(v_n, state.v)
            state.t = t
            return status
        state.t = times[k]
        counters.steps += 1
    return OK
