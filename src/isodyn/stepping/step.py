"""One step of GS4, for second- and first-order systems, with and without constraints.

    q̃ = q_n ⊕ (W₁Δt v + W₂Λ₂Δt² a + W₃Λ₃Δt² Δa)       ṽ = v + W₁Δt a + W₂Λ₅Δt Δa       ã = a + W₁Λ₆ Δa
    balance(t_n + W₁Δt, q̃, ṽ, ã, λ̃) = 0   and   closure at t_{n+1}   for Δa and λ̃
    q_{n+1} = q_n ⊕ (Δt v + ½Δt² a + λ₃Δt² Δa)          v_{n+1} = v + Δt a + λ₅Δt Δa        a_{n+1} = a + Δa

Source: [Shimada2014 (2.5)], [Shimada2014 (3.131)]. a_n stands for the acceleration at t_n − φΔt
with the Δt of the step that made it; before a step of another size it is moved along its own slope,
a ← a + φ(Δt_old − Δt_new) Δa/Δt_old, or a loses an order.

A step whose iteration fails is repeated with more careful matrices (RESCUE), then in two halves,
again and again up to `max_halvings`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from numba import types

from isodyn.kernels.compiled import (
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
    FloatArray,
    f8,
    i8,
    kernel,
)
from isodyn.stepping.closeness import watch_rank
from isodyn.stepping.closure import copy_to, end_state, finite, measure, measure_forces, settle
from isodyn.stepping.equations import trial
from isodyn.stepping.explicit_step import explicit_step, is_explicit
from isodyn.stepping.extrapolation import extrapolate, recall, remember
from isodyn.stepping.jamming import jammed
from isodyn.stepping.kept_matrix import put_off
from isodyn.stepping.local_error import judge
from isodyn.stepping.matrix import CAREFUL
from isodyn.stepping.memory import (
    COUNTERS,
    LEG,
    MEMORY,
    PHYSICS_REF,
    ROUNDING,
    STATE,
    Counters,
    Leg,
    Memory,
    Physics,
    State,
)
from isodyn.stepping.newton import FROM_LAST, FROM_REST, STALE, STEADY, guessed, solve_step
from isodyn.stepping.projection import polish, project

if TYPE_CHECKING:
    import numpy as np

CLEARLY = 0.1  # of a size: steps that differ by more are of another one, although that is rounding of t
# how much of the acceleration may change in a step for its next change to be guessed from the last
# one
SMOOTH = 0.3
BETTER = 0.1  # how much of the balance at ã = 0 another guess may leave to be taken
RESCUE = (
    CAREFUL,
    1e-8,
)  # after a failure: the safe start, exact closures; a regularised matrix where constraints lose rank for a moment


@kernel()
def size_between(leg: Leg, t: float, t_1: float, last: float) -> float:
    """t_1 − t, which carries rounding: the size of the plan, or that of the last step, where it is
    that up to rounding. Factors made for it stay good, and the sizes of all steps add up to the
    time that passes."""
    dt, rounding = t_1 - t, leg.rounding + 0.5 * ROUNDING * (abs(t) + abs(t_1))
    if abs(dt - leg.dt) <= min(rounding, CLEARLY * leg.dt):
        return leg.dt
    return last if abs(dt - last) <= min(rounding, CLEARLY * last) else dt


@kernel()
def predict(leg: Leg, dt: float, state: State, memory: Memory) -> None:
    """The state at Δa = 0: displacement, velocity and acceleration at the balance, into memory.d_p,
    memory.v_p, memory.a_p."""
    dt_old = state.dt
    shift = leg.phi * (dt_old - dt) / dt_old if dt_old != 0.0 else 0.0
    for i in range(state.v.size):
        a = state.a[i] + shift * state.da[i]
        memory.a_p[i] = a
        memory.v_p[i] = state.v[i] + leg.W1 * dt * a  # [Shimada2014 (2.5c)]
        memory.d_p[i] = leg.W1 * dt * state.v[i] + leg.W2L2 * dt * dt * a  # [Shimada2014 (2.5b)]


@kernel()
def balance_at(
    p: Physics,
    leg: Leg,
    t: float,
    dt: float,
    state: State,
    c: FloatArray,
    memory: Memory,
    kind: int | np.int64,
    r: FloatArray,
) -> int:
    """The trial state of a guess (isodyn.stepping.newton.guessed), and its balance in r."""
    for i in range(memory.x.size):
        memory.x[i] = guessed(kind, state, c, memory, i)
    status = trial(p, leg, dt, state, c, memory)
    if status == OK:
        status = p.model(
            BALANCE, t, memory.q, memory.v, memory.a, memory.lam, c, p.tables, p.scratch, r[: memory.x.size]
        )
    return status


@kernel()
def choose_guess(p: Physics, leg: Leg, t: float, dt: float, state: State, memory: Memory, counters: Counters) -> None:
    """memory.guess: from ã = 0, so that q̃ follows from the velocity alone; from the last Δa where
    a constrained motion is smooth.

    Where it is not, Δa = 0 is tried beside ã = 0, and taken if its balance is far better: of a
    stiff system that oscillates from step to step the acceleration tells nothing, and an iteration
    from there may lead to another solution. Without constraints it is always ã = 0: central forces
    then stay central before the iteration has converged, too, and of stiff free beams nothing else
    balances better. memory.balance_known = 1 where the balance of the guess is in memory.r, and its
    trial state in place; −1 where that is still to do.
    """
    memory.guess, memory.balance_known = FROM_REST, 0
    if state.lam.size == 0 or memory.remedy != 0.0:
        return
    c = memory.c
    if (state.dt == dt or memory.order > 0) and measure(state.da, memory.by_v) <= SMOOTH * memory.size_a:
        memory.guess = FROM_LAST
        extrapolate(p, state, memory)
    elif c[2] != 0.0 and memory.eliminate == 0:
        status = balance_at(p, leg, t, dt, state, c, memory, FROM_REST, memory.r_plus)
        if status == OK and balance_at(p, leg, t, dt, state, c, memory, STEADY, memory.r) == OK:
            counters.evaluations += 1
            memory.balance_known = 1
            if measure_forces(memory.r, memory.by_v) <= BETTER * measure_forces(memory.r_plus, memory.by_v):
                memory.guess = STEADY
            else:
                copy_to(memory.r_plus, memory.r)
                memory.balance_known = -1


@kernel()
def first_unknowns(leg: Leg, dt: float, state: State, memory: Memory) -> None:
    """Set memory.x to the guess; in a-, v- and d-form a guess of zero means no change of a, v or
    q."""
    c, form = memory.c, leg.form
    c[3] = 1.0
    if form == 2:
        c[3] = 1.0 / (leg.l5 * dt)
    elif form == 3:
        c[3] = 1.0 / (leg.l3 * dt * dt)
    for i in range(memory.x.size):  # [Shimada2014 (Table 2.4)]
        if form == 0:
            memory.x[i] = guessed(memory.guess, state, c, memory, i)
        elif form == 1:
            memory.x[i] = 0.0
        elif form == 2:
            memory.x[i] = -memory.a_p[i] / leg.l5
        else:
            memory.x[i] = -(state.v[i] / dt + 0.5 * memory.a_p[i]) / leg.l3


@kernel(types.void(PHYSICS_REF, LEG, f8, f8, STATE, MEMORY, COUNTERS), inner=True, apart=True, loops="short")
def guess(p: Physics, leg: Leg, t: float, dt: float, state: State, memory: Memory, counters: Counters) -> None:
    """First unknowns of a step."""
    recall(leg, dt, state, memory)
    for i in range(memory.x.size):
        memory.p[i], memory.u[i] = 0.0, 0.0
    for i in range(state.lam.size):
        memory.lam[i], memory.mu[i], memory.nu[i] = state.lam[i], 0.0, 0.0
    memory.size_a = measure(memory.a_p, memory.by_v)
    memory.size_lam = measure(state.lam, memory.row_sizes)
    choose_guess(p, leg, t, dt, state, memory, counters)
    first_unknowns(leg, dt, state, memory)
    if leg.form != 0:
        memory.balance_known = 0
    elif memory.balance_known < 0:
        memory.balance_known = 1 if trial(p, leg, dt, state, memory.c, memory) == OK else 0


@kernel()
def keep_balance(p: Physics, leg: Leg, t: float, dt: float, state: State, c: FloatArray, memory: Memory) -> int:
    """The state at the balance of this step and of the one before, for forces that are read from
    there (isodyn.results.at_balance)."""
    status = trial(p, leg, dt, state, c, memory)
    if status == OK:
        copy_to(state.balance_q[0], state.balance_q[1])
        copy_to(memory.q, state.balance_q[0])
        copy_to(state.balance_v[0], state.balance_v[1])
        copy_to(memory.v, state.balance_v[0])
        state.balance_t[1], state.balance_t[0] = state.balance_t[0], t
    return status


@kernel()
def end_step(
    p: Physics, leg: Leg, t: float, t_1: float, dt: float, state: State, memory: Memory, counters: Counters
) -> int:
    """The state at t_1 for the unknowns that were found, on the constraints as far as the
    formulation keeps them."""
    c, closure = memory.c, p.closure
    status = end_state(p, leg, dt, state, c, memory)
    if status == OK and p.rows.size > 0:
        if closure.project > 0:
            status = project(p, t_1, closure.project, closure.project_iterations, leg.phi, memory)
            counters.projections += memory.projected
        elif not p.traits & GENERAL and memory.eliminate == 0 and closure.at_balance == 0:
            status = polish(p, leg, t_1, c, memory)
    if status == OK and not (finite(memory.q_1) and finite(memory.v_1)):
        return NOT_FINITE
    if status == OK:
        status = jammed(p, t_1, memory.q_1, memory.v_1, memory.a_1, memory.lam_1, memory)
    if status == OK:  # a force by |λ| has another branch behind infinity: the sign before counts too
        status = jammed(p, t_1, memory.q_1, memory.v_1, memory.a_1, state.lam, memory)
    if status == OK:
        status = settle(p, c, memory.q_1)
    if status == OK and leg.keep_balance == 1:
        status = keep_balance(p, leg, t, dt, state, c, memory)
    return status


@kernel()
def accept(p: Physics, leg: Leg, t_1: float, dt: float, state: State, memory: Memory) -> None:
    """Put the end of a step that succeeded into the state, with its history."""
    t_balance = state.t + leg.W1 * dt
    judge(leg, t_1, dt, state.smooth_steps, state, memory)
    remember(leg, t_1, dt, state, memory)
    copy_to(memory.q_1, state.q)
    copy_to(memory.v_1, state.v)
    copy_to(memory.a_1, state.a)
    copy_to(memory.lam_1, state.lam)
    copy_to(memory.mu, state.mu)
    copy_to(memory.nu, state.nu)
    copy_to(memory.x, state.da)
    state.t = t_1
    state.dt = dt
    if p.closure.at_balance == 1 and p.closure.compliance == 0.0:
        watch_rank(p, t_balance, state, memory)


@kernel()
def step(p: Physics, leg: Leg, t_1: float, state: State, memory: Memory, counters: Counters) -> int:
    """From state.t to t_1; loads are not asked for later than leg.t_limit. On failure the motion in
    `state` is unchanged."""
    t, c = state.t, memory.c
    memory.brought_back = 0.0
    dt = size_between(leg, t, t_1, state.dt)
    c[0] = leg.W1L6
    c[1] = dt * leg.W2L5
    c[2] = dt * dt * leg.W3L3
    t_end, t_balance = min(t_1, leg.t_limit), min(t + leg.W1 * dt, leg.t_limit)
    if is_explicit(leg, dt, state, memory):
        return explicit_step(p, leg, t_balance, t_1, dt, state, memory, counters)
    predict(leg, dt, state, memory)
    guess(p, leg, t_balance, dt, state, memory, counters)
    status = solve_step(p, leg, t_balance, t_end, dt, state, memory, counters)
    if status == STALE or (status in (NOT_CONVERGED, NOT_FINITE) and memory.iteration.old == 1):
        put_off(memory)
        memory.factors_good = 0
        guess(p, leg, t_balance, dt, state, memory, counters)
        status = solve_step(p, leg, t_balance, t_end, dt, state, memory, counters)
    if status == OK:
        status = end_step(p, leg, t_balance, t_end, dt, state, memory, counters)
    if status == OK:
        accept(p, leg, t_1, dt, state, memory)
    return status


@kernel()
def try_remedies(
    p: Physics, leg: Leg, t_1: float, state: State, memory: Memory, counters: Counters, status: int
) -> int:
    """Repeat a step that failed: from ã = 0 with exact closures, then with a regularised matrix."""
    at_balance = p.closure.at_balance == 1
    for remedy in RESCUE:
        if status not in (SINGULAR, NOT_CONVERGED, NOT_FINITE):
            break
        if remedy == CAREFUL and memory.guess == FROM_REST and not at_balance:
            continue
        if p.rows.size == 0 or (at_balance and p.traits & SPARSE):
            break  # the latter takes full matrices, which the driver has
        memory.factors_good = 0
        memory.remedy = remedy
        if at_balance:
            memory.eliminate = 0  # with multipliers
        if step(p, leg, t_1, state, memory, counters) == OK:
            status = OK
            counters.rescues += remedy != CAREFUL or at_balance
        memory.remedy = 0.0
        memory.factors_good = 0
    return status


@kernel(i8(PHYSICS_REF, LEG, f8, STATE, MEMORY, COUNTERS), inner=True, apart=True, loops="short")
def advance(p: Physics, leg: Leg, t_1: float, state: State, memory: Memory, counters: Counters) -> int:
    """Go from state.t to t_1 in one step, or in 2, 4, … smaller ones if the iteration fails."""
    pieces, halvings = 1, 0
    while pieces > 0:
        t = state.t
        t_next = t_1 if pieces == 1 else t + (t_1 - t) / pieces
        memory.eliminate = p.closure.eliminate if p.rows.size > 0 else 0  # where events have released all rows
        status = step(p, leg, t_next, state, memory, counters)
        if status != OK:
            status = try_remedies(p, leg, t_next, state, memory, counters, status)
        if status == OK:
            pieces -= 1
        elif (
            status in (RAISED, WRONG_SHAPE, NO_PIVOT)
            or (status == SINGULAR and p.rows.size == 0)
            or halvings == leg.max_halvings
        ):
            return status
        else:
            memory.factors_good = state.samples = 0
            pieces *= 2
            halvings += 1
            counters.halvings += 1
    return OK
