"""The end of a step of Radau IIA: its error, and the state with accelerations and multipliers.

    e_v:  (M + gC + g²K) e_v + Gᵀ· = g (M (v̇_n + Σ e_i Z_i/h) − g K w),    (G + gH) e_v = −g H w,    w = v_n + Σ e_i (A V)_i
    e_q = g (e_v + q̇_n + Σ e_i (Q_i − q_n)/h),                                g = h/γ₁

This is (γ₁/h − J) e = ẏ_n + Σ e_i Z_i/h for y = (q, v) with the rows of the constraints
[Hairer1996 (IV.8.19)].
"""

from __future__ import annotations

import numpy as np

from isodyn.kernels.compiled import (
    ACCELERATION,
    BALANCE,
    GENERAL,
    KNOWS_RATE,
    OK,
    FloatArray,
    kernel,
)
from isodyn.kernels.lowering import natural
from isodyn.linear_solvers.dense import lu_factor, lu_solve
from isodyn.stepping.closure import copy_to
from isodyn.stepping.dop853 import PROJECTED, moved_far
from isodyn.stepping.initial import PATIENCE
from isodyn.stepping.memory import UNDERFLOW, Counters, Leg, Memory, Physics, State
from isodyn.stepping.radau_memory import EMBEDDED, GAMMA, INDEX_2, LAST, STAGES, WEIGHTS, Collocation
from isodyn.stepping.radau_questions import ask
from isodyn.stepping.radau_sparse import products, solve_real
from isodyn.stepping.rate import live, onto_constraints, rate_of

ENOUGH = 4  # solves for algebraic unknowns of index 2 at the end of a step


@kernel()
def norm(own: Collocation) -> float:
    """own.error in errors allowed: the larger of those of q and v."""
    nq, found, total, count = natural(own.q_0.size), 0.0, 0.0, 0
    for i in range(own.error.size):
        total += (own.error[i] / own.scale[i]) ** 2
        count += 1
        if i == nq - 1 or i == own.error.size - 1:
            mean = np.sqrt(total / count)
            if not mean <= found:
                found = mean
            total, count = 0.0, 0
    return found


@kernel()
def filtered(p: Physics, own: Collocation, g: float, along: FloatArray, turned: FloatArray, x: FloatArray) -> None:
    """x = (e_v, ·) from w and v̇_n + Σ e_i Z_i/h, by the real matrix of the step."""
    n, nq = natural(own.v_0.size), natural(own.q_0.size)
    if own.real_matrix != 0:
        products(p, own, g, along, turned, x)
        solve_real(own, x)
        return
    for i in range(n):
        total = 0.0
        for j in range(n):
            total += own.M[i * n + j] * turned[j]
            if nq > 0:
                total -= g * own.K[i * n + j] * along[j]
        x[i] = g * total
    for k in range(p.rows.size):
        total = 0.0
        if nq > 0:
            for j in range(n):
                total -= g * own.H[p.rows[k] * n + j] * along[j]
        x[n + k] = total
    lu_solve(own.factors[: x.size * x.size], own.pivots[: x.size], x)


@kernel()
def estimate(p: Physics, own: Collocation, h: float, v: FloatArray, q_rate: FloatArray, v_rate: FloatArray) -> float:
    """The embedded error of q and v into own.error, and its size."""
    n, nq, g = natural(own.v_0.size), natural(own.q_0.size), h / GAMMA
    x, along, turned = own.x[: n + p.rows.size], own.x_re, own.x_im
    for j in range(n):
        along[j], turned[j] = v[j], v_rate[j]
        for i in range(STAGES):
            turned[j] += EMBEDDED[i] * own.Z[i, j] / h
            for k in range(STAGES):
                along[j] += EMBEDDED[i] * WEIGHTS[i, k] * own.V[k, j]
    filtered(p, own, g, along, turned, x)
    for j in range(n):
        own.error[nq + j] = x[j]
    for j in range(nq):
        total = q_rate[j]
        for i in range(STAGES):
            total += EMBEDDED[i] * (own.Q[i, j] - own.q_0[j]) / h
        # where q is not a vector space, what e_v does to q is left out
        own.error[j] = g * (total + (x[j] if nq == n else 0.0))
    return norm(own)


@kernel()
def estimate_again(p: Physics, leg: Leg, own: Collocation, h: float, memory: Memory, counters: Counters) -> float:
    """The error once more with rates at y_n + e: the first estimate is far too large beside fast
    components that have died out."""
    trial, nq = memory.aside, natural(own.q_0.size)
    for i in range(nq):
        trial.q[i] = own.q_0[i] + own.error[i]
    for i in range(own.v_0.size):
        trial.v[i] = own.v_0[i] + own.error[nq + i]
    # own.error holds the rates, until the estimate replaces them
    if rate_of(p, leg, min(own.t_0, leg.t_limit), trial, memory, own.error, counters, PATIENCE) != OK:
        return np.inf
    copy_to(own.error[:nq], own.moved)
    copy_to(own.error[nq:], own.plus)
    return estimate(p, own, h, trial.v, own.moved, own.plus)


@kernel()
def factorise_rates(own: Collocation, memory: Memory) -> int:
    """Factors of [M B; G 0], for ṡ and z of index 2."""
    n, m = natural(own.v_0.size), natural(own.L.shape[1])
    whole = n + m
    for i in range(n):
        for j in range(n):
            memory.J[i * whole + j] = own.M[i * n + j]
        for j in range(m):
            memory.J[i * whole + n + j], memory.J[(n + j) * whole + i] = own.B[j * n + i], own.G[j * n + i]
    for i in range(n, whole):
        for j in range(n, whole):
            memory.J[i * whole + j] = 0.0
    memory.factors_good = 0
    return lu_factor(memory.J, memory.pivots[:whole], memory.unknown_sizes)


@kernel()
def finish_algebraic(p: Physics, t_1: float, own: Collocation, trial: State, memory: Memory) -> int:
    """ṡ and z at the end; of index 2 from the derivative of c, which z is of full order by."""
    n, last = natural(own.v_0.size), LAST
    second = own.algebraic == INDEX_2
    copy_to(own.L[last], trial.lam)
    copy_to(own.V_rate[last], trial.a)
    copy_to(trial.v, memory.v)
    status = factorise_rates(own, memory) if second else OK
    for _ in range(ENOUGH if second else 1):
        copy_to(trial.lam, memory.lam)
        copy_to(trial.a, memory.a)
        status = max(status, ask(p, BALANCE, t_1, own, memory, memory.r[:n]))
        if second and status == OK:
            status = ask(p, ACCELERATION, t_1, own, memory, memory.r[n:])
            lu_solve(memory.J, memory.pivots[: memory.r.size], memory.r)
            for i in range(trial.lam.size):
                trial.lam[i] -= memory.r[n + i]
        for i in range(n):
            trial.a[i] -= memory.r[i]
        if status != OK:
            break
    return status


@kernel()
def finish(p: Physics, leg: Leg, own: Collocation, memory: Memory, counters: Counters) -> int:
    """memory.aside, the end of the step: where it lives, onto the constraints, with its
    accelerations."""
    trial, status, nq, last = memory.aside, OK, natural(own.q_0.size), LAST
    t_1 = min(own.t_1, leg.t_limit)
    if p.traits & GENERAL:
        return finish_algebraic(p, t_1, own, trial, memory)
    if p.traits & KNOWS_RATE:
        status = live(p, own.Q[last], trial.da, trial.q)
    if own.project == PROJECTED and status == OK:
        copy_to(own.Q[last], own.error[:nq])
        copy_to(own.V[last], own.error[nq:])
        status = onto_constraints(p, t_1, trial, memory)
        if status == OK and moved_far(own.error, trial, own.rtol, own.atol):
            status = UNDERFLOW
    if status == OK:
        status = rate_of(p, leg, t_1, trial, memory, own.error, counters, PATIENCE)
    return status
