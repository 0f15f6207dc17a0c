"""The range of the correction of q as a function of the state at t_n alone.

    q_{n+1} = … − Δt² p,   M(q_n) p = G(q_n)ᵀ μ,   μ = 0 for rows that hold velocities only

Otherwise p lies in the range of the step's first matrix, which is formed where the step was guessed
to lead: a choice within the error of a step, but not a function that can be differentiated
(docs/derivations/sensitivities.md).
"""

from __future__ import annotations

from isodyn.kernels.compiled import JACOBIAN, OK, SPARSE, f8, i8, kernel
from isodyn.kernels.lowering import natural
from isodyn.stepping.matrix import ask_rows, assemble, close_at_the_end, decompose, keep_first
from isodyn.stepping.memory import MEMORY, PHYSICS_REF, STATE, Memory, Physics, State


@kernel(i8(PHYSICS_REF, f8, STATE, MEMORY), inner=True, apart=True)
def factorise_range(p: Physics, t_1: float, state: State, memory: Memory) -> int:
    """Factors of [M(q_n) G(q_n)ᵀ; G(q_{n+1}) 0], with the end of the step as it is guessed, into
    memory.J_S."""
    c, t = memory.kappa, state.t
    c[0], c[1], c[2] = 1.0, 0.0, 0.0
    q, v, a, lam = state.q, state.v, state.a, state.lam
    memory.factors_good = 0
    status = p.model(JACOBIAN, t, q, v, a, lam, c, p.tables, p.scratch, memory.J_11)
    if status == OK:
        status = ask_rows(p, t, q, v, a, lam, c, memory, False)
    if status != OK:
        return status
    assemble(p, c, memory, False)
    status = close_at_the_end(p, t_1, c, memory)
    if status == OK:
        leave_positions(p, memory)
        status = decompose(p, memory)
    if status == OK:
        keep_first(p, memory)
    return status


@kernel()
def leave_positions(p: Physics, memory: Memory) -> None:
    """μ = 0 in memory.J in the place of enforced rows that hold velocities only: they take no part
    in the correction of q, which they could not tell the end of."""
    n, m = natural(memory.x.size), natural(p.rows.size)
    for e in range(m):
        i = natural(p.rows[e])
        if i < p.holonomic:
            continue
        if p.traits & SPARSE:
            S = memory.blocks
            for k in range(natural(S.G_starts[i]), natural(S.G_starts[i + 1])):
                if S.G[k] >= 0:
                    memory.J[natural(S.G[k])] = memory.J[natural(S.GT[k])] = 0.0
            memory.J[natural(S.diagonal[n + e])] = -1.0
            continue
        for j in range(n + m):
            memory.J[(n + e) * (n + m) + j] = memory.J[j * (n + m) + n + e] = 0.0
        memory.J[(n + e) * (n + m) + n + e] = -1.0


@kernel()
def keep_range(p: Physics, t_1: float, state: State, memory: Memory) -> int:
    """`factorise_range`, where corrections of q lie in that range; they take its factors."""
    if p.closure.mass_range == 0 or p.rows.size == 0:
        return OK
    memory.iteration.kept = 1
    return int(factorise_range(p, t_1, state, memory))
