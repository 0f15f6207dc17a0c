"""The equations of one step, and the matrix that their corrections come from.

Unknown are one increment x (the step's Δa) and, with constraints, the multipliers λ̃ at the balance; the trial state is affine in x,

    q̃ = q ⊕ (d_p + c₂ x),   ṽ = v_p + c₁ x,   ã = a_p + c₀ x,        balance(t̃, q̃, ṽ, ã, λ̃) = 0,   closure(t_{n+1}) = 0.

Here c = (W₁Λ₆, Δt W₂Λ₅, Δt² W₃Λ₃), and c = (1, 0, 0) gives the acceleration at a given state. What is solved for is θ with x = c₃ θ:
Δa itself in a-form (c₃ = 1), Δv in v-form (c₃ = 1/λ₅Δt), Δq in d-form (c₃ = 1/λ₃Δt²) [Shimada2014 (Table 2.4)]. The matrix in a-form is

    [ J  Gᵀ ] [ δx ]     [ balance ]
    [ G  0  ] [ δλ̃ ] = − [ closure ],      J = c₀ ∂balance/∂a + c₁ ∂balance/∂v + c₂ ∂balance/∂q,

with every closure row divided by its own dependence on x, so that the matrix does not know the step size or the level of the
closure. A compliance of the closure stands in the lower right block; the matrix stays as good for every weight of a penalty.

Corrections of q_{n+1} and v_{n+1} that keep further levels of the constraints come from the step's first matrix with (0, r)
on the right: they lie in the range of J⁻¹Gᵀ, whatever the iteration does later.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from isodyn.compiled import (
    BALANCE,
    CONSTRAINT,
    FACTORISE,
    GENERAL,
    JACOBIAN,
    KNOWS_MASS,
    KNOWS_TANGENT,
    NO_PIVOT,
    OK,
    SINGULAR,
    SOLVE,
    SOLVES,
    SPARSE,
    FloatArray,
    kernel,
)
from isodyn.integrate.closure import close, close_at_balance, copy_to, fill_with, retract, size, softness
from isodyn.integrate.null_space import null_space_correction, null_space_matrix
from isodyn.integrate.work import (
    A_P,
    B_1,
    B_2,
    D_P,
    DP,
    DX,
    EPS,
    EVALUATIONS,
    FACTORISATIONS,
    GAP,
    GAP_Q,
    GAP_V,
    LAM,
    MU,
    NU,
    Q_1,
    R_PLUS,
    V_1,
    V_P,
    A,
    D,
    P,
    Q,
    R,
    U,
    V,
    X,
)
from isodyn.linear_solvers.block_lu import (
    FAULT,
    I_PIVOT,
    REFINED,
    WORN,
    block_factor,
    block_solve,
    fill_blocks,
    fill_lower,
    subtract_blocks,
)
from isodyn.linear_solvers.dense import lu_factor, lu_solve

CAREFUL = -1.0  # in w.scale[2]: start from ã = 0, and differentiate closures at the balance in full


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


@kernel()
def lost(plus: FloatArray, R: FloatArray) -> bool:
    """Whether a difference of residuals is nothing but rounding: the state is tiny beside what the loads will make of it."""
    change = 0.0
    for i in range(R.size):
        change = max(change, abs(plus[i] - R[i]))
    return change <= 100 * EPS * size(R)


@kernel()
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
    n = w.n[X].size
    reach = max(size(w.n[A]), size(w.n[A_P])) / c[0]
    if c[1] != 0.0:
        reach = max(reach, size(w.n[V]) / abs(c[1]))
    if c[2] > 0.0:
        reach = max(reach, size(w.q[Q]) / c[2])
    if reach == 0.0:
        reach = 1.0
    h = np.sqrt(EPS) * reach
    h_lam = np.sqrt(EPS) * max(1.0, size(w.m[LAM]))
    for j in range(whole):
        if j < n:
            before = w.n[X, j]
            w.n[X, j] = before + h
            step = w.n[X, j] - before
        else:
            before = w.m[LAM, p.rows[j - n]]
            w.m[LAM, p.rows[j - n]] = before + h_lam
            step = w.m[LAM, p.rows[j - n]] - before
        status = residual(p, s, t, t_1, dt, state, c, w, w.s[R_PLUS])
        longer = h
        while j < n and status == OK and longer < 1.0 and lost(w.s[R_PLUS], w.s[R]):
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
    return residual(p, s, t, t_1, dt, state, c, w, w.s[R])


@kernel(inline=True)
def assemble(p: Any, c: FloatArray, w: Any, pivots: Any) -> None:
    """w.J = [J₁₁ Gᵀ; G −ε] from w.J_11 and the chosen rows of w.G; ε of a closure with compliance, or to pass an isolated loss of rank."""
    n, m = w.n[X].size, p.rows.size
    whole = n + m
    soft = softness(p, c)
    if w.scale[2] > 0.0:
        soft += w.scale[2] / size(w.J_11)
    if p.traits & SPARSE:
        fill_blocks(w.J_11, w.G, soft, pivots, w.J)
        copy_to(w.G, w.G_1)
        w.scale[4] = soft
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
        w.J[(n + k) * whole + n + k] = -soft


@kernel()
def close_at_the_end(p: Any, t_1: float, c: FloatArray, w: Any, pivots: Any) -> int:
    """Put G(q_{n+1}) into the lower rows of w.J: closures depend on x through it.

    With φ̇ they also depend on q_{n+1}, but its own correction takes most of that back. Next to a configuration where rows lose their
    rank, G(q̃) differs from it by a multiple of the smallest singular value, and no iteration with the wrong one converges however small
    the step is.
    """
    n, m = w.n[X].size, p.rows.size
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
        status = block_factor(w.J, pivots, np.int64(0), 0.0, pivots[FAULT : FAULT + 1])
        if status == SINGULAR:
            w.fault[0] = pivots[FAULT]
            if pivots[FAULT] < w.n[X].size and p.rows.size > 0:
                status = NO_PIVOT
        return status
    status = lu_factor(w.J, pivots[: w.s[R].size])
    if status == SINGULAR:
        w.fault[0] = pivots[0]
    return status


@kernel()
def exactly(p: Any, w: Any) -> bool:
    """Whether the closure at the balance is differentiated in full, ∂φ̈/∂q and ∂φ̈/∂v included.

    Next to a loss of rank these reach x divided by the smallest singular value, and an iteration without them does not converge.
    """
    return p.closure.at_balance == 1 and w.scale[2] == CAREFUL and not p.traits & SPARSE


@kernel()
def factorise(
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
    n, m = w.n[X].size, p.rows.size
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


@kernel()
def solve_refined(w: Any, pivots: Any, x: FloatArray, y: FloatArray) -> None:
    """The same for a matrix whose factors have lost digits: once more for what the first solution leaves."""
    n = x.size
    copy_to(x, w.s[B_1])
    copy_to(y, w.s[B_2])
    block_solve(w.J, pivots, np.int64(0), x, y)
    subtract_blocks(w.J_11, w.G, w.G_1, w.scale[4], pivots, x, w.s[B_1])
    subtract_blocks(w.J_11, w.G, w.G_1, w.scale[4], pivots, y, w.s[B_2])
    block_solve(w.J, pivots, np.int64(0), w.s[B_1], w.s[B_2])
    for i in range(n):
        x[i] += w.s[B_1, i]
        y[i] += w.s[B_2, i]
    pivots[REFINED] += 1


@kernel()
def solve(p: Any, t: float, c: FloatArray, w: Any, pivots: Any, x: FloatArray, y: FloatArray, two: bool) -> int:
    """x ← (the step's matrix in a-form)⁻¹ x and, with `two`, y likewise."""
    if p.traits & SPARSE:
        if pivots[WORN] == 1:
            solve_refined(w, pivots, x, y)
        else:
            block_solve(w.J, pivots, np.int64(0), x, y)
        return OK
    status = OK
    for k in range(2 if two else 1):
        z = x if k == 0 else y
        if p.traits & SOLVES:
            status = p.model(SOLVE, t, w.q[Q], w.n[V], w.n[A], w.m[LAM], c, p.pf, p.pi, z)
        else:
            lu_solve(w.J, pivots[: z.size], z)
            for i in range(w.n[X].size):
                z[i] *= c[3]
    return status


@kernel(allocates=True)
def scaled_correction(p: Any, w: Any) -> None:
    """w.s[DP] ← (S⁻¹Gᵀμ, −μ) with G S⁻¹Gᵀ μ = r, for an S of its own whose inverse is in w.N."""
    n, m = w.n[X].size, p.rows.size
    G = np.empty((m, n))
    for k in range(m):
        for j in range(n):
            G[k, j] = w.G[p.rows[k] * n + j]
    half = G @ w.N.reshape(n, n)
    mu = np.linalg.solve(half @ np.ascontiguousarray(G.T), w.s[DP][n:].copy())
    for i in range(n):
        w.s[DP, i] = 0.0
        for k in range(m):
            w.s[DP, i] += half[k, i] * mu[k]
    for k in range(m):
        w.s[DP, n + k] = -mu[k]


@kernel()
def ask_correction(p: Any, w: Any, gap: FloatArray, share: float, out: FloatArray) -> None:
    """Right-hand side (0, r) of the correction of one level: its gap less what δx already takes of it."""
    n = w.n[X].size
    fill_with(out[:n], 0.0)
    for k in range(p.rows.size):
        i = p.rows[k]
        out[n + k] = gap[i] - share * w.m[GAP, i] if i < p.holonomic else 0.0


@kernel()
def add_correction(p: Any, w: Any, out: FloatArray, mu: FloatArray) -> None:
    """Add w.s[DP] to the correction of one level and to its multipliers."""
    for i in range(w.n[X].size):
        out[i] += w.s[DP, i]
    for k in range(p.rows.size):
        mu[p.rows[k]] -= w.s[DP, w.n[X].size + k]


@kernel()
def solve_with_first(p: Any, c: FloatArray, w: Any, pivots: Any) -> None:
    """w.s[DP] ← (the step's first matrix)⁻¹ w.s[DP], from the factors that `keep_first` kept."""
    if p.closure.in_balance == 2:
        scaled_correction(p, w)
    elif p.traits & SPARSE:
        block_solve(w.J_S, pivots, np.int64(1), w.s[DP], w.s[R_PLUS])
    else:
        lu_solve(w.J_S, pivots[w.s[DP].size :], w.s[DP])
        for i in range(w.n[X].size):
            w.s[DP, i] *= c[3]


@kernel(inline=True)
def correct(p: Any, s: Any, dt: float, t: float, c: FloatArray, w: Any, pivots: Any, kept: bool) -> int:
    """Solve for the corrections of x, λ̃ and, where q_{n+1} and v_{n+1} have their own, of those."""
    n = w.n[X].size
    if p.closure.null_space > 0:
        return null_space_correction(p, w, pivots)
    for i in range(n + p.rows.size):
        w.s[DX, i] = -w.s[R, i]
    apart = kept or p.closure.in_balance == 2
    both = p.closure.correct_q == 1 and not apart
    if p.closure.correct_q == 1:
        ask_correction(p, w, w.m[GAP_Q], s.l3, w.s[DP])
    status = solve(p, t, c, w, pivots, w.s[DX], w.s[DP] if both else w.s[R_PLUS], both)
    if status != OK:
        return status
    for i in range(n):
        w.n[X, i] += w.s[DX, i]
    for k in range(p.rows.size):
        w.m[LAM, p.rows[k]] += w.s[DX, n + k]
    if p.closure.correct_q == 1:
        if apart:
            solve_with_first(p, c, w, pivots)
        add_correction(p, w, w.n[P], w.m[MU])
    if p.closure.correct_v == 1:
        ask_correction(p, w, w.m[GAP_V], s.l5, w.s[DP])
        if apart:
            solve_with_first(p, c, w, pivots)
        else:
            status = solve(p, t, c, w, pivots, w.s[DP], w.s[R_PLUS], False)
        add_correction(p, w, w.n[U], w.m[NU])
    return status


@kernel()
def keep_first(p: Any, w: Any, pivots: Any) -> None:
    """Keep the factors of the step's first matrix: corrections of q and v stay in their range, whatever the iteration does."""
    n = w.s[R].size
    first = pivots[I_PIVOT] if p.traits & SPARSE else 0
    for i in range(w.J.size):
        w.J_S[i] = w.J[i]
    for i in range(n):
        pivots[first + n + i] = pivots[first + i]
