"""A mechanism asked in other coordinates: states are carried over, answers are carried back.

With q' the coordinates of isodyn.mechanism.coordinates, v' = q̇', a' = v̇' and v = T(q') v' the
velocities of the compiled mechanism,

    a = T a' + Ṫ v',      balance' = Tᵀ balance(q, v, a, λ),      M' = TᵀMT,      G' = G T,      φ̈' = φ̈(q, v, a).

Euler parameters e of any length N = |e| stand for the rotation of e/N:

    ω = T ė,   T = 2 A_E2(e)/N²,   Ṫ ė = −2 (Ṅ/N) ω,     T e = 0;      row N − 1 = 0 with  Ṅ = ê·ė,  N̈ = ê·ë + (|ė|² − Ṅ²)/N.

TᵀMT is singular along e. With ½μṄ² added to the kinetic energy, μ > 0, the balance along ê becomes
μN̈ + λ_N = 0: the mass matrix is positive definite, no other component is touched because T e = 0
and G'e = 0, and λ_N = 0 where the row holds.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from isodyn.bodies.angle_kernels import angle_map, angle_map_rate, angle_quaternion
from isodyn.kernels.compiled import (
    ACCELERATION,
    BALANCE,
    CONSTRAINT,
    JACOBIAN,
    POSITION,
    F,
    FloatArray,
    I,
    IntArray,
    f8,
    i8,
    kernel,
)
from isodyn.kernels.struct_types import ADDRESS
from isodyn.mechanism.model import ask_mechanism

# header: sizes of q and v of the mechanism, of v'; its rows, holonomic ones, norm rows; axes of the
# angles; how many angles the mechanism counts, and how many of them are carried behind the bodies
# in q': all of them or none; then the bodies
NQ, NV, N, M, M_PHI, NORMS, AXES, TURNS, CARRIED = 0, 1, 2, 3, 4, 5, 6, 9, 10
BODIES = 11
# a body: kind, first q, v, q', number of its norm row;   numbers: μ, sign of det E at the start
PLACE, NUMBERS = 5, 2
STRAIGHT, PARAMETERS, ANGLES = range(3)
NEAREST = 1e-3  # |det E| at which angles are given up


@kernel(allocates=True)
def place(
    x: FloatArray,
    u: FloatArray,
    y: FloatArray,
    table: IntArray,
    numbers: FloatArray,
    q: FloatArray,
    v: FloatArray,
    a: FloatArray,
    T: FloatArray,
    norms: FloatArray,
    nearest: float,
) -> int:
    """q, v, a and T of (q', v', a') = (x, u, y), and N, Ṅ, N̈ of all norm rows.

    Returns 0, or 1 + the number of a body whose det E, with the sign of the start, is below
    `nearest`.
    """
    work = np.empty(18)
    E, E_dot = work[:9], work[9:]
    T[:, :] = 0.0
    for k in range(table[TURNS]):
        q[table[NQ] - table[TURNS] + k] = x[table[N] + k] if table[CARRIED] > 0 else 0.0
    for b in range((table.size - BODIES) // PLACE):
        o = BODIES + PLACE * b
        fq, fv, f = table[o + 1], table[o + 2], table[o + 3]
        for m in range(3):
            q[fq + m], v[fv + m], a[fv + m], T[fv + m, f + m] = x[f + m], u[f + m], y[f + m], 1.0
        if table[o] == STRAIGHT:
            continue
        fq, fv, f = fq + 3, fv + 3, f + 3
        if table[o] == ANGLES:
            i, j, k = table[AXES], table[AXES + 1], table[AXES + 2]
            det = np.sin(x[f + 1]) if k == i else np.cos(x[f + 1])
            if det * numbers[NUMBERS * b + 1] < nearest:
                return b + 1
            angle_quaternion(i, j, k, x[f : f + 3], q[fq : fq + 4])
            angle_map(i, j, k, x[f : f + 3], E)
            angle_map_rate(i, j, k, x[f : f + 3], u[f : f + 3], E_dot)
            for m in range(3):
                v[fv + m] = a[fv + m] = 0.0
                for n in range(3):
                    T[fv + m, f + n] = E[3 * m + n]
                    v[fv + m] += E[3 * m + n] * u[f + n]
                    a[fv + m] += E[3 * m + n] * y[f + n] + E_dot[3 * m + n] * u[f + n]
        else:
            e, w, z = x[f : f + 4], u[f : f + 4], y[f : f + 4]
            square, speed, along, ahead = 0.0, 0.0, 0.0, 0.0
            for m in range(4):
                square += e[m] * e[m]
                speed += w[m] * w[m]
                along += e[m] * w[m]
                ahead += e[m] * z[m]
            length = np.sqrt(square)
            along, ahead = along / length, ahead / length
            o = 3 * table[o + 4]
            norms[o], norms[o + 1], norms[o + 2] = length, along, ahead + (speed - along * along) / length
            for m in range(4):
                q[fq + m] = e[m] / length
            s = 2.0 / square
            for m in range(3):
                n, k = (m + 1) % 3, (m + 2) % 3
                T[fv + m, f], T[fv + m, f + 1 + m] = -s * e[1 + m], s * e[0]
                T[fv + m, f + 1 + n], T[fv + m, f + 1 + k] = s * e[1 + k], -s * e[1 + n]
                v[fv + m] = a[fv + m] = 0.0
                for k in range(4):
                    v[fv + m] += T[fv + m, f + k] * w[k]
                    a[fv + m] += T[fv + m, f + k] * z[k]
                a[fv + m] -= 2.0 * along / length * v[fv + m]
    return 0


@kernel(i8(i8, f8, F, F, F, F, F, I, F, ADDRESS, ADDRESS, F), allocates=True)
def asked_in_coordinates(
    what: int,
    t: float,
    x: FloatArray,
    u: FloatArray,
    y: FloatArray,
    lam: FloatArray,
    c: FloatArray,
    table: IntArray,
    numbers: FloatArray,
    tables: Any,
    scratch: Any,
    out: FloatArray,
) -> int:
    """The questions of the loop in (q', v', a'); 1 + the number of a body with singular angles, or
    0."""
    nv, n, m, m_phi, rows = table[NV], table[N], table[M], table[M_PHI], table[NORMS]
    q, v, a, T, norms = np.empty(table[NQ]), np.empty(nv), np.empty(nv), np.empty((nv, n)), np.empty(3 * rows)
    singular = place(x, u, y, table, numbers, q, v, a, T, norms, NEAREST)
    if singular > 0:
        return singular
    base_lam = np.empty(m)
    for r in range(m):
        base_lam[r] = lam[r] if r < m_phi else lam[r + rows]
    if what == BALANCE:
        f = np.empty(nv)
        ask_mechanism(what, t, q, v, a, base_lam, c, tables, scratch, f)
        out[:n] = f @ T
        for b in range((table.size - BODIES) // PLACE):
            o = BODIES + PLACE * b
            if table[o] == PARAMETERS:
                r, first = table[o + 4], table[o + 3] + 3
                push = numbers[NUMBERS * b] * norms[3 * r + 2] + lam[m_phi + r]
                for k in range(4):
                    out[first + k] += push * x[first + k] / norms[3 * r]
    elif what == JACOBIAN:
        mass = np.empty(nv * nv)
        ask_mechanism(what, t, q, v, a, base_lam, np.array([c[0], 0.0, 0.0, 1.0]), tables, scratch, mass)
        found = np.ascontiguousarray(T.T) @ (mass.reshape(nv, nv) @ T)
        for b in range((table.size - BODIES) // PLACE):
            o = BODIES + PLACE * b
            if table[o] == PARAMETERS:
                first, square = table[o + 3] + 3, norms[3 * table[o + 4]] ** 2
                for k in range(4):
                    for j in range(4):
                        found[first + k, first + j] += (
                            c[0] * numbers[NUMBERS * b] * x[first + k] * x[first + j] / square
                        )
        out[: n * n] = found.ravel()
    elif what == CONSTRAINT:
        G = np.empty(m * nv)
        ask_mechanism(what, t, q, v, a, base_lam, c, tables, scratch, G)
        found = G.reshape(m, nv) @ T
        out[: (m + rows) * n] = 0.0
        for r in range(m):
            o = n * (r if r < m_phi else r + rows)
            out[o : o + n] = found[r]
        for b in range((table.size - BODIES) // PLACE):
            o = BODIES + PLACE * b
            if table[o] == PARAMETERS:
                r, first = table[o + 4], table[o + 3] + 3
                for k in range(4):
                    out[(m_phi + r) * n + first + k] = x[first + k] / norms[3 * r]
    else:
        values = np.zeros(m)
        ask_mechanism(what, t, q, v, a, base_lam, c, tables, scratch, values)
        level = 0 if what == POSITION else (2 if what == ACCELERATION else 1)
        for r in range(rows):
            out[m_phi + r] = norms[3 * r + level] - (1.0 if what == POSITION else 0.0)
        for r in range(m_phi if what == POSITION else m):
            out[r if r < m_phi else r + rows] = values[r]
    return 0


@kernel(i8(F, F, F, I, F, F, F, F), allocates=True)
def carried_over(
    x: FloatArray,
    u: FloatArray,
    y: FloatArray,
    table: IntArray,
    numbers: FloatArray,
    q: FloatArray,
    v: FloatArray,
    a: FloatArray,
) -> int:
    """q, v, a of the mechanism for (q', v', a'), at singular angles too."""
    T = np.empty((table[NV], table[N]))
    return place(x, u, y, table, numbers, q, v, a, T, np.empty(3 * table[NORMS]), -2.0)
