"""Steps of explicit members on large linear systems whose mass matrix is diagonal, in two passes
over the vectors beside the products.

With c₁ = c₂ = 0 the balance is asked at ã = 0, so that M drops out of it, and the unknown is

    Δa = −(a_p + m⁻¹ r)/c₀,        r = C ṽ + K q̃ − f(t̃).

What is computed is what isodyn.stepping.step computes, up to rounding. Local errors are looked at
in the first steps of a stretch and then in one of many: every look reads and writes as much memory
as all the rest of the step beside the products.
"""

from __future__ import annotations

from isodyn.kernels.compiled import BALANCE, NOT_FINITE, OK, FloatArray, f8, i8, kernel
from isodyn.kernels.lowering import natural
from isodyn.stepping.closure import finite
from isodyn.stepping.extrapolation import recall, remember
from isodyn.stepping.local_error import judge
from isodyn.stepping.memory import COUNTERS, LEG, MEMORY, PHYSICS_REF, STATE, Counters, Leg, Memory, Physics, State

FIRST_LOOKS = 32  # steps of a stretch whose local errors are all looked at; later …
PERIOD, LOOKS = 64, 3  # … one of so many, for which this many in a row are noted: a second difference takes three


@kernel()
def is_explicit(leg: Leg, dt: float, state: State, memory: Memory) -> bool:
    """Whether a step is of this kind, and as long as the one before."""
    return (
        memory.inverse_mass.size > 0
        and state.dt == dt
        and memory.c[1] == 0.0
        and memory.c[2] == 0.0
        and leg.form == 0
        and leg.keep_balance == 0
        and memory.remedy == 0.0
    )


@kernel()
def predict_state(leg: Leg, dt: float, state: State, memory: Memory) -> None:
    """The state at the balance, into memory.q and, where there is damping, memory.v."""
    q, v, a, q_w, v_w = state.q, state.v, state.a, memory.q, memory.v
    n, far, bend = natural(v.size), leg.W1 * dt, leg.W2L2 * dt * dt
    for i in range(n):
        q_w[i] = q[i] + (far * v[i] + bend * a[i])  # [Shimada2014 (2.5b)]
    if memory.damped == 1:
        for i in range(n):
            v_w[i] = v[i] + far * a[i]  # [Shimada2014 (2.5c)]


@kernel()
def look_at_errors(leg: Leg, t_1: float, dt: float, state: State, memory: Memory) -> None:
    """Judge the step before its end is put into the state, or note what judging the next ones
    takes."""
    steps = state.smooth_steps
    if steps >= FIRST_LOOKS and steps % PERIOD >= LOOKS:
        return
    c, r, inverse = memory.c, memory.r, memory.inverse_mass
    for i in range(natural(state.v.size)):
        x = -(state.a[i] + inverse[i] * r[i]) / c[0]
        memory.x[i] = x
        memory.v_1[i] = state.v[i] + dt * (state.a[i] + leg.l5 * x)
    if steps < FIRST_LOOKS or steps % PERIOD == LOOKS - 1:
        judge(leg, t_1, dt, steps, state, memory)
        return
    for i in range(natural(state.v.size)):
        change = memory.v_1[i] - state.v[i]
        state.last_turn[i] = change - state.last_change[i]
        state.last_change[i] = change


@kernel()
def put_end(leg: Leg, dt: float, r: FloatArray, state: State, memory: Memory) -> None:
    """The state at the end of the step, in place."""
    q, v, a, da, inverse, c0 = state.q, state.v, state.a, state.da, memory.inverse_mass, memory.c[0]
    for i in range(natural(v.size)):
        before = a[i]
        x = -(before + inverse[i] * r[i]) / c0
        q[i] += dt * v[i] + dt * dt * (0.5 * before + leg.l3 * x)  # [Shimada2014 (3.131g)]
        v[i] += dt * (before + leg.l5 * x)  # [Shimada2014 (3.131h)]
        a[i] = before + x  # [Shimada2014 (3.131i)]
        da[i] = x


@kernel(i8(PHYSICS_REF, LEG, f8, f8, f8, STATE, MEMORY, COUNTERS), inner=True, apart=True)
def explicit_step(
    p: Physics, leg: Leg, t: float, t_1: float, dt: float, state: State, memory: Memory, counters: Counters
) -> int:
    """From state.t to t_1 with the balance at t; on failure the state is unchanged."""
    recall(leg, dt, state, memory)
    predict_state(leg, dt, state, memory)
    r, nothing = memory.r, memory.a[:0]
    status = p.model(BALANCE, t, memory.q, memory.v, nothing, memory.lam, memory.c, p.tables, p.scratch, r)
    if status != OK:
        return status
    counters.iterations += 1
    counters.evaluations += 1
    if not finite(r):
        return NOT_FINITE
    look_at_errors(leg, t_1, dt, state, memory)
    put_end(leg, dt, r, state, memory)
    remember(leg, t_1, dt, state, memory)
    state.t, state.dt = t_1, dt
    return OK
