"""The matrix that the corrections of a step come from, and its factors (isodyn.integrate.equations has the equations).

In a-form it is

    [ J  Gᵀ ] [ δx ]     [ balance ]
    [ G  0  ] [ δλ̃ ] = − [ closure ],      J = c₀ ∂balance/∂a + c₁ ∂balance/∂v + c₂ ∂balance/∂q,

with every closure row divided by its own dependence on x, so that the matrix does not know the step size or the level of the
closure. A compliance of the closure stands in the lower right block; the matrix stays as good for every weight of a penalty.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from isodyn.compiled import (
    COEFFICIENTS,
    CONSTRAINT,
    FACTORISE,
    GENERAL,
    JACOBIAN,
    KNOWS_MASS,
    KNOWS_TANGENT,
    NO_PIVOT,
    OK,
    PHYSICS,
    SINGULAR,
    SOLVES,
    SPARSE,
    STATE,
    F,
    FloatArray,
    I,
    f8,
    i8,
    kernel,
)
from isodyn.integrate.closure import copy_to, measure_forces, size_m, size_q, size_v, softness
from isodyn.integrate.equations import residual
from isodyn.integrate.null_space import null_space_matrix
from isodyn.integrate.signatures import PHYSICS_REF, SCHEME_REF, STATE_REF, WORK_REF
from isodyn.integrate.work import (
    A_P,
    EFFECT,
    EPS,
    EVALUATIONS,
    FACTORISATIONS,
    LAM,
    Q_1,
    R_PLUS,
    V_1,
    WORK,
    A,
    Q,
    R,
    V,
    X,
)
from isodyn.linear_solvers.block_layout import FAULT, I_PIVOT
from isodyn.linear_solvers.block_lu import factor_blocks, fill_blocks, fill_lower, size_of_blocks
from isodyn.linear_solvers.dense import lu_factor
from isodyn.lowering import Reference, by_address, natural

NO_FARTHER = 1e-5  # of a typical size: differences that show nothing are not made longer beyond this displacement
CAREFUL = -1.0  # in w.scale[2]: start from ã = 0, and differentiate closures at the balance in full


@kernel()
def lost(p: Any, w: Any) -> bool:
    """Whether a difference of residuals is nothing but rounding: the state is tiny beside what the loads will make of it."""
    n, change, closure, gap = natural(w.n[X].size), 0.0, 0.0, 0.0
    for i in range(n):
        change = max(change, abs(w.s[R_PLUS, i] - w.s[R, i]) / w.by_v[i])
    for k in range(p.rows.size):
        gap = max(gap, abs(w.s[R_PLUS, n + k] - w.s[R, n + k]) / w.rows[p.rows[k]])
        closure = max(closure, abs(w.s[R, n + k]) / w.rows[p.rows[k]])
    return change <= 100 * EPS * measure_forces(w.s[R], w.by_v) and gap <= 100 * EPS * closure


@kernel()
def weigh_multipliers(p: Any, c: FloatArray, w: Any, J: FloatArray) -> None:
    """What a unit of each multiplier does in the balance or in a closure, in units of the x that would do as much there.

    A multiplier that vanishes has no size of its own to compare its corrections with.
    """
    n, whole = natural(w.n[X].size), natural(w.s[R].size)
    for j in range(n, whole):
        effect = 0.0
        for i in range(n):
            effect = max(effect, abs(J[i * whole + j] / c[0]) * w.by_v[i])
        for i in range(n, whole):
            if J[i * whole + j] != 0.0:
                along_x = 0.0
                for k in range(n):
                    along_x = max(along_x, abs(J[i * whole + k]) / w.by_v[k])
                effect = max(effect, abs(J[i * whole + j]) / along_x if along_x > 0.0 else np.inf)
        w.m[EFFECT, p.rows[j - n]] = effect


@kernel(i8(PHYSICS_REF, SCHEME_REF, f8, f8, f8, STATE_REF, F, WORK_REF, F, i8, I), inner=True, apart=True)
def difference_jacobian(
    p: Any,
    s: Any,
    t: float,
    t_1: float,
    dt: float,
    state: Any,
    c: FloatArray,
    w: Any,
    J: FloatArray,
    whole: int,
    count: Any,
) -> int:
    """The first `whole` columns of the matrix from differences along the unknowns, into J (whole·whole); w.s[R] holds the residual."""
    n = natural(w.n[X].size)
    reach, far = max(size_v(w, A), size_v(w, A_P)) / c[0], 1.0
    if c[1] != 0.0:
        reach = max(reach, size_v(w, V) / abs(c[1]))
    if c[2] > 0.0:
        reach = max(reach, size_q(w, Q) / c[2])
        far = NO_FARTHER / c[2]
    if reach == 0.0:
        reach = far
    h_lam = np.sqrt(EPS) * max(1.0, size_m(w, LAM))
    for j in range(whole):
        h = np.sqrt(EPS) * reach / w.by_v[j] if j < n else 0.0
        if j < n:
            before = w.n[X, j]
            w.n[X, j] = before + h
            step = w.n[X, j] - before
        else:
            before = w.m[LAM, p.rows[j - n]]
            w.m[LAM, p.rows[j - n]] = before + h_lam / w.rows[p.rows[j - n]]
            step = w.m[LAM, p.rows[j - n]] - before
        status = residual(p, s, t, t_1, dt, state, c, w, w.s[R_PLUS])
        longer = h
        while j < n and status == OK and longer < far / w.by_v[j] and lost(p, w):
            longer = max(1e5 * longer, 1e-300)
            w.n[X, j] = before + longer
            step = w.n[X, j] - before
            status = residual(p, s, t, t_1, dt, state, c, w, w.s[R_PLUS])
        if j < n:
            w.n[X, j] = before
        else:
            w.m[LAM, p.rows[j - n]] = before
        if status != OK:
            return status
        for i in range(whole):
            J[i * whole + j] = (w.s[R_PLUS, i] - w.s[R, i]) / step
    count[EVALUATIONS] += whole
    if whole > n:
        weigh_multipliers(p, c, w, J)
    return residual(p, s, t, t_1, dt, state, c, w, w.s[R])


@kernel()
def assemble(p: Any, c: FloatArray, w: Any, pivots: Any) -> None:
    """w.J = [J₁₁ Gᵀ; G −ε] from w.J_11 and the chosen rows of w.G; ε of a closure with compliance, or to pass an isolated loss of rank."""
    n, m = natural(w.n[X].size), natural(p.rows.size)
    whole = n + m
    soften(p, c, w, pivots)
    if p.traits & SPARSE:
        fill_blocks(w.J_11, w.G, w.soft, w.sizes, pivots, w.J)
        copy_to(w.G, w.G_1)
        return
    for i in range(n):
        for j in range(n):
            w.J[i * whole + j] = w.J_11[i * n + j]
    for k in range(m):
        row = p.rows[k] * n
        for j in range(n):
            w.J[(n + k) * whole + j] = w.G[row + j]
            w.J[j * whole + n + k] = w.G[row + j]
        for j in range(m):
            w.J[(n + k) * whole + n + j] = 0.0
        w.J[(n + k) * whole + n + k] = -w.soft[k]


@kernel()
def soften(p: Any, c: FloatArray, w: Any, pivots: Any) -> None:
    """w.soft, the ε of the enforced rows; where it helps over a loss of rank, so much of r_k²/|D J₁₁ D|."""
    n, largest = natural(w.n[X].size), 0.0
    soft = softness(p, c)
    if w.scale[2] > 0.0:
        largest = size_of_block(p, w, pivots, n)
    for k in range(p.rows.size):
        w.soft[k] = soft
        if w.scale[2] > 0.0:
            r = w.rows[p.rows[k]]
            w.soft[k] += w.scale[2] * r * r / largest


@kernel()
def size_of_block(p: Any, w: Any, pivots: Any, n: int) -> float:
    """Largest entry of D J₁₁ D."""
    largest = 0.0
    if p.traits & SPARSE:
        return size_of_blocks(w.J_11, w.sizes, pivots)
    for i in range(n):
        for j in range(n):
            largest = max(largest, abs(w.J_11[i * n + j]) * (w.sizes[i] * w.sizes[j]))
    return largest


@kernel()
def close_at_the_end(p: Any, t_1: float, c: FloatArray, w: Any, pivots: Any) -> int:
    """Put G(q_{n+1}) into the lower rows of w.J: closures depend on x through it.

    With φ̇ they also depend on q_{n+1}, but its own correction takes most of that back. Next to a configuration where rows lose their
    rank, G(q̃) differs from it by a multiple of the smallest singular value, and no iteration with the wrong one converges however small
    the step is.
    """
    n, m = natural(w.n[X].size), natural(p.rows.size)
    status = p.model(CONSTRAINT, t_1, w.q[Q_1], w.n[V_1], w.n[A], w.m[LAM], c, p.pf, p.pi, w.G_1)
    if p.traits & SPARSE:
        fill_lower(w.G_1, pivots, w.J)
        return status
    for k in range(m):
        for j in range(n):
            w.J[(n + k) * (n + m) + j] = w.G_1[p.rows[k] * n + j]
    return status


@kernel()
def decompose(p: Any, w: Any, pivots: Any) -> int:
    """Factors of w.J in its place; w.fault tells the unknown without a pivot."""
    if p.traits & SPARSE:
        status = factor_blocks(w.J, pivots, 0, 0.0, pivots[FAULT : FAULT + 1])
        if status == SINGULAR:
            w.fault[0] = pivots[FAULT]
            if pivots[FAULT] < w.n[X].size and p.rows.size > 0:
                status = NO_PIVOT
        return status
    status = lu_factor(w.J, pivots[: w.s[R].size], w.sizes)
    if status == SINGULAR:
        w.fault[0] = pivots[0]
    return status


@kernel()
def exactly(p: Any, w: Any) -> bool:
    """Whether the closure at the balance is differentiated in full, ∂φ̈/∂q and ∂φ̈/∂v included.

    Next to a loss of rank these reach x divided by the smallest singular value, and an iteration without them does not converge.
    """
    return p.closure.at_balance == 1 and w.scale[2] == CAREFUL and not p.traits & SPARSE


FACTORISE_STEP = i8(
    Reference(PHYSICS), Reference(COEFFICIENTS), f8, f8, f8, Reference(STATE), F, Reference(WORK), I, i8, I
)


@kernel(FACTORISE_STEP, inner=True)
def factorise_step(
    p: Any,
    s: Any,
    t: float,
    t_1: float,
    dt: float,
    state: Any,
    c: FloatArray,
    w: Any,
    pivots: Any,
    quasi: Any,
    count: Any,
) -> int:
    """Factors of the step's matrix at the trial state, in the model or in w.J."""
    w.key[0] = 0.0
    n, m = natural(w.n[X].size), natural(p.rows.size)
    count[FACTORISATIONS] += 1
    if p.traits & SOLVES:
        status = p.model(FACTORISE, t, w.q[Q], w.n[V], w.n[A], w.m[LAM], c, p.pf, p.pi, w.fault)
    elif m > 0 and (p.traits & GENERAL or exactly(p, w)):
        status = difference_jacobian(p, s, t, t_1, dt, state, c, w, w.J, n + m, count)
        if status == OK and p.closure.at_balance == 1:
            status = p.model(CONSTRAINT, t, w.q[Q], w.n[V], w.n[A], w.m[LAM], c, p.pf, p.pi, w.G)
    else:
        block = w.J if m == 0 and not p.traits & SPARSE else w.J_11
        mass_only = (c[1] == 0.0 and c[2] == 0.0) or quasi == 1
        if mass_only and p.traits & KNOWS_MASS:
            w.kappa[0], w.kappa[1] = c[0], 0.0
            status = p.model(JACOBIAN, t, w.q[Q], w.n[V], w.n[A], w.m[LAM], w.kappa, p.pf, p.pi, block)
        elif p.traits & KNOWS_TANGENT:
            status = p.model(JACOBIAN, t, w.q[Q], w.n[V], w.n[A], w.m[LAM], c, p.pf, p.pi, block)
        else:
            status = difference_jacobian(p, s, t, t_1, dt, state, c, w, block, n, count)
        if status == OK and p.closure.null_space > 0:
            status = null_space_matrix(p, t, c, w, pivots)
        elif status == OK and (m > 0 or p.traits & SPARSE):
            if m > 0:
                status = p.model(CONSTRAINT, t, w.q[Q], w.n[V], w.n[A], w.m[LAM], c, p.pf, p.pi, w.G)
            assemble(p, c, w, pivots)
            if status == OK and m > 0 and dt != 0.0 and p.closure.at_balance == 0:
                status = close_at_the_end(p, t_1, c, w, pivots)
    if status == OK and not p.traits & SOLVES and p.closure.null_space == 0:
        if c[3] != 1.0 and not p.traits & SPARSE:
            whole = n + m
            for i in range(whole):
                for j in range(n):
                    w.J[i * whole + j] *= c[3]
        status = decompose(p, w, pivots)
    if status == OK:
        w.key[0] = 1.0
        for i in range(4):
            w.key[1 + i] = c[i]
    return status


factorise = by_address(factorise_step, FACTORISE_STEP)


@kernel()
def keep_first(p: Any, w: Any, pivots: Any) -> None:
    """Keep the factors of the step's first matrix: corrections of q and v stay in their range, whatever the iteration does."""
    n = w.s[R].size
    first = pivots[I_PIVOT] if p.traits & SPARSE else 0
    for i in range(w.J.size):
        w.J_S[i] = w.J[i]
    for i in range(n):
        pivots[first + n + i] = pivots[first + i]
