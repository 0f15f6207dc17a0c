"""The tangent of a run: derivatives of the state by parameters, carried along with the steps
(isodyn.sensitivities.memory has the equations).

The unknowns δx, δλ̃ and δp of every parameter come from an iteration with the factors that the step
left: residuals of the linearised equations are exact, so that the factors only decide how fast it
converges.
"""

from __future__ import annotations

from typing import Any

from isodyn.kernels.compiled import MODEL_TYPE, NOT_FINITE, OK, i8, kernel
from isodyn.kernels.lowering import by_reference, natural
from isodyn.kernels.struct_types import ADDRESS, copy_struct, opened, struct_at
from isodyn.marching.march import COLUMNS, FULL, ROWS_TYPE, march
from isodyn.sensitivities.linearise import along_rows, by_parameter, linearise, times, times_transposed
from isodyn.sensitivities.memory import TOGETHER, Derivatives, Linear, Tangents, Together, Varied
from isodyn.sensitivities.retraction import move_tangent
from isodyn.stepping.chosen_step import leg_number
from isodyn.stepping.closure import add_to, fill_with, measure, measure_forces
from isodyn.stepping.corrections import solve, solve_with_first
from isodyn.stepping.memory import COUNTERS, MEMORY, PLAN, STATE, Leg, Memory, Physics, State

MOST = 60  # iterations for one parameter
DONE = 1e-15  # corrections below this part of the solution are the last
ENOUGH = 1e-9  # … and those that do not shrink any more, if they are below this …
ROUNDING = 1e-11  # … or this part of what forces could do
UNSOLVED = 121  # a status: the derivatives of a step do not converge
BROKEN = 120  # a status: the step was repeated or divided, so that it is no smooth function of the state


@kernel()
def tangent_residual(
    p: Physics,
    leg: Leg,
    t_1: float,
    dt: float,
    shift: float,
    after: State,
    memory: Memory,
    linear: Linear,
    tangents: Tangents,
    j: int,
) -> int:
    """Residuals of the linearised step for linear.x, lam, p: of the balance into linear.r, of φ and
    φ̇ into linear.gap_q and linear.gap_v."""
    dq, dv, da, dda, c = tangents.q[j], tangents.v[j], tangents.a[j], tangents.da[j], memory.c
    for i in range(linear.x.size):
        a, x = da[i] + shift * dda[i], linear.x[i]
        linear.d[i] = leg.W1 * dt * dv[i] + leg.W2L2 * dt * dt * a + c[2] * x
        linear.dv[i] = dv[i] + leg.W1 * dt * a + c[1] * x
        linear.da[i] = a + c[0] * x
        linear.r[i] = tangents.f[j, i]
        linear.v_1[i] = dv[i] + dt * (a + leg.l5 * x)
    move_tangent(linear, linear.A_b, linear.T_b, dq, linear.d, linear.dq)
    times(linear.J_starts, linear.J_columns, linear.K, linear.dq, 1.0, linear.r)
    times(linear.J_starts, linear.J_columns, linear.C, linear.dv, 1.0, linear.r)
    times(linear.J_starts, linear.J_columns, linear.M, linear.da, 1.0, linear.r)
    for i in range(linear.x.size):
        a, x = da[i] + shift * dda[i], linear.x[i]
        linear.d[i] = dt * dv[i] + dt * dt * (0.5 * a + leg.l3 * x - linear.p[i])
    move_tangent(linear, linear.A_e, linear.T_e, dq, linear.d, linear.q_1)
    if linear.lam.size == 0:
        return OK
    times_transposed(linear.G_starts, linear.G_columns, linear.D, linear.lam, 1.0, linear.r)
    status = along_rows(p, linear, t_1, after, memory, linear.q_1, linear.gap_v)
    times(linear.G_starts, linear.G_columns, linear.G_1, linear.v_1, 1.0, linear.gap_v)
    add_to(tangents.rate[j], linear.gap_v)
    fill_with(linear.gap_q, 0.0)
    if after.q.size > 0:
        times(linear.G_starts, linear.G_columns, linear.G_1, linear.q_1, 1.0, linear.gap_q)
        add_to(tangents.phi[j], linear.gap_q)
    return status


@kernel()
def close_tangent(p: Physics, leg: Leg, dt: float, memory: Memory, linear: Linear) -> None:
    """Right-hand sides of the next correction: (−r, −closure) into memory.dx, and the gap of φ that
    it leaves into memory.dp."""
    k, n = p.closure, natural(linear.x.size)
    along_x = k.position * leg.l3 * dt * dt + k.velocity * leg.l5 * dt
    for i in range(n):
        memory.dx[i] = -linear.r[i]
        memory.dp[i] = 0.0
    for e in range(p.rows.size):
        i = p.rows[e]
        if i < p.holonomic:
            gap = (k.position * linear.gap_q[i] + k.velocity * linear.gap_v[i]) / along_x
            memory.dp[n + e] = linear.gap_q[i] / (dt * dt) - leg.l3 * gap
        else:
            gap = linear.gap_v[i] / (leg.l5 * dt)
            memory.dp[n + e] = 0.0
        memory.dx[n + e] = -gap


@kernel()
def start_range(p: Physics, memory: Memory, linear: Linear, tangents: Tangents, j: int) -> None:
    """A first δp with M_n δp + G_nᵀ y = H δq + ∂/∂θ, on which corrections in the range are
    added."""
    n = natural(linear.x.size)
    fill_with(memory.dp, 0.0)
    for i in range(n):
        memory.dp[i] = tangents.g[j, i]
    times(linear.J_starts, linear.J_columns, linear.H, tangents.q[j], 1.0, memory.dp)
    solve_with_first(p, memory.c, memory)
    for i in range(n):
        linear.p[i] = memory.dp[i]


@kernel()
def tangent_of_step(
    p: Physics,
    leg: Leg,
    t: float,
    t_1: float,
    dt: float,
    shift: float,
    after: State,
    memory: Memory,
    linear: Linear,
    tangents: Tangents,
    j: int,
) -> int:
    """Bring the derivatives by parameter j to the end of the step."""
    n, keep = natural(linear.x.size), p.closure.keep_position == 1 and p.rows.size > 0
    for i in range(n):
        linear.x[i], linear.p[i] = tangents.da[j, i], 0.0
    for i in range(linear.lam.size):
        linear.lam[i] = tangents.lam[j, i]
    if keep:
        start_range(p, memory, linear, tangents, j)
    before, status = 1e300, UNSOLVED
    for k in range(MOST):
        change = correct_tangent(p, leg, t, t_1, dt, shift, after, memory, linear, tangents, j)
        if change < 0.0:
            return int(-change)
        size = max(measure(linear.x, memory.by_v), measure(linear.p, memory.by_v), measure(linear.da, memory.by_v))
        forces = max(measure_forces(tangents.f[j], memory.by_v), measure_forces(linear.work, memory.by_v))
        least = max(ENOUGH * size, ROUNDING * forces / memory.inertia)
        if change <= DONE * size or (k > 1 and change > 0.5 * before and change <= least):
            status = tangent_residual(p, leg, t_1, dt, shift, after, memory, linear, tangents, j)
            end_tangent(leg, shift, linear, tangents, j)
            break
        before = change
    return status


@kernel()
def correct_tangent(
    p: Physics,
    leg: Leg,
    t: float,
    t_1: float,
    dt: float,
    shift: float,
    after: State,
    memory: Memory,
    linear: Linear,
    tangents: Tangents,
    j: int,
) -> float:
    """One correction of δx, δλ̃ and δp; its size, or −status of a model that failed."""
    n, keep = natural(linear.x.size), p.closure.keep_position == 1 and p.rows.size > 0
    status = tangent_residual(p, leg, t_1, dt, shift, after, memory, linear, tangents, j)
    if status == OK:
        close_tangent(p, leg, dt, memory, linear)
        status = solve(p, t, memory.c, memory, memory.dx, memory.r_plus, False)
    if status != OK:
        return -float(status)
    for i in range(n):
        linear.x[i] += memory.dx[i]
    for e in range(p.rows.size):
        linear.lam[p.rows[e]] += memory.dx[n + e]
    fill_with(linear.work, 0.0)
    times_transposed(linear.G_starts, linear.G_columns, linear.D, linear.lam, 1.0, linear.work)
    change = measure(memory.dx, memory.by_v)
    if keep:
        solve_with_first(p, memory.c, memory)
        for i in range(n):
            linear.p[i] += memory.dp[i]
        change = max(change, measure(memory.dp, memory.by_v))
    return change if change < 1e300 else -float(NOT_FINITE)


@kernel()
def end_tangent(leg: Leg, shift: float, linear: Linear, tangents: Tangents, j: int) -> None:
    """The derivatives at the end of the step in the place of those at its beginning."""
    for i in range(linear.x.size):
        tangents.q[j, i], tangents.v[j, i] = linear.q_1[i], linear.v_1[i]
        tangents.a[j, i] += shift * tangents.da[j, i] + linear.x[i]
        tangents.da[j, i] = linear.x[i]
    for i in range(linear.lam.size):
        tangents.lam[j, i] += (linear.lam[i] - tangents.lam[j, i]) / leg.W1


@kernel()
def retimed(leg: Leg, dt: float, before: State) -> float:
    """How many times Δa the acceleration is moved before the step, because its size changed."""
    return leg.phi * (before.dt - dt) / before.dt if before.dt != 0.0 else 0.0


@kernel()
def after_step(
    p: Physics,
    other: Physics,
    leg: Leg,
    state: State,
    memory: Memory,
    linear: Linear,
    varied: Varied,
    tangents: Tangents,
) -> int:
    """Bring all derivatives along with the step that was just taken, from memory.before to
    state."""
    before, dt = memory.before, state.dt
    t, t_1 = min(before.t + leg.W1 * dt, leg.t_limit), min(state.t, leg.t_limit)
    status = linearise(p, leg, t, t_1, dt, before, state, memory, linear)
    shift = retimed(leg, dt, before)
    for j in range(varied.in_balance.size):
        if status == OK:
            status = by_parameter(other, varied, j, t, t_1, before, state, memory, linear, tangents)
        if status == OK:
            status = tangent_of_step(p, leg, t, t_1, dt, shift, state, memory, linear, tangents, j)
    return status


@kernel()
def write_tangents(phi: float, k: int, tangents: Tangents, out: Derivatives) -> None:
    """Row k of the derivatives, the acceleration brought to t_n."""
    for j in range(tangents.q.shape[0]):
        for i in range(tangents.q.shape[1]):
            out.q[k, j, i], out.v[k, j, i] = tangents.q[j, i], tangents.v[j, i]
            out.a[k, j, i] = tangents.a[j, i] + phi * tangents.da[j, i]
        for i in range(tangents.lam.shape[1]):
            out.lam[k, j, i] = tangents.lam[j, i]


@kernel()
def shift_tangents(steps: float, tangents: Tangents) -> None:
    """Move the derivatives of the acceleration as the acceleration is moved."""
    for j in range(tangents.a.shape[0]):
        for i in range(tangents.a.shape[1]):
            tangents.a[j, i] += steps * tangents.da[j, i]


MARCH_TANGENTS = i8(
    MODEL_TYPE, ADDRESS, ADDRESS, MODEL_TYPE, PLAN, i8, STATE, MEMORY, COLUMNS, ROWS_TYPE, COUNTERS, TOGETHER
)


@kernel(MARCH_TANGENTS)
def march_tangents(
    model: Any,
    tables: Any,
    scratch: Any,
    other_model: Any,
    plan: Any,
    upto: int,
    state: State,
    memory: Memory,
    columns: Any,
    rows: Any,
    counters: Any,
    together: Together,
) -> int:
    """`march` with derivatives: after every step they are brought along."""
    linear, varied = opened(Linear, struct_at(together.linear)), opened(Varied, struct_at(together.varied))
    tangents, out = opened(Tangents, struct_at(together.tangents)), opened(Derivatives, struct_at(together.out))
    while state.step < upto:
        leg = plan.legs[leg_number(plan, state.step)]
        copy_struct(state, memory.before)
        lag, written = state.lag, counters.rows
        trouble = counters.halvings + counters.rescues
        status = march(model, tables, scratch, plan, state.step + 1, state, memory, columns, rows, counters)
        if status != OK and status != FULL:
            return status
        if counters.halvings + counters.rescues != trouble:
            return BROKEN
        p = by_reference(Physics(model, leg.traits, leg.holonomic, leg.closure, memory.rows, tables, scratch))
        other = by_reference(
            Physics(
                other_model,
                leg.traits,
                leg.holonomic,
                leg.closure,
                memory.rows,
                tables,
                struct_at(together.scratch),
            )
        )
        status = after_step(p, other, leg, state, memory, linear, varied, tangents)
        if status != OK:
            return status
        tangents.step = state.step
        if counters.rows > written:
            write_tangents(leg.phi, counters.rows - 1, tangents, out)
        if state.lag != lag:
            shift_tangents(lag - state.lag, tangents)
    return OK
