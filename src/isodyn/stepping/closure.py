"""The end of a step and the constraints there.

    q_{n+1} = q_n ⊕ (Δt v + ½Δt² a + λ₃Δt² x − Δt² p)        v_{n+1} = v + Δt a + λ₅Δt x − Δt u
    a_{n+1} = a + x,  at t_{n+1}: â = a + (1 + φ) x          λ_{n+1} = λ_n + (λ̃ − λ_n)/W₁

Source: [Shimada2014 (3.131)], with the corrections p and u of the stabilised and overdetermined
formulations (zero in the others). The closure of a holonomic row is γ₁φ + γ₂φ̇ + γ₃φ̈ at t_{n+1}
[Shimada2014 (3.201)] divided by its dependence on x along G, γ₁λ₃Δt² + γ₂λ₅Δt + γ₃(1 + φ);
nonholonomic rows close by ψ/(λ₅Δt) in every formulation that closes there.

Closed at the balance instead, with a compliance p of the rows,

    γ₁φ + γ₂φ̇ + γ₃φ̈ − p λ̃ = 0   at (t̃, q̃, ṽ, ã),        γ₂ψ + γ₃ψ̇ = 0,

together with M ã + Gᵀλ̃ = Q this is the acceleration of Gauss' principle (p = 0), or of penalties
with weight 1/p. Its dependence on x is γ₁c₂ + γ₂c₁ + γ₃c₀.
"""

from __future__ import annotations

import numpy as np

from isodyn.kernels.compiled import (
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
from isodyn.kernels.lowering import natural
from isodyn.stepping.memory import MEMORY, PHYSICS_REF, Leg, Memory, Physics, State


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
def retract(p: Physics, q: FloatArray, d: FloatArray, c: FloatArray, out: FloatArray) -> int:
    """out = q ⊕ d."""
    if p.traits & RETRACTS:
        return p.model(RETRACT, 0.0, q, d, d, d, c, p.tables, p.scratch, out)
    for i in range(q.size):
        out[i] = q[i] + d[i]
    return OK


@kernel()
def settle(p: Physics, c: FloatArray, q: FloatArray) -> int:
    """Finish the configuration at the end of a step: set angles that nothing read inside the
    step."""
    if p.traits & COUNTS_TURNS:
        return p.model(SETTLE, 0.0, q, q, q, q, c, p.tables, p.scratch, q)
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
    """Largest |x_i|/by_i: what forces do along typical displacements; NaN if there is one."""
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


@kernel()
def finite(x: FloatArray) -> bool:
    """Whether all components are finite."""
    one, two, three, four = 0.0, 0.0, 0.0, 0.0  # sums that need not wait for each other
    most = x.size - x.size % 4
    for i in range(0, most, 4):
        one += 0.0 * x[i]
        two += 0.0 * x[i + 1]
        three += 0.0 * x[i + 2]
        four += 0.0 * x[i + 3]
    for i in range(most, x.size):
        one += 0.0 * x[i]
    return (one + two) + (three + four) == 0.0


@kernel()
def end_state(p: Physics, leg: Leg, dt: float, state: State, c: FloatArray, memory: Memory) -> int:
    """The state at t_{n+1} for the unknowns in memory, into memory.q_1, memory.v_1, memory.a_1,
    memory.lam_1."""
    for i in range(memory.x.size):
        memory.d[i] = dt * state.v[i] + dt * dt * (
            0.5 * memory.a_p[i] + leg.l3 * memory.x[i] - memory.p[i]
        )  # [Shimada2014 (3.131g) adapted]
        memory.v_1[i] = state.v[i] + dt * (
            memory.a_p[i] + leg.l5 * memory.x[i] - memory.u[i]
        )  # [Shimada2014 (3.131h) adapted]
        memory.a_1[i] = memory.a_p[i] + memory.x[i]  # [Shimada2014 (3.131i)]
    for i in range(memory.lam.size):
        # [Shimada2014 (3.131f)]
        memory.lam_1[i] = state.lam[i] + (memory.lam[i] - state.lam[i]) / leg.W1
    return retract(p, state.q, memory.d, c, memory.q_1)


@kernel()
def ask_levels(p: Physics, t: float, c: FloatArray, memory: Memory, position: bool, rates: bool) -> int:
    """φ and φ̇ at the end of the step into memory.gap_q and memory.gap_v, as far as they are
    wanted."""
    m = natural(memory.gap.size)
    if position and rates and p.traits & KNOWS_LEVELS:
        status = p.model(
            LEVELS, t, memory.q_1, memory.v_1, memory.a_1, memory.lam_1, c, p.tables, p.scratch, memory.levels
        )
        for i in range(m):
            memory.gap_q[i], memory.gap_v[i] = memory.levels[i], memory.levels[m + i]
        return status
    status = OK
    if position:
        status = p.model(
            POSITION, t, memory.q_1, memory.v_1, memory.a_1, memory.lam_1, c, p.tables, p.scratch, memory.gap_q
        )
    if status == OK and rates:
        status = p.model(
            VELOCITY, t, memory.q_1, memory.v_1, memory.a_1, memory.lam_1, c, p.tables, p.scratch, memory.gap_v
        )
    return status


@kernel()
def close(p: Physics, leg: Leg, t_1: float, dt: float, state: State, c: FloatArray, memory: Memory) -> int:
    """Closures at t_{n+1} in units of acceleration: of the step into memory.gap; of each level
    alone where needed."""
    status = end_state(p, leg, dt, state, c, memory)
    if status != OK:
        return status
    k, m, n = p.closure, memory.gap.size, p.holonomic
    fill_with(memory.gap, 0.0)
    along_x = k.position * leg.l3 * dt * dt + k.velocity * leg.l5 * dt + k.acceleration * (1.0 + leg.phi)
    position, rates = k.position != 0.0 or k.keep_position == 1, k.velocity != 0.0 or k.keep_velocity == 1 or m > n
    status = ask_levels(p, t_1, c, memory, position, rates)
    if status == OK and position:
        for i in range(n):
            memory.gap[i] += k.position * memory.gap_q[i] / along_x
            memory.gap_q[i] /= dt * dt
    if status == OK and rates:
        for i in range(n):
            memory.gap[i] += k.velocity * memory.gap_v[i] / along_x
            memory.gap_v[i] /= dt
        for i in range(n, m):
            memory.gap[i] = memory.gap_v[i] / (leg.l5 * dt)
    if status == OK and k.acceleration != 0.0 and n > 0:
        for i in range(memory.x.size):
            memory.a_1[i] = (
                memory.a_p[i] + (1.0 + leg.phi) * memory.x[i]
            )  # â, the acceleration at t_{n+1} [Shimada2014 (3.145b)]
        status = p.model(
            ACCELERATION, t_1, memory.q_1, memory.v_1, memory.a_1, memory.lam_1, c, p.tables, p.scratch, memory.gap_a
        )
        for i in range(n):
            memory.gap[i] += k.acceleration * memory.gap_a[i] / along_x
    return status


@kernel()
def closure_compliance(p: Physics, c: FloatArray) -> float:
    """∂(closure residual)/∂λ of a closure with compliance at the balance, in units of
    acceleration."""
    k = p.closure
    return k.compliance / (k.position * c[2] + k.velocity * c[1] + k.acceleration * c[0]) if k.compliance > 0.0 else 0.0


@kernel(i8(PHYSICS_REF, f8, F, MEMORY), inner=True, apart=True)
def close_at_balance(p: Physics, t: float, c: FloatArray, memory: Memory) -> int:
    """Closures at the trial state, in units of acceleration, into memory.gap."""
    k, m, n = p.closure, memory.gap.size, p.holonomic
    soft = closure_compliance(p, c)
    for i in range(m):
        memory.gap[i] = -soft * memory.lam[i]
    status = OK
    if k.position != 0.0:
        status = p.model(POSITION, t, memory.q, memory.v, memory.a, memory.lam, c, p.tables, p.scratch, memory.gap_q)
    if status == OK and k.velocity != 0.0:
        status = p.model(VELOCITY, t, memory.q, memory.v, memory.a, memory.lam, c, p.tables, p.scratch, memory.gap_v)
    if status == OK:
        status = p.model(
            ACCELERATION, t, memory.q, memory.v, memory.a, memory.lam, c, p.tables, p.scratch, memory.gap_a
        )
    for i in range(m):
        gap, along_x = k.acceleration * memory.gap_a[i], k.acceleration * c[0]
        if k.velocity != 0.0:
            gap += k.velocity * memory.gap_v[i]
            along_x += k.velocity * c[1]
        if k.position != 0.0 and i < n:
            gap += k.position * memory.gap_q[i]
            along_x += k.position * c[2]
        memory.gap[i] += gap / along_x
    return status
