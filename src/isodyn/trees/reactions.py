"""Multipliers of a motion that is known, joint by joint from the outside in.

With r = M a − Q of all bodies, the rows G_j of a joint between a body and the one inward of it
balance what is left on the body,

    (G_j)_bodyᵀ λ_j = −r_body        least squares; exact where r is balanced along the joint,

and r += G_jᵀ λ_j hands the rest on.
"""

from __future__ import annotations

import numpy as np
from numba import types

from isodyn.kernels.compiled import BALANCE, CONSTRAINT, F2, F, FloatArray, kernel
from isodyn.kernels.lowering import natural
from isodyn.kernels.struct import Struct, integer, integers, many, reals
from isodyn.kernels.struct_types import StructType
from isodyn.multibody.model import ask_mechanism
from isodyn.multibody.tables import SCRATCH, TABLES, Scratch, Tables


class HeldBody(Struct):
    """A body, by its first velocity and their number, and the rows of the joint that holds it."""

    first, freedom, row, rows = integer, integer, integer, integer


class Reactions(Struct):
    """Bodies from the outside in; typical sizes of v; the pattern of G; memory."""

    bodies = many(HeldBody, "bodies")
    typical, r, lam = reals("nv"), reals("nv"), reals("m")
    G, local, normal, right, c = reals("entries"), reals(6, 6), reals(6, 6), reals(6), reals(4)
    starts, columns = integers("starts"), integers("columns")


REACTIONS = StructType(Reactions)


@kernel()
def solve_symmetric(A: FloatArray, b: FloatArray, n: int) -> None:
    """b ← A⁻¹ b by Cholesky's factors of a small matrix, in place."""
    for j in range(n):
        for k in range(j):
            for i in range(j, n):
                A[i, j] -= A[i, k] * A[j, k]
        root = np.sqrt(max(A[j, j], 1e-300))
        for i in range(j, n):
            A[i, j] /= root
    for i in range(n):
        for k in range(i):
            b[i] -= A[i, k] * b[k]
        b[i] /= A[i, i]
    for j in range(n):
        i = n - 1 - j
        for k in range(i + 1, n):
            b[i] -= A[k, i] * b[k]
        b[i] /= A[i, i]


@kernel()
def read_rows(body: HeldBody, work: Reactions) -> None:
    """The rows of a joint over the velocities of its body, of unit length, into work.local; their
    inverse lengths, in typical sizes, into work.lam."""
    local, first, n = work.local, natural(body.first), natural(body.freedom)
    for k in range(body.rows):
        row, size = natural(body.row + k), 0.0
        for i in range(n):
            local[k, i] = 0.0
        for at in range(work.starts[row], work.starts[row + 1]):
            i = work.columns[at] - first
            if 0 <= i < n:
                local[k, i] = work.G[at] * work.typical[first + i]
                size += local[k, i] * local[k, i]
        work.lam[row] = 1.0 / np.sqrt(size)
        for i in range(n):
            local[k, i] *= work.lam[row]


@kernel()
def hold(body: HeldBody, work: Reactions) -> None:
    """λ of one joint into work.lam, what it does into work.r."""
    read_rows(body, work)
    local, first, n = work.local, natural(body.first), natural(body.freedom)
    for k in range(body.rows):
        work.right[k] = 0.0
        for i in range(n):
            work.right[k] -= local[k, i] * work.r[first + i] * work.typical[first + i]
        for m in range(body.rows):
            work.normal[k, m] = 0.0
            for i in range(n):
                work.normal[k, m] += local[k, i] * local[m, i]
    solve_symmetric(work.normal, work.right, body.rows)
    for k in range(body.rows):
        row = natural(body.row + k)
        work.lam[row] *= work.right[k]
        for at in range(work.starts[row], work.starts[row + 1]):
            work.r[natural(work.columns[at])] += work.G[at] * work.lam[row]


@kernel(types.void(F, F2, F2, F2, TABLES, SCRATCH, REACTIONS, F2))
def reactions_of_rows(
    t: FloatArray,
    q: FloatArray,
    v: FloatArray,
    a: FloatArray,
    tables: Tables,
    scratch: Scratch,
    work: Reactions,
    out: FloatArray,
) -> None:
    """λ of every row of a solution."""
    for k in range(t.size):
        for i in range(work.lam.size):
            work.lam[i] = 0.0
        ask_mechanism(BALANCE, t[k], q[k], v[k], a[k], work.lam, work.c, tables, scratch, work.r)
        ask_mechanism(CONSTRAINT, t[k], q[k], v[k], a[k], work.lam, work.c, tables, scratch, work.G)
        for j in range(len(work.bodies)):
            hold(work.bodies[j], work)
        for i in range(work.lam.size):
            out[k, i] = work.lam[i]
