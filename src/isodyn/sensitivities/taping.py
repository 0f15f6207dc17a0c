"""A march that writes down its steps, for adjoints."""

from __future__ import annotations

from typing import TYPE_CHECKING

from isodyn.kernels.compiled import MODEL_TYPE, OK, ModelFunction, i8, kernel
from isodyn.kernels.struct_types import ADDRESS, copy_struct
from isodyn.marching.march import COLUMNS, FULL, ROWS_TYPE, Columns, SavedRows, march
from isodyn.sensitivities.forward import BROKEN
from isodyn.sensitivities.memory import TAPE, Tape
from isodyn.stepping.chosen_step import leg_number
from isodyn.stepping.closure import copy_to
from isodyn.stepping.memory import COUNTERS, MEMORY, PLAN, STATE, Counters, Memory, Plan, State

if TYPE_CHECKING:
    from isodyn.kernels.struct import StructAddress


@kernel()
def write_down(tape: Tape, k: int, number: int, state: State, memory: Memory) -> None:
    """Step k of the tape: the one from memory.before to state."""
    before = memory.before
    tape.t[k], tape.dt[k], tape.dt_before[k], tape.t_after[k] = before.t, state.dt, before.dt, state.t
    tape.leg[k] = number
    copy_to(before.q, tape.q[k])
    copy_to(before.v, tape.v[k])
    copy_to(before.a, tape.a[k])
    copy_to(before.da, tape.da[k])
    copy_to(before.lam, tape.lam[k])
    copy_to(memory.x, tape.x[k])
    copy_to(memory.p, tape.p[k])
    copy_to(memory.lam, tape.lam_b[k])
    copy_to(memory.mu, tape.mu[k])
    copy_to(state.q, tape.q_1[k])
    copy_to(state.v, tape.v_1[k])


@kernel(i8(MODEL_TYPE, ADDRESS, ADDRESS, PLAN, i8, STATE, MEMORY, COLUMNS, ROWS_TYPE, COUNTERS, TAPE))
def march_taped(
    model: ModelFunction,
    tables: StructAddress,
    scratch: StructAddress,
    plan: Plan,
    upto: int,
    state: State,
    memory: Memory,
    columns: Columns,
    rows: SavedRows,
    counters: Counters,
    tape: Tape,
) -> int:
    """`march` up to a step; steps go onto the tape as long as it has room."""
    while state.step < upto:
        number = leg_number(plan, state.step)
        copy_struct(state, memory.before)
        lag, written, trouble = state.lag, counters.rows, counters.halvings + counters.rescues
        status = march(model, tables, scratch, plan, state.step + 1, state, memory, columns, rows, counters)
        if status != OK and status != FULL:
            return status
        if counters.halvings + counters.rescues != trouble:
            return BROKEN
        k = tape.count
        if k < tape.t.size:
            write_down(tape, k, number, state, memory)
            tape.shift[k] = lag - state.lag
            tape.row[k] = counters.rows - 1 if counters.rows > written else -1
            tape.count = k + 1
    return OK
