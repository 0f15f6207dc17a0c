"""The local error of a step in q and v, for every member and every ratio of steps.

With s = Δa/Δt, s_n the one of the step before, what the balance misses at the ends of steps,
M d_n = M â_n + Gᵀλ_n − Q(t_n, q_n, v_n) with â_n = a_n + φΔa, and the divided difference
D = (1 + φ) s − φ s_n − (d_{n+1} − d_n)/Δt of the accelerations of the motion,

    e_q = Δt³ ((1/6 − λ₃) s + φ/2 s_n),
    e_v = −Δt/2 (d_n + d_{n+1}) − φ/2 Δt² (s − s_n) − Δt³/12 (D − D_n)/(τ − τ_n),

τ being the middle of a step. At a start d = 0, and D_n is the derivative of the acceleration there
(docs/derivations/adaptive_steps.md). Where the balance holds at t_{n+1}, d vanishes. Both are then
solved for with the step's own factors,

    [ J  Gᵀ ] [ e_v ]   [ W₁Λ₆ M e_v ]         [ J  Gᵀ ] [ e_q ]   [ (W₁Λ₆ M + W₂Λ₅Δt C) e_q ]
    [ G  0  ] [  ·  ] = [      0     ],        [ G  0  ] [  ·  ] = [            0           ],

which leaves what is tangent to the constraints, and of stiff parts what they move: springs take
back errors of q and v, dampers those of v alone. Where the balance holds at t_{n+1} the error of q
is solved for only if it could be the larger one. Products with M and C = ∂balance/∂v are
differences of the balance; that with M alone takes one balance, far along e_v, where nothing but
M e_v is left of it, unless the balance bends in a (implicit systems of first order) or does not
hold (forces of contacts).

What the lower rows take of e_v is an error of a and λ all the same
(isodyn.stepping.error_of_rates).
"""

from __future__ import annotations

import numpy as np
from numba import types

from isodyn.kernels.compiled import BALANCE, GENERAL, OK, FloatArray, f8, i8, kernel
from isodyn.stepping.close_look import is_familiar, note_look, take_part
from isodyn.stepping.closure import copy_to, fill_with, finite, measure, measure_forces
from isodyn.stepping.corrections import solve
from isodyn.stepping.error_of_rates import as_error_of_v, error_of_rates, may_count, note_way_back, way_as_error_of_v
from isodyn.stepping.memory import (
    COUNTERS,
    LEG,
    MEMORY,
    PHYSICS_REF,
    STATE,
    Counters,
    Leg,
    Memory,
    Physics,
    Plan,
    State,
)
from isodyn.stepping.null_space import null_space_correction
from isodyn.stepping.returned_error import leave_out_returned

REACH = 1e-3  # of the acceleration: how far the balance is followed along a
FAR = 1e14  # the same, where nothing but the product with the masses shall be left
BEYOND = 1e300  # an error that is not a number
PRECISE = 1e-8  # tolerance of the iteration with which the balance at its end counts as zero


@kernel()
def balance_along(
    p: Physics, t: float, state: State, phi: float, along: FloatArray, of_a: float, of_v: float, memory: Memory
) -> int:
    """memory.r_plus[:n] = balance at t_{n+1} with so many times `along` added to a and v."""
    n = memory.x.size
    for i in range(n):
        memory.a[i] = state.a[i] + phi * state.da[i] + of_a * along[i]
        memory.v[i] = state.v[i] + of_v * along[i]
    return p.model(BALANCE, t, state.q, memory.v, memory.a, state.lam, memory.c, p.tables, p.scratch, memory.r_plus[:n])


@kernel()
def add_mass_product(
    p: Physics, t: float, state: State, leg: Leg, e: FloatArray, memory: Memory, out: FloatArray
) -> int:
    """out[:n] += W₁Λ₆ M e where the balance is affine in a and nearly holds: so far along e nothing
    else counts in it."""
    size = measure(e, memory.by_v)
    if not size > 0.0:
        return OK
    far = measure(state.a, memory.by_v)
    step = (FAR * far if far > 0.0 else FAR) / size
    status = balance_along(p, t, state, leg.phi, e, step, 0.0, memory)
    for i in range(memory.x.size):
        out[i] += leg.W1L6 * memory.r_plus[i] / step
    return status


@kernel()
def add_product(
    p: Physics, t: float, state: State, leg: Leg, e: FloatArray, of_v: float, memory: Memory, out: FloatArray
) -> int:
    """out[:n] += (W₁Λ₆ M + of_v C) e; memory.r holds the balance at e = 0."""
    size = measure(e, memory.by_v)
    if not size > 0.0:
        return OK
    far = measure(state.a, memory.by_v)
    if of_v != 0.0:
        far = max(far, measure(state.v, memory.by_v) / abs(of_v))
    step = (REACH * far if far > 0.0 else 1.0) / size
    status = balance_along(p, t, state, leg.phi, e, leg.W1L6 * step, of_v * step, memory)
    for i in range(memory.x.size):
        out[i] += (memory.r_plus[i] - memory.r[i]) / step
    return status


@kernel()
def solve_without_multipliers(p: Physics, x: FloatArray, memory: Memory) -> int:
    """x ← solution of the reduced equations for x; memory.x stays."""
    copy_to(memory.x, memory.b_1)
    for i in range(memory.r_plus.size):
        memory.b_2[i] = memory.r[i]
        memory.r[i] = -x[i]
    status = null_space_correction(p, memory)
    copy_to(memory.dx, x)
    copy_to(memory.b_2, memory.r)
    for i in range(memory.x.size):
        memory.x[i] = memory.b_1[i]
    return status


@kernel()
def damp(p: Physics, leg: Leg, t: float, two: bool, memory: Memory) -> int:
    """memory.dx and, with `two`, memory.dp, right-hand sides of errors, become the errors."""
    n = memory.x.size
    # after a projection the factors are those of the masses alone
    weight = 1.0 / leg.W1L6 if p.closure.project > 0 else 1.0
    for i in range(n):
        memory.dx[i] *= weight
        if two:
            memory.dp[i] *= weight
    for i in range(n, memory.r.size):
        memory.dx[i] = 0.0
        if two:
            memory.dp[i] = 0.0
    if memory.eliminate == 0:
        return solve(p, t, memory.c, memory, memory.dx, memory.dp if two else memory.r_plus, two)
    status = OK
    if two:  # dx is memory of the solution
        copy_to(memory.dx, memory.r_plus)
        status = solve_without_multipliers(p, memory.dp, memory)
        copy_to(memory.r_plus, memory.dx)
    return solve_without_multipliers(p, memory.dx, memory) if status == OK else status


@kernel()
def follow_sizes(state: State, memory: Memory) -> None:
    """Sizes of q and v so far, each, and by units the largest beside typical sizes."""
    fill_with(memory.unit_q, 0.0)
    fill_with(memory.unit_v, 0.0)
    state.size_a = max(state.size_a, measure(state.a, memory.by_v))
    for i in range(state.v.size):
        k = memory.unit[i]
        state.size_v[i] = max(state.size_v[i], abs(state.v[i]))
        memory.unit_v[k] = max(memory.unit_v[k], state.size_v[i] * memory.by_v[i])
        if memory.follows == 1:
            state.size_q[i] = max(state.size_q[i], abs(state.q[i]))
        memory.unit_q[k] = max(memory.unit_q[k], state.size_q[i] * memory.by_v[i])


@kernel()
def largest_error(
    error: FloatArray, sizes: FloatArray, by_unit: FloatArray, least: FloatArray, memory: Memory
) -> float:
    """Largest component, beside its size so far and what it is at least compared with."""
    found = 0.0
    for i in range(error.size):
        beside = memory.part * by_unit[memory.unit[i]] / memory.by_v[i]
        relative = abs(error[i]) / (max(sizes[i], beside) + least[i])
        if not relative <= found and error[i] != 0.0:
            found = relative
    return found if np.isfinite(found) else BEYOND


@kernel()
def error_of_v(leg: Leg, before: State, state: State, memory: Memory) -> None:
    """memory.error_v before stiff parts take some of it back, and state.slope, the D of the step;
    state.missed is known."""
    dt, phi = state.dt, leg.phi
    state.slope_at = before.t + 0.5 * dt
    of_turn = dt**3 / (12.0 * (state.slope_at - before.slope_at))
    for i in range(state.v.size):
        s, s_n = state.da[i] / dt, before.da[i] / before.dt if before.dt != 0.0 else before.slope[i]
        missed = state.missed[i] - before.missed[i]
        state.slope[i] = (1.0 + phi) * s - phi * s_n - missed / dt
        memory.error_v[i] = (
            -0.5 * dt * (before.missed[i] + state.missed[i])
            - 0.5 * phi * dt * dt * (s - s_n)
            - of_turn * (state.slope[i] - before.slope[i])
        )


@kernel()
def error_of_q(leg: Leg, before: State, state: State, memory: Memory) -> None:
    """memory.error_q before stiff parts take some of it back; nothing in first-order systems."""
    dt = state.dt
    cube = dt**3 if state.q.size > 0 else 0.0
    for i in range(state.v.size):
        s, s_n = state.da[i] / dt, before.da[i] / before.dt if before.dt != 0.0 else before.slope[i]
        memory.error_q[i] = cube * ((1.0 / 6.0 - leg.l3) * s + 0.5 * leg.phi * s_n)


@kernel()
def note_roughness(t: float, state: State, memory: Memory) -> float:
    """The largest error of v with what stiff parts would take back."""
    rough = largest_error(memory.error_v, state.size_v, memory.unit_v, state.least_v, memory)
    if rough > state.roughest:
        state.roughest, state.roughest_at = rough, t
    return rough


@kernel()
def balance_now(
    p: Physics, leg: Leg, t: float, complete: bool, state: State, memory: Memory, counters: Counters
) -> int:
    """memory.r = balance at t_{n+1}; nothing where it holds there, and need not be looked at."""
    if not complete and state.lam.size == 0 and leg.rtol <= PRECISE:
        fill_with(memory.r, 0.0)
        return OK
    status = balance_along(p, t, state, leg.phi, memory.error_q, 0.0, 0.0, memory)
    counters.evaluations += 1
    for i in range(memory.x.size):
        memory.r[i] = memory.r_plus[i]
    return status


@kernel()
def hidden_by_constraints(
    p: Physics,
    leg: Leg,
    t: float,
    looked_at: bool,
    push: float,
    tolerance: float,
    state: State,
    memory: Memory,
    counters: Counters,
) -> int:
    """memory.error_a from memory.dx, what is left of memory.error_v, and its multipliers, if they
    may count; `push` is W₁Λ₆ M e_v by its measure, memory.r the balance if that was looked at."""
    n, status = memory.x.size, OK
    left = largest_error(memory.dx[:n], state.size_v, memory.unit_v, state.least_v, memory)
    if not may_count(p, leg, left, tolerance, state, memory):
        return status
    if not looked_at and memory.eliminate == 0:
        status = balance_now(p, leg, t, True, state, memory, counters)
    if p.closure.project > 0:
        push /= leg.W1L6
    return error_of_rates(p, leg, t, push, state, memory, counters) if status == OK else status


@kernel()
def error_at_balance(
    p: Physics, leg: Leg, t: float, tolerance: float, before: State, state: State, memory: Memory, counters: Counters
) -> int:
    """`estimate` where the balance may hold elsewhere than at t_{n+1}; memory.r is the balance
    there."""
    n = memory.x.size
    of_v = 0.0 if p.closure.project > 0 else memory.c[1]
    for i in range(n):
        memory.dx[i], memory.dp[i] = leg.W1L6 * memory.r[i], 0.0
    status = add_product(p, t, state, leg, memory.error_q, of_v, memory, memory.dp)
    if status == OK:
        status = damp(p, leg, t, True, memory)
    copy_to(memory.dx, state.missed)
    error_of_v(leg, before, state, memory)
    if tolerance > 0.0:
        leave_out_returned(leg, before, state, memory)
    note_roughness(t, state, memory)
    fill_with(memory.dx, 0.0)
    if status == OK:
        status = add_product(p, t, state, leg, memory.error_v, 0.0, memory, memory.dx)
    push = measure_forces(memory.dx, memory.by_v)
    if status == OK:
        status = damp(p, leg, t, False, memory)
    counters.evaluations += 2 if state.q.size > 0 else 1
    if status == OK:
        status = hidden_by_constraints(p, leg, t, True, push, tolerance, state, memory, counters)
    copy_to(memory.dx, memory.error_v)
    copy_to(memory.dp, memory.error_q)
    return status


@kernel()
def error_at_end(
    p: Physics,
    leg: Leg,
    t: float,
    complete: bool,
    tolerance: float,
    before: State,
    state: State,
    memory: Memory,
    counters: Counters,
) -> int:
    """`estimate` where the balance holds at t_{n+1}, and nothing is missed there. Stiff parts take
    back what they do of v first; of q only where its error could be the larger one, or if the
    estimate has to be complete. What they take in steps that are much alike is not asked anew."""
    fill_with(state.missed, 0.0)
    error_of_v(leg, before, state, memory)
    raw_v = note_roughness(t, state, memory)
    raw_q = largest_error(memory.error_q, state.size_q, memory.unit_q, state.least_q, memory)
    affine, status = not complete and (p.traits & GENERAL) == 0, OK
    if affine and is_familiar(raw_q, raw_v, before, state):
        take_part(state, memory)
        return status
    fill_with(memory.dx, 0.0)
    if affine:
        status = add_mass_product(p, t, state, leg, memory.error_v, memory, memory.dx)
    else:
        status = balance_now(p, leg, t, complete, state, memory, counters)
        if status == OK:
            status = add_product(p, t, state, leg, memory.error_v, 0.0, memory, memory.dx)
    counters.evaluations += 1
    push = measure_forces(memory.dx, memory.by_v)
    if status == OK:
        status = damp(p, leg, t, False, memory)
    if status == OK:
        status = hidden_by_constraints(p, leg, t, not affine, push, tolerance, state, memory, counters)
    copy_to(memory.dx, memory.error_v)
    of_v = largest_error(memory.error_v, state.size_v, memory.unit_v, state.least_v, memory)
    note_look(raw_q, raw_v, raw_q, of_v, state)
    if status != OK or not (raw_q > of_v or complete):
        return status
    fill_with(memory.dx, 0.0)
    by_v = 0.0 if p.closure.project > 0 else memory.c[1]
    if affine:
        status = balance_now(p, leg, t, complete, state, memory, counters)
    if status == OK:
        status = add_product(p, t, state, leg, memory.error_q, by_v, memory, memory.dx)
    counters.evaluations += 1
    if status == OK:
        status = damp(p, leg, t, False, memory)
    copy_to(memory.dx, memory.error_q)
    of_q = largest_error(memory.error_q, state.size_q, memory.unit_q, state.least_q, memory)
    note_look(raw_q, raw_v, of_q, of_v, state)
    return status


@kernel(i8(PHYSICS_REF, LEG, f8, types.boolean, f8, STATE, STATE, MEMORY, COUNTERS), inner=True, apart=True)
def estimate(
    p: Physics,
    leg: Leg,
    t: float,
    complete: bool,
    tolerance: float,
    before: State,
    state: State,
    memory: Memory,
    counters: Counters,
) -> int:
    """Local errors of the step from `before` to `state` into memory.error_q and memory.error_v;
    what the next one needs into the state. Loads are taken at t. If it need not be complete, the
    smaller of the errors is only a bound, and no force but those of the model acts. Where the
    errors are held to a tolerance, other than 0, that of v is the one which the motion keeps."""
    at_end = leg.W1 == 1.0 and leg.l5 == leg.W2L5 and leg.l3 == leg.W3L3
    follow_sizes(state, memory)
    error_of_q(leg, before, state, memory)
    memory.error_a = 0.0
    note_way_back(p, state, memory)
    if at_end:
        return error_at_end(p, leg, t, complete, tolerance, before, state, memory, counters)
    status = balance_now(p, leg, t, True, state, memory, counters)
    return error_at_balance(p, leg, t, tolerance, before, state, memory, counters) if status == OK else status


@kernel()
def weigh_errors(plan: Plan, state: State, memory: Memory) -> float:
    """The larger of the errors of q and v, in units of the tolerance; both stay in the state. With
    v counts what multipliers make of its rate."""
    tolerance = plan.tolerance
    state.errors[0] = largest_error(memory.error_q, state.size_q, memory.unit_q, state.least_q, memory) / tolerance
    state.errors[1] = largest_error(memory.error_v, state.size_v, memory.unit_v, state.least_v, memory) / tolerance
    if not (finite(memory.error_q) and finite(memory.error_v) and np.isfinite(memory.error_a)):
        return BEYOND
    state.errors[1] = max(state.errors[1], way_as_error_of_v(state, memory) / tolerance)
    if memory.error_a > 0.0:
        state.errors[1] = max(state.errors[1], as_error_of_v(memory.error_a, tolerance, state, memory) / tolerance)
    return max(state.errors[0], state.errors[1])
