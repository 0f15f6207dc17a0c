"""The adjoint of a run: derivatives of one objective by the state, carried back over the steps of a
tape, and by all parameters (docs/derivations/sensitivities.md has the equations).

The multipliers of a step come from an iteration with transposed factors, as in the tangent.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from isodyn.kernels.compiled import (
    CONSTANT_MASS,
    CONSTRAINT,
    MODEL_TYPE,
    OK,
    SOLVES,
    SPARSE,
    FloatArray,
    ModelFunction,
    i8,
    kernel,
)
from isodyn.kernels.lowering import by_reference, natural
from isodyn.kernels.struct_types import ADDRESS, opened, struct_at
from isodyn.linear_solvers.block_lu import fill_lower
from isodyn.linear_solvers.dense import lu_solve_transposed
from isodyn.linear_solvers.many_solves import solve_transposed
from isodyn.sensitivities.by_parameters import by_parameter, part_of
from isodyn.sensitivities.forward import MOST, UNSOLVED, is_last
from isodyn.sensitivities.linearise import ask, exact_matrix, linearise, times, times_transposed
from isodyn.sensitivities.memory import ADJOINT, TAPE, TOGETHER, Adjoint, Linear, Tape, Together, Varied
from isodyn.sensitivities.retraction import move_back
from isodyn.stepping.closure import copy_to, end_state, fill_with
from isodyn.stepping.mass_range import leave_positions
from isodyn.stepping.matrix import assemble, decompose, keep_first
from isodyn.stepping.memory import MEMORY, PLAN, STATE, Leg, Memory, Physics, Plan, State
from isodyn.stepping.step import predict

if TYPE_CHECKING:
    from isodyn.kernels.struct import StructAddress

DONE = 1e-12  # what a correction may leave by its estimate, which is ten times what it leaves, in parts of the solution


@kernel()
def recall_step(p: Physics, leg: Leg, tape: Tape, k: int, after: State, memory: Memory) -> int:
    """Step k of the tape in memory, its beginning in memory.before, its end in `after`."""
    before, dt, c = memory.before, tape.dt[k], memory.c
    before.t, before.dt, after.t, after.dt = tape.t[k], tape.dt_before[k], tape.t_after[k], dt
    copy_to(tape.q[k], before.q)
    copy_to(tape.v[k], before.v)
    copy_to(tape.a[k], before.a)
    copy_to(tape.da[k], before.da)
    copy_to(tape.lam[k], before.lam)
    copy_to(tape.q_1[k], after.q)
    copy_to(tape.v_1[k], after.v)
    c[0], c[1], c[2], c[3] = leg.W1L6, dt * leg.W2L5, dt * dt * leg.W3L3, 1.0
    predict(leg, dt, before, memory)
    copy_to(tape.x[k], memory.x)
    copy_to(tape.p[k], memory.p)
    copy_to(tape.lam_b[k], memory.lam)
    copy_to(tape.mu[k], memory.mu)
    fill_with(memory.u, 0.0)
    return end_state(p, leg, dt, before, c, memory)


@kernel()
def factorise_pair(p: Physics, linear: Linear, G: FloatArray, of_range: bool, memory: Memory) -> int:
    """Factors of [J₁₁ Gᵀ; G₁ 0], with J₁₁ in memory.J_11, into memory.J; `of_range` without rows of
    velocities."""
    n, m = natural(linear.work.size), natural(p.rows.size)
    copy_to(G, memory.G)
    assemble(p, memory.c, memory, False)
    if p.traits & SPARSE:
        copy_to(linear.G_1, memory.G_1)
        fill_lower(memory.G_1, memory.blocks, memory.J)
    else:
        for k in range(m):
            for j in range(n):
                memory.J[(n + k) * (n + m) + j] = linear.G_1[p.rows[k] * n + j]
    if of_range:
        leave_positions(p, memory)
    return decompose(p, memory)


@kernel()
def factorise_back(p: Physics, linear: Linear, keep: bool, memory: Memory) -> int:
    """Factors of [M_n G_nᵀ; G₁ 0] into memory.J_S, and of [c₀M + c₁C + c₂K, Dᵀ; G₁ 0] of the
    linearised step into memory.J."""
    c, small = memory.c, p.rows.size == 0 and not p.traits & SPARSE
    if keep:
        copy_to(linear.M_n, memory.J_11)
        status = factorise_pair(p, linear, linear.G_n, True, memory)
        if status != OK:
            return status
        keep_first(p, memory)
    values = memory.J if small else memory.J_11
    for i in range(linear.K.size):
        values[i] = c[0] * linear.M[i] + c[1] * linear.C[i] + c[2] * linear.K[i]
    return decompose(p, memory) if small else factorise_pair(p, linear, linear.D, False, memory)


@kernel()
def solve_back(p: Physics, memory: Memory, adjoint: Adjoint, second: bool, b: FloatArray) -> None:
    """b ← (the matrix of the step, or with `second` that of the range)⁻ᵀ b."""
    if p.traits & SPARSE:
        for i in range(b.size):
            adjoint.B[i, 0] = b[i]
        if second:
            solve_transposed(memory.J_S, memory.blocks, 1, adjoint.B, adjoint.X)
        else:
            solve_transposed(memory.J, memory.blocks, 0, adjoint.B, adjoint.X)
        for i in range(b.size):
            b[i] = adjoint.B[i, 0]
    elif second:
        lu_solve_transposed(memory.J_S, memory.pivots[b.size :], b)
    else:
        lu_solve_transposed(memory.J, memory.pivots[: b.size], b)


@kernel()
def prepare_range(p: Physics, linear: Linear, memory: Memory) -> int:
    """M_n and G_n of the range."""
    before, c, status = memory.before, memory.kappa, OK
    if not p.traits & CONSTANT_MASS:
        status = exact_matrix(
            p, linear, 0, before.t, before.q, before.v, linear.no_a, linear.no_lam, memory, linear.M_n
        )
    if status == OK:
        status = ask(p, linear, CONSTRAINT, before.t, before.q, before.v, linear.no_a, before.lam, c, linear.G_n)
    return status


@kernel()
def weights_of_row(p: Physics, leg: Leg, dt: float, i: int) -> tuple[float, float, float]:
    """How φ, φ̇ and φ̈ of a row count in its closure."""
    if i >= p.holonomic:
        return 0.0, 1.0 / (leg.l5 * dt), 0.0
    k = p.closure
    along_x = k.position * leg.l3 * dt * dt + k.velocity * leg.l5 * dt + k.acceleration * (1.0 + leg.phi)
    return k.position / along_x, k.velocity / along_x, k.acceleration / along_x


@kernel()
def spread_back(p: Physics, leg: Leg, dt: float, after: State, linear: Linear, adjoint: Adjoint) -> None:
    """Q₁, V₁, A₁, D₁ and the products with w₁, for the present multipliers."""
    copy_to(adjoint.q, adjoint.Q_1)
    copy_to(adjoint.v, adjoint.V_1)
    fill_with(adjoint.A_1, 0.0)
    if p.rows.size > 0:
        fill_with(adjoint.u, 0.0)
        fill_with(adjoint.u_2, 0.0)
        fill_with(linear.work_m, 0.0)
        for e in range(p.rows.size):
            i = p.rows[e]
            of_q, of_v, of_a = weights_of_row(p, leg, dt, i)
            adjoint.u[i], adjoint.u_2[i] = of_v * adjoint.w_2[i], of_a * adjoint.w_2[i]
            linear.work_m[i] = of_q * adjoint.w_2[i] + adjoint.w_3[i] / (dt * dt)
        times_transposed(linear.G_starts, linear.G_columns, linear.G_1, adjoint.u, -1.0, adjoint.V_1)
        times_transposed(linear.G_starts, linear.G_columns, linear.G_1, linear.work_m, -1.0, adjoint.Q_1)
        if after.q.size > 0:
            times_transposed(linear.G_starts, linear.G_columns, linear.gamma, adjoint.u, -1.0, adjoint.Q_1)
        if after.q.size > 0 and p.closure.acceleration != 0.0:
            times_transposed(linear.G_starts, linear.G_columns, linear.G_1, adjoint.u_2, -1.0, adjoint.A_1)
            times_transposed(linear.G_starts, linear.G_columns, linear.second_v, adjoint.u_2, -1.0, adjoint.V_1)
            times_transposed(linear.G_starts, linear.G_columns, linear.second_q, adjoint.u_2, -1.0, adjoint.Q_1)
    move_back(linear, linear.T_e, adjoint.Q_1, adjoint.D_1)
    fill_with(adjoint.Kw, 0.0)
    fill_with(adjoint.Cw, 0.0)
    fill_with(adjoint.Mw, 0.0)
    times_transposed(linear.J_starts, linear.J_columns, linear.K, adjoint.w_1, 1.0, adjoint.Kw)
    times_transposed(linear.J_starts, linear.J_columns, linear.C, adjoint.w_1, 1.0, adjoint.Cw)
    times_transposed(linear.J_starts, linear.J_columns, linear.M, adjoint.w_1, 1.0, adjoint.Mw)
    move_back(linear, linear.T_b, adjoint.Kw, adjoint.D_b)


@kernel()
def correct_back(
    p: Physics, leg: Leg, dt: float, after: State, memory: Memory, linear: Linear, adjoint: Adjoint
) -> float:
    """One correction of the multipliers; its relative size."""
    n, m, c, scale = natural(linear.work.size), natural(p.rows.size), memory.c, 1e-300
    spread_back(p, leg, dt, after, linear, adjoint)
    for i in range(n):
        force = c[2] * adjoint.D_b[i] + c[1] * adjoint.Cw[i] + c[0] * adjoint.Mw[i]
        moved = leg.l5 * dt * adjoint.V_1[i] + leg.l3 * dt * dt * adjoint.D_1[i] + (1.0 + leg.phi) * adjoint.A_1[i]
        scale = max(scale, max(abs(force), abs(moved)) / memory.by_v[i])
        memory.dx[i] = adjoint.a[i] + adjoint.da[i] + moved - force
    if m > 0:
        fill_with(linear.work_m, 0.0)
        times(linear.G_starts, linear.G_columns, linear.D, adjoint.w_1, -1.0, linear.work_m)
        for e in range(m):
            memory.dx[n + e] = adjoint.lam[p.rows[e]] / leg.W1 + linear.work_m[p.rows[e]]
    keep = p.closure.keep_position == 1 and m > 0
    if keep:
        for i in range(n):
            memory.dp[i] = -dt * dt * adjoint.D_1[i]
        times_transposed(linear.J_starts, linear.J_columns, linear.M_n, adjoint.w_4, -1.0, memory.dp)
        fill_with(linear.work_m, 0.0)
        times(linear.G_starts, linear.G_columns, linear.G_n, adjoint.w_4, -1.0, linear.work_m)
        for e in range(m):
            memory.dp[n + e] = linear.work_m[p.rows[e]] if p.rows[e] < p.holonomic else 0.0
        solve_back(p, memory, adjoint, True, memory.dp)
    solve_back(p, memory, adjoint, False, memory.dx)
    return add_back(p, leg, keep, scale, memory, adjoint)


@kernel()
def add_back(p: Physics, leg: Leg, keep: bool, scale: float, memory: Memory, adjoint: Adjoint) -> float:
    """Add a correction to the multipliers; the largest of its parts beside what they are, those of
    rows beside what stands in the equation of δx with them, which is `scale`."""
    n, size, change = natural(adjoint.w_1.size), 1e-300, 0.0
    for i in range(n):
        adjoint.w_1[i] += memory.dx[i]
        size, change = max(size, abs(adjoint.w_1[i])), max(change, abs(memory.dx[i]))
    relative = change / size
    size, change = scale, 0.0
    for e in range(p.rows.size):
        i = p.rows[e]
        more = memory.dx[n + e]
        if keep:
            adjoint.w_3[i] -= memory.dp[n + e]
            more += leg.l3 * memory.dp[n + e]
        adjoint.w_2[i] += more
        by = memory.row_sizes[i]
        size, change = max(size, by * abs(adjoint.w_2[i])), max(change, by * abs(more))
    if keep:
        for i in range(n):
            adjoint.w_4[i] += memory.dp[i]
    return max(relative, change / size) if p.rows.size > 0 else relative


@kernel()
def end_back(leg: Leg, dt: float, shift: float, keep: bool, memory: Memory, linear: Linear, adjoint: Adjoint) -> None:
    """Derivatives by the state before the step in the place of those by the state after it."""
    move_back(linear, linear.A_e, adjoint.Q_1, adjoint.q)
    move_back(linear, linear.A_b, adjoint.Kw, linear.work)
    for i in range(adjoint.q.size):
        adjoint.q[i] -= linear.work[i]
        D_1, D_b, V_1, Cw = adjoint.D_1[i], -adjoint.D_b[i], adjoint.V_1[i], adjoint.Cw[i]
        adjoint.v[i] = V_1 + dt * D_1 + leg.W1 * dt * D_b - Cw
        a = adjoint.a[i] + dt * V_1 + 0.5 * dt * dt * D_1 + leg.W2L2 * dt * dt * D_b
        adjoint.a[i] = a - leg.W1 * dt * Cw - adjoint.Mw[i] + adjoint.A_1[i]
        adjoint.da[i] = shift * adjoint.a[i]
    if keep:
        times_transposed(linear.J_starts, linear.J_columns, linear.H, adjoint.w_4, 1.0, adjoint.q)
    for i in range(adjoint.lam.size):
        adjoint.lam[i] *= 1.0 - 1.0 / leg.W1


@kernel()
def add_parameter(p: Physics, leg: Leg, dt: float, keep: bool, varied: Varied, adjoint: Adjoint, j: int) -> None:
    """What the equations of the step say about parameter j, whose derivatives are in `varied`."""
    total = 0.0
    v_1, v_2 = part_of(varied.first_v, j)
    for i in range(v_2 - v_1):
        k = natural(varied.v_of[v_1 + i])
        total -= adjoint.w_1[k] * varied.f[i]
        if keep:
            total += adjoint.w_4[k] * varied.g[i]
    row_1, row_2 = part_of(varied.first_row, j)
    for i in range(row_2 - row_1):  # multipliers of rows that are not enforced are zero
        k = natural(varied.row_of[row_1 + i])
        of_q, of_v, of_a = weights_of_row(p, leg, dt, k)
        total -= adjoint.w_2[k] * (of_q * varied.phi[i] + of_v * varied.rate[i] + of_a * varied.second[i])
        if keep:
            total -= adjoint.w_3[k] * varied.phi[i] / (dt * dt)
    adjoint.by[j] += total


@kernel()
def extrapolate(known: int, w: FloatArray, old: FloatArray, older: FloatArray) -> None:
    """A guess of the next w, where `known` of them have been found since the last jump: by a
    parabola, a line, or the last one."""
    for i in range(w.size):
        now, change = w[i], w[i] - old[i]
        if known == 0:
            w[i] = 0.0
        elif known > 3:
            w[i] = now + 2.0 * change - (old[i] - older[i])
        elif known > 1:
            w[i] = now + change
        older[i], old[i] = old[i], now


@kernel()
def multipliers_back(
    p: Physics, leg: Leg, dt: float, after: State, memory: Memory, linear: Linear, adjoint: Adjoint
) -> int:
    """The multipliers of a step, by iteration, from those of the steps after it."""
    extrapolate(adjoint.known, adjoint.w_1, adjoint.old_1, adjoint.older_1)
    extrapolate(adjoint.known, adjoint.w_2, adjoint.old_2, adjoint.older_2)
    extrapolate(adjoint.known, adjoint.w_3, adjoint.old_3, adjoint.older_3)
    extrapolate(adjoint.known, adjoint.w_4, adjoint.old_4, adjoint.older_4)
    adjoint.known += 1
    last, status = 1e300, UNSOLVED
    for k in range(MOST):
        change = correct_back(p, leg, dt, after, memory, linear, adjoint)
        if is_last(change, last, DONE, 1.0, 0.0, k):
            status = OK
            break
        last = change
    return status


@kernel()
def step_back(
    p: Physics,
    other_model: ModelFunction,
    leg: Leg,
    after: State,
    memory: Memory,
    linear: Linear,
    varied: Varied,
    adjoint: Adjoint,
) -> int:
    """Bring the adjoint back over the step in memory."""
    before, dt = memory.before, after.dt
    t, t_1 = min(before.t + leg.W1 * dt, leg.t_limit), min(after.t, leg.t_limit)
    keep = p.closure.keep_position == 1 and p.rows.size > 0
    status = linearise(p, leg, t, t_1, dt, before, after, memory, linear)
    if status == OK and keep:
        status = prepare_range(p, linear, memory)
    if status == OK:
        status = factorise_back(p, linear, keep, memory)
    if status != OK:
        return status
    status = multipliers_back(p, leg, dt, after, memory, linear, adjoint)
    spread_back(p, leg, dt, after, linear, adjoint)
    for j in range(varied.in_balance.size):
        if status == OK and varied.in_balance[j] == 1:
            status = by_parameter(
                other_model, keep, p.closure.acceleration != 0.0, varied, j, t, t_1, before, after, memory, linear
            )
            add_parameter(p, leg, dt, keep, varied, adjoint, j)
    shift = leg.phi * (before.dt - dt) / before.dt if before.dt != 0.0 else 0.0
    end_back(leg, dt, shift, keep, memory, linear, adjoint)
    return status


@kernel()
def add_row(phi: float, k: int, adjoint: Adjoint) -> None:
    """What row k of the solution says about the state it was written from."""
    for i in range(adjoint.q.size):
        adjoint.q[i] += adjoint.row_q[k, i]
        adjoint.v[i] += adjoint.row_v[k, i]
        adjoint.a[i] += adjoint.row_a[k, i]
        adjoint.da[i] += phi * adjoint.row_a[k, i]
    for i in range(adjoint.lam.size):
        adjoint.lam[i] += adjoint.row_lam[k, i]


BACK = i8(MODEL_TYPE, ADDRESS, ADDRESS, MODEL_TYPE, PLAN, STATE, MEMORY, TAPE, TOGETHER, ADJOINT)


@kernel(BACK)
def march_back(
    model: ModelFunction,
    tables: StructAddress,
    scratch: StructAddress,
    other_model: ModelFunction,
    plan: Plan,
    after: State,
    memory: Memory,
    tape: Tape,
    together: Together,
    adjoint: Adjoint,
) -> int:
    """Bring the adjoint back over all steps of a tape."""
    linear, varied = opened(Linear, struct_at(together.linear)), opened(Varied, struct_at(together.varied))
    for k in range(tape.count - 1, -1, -1):
        leg = plan.legs[natural(tape.leg[k])]
        traits = leg.traits & ~SOLVES
        p = by_reference(Physics(model, traits, leg.holonomic, leg.closure, memory.rows, tables, scratch))
        for i in range(adjoint.a.size):
            adjoint.da[i] += tape.shift[k] * adjoint.a[i]
        if tape.row[k] >= 0:
            add_row(leg.phi, tape.row[k], adjoint)
        status = recall_step(p, leg, tape, k, after, memory)
        if status == OK:
            status = step_back(p, other_model, leg, after, memory, linear, varied, adjoint)
        if status != OK:
            return status
    return OK
