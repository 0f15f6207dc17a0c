"""One step of GS4, for second- and first-order systems alike.

    q̃ = q_n ⊕ (W₁Δt v + W₂Λ₂Δt² a + W₃Λ₃Δt² Δa)       ṽ = v + W₁Δt a + W₂Λ₅Δt Δa       ã = a + W₁Λ₆ Δa
    balance(t_n + W₁Δt, q̃, ṽ, ã) = 0  for Δa
    q_{n+1} = q_n ⊕ (Δt v + ½Δt² a + λ₃Δt² Δa)          v_{n+1} = v + Δt a + λ₅Δt Δa        a_{n+1} = a + Δa

Source: [Shimada2014 (2.5)]. a_n stands for the acceleration at t_n − φΔt with the Δt of the step that made it; before a step
of another size it is moved along its own slope, a ← a + φ(Δt_old − Δt_new) Δa/Δt_old, or a loses an order.

A step whose iteration fails is repeated in two halves, again and again up to `max_halvings`.
"""

from __future__ import annotations

from typing import Any

from isodyn.compiled import (
    MODEL_TYPE,
    OK,
    RAISED,
    SINGULAR,
    STATE,
    WRONG_SHAPE,
    F,
    FloatArray,
    I,
    Physics,
    f8,
    i8,
    kernel,
)
from isodyn.integrate.newton import CONTROLS, HALVINGS, WORK, retract, size, solve_balance

SAME_STEP = 1e-8  # two step sizes that differ relatively by less are the same


@kernel()
def predict(s: Any, dt: float, state: Any, w: Any) -> None:
    """The state at Δa = 0: displacement, velocity and acceleration at the balance, into w.d_p, w.v_p, w.a_p."""
    dt_old = state.clock[1]
    shift = s.phi * (dt_old - dt) / dt_old if dt_old > 0.0 else 0.0
    for i in range(state.v.size):
        a = state.a[i] + shift * state.da[i]
        w.a_p[i] = a
        w.v_p[i] = state.v[i] + s.W1 * dt * a  # [Shimada2014 (2.5c)]
        w.d_p[i] = s.W1 * dt * state.v[i] + s.W2L2 * dt * dt * a  # [Shimada2014 (2.5b)]


@kernel()
def update(p: Any, s: Any, dt: float, state: Any, c: FloatArray, w: Any) -> int:
    """The state at t_{n+1} from Δa = w.x; leaves `state` alone when retraction fails."""
    for i in range(state.v.size):
        w.d[i] = dt * state.v[i] + dt * dt * (0.5 * w.a_p[i] + s.l3 * w.x[i])
    status = retract(p, state.q, w.d, c, w.q)  # [Shimada2014 (2.5e)]
    if status != OK:
        return status
    state.q[:] = w.q
    for i in range(state.v.size):
        state.v[i] += dt * (w.a_p[i] + s.l5 * w.x[i])  # [Shimada2014 (2.5f)]
        state.a[i] = w.a_p[i] + w.x[i]  # [Shimada2014 (2.5g)]
        state.da[i] = w.x[i]
    return OK


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
    for i in range(w.x.size):
        w.x[i] = -w.a_p[i] / s.W1L6  # start from ã = 0, so that q̃ follows from the velocity alone
    status = solve_balance(
        p, min(t + s.W1 * dt, t_limit), state.q, state.lam, c, size(w.a_p), w, pivots, controls, count
    )
    if status == OK:
        status = update(p, s, dt, state, c, w)
    if status == OK:
        state.clock[0] = t_1
        state.clock[1] = dt
    return status


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
        if status == OK:
            pieces -= 1
        elif status in (RAISED, SINGULAR, WRONG_SHAPE) or halvings == controls.max_halvings:
            return status
        else:
            w.key[0] = 0.0
            pieces *= 2
            halvings += 1
            count[HALVINGS] += 1
    return OK


@kernel()
def acceleration(p: Any, t: float, state: Any, c: FloatArray, w: Any, pivots: Any, controls: Any, count: Any) -> int:
    """state.a from M a = Q at the state itself; no last step is known after this."""
    c[0], c[1], c[2] = 1.0, 0.0, 0.0
    for x in (w.d_p, w.a_p, w.x):
        x[:] = 0.0
    w.v_p[:] = state.v
    status = solve_balance(p, t, state.q, state.lam, c, 0.0, w, pivots, controls, count)
    state.a[:] = w.x
    state.da[:] = 0.0
    state.clock[1] = 0.0
    return status


@kernel(i8(MODEL_TYPE, i8, F, I, f8, STATE, WORK, I, CONTROLS, I))
def initial_acceleration(
    model: Any, traits: int, pf: Any, pi: Any, t: float, state: Any, w: Any, pivots: Any, controls: Any, count: Any
) -> int:
    """`acceleration` for callers outside compiled code; loads are taken at t, which may be a right-hand limit."""
    return acceleration(Physics(model, traits, pf, pi), t, state, w.key[1:].copy(), w, pivots, controls, count)
