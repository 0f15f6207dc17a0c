"""The step with multipliers eliminated: N(q̃)ᵀ balance = 0 and closure = 0, n equations for the n
components of x.

With R the balance without multipliers and λ̂ = −(GGᵀ)⁻¹G R, the part of R that no multiplier can
balance is R + Gᵀλ̂, and N = (I − Gᵀ(GGᵀ)⁻¹G) N₀ is a basis of the null space of G(q̃) that follows
q̃ smoothly from N₀, an orthonormal one at the first trial state:

    r = [ N₀ᵀ (R + Gᵀλ̂) ; closure ],        matrix  [ N₀ᵀ J ; G ],        λ̃ = λ̂

N₀ is what G leaves of an orthogonal matrix, in Gᵀ = Q R or in G = U Σ Vᵀ. With the closure at the
balance the lower rows are G ã = b and the equations are Nᵀ(M ã − Q) = 0, G ã = b
[Pennestri2008 (33) adapted].
"""

from __future__ import annotations

import numpy as np

from isodyn.kernels.compiled import CONSTRAINT, OK, F, FloatArray, f8, i8, kernel
from isodyn.linear_solvers.dense import lu_factor, lu_solve
from isodyn.stepping.memory import MEMORY, PHYSICS_REF, Memory, Physics


@kernel(allocates=True)
def rows_of_G(p: Physics, t: float, c: FloatArray, memory: Memory) -> FloatArray:
    """The enforced rows of E G(q̃) D, as a matrix, with sizes of isodyn.systems.scales; in what
    follows it is G, D J D is J and D R is R."""
    n, m = memory.x.size, p.rows.size
    p.model(CONSTRAINT, t, memory.q, memory.v, memory.a, memory.lam, c, p.tables, p.scratch, memory.G)
    G = np.empty((m, n))
    for k in range(m):
        for j in range(n):
            G[k, j] = memory.G[p.rows[k] * n + j] * (memory.unknown_sizes[n + k] * memory.unknown_sizes[j])
    return G


@kernel(i8(PHYSICS_REF, f8, F, MEMORY), inner=True, apart=True, allocates=True)
def eliminate(p: Physics, t: float, c: FloatArray, memory: Memory) -> int:
    """Multipliers λ̂ into memory.lam, and the balance that they leave into memory.r[:n]."""
    n, m = memory.x.size, p.rows.size
    G = rows_of_G(p, t, c, memory)
    gram, order, lam = np.zeros(m * m), np.empty(m, dtype=np.int64), np.zeros(m)
    for k in range(m):
        for i in range(n):
            lam[k] += G[k, i] * (memory.r[i] * memory.unknown_sizes[i])
            for j in range(m):
                gram[k * m + j] += G[k, i] * G[j, i]
    status = lu_factor(gram, order, np.ones(m))
    if status != OK:
        memory.fault[0] = n + order[0]
        return status
    lu_solve(gram, order, lam)
    for k in range(m):
        for i in range(n):
            memory.r[i] -= G[k, i] * lam[k] / memory.unknown_sizes[i]
        memory.lam[p.rows[k]] = -lam[k] * memory.unknown_sizes[n + k]
    return OK


@kernel(allocates=True)
def qr_basis(G: FloatArray) -> FloatArray:
    """Rows span the null space of G (m, n): the last n − m columns of Q in Gᵀ = Q R, by Householder
    reflections."""
    # [Pennestri2008 (58), (62)]
    m, n = G.shape
    A, basis = np.empty((n, m)), np.zeros((n, n))
    for i in range(n):
        basis[i, i] = 1.0
        for k in range(m):
            A[i, k] = G[k, i]
    for k in range(m):
        length = 0.0
        for i in range(k, n):
            length += A[i, k] * A[i, k]
        length = np.sqrt(length)
        if length == 0.0:
            continue
        # u = (first, A[k+1:, k]), reflection 1 − 2 u uᵀ/uᵀu
        first = A[k, k] + (length if A[k, k] >= 0.0 else -length)
        half = length * abs(first)  # uᵀu/2
        for j in range(k + 1, m + n):  # columns of A behind k, then rows of the basis
            along = 0.0
            for i in range(k, n):
                u = first if i == k else A[i, k]
                along += u * (A[i, j] if j < m else basis[j - m, i])
            for i in range(k, n):
                u = first if i == k else A[i, k]
                if j < m:
                    A[i, j] -= u * along / half
                else:
                    basis[j - m, i] -= u * along / half
    across = np.empty((n - m, n))
    for k in range(n - m):
        for i in range(n):
            across[k, i] = basis[i, m + k]
    return across


@kernel(allocates=True)
def svd_basis(G: FloatArray) -> FloatArray:
    """The same from the right singular vectors of G without singular value."""
    # [Pennestri2008 (72), (74)]
    return np.ascontiguousarray(np.linalg.svd(G, True)[2][G.shape[0] :])


@kernel(i8(PHYSICS_REF, f8, F, MEMORY), inner=True, apart=True, allocates=True)
def null_space_matrix(p: Physics, t: float, c: FloatArray, memory: Memory) -> int:
    """Factors of [N₀ᵀJ; G] into the first n·n entries of memory.J, N₀ into memory.N."""
    n, m = memory.x.size, p.rows.size
    G = rows_of_G(p, t, c, memory)
    basis = qr_basis(G) if memory.eliminate == 1 else svd_basis(G)
    for k in range(n - m):
        for j in range(n):
            memory.N[k * n + j] = basis[k, j]
            total = 0.0
            for i in range(n):
                total += basis[k, i] * (memory.J_11[i * n + j] * (memory.unknown_sizes[i] * memory.unknown_sizes[j]))
            memory.J[k * n + j] = total
    for k in range(m):
        for j in range(n):
            memory.J[(n - m + k) * n + j] = G[k, j]
    status = lu_factor(memory.J[: n * n], memory.pivots[:n], np.ones(n))
    if status != OK:
        memory.fault[0] = memory.pivots[0]
    return status


@kernel()
def null_space_correction(p: Physics, memory: Memory) -> int:
    """memory.dx[:n] from the reduced equations, added to memory.x."""
    n, m = memory.x.size, p.rows.size
    for i in range(n - m):
        total = 0.0
        for j in range(n):
            total += memory.N[i * n + j] * (memory.r[j] * memory.unknown_sizes[j])
        memory.dx[i] = -total
    for k in range(m):
        memory.dx[n - m + k] = -memory.r[n + k] * memory.unknown_sizes[n + k]
    lu_solve(memory.J[: n * n], memory.pivots[:n], memory.dx[:n])
    for i in range(n):
        memory.dx[i] *= memory.unknown_sizes[i]
        memory.x[i] += memory.dx[i]
    for k in range(m):
        memory.dx[n + k] = 0.0
    return OK
