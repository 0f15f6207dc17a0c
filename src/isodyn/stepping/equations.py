"""The equations of one step.

Unknown are one increment x (the step's Δa) and, with constraints, the multipliers λ̃ at the
balance; the trial state is affine in x,

    q̃ = q ⊕ (d_p + c₂ x),   ṽ = v_p + c₁ x,   ã = a_p + c₀ x,        balance(t̃, q̃, ṽ, ã, λ̃) = 0,   closure(t_{n+1}) = 0.

Here c = (W₁Λ₆, Δt W₂Λ₅, Δt² W₃Λ₃), and c = (1, 0, 0) gives the acceleration at a given state. What
is solved for is θ with x = c₃ θ: Δa itself in a-form (c₃ = 1), Δv in v-form (c₃ = 1/λ₅Δt), Δq in
d-form (c₃ = 1/λ₃Δt²) [Shimada2014 (Table 2.4)].
"""

from __future__ import annotations

from isodyn.kernels.compiled import (
    BALANCE,
    OK,
    FloatArray,
    kernel,
)
from isodyn.stepping.closure import close, close_at_balance, fill_with, retract
from isodyn.stepping.memory import Leg, Memory, Physics, State


@kernel()
def trial(p: Physics, leg: Leg, dt: float, state: State, c: FloatArray, memory: Memory) -> int:
    """The trial state at the balance for memory.x, into memory.q, memory.v, memory.a."""
    moved = leg.W1 * dt * dt if p.closure.in_balance > 0 else 0.0
    for i in range(memory.x.size):
        memory.d[i] = memory.d_p[i] + c[2] * memory.x[i] - moved * memory.p[i]
        memory.v[i] = memory.v_p[i] + c[1] * memory.x[i]
        memory.a[i] = memory.a_p[i] + c[0] * memory.x[i]
    return retract(p, state.q, memory.d, c, memory.q)


@kernel()
def gaps(
    p: Physics, leg: Leg, t: float, t_1: float, dt: float, state: State, c: FloatArray, memory: Memory, r: FloatArray
) -> int:
    """The closure of the step into r, for the trial state in place."""
    status = OK
    if p.rows.size > 0:
        status = (
            close_at_balance(p, t, c, memory) if p.closure.at_balance == 1 else close(p, leg, t_1, dt, state, c, memory)
        )
        for i in range(p.rows.size):
            r[memory.x.size + i] = memory.gap[p.rows[i]]
    return status


@kernel()
def residual(
    p: Physics, leg: Leg, t: float, t_1: float, dt: float, state: State, c: FloatArray, memory: Memory, r: FloatArray
) -> int:
    """Put the trial state for memory.x into place, its balance and the closure of the step into
    r."""
    n = memory.x.size
    status = trial(p, leg, dt, state, c, memory)
    if status != OK:
        return status
    if memory.eliminate > 0:
        fill_with(memory.lam, 0.0)
    status = p.model(BALANCE, t, memory.q, memory.v, memory.a, memory.lam, c, p.tables, p.scratch, r[:n])
    return gaps(p, leg, t, t_1, dt, state, c, memory, r) if status == OK else status
