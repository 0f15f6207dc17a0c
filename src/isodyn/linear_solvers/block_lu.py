"""LU factors of a sparse matrix of blocks with a fixed pattern, made again and again inside compiled code.

Unknowns come in nodes (the velocities of a body, the multipliers of a joint). With node p eliminated after the ones before it,

    A_pp = Pᵀ L U  (partial pivoting inside the node),     Y = L⁻¹P A_ps,     Z = A_sp U⁻¹,     A_ss ← A_ss − Z Y

over the later nodes s that touch p. Where the entries lie is worked out once (isodyn.linear_solvers.blocks) and packed into one array
of integers; numbers lie in one array of floats. A row of multipliers has no pivot of its own: it comes after the bodies that it
joins, and its pivot is what is left of −G J⁻¹Gᵀ. A pivot that is only rounding of what it was made of counts as zero.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from isodyn.compiled import OK, SINGULAR, FloatArray, IntArray, kernel

# ---- header of the packed pattern
(
    SIZE,
    NODES,
    STORAGE,
    N_J,
    N_G,
    UNKNOWN_V,
    I_NODE,
    I_UPDATE,
    I_J,
    I_G,
    I_GT,
    I_DIAGONAL,
    I_ROWS,
    I_COLUMNS,
    I_PIVOT,
    FAULT,
) = range(16)
HEADER = 16
# ---- a node: size, width of what follows, places of D, Y, Z in the storage, of its unknowns and of those that follow in the pattern,
# first update, number of updates, whether it holds multipliers
NODE = 10
# ---- an update A_ab −= Z_a Y_b: first and number of rows, of columns, place and stride of the target
UPDATE = 6
LOST = 64.0 * float(
    np.finfo(np.float64).eps
)  # what is left of a pivot below this part of what it was made of is rounding
NOTHING = 1e300


@kernel()
def fill_blocks(J: FloatArray, G: FloatArray, regularisation: float, S: IntArray, A: FloatArray) -> None:
    """A = [J Gᵀ; G −ε] in its blocks, from the values of J and G in their patterns."""
    for i in range(S[STORAGE] + S[SIZE]):
        A[i] = 0.0
    for i in range(S[N_J]):
        A[S[S[I_J] + i]] += J[i]
    for i in range(S[N_G]):
        if S[S[I_G] + i] >= 0:
            A[S[S[I_G] + i]] = G[i]
            A[S[S[I_GT] + i]] = G[i]
    if regularisation > 0.0:
        for i in range(S[UNKNOWN_V], S[SIZE]):
            A[S[S[I_DIAGONAL] + i]] = -regularisation


@kernel()
def fill_lower(G: FloatArray, S: IntArray, A: FloatArray) -> None:
    """Another G into the lower rows of A alone."""
    for i in range(S[N_G]):
        if S[S[I_G] + i] >= 0:
            A[S[S[I_G] + i]] = G[i]


@kernel()
def block_factor(A: FloatArray, S: IntArray, second: Any, drop: float, dependent: IntArray) -> int:
    """Overwrite A by its factors; SINGULAR leaves the failing unknown in dependent[0].

    With drop > 0, multipliers whose pivot falls below that part of what it was made of are put aside instead: dependent[k] = 1 for
    unknown k, and the factors are those of the others.
    """
    made_of = S[STORAGE]
    for i in range(S[SIZE]):
        A[made_of + i] = abs(A[S[S[I_DIAGONAL] + i]])
    for p in range(S[NODES]):
        o = S[I_NODE] + NODE * p
        f, w, D, Y, Z, own, later = S[o], S[o + 1], S[o + 2], S[o + 3], S[o + 4], S[o + 5], S[o + 6]
        pivots = S[I_PIVOT] + second * S[SIZE]
        multipliers = S[o + 9] == 1
        for k in range(f):
            unknown = S[own + k]
            row, largest = k, abs(A[D + k * f + k])
            scale = A[made_of + unknown]
            for i in range(k):
                scale = max(scale, abs(A[D + i * f + k]) if not multipliers else 0.0)
            if not (drop > 0.0 and multipliers):
                for i in range(k + 1, f):
                    if abs(A[D + i * f + k]) > largest:
                        row, largest = i, abs(A[D + i * f + k])
            if drop > 0.0 and multipliers:
                if not largest > drop * scale:
                    dependent[unknown] = 1
                    A[D + k * f + k] = NOTHING
            elif not largest > LOST * scale:  # also true for NaN
                dependent[0] = unknown
                return SINGULAR
            S[pivots + unknown] = row
            if row != k:
                for j in range(f):
                    A[D + k * f + j], A[D + row * f + j] = A[D + row * f + j], A[D + k * f + j]
                for j in range(w):
                    A[Y + k * w + j], A[Y + row * w + j] = A[Y + row * w + j], A[Y + k * w + j]
            for i in range(k + 1, f):
                factor = A[D + i * f + k] / A[D + k * f + k]
                A[D + i * f + k] = factor
                if factor != 0.0:
                    for j in range(k + 1, f):
                        A[D + i * f + j] -= factor * A[D + k * f + j]
                    for j in range(w):
                        A[Y + i * w + j] -= factor * A[Y + k * w + j]
        for i in range(w):
            for k in range(f):
                value = A[Z + i * f + k]
                for j in range(k):
                    value -= A[Z + i * f + j] * A[D + j * f + k]
                A[Z + i * f + k] = value / A[D + k * f + k]
        for i in range(w):  # what the later pivots are made of
            unknown = S[later + i]
            value = 0.0
            for k in range(f):
                value += A[Z + i * f + k] * A[Y + k * w + i]
            A[made_of + unknown] = max(A[made_of + unknown], abs(value))
        for u in range(S[o + 7], S[o + 7] + S[o + 8]):
            x = S[I_UPDATE] + UPDATE * u
            a, n_a, b, n_b, target, stride = S[x], S[x + 1], S[x + 2], S[x + 3], S[x + 4], S[x + 5]
            for i in range(n_a):
                for k in range(f):
                    z = A[Z + (a + i) * f + k]
                    if z != 0.0:
                        y = Y + k * w + b
                        t = target + i * stride
                        for j in range(n_b):
                            A[t + j] -= z * A[y + j]
    return OK


@kernel()
def block_solve(A: FloatArray, S: IntArray, second: Any, x: FloatArray) -> None:
    """Overwrite x by the solution, with the factors that `block_factor` left in A."""
    pivots = S[I_PIVOT] + second * S[SIZE]
    for p in range(S[NODES]):
        o = S[I_NODE] + NODE * p
        f, w, D, Z, own, later = S[o], S[o + 1], S[o + 2], S[o + 4], S[o + 5], S[o + 6]
        for k in range(f):
            i, j = S[own + k], S[own + S[pivots + S[own + k]]]
            x[i], x[j] = x[j], x[i]
            value = x[i]
            for j in range(k):
                value -= A[D + k * f + j] * x[S[own + j]]
            x[i] = value
        for i in range(w):
            value = 0.0
            for k in range(f):
                value += A[Z + i * f + k] * x[S[own + k]]
            x[S[later + i]] -= value
    for p in range(S[NODES] - 1, -1, -1):
        o = S[I_NODE] + NODE * p
        f, w, D, Y, own, later = S[o], S[o + 1], S[o + 2], S[o + 3], S[o + 5], S[o + 6]
        for k in range(f - 1, -1, -1):
            value = x[S[own + k]]
            for j in range(k + 1, f):
                value -= A[D + k * f + j] * x[S[own + j]]
            for j in range(w):
                value -= A[Y + k * w + j] * x[S[later + j]]
            x[S[own + k]] = value / A[D + k * f + k]


@kernel()
def subtract_product(J: FloatArray, S: IntArray, x: FloatArray, out: FloatArray) -> None:
    """out −= J x with the values of J in its pattern."""
    for i in range(S[UNKNOWN_V]):
        for k in range(S[S[I_ROWS] + i], S[S[I_ROWS] + i + 1]):
            out[i] -= J[k] * x[S[S[I_COLUMNS] + k]]
