"""A step that is its own inverse: the central difference with the forces of constraint at both ends.

    M(q_n) a⁻ + G(q_n)ᵀλ⁻ = Q(q_n, v½, t_n),          v½ = v_n + ½Δt a⁻,       q_{n+1} = q_n ⊕ Δt v½,       φ(q_{n+1}) = 0
    M(q_{n+1}) a⁺ + G(q_{n+1})ᵀλ⁺ = Q(q_{n+1}, v½, t_{n+1}),    v_{n+1} = v½ + ½Δt a⁺,    φ̇(q_{n+1}, v_{n+1}) = 0

Without forces of v this is Rattle [Andersen1983]. Read from t_{n+1} to t_n with −Δt the two halves change places and nothing else changes:
Φ_{−Δt} ∘ Φ_Δt = 1, also where forces depend on v (implicit in the first half, explicit in the second) and where coordinates retract, since
q ⊕ d ⊕ (−d) = q. The stabilised step of `isodyn.integrate.step` has second order too, but takes the direction of its correction from one
end and the force from before the correction; forth and back it misses its start.

The first half is solved to rounding: what an iteration leaves has no symmetry. Its matrix knows nothing of the derivative of ⊕, and of some
systems no tangents; Broyden's update [Kelley1995] learns what is missing.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from isodyn.compiled import (
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
from isodyn.integrate.closure import copy_to, finite, measure, measure_forces, retract, settle, size_q, size_s, size_v
from isodyn.integrate.corrections import solve
from isodyn.integrate.matrix import assemble, close_at_the_end, decompose
from isodyn.integrate.work import (
    DX,
    EPS,
    EVALUATIONS,
    FACTORISATIONS,
    FLOORS,
    GAP_Q,
    GAP_V,
    ITERATIONS,
    LAM,
    Q_1,
    R_PLUS,
    V_1,
    A,
    D,
    Q,
    R,
    V,
    X,
)

STILL_MOVES = 0.3  # a contraction above this ends the iteration, at rounding or as a failure
LARGEST = 0.9  # contraction that an update may assume
NOISE = (
    1e-7  # corrections below this part of the acceleration that do not shrink are noise of the system's functions, …
)
CLOSED = 16.0  # units of rounding that a closure may be open by
PATIENCE = 8  # … after so many iterations


@kernel()
def both_ends_matrix(
    p: Any, t: float, t_1: float, q: FloatArray, c: FloatArray, w: Any, pivots: Any, last: bool, count: Any
) -> int:
    """Factors of [c₀M + c₁ ∂/∂v, Gᵀ(q); G, 0] at q and w.n[V]; the lower rows from q_{n+1} unless q is that itself."""
    constant = p.rows.size == 0 and (p.traits & CONSTANT_MASS) != 0 and c[1] == 0.0
    if constant and w.key[0] == 1.0 and w.key[1] == c[0] and w.key[2] == 0.0 and w.key[3] == 0.0 and w.key[4] == c[3]:
        return OK
    w.key[0] = 0.0
    count[FACTORISATIONS] += 1
    full = p.rows.size == 0 and not p.traits & SPARSE
    status = p.model(JACOBIAN, t, q, w.n[V], w.n[A], w.m[LAM], c, p.pf, p.pi, w.J if full else w.J_11)
    if status == OK and not full:
        if p.rows.size > 0:
            status = p.model(CONSTRAINT, t, q, w.n[V], w.n[A], w.m[LAM], c, p.pf, p.pi, w.G)
        assemble(p, c, w, pivots)
        if status == OK and p.rows.size > 0 and not last:
            status = close_at_the_end(p, t_1, c, w, pivots)
    if status == OK:
        status = decompose(p, w, pivots)
    if status == OK and constant:
        w.key[0] = 1.0
        for i in range(4):
            w.key[1 + i] = c[i]
    return status


@kernel()
def open_by(p: Any, w: Any) -> float:
    """The largest closure in w.s[R], each in units of its row."""
    n, found = w.n[X].size, 0.0
    for k in range(p.rows.size):
        found = max(found, abs(w.s[R, n + k]) / w.rows[p.rows[k]])
    return found


@kernel()
def broyden(S: FloatArray, k: int, y: FloatArray, sizes: FloatArray) -> None:
    """Turn the correction y of the first matrix into that of the matrix updated by the corrections S[0] … S[k−1]; keep it as S[k].

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
def correct_both(p: Any, t: float, c: FloatArray, w: Any, pivots: Any, S: FloatArray, k: Any) -> float:
    """Correct w.n[A] and w.m[LAM]; the size of the correction of a, NaN where there is none."""
    n = w.n[X].size
    for i in range(n + p.rows.size):
        w.s[DX, i] = -w.s[R, i]
    solve(p, t, c, w, pivots, w.s[DX], w.s[R_PLUS], False)
    broyden(S, k, w.s[DX], w.sizes)
    for i in range(n):
        w.n[A, i] += w.s[DX, i]
    for k in range(p.rows.size):
        w.m[LAM, p.rows[k]] += w.s[DX, n + k]
    w.fault[1] = size_s(w, DX)
    return w.fault[1]


@kernel()
def first_half(
    p: Any,
    t: float,
    t_1: float,
    dt: float,
    state: Any,
    c: FloatArray,
    w: Any,
    pivots: Any,
    S: FloatArray,
    controls: Any,
    count: Any,
) -> int:
    """v½ into w.n[V], q_{n+1} into w.q[Q_1], from the acceleration and multipliers in `state` as a guess."""
    n = w.n[X].size
    copy_to(state.q, w.q[Q])
    copy_to(state.a, w.n[A])
    copy_to(state.lam, w.m[LAM])
    before = np.inf
    for k in range(controls.max_iterations):
        for i in range(n):
            w.n[V, i] = state.v[i] + 0.5 * dt * w.n[A, i]
            w.n[D, i] = dt * w.n[V, i]
        status = retract(p, w.q[Q], w.n[D], c, w.q[Q_1])
        if status == OK:
            status = p.model(BALANCE, t, w.q[Q], w.n[V], w.n[A], w.m[LAM], c, p.pf, p.pi, w.s[R][:n])
        if status == OK and p.rows.size > 0:
            status = p.model(POSITION, t_1, w.q[Q_1], w.n[V], w.n[A], w.m[LAM], c, p.pf, p.pi, w.m[GAP_Q])
        if status != OK:
            return status
        for i in range(p.rows.size):
            w.s[R, n + i] = w.m[GAP_Q, p.rows[i]] / (0.5 * dt * dt)
        count[ITERATIONS] += 1
        count[EVALUATIONS] += 1
        if not finite(w.s[R]):
            return NOT_FINITE
        floor = size_v(w, A) + size_v(w, V) / abs(dt)
        if p.rows.size > 0:
            floor += size_q(w, Q) / (dt * dt)
        still = k > 1 and n < w.s[R].size and before <= NOISE * size_v(w, A)
        if still and open_by(p, w) <= CLOSED * EPS * floor:
            count[FLOORS] += 1
            return OK  # corrections of rounding would only lead away
        if k == 0:
            if p.rows.size == 0 and measure_forces(w.s[R], w.by_v) <= 2.0 * EPS * w.inertia[0] * measure(
                w.n[A], w.by_v
            ):
                return OK  # no force depends on v, and the last step ended with this acceleration
            c[0], c[1], c[2], c[3] = 1.0, 0.5 * dt if p.traits & KNOWS_TANGENT else 0.0, 0.0, 1.0
            copy_to(w.n[V], w.n[V_1])
            status = both_ends_matrix(p, t, t_1, w.q[Q], c, w, pivots, False, count)
            if status != OK:
                return status
        change = correct_both(p, t, c, w, pivots, S, k)
        if not np.isfinite(change):
            return NOT_FINITE
        if change <= EPS * floor:
            return OK
        noise = NOISE * size_v(w, A) if k >= PATIENCE else 0.0
        if k > 0 and change > STILL_MOVES * before and change <= max(8.0 * EPS * floor, noise):
            count[FLOORS] += 1
            return OK
        before = change
    return NOT_CONVERGED


@kernel()
def second_half(p: Any, t_1: float, dt: float, c: FloatArray, w: Any, pivots: Any, S: FloatArray, count: Any) -> int:
    """v_{n+1} into w.n[V_1]: linear equations, solved once and once more for what rounding left of them."""
    n = w.n[X].size
    c[0], c[1], c[2], c[3] = 1.0, 0.0, 0.0, 1.0
    status = both_ends_matrix(p, t_1, t_1, w.q[Q_1], c, w, pivots, True, count)
    for k in range(2):
        for i in range(n):
            w.n[V_1, i] = w.n[V, i] + 0.5 * dt * w.n[A, i]
        if status == OK:
            status = p.model(BALANCE, t_1, w.q[Q_1], w.n[V], w.n[A], w.m[LAM], c, p.pf, p.pi, w.s[R][:n])
        if status == OK and p.rows.size > 0:
            status = p.model(VELOCITY, t_1, w.q[Q_1], w.n[V_1], w.n[A], w.m[LAM], c, p.pf, p.pi, w.m[GAP_V])
        if status != OK:
            return status
        for i in range(p.rows.size):
            w.s[R, n + i] = w.m[GAP_V, p.rows[i]] / (0.5 * dt)
        count[EVALUATIONS] += 1
        if not finite(w.s[R]):
            return NOT_FINITE
        correct_both(p, t_1, c, w, pivots, S, np.int64(0))
        if k == 0 and p.rows.size == 0:
            break
    for i in range(n):
        w.n[V_1, i] = w.n[V, i] + 0.5 * dt * w.n[A, i]
    return OK if finite(w.n[V_1]) else NOT_FINITE


@kernel()
def symmetric_step(
    p: Any,
    t: float,
    t_1: float,
    dt: float,
    state: Any,
    c: FloatArray,
    w: Any,
    pivots: Any,
    S: FloatArray,
    controls: Any,
    count: Any,
) -> int:
    """From t to t_1 = t + dt, forwards or backwards; loads are asked for at t and t_1. On failure `state` is unchanged."""
    status = first_half(p, t, t_1, dt, state, c, w, pivots, S, controls, count)
    if status == OK:
        status = second_half(p, t_1, dt, c, w, pivots, S, count)
    if status == OK:
        status = settle(p, c, w.q[Q_1])
    if status == OK:
        copy_to(w.q[Q_1], state.q)
        copy_to(w.n[V_1], state.v)
        copy_to(w.n[A], state.a)
        copy_to(w.m[LAM], state.lam)
    return status
