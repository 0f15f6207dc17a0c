"""The loop of composed schemes: sub-steps forwards and backwards, then, at times that are saved, a and λ of the state itself.

q and v carry the order of the composition. Accelerations and multipliers of sub-steps do not; they are solved for from
M a + Gᵀλ = Q, G a = b at (t_n, q_n, v_n), and nothing of them is carried on.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numba import types

from isodyn.compiled import CLOSURE, COEFFICIENTS, MODEL_TYPE, OK, STATE, F, I, Physics, f8, i8, kernel
from isodyn.integrate.closure import copy_to
from isodyn.integrate.initial import INITIAL_ACCELERATION
from isodyn.integrate.loop import COLUMNS, ROWS_TYPE, RUN, write_row
from isodyn.integrate.symmetric_step import symmetric_step
from isodyn.integrate.work import CONTROLS, ROWS, STEPS, WORK
from isodyn.lowering import by_reference


@kernel(
    i8(
        types.FunctionType(RUN),
        types.FunctionType(INITIAL_ACCELERATION),
        F,
        i8,
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
        f8,
        F,
        types.boolean[::1],
        STATE,
        WORK,
        I,
        COLUMNS,
        ROWS_TYPE,
        I,
    ),
    allocates=True,
)
def run_composed(
    run: Any,
    acceleration: Any,
    ends: Any,
    central: int,
    model: Any,
    traits: int,
    holonomic: int,
    closure: Any,
    chosen: Any,
    pf: Any,
    pi: Any,
    s: Any,
    controls: Any,
    t_first: float,
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
    """Composed steps to every time of `times`; loads are asked for between t_first and t_limit. A step that fails is undone."""
    p = by_reference(Physics(model, traits, holonomic, closure, chosen, pf, pi))
    ref_state, ref_w, ref_controls = by_reference(state), by_reference(w), by_reference(controls)
    c = np.ones(4)
    S = np.zeros((controls.max_iterations, w.s.shape[1]))
    stages = ends.size
    sub, never = np.empty(stages), np.zeros(stages, dtype=np.bool_)
    q_n, v_n = state.q.copy(), state.v.copy()
    for k in range(times.size):
        t = state.clock[0]
        dt = times[k] - t
        copy_to(state.q, q_n)
        copy_to(state.v, v_n)
        for j in range(stages):
            sub[j] = t + ends[j] * dt
        sub[stages - 1] = times[k]
        status = OK
        if central == 1:
            for j in range(stages):
                here, part = (t, ends[0]) if j == 0 else (sub[j - 1], ends[j] - ends[j - 1])
                here, there = max(here, t_first), min(sub[j], t_limit)
                status = symmetric_step(p, here, there, part * dt, ref_state, c, ref_w, pivots, S, ref_controls, count)
                if status != OK:
                    break
        else:
            before = count[STEPS]
            status = run(
                model,
                traits,
                holonomic,
                closure,
                chosen,
                pf,
                pi,
                s,
                controls,
                t_limit,
                sub,
                never,
                state,
                w,
                pivots,
                columns,
                rows,
                count,
            )
            count[STEPS] = before
        if status == OK and save[k]:
            t_1 = min(times[k], t_limit)
            status = acceleration(
                model, traits, holonomic, closure, chosen, pf, pi, t_1, state, w, pivots, controls, count
            )
            if status == OK:
                state.clock[0] = times[k]
                write_row(0.0, state, w, columns, rows, count[ROWS])
                count[ROWS] += 1
        if status != OK:
            copy_to(q_n, state.q)
            copy_to(v_n, state.v)
            state.clock[0] = t
            return status
        state.clock[0] = times[k]
        count[STEPS] += 1
    return OK
