"""Matrices of a step of Radau IIA, and their factors: one real and one complex, of the same
pattern.

    [ M + gC + g²K    B  ]
    [ G + gH         D/g ],        g = h/γ₁ and h/γ̄₂

with derivatives at the beginning of some step: M, C, K, B of the balance by a, v, q and λ (B = Gᵀ
unless multipliers enter as they like), G, H, D of φ̇ and ψ by v, q and λ. The unknowns are the
changes of W, and g times those of the transformed multipliers; q is eliminated, δQ = h A δV.
"""

from __future__ import annotations

import numpy as np

from isodyn.kernels.compiled import (
    BALANCE,
    CONSTRAINT,
    GENERAL,
    KNOWS_MASS,
    KNOWS_TANGENT,
    MULTIPLIERS,
    NONIDEAL,
    OK,
    SINGULAR,
    SOLVES,
    VELOCITY,
    FloatArray,
    f8,
    i8,
    kernel,
)
from isodyn.kernels.lowering import natural
from isodyn.kernels.struct_types import StructType
from isodyn.linear_solvers.dense import lu_factor
from isodyn.linear_solvers.dense_complex import complex_lu_factor
from isodyn.stepping.closure import copy_to, fill_with, measure, retract, size
from isodyn.stepping.memory import COUNTERS, MEMORY, PHYSICS_REF, STATE, Counters, Memory, Physics, State
from isodyn.stepping.radau_memory import GAMMA, GAMMA_IM, GAMMA_RE, ROW_BY_ROW, STAGE, Collocation
from isodyn.stepping.radau_questions import SMALL, STEP, ask, ask_for
from isodyn.stepping.radau_sparse import derive_sparse, factorise_sparse

COLLOCATION = StructType(Collocation)
TINY = 1e-8  # of the largest component: the same for those of a first-order system


@kernel()
def column_of(j: int, n: int, change: float, own: Collocation, memory: Memory, out: FloatArray) -> None:
    """Column j of a derivative of the balance by v or a, from own.plus and memory.r."""
    for i in range(n):
        out[i * n + j] = (own.plus[i] - memory.r[i]) / change


@kernel()
def reach_of(h: float, memory: Memory) -> float:
    """How large v is, or becomes in a step, in typical sizes."""
    reach = max(measure(memory.v, memory.by_v), h * measure(memory.a, memory.by_v))
    return reach if reach > 0.0 else 1.0


@kernel()
def typical(j: int, h: float, reach: float, own: Collocation, memory: Memory) -> float:
    """The size of v_j that a difference is made for: its own, and not below what its tolerance lets
    one see. Components of a first-order system may be of very different sizes."""
    seen = own.atol[memory.q.size + j] / own.rtol
    least = (SMALL if memory.q.size > 0 else TINY) * reach / memory.by_v[j]
    return max(abs(memory.v[j]), h * abs(memory.a[j]), seen, least)


@kernel()
def differences(
    p: Physics, t: float, h: float, own: Collocation, memory: Memory, mass: bool, counters: Counters
) -> int:
    """C, K and, with `mass`, M by differences of the balance."""
    n, status = natural(memory.v.size), OK
    reach = reach_of(h, memory)
    near = STEP * max(SMALL, measure(memory.q, memory.by_q))
    rest = max(measure(memory.a, memory.by_v), reach / h)
    for j in range(n):
        before = memory.v[j]
        memory.v[j] = before + STEP * typical(j, h, reach, own, memory)
        change = memory.v[j] - before
        status = max(status, ask(p, BALANCE, t, own, memory, own.plus))
        memory.v[j] = before
        column_of(j, n, change, own, memory, own.C)
        if mass:
            before = memory.a[j]
            memory.a[j] = before + STEP * rest / memory.by_v[j]
            change = memory.a[j] - before
            status = max(status, ask(p, BALANCE, t, own, memory, own.plus))
            memory.a[j] = before
            column_of(j, n, change, own, memory, own.M)
        if memory.q.size > 0 and status == OK:
            change = move(p, j, near / memory.by_v[j], own, memory)
            status = ask(p, BALANCE, t, own, memory, own.plus)
            copy_to(own.moved, memory.q)
            column_of(j, n, change, own, memory, own.K)
        if status != OK:
            return status
    counters.evaluations += 2 * n
    return status


@kernel()
def move(p: Physics, j: int, change: float, own: Collocation, memory: Memory) -> float:
    """Put q ⊕ change·e_j into memory.q, and keep q in own.moved."""
    copy_to(memory.q, own.moved)
    fill_with(memory.d, 0.0)
    memory.d[j] = change
    retract(p, own.moved, memory.d, own.c, memory.q)
    return change


@kernel()
def contains_z(own: Collocation, i: int) -> bool:
    """Whether row i contains algebraic unknowns."""
    m, found = natural(own.L.shape[1]), False
    for j in range(m):
        found = found or own.D[i * m + j] != 0.0
    return found


@kernel()
def general_rows(
    p: Physics, t: float, h: float, sizes_z: FloatArray, own: Collocation, memory: Memory, counters: Counters
) -> int:
    """B, G and D where multipliers enter as they like, by differences."""
    n, m, status = natural(memory.v.size), natural(memory.lam.size), ask(p, VELOCITY, t, own, memory, memory.gap_v)
    reach, largest = reach_of(h, memory), size(memory.lam)
    for j in range(n + m):
        x, k = (memory.v, j) if j < n else (memory.lam, j - n)
        before = x[k]
        if j < n:
            size_x = typical(k, h, reach, own, memory)
        else:
            size_x = max(abs(before), SMALL, largest) if sizes_z[k] == 0.0 else max(abs(before), sizes_z[k])
        x[k] = before + STEP * size_x
        change = x[k] - before
        status = max(status, ask(p, VELOCITY, t, own, memory, own.gap_plus))
        if j >= n:
            status = max(status, ask(p, BALANCE, t, own, memory, own.plus))
        x[k] = before
        if status != OK:
            return status
        for i in range(m):
            slope = (own.gap_plus[i] - memory.gap_v[i]) / change
            if j < n:
                own.G[i * n + k] = slope
            else:
                own.D[i * m + k] = slope
        if j >= n:
            for i in range(n):
                own.B[k * n + i] = (own.plus[i] - memory.r[i]) / change
    counters.evaluations += m
    with_z = 0
    for i in range(m):
        with_z += contains_z(own, i)
    own.algebraic = ROW_BY_ROW if with_z == own.determined else STAGE
    return status


@kernel()
def rows_by_q(p: Physics, t: float, own: Collocation, memory: Memory) -> int:
    """H = ∂(φ̇, ψ)/∂q by differences; nothing else knows it."""
    n, m, status = natural(memory.v.size), natural(memory.lam.size), ask(p, VELOCITY, t, own, memory, memory.gap_v)
    near = STEP * max(SMALL, measure(memory.q, memory.by_q))
    for j in range(n):
        if status != OK:
            return status
        change = move(p, j, near / memory.by_v[j], own, memory)
        status = ask(p, VELOCITY, t, own, memory, own.gap_plus)
        copy_to(own.moved, memory.q)
        for i in range(m):
            own.H[i * n + j] = (own.gap_plus[i] - memory.gap_v[i]) / change
    return status


@kernel(i8(PHYSICS_REF, COLLOCATION, f8, f8, STATE, MEMORY, COUNTERS), inner=True, apart=True)
def derive(p: Physics, own: Collocation, t: float, h: float, state: State, memory: Memory, counters: Counters) -> int:
    """All derivatives at the state, for steps of about h."""
    if own.real_matrix != 0:
        return int(derive_sparse(p, own, t, h, state, memory, counters))
    n, m, status = natural(state.v.size), natural(state.lam.size), OK
    copy_to(state.q, memory.q)
    copy_to(state.v, memory.v)
    copy_to(state.a, memory.a)
    copy_to(state.lam, memory.lam)
    if p.traits & (KNOWS_TANGENT | SOLVES):
        status = ask_for(p, 0, t, own, memory, own.M)
        status = max(status, ask_for(p, 1, t, own, memory, own.C))
        if state.q.size > 0:
            status = max(status, ask_for(p, 2, t, own, memory, own.K))
    else:
        if p.traits & KNOWS_MASS:
            status = ask_for(p, 0, t, own, memory, own.M)
        status = max(status, ask(p, BALANCE, t, own, memory, memory.r[:n]))
        if status == OK:
            status = differences(p, t, h, own, memory, not p.traits & KNOWS_MASS, counters)
    if status == OK and m > 0:
        if p.traits & GENERAL:
            status = ask(p, BALANCE, t, own, memory, memory.r[:n])
            if status == OK:
                status = general_rows(p, t, h, state.sizes_z, own, memory, counters)
        else:
            status = ask(p, CONSTRAINT, t, own, memory, own.G)
            copy_to(own.G, own.B)
            if status == OK and p.traits & NONIDEAL:
                status = ask(p, MULTIPLIERS, t, own, memory, own.B)
            if status == OK and state.q.size > 0:
                status = rows_by_q(p, t, own, memory)
    return status


@kernel()
def fill_matrix(p: Physics, own: Collocation, g: float, g_im: float, re: FloatArray, im: FloatArray) -> None:
    """The matrix for g + i g_im, its parts apart; im stays as it is where g is real."""
    n, m, with_im = natural(own.v_0.size), natural(p.rows.size), g_im != 0.0
    whole = n + m
    square, square_im, length = g * g - g_im * g_im, 2.0 * g * g_im, g * g + g_im * g_im
    for i in range(n):
        for j in range(n):
            k = i * n + j
            re[i * whole + j] = own.M[k] + g * own.C[k] + square * own.K[k]
            if with_im:
                im[i * whole + j] = g_im * own.C[k] + square_im * own.K[k]
    for row in range(m):
        first = p.rows[row] * n
        for j in range(n):
            re[j * whole + n + row] = own.B[first + j]
            re[(n + row) * whole + j] = own.G[first + j] + g * own.H[first + j]
            if with_im:
                im[j * whole + n + row] = 0.0
                im[(n + row) * whole + j] = g_im * own.H[first + j]
        for other in range(m):
            corner = own.D[p.rows[row] * own.L.shape[1] + p.rows[other]]
            re[(n + row) * whole + n + other] = corner * g / length
            if with_im:
                im[(n + row) * whole + n + other] = -corner * g_im / length


@kernel(i8(PHYSICS_REF, COLLOCATION, f8, MEMORY, COUNTERS), inner=True, apart=True)
def factorise_stages(p: Physics, own: Collocation, h: float, memory: Memory, counters: Counters) -> int:
    """Factors of both matrices for steps of h; memory.fault tells the unknown without a pivot."""
    if own.real_matrix != 0:
        return int(factorise_sparse(p, own, h, memory, counters))
    whole = own.v_0.size + p.rows.size
    square, length = whole * whole, GAMMA_RE * GAMMA_RE + GAMMA_IM * GAMMA_IM
    own.factors_for = np.nan
    counters.factorisations += 2
    fill_matrix(p, own, h / GAMMA, 0.0, own.factors, own.factors)
    pivots = own.pivots[:whole]
    status = lu_factor(own.factors[:square], pivots, memory.unknown_sizes)
    if status == OK:
        # 1/γ̄₂ = γ₂/|γ₂|²
        fill_matrix(p, own, h * GAMMA_RE / length, h * GAMMA_IM / length, own.factors_re, own.factors_im)
        pivots = own.complex_pivots[:whole]
        status = complex_lu_factor(own.factors_re[:square], own.factors_im[:square], pivots, memory.unknown_sizes)
    if status == SINGULAR:
        memory.fault[0] = pivots[0]
    if status == OK:
        own.factors_for = h
        own.enforced = p.rows.size
        for k in range(p.rows.size):
            own.rows[k] = p.rows[k]
    return status


@kernel()
def serves(p: Physics, own: Collocation, h: float) -> bool:
    """Whether the factors are those of this step and of the rows that are enforced."""
    if own.factors_for != h or own.enforced != p.rows.size:
        return False
    others = 0
    for k in range(p.rows.size):
        others += own.rows[k] != p.rows[k]
    return others == 0
