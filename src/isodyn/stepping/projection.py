"""Onto the constraints: the nearest consistent state, and the last digits of a step.

    M (q̌ − q) + Gᵀμ = 0,  φ(q̌) = 0          M (v̌ − v) + Gᵀς = 0,  φ̇(q̌, v̌) = 0          M (ǎ − a) + Gᵀι = 0,  φ̈ = 0

each the least change in the mass norm [Shimada2014 (3.187)], [Shimada2014 (3.190)],
[Shimada2014 (3.213) adapted].
"""

from __future__ import annotations

import numpy as np

from isodyn.kernels.compiled import (
    ACCELERATION,
    JACOBIAN,
    NOT_FINITE,
    OK,
    POSITION,
    RETRACTS,
    SPARSE,
    VELOCITY,
    F,
    FloatArray,
    f8,
    i8,
    kernel,
)
from isodyn.kernels.lowering import natural
from isodyn.linear_solvers.block_lu import subtract_product
from isodyn.stepping.closure import add_to, ask_levels, copy_to, measure, measure_rows, retract
from isodyn.stepping.corrections import solve, solve_onto, solve_with_first
from isodyn.stepping.matrix import ask_rows, assemble, decompose
from isodyn.stepping.memory import EPS, LEG, MEMORY, PHYSICS_REF, Leg, Memory, Physics

PROJECTIONS = 20  # most iterations onto φ = 0
# of the size of q: over this distance a matrix is kept, and the way is the shortest to rounding
NEAR = 1e-7
FAR_OFF = -1  # a status of constraints that may need another solve
CLOSE = 1e-12  # constraints off by more than this, relative to q and v, are polished once more, …
POLISHED = 6  # … and so often at most


@kernel()
def close_levels(
    p: Physics, t: float, c: FloatArray, memory: Memory, position: bool, velocity: bool, rates: bool
) -> int:
    """Move q_{n+1} to φ = 0 and v_{n+1} to φ̇ = 0, ψ = 0 by one solve for both; FAR_OFF where they
    were off by more than rounding."""
    far = False
    status = ask_levels(p, t, c, memory, position, rates)
    if status != OK:
        return status
    if position:
        fill(p, memory.gap_q, p.holonomic, memory, memory.dp)
        far = measure_rows(memory.gap_q, memory.row_sizes, p.holonomic) > CLOSE * measure(memory.q_1, memory.by_q)
    if rates:
        if not velocity:
            for i in range(p.holonomic):
                memory.gap_v[i] = 0.0
        fill(p, memory.gap_v, memory.gap_v.size, memory, memory.dx)
        far = far or measure_rows(memory.gap_v, memory.row_sizes, memory.gap_v.size) > CLOSE * measure(
            memory.v_1, memory.by_v
        )
        apart = position and p.closure.mass_range == 1
        solve_onto(p, t, c, memory, memory.dx, memory.dp, position and not apart)
        if apart:
            solve_with_first(p, c, memory)
        add_to(memory.dx, memory.v_1)
    else:
        solve_onto(p, t, c, memory, memory.dp, memory.dx, False)
    if position and p.traits & RETRACTS:
        copy_to(memory.dp, memory.d)
        copy_to(memory.q_1, memory.q)
        status = retract(p, memory.q, memory.d, c, memory.q_1)
    elif position:
        add_to(memory.dp, memory.q_1)
    return FAR_OFF if status == OK and far else status


@kernel()
def close_acceleration(p: Physics, phi: float, last: int, t: float, c: FloatArray, memory: Memory) -> int:
    """Move a_{n+1} so that φ̈ = 0 in the rows before `last`, for the acceleration at t_{n+1}."""
    for i in range(memory.x.size):
        memory.a[i] = memory.a_1[i] + phi * memory.x[i]
    status = p.model(
        ACCELERATION, t, memory.q_1, memory.v_1, memory.a, memory.lam_1, c, p.tables, p.scratch, memory.gap_a
    )
    fill(p, memory.gap_a, last, memory, memory.dp)
    solve(p, t, c, memory, memory.dp, memory.dx, False)
    add_to(memory.dp, memory.a_1)
    return status


@kernel(i8(PHYSICS_REF, LEG, f8, F, MEMORY), inner=True, apart=True, loops="short")
def polish(p: Physics, leg: Leg, t: float, c: FloatArray, memory: Memory) -> int:
    """Take what the iteration left of the constraints that this formulation keeps, from rtol down
    to rounding.

    One solve with the step's own factors, or a few where that tolerance is loose; the state moves
    by less than it.
    """
    k = p.closure
    pure = k.position * k.velocity == 0.0 and k.velocity * k.acceleration == 0.0 and k.position * k.acceleration == 0.0
    position = p.holonomic > 0 and (k.keep_position == 1 or (pure and k.position != 0.0))
    velocity = k.keep_velocity == 1 or (pure and k.velocity != 0.0)
    rates = velocity or memory.gap.size > p.holonomic
    status = OK
    for _ in range(POLISHED if position or rates else 0):
        status = close_levels(p, t, c, memory, position, velocity, rates)
        if status != FAR_OFF:
            break
    if status == FAR_OFF:
        status = OK
    if status == OK and p.holonomic > 0 and pure and k.acceleration != 0.0:
        status = close_acceleration(p, leg.phi, p.holonomic, t, c, memory)
    return status


@kernel()
def mass_matrix(
    p: Physics,
    t: float,
    q: FloatArray,
    v: FloatArray,
    a: FloatArray,
    lam: FloatArray,
    c: FloatArray,
    memory: Memory,
    forces: bool,
) -> int:
    """Factors of [M Gᵀ; G 0] at a state, into memory.J; with `forces`, those that multipliers make
    stand beside Gᵀ."""
    memory.factors_good = 0
    c[0], c[1], c[2], c[3] = 1.0, 0.0, 0.0, 1.0
    status = p.model(JACOBIAN, t, q, v, a, lam, c, p.tables, p.scratch, memory.J_11)
    if status == OK:
        status = ask_rows(p, t, q, v, a, lam, c, memory, forces)
    if status == OK:
        assemble(p, c, memory, forces)
        status = decompose(p, memory)
    return status


@kernel()
def fill(p: Physics, gap: FloatArray, last: int, memory: Memory, out: FloatArray) -> None:
    """out = (0, −gap), the right-hand side of a projection, with the gaps of the rows before
    `last`."""
    n = natural(memory.x.size)
    for i in range(n):
        out[i] = 0.0
    for k in range(p.rows.size):
        i = p.rows[k]
        out[n + k] = -gap[i] if i < last else 0.0


@kernel(allocates=True)
def project_position(p: Physics, t: float, c: FloatArray, most: int | np.int64, memory: Memory) -> int:
    """Move memory.q_1 to φ = 0 by the least change in the mass norm, and leave the factors of M and
    G there [Shimada2014 (3.187)].

    With `most` iterations they stay those of the last one, a way of O(Δt³) from there
    [Shimada2014 Remark 3.4.4 adapted].
    """
    n = memory.x.size
    q, base, moved = memory.q_1.copy(), memory.q_1.copy(), np.zeros(n)
    before, status, change = np.inf, OK, np.inf
    memory.projected = 0
    for k in range(PROJECTIONS if most == 0 else most):
        near = NEAR * measure(q, memory.by_q)
        if not change * max(measure(moved, memory.by_v), near) <= near**2:
            status = mass_matrix(p, t, q, memory.v_1, memory.a_1, memory.lam_1, c, memory, False)
        if status != OK or p.holonomic == 0:
            break
        memory.projected += 1
        status = p.model(POSITION, t, q, memory.v_1, memory.a_1, memory.lam_1, c, p.tables, p.scratch, memory.gap_q)
        fill(p, memory.gap_q, p.holonomic, memory, memory.dp)
        # M (d + δ) + Gᵀμ = 0: the whole way d from where it began is the shortest in the end
        subtract_mass_times(p, memory, moved, memory.dp)
        solve(p, t, c, memory, memory.dp, memory.dx, False)
        change = measure(memory.dp, memory.by_v)
        if not np.isfinite(change):
            return NOT_FINITE
        if k > 0 and change > 0.5 * before and change <= 1e-10 * max(1.0, measure(q, memory.by_q)):
            break
        add_to(memory.dp, moved)
        status = retract(p, base, moved, c, q)
        if change <= 4.0 * EPS * measure(q, memory.by_q):
            break
        before = change
    copy_to(q, memory.q_1)
    memory.brought_back = measure(moved, memory.by_v)
    if most == 0 and status == OK and measure(moved, memory.by_v) > NEAR * measure(q, memory.by_q):
        status = mass_matrix(p, t, q, memory.v_1, memory.a_1, memory.lam_1, c, memory, False)
    return status


@kernel()
def subtract_mass_times(p: Physics, memory: Memory, x: FloatArray, out: FloatArray) -> None:
    """out −= M x, with the M of the last `mass_matrix`."""
    if p.traits & SPARSE:
        subtract_product(memory.J_11, memory.blocks, x, out)
        return
    n = memory.x.size
    for i in range(n):
        for j in range(n):
            out[i] -= memory.J_11[i * n + j] * x[j]


@kernel()
def project_velocity(p: Physics, t: float, c: FloatArray, memory: Memory) -> int:
    """Move memory.v_1 to φ̇ = 0 and ψ = 0 by the least change in the mass norm
    [Shimada2014 (3.191)]."""
    status = OK
    for k in range(3):
        status = p.model(
            VELOCITY, t, memory.q_1, memory.v_1, memory.a_1, memory.lam_1, c, p.tables, p.scratch, memory.gap_v
        )
        fill(p, memory.gap_v, memory.gap_v.size, memory, memory.dp)
        solve(p, t, c, memory, memory.dp, memory.dx, False)
        add_to(memory.dp, memory.v_1)
        small = k > 0 and measure(memory.dp, memory.by_v) <= 4.0 * EPS * measure(memory.v_1, memory.by_v)
        if status != OK or small:
            break
    return status


@kernel(i8(PHYSICS_REF, f8, i8, i8, f8, MEMORY), inner=True, apart=True, allocates=True)
def project(p: Physics, t: float, levels: int | np.int64, most: int | np.int64, phi: float, memory: Memory) -> int:
    """Move memory.q_1 to φ = 0, memory.v_1 to φ̇ = 0, ψ = 0 and (levels = 3) â to φ̈ = 0, each by
    the least change in the mass norm; with most > 0 in no more iterations onto φ = 0."""
    c = np.empty(4)
    status = project_position(p, t, c, most, memory)
    if status == OK:
        status = project_velocity(p, t, c, memory)
    if status == OK and levels == 3:  # [Shimada2014 (3.213) adapted]
        status = close_acceleration(p, phi, memory.gap_a.size, t, c, memory)
    memory.factors_good = 0
    return status
