"""Solutions with the factors of a step's matrix: corrections of the unknowns, and of q_{n+1} and
v_{n+1}.

Corrections of q_{n+1} and v_{n+1} that keep further levels of the constraints come from the step's
first matrix with (0, r) on the right: they lie in the range of J⁻¹Gᵀ, whatever the iteration does
later.
"""

from __future__ import annotations

import numpy as np
from numba import types

from isodyn.kernels.compiled import NONIDEAL, OK, SOLVE, SOLVES, SPARSE, F, FloatArray, kernel
from isodyn.kernels.lowering import natural
from isodyn.linear_solvers.block_lu import add_lower, subtract_blocks
from isodyn.linear_solvers.choice import solve_two
from isodyn.linear_solvers.dense import lu_solve, lu_solve_two
from isodyn.stepping.closure import copy_to, fill_with, measure
from isodyn.stepping.kept_matrix import subtract_range
from isodyn.stepping.memory import MEMORY, PHYSICS_REF, Leg, Memory, Physics
from isodyn.stepping.null_space import null_space_correction


@kernel(types.void(MEMORY, F, F), inner=True, apart=True)
def solve_refined(memory: Memory, x: FloatArray, y: FloatArray) -> None:
    """`solve` for a matrix whose factors have lost digits: solve once more for the residual of the
    first solution."""
    n = x.size
    copy_to(x, memory.b_1)
    copy_to(y, memory.b_2)
    solve_two(memory.J, memory.blocks, 0, x, y)
    subtract_blocks(memory.J_11, memory.G, memory.G_1, memory.soft, memory.blocks, x, memory.b_1)
    subtract_blocks(memory.J_11, memory.G, memory.G_1, memory.soft, memory.blocks, y, memory.b_2)
    solve_two(memory.J, memory.blocks, 0, memory.b_1, memory.b_2)
    for i in range(n):
        x[i] += memory.b_1[i]
        y[i] += memory.b_2[i]
    memory.blocks.refined += 1


@kernel()
def solve(p: Physics, t: float, c: FloatArray, memory: Memory, x: FloatArray, y: FloatArray, two: bool) -> int:
    """x ← (the step's matrix in a-form)⁻¹ x and, with `two`, y likewise."""
    if p.traits & SPARSE:
        if memory.blocks.weak == 1:
            solve_refined(memory, x, y)
        else:
            solve_two(memory.J, memory.blocks, 0, x, y)
        return OK
    if p.traits & SOLVES:
        status = p.model(SOLVE, t, memory.q, memory.v, memory.a, memory.lam, c, p.tables, p.scratch, x)
        if status == OK and two:
            status = p.model(SOLVE, t, memory.q, memory.v, memory.a, memory.lam, c, p.tables, p.scratch, y)
        return status
    if two:
        lu_solve_two(memory.J, memory.pivots, x, y)
    else:
        lu_solve(memory.J, memory.pivots, x)
    if c[3] != 1.0:
        for i in range(memory.x.size):
            x[i] *= c[3]
            if two:
                y[i] *= c[3]
    return OK


@kernel(types.void(PHYSICS_REF, MEMORY), inner=True, apart=True, allocates=True)
def scaled_correction(p: Physics, memory: Memory) -> None:
    """memory.dp ← (S⁻¹Gᵀμ, −μ) with G S⁻¹Gᵀ μ = r, for an S of its own whose inverse is in
    memory.N."""
    n, m = natural(memory.x.size), natural(p.rows.size)
    G = np.empty((m, n))
    for k in range(m):
        for j in range(n):
            G[k, j] = memory.G[p.rows[k] * n + j]
    half = G @ memory.N.reshape(n, n)
    mu = np.linalg.solve(half @ np.ascontiguousarray(G.T), memory.dp[n:].copy())
    for i in range(n):
        memory.dp[i] = 0.0
        for k in range(m):
            memory.dp[i] += half[k, i] * mu[k]
    for k in range(m):
        memory.dp[n + k] = -mu[k]


@kernel()
def ask_correction(p: Physics, memory: Memory, gap: FloatArray, share: float, out: FloatArray) -> None:
    """Right-hand side (0, r) of the correction of one level: its gap less what δx already takes of
    it."""
    n = natural(memory.x.size)
    for i in range(n):
        out[i] = 0.0
    for k in range(p.rows.size):
        i = p.rows[k]
        out[n + k] = gap[i] - share * memory.gap[i] if i < p.holonomic else 0.0


@kernel()
def ask_anew(p: Physics, memory: Memory, out: FloatArray) -> None:
    """Ask for the whole correction of q instead of a change of the guessed one, so that it lies in
    the range of this step's matrix."""
    n = natural(memory.x.size)
    if p.traits & SPARSE:
        add_lower(memory.G_1, memory.blocks, p.holonomic, memory.p, out)
    else:
        for k in range(p.rows.size):
            if p.rows[k] < p.holonomic:
                for j in range(n):
                    out[n + k] += memory.G_1[p.rows[k] * n + j] * memory.p[j]
    fill_with(memory.p, 0.0)


@kernel()
def add_correction(p: Physics, memory: Memory, out: FloatArray, mu: FloatArray, off: float, first: bool) -> None:
    """Add memory.dp to the correction of one level and to its multipliers; it was this part of
    itself off the range of the step's own matrix."""
    iteration = memory.iteration
    if iteration.old == 1:
        iteration.moved = max(iteration.moved, off * measure(out, memory.by_v))
        if first:  # what closes the constraints is rounding soon, and is polished
            iteration.moved = max(iteration.moved, measure(memory.dp, memory.by_v))
    for i in range(memory.x.size):
        out[i] += memory.dp[i]
    for k in range(p.rows.size):
        mu[p.rows[k]] -= memory.dp[memory.x.size + k]


@kernel(types.void(PHYSICS_REF, F, MEMORY), inner=True, apart=True)
def solve_with_first(p: Physics, c: FloatArray, memory: Memory) -> None:
    """memory.dp ← (the step's first matrix)⁻¹ memory.dp, from the factors that `keep_first`
    kept."""
    if p.closure.in_balance == 2:
        scaled_correction(p, memory)
    elif p.traits & SPARSE:
        solve_two(memory.J_S, memory.blocks, 1, memory.dp, memory.r_plus)
    else:
        lu_solve(memory.J_S, memory.pivots[memory.dp.size :], memory.dp)
        for i in range(memory.x.size):
            memory.dp[i] *= c[3]


@kernel()
def solve_onto(p: Physics, t: float, c: FloatArray, memory: Memory, x: FloatArray, y: FloatArray, two: bool) -> int:
    """`solve` for what moves a state onto the constraints: without forces that depend on
    multipliers."""
    if not p.traits & NONIDEAL:
        return solve(p, t, c, memory, x, y, two)
    lu_solve(memory.J_S, memory.pivots[x.size :], x)
    if two:
        lu_solve(memory.J_S, memory.pivots[x.size :], y)
    for i in range(memory.x.size):
        x[i] *= c[3]
        if two:
            y[i] *= c[3]
    return OK


@kernel()
def ask_position(p: Physics, leg: Leg, memory: Memory, first: bool) -> float:
    """Right-hand side of the correction of q; which part of itself it was off the range of the
    step's own matrix."""
    ask_correction(p, memory, memory.gap_q, leg.l3, memory.dp)
    if memory.iteration.old == 1:
        return subtract_range(p, memory, memory.p, memory.mu, memory.dp)
    if first and memory.order > 0.0:
        ask_anew(p, memory, memory.dp)
    return 0.0


@kernel()
def correct_velocity(p: Physics, leg: Leg, t: float, c: FloatArray, memory: Memory, apart: bool, first: bool) -> int:
    """Solve for the correction of v_{n+1}."""
    status, off = OK, 0.0
    ask_correction(p, memory, memory.gap_v, leg.l5, memory.dp)
    if memory.iteration.old == 1:
        off = subtract_range(p, memory, memory.u, memory.nu, memory.dp)
    if apart:
        solve_with_first(p, c, memory)
    else:
        status = solve(p, t, c, memory, memory.dp, memory.r_plus, False)
    add_correction(p, memory, memory.u, memory.nu, off, first)
    return status


@kernel()
def correct(p: Physics, leg: Leg, t: float, c: FloatArray, memory: Memory, first: bool) -> int:
    """Solve for the corrections of x, λ̃ and, where q_{n+1} and v_{n+1} have their own, of
    those."""
    n = natural(memory.x.size)
    if memory.eliminate > 0:
        return null_space_correction(p, memory)
    for i in range(n + p.rows.size):
        memory.dx[i] = -memory.r[i]
    memory.iteration.moved = 0.0
    apart = memory.iteration.kept == 1 or p.closure.in_balance == 2
    both = p.closure.keep_position == 1 and not apart
    off = ask_position(p, leg, memory, first) if p.closure.keep_position == 1 else 0.0
    status = solve(p, t, c, memory, memory.dx, memory.dp if both else memory.r_plus, both)
    if status != OK:
        return status
    for i in range(n):
        memory.x[i] += memory.dx[i]
    for k in range(p.rows.size):
        memory.lam[p.rows[k]] += memory.dx[n + k]
    if p.closure.keep_position == 1:
        if apart:
            solve_with_first(p, c, memory)
        add_correction(p, memory, memory.p, memory.mu, off, first)
    if p.closure.keep_velocity == 1:
        status = correct_velocity(p, leg, t, c, memory, apart, first)
    return status
