"""The equations of one step.

Unknown are one increment x (the step's Δa) and, with constraints, the multipliers λ̃ at the balance; the trial state is affine in x,

    q̃ = q ⊕ (d_p + c₂ x),   ṽ = v_p + c₁ x,   ã = a_p + c₀ x,        balance(t̃, q̃, ṽ, ã, λ̃) = 0,   closure(t_{n+1}) = 0.

Here c = (W₁Λ₆, Δt W₂Λ₅, Δt² W₃Λ₃), and c = (1, 0, 0) gives the acceleration at a given state. What is solved for is θ with x = c₃ θ:
Δa itself in a-form (c₃ = 1), Δv in v-form (c₃ = 1/λ₅Δt), Δq in d-form (c₃ = 1/λ₃Δt²) [Shimada2014 (Table 2.4)].
"""

from __future__ import annotations

from typing import Any

from isodyn.compiled import (
    BALANCE,
    OK,
    FloatArray,
    kernel,
)
from isodyn.integrate.closure import close, close_at_balance, fill_with, retract
from isodyn.integrate.work import (
    A_P,
    D_P,
    GAP,
    LAM,
    V_P,
    A,
    D,
    P,
    Q,
    V,
    X,
)


@kernel()
def trial(p: Any, s: Any, dt: float, state: Any, c: FloatArray, w: Any) -> int:
    """The trial state at the balance for w.n[X], into w.q[Q], w.n[V], w.n[A]."""
    moved = s.W1 * dt * dt if p.closure.in_balance > 0 else 0.0
    for i in range(w.n[X].size):
        w.n[D, i] = w.n[D_P, i] + c[2] * w.n[X, i] - moved * w.n[P, i]
        w.n[V, i] = w.n[V_P, i] + c[1] * w.n[X, i]
        w.n[A, i] = w.n[A_P, i] + c[0] * w.n[X, i]
    return retract(p, state.q, w.n[D], c, w.q[Q])


@kernel()
def gaps(p: Any, s: Any, t: float, t_1: float, dt: float, state: Any, c: FloatArray, w: Any, r: FloatArray) -> int:
    """The closure of the step into r, for the trial state in place."""
    status = OK
    if p.rows.size > 0:
        status = close_at_balance(p, t, c, w) if p.closure.at_balance == 1 else close(p, s, t_1, dt, state, c, w)
        for i in range(p.rows.size):
            r[w.n[X].size + i] = w.m[GAP, p.rows[i]]
    return status


@kernel()
def residual(p: Any, s: Any, t: float, t_1: float, dt: float, state: Any, c: FloatArray, w: Any, r: FloatArray) -> int:
    """Put the trial state for w.n[X] into place, its balance and the closure of the step into r."""
    n = w.n[X].size
    status = trial(p, s, dt, state, c, w)
    if status != OK:
        return status
    if p.closure.null_space > 0:
        fill_with(w.m[LAM], 0.0)
    status = p.model(BALANCE, t, w.q[Q], w.n[V], w.n[A], w.m[LAM], c, p.pf, p.pi, r[:n])
    return gaps(p, s, t, t_1, dt, state, c, w, r) if status == OK else status
