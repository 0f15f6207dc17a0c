"""The matrix that the corrections of a step come from, and its factors (isodyn.stepping.equations
has the equations).

In a-form it is

    [ J  Gᵀ ] [ δx ]     [ balance ]
    [ G  0  ] [ δλ̃ ] = − [ closure ],      J = c₀ ∂balance/∂a + c₁ ∂balance/∂v + c₂ ∂balance/∂q,

with every closure row divided by its own dependence on x, so that the matrix does not know the step
size or the level of the closure. Where forces depend on multipliers, Gᵀ − ∂Q/∂λ stands in the place
of Gᵀ. A compliance of the closure stands in the lower right block; the
matrix stays as good for every weight of a penalty.
"""

from __future__ import annotations

import numpy as np

from isodyn.kernels.compiled import (
    CONSTRAINT,
    FACTORISE,
    GENERAL,
    JACOBIAN,
    KNOWS_MASS,
    KNOWS_TANGENT,
    MULTIPLIERS,
    NO_PIVOT,
    NONIDEAL,
    OK,
    SINGULAR,
    SKETCHES_TANGENT,
    SOLVES,
    SPARSE,
    F,
    FloatArray,
    f8,
    i8,
    kernel,
)
from isodyn.kernels.lowering import by_address, natural
from isodyn.linear_solvers.block_lu import fill_blocks, fill_lower, size_of_blocks
from isodyn.linear_solvers.choice import factor
from isodyn.linear_solvers.dense import lu_factor
from isodyn.stepping.closure import closure_compliance, copy_to, measure, measure_forces
from isodyn.stepping.equations import residual
from isodyn.stepping.memory import COUNTERS, EPS, LEG, MEMORY, PHYSICS_REF, STATE, Counters, Leg, Memory, Physics, State
from isodyn.stepping.null_space import null_space_matrix

# of a typical size: differences that show nothing are not made longer beyond this displacement
NO_FARTHER = 1e-5
AT_ROUNDING = 1e-8  # of the farthest: smaller motions are those of rounding
# in memory.remedy: start from ã = 0, and differentiate closures at the balance in full
CAREFUL = -1.0


@kernel()
def lost(p: Physics, memory: Memory, tiny: bool) -> bool:
    """Whether a difference of residuals is nothing but rounding, because the state is tiny beside
    what the loads will make of it: that of the balance and, unless the state is at rounding, those
    of the closures, too."""
    n, change, closure, gap = natural(memory.x.size), 0.0, 0.0, 0.0
    for i in range(n):
        change = max(change, abs(memory.r_plus[i] - memory.r[i]) / memory.by_v[i])
    for k in range(p.rows.size):
        gap = max(gap, abs(memory.r_plus[n + k] - memory.r[n + k]) / memory.row_sizes[p.rows[k]])
        closure = max(closure, abs(memory.r[n + k]) / memory.row_sizes[p.rows[k]])
    return change <= 100 * EPS * measure_forces(memory.r, memory.by_v) and (tiny or gap <= 100 * EPS * closure)


@kernel()
def weigh_multipliers(p: Physics, c: FloatArray, memory: Memory, J: FloatArray) -> None:
    """What a unit of each multiplier does in the balance or in a closure, in units of the x that
    would do as much there.

    A multiplier that vanishes has no size of its own to compare its corrections with.
    """
    n, whole = natural(memory.x.size), natural(memory.r.size)
    for j in range(n, whole):
        effect = 0.0
        for i in range(n):
            effect = max(effect, abs(J[i * whole + j] / c[0]) * memory.by_v[i])
        for i in range(n, whole):
            if J[i * whole + j] != 0.0:
                along_x = 0.0
                for k in range(n):
                    along_x = max(along_x, abs(J[i * whole + k]) / memory.by_v[k])
                effect = max(effect, abs(J[i * whole + j]) / along_x if along_x > 0.0 else np.inf)
        memory.effect[p.rows[j - n]] = effect


@kernel(i8(PHYSICS_REF, LEG, f8, f8, f8, STATE, F, MEMORY, F, i8, COUNTERS), inner=True, apart=True)
def difference_jacobian(
    p: Physics,
    leg: Leg,
    t: float,
    t_1: float,
    dt: float,
    state: State,
    c: FloatArray,
    memory: Memory,
    J: FloatArray,
    whole: int,
    counters: Counters,
) -> int:
    """The first `whole` columns of the matrix from differences along the unknowns, into J
    (whole·whole); memory.r holds the residual."""
    n = natural(memory.x.size)
    reach, far = max(measure(memory.a, memory.by_v), measure(memory.a_p, memory.by_v)) / c[0], 1.0
    if c[1] != 0.0:
        reach = max(reach, measure(memory.v, memory.by_v) / abs(c[1]))
    if c[2] > 0.0:
        reach = max(reach, measure(memory.q, memory.by_q) / c[2])
        far = NO_FARTHER / c[2]
    if reach == 0.0:
        reach = far
    tiny = reach < AT_ROUNDING * far
    h_lam = np.sqrt(EPS) * max(1.0, measure(memory.lam, memory.row_sizes))
    for j in range(whole):
        h = np.sqrt(EPS) * reach / memory.by_v[j] if j < n else 0.0
        if j < n:
            before = memory.x[j]
            memory.x[j] = before + h
            step = memory.x[j] - before
        else:
            before, size_z = memory.lam[p.rows[j - n]], state.sizes_z[p.rows[j - n]]
            own = h_lam / memory.row_sizes[p.rows[j - n]] if size_z == 0.0 else np.sqrt(EPS) * max(size_z, abs(before))
            memory.lam[p.rows[j - n]] = before + own
            step = memory.lam[p.rows[j - n]] - before
        status = residual(p, leg, t, t_1, dt, state, c, memory, memory.r_plus)
        longer = h
        while j < n and status == OK and longer < far / memory.by_v[j] and lost(p, memory, tiny):
            longer = max(1e5 * longer, 1e-300)
            memory.x[j] = before + longer
            step = memory.x[j] - before
            status = residual(p, leg, t, t_1, dt, state, c, memory, memory.r_plus)
        if j < n:
            memory.x[j] = before
        else:
            memory.lam[p.rows[j - n]] = before
        if status != OK:
            return status
        for i in range(whole):
            J[i * whole + j] = (memory.r_plus[i] - memory.r[i]) / step
    counters.evaluations += whole
    if whole > n:
        weigh_multipliers(p, c, memory, J)
    return residual(p, leg, t, t_1, dt, state, c, memory, memory.r)


@kernel()
def ask_rows(
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
    """memory.G at a state and, with `forces` that depend on multipliers, memory.B = ∂balance/∂λ."""
    status = p.model(CONSTRAINT, t, q, v, a, lam, c, p.tables, p.scratch, memory.G)
    if status == OK and forces and p.traits & NONIDEAL:
        status = p.model(MULTIPLIERS, t, q, v, a, lam, c, p.tables, p.scratch, memory.B)
    return status


@kernel()
def assemble(p: Physics, c: FloatArray, memory: Memory, forces: bool) -> None:
    """memory.J = [J₁₁ Gᵀ; G −ε] from J_11 and the chosen rows of G; ε of a closure with compliance,
    or to pass an isolated loss of rank. With `forces`, what multipliers do in the balance stands in
    the place of Gᵀ."""
    n, m = natural(memory.x.size), natural(p.rows.size)
    whole = n + m
    columns = memory.B if forces and p.traits & NONIDEAL else memory.G
    soften(p, c, memory)
    if p.traits & SPARSE:
        fill_blocks(memory.J_11, memory.G, memory.soft, memory.unknown_sizes, memory.blocks, memory.J)
        copy_to(memory.G, memory.G_1)
        return
    J, block, lower, soft = memory.J, memory.J_11, memory.G, memory.soft
    for i in range(n):
        here, there = natural(i * whole), natural(i * n)
        for j in range(n):
            J[natural(here + j)] = block[natural(there + j)]
    for k in range(m):
        given, row = natural(natural(p.rows[k]) * n), natural((n + k) * whole)
        for j in range(n):
            J[natural(row + j)] = lower[natural(given + j)]
            J[natural(j * whole + n + k)] = columns[natural(given + j)]
        for j in range(n, whole):
            J[natural(row + j)] = 0.0
        J[natural(row + n + k)] = -soft[k]


@kernel()
def soften(p: Physics, c: FloatArray, memory: Memory) -> None:
    """Set memory.soft, the ε of the enforced rows; to pass a loss of rank, add memory.remedy ·
    r_k²/|D J₁₁ D|."""
    n, largest = natural(memory.x.size), 0.0
    soft = closure_compliance(p, c)
    if memory.remedy > 0.0:
        largest = size_of_block(p, memory, n)
    for k in range(p.rows.size):
        memory.soft[k] = soft
        if memory.remedy > 0.0:
            r = memory.row_sizes[p.rows[k]]
            memory.soft[k] += memory.remedy * r * r / largest


@kernel()
def size_of_block(p: Physics, memory: Memory, n: int) -> float:
    """Largest entry of D J₁₁ D."""
    largest = 0.0
    if p.traits & SPARSE:
        return size_of_blocks(memory.J_11, memory.unknown_sizes, memory.blocks)
    for i in range(n):
        for j in range(n):
            largest = max(largest, abs(memory.J_11[i * n + j]) * (memory.unknown_sizes[i] * memory.unknown_sizes[j]))
    return largest


@kernel()
def close_at_the_end(p: Physics, t_1: float, c: FloatArray, memory: Memory) -> int:
    """Put G(q_{n+1}) into the lower rows of memory.J: closures depend on x through it.

    With φ̇ they also depend on q_{n+1}, but its own correction takes most of that back. Next to a
    configuration where rows lose their rank, G(q̃) differs from it by a multiple of the smallest
    singular value, and no iteration with the wrong one converges however small the step is.
    """
    n, m = natural(memory.x.size), natural(p.rows.size)
    status = p.model(CONSTRAINT, t_1, memory.q_1, memory.v_1, memory.a, memory.lam, c, p.tables, p.scratch, memory.G_1)
    if p.traits & SPARSE:
        fill_lower(memory.G_1, memory.blocks, memory.J)
        return status
    J, lower = memory.J, memory.G_1
    for k in range(m):
        row, given = natural((n + k) * (n + m)), natural(natural(p.rows[k]) * n)
        for j in range(n):
            J[natural(row + j)] = lower[natural(given + j)]
    return status


@kernel()
def decompose(p: Physics, memory: Memory) -> int:
    """Factors of memory.J in its place; memory.fault tells the unknown without a pivot."""
    if p.traits & SPARSE:
        fault = memory.blocks.fault
        status = factor(memory.J, memory.blocks, 0, 0.0, fault)
        if status == SINGULAR:
            memory.fault[0] = fault[0]
            # a body without a pivot of its own, or a joint that did not wait for all of its bodies
            if p.rows.size > 0 and (fault[0] < memory.x.size or memory.blocks.early == 1):
                status = NO_PIVOT
        return status
    status = lu_factor(memory.J, memory.pivots[: memory.r.size], memory.unknown_sizes)
    if status == SINGULAR:
        memory.fault[0] = memory.pivots[0]
    return status


@kernel()
def differentiates_closure(p: Physics, memory: Memory) -> bool:
    """Whether the closure at the balance is differentiated in full, with ∂φ̈/∂q and ∂φ̈/∂v.

    Next to a loss of rank these are as large as x divided by the smallest singular value, and an
    iteration without them does not converge.
    """
    return p.closure.at_balance == 1 and memory.remedy == CAREFUL and not p.traits & SPARSE


@kernel()
def first_block(
    p: Physics,
    leg: Leg,
    t: float,
    t_1: float,
    dt: float,
    state: State,
    c: FloatArray,
    memory: Memory,
    quasi: int | np.int64,
    counters: Counters,
) -> int:
    """J₁₁ = c₀M + c₁ ∂/∂v + c₂ ∂/∂q at the trial state: from the model, or from differences."""
    m = natural(p.rows.size)
    block = memory.J if m == 0 and not p.traits & SPARSE else memory.J_11
    mass_only = (c[1] == 0.0 and c[2] == 0.0) or quasi == 1
    if mass_only and p.traits & KNOWS_MASS:
        memory.kappa[0], memory.kappa[1] = c[0], 0.0
        return p.model(JACOBIAN, t, memory.q, memory.v, memory.a, memory.lam, memory.kappa, p.tables, p.scratch, block)
    if p.traits & (KNOWS_TANGENT | SKETCHES_TANGENT):
        return p.model(JACOBIAN, t, memory.q, memory.v, memory.a, memory.lam, c, p.tables, p.scratch, block)
    return difference_jacobian(p, leg, t, t_1, dt, state, c, memory, block, natural(memory.x.size), counters)


@kernel()
def add_rows(p: Physics, t: float, t_1: float, dt: float, c: FloatArray, memory: Memory) -> int:
    """memory.J from J₁₁ and G at the trial state; closures at t_{n+1} with the G of that time."""
    status, m = OK, natural(p.rows.size)
    if m > 0:
        status = ask_rows(p, t, memory.q, memory.v, memory.a, memory.lam, c, memory, True)
    assemble(p, c, memory, True)
    if status == OK and m > 0 and dt != 0.0 and p.closure.at_balance == 0:
        status = close_at_the_end(p, t_1, c, memory)
    return status


@kernel()
def scale_columns(factor: float, n: int, whole: int, J: FloatArray) -> None:
    """The first n columns of J (whole·whole, flat) times a factor."""
    for i in range(whole):
        for j in range(n):
            J[i * whole + j] *= factor


FACTORISE_STEP = i8(PHYSICS_REF, LEG, f8, f8, f8, STATE, F, MEMORY, i8, COUNTERS)


@kernel(FACTORISE_STEP, inner=True, loops="short")
def factorise_step(
    p: Physics,
    leg: Leg,
    t: float,
    t_1: float,
    dt: float,
    state: State,
    c: FloatArray,
    memory: Memory,
    quasi: int | np.int64,
    counters: Counters,
) -> int:
    """Factors of the step's matrix at the trial state, in the model or in memory.J."""
    memory.factors_good = 0
    n, m = natural(memory.x.size), natural(p.rows.size)
    counters.factorisations += 1
    if p.traits & SOLVES:
        status = p.model(FACTORISE, t, memory.q, memory.v, memory.a, memory.lam, c, p.tables, p.scratch, memory.fault)
    elif m > 0 and (p.traits & GENERAL or differentiates_closure(p, memory)):
        status = difference_jacobian(p, leg, t, t_1, dt, state, c, memory, memory.J, n + m, counters)
        if status == OK and p.closure.at_balance == 1:
            status = p.model(CONSTRAINT, t, memory.q, memory.v, memory.a, memory.lam, c, p.tables, p.scratch, memory.G)
    else:
        status = first_block(p, leg, t, t_1, dt, state, c, memory, quasi, counters)
        if status == OK and memory.eliminate > 0:
            status = null_space_matrix(p, t, c, memory)
        elif status == OK and (m > 0 or p.traits & SPARSE):
            status = add_rows(p, t, t_1, dt, c, memory)
    if status == OK and not p.traits & SOLVES and memory.eliminate == 0:
        if c[3] != 1.0 and not p.traits & SPARSE:
            scale_columns(c[3], n, n + m, memory.J)
        status = decompose(p, memory)
    if status == OK:
        memory.factors_good = 1
        for i in range(4):
            memory.factors_c[i] = c[i]
    return status


factorise = by_address(factorise_step, FACTORISE_STEP)


@kernel(i8(PHYSICS_REF, F, MEMORY), inner=True, apart=True)
def factorise_ideal(p: Physics, c: FloatArray, memory: Memory) -> int:
    """Factors of the step's matrix with Gᵀ in its place, into memory.J_S.

    Where forces depend on multipliers, corrections of q_{n+1} and v_{n+1} lie in the range of J⁻¹Gᵀ
    as everywhere: in that of J⁻¹(Gᵀ − Q_λ) they would be without bound where friction jams.
    """
    n, m = natural(memory.x.size), natural(p.rows.size)
    whole = n + m
    for i in range(n):
        for j in range(n):
            memory.J_S[i * whole + j] = memory.J_11[i * n + j] * c[3]
    for k in range(m):
        row = p.rows[k] * n
        for j in range(n):
            memory.J_S[(n + k) * whole + j] = memory.G_1[row + j] * c[3]
            memory.J_S[j * whole + n + k] = memory.G[row + j]
        for j in range(m):
            memory.J_S[(n + k) * whole + n + j] = 0.0
        memory.J_S[(n + k) * whole + n + k] = -memory.soft[k]
    return lu_factor(memory.J_S, memory.pivots[whole:], memory.unknown_sizes)


@kernel()
def keep_first(p: Physics, memory: Memory) -> None:
    """Keep the factors of the step's first matrix: corrections of q and v stay in their range,
    whatever the iteration does."""
    n = memory.r.size
    for i in range(memory.J_S.size):
        memory.J_S[i] = memory.J[i]
    if p.traits & SPARSE:
        pivots = memory.blocks.pivots
        for i in range(n):
            pivots[1, i] = pivots[0, i]
        return
    for i in range(n):
        memory.pivots[n + i] = memory.pivots[i]
