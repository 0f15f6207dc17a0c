"""A step that is its own inverse: the central difference with the forces of constraint at both
ends.

    M(q_n) a⁻ + G(q_n)ᵀλ⁻ = Q(q_n, v½, t_n),          v½ = v_n + ½Δt a⁻,       q_{n+1} = q_n ⊕ Δt v½,       φ(q_{n+1}) = 0
    M(q_{n+1}) a⁺ + G(q_{n+1})ᵀλ⁺ = Q(q_{n+1}, v½, t_{n+1}),    v_{n+1} = v½ + ½Δt a⁺,    φ̇(q_{n+1}, v_{n+1}) = 0

Without forces of v this is Rattle [Andersen1983]. Read from t_{n+1} to t_n with −Δt the two halves
change places and nothing else changes: Φ_{−Δt} ∘ Φ_Δt = 1, also where forces depend on v (implicit
in the first half, explicit in the second) and where coordinates retract, since q ⊕ d ⊕ (−d) = q.
The stabilised step of `isodyn.stepping.step` has second order too, but takes the direction of its
correction from one end and the force from before the correction; forth and back it misses its
start.

The first half is solved to rounding: what an iteration leaves has no symmetry. Its matrix knows
nothing of the derivative of ⊕, and of some systems no tangents; Broyden's update [Kelley1995]
learns what is missing.
"""

from __future__ import annotations

import numpy as np

from isodyn.kernels.compiled import (
    BALANCE,
    CONSTANT_MASS,
    CONSTRAINT,
    JACOBIAN,
    KNOWS_TANGENT,
    NOT_CONVERGED,
    NOT_FINITE,
    OK,
    POSITION,
    SPARSE,
    VELOCITY,
    FloatArray,
    kernel,
)
from isodyn.stepping.closure import copy_to, finite, measure, measure_forces, retract, settle
from isodyn.stepping.corrections import solve
from isodyn.stepping.matrix import assemble, close_at_the_end, decompose
from isodyn.stepping.memory import EPS, Counters, Leg, Memory, Physics, State

STILL_MOVES = 0.3  # a contraction above this ends the iteration, at rounding or as a failure
LARGEST = 0.9  # contraction that an update may assume
NOISE = (
    # corrections below this part of the acceleration that do not shrink are noise of the system's
    # functions, …
    1e-7
)
CLOSED = 16.0  # units of rounding that a closure may be open by
PATIENCE = 8  # … after so many iterations


@kernel()
def both_ends_matrix(
    p: Physics, t: float, t_1: float, q: FloatArray, c: FloatArray, memory: Memory, last: bool, counters: Counters
) -> int:
    """Factors of [c₀M + c₁ ∂/∂v, Gᵀ(q); G, 0] at q and memory.v; the lower rows from q_{n+1} unless
    q is that itself."""
    constant = p.rows.size == 0 and (p.traits & CONSTANT_MASS) != 0 and c[1] == 0.0
    known = memory.factors_c
    if (
        constant
        and memory.factors_good == 1
        and known[0] == c[0]
        and known[1] == 0.0
        and known[2] == 0.0
        and known[3] == c[3]
    ):
        return OK
    memory.factors_good = 0
    counters.factorisations += 1
    full = p.rows.size == 0 and not p.traits & SPARSE
    status = p.model(
        JACOBIAN, t, q, memory.v, memory.a, memory.lam, c, p.tables, p.scratch, memory.J if full else memory.J_11
    )
    if status == OK and not full:
        if p.rows.size > 0:
            status = p.model(CONSTRAINT, t, q, memory.v, memory.a, memory.lam, c, p.tables, p.scratch, memory.G)
        assemble(p, c, memory, False)
        if status == OK and p.rows.size > 0 and not last:
            status = close_at_the_end(p, t_1, c, memory)
    if status == OK:
        status = decompose(p, memory)
    if status == OK and constant:
        memory.factors_good = 1
        for i in range(4):
            memory.factors_c[i] = c[i]
    return status


@kernel()
def open_by(p: Physics, memory: Memory) -> float:
    """The largest closure in memory.r, each in units of its row."""
    n, found = memory.x.size, 0.0
    for k in range(p.rows.size):
        found = max(found, abs(memory.r[n + k]) / memory.row_sizes[p.rows[k]])
    return found


@kernel()
def broyden(S: FloatArray, k: int | np.int64, y: FloatArray, sizes: FloatArray) -> None:
    """Turn the correction y of the first matrix into that of the matrix updated by the corrections
    S[0] … S[k−1]; keep it as S[k].

    Products of corrections are those of their parts in units of `sizes`.
    """
    for j in range(k):
        along, square = 0.0, 0.0
        for i in range(y.size):
            part = S[j, i] / sizes[i]
            along += part * (y[i] / sizes[i])
            square += part * part
        along = along / square if square > 0.0 else 0.0
        for i in range(y.size):
            if j < k - 1:
                y[i] += along * S[j + 1, i]
            elif along < LARGEST:
                y[i] /= 1.0 - along
    copy_to(y, S[k])


@kernel()
def correct_both(p: Physics, t: float, memory: Memory, k: int | np.int64) -> float:
    """Correct memory.a and memory.lam; the size of the correction of a, NaN where there is none."""
    n, c = memory.x.size, memory.c
    for i in range(n + p.rows.size):
        memory.dx[i] = -memory.r[i]
    solve(p, t, c, memory, memory.dx, memory.r_plus, False)
    broyden(memory.updates, k, memory.dx, memory.unknown_sizes)
    for i in range(n):
        memory.a[i] += memory.dx[i]
    for k in range(p.rows.size):
        memory.lam[p.rows[k]] += memory.dx[n + k]
    memory.correction = measure(memory.dx, memory.by_v)
    return memory.correction


@kernel()
def first_residual(
    p: Physics, t: float, t_1: float, dt: float, state: State, memory: Memory, counters: Counters
) -> int:
    """v½ and q_{n+1} of the trial acceleration in memory.a; the balance at t_n and 2φ(q_{n+1})/Δt²
    into memory.r."""
    n, c = memory.x.size, memory.c
    for i in range(n):
        memory.v[i] = state.v[i] + 0.5 * dt * memory.a[i]
        memory.d[i] = dt * memory.v[i]
    status = retract(p, memory.q, memory.d, c, memory.q_1)
    if status == OK:
        status = p.model(BALANCE, t, memory.q, memory.v, memory.a, memory.lam, c, p.tables, p.scratch, memory.r[:n])
    if status == OK and p.rows.size > 0:
        status = p.model(
            POSITION, t_1, memory.q_1, memory.v, memory.a, memory.lam, c, p.tables, p.scratch, memory.gap_q
        )
    if status != OK:
        return status
    for i in range(p.rows.size):
        memory.r[n + i] = memory.gap_q[p.rows[i]] / (0.5 * dt * dt)
    counters.iterations += 1
    counters.evaluations += 1
    return OK if finite(memory.r) else NOT_FINITE


@kernel()
def first_half(
    p: Physics, leg: Leg, t: float, t_1: float, dt: float, state: State, memory: Memory, counters: Counters
) -> int:
    """v½ into memory.v, q_{n+1} into memory.q_1, from the acceleration and multipliers in `state`
    as a guess."""
    n, c = memory.x.size, memory.c
    copy_to(state.q, memory.q)
    copy_to(state.a, memory.a)
    copy_to(state.lam, memory.lam)
    before = np.inf
    for k in range(leg.max_iterations):
        status = first_residual(p, t, t_1, dt, state, memory, counters)
        if status != OK:
            return status
        floor = measure(memory.a, memory.by_v) + measure(memory.v, memory.by_v) / abs(dt)
        if p.rows.size > 0:
            floor += measure(memory.q, memory.by_q) / (dt * dt)
        still = k > 1 and n < memory.r.size and before <= NOISE * measure(memory.a, memory.by_v)
        if still and open_by(p, memory) <= CLOSED * EPS * floor:
            counters.round_off_stops += 1
            return OK  # corrections of rounding would only lead away
        if k == 0:
            if p.rows.size == 0 and measure_forces(memory.r, memory.by_v) <= 2.0 * EPS * memory.inertia * measure(
                memory.a, memory.by_v
            ):
                return OK  # no force depends on v, and the last step ended with this acceleration
            c[0], c[1], c[2], c[3] = 1.0, 0.5 * dt if p.traits & KNOWS_TANGENT else 0.0, 0.0, 1.0
            copy_to(memory.v, memory.v_1)
            status = both_ends_matrix(p, t, t_1, memory.q, c, memory, False, counters)
            if status != OK:
                return status
        change = correct_both(p, t, memory, k)
        if not np.isfinite(change):
            return NOT_FINITE
        if change <= EPS * floor:
            return OK
        noise = NOISE * measure(memory.a, memory.by_v) if k >= PATIENCE else 0.0
        if k > 0 and change > STILL_MOVES * before and change <= max(8.0 * EPS * floor, noise):
            counters.round_off_stops += 1
            return OK
        before = change
    return NOT_CONVERGED


@kernel()
def second_half(p: Physics, t_1: float, dt: float, memory: Memory, counters: Counters) -> int:
    """v_{n+1} into memory.v_1: linear equations, solved once and once more for what rounding left
    of them."""
    n, c = memory.x.size, memory.c
    c[0], c[1], c[2], c[3] = 1.0, 0.0, 0.0, 1.0
    status = both_ends_matrix(p, t_1, t_1, memory.q_1, c, memory, True, counters)
    for k in range(2):
        for i in range(n):
            memory.v_1[i] = memory.v[i] + 0.5 * dt * memory.a[i]
        if status == OK:
            status = p.model(
                BALANCE, t_1, memory.q_1, memory.v, memory.a, memory.lam, c, p.tables, p.scratch, memory.r[:n]
            )
        if status == OK and p.rows.size > 0:
            status = p.model(
                VELOCITY, t_1, memory.q_1, memory.v_1, memory.a, memory.lam, c, p.tables, p.scratch, memory.gap_v
            )
        if status != OK:
            return status
        for i in range(p.rows.size):
            memory.r[n + i] = memory.gap_v[p.rows[i]] / (0.5 * dt)
        counters.evaluations += 1
        if not finite(memory.r):
            return NOT_FINITE
        correct_both(p, t_1, memory, np.int64(0))
        if k == 0 and p.rows.size == 0:
            break
    for i in range(n):
        memory.v_1[i] = memory.v[i] + 0.5 * dt * memory.a[i]
    return OK if finite(memory.v_1) else NOT_FINITE


@kernel()
def symmetric_step(
    p: Physics, leg: Leg, t: float, t_1: float, dt: float, state: State, memory: Memory, counters: Counters
) -> int:
    """From t to t_1 = t + dt, forwards or backwards; loads are asked for at t and t_1. On failure
    `state` is unchanged."""
    status = first_half(p, leg, t, t_1, dt, state, memory, counters)
    if status == OK:
        status = second_half(p, t_1, dt, memory, counters)
    if status == OK:
        status = settle(p, memory.c, memory.q_1)
    if status == OK:
        copy_to(memory.q_1, state.q)
        copy_to(memory.v_1, state.v)
        copy_to(memory.a, state.a)
        copy_to(memory.lam, state.lam)
    return status
