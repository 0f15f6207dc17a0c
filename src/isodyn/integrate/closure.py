"""The end of a step and the constraints there.

    q_{n+1} = q_n ⊕ (Δt v + ½Δt² a + λ₃Δt² x − Δt² p)        v_{n+1} = v + Δt a + λ₅Δt x − Δt u
    a_{n+1} = a + x,  at t_{n+1}: â = a + (1 + φ) x          λ_{n+1} = λ_n + (λ̃ − λ_n)/W₁

Source: [Shimada2014 (3.131)], with the corrections p and u of the stabilised and overdetermined formulations (zero in the others).
The closure of a holonomic row is γ₁φ + γ₂φ̇ + γ₃φ̈ at t_{n+1} [Shimada2014 (3.201)] divided by its dependence on x along G,
γ₁λ₃Δt² + γ₂λ₅Δt + γ₃(1 + φ); nonholonomic rows close by ψ/(λ₅Δt) in every formulation that closes there.

Closed at the balance instead, with a compliance p of the rows,

    γ₁φ + γ₂φ̇ + γ₃φ̈ − p λ̃ = 0   at (t̃, q̃, ṽ, ã),        γ₂ψ + γ₃ψ̇ = 0,

together with M ã + Gᵀλ̃ = Q this is the acceleration of Gauss' principle (p = 0), or of penalties with weight 1/p. Its dependence on x
is γ₁c₂ + γ₂c₁ + γ₃c₀.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from isodyn.compiled import (
    ACCELERATION,
    COUNTS_TURNS,
    KNOWS_LEVELS,
    LEVELS,
    OK,
    POSITION,
    RETRACT,
    RETRACTS,
    SETTLE,
    VELOCITY,
    F,
    FloatArray,
    f8,
    i8,
    kernel,
)
from isodyn.integrate.signatures import PHYSICS_REF, WORK_REF
from isodyn.integrate.work import A_1, A_P, GAP, GAP_A, GAP_Q, GAP_V, LAM, LAM_1, Q_1, V_1, A, D, P, Q, U, V, X
from isodyn.lowering import natural


@kernel()
def fill_with(x: FloatArray, value: float) -> None:
    """x = value. Loops compile in a fraction of the time of slices."""
    for i in range(x.size):
        x[i] = value


@kernel()
def copy_to(x: FloatArray, out: FloatArray) -> None:
    """out = x, as far as out goes."""
    for i in range(out.size):
        out[i] = x[i]


@kernel()
def add_to(x: FloatArray, out: FloatArray) -> None:
    """out += x, as far as out goes."""
    for i in range(out.size):
        out[i] += x[i]


@kernel()
def retract(p: Any, q: FloatArray, d: FloatArray, c: FloatArray, out: FloatArray) -> int:
    """out = q ⊕ d."""
    if p.traits & RETRACTS:
        return p.model(RETRACT, 0.0, q, d, d, d, c, p.pf, p.pi, out)
    for i in range(q.size):
        out[i] = q[i] + d[i]
    return OK


@kernel()
def settle(p: Any, c: FloatArray, q: FloatArray) -> int:
    """Finish a configuration that a step ends with: angles that nothing read inside the step."""
    if p.traits & COUNTS_TURNS:
        return p.model(SETTLE, 0.0, q, q, q, q, c, p.pf, p.pi, q)
    return OK


@kernel()
def largest(x: FloatArray, first: int, last: int) -> float:
    """Largest absolute component from `first` to before `last`; NaN when there is one."""
    found = 0.0
    for i in range(natural(first), natural(last)):
        if not abs(x[i]) <= found:
            found = abs(x[i])
            if np.isnan(found):
                return found
    return found


@kernel()
def size(x: FloatArray) -> float:
    """Largest absolute component; NaN when there is one."""
    return largest(x, 0, x.size)


@kernel()
def measure(x: FloatArray, by: FloatArray) -> float:
    """Largest |x_i|·by_i, over as many components as there are weights; NaN when there is one."""
    found = 0.0
    for i in range(natural(by.size)):
        value = abs(x[i]) * by[i]
        if not value <= found:
            found = value
            if np.isnan(found):
                return found
    return found


@kernel()
def measure_forces(x: FloatArray, by: FloatArray) -> float:
    """The same of what forces do along typical displacements, |x_i|/by_i."""
    found = 0.0
    for i in range(natural(by.size)):
        value = abs(x[i]) / by[i]
        if not value <= found:
            found = value
            if np.isnan(found):
                return found
    return found


@kernel()
def measure_rows(x: FloatArray, sizes: FloatArray, last: int) -> float:
    """Largest |x_k| of the rows before `last`, each in units of its own size."""
    found = 0.0
    for k in range(natural(last)):
        value = abs(x[k]) / sizes[k]
        if not value <= found:
            found = value
            if np.isnan(found):
                return found
    return found


# ---- the same of rows of the memory of a step: one address to hand over


@kernel()
def size_v(w: Any, row: int) -> float:
    """A row of w.n in typical sizes."""
    found = 0.0
    for i in range(natural(w.by_v.size)):
        value = abs(w.n[row, i]) * w.by_v[i]
        if not value <= found:
            found = value
            if np.isnan(found):
                return found
    return found


@kernel()
def size_q(w: Any, row: int) -> float:
    """A row of w.q in typical sizes."""
    found = 0.0
    for i in range(natural(w.by_q.size)):
        value = abs(w.q[row, i]) * w.by_q[i]
        if not value <= found:
            found = value
            if np.isnan(found):
                return found
    return found


@kernel()
def size_s(w: Any, row: int) -> float:
    """The first part of a row of w.s, of unknowns like v, in typical sizes."""
    found = 0.0
    for i in range(natural(w.by_v.size)):
        value = abs(w.s[row, i]) * w.by_v[i]
        if not value <= found:
            found = value
            if np.isnan(found):
                return found
    return found


@kernel()
def size_m(w: Any, row: int) -> float:
    """Multipliers in a row of w.m as work along typical sizes."""
    found = 0.0
    for i in range(natural(w.rows.size)):
        value = abs(w.m[row, i]) * w.rows[i]
        if not value <= found:
            found = value
            if np.isnan(found):
                return found
    return found


@kernel()
def size_of_gaps(w: Any, row: int, last: int) -> float:
    """Gaps in a row of w.m of the rows before `last`, each in units of its own size."""
    found = 0.0
    for i in range(natural(last)):
        value = abs(w.m[row, i]) / w.rows[i]
        if not value <= found:
            found = value
            if np.isnan(found):
                return found
    return found


@kernel()
def finite(x: FloatArray) -> bool:
    """Whether all components are."""
    total = 0.0
    for i in range(x.size):
        total += 0.0 * x[i]
    return total == 0.0


@kernel()
def end_state(p: Any, s: Any, dt: float, state: Any, c: FloatArray, w: Any) -> int:
    """The state at t_{n+1} for the unknowns in w, into w.q[Q_1], w.n[V_1], w.n[A_1], w.m[LAM_1]."""
    for i in range(w.n[X].size):
        w.n[D, i] = dt * state.v[i] + dt * dt * (
            0.5 * w.n[A_P, i] + s.l3 * w.n[X, i] - w.n[P, i]
        )  # [Shimada2014 (3.131g) adapted]
        w.n[V_1, i] = state.v[i] + dt * (w.n[A_P, i] + s.l5 * w.n[X, i] - w.n[U, i])  # [Shimada2014 (3.131h) adapted]
        w.n[A_1, i] = w.n[A_P, i] + w.n[X, i]  # [Shimada2014 (3.131i)]
    for i in range(w.m[LAM].size):
        w.m[LAM_1, i] = state.lam[i] + (w.m[LAM, i] - state.lam[i]) / s.W1  # [Shimada2014 (3.131f)]
    return retract(p, state.q, w.n[D], c, w.q[Q_1])


@kernel()
def ask_levels(p: Any, t: float, c: FloatArray, w: Any, position: bool, rates: bool) -> int:
    """φ and φ̇ at the end of the step into w.m[GAP_Q] and w.m[GAP_V], as far as they are wanted."""
    m = natural(w.m[GAP].size)
    if position and rates and p.traits & KNOWS_LEVELS:
        status = p.model(LEVELS, t, w.q[Q_1], w.n[V_1], w.n[A_1], w.m[LAM_1], c, p.pf, p.pi, w.levels)
        for i in range(m):
            w.m[GAP_Q, i], w.m[GAP_V, i] = w.levels[i], w.levels[m + i]
        return status
    status = OK
    if position:
        status = p.model(POSITION, t, w.q[Q_1], w.n[V_1], w.n[A_1], w.m[LAM_1], c, p.pf, p.pi, w.m[GAP_Q])
    if status == OK and rates:
        status = p.model(VELOCITY, t, w.q[Q_1], w.n[V_1], w.n[A_1], w.m[LAM_1], c, p.pf, p.pi, w.m[GAP_V])
    return status


@kernel()
def close(p: Any, s: Any, t_1: float, dt: float, state: Any, c: FloatArray, w: Any) -> int:
    """Closures at t_{n+1} in units of acceleration: of the step into w.m[GAP]; of each level alone where needed."""
    status = end_state(p, s, dt, state, c, w)
    if status != OK:
        return status
    k, m, n = p.closure, w.m[GAP].size, p.holonomic
    fill_with(w.m[GAP], 0.0)
    along_x = k.g1 * s.l3 * dt * dt + k.g2 * s.l5 * dt + k.g3 * (1.0 + s.phi)
    position, rates = k.g1 != 0.0 or k.correct_q == 1, k.g2 != 0.0 or k.correct_v == 1 or m > n
    status = ask_levels(p, t_1, c, w, position, rates)
    if status == OK and position:
        for i in range(n):
            w.m[GAP, i] += k.g1 * w.m[GAP_Q, i] / along_x
            w.m[GAP_Q, i] /= dt * dt
    if status == OK and rates:
        for i in range(n):
            w.m[GAP, i] += k.g2 * w.m[GAP_V, i] / along_x
            w.m[GAP_V, i] /= dt
        for i in range(n, m):
            w.m[GAP, i] = w.m[GAP_V, i] / (s.l5 * dt)
    if status == OK and k.g3 != 0.0 and n > 0:
        for i in range(w.n[X].size):
            w.n[A_1, i] = (
                w.n[A_P, i] + (1.0 + s.phi) * w.n[X, i]
            )  # â, the acceleration at t_{n+1} [Shimada2014 (3.145b)]
        status = p.model(ACCELERATION, t_1, w.q[Q_1], w.n[V_1], w.n[A_1], w.m[LAM_1], c, p.pf, p.pi, w.m[GAP_A])
        for i in range(n):
            w.m[GAP, i] += k.g3 * w.m[GAP_A, i] / along_x
    return status


@kernel()
def softness(p: Any, c: FloatArray) -> float:
    """What a unit of a multiplier leaves open of a closure at the balance, in units of acceleration."""
    k = p.closure
    return k.compliance / (k.g1 * c[2] + k.g2 * c[1] + k.g3 * c[0]) if k.compliance > 0.0 else 0.0


@kernel(i8(PHYSICS_REF, f8, F, WORK_REF), inner=True, apart=True)
def close_at_balance(p: Any, t: float, c: FloatArray, w: Any) -> int:
    """Closures at the trial state, in units of acceleration, into w.m[GAP]."""
    k, m, n = p.closure, w.m[GAP].size, p.holonomic
    soft = softness(p, c)
    for i in range(m):
        w.m[GAP, i] = -soft * w.m[LAM, i]
    status = OK
    if k.g1 != 0.0:
        status = p.model(POSITION, t, w.q[Q], w.n[V], w.n[A], w.m[LAM], c, p.pf, p.pi, w.m[GAP_Q])
    if status == OK and k.g2 != 0.0:
        status = p.model(VELOCITY, t, w.q[Q], w.n[V], w.n[A], w.m[LAM], c, p.pf, p.pi, w.m[GAP_V])
    if status == OK:
        status = p.model(ACCELERATION, t, w.q[Q], w.n[V], w.n[A], w.m[LAM], c, p.pf, p.pi, w.m[GAP_A])
    for i in range(m):
        gap, along_x = k.g3 * w.m[GAP_A, i], k.g3 * c[0]
        if k.g2 != 0.0:
            gap += k.g2 * w.m[GAP_V, i]
            along_x += k.g2 * c[1]
        if k.g1 != 0.0 and i < n:
            gap += k.g1 * w.m[GAP_Q, i]
            along_x += k.g1 * c[2]
        w.m[GAP, i] += gap / along_x
    return status
