"""The end of a step of Radau IIA: its error, and the state with accelerations and multipliers.

    e_v:  (M + gC + g²K) e_v + Gᵀ· = g (M (v̇_n + Σ e_i Z_i/h) − g K w),    (G + gH) e_v = −g H w,    w = v_n + Σ e_i (A V)_i
    e_q = g (e_v + q̇_n + Σ e_i (Q_i − q_n)/h),                                g = h/γ₁

This is (γ₁/h − J) e = ẏ_n + Σ e_i Z_i/h for y = (q, v) with the rows of the constraints
[Hairer1996 (IV.8.19)].
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from isodyn.kernels.compiled import (
    GENERAL,
    KNOWS_RATE,
    MODEL_TYPE,
    OK,
    F,
    FloatArray,
    ModelFunction,
    f8,
    i8,
    kernel,
)
from isodyn.kernels.lowering import by_reference, natural
from isodyn.kernels.struct_types import ADDRESS, opened, struct_at
from isodyn.linear_solvers.dense import lu_solve
from isodyn.stepping.closure import copy_to, fill_with, measure
from isodyn.stepping.corrections import solve
from isodyn.stepping.dop853 import PROJECTED, moved_far, physics_of
from isodyn.stepping.initial import PATIENCE
from isodyn.stepping.memory import MEMORY, PLAN, STATE, UNDERFLOW, Counters, Leg, Memory, Physics, Plan, State
from isodyn.stepping.projection import mass_matrix, subtract_mass_times
from isodyn.stepping.radau_algebraic import finish_algebraic
from isodyn.stepping.radau_matrix import serves
from isodyn.stepping.radau_memory import EMBEDDED, GAMMA, LAST, STAGES, WEIGHTS, Collocation
from isodyn.stepping.radau_sparse import products, solve_real
from isodyn.stepping.rate import live, onto_constraints, rate_of

if TYPE_CHECKING:
    from isodyn.kernels.struct import StructAddress


PASSES = 4  # of accelerations inside a step by the real matrix
TOLD = 10.0  # tolerances: what is left after these, and larger than this, is of stiff parts


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
def finish(p: Physics, leg: Leg, own: Collocation, memory: Memory, counters: Counters) -> int:
    """memory.aside, the end of the step: where it lives, onto the constraints, with its
    accelerations."""
    trial, status, nq, last = memory.aside, OK, natural(own.q_0.size), LAST
    t_1 = min(own.t_1, leg.t_limit)
    if p.traits & GENERAL:
        return finish_algebraic(p, t_1, own, trial, memory, counters)
    if p.traits & KNOWS_RATE:
        status = live(p, own.Q[last], trial.da, trial.q)
    if own.project == PROJECTED and status == OK:
        copy_to(own.Q[last], own.error[:nq])
        copy_to(own.V[last], own.error[nq:])
        status = onto_constraints(p, t_1, trial, memory)
        if status == OK and moved_far(own.error, trial, own.rtol, own.scale):
            status = UNDERFLOW
    if status == OK:
        status = rate_of(p, leg, t_1, trial, memory, own.error, counters, PATIENCE)
    return status


@kernel()
def along_rows(p: Physics, t: float, x: FloatArray, memory: Memory) -> None:
    """Take from x what is not along the constraints, with the factors of `mass_matrix`; −η of
    M x = M x_t + Gᵀη stands in memory.dp."""
    fill_with(memory.dp, 0.0)
    subtract_mass_times(p, memory, x, memory.dp)
    solve(p, t, memory.c, memory, memory.dp, memory.dx, False)
    for i in range(x.size):
        x[i] = -memory.dp[i]


@kernel(i8(MODEL_TYPE, ADDRESS, ADDRESS, PLAN, f8, F, STATE, MEMORY))
def calm(
    model: ModelFunction,
    tables: StructAddress,
    scratch: StructAddress,
    plan: Plan,
    t: float,
    rate: FloatArray,
    state: State,
    memory: Memory,
) -> int:
    """Accelerations and multipliers of a state inside the last step, which were solved for there,
    without what stiff parts make of the errors of q and v.

    `rate` is v̇ of the polynomial. The difference d, along the constraints, passes the real matrix
    S as errors do, some times: S x_j + Gᵀμ_j = M (d − x_1 − … − x_{j−1}). Parts that are not stiff
    follow in full. Where more than the tolerance is left of d, it belongs to stiff ones, and
    a = v̇ + Σ x_j, with λ + μ of the last pass.
    """
    own = opened(Collocation, struct_at(plan.own))
    p = by_reference(physics_of(model, tables, scratch, plan, memory))
    n, left, g = natural(own.v_0.size), own.plus, own.factors_for / GAMMA
    x, turned = own.x[: n + p.rows.size], own.x_im
    if not g > 0.0 or not serves(p, own, own.factors_for):
        return OK
    for i in range(n):
        own.x_re[i] = 0.0
        left[i] = state.a[i] - rate[i]
    if p.rows.size > 0:
        status = mass_matrix(p, t, state.q, state.v, state.a, state.lam, memory.c, memory, False)
        if status != OK:
            return status
        along_rows(p, t, left, memory)
    for _ in range(PASSES):
        for i in range(n):
            turned[i] = left[i] / g
        filtered(p, own, g, own.x_re, turned, x)
        for i in range(n):
            left[i] -= x[i]
    if p.rows.size > 0:
        along_rows(p, t, left, memory)
        memory.factors_good = 0
    if not measure(left, memory.by_v) > TOLD * own.rtol * measure(rate, memory.by_v):
        return OK
    for i in range(n):
        state.a[i] -= left[i]
    for k in range(p.rows.size):
        state.lam[p.rows[k]] += x[n + k] + memory.dp[n + k]
    return OK
