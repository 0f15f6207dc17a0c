"""Derivatives of the equations of a step by parameters: differences of the answers of the same
model with other tables (isodyn.sensitivities.memory has the equations)."""

from __future__ import annotations

from typing import Any

from isodyn.kernels.compiled import BALANCE, OK, POSITION, VELOCITY, FloatArray, kernel
from isodyn.kernels.struct_types import struct_at
from isodyn.sensitivities.memory import Linear, Tangents, Varied
from isodyn.stepping.closure import fill_with
from isodyn.stepping.memory import Memory, Physics, State


@kernel()
def add_answer(
    other: Physics,
    table: int,
    what: int,
    t: float,
    q: Any,
    v: Any,
    a: Any,
    lam: Any,
    c: Any,
    factor: float,
    work: Any,
    out: Any,
) -> int:
    """out += factor × the answer of the model with other tables."""
    status: int = other.model(what, t, q, v, a, lam, c, struct_at(table), other.scratch, work)
    if status == OK:
        for i in range(out.size):
            out[i] += factor * work[i]
    return status


@kernel()
def own_answers(
    other: Physics,
    varied: Varied,
    t: float,
    t_1: float,
    before: State,
    after: State,
    memory: Memory,
    linear: Linear,
) -> int:
    """Balance, rows and range with the tables of the system itself, where differences need them."""
    if varied.needs_own == 0:
        return OK
    table, status, c, work = varied.tables[0, 4], OK, memory.kappa, linear.big[: linear.work.size]
    fill_with(linear.own_f, 0.0)
    fill_with(linear.own_g, 0.0)
    fill_with(linear.own_phi, 0.0)
    fill_with(linear.own_rate, 0.0)
    q, v, a, lam = memory.q, memory.v, memory.a, memory.lam
    status = add_answer(other, table, BALANCE, t, q, v, a, lam, c, 1.0, work, linear.own_f)
    if status == OK and after.lam.size > 0:
        status = rows_by_parameter(other, table, t_1, after, c, 1.0, linear, linear.own_phi, linear.own_rate)
        if status == OK and other.closure.keep_position == 1:
            status = range_by_parameter(other, table, before, memory, 1.0, linear, linear.own_g)
    return status


@kernel()
def by_parameter(
    other: Physics,
    varied: Varied,
    j: int,
    t: float,
    t_1: float,
    before: State,
    after: State,
    memory: Memory,
    linear: Linear,
    tangents: Tangents,
) -> int:
    """∂/∂θ_j of balance, rows and range of a step, at the trial state in memory."""
    f, phi, rate, g = tangents.f[j], tangents.phi[j], tangents.rate[j], tangents.g[j]
    own, status, c, work, m = varied.weights[j, 4], OK, memory.kappa, linear.big[: f.size], phi.size
    in_balance, in_rows = varied.in_balance[j] == 1, varied.in_rows[j] == 1 and m > 0
    in_range = other.closure.keep_position == 1 and m > 0 and varied.in_range[j] == 1
    put_multiple(own if in_balance else 0.0, linear.own_f, f)
    put_multiple(own if in_rows else 0.0, linear.own_phi, phi)
    put_multiple(own if in_rows else 0.0, linear.own_rate, rate)
    put_multiple(own if in_range else 0.0, linear.own_g, g)
    for k in range(4):
        table, by = varied.tables[j, k], varied.weights[j, k]
        if by == 0.0:
            continue
        if in_balance and status == OK:
            status = add_answer(other, table, BALANCE, t, memory.q, memory.v, memory.a, memory.lam, c, by, work, f)
        if in_rows and status == OK:
            status = rows_by_parameter(other, table, t_1, after, c, by, linear, phi, rate)
        if in_range and status == OK:
            status = range_by_parameter(other, table, before, memory, by, linear, g)
    return status


@kernel()
def put_multiple(factor: float, x: FloatArray, out: FloatArray) -> None:
    """out = factor x, and zero where the factor is."""
    for i in range(out.size):
        out[i] = factor * x[i] if factor != 0.0 else 0.0


@kernel()
def range_by_parameter(
    other: Physics, table: int, before: State, memory: Memory, by: float, linear: Linear, g: FloatArray
) -> int:
    """Add to ∂(G_nᵀμ − M_n p)/∂θ what one point of the difference says."""
    c, work, t, q, v = memory.kappa, linear.big[: g.size], before.t, before.q, before.v
    status = add_answer(other, table, BALANCE, t, q, v, linear.minus_p, memory.mu, c, by, work, g)
    if status == OK:
        status = add_answer(other, table, BALANCE, t, q, v, linear.no_a, linear.no_lam, c, -by, work, g)
    return status


@kernel()
def rows_by_parameter(
    other: Physics, table: int, t_1: float, after: State, c: Any, by: float, linear: Linear, phi: Any, rate: Any
) -> int:
    """Add to ∂φ/∂θ and ∂φ̇/∂θ what one point of the difference says."""
    status = OK
    if after.q.size > 0:
        status = add_answer(
            other, table, POSITION, t_1, after.q, after.v, after.a, after.lam, c, by, linear.work_m, phi
        )
    if status == OK:
        status = add_answer(
            other, table, VELOCITY, t_1, after.q, after.v, after.a, after.lam, c, by, linear.work_m, rate
        )
    return status
