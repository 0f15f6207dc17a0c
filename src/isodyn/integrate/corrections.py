"""Solutions with the factors of a step's matrix: corrections of the unknowns, and of q_{n+1} and v_{n+1}.

Corrections of q_{n+1} and v_{n+1} that keep further levels of the constraints come from the step's first matrix with (0, r)
on the right: they lie in the range of J⁻¹Gᵀ, whatever the iteration does later.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numba import types

from isodyn.compiled import (
    OK,
    SOLVE,
    SOLVES,
    SPARSE,
    F,
    FloatArray,
    I,
    kernel,
)
from isodyn.integrate.closure import copy_to, fill_with
from isodyn.integrate.null_space import null_space_correction
from isodyn.integrate.signatures import PHYSICS_REF, WORK_REF
from isodyn.integrate.work import (
    B_1,
    B_2,
    DP,
    DX,
    GAP,
    GAP_Q,
    GAP_V,
    LAM,
    MU,
    NU,
    ORDER,
    R_PLUS,
    A,
    P,
    Q,
    R,
    U,
    V,
    X,
)
from isodyn.linear_solvers.block_layout import REFINED, WORN
from isodyn.linear_solvers.block_lu import add_lower, solve_blocks, subtract_blocks
from isodyn.linear_solvers.dense import lu_solve, lu_solve_two
from isodyn.lowering import natural


@kernel(types.void(WORK_REF, I, F, F), inner=True, apart=True)
def solve_refined(w: Any, pivots: Any, x: FloatArray, y: FloatArray) -> None:
    """The same for a matrix whose factors have lost digits: once more for what the first solution leaves."""
    n = x.size
    copy_to(x, w.s[B_1])
    copy_to(y, w.s[B_2])
    solve_blocks(w.J, pivots, 0, x, y)
    subtract_blocks(w.J_11, w.G, w.G_1, w.soft, pivots, x, w.s[B_1])
    subtract_blocks(w.J_11, w.G, w.G_1, w.soft, pivots, y, w.s[B_2])
    solve_blocks(w.J, pivots, 0, w.s[B_1], w.s[B_2])
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
            solve_blocks(w.J, pivots, 0, x, y)
        return OK
    if p.traits & SOLVES:
        status = p.model(SOLVE, t, w.q[Q], w.n[V], w.n[A], w.m[LAM], c, p.pf, p.pi, x)
        if status == OK and two:
            status = p.model(SOLVE, t, w.q[Q], w.n[V], w.n[A], w.m[LAM], c, p.pf, p.pi, y)
        return status
    if two:
        lu_solve_two(w.J, pivots, x, y)
    else:
        lu_solve(w.J, pivots, x)
    if c[3] != 1.0:
        for i in range(w.n[X].size):
            x[i] *= c[3]
            if two:
                y[i] *= c[3]
    return OK


@kernel(types.void(PHYSICS_REF, WORK_REF), inner=True, apart=True, allocates=True)
def scaled_correction(p: Any, w: Any) -> None:
    """w.s[DP] ← (S⁻¹Gᵀμ, −μ) with G S⁻¹Gᵀ μ = r, for an S of its own whose inverse is in w.N."""
    n, m = natural(w.n[X].size), natural(p.rows.size)
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
    n = natural(w.n[X].size)
    for i in range(n):
        out[i] = 0.0
    for k in range(p.rows.size):
        i = p.rows[k]
        out[n + k] = gap[i] - share * w.m[GAP, i] if i < p.holonomic else 0.0


@kernel()
def ask_anew(p: Any, w: Any, pivots: Any, out: FloatArray) -> None:
    """Ask for the whole correction of q instead of a change of the one that was guessed: it shall lie in the range of this step."""
    n = natural(w.n[X].size)
    if p.traits & SPARSE:
        add_lower(w.G_1, pivots, p.holonomic, w.n[P], out)
    else:
        for k in range(p.rows.size):
            if p.rows[k] < p.holonomic:
                for j in range(n):
                    out[n + k] += w.G_1[p.rows[k] * n + j] * w.n[P, j]
    fill_with(w.n[P], 0.0)


@kernel()
def add_correction(p: Any, w: Any, out: FloatArray, mu: FloatArray) -> None:
    """Add w.s[DP] to the correction of one level and to its multipliers."""
    for i in range(w.n[X].size):
        out[i] += w.s[DP, i]
    for k in range(p.rows.size):
        mu[p.rows[k]] -= w.s[DP, w.n[X].size + k]


@kernel(types.void(PHYSICS_REF, F, WORK_REF, I), inner=True, apart=True)
def solve_with_first(p: Any, c: FloatArray, w: Any, pivots: Any) -> None:
    """w.s[DP] ← (the step's first matrix)⁻¹ w.s[DP], from the factors that `keep_first` kept."""
    if p.closure.in_balance == 2:
        scaled_correction(p, w)
    elif p.traits & SPARSE:
        solve_blocks(w.J_S, pivots, 1, w.s[DP], w.s[R_PLUS])
    else:
        lu_solve(w.J_S, pivots[w.s[DP].size :], w.s[DP])
        for i in range(w.n[X].size):
            w.s[DP, i] *= c[3]


@kernel()
def correct(p: Any, s: Any, dt: float, t: float, c: FloatArray, w: Any, pivots: Any, kept: bool, first: bool) -> int:
    """Solve for the corrections of x, λ̃ and, where q_{n+1} and v_{n+1} have their own, of those."""
    n = natural(w.n[X].size)
    if p.closure.null_space > 0:
        return null_space_correction(p, w, pivots)
    for i in range(n + p.rows.size):
        w.s[DX, i] = -w.s[R, i]
    apart = kept or p.closure.in_balance == 2
    both = p.closure.correct_q == 1 and not apart
    if p.closure.correct_q == 1:
        ask_correction(p, w, w.m[GAP_Q], s.l3, w.s[DP])
        if first and w.past[ORDER] > 0.0:
            ask_anew(p, w, pivots, w.s[DP])
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
