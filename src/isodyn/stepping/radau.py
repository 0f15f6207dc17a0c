"""Radau IIA of order 5 at velocity level, for stiff motions, with constraints and with algebraic
unknowns.

    Q_i = q_n + h Σ a_ij q̇(Q_j, V_j),    V_i = v_n + Z_i,    V̇_i = Σ (A⁻¹)_ij Z_j / h,      t_i = t_n + c_i h
    balance(t_i, Q_i, V_i, V̇_i, Λ_i) = 0,       φ̇ = 0 and ψ = 0 at (t_i, Q_i, V_i)

Then (Q₃, V₃) is put onto φ = 0, φ̇ = 0 and ψ = 0 by the least change in the mass norm, and a and λ
are solved for there. The iteration is Newton's with the matrices of some step before
(isodyn.stepping.radau_matrix), in the transformed stages W = T⁻¹Z, of which one is real and two are
a complex one [Hairer1996 Sec. IV.8]. The embedded error

    e = γ₁⁻¹h (ẏ_n + Σ e_i Z_i / h),     filtered by the real matrix

is of order 3: stiff components are damped by it, and e_v is tangent to the constraints. Where q is
not a vector space, stages are taken in the coordinates of q, as they are in isodyn.stepping.dop853.

Steps grow by what errors say (isodyn.stepping.radau_growth), not at all where the factors serve
once more, and the matrices stay while the iteration contracts fast enough.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from isodyn.kernels.compiled import (
    BALANCE,
    GENERAL,
    NOT_CONVERGED,
    NOT_FINITE,
    OK,
    RETRACTS,
    VELOCITY,
    FloatArray,
    ModelFunction,
    kernel,
)
from isodyn.kernels.lowering import by_reference, natural
from isodyn.kernels.struct_types import opened, struct_at
from isodyn.linear_solvers.dense import lu_solve
from isodyn.linear_solvers.dense_complex import complex_lu_solve
from isodyn.stepping.closure import copy_to, finite, measure
from isodyn.stepping.dop853 import IN_PYTHON, physics_of
from isodyn.stepping.memory import ASK, EPS, Counters, Leg, Memory, Physics, Plan, State
from isodyn.stepping.radau_end import estimate, estimate_again, finish
from isodyn.stepping.radau_growth import MOST_ITERATIONS, growth
from isodyn.stepping.radau_matrix import derive, factorise_stages, serves
from isodyn.stepping.radau_memory import (
    GAMMA,
    GAMMA_IM,
    GAMMA_RE,
    INVERSE,
    LAST,
    NODES,
    STAGES,
    T_INVERSE,
    WEIGHTS,
    Collocation,
    T,
)
from isodyn.stepping.radau_rounding import noise, rounding_of_rows
from isodyn.stepping.radau_sparse import solve_complex, solve_real
from isodyn.stepping.rate import velocity_of_q
from isodyn.stepping.told_step import TAKE

if TYPE_CHECKING:
    from isodyn.kernels.struct import StructAddress

SWEEPS = 3  # for stages of q where it is not a vector space: each adds a power of h
FAST = 1e-3  # contraction with which the matrices stay
QUICK = 2  # iterations after which they stay in any case
TOO_LONG = 0.7  # of a step with which the iteration did not converge: no step is longer for a while
STUCK = 0.1  # contraction with which corrections of that size are rounding
HALF = 0.5  # of such a step is tried next
TINY = 1e-300  # beside which every number is large
LENGTH = GAMMA_RE * GAMMA_RE + GAMMA_IM * GAMMA_IM


@kernel()
def begin(p: Physics, own: Collocation, t_1: float, state: State, memory: Memory) -> int:
    """The start of the step with its rates, and the errors that are allowed beside it."""
    own.t_0, own.t_1, nq = state.t, t_1, natural(state.q.size)
    copy_to(state.q, own.q_0)
    copy_to(state.v, own.v_0)
    copy_to(state.a, own.v_rate)
    for i in range(own.scale.size):
        own.scale[i] = own.atol[i] + own.rtol * abs(state.q[i] if i < nq else state.v[i - nq])
    own.floor = own.rounding
    fast, far = measure(state.v, memory.by_v), max(1.0, measure(state.q, memory.by_q) / own.reach)
    carried = max(own.grain_at_rest, own.grain * fast) * far
    own.fastest, own.carried = max(own.fastest, fast), max(own.carried, carried)
    if carried > 0.0:
        own.floor = max(own.floor, noise(own, carried, memory.by_v))
    own.of_rows = rounding_of_rows(own, fast, memory.by_v) if p.rows.size > 0 and nq > 0 else 0.0
    return velocity_of_q(p, state.q, state.v, memory.by_v, own.q_rate) if nq > 0 else OK


@kernel()
def guess(own: Collocation, state: State) -> None:
    """Z and Λ from the polynomials of the last step; from a and λ alone where there was none."""
    h, n, m = own.t_1 - own.t_0, natural(own.v_0.size), natural(own.L.shape[1])
    goes_on = own.end == state.t and own.length > 0.0
    for i in range(STAGES):
        x = 1.0 + NODES[i] * h / own.length if goes_on else 0.0
        for j in range(n):
            own.Z[i, j] = NODES[i] * h * state.a[j]
            if goes_on:
                value = 0.0
                for k in range(STAGES, -1, -1):
                    value = value * x + own.v_powers[k, j]
                own.Z[i, j] = value - state.v[j]
        for j in range(m):
            own.L[i, j] = state.lam[j]
            if goes_on:
                value = 0.0
                for k in range(STAGES, -1, -1):
                    value = value * x + own.lam_powers[k, j]
                own.L[i, j] = value


@kernel()
def stages_of_q(p: Physics, own: Collocation, memory: Memory, sweeps: int) -> int:
    """V and Q for Z, by so many sweeps where q̇ depends on q."""
    h, n, nq, status = own.t_1 - own.t_0, natural(own.v_0.size), natural(own.q_0.size), OK
    for i in range(STAGES):
        for j in range(n):
            own.V[i, j] = own.v_0[j] + own.Z[i, j]
    if nq == 0:
        return OK
    for _ in range(sweeps if p.traits & RETRACTS else 1):
        for i in range(STAGES):
            status = max(status, velocity_of_q(p, own.Q[i], own.V[i], memory.by_v, own.Q_rate[i]))
        for i in range(STAGES):
            for j in range(nq):
                total = 0.0
                for k in range(STAGES):
                    total += WEIGHTS[i, k] * own.Q_rate[k, j]
                own.Q[i, j] = own.q_0[j] + h * total
    return status


@kernel()
def residuals(p: Physics, leg: Leg, own: Collocation, memory: Memory, counters: Counters) -> int:
    """Balance and rows of all stages."""
    h, n, status = own.t_1 - own.t_0, natural(own.v_0.size), OK
    for i in range(STAGES):
        for j in range(n):
            total = 0.0
            for k in range(STAGES):
                total += INVERSE[i, k] * own.Z[k, j]
            own.V_rate[i, j] = total / h
        t = min(own.t_0 + NODES[i] * h, leg.t_limit)
        status = p.model(
            BALANCE, t, own.Q[i], own.V[i], own.V_rate[i], own.L[i], own.c, p.tables, p.scratch, own.balance[i]
        )
        if status == OK and p.rows.size > 0:
            status = p.model(
                VELOCITY, t, own.Q[i], own.V[i], own.V_rate[i], own.L[i], own.c, p.tables, p.scratch, own.gap[i]
            )
        if status != OK:
            return status
    counters.evaluations += STAGES
    return status


@kernel()
def transform(p: Physics, own: Collocation, h: float) -> None:
    """Right-hand sides −(g T⁻¹ balance, T⁻¹ rows), of the real and of the complex matrix."""
    n, g, g_re, g_im = natural(own.v_0.size), h / GAMMA, h * GAMMA_RE / LENGTH, h * GAMMA_IM / LENGTH
    for j in range(n):
        real = re = im = 0.0
        for i in range(STAGES):
            real += T_INVERSE[0, i] * own.balance[i, j]
            re += T_INVERSE[1, i] * own.balance[i, j]
            im += T_INVERSE[2, i] * own.balance[i, j]
        own.x[j], own.x_re[j], own.x_im[j] = -g * real, g_im * im - g_re * re, -g_re * im - g_im * re
    for k in range(p.rows.size):
        real = re = im = 0.0
        for i in range(STAGES):
            real += T_INVERSE[0, i] * own.gap[i, p.rows[k]]
            re += T_INVERSE[1, i] * own.gap[i, p.rows[k]]
            im += T_INVERSE[2, i] * own.gap[i, p.rows[k]]
        own.x[n + k], own.x_re[n + k], own.x_im[n + k] = -real, -re, -im


@kernel()
def pushed(p: Physics, own: Collocation, x: FloatArray, x_re: FloatArray, x_im: FloatArray) -> float:
    """What corrections of algebraic unknowns do to Z, in errors allowed."""
    n, total = natural(own.v_0.size), 0.0
    for j in range(n):
        real = re = im = 0.0
        for k in range(p.rows.size):
            by = own.B[p.rows[k] * n + j]
            real += by * GAMMA * x[n + k]
            re += by * (GAMMA_RE * x_re[n + k] + GAMMA_IM * x_im[n + k])
            im += by * (GAMMA_RE * x_im[n + k] - GAMMA_IM * x_re[n + k])
        total += (real * real + re * re + im * im) / own.scale[natural(own.q_0.size) + j] ** 2
    return np.sqrt(total / (STAGES * n))


@kernel()
def correct(p: Physics, own: Collocation, h: float, memory: Memory) -> float:
    """Solve for the corrections of Z and Λ, and add them; the size of that of Z, in errors
    allowed."""
    n, nq, total = natural(own.v_0.size), natural(own.q_0.size), 0.0
    whole = n + p.rows.size
    square = whole * whole
    x, x_re, x_im = own.x[:whole], own.x_re[:whole], own.x_im[:whole]
    transform(p, own, h)
    if own.real_matrix != 0:
        solve_real(own, x)
        solve_complex(own, x_re, x_im)
    else:
        lu_solve(own.factors[:square], own.pivots[:whole], x)
        complex_lu_solve(own.factors_re[:square], own.factors_im[:square], own.complex_pivots[:whole], x_re, x_im)
    own.pushed_before = own.pushed
    own.pushed = pushed(p, own, x, x_re, x_im) if p.traits & GENERAL else 0.0
    for i in range(STAGES):
        for j in range(n):
            change = T[i, 0] * x[j] + T[i, 1] * x_re[j] + T[i, 2] * x_im[j]
            own.Z[i, j] += change
            total += (change / own.scale[nq + j]) ** 2
        for k in range(p.rows.size):
            y, re, im = x[n + k], x_re[n + k], x_im[n + k]
            # divided by g: 1/g = γ/h
            y, re, im = GAMMA * y, GAMMA_RE * re + GAMMA_IM * im, GAMMA_RE * im - GAMMA_IM * re
            own.L[i, p.rows[k]] += (T[i, 0] * y + T[i, 1] * re + T[i, 2] * im) / h
    copy_to(x, memory.dx[:whole])
    return np.sqrt(total / (STAGES * n))


@kernel()
def change_of_q(own: Collocation) -> float:
    """How much the stages of q have changed, in errors allowed; they are kept for the next
    time."""
    total, nq = 0.0, natural(own.q_0.size)
    for i in range(STAGES):
        for j in range(nq):
            total += ((own.Q[i, j] - own.Q_before[i, j]) / own.scale[j]) ** 2
            own.Q_before[i, j] = own.Q[i, j]
    return np.sqrt(total / (STAGES * nq)) if nq > 0 else 0.0


@kernel()
def judge(own: Collocation, k: int, change: float) -> int:
    """OK where correction k was the last that is needed, NOT_CONVERGED where more will not do,
    NOT_FINITE where it is no number, −1 otherwise."""
    if not np.isfinite(change):
        return NOT_FINITE
    if k > 0:
        if own.left <= own.floor:
            return OK  # this correction was the one beyond: the next would be rounding
        own.contraction = change / own.size_before
        if change <= own.floor and (own.contraction >= 1.0 or own.floor > own.rounding):
            return OK  # it is rounding, or what the rows carry
        if change <= own.of_rows and own.contraction >= STUCK:
            return OK
        if own.contraction >= 1.0:
            return NOT_CONVERGED
        own.trust = own.contraction / (1.0 - own.contraction)
        slow = own.pushed / max(own.pushed_before, own.pushed, TINY)
        if slow * own.pushed > own.tolerance:  # guesses of z may be better than those of s, and shrink more slowly
            own.trust = max(own.trust, slow)
        own.expected = own.trust if k == 1 else max(own.expected, own.trust)
    own.size_before, own.left = change, max(own.trust, 10.0 * EPS) * change
    if change == 0.0 or own.left <= own.tolerance:
        return OK
    # new matrices cost less than another correction, a shorter step costs more
    first = 2 if own.known_at == own.t_0 else 1
    if k >= first and own.contraction ** (MOST_ITERATIONS - 1 - k) * own.left > own.floor:
        return NOT_CONVERGED
    return -1


@kernel()
def iterate(p: Physics, leg: Leg, own: Collocation, h: float, state: State, memory: Memory, counters: Counters) -> int:
    """The stages, by Newton's method with the factors that there are."""
    guess(own, state)
    for i in range(STAGES):
        copy_to(own.q_0, own.Q[i])
    own.expected = max(own.expected, EPS) ** 0.8
    own.trust, own.contraction = own.expected, 0.0
    status = stages_of_q(p, own, memory, SWEEPS)
    change_of_q(own)
    for k in range(MOST_ITERATIONS):
        own.iterations = k + 1
        counters.iterations += 1
        if status == OK:
            status = residuals(p, leg, own, memory, counters)
        if status != OK:
            return status
        change = correct(p, own, h, memory)
        status = stages_of_q(p, own, memory, SWEEPS)
        change = max(change, change_of_q(own))
        memory.correction = change
        verdict = judge(own, k, change)
        if verdict >= 0:
            return max(status, verdict)
    return NOT_CONVERGED


@kernel()
def converge(p: Physics, leg: Leg, own: Collocation, h: float, state: State, memory: Memory, counters: Counters) -> int:
    """The stages: with the matrices that there are, or else with new ones."""
    status = NOT_CONVERGED
    for _ in range(2):
        fresh = own.known_at == state.t
        if not fresh and (own.renew == 1 or not np.isfinite(own.known_at)):
            status = derive(p, own, min(state.t, leg.t_limit), h, state, memory, counters)
            if status != OK:
                return status
            own.known_at, own.renew, own.factors_for, fresh = state.t, 0, np.nan, True
        status = OK if serves(p, own, h) else factorise_stages(p, own, h, memory, counters)
        if status == OK:
            status = iterate(p, leg, own, h, state, memory, counters)
        if status == OK or fresh:
            break
        own.renew = 1
    if status in (NOT_CONVERGED, NOT_FINITE):
        own.longest = TOO_LONG * h
        memory.growth = HALF
    return status


@kernel(TAKE, apart=True)
def take(
    model: ModelFunction,
    tables: StructAddress,
    scratch: StructAddress,
    plan: Plan,
    t_1: float,
    state: State,
    memory: Memory,
    counters: Counters,
) -> int:
    """One step, and its error."""
    own, leg, trial = opened(Collocation, struct_at(plan.own)), plan.legs[0], memory.aside
    p = by_reference(physics_of(model, tables, scratch, plan, memory))
    if own.asks_in == 0:
        return ASK
    again = own.t_0 == state.t or own.end != state.t  # rejected before, or after a start
    status = begin(p, own, t_1, state, memory)
    h, nq, last = t_1 - state.t, natural(state.q.size), LAST
    if status == OK:
        status = converge(p, leg, own, h, state, memory, counters)
    if status != OK:
        return status
    for i in range(own.scale.size):
        y = own.Q[last][i] if i < nq else own.V[last][i - nq]
        own.scale[i] = max(own.scale[i], own.atol[i] + own.rtol * abs(y))
    error = estimate(p, own, h, own.v_0, own.q_rate, own.v_rate)
    if error > 1.0 and again and not p.traits & GENERAL:
        error = estimate_again(p, leg, own, h, memory, counters)
    memory.error = error
    if not np.isfinite(error):
        return NOT_FINITE
    if error > 1.0:
        return OK
    copy_to(own.error, own.bend)
    copy_to(own.Q[last], trial.q)
    copy_to(own.V[last], trial.v)
    if own.project != IN_PYTHON:
        status = finish(p, leg, own, memory, counters)
        copy_to(trial.a, state.a)
        copy_to(trial.lam, state.lam)
    if status == OK and not (finite(state.a) and finite(trial.v)):
        status = NOT_FINITE
    if status != OK:
        return status
    memory.growth = growth(own, h, error, state, memory.before.lam)
    own.renew = 1 if own.iterations > QUICK and own.contraction > FAST else 0
    own.asks_in -= 1 if own.asks_in > 0 else 0
    copy_to(trial.q, state.q)
    copy_to(trial.v, state.v)
    state.t, state.dt = t_1, h
    return OK
