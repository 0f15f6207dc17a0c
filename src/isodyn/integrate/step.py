"""One step of GS4, for second- and first-order systems, with and without constraints.

    q̃ = q_n ⊕ (W₁Δt v + W₂Λ₂Δt² a + W₃Λ₃Δt² Δa)       ṽ = v + W₁Δt a + W₂Λ₅Δt Δa       ã = a + W₁Λ₆ Δa
    balance(t_n + W₁Δt, q̃, ṽ, ã, λ̃) = 0   and   closure at t_{n+1}   for Δa and λ̃
    q_{n+1} = q_n ⊕ (Δt v + ½Δt² a + λ₃Δt² Δa)          v_{n+1} = v + Δt a + λ₅Δt Δa        a_{n+1} = a + Δa

Source: [Shimada2014 (2.5)], [Shimada2014 (3.131)]. a_n stands for the acceleration at t_n − φΔt with the Δt of the step that made it;
before a step of another size it is moved along its own slope, a ← a + φ(Δt_old − Δt_new) Δa/Δt_old, or a loses an order.

A step whose iteration fails is repeated with more careful matrices (RESCUE), then in two halves, again and again up to `max_halvings`.
"""

from __future__ import annotations

from typing import Any

from numba import types

from isodyn.compiled import (
    BALANCE,
    GENERAL,
    NO_PIVOT,
    NOT_CONVERGED,
    NOT_FINITE,
    OK,
    RAISED,
    SINGULAR,
    SPARSE,
    WRONG_SHAPE,
    Closure,
    F,
    FloatArray,
    I,
    Physics,
    f8,
    i8,
    kernel,
)
from isodyn.integrate.closeness import watch_rank
from isodyn.integrate.closure import copy_to, end_state, finite, measure, measure_forces, settle, size_v
from isodyn.integrate.equations import trial
from isodyn.integrate.extrapolation import extrapolate, recall, remember
from isodyn.integrate.local_error import judge
from isodyn.integrate.matrix import CAREFUL
from isodyn.integrate.newton import FROM_LAST, FROM_REST, STEADY, guessed, solve_step
from isodyn.integrate.projection import polish, project
from isodyn.integrate.signatures import PHYSICS_REF, SCHEME_REF, STATE_REF, WORK_REF
from isodyn.integrate.work import (
    A_1,
    A_P,
    D_P,
    EVALUATIONS,
    HALVINGS,
    LAM,
    LAM_1,
    MU,
    NU,
    Q_1,
    Q_B,
    Q_BB,
    R_PLUS,
    RESCUES,
    T_B,
    T_BB,
    V_1,
    V_B,
    V_BB,
    V_P,
    A,
    P,
    Q,
    R,
    U,
    V,
    X,
)
from isodyn.lowering import by_reference

SAME_STEP = 1e-8  # two step sizes that differ relatively by less are the same
SMOOTH = 0.3  # how much of the acceleration may change in a step for its next change to be guessed from the last one
BETTER = 0.1  # how much of the balance at ã = 0 another guess may leave to be taken
RESCUE = (
    CAREFUL,
    1e-8,
)  # after a failure: the safe start, exact closures; a regularised matrix where constraints lose rank for a moment


@kernel()
def predict(s: Any, dt: float, state: Any, w: Any) -> None:
    """The state at Δa = 0: displacement, velocity and acceleration at the balance, into w.n[D_P], w.n[V_P], w.n[A_P]."""
    dt_old = state.clock[1]
    shift = s.phi * (dt_old - dt) / dt_old if dt_old != 0.0 else 0.0
    for i in range(state.v.size):
        a = state.a[i] + shift * state.da[i]
        w.n[A_P, i] = a
        w.n[V_P, i] = state.v[i] + s.W1 * dt * a  # [Shimada2014 (2.5c)]
        w.n[D_P, i] = s.W1 * dt * state.v[i] + s.W2L2 * dt * dt * a  # [Shimada2014 (2.5b)]


@kernel()
def balance_at(
    p: Any, s: Any, t: float, dt: float, state: Any, c: FloatArray, w: Any, kind: float, r: FloatArray
) -> int:
    """The trial state of a guess (isodyn.integrate.newton.guessed), and its balance in r."""
    for i in range(w.n[X].size):
        w.n[X, i] = guessed(kind, state, c, w, i)
    status = trial(p, s, dt, state, c, w)
    if status == OK:
        status = p.model(BALANCE, t, w.q[Q], w.n[V], w.n[A], w.m[LAM], c, p.pf, p.pi, r[: w.n[X].size])
    return status


@kernel(types.void(PHYSICS_REF, SCHEME_REF, f8, f8, STATE_REF, i8, F, WORK_REF, I), inner=True, apart=True)
def guess(p: Any, s: Any, t: float, dt: float, state: Any, form: int, c: FloatArray, w: Any, count: Any) -> None:
    """First unknowns: ã = 0, so that q̃ follows from the velocity alone; the last Δa where a constrained motion is smooth.

    Where it is not, Δa = 0 is tried beside ã = 0, and taken if its balance is far better: of a stiff system that oscillates from step to
    step the acceleration tells nothing, and an iteration from there may lead to another solution. Without constraints it is always ã = 0:
    central forces then stay central before the iteration has converged, too, and of stiff free beams nothing else balances better.
    In a-, v- and d-form no change of a, v or q. w.scale[5] = 1 where the balance of the guess is in w.s[R].
    """
    n = w.n[X].size
    recall(dt, state, w)
    for i in range(n):
        w.n[P, i], w.n[U, i] = 0.0, 0.0
    for i in range(state.lam.size):
        w.m[LAM, i], w.m[MU, i], w.m[NU, i] = state.lam[i], 0.0, 0.0
    w.scale[0] = size_v(w, A_P)
    w.scale[1] = measure(state.lam, w.rows)
    smooth = state.clock[1] == dt and measure(state.da, w.by_v) <= SMOOTH * w.scale[0]
    w.scale[3], w.scale[5] = FROM_REST, 0.0
    choice = state.lam.size > 0 and w.scale[2] == 0.0
    if choice and smooth:
        w.scale[3] = FROM_LAST
        extrapolate(p, w)
    elif choice and c[2] != 0.0 and p.closure.null_space == 0:
        status = balance_at(p, s, t, dt, state, c, w, FROM_REST, w.s[R_PLUS])
        if status == OK and balance_at(p, s, t, dt, state, c, w, STEADY, w.s[R]) == OK:
            count[EVALUATIONS] += 1
            w.scale[5] = 1.0
            if measure_forces(w.s[R], w.by_v) <= BETTER * measure_forces(w.s[R_PLUS], w.by_v):
                w.scale[3] = STEADY
            else:
                copy_to(w.s[R_PLUS], w.s[R])
                w.scale[5] = -1.0
    c[3] = 1.0
    if form == 2:
        c[3] = 1.0 / (s.l5 * dt)
    elif form == 3:
        c[3] = 1.0 / (s.l3 * dt * dt)
    for i in range(n):  # [Shimada2014 (Table 2.4)]
        if form == 0:
            w.n[X, i] = guessed(w.scale[3], state, c, w, i)
        elif form == 1:
            w.n[X, i] = 0.0
        elif form == 2:
            w.n[X, i] = -w.n[A_P, i] / s.l5
        else:
            w.n[X, i] = -(state.v[i] / dt + 0.5 * w.n[A_P, i]) / s.l3
    if form != 0:
        w.scale[5] = 0.0
    elif w.scale[5] < 0.0:
        w.scale[5] = 1.0 if trial(p, s, dt, state, c, w) == OK else 0.0


@kernel()
def keep_balance(p: Any, s: Any, t: float, dt: float, state: Any, c: FloatArray, w: Any) -> int:
    """The state at the balance of this step and of the one before, for forces that are read from there (isodyn.results.at_balance)."""
    status = trial(p, s, dt, state, c, w)
    if status == OK:
        copy_to(w.q[Q_B], w.q[Q_BB])
        copy_to(w.q[Q], w.q[Q_B])
        copy_to(w.n[V_B], w.n[V_BB])
        copy_to(w.n[V], w.n[V_B])
        w.past[T_BB], w.past[T_B] = w.past[T_B], t
    return status


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
    if abs(dt - state.clock[1]) <= SAME_STEP * abs(dt):
        dt = state.clock[1]  # differences of times carry rounding; a factorisation made for dt shall stay good
    c[0] = s.W1L6
    c[1] = dt * s.W2L5
    c[2] = dt * dt * s.W3L3
    predict(s, dt, state, w)
    t_end, t_balance = min(t_1, t_limit), min(t + s.W1 * dt, t_limit)
    guess(p, s, t_balance, dt, state, controls.form, c, w, count)
    status = solve_step(p, s, t_balance, t_end, dt, state, c, w, pivots, controls, count)
    if status == OK:
        status = end_state(p, s, dt, state, c, w)
    if status == OK and p.rows.size > 0:
        if p.closure.project > 0:
            status = project(p, t_end, p.closure.project, s.phi, w, pivots)
        elif not p.traits & GENERAL and p.closure.null_space == 0 and p.closure.at_balance == 0:
            status = polish(p, s, t_end, c, w, pivots)
    if status == OK and not (finite(w.q[Q_1]) and finite(w.n[V_1])):
        status = NOT_FINITE
    if status == OK:
        status = settle(p, c, w.q[Q_1])
    if status == OK and controls.keep_balance == 1:
        status = keep_balance(p, s, t_balance, dt, state, c, w)
    if status == OK:
        judge(s, t_1, dt, state, w)
        remember(t_1, w)
        copy_to(w.q[Q_1], state.q)
        copy_to(w.n[V_1], state.v)
        copy_to(w.n[A_1], state.a)
        copy_to(w.m[LAM_1], state.lam)
        copy_to(w.n[X], state.da)
        state.clock[0] = t_1
        state.clock[1] = dt
        if p.closure.at_balance == 1 and p.closure.compliance == 0.0:
            watch_rank(p, t + s.W1 * dt, w, pivots)
    return status


@kernel()
def with_multipliers(p: Any) -> Any:
    """The same physics; where the step closes at the balance, with multipliers that are not eliminated."""
    k = p.closure
    null_space = 0 if k.at_balance == 1 else k.null_space
    closure = Closure(
        k.g1,
        k.g2,
        k.g3,
        k.correct_q,
        k.correct_v,
        k.in_balance,
        k.project,
        null_space,
        k.at_balance,
        k.compliance,
    )
    return Physics(p.model, p.traits, p.holonomic, closure, p.rows, p.pf, p.pi)


@kernel()
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
        for rescue in RESCUE:
            if status not in (SINGULAR, NOT_CONVERGED, NOT_FINITE):
                break
            if rescue == CAREFUL and w.scale[3] == FROM_REST and p.closure.at_balance == 0:
                continue
            if p.rows.size == 0 or (p.closure.at_balance == 1 and p.traits & SPARSE):
                break  # the latter takes full matrices, which the driver has
            w.key[0] = 0.0
            w.scale[2] = rescue
            if step(by_reference(with_multipliers(p)), s, t_next, t_limit, state, c, w, pivots, controls, count) == OK:
                status = OK
                count[RESCUES] += rescue != CAREFUL or p.closure.at_balance == 1
            w.scale[2] = 0.0
            w.key[0] = 0.0
        if status == OK:
            pieces -= 1
        elif (
            status in (RAISED, WRONG_SHAPE, NO_PIVOT)
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
