"""Whether forces that depend on multipliers leave one acceleration.

    [ M   Gᵀ − Q_λ ] [ a ]   [ Q − Q_λ λ ]
    [ G       0    ] [ λ ] = [     b     ]      (Q linear in λ, as with friction of a fixed direction)

has one solution while the matrix is regular. Its determinant is that without Q_λ times det(1 − K),

    K = (G M⁻¹Gᵀ)⁻¹ G M⁻¹ Q_λ,

which is 1 without such forces. It vanishes where friction jams the motion (Painlevé), and beyond
the equations have a solution again that no motion leads to: accelerations go to infinity on the
way. A step may be long enough to jump over that, so the sign is looked at where steps end.
"""

from __future__ import annotations

import numpy as np

from isodyn.kernels.compiled import (
    CONSTRAINT,
    JACOBIAN,
    JAMMED,
    MULTIPLIERS,
    NONIDEAL,
    OK,
    F,
    FloatArray,
    f8,
    i8,
    kernel,
)
from isodyn.stepping.memory import MEMORY, PHYSICS_REF, Memory, Physics

# det(1 − K) below this is none: accelerations are as many times as large as without such forces
LEAST = 1e-9


@kernel(i8(PHYSICS_REF, f8, F, F, F, F, MEMORY), inner=True, apart=True, allocates=True)
def jam(p: Physics, t: float, q: FloatArray, v: FloatArray, a: FloatArray, lam: FloatArray, memory: Memory) -> int:
    """JAMMED where det(1 − K) of the enforced rows is not positive at a state."""
    n, m, rows = v.size, p.rows.size, lam.size
    c, M, G, B = np.zeros(4), np.empty(n * n), np.empty(rows * n), np.empty(rows * n)
    c[0], c[3] = 1.0, 1.0
    status = p.model(JACOBIAN, t, q, v, a, lam, c, p.tables, p.scratch, M)
    if status == OK:
        status = p.model(CONSTRAINT, t, q, v, a, lam, c, p.tables, p.scratch, G)
    if status == OK:
        status = p.model(MULTIPLIERS, t, q, v, a, lam, c, p.tables, p.scratch, B)
    if status != OK:
        return status
    sizes, ideal = memory.unknown_sizes, np.zeros((n + m, n + m))
    for i in range(n):
        for j in range(n):
            ideal[i, j] = M[i * n + j] * sizes[i] * sizes[j]
        for k in range(m):
            ideal[n + k, i] = G[p.rows[k] * n + i] * sizes[n + k] * sizes[i]
            ideal[i, n + k] = ideal[n + k, i]
    with_forces = ideal.copy()
    for i in range(n):
        for k in range(m):
            with_forces[i, n + k] = B[p.rows[k] * n + i] * sizes[n + k] * sizes[i]
    if not (np.isfinite(ideal).all() and np.isfinite(with_forces).all()):
        return OK  # somebody else tells about it
    sign_0, size_0 = np.linalg.slogdet(ideal)
    sign_1, size_1 = np.linalg.slogdet(with_forces)
    if sign_0 == 0.0:
        return OK
    return OK if sign_1 * sign_0 > 0.0 and size_1 - size_0 > np.log(LEAST) else JAMMED


@kernel()
def jammed(p: Physics, t: float, q: FloatArray, v: FloatArray, a: FloatArray, lam: FloatArray, memory: Memory) -> int:
    """`jam` where forces depend on multipliers and constraints do not give way; OK for all
    others."""
    if not p.traits & NONIDEAL or p.closure.compliance > 0.0 or p.rows.size == 0:
        return OK
    return jam(p, t, q, v, a, lam, memory)
