"""Derivatives of the equations of a step by parameters: differences of the answers of the same
model with other tables (isodyn.sensitivities.memory has the equations).

Only the equations that a parameter stands in are asked (isodyn.sensitivities.pieces): their states
are gathered from those of the whole, and so are their derivatives, which stay in `Varied`.
"""

from __future__ import annotations

from isodyn.kernels.compiled import (
    ACCELERATION,
    BALANCE,
    IDEAL,
    OK,
    POSITION,
    VELOCITY,
    FloatArray,
    IntArray,
    ModelFunction,
    kernel,
)
from isodyn.kernels.lowering import natural
from isodyn.kernels.struct_types import struct_at
from isodyn.sensitivities.memory import Linear, Tangents, Varied
from isodyn.stepping.closure import fill_with
from isodyn.stepping.memory import Memory, State


@kernel()
def gather(x: FloatArray, places: IntArray, out: FloatArray) -> None:
    """out = x at these places."""
    for i in range(places.size):
        out[i] = x[natural(places[i])]


@kernel()
def part_of(first: IntArray, j: int) -> tuple[int, int]:
    """Where the places of parameter j begin and end."""
    return natural(first[j]), natural(first[j + 1])


@kernel()
def take_state(varied: Varied, j: int, q: FloatArray, v: FloatArray, a: FloatArray, lam: FloatArray) -> None:
    """The state of parameter j's equations."""
    q_1, q_2 = part_of(varied.first_q, j)
    v_1, v_2 = part_of(varied.first_v, j)
    row_1, row_2 = part_of(varied.first_row, j)
    if q.size > 0:
        gather(q, varied.q_of[q_1:q_2], varied.q)
    gather(v, varied.v_of[v_1:v_2], varied.v)
    gather(a, varied.v_of[v_1:v_2], varied.a)
    gather(lam, varied.row_of[row_1:row_2], varied.lam)


@kernel()
def add_answers(
    model: ModelFunction, varied: Varied, j: int, what: int, t: float, c: FloatArray, sign: float, out: FloatArray
) -> int:
    """out += sign·∂(answer)/∂θ_j at the state that was taken."""
    q_1, q_2 = part_of(varied.first_q, j)
    v_1, v_2 = part_of(varied.first_v, j)
    row_1, row_2 = part_of(varied.first_row, j)
    n_q, n_v, m = q_2 - q_1, v_2 - v_1, row_2 - row_1
    n = n_v if what == BALANCE else m
    q, v, a, lam = varied.q[:n_q], varied.v[:n_v], varied.a[:n_v], varied.lam[:m]
    answer = varied.answer[:n] if what == BALANCE else varied.answer_m[:n]
    for k in range(5):
        by = sign * varied.weights[j, k]
        if by != 0.0:
            tables, scratch = struct_at(varied.tables[j, k]), struct_at(varied.scratch[j])
            status: int = model(what, t, q, v, a, lam, c, tables, scratch, answer)
            if status != OK:
                return status
            for i in range(n):
                out[i] += by * answer[i]
    return OK


@kernel()
def by_parameter(
    model: ModelFunction,
    keep: bool,
    second: bool,
    varied: Varied,
    j: int,
    t: float,
    t_1: float,
    before: State,
    after: State,
    memory: Memory,
    linear: Linear,
) -> int:
    """∂/∂θ_j of balance, rows and range of a step, at the trial state in memory, into `varied`;
    with `second` that of φ̈."""
    c, status = memory.kappa, OK
    fill_with(varied.f, 0.0)
    fill_with(varied.g, 0.0)
    fill_with(varied.phi, 0.0)
    fill_with(varied.rate, 0.0)
    fill_with(varied.second, 0.0)
    if varied.in_balance[j] == 0:
        return OK
    take_state(varied, j, memory.q, memory.v, memory.a, memory.lam)
    status = add_answers(model, varied, j, BALANCE, t, c, 1.0, varied.f)
    if status == OK and varied.in_rows[j] == 1 and after.lam.size > 0:
        take_state(varied, j, after.q, after.v, after.a, after.lam)
        if after.q.size > 0:
            status = add_answers(model, varied, j, POSITION, t_1, c, 1.0, varied.phi)
        if status == OK:
            status = add_answers(model, varied, j, VELOCITY, t_1, c, 1.0, varied.rate)
        if status == OK and second:
            take_state(varied, j, after.q, after.v, linear.a_hat, after.lam)
            status = add_answers(model, varied, j, ACCELERATION, t_1, c, 1.0, varied.second)
    if status == OK and varied.in_range[j] == 1 and keep and after.lam.size > 0:
        take_state(varied, j, before.q, before.v, linear.minus_p, memory.mu)
        c[3] = IDEAL
        status = add_answers(model, varied, j, BALANCE, before.t, c, 1.0, varied.g)
        if status == OK:
            take_state(varied, j, before.q, before.v, linear.no_a, linear.no_lam)
            status = add_answers(model, varied, j, BALANCE, before.t, c, -1.0, varied.g)
        c[3] = 1.0
    return status


@kernel()
def spread_parameter(varied: Varied, j: int, tangents: Tangents) -> None:
    """The derivatives in `varied` in their places of the whole."""
    fill_with(tangents.f[j], 0.0)
    fill_with(tangents.g[j], 0.0)
    fill_with(tangents.phi[j], 0.0)
    fill_with(tangents.rate[j], 0.0)
    fill_with(tangents.second[j], 0.0)
    v_1, v_2 = part_of(varied.first_v, j)
    for i in range(v_2 - v_1):
        k = natural(varied.v_of[v_1 + i])
        tangents.f[j, k], tangents.g[j, k] = varied.f[i], varied.g[i]
    row_1, row_2 = part_of(varied.first_row, j)
    for i in range(row_2 - row_1):
        k = natural(varied.row_of[row_1 + i])
        tangents.phi[j, k], tangents.rate[j, k] = varied.phi[i], varied.rate[i]
        tangents.second[j, k] = varied.second[i]
