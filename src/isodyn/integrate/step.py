"""One step of GS4, for second- and first-order systems, with and without constraints.

    q̃ = q_n ⊕ (W₁Δt v + W₂Λ₂Δt² a + W₃Λ₃Δt² Δa)       ṽ = v + W₁Δt a + W₂Λ₅Δt Δa       ã = a + W₁Λ₆ Δa
    balance(t_n + W₁Δt, q̃, ṽ, ã, λ̃) = 0   and   closure at t_{n+1}   for Δa and λ̃
    q_{n+1} = q_n ⊕ (Δt v + ½Δt² a + λ₃Δt² Δa)          v_{n+1} = v + Δt a + λ₅Δt Δa        a_{n+1} = a + Δa

Source: [Shimada2014 (2.5)], [Shimada2014 (3.131)]. a_n stands for the acceleration at t_n − φΔt with the Δt of the step that made it;
before a step of another size it is moved along its own slope, a ← a + φ(Δt_old − Δt_new) Δa/Δt_old, or a loses an order.

A step whose iteration fails is repeated in two halves, again and again up to `max_halvings`.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from isodyn.compiled import (
    ACCELERATION,
    BALANCE,
    CLOSURE,
    CONSTRAINT,
    GENERAL,
    JACOBIAN,
    MODEL_TYPE,
    NOT_CONVERGED,
    NOT_FINITE,
    OK,
    POSITION,
    RAISED,
    SINGULAR,
    STATE,
    VELOCITY,
    WRONG_SHAPE,
    Coefficients,
    F,
    FloatArray,
    I,
    Physics,
    f8,
    i8,
    kernel,
)
from isodyn.integrate.closure import add_to, copy_to, end_state, fill_with, retract, size
from isodyn.integrate.newton import (
    CONTROLS,
    EPS,
    EVALUATIONS,
    FACTORISATIONS,
    HALVINGS,
    ITERATIONS,
    RESCUES,
    assemble,
    factorise,
    solve,
    solve_step,
)
from isodyn.integrate.work import (
    A_1,
    A_P,
    D_P,
    DP,
    DX,
    GAP,
    GAP_A,
    GAP_Q,
    GAP_V,
    LAM,
    LAM_1,
    MU,
    NU,
    Q_1,
    V_1,
    V_P,
    WORK,
    A,
    D,
    P,
    Q,
    R,
    U,
    V,
    X,
)
from isodyn.linear_solvers.dense import lu_factor

SAME_STEP = 1e-8  # two step sizes that differ relatively by less are the same
REGULARISATION = 1e-8  # of the matrix, relative, where the constraints lose rank for a moment
PROJECTIONS = 20  # most iterations onto φ = 0
STILL = Coefficients(0.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0)  # no step at all


@kernel(inline=True)
def predict(s: Any, dt: float, state: Any, w: Any) -> None:
    """The state at Δa = 0: displacement, velocity and acceleration at the balance, into w.n[D_P], w.n[V_P], w.n[A_P]."""
    dt_old = state.clock[1]
    shift = s.phi * (dt_old - dt) / dt_old if dt_old > 0.0 else 0.0
    for i in range(state.v.size):
        a = state.a[i] + shift * state.da[i]
        w.n[A_P, i] = a
        w.n[V_P, i] = state.v[i] + s.W1 * dt * a  # [Shimada2014 (2.5c)]
        w.n[D_P, i] = s.W1 * dt * state.v[i] + s.W2L2 * dt * dt * a  # [Shimada2014 (2.5b)]


@kernel(inline=True)
def guess(s: Any, dt: float, state: Any, form: int, c: FloatArray, w: Any) -> None:
    """First unknowns: ã = 0, so that q̃ follows from the velocity alone; or no change of a, v or q in a-, v- and d-form."""
    c[3] = 1.0
    if form == 2:
        c[3] = 1.0 / (s.l5 * dt)
    elif form == 3:
        c[3] = 1.0 / (s.l3 * dt * dt)
    for i in range(w.n[X].size):  # [Shimada2014 (Table 2.4)]
        if form == 0:
            w.n[X, i] = -w.n[A_P, i] / s.W1L6
        elif form == 1:
            w.n[X, i] = 0.0
        elif form == 2:
            w.n[X, i] = -w.n[A_P, i] / s.l5
        else:
            w.n[X, i] = -(state.v[i] / dt + 0.5 * w.n[A_P, i]) / s.l3
    copy_to(state.lam, w.m[LAM])
    fill_with(w.n[P], 0.0)
    fill_with(w.n[U], 0.0)
    fill_with(w.m[MU], 0.0)
    fill_with(w.m[NU], 0.0)
    w.scale[0] = size(w.n[A_P])
    w.scale[1] = size(state.lam)


@kernel()
def step(
    p: Any,
    s: Any,
    t_1: float,
    t_limit: float,
    state: Any,
    c: FloatArray,
    w: Any,
    pivots: Any,
    controls: Any,
    count: Any,
) -> int:
    """From state.clock[0] to t_1; loads are not asked for later than t_limit. On failure `state` is unchanged."""
    t = state.clock[0]
    dt = t_1 - t
    if abs(dt - state.clock[1]) <= SAME_STEP * dt:
        dt = state.clock[1]  # differences of times carry rounding; a factorisation made for dt shall stay good
    c[0] = s.W1L6
    c[1] = dt * s.W2L5
    c[2] = dt * dt * s.W3L3
    predict(s, dt, state, w)
    guess(s, dt, state, controls.form, c, w)
    t_end = min(t_1, t_limit)
    status = solve_step(p, s, min(t + s.W1 * dt, t_limit), t_end, dt, state, c, w, pivots, controls, count)
    if status == OK:
        status = end_state(p, s, dt, state, c, w)
    if status == OK and p.rows.size > 0:
        if p.closure.project > 0:
            status = project(p, t_end, p.closure.project, s.phi, w, pivots)
        elif not p.traits & GENERAL and p.closure.null_space == 0:
            status = polish(p, s, t_end, c, w, pivots)
    if status == OK and not (np.isfinite(size(w.q[Q_1])) and np.isfinite(size(w.n[V_1]))):
        status = NOT_FINITE
    if status == OK:
        copy_to(w.q[Q_1], state.q)
        copy_to(w.n[V_1], state.v)
        copy_to(w.n[A_1], state.a)
        copy_to(w.m[LAM_1], state.lam)
        copy_to(w.n[X], state.da)
        state.clock[0] = t_1
        state.clock[1] = dt
    return status


@kernel(inline=True)
def polish(p: Any, s: Any, t: float, c: FloatArray, w: Any, pivots: Any) -> int:
    """Take what the iteration left of the constraints that this formulation keeps, from rtol down to rounding.

    One solve per level with the step's own factors; the state moves by less than the iteration's tolerance.
    """
    k, n = p.closure, w.n[X].size
    pure = k.g1 * k.g2 == 0.0 and k.g2 * k.g3 == 0.0 and k.g1 * k.g3 == 0.0
    status = OK
    if p.holonomic > 0 and (k.correct_q == 1 or (pure and k.g1 != 0.0)):
        status = p.model(POSITION, t, w.q[Q_1], w.n[V_1], w.n[A_1], w.m[LAM_1], c, p.pf, p.pi, w.m[GAP_Q])
        fill(p, w.m[GAP_Q], True, w)
        solve(p, t, c, w, pivots, w.s[DP])
        copy_to(w.s[DP], w.n[D])
        copy_to(w.q[Q_1], w.q[Q])
        status = retract(p, w.q[Q], w.n[D], c, w.q[Q_1])
    if status == OK and (k.correct_v == 1 or (pure and k.g2 != 0.0) or w.m[GAP].size > p.holonomic):
        status = p.model(VELOCITY, t, w.q[Q_1], w.n[V_1], w.n[A_1], w.m[LAM_1], c, p.pf, p.pi, w.m[GAP_V])
        if not (k.correct_v == 1 or (pure and k.g2 != 0.0)):
            w.m[GAP_V][: p.holonomic] = 0.0
        fill(p, w.m[GAP_V], False, w)
        solve(p, t, c, w, pivots, w.s[DP])
        add_to(w.s[DP], w.n[V_1])
    if status == OK and p.holonomic > 0 and pure and k.g3 != 0.0:
        for i in range(n):
            w.n[A, i] = w.n[A_1, i] + s.phi * w.n[X, i]
        status = p.model(ACCELERATION, t, w.q[Q_1], w.n[V_1], w.n[A], w.m[LAM_1], c, p.pf, p.pi, w.m[GAP_A])
        fill(p, w.m[GAP_A], True, w)
        solve(p, t, c, w, pivots, w.s[DP])
        add_to(w.s[DP], w.n[A_1])
    return status


@kernel(inline=True)
def advance(
    p: Any,
    s: Any,
    t_1: float,
    t_limit: float,
    state: Any,
    c: FloatArray,
    w: Any,
    pivots: Any,
    controls: Any,
    count: Any,
) -> int:
    """From state.clock[0] to t_1 in one step, or in 2, 4, … where the iteration asks for it."""
    pieces, halvings = 1, 0
    while pieces > 0:
        t = state.clock[0]
        t_next = t_1 if pieces == 1 else t + (t_1 - t) / pieces
        status = step(p, s, t_next, t_limit, state, c, w, pivots, controls, count)
        if p.rows.size > 0 and status in (SINGULAR, NOT_CONVERGED, NOT_FINITE):
            w.key[0] = 0.0
            w.scale[2] = REGULARISATION
            if step(p, s, t_next, t_limit, state, c, w, pivots, controls, count) == OK:
                status = OK
                count[RESCUES] += 1
            w.scale[2] = 0.0
            w.key[0] = 0.0
        if status == OK:
            pieces -= 1
        elif (
            status in (RAISED, WRONG_SHAPE)
            or (status == SINGULAR and p.rows.size == 0)
            or halvings == controls.max_halvings
        ):
            return status
        else:
            w.key[0] = 0.0
            pieces *= 2
            halvings += 1
            count[HALVINGS] += 1
    return OK


@kernel()
def mass_matrix(
    p: Any, t: float, q: FloatArray, v: FloatArray, a: FloatArray, c: FloatArray, w: Any, pivots: Any
) -> int:
    """Factors of [M Gᵀ; G 0] at a state, into w.J."""
    w.key[0] = 0.0
    c[0], c[1], c[2], c[3] = 1.0, 0.0, 0.0, 1.0
    status = p.model(JACOBIAN, t, q, v, a, w.m[LAM_1], c, p.pf, p.pi, w.J_11)
    if status == OK:
        status = p.model(CONSTRAINT, t, q, v, a, w.m[LAM_1], c, p.pf, p.pi, w.G)
    if status == OK:
        assemble(p, w)
        status = lu_factor(w.J, pivots[: w.s[R].size])
        if status == SINGULAR:
            w.fault[0] = pivots[0]
    return status


@kernel()
def fill(p: Any, gap: FloatArray, holonomic_only: bool, w: Any) -> None:
    """Right-hand side (0, −gap) of a projection, into w.s[DP]."""
    n = w.n[X].size
    fill_with(w.s[DP][:n], 0.0)
    for k in range(p.rows.size):
        i = p.rows[k]
        w.s[DP, n + k] = -gap[i] if i < p.holonomic or not holonomic_only else 0.0


@kernel()
def project(p: Any, t: float, levels: int, phi: float, w: Any, pivots: Any) -> int:
    """Move w.q[Q_1] to φ = 0, w.n[V_1] to φ̇ = 0, ψ = 0 and (levels = 3) â to φ̈ = 0, each by the least change in the mass norm.

    [Shimada2014 (3.187)], [Shimada2014 (3.191)], [Shimada2014 (3.213) adapted].
    """
    n = w.n[X].size
    c = np.empty(4)
    q, base, moved = w.q[Q_1].copy(), w.q[Q_1].copy(), np.zeros(n)
    before, status = np.inf, OK
    for k in range(PROJECTIONS):
        status = mass_matrix(p, t, q, w.n[V_1], w.n[A_1], c, w, pivots)
        if status != OK or p.holonomic == 0:
            break
        status = p.model(POSITION, t, q, w.n[V_1], w.n[A_1], w.m[LAM_1], c, p.pf, p.pi, w.m[GAP_Q])
        fill(p, w.m[GAP_Q], True, w)
        for i in range(n):  # M (d + δ) + Gᵀμ = 0: the whole way d from where it began is the shortest in the end
            for j in range(n):
                w.s[DP, i] -= w.J_11[i * n + j] * moved[j]
        solve(p, t, c, w, pivots, w.s[DP])
        change = size(w.s[DP][:n])
        if not np.isfinite(change):
            return NOT_FINITE
        if k > 0 and change > 0.5 * before and change <= 1e-10 * max(1.0, size(q)):
            break
        for i in range(n):
            moved[i] += w.s[DP, i]
        status = retract(p, base, moved, c, q)
        if change <= 4.0 * EPS * size(q):
            break
        before = change
    copy_to(q, w.q[Q_1])
    if status == OK:
        status = mass_matrix(p, t, q, w.n[V_1], w.n[A_1], c, w, pivots)
    for _ in range(2):
        if status == OK:
            status = p.model(VELOCITY, t, q, w.n[V_1], w.n[A_1], w.m[LAM_1], c, p.pf, p.pi, w.m[GAP_V])
            fill(p, w.m[GAP_V], False, w)
            solve(p, t, c, w, pivots, w.s[DP])
            add_to(w.s[DP], w.n[V_1])
    if status == OK and levels == 3:
        for i in range(n):
            w.n[A, i] = w.n[A_1, i] + phi * w.n[X, i]
        status = p.model(ACCELERATION, t, q, w.n[V_1], w.n[A], w.m[LAM_1], c, p.pf, p.pi, w.m[GAP_A])
        fill(p, w.m[GAP_A], False, w)
        solve(p, t, c, w, pivots, w.s[DP])
        add_to(w.s[DP], w.n[A_1])
    w.key[0] = 0.0
    return status


@kernel(inline=True)
def acceleration(p: Any, t: float, state: Any, w: Any, pivots: Any, controls: Any, count: Any) -> int:
    """state.a and state.lam from M a + Gᵀλ = Q, G a = b at the state itself; no last step is known after this.

    The equations are linear [Shimada2014 (3.88)]; a second solve removes the rounding of the first.
    """
    n = w.n[X].size
    c = np.array([1.0, 0.0, 0.0, 1.0])
    fill_with(state.a, 0.0)
    fill_with(state.lam, 0.0)
    status = OK
    copy_to(state.q, w.q[Q])
    copy_to(state.v, w.n[V])
    for k in range(2):
        copy_to(state.a, w.n[A])
        copy_to(state.lam, w.m[LAM])
        status = p.model(BALANCE, t, w.q[Q], w.n[V], w.n[A], w.m[LAM], c, p.pf, p.pi, w.s[R][:n])
        count[ITERATIONS] += 1
        count[EVALUATIONS] += 1
        if status == OK and p.rows.size > 0:
            status = p.model(ACCELERATION, t, w.q[Q], w.n[V], w.n[A], w.m[LAM], c, p.pf, p.pi, w.m[GAP])
        if status != OK:
            return status
        for i in range(p.rows.size):
            w.s[R, n + i] = w.m[GAP, p.rows[i]]
        if not np.isfinite(size(w.s[R])):
            return NOT_FINITE
        if k == 0:
            fill_with(w.n[D_P], 0.0)
            copy_to(state.v, w.n[V_P])
            fill_with(w.n[A_P], 0.0)
            fill_with(w.n[X], 0.0)
            status = initial_matrix(p, t, state, c, w, pivots, count)
            if status != OK:
                return status
        for i in range(w.s[R].size):
            w.s[DX, i] = -w.s[R, i]
        status = solve(p, t, c, w, pivots, w.s[DX])
        add_to(w.s[DX], state.a)
        for i in range(p.rows.size):
            state.lam[p.rows[i]] += w.s[DX, n + i]
        if p.rows.size == 0 and status == OK:
            break
    fill_with(state.da, 0.0)
    state.clock[1] = 0.0
    return status


@kernel(inline=True)
def initial_matrix(p: Any, t: float, state: Any, c: FloatArray, w: Any, pivots: Any, count: Any) -> int:
    """Factors of M, or of [M Gᵀ; G 0], at the state."""
    if p.rows.size > 0:
        count[FACTORISATIONS] += 1
        return mass_matrix(p, t, state.q, state.v, state.a, c, w, pivots)
    return factorise(p, STILL, t, t, 0.0, state, c, w, pivots, 0, count)


@kernel(i8(MODEL_TYPE, i8, i8, CLOSURE, I, F, I, f8, STATE, WORK, I, CONTROLS, I))
def initial_acceleration(
    model: Any,
    traits: int,
    holonomic: int,
    closure: Any,
    rows: Any,
    pf: Any,
    pi: Any,
    t: float,
    state: Any,
    w: Any,
    pivots: Any,
    controls: Any,
    count: Any,
) -> int:
    """`acceleration` for callers outside compiled code; loads are taken at t, which may be a right-hand limit."""
    return acceleration(Physics(model, traits, holonomic, closure, rows, pf, pi), t, state, w, pivots, controls, count)


@kernel(i8(MODEL_TYPE, i8, i8, CLOSURE, I, F, I, f8, STATE, WORK, I))
def nearest_consistent(
    model: Any,
    traits: int,
    holonomic: int,
    closure: Any,
    rows: Any,
    pf: Any,
    pi: Any,
    t: float,
    state: Any,
    w: Any,
    pivots: Any,
) -> int:
    """Move state.q and state.v onto the constraints by the least change in the mass norm."""
    p = Physics(model, traits, holonomic, closure, rows, pf, pi)
    copy_to(state.q, w.q[Q_1])
    copy_to(state.v, w.n[V_1])
    fill_with(w.n[A_1], 0.0)
    status = project(p, t, 2, 0.0, w, pivots)
    if status == OK:
        copy_to(w.q[Q_1], state.q)
        copy_to(w.n[V_1], state.v)
    return status
