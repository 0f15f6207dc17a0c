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

import numpy as np

from isodyn.bodies.angle_kernels import angle_map, angle_map_rate, angle_quaternion
from isodyn.kernels.compiled import ACCELERATION, BALANCE, CONSTRAINT, JACOBIAN, POSITION, F, FloatArray, f8, i8, kernel
from isodyn.kernels.struct import Struct, StructAddress, integer, integers, many, real
from isodyn.kernels.struct_types import ADDRESS, StructType
from isodyn.multibody.model import ask_mechanism

STRAIGHT, PARAMETERS, ANGLES = range(3)
NEAREST = 1e-3  # |det E| at which angles are given up


class ChartData(Struct):
    """A body: kind of its rotational coordinates; where it begins in q, in v and in q'; number of
    its norm row; μ; sign of det E at the start."""

    kind, first_q, first_v, first, norm = integer, integer, integer, integer, integer
    mu, side = real, real


class CoordinateTables(Struct):
    """Sizes of q and v of the mechanism, and of v'; its rows, holonomic ones, norm rows; axes of
    the angles; how many angles the mechanism counts, and how many of them are carried behind the
    bodies in q': all of them or none."""

    nq, nv, n = integer, integer, integer
    m, m_phi, norms = integer, integer, integer
    turns, carried = integer, integer
    axes = integers(3)
    bodies = many(ChartData, "bodies")


COORDINATES = StructType(CoordinateTables)


@kernel(allocates=True)
def place(
    x: FloatArray,
    u: FloatArray,
    y: FloatArray,
    tables: CoordinateTables,
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
    T[:, :] = 0.0
    for k in range(tables.turns):
        q[tables.nq - tables.turns + k] = x[tables.n + k] if tables.carried > 0 else 0.0
    for b in range(len(tables.bodies)):
        body = tables.bodies[b]
        fq, fv, f = body.first_q, body.first_v, body.first
        for i in range(3):
            q[fq + i], v[fv + i], a[fv + i], T[fv + i, f + i] = x[f + i], u[f + i], y[f + i], 1.0
        if body.kind == ANGLES:
            det = np.sin(x[f + 4]) if tables.axes[2] == tables.axes[0] else np.cos(x[f + 4])
            if det * body.side < nearest:
                return b + 1
            place_angles(x, u, y, tables, body, q, v, a, T)
        elif body.kind == PARAMETERS:
            place_parameters(x, u, y, body, q, v, a, T, norms[body.norm])
    return 0


@kernel(allocates=True)
def place_angles(
    x: FloatArray,
    u: FloatArray,
    y: FloatArray,
    tables: CoordinateTables,
    body: ChartData,
    q: FloatArray,
    v: FloatArray,
    a: FloatArray,
    T: FloatArray,
) -> None:
    """Quaternion, angular velocity and its rate from three angles."""
    E, E_dot = np.empty(9), np.empty(9)
    fq, fv, f = body.first_q + 3, body.first_v + 3, body.first + 3
    i, j, k = tables.axes[0], tables.axes[1], tables.axes[2]
    angle_quaternion(i, j, k, x[f : f + 3], q[fq : fq + 4])
    angle_map(i, j, k, x[f : f + 3], E)
    angle_map_rate(i, j, k, x[f : f + 3], u[f : f + 3], E_dot)
    for m in range(3):
        v[fv + m] = a[fv + m] = 0.0
        for n in range(3):
            T[fv + m, f + n] = E[3 * m + n]
            v[fv + m] += E[3 * m + n] * u[f + n]
            a[fv + m] += E[3 * m + n] * y[f + n] + E_dot[3 * m + n] * u[f + n]


@kernel()
def place_parameters(
    x: FloatArray,
    u: FloatArray,
    y: FloatArray,
    body: ChartData,
    q: FloatArray,
    v: FloatArray,
    a: FloatArray,
    T: FloatArray,
    norm: FloatArray,
) -> None:
    """Quaternion, angular velocity and its rate from four parameters; N, Ṅ, N̈."""
    fq, fv, f = body.first_q + 3, body.first_v + 3, body.first + 3
    e, w, z = x[f : f + 4], u[f : f + 4], y[f : f + 4]
    square, speed, along, ahead = 0.0, 0.0, 0.0, 0.0
    for m in range(4):
        square += e[m] * e[m]
        speed += w[m] * w[m]
        along += e[m] * w[m]
        ahead += e[m] * z[m]
    length = np.sqrt(square)
    along, ahead = along / length, ahead / length
    norm[0], norm[1], norm[2] = length, along, ahead + (speed - along * along) / length
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


@kernel()
def add_to_balance(
    x: FloatArray, lam: FloatArray, tables: CoordinateTables, norms: FloatArray, out: FloatArray
) -> None:
    """out += (μN̈ + λ_N) ê of all norm rows."""
    for b in range(len(tables.bodies)):
        body = tables.bodies[b]
        if body.kind == PARAMETERS:
            r, first = body.norm, body.first + 3
            push = body.mu * norms[r, 2] + lam[tables.m_phi + r]
            for k in range(4):
                out[first + k] += push * x[first + k] / norms[r, 0]


@kernel()
def add_to_mass(c: float, x: FloatArray, tables: CoordinateTables, norms: FloatArray, found: FloatArray) -> None:
    """found += c μ ê êᵀ of all norm rows."""
    for b in range(len(tables.bodies)):
        body = tables.bodies[b]
        if body.kind == PARAMETERS:
            first, square = body.first + 3, norms[body.norm, 0] ** 2
            for k in range(4):
                for j in range(4):
                    found[first + k, first + j] += c * body.mu * x[first + k] * x[first + j] / square


@kernel()
def put_norm_rows(x: FloatArray, tables: CoordinateTables, norms: FloatArray, out: FloatArray) -> None:
    """êᵀ in the norm rows of G'."""
    for b in range(len(tables.bodies)):
        body = tables.bodies[b]
        if body.kind == PARAMETERS:
            r, first = body.norm, body.first + 3
            for k in range(4):
                out[(tables.m_phi + r) * tables.n + first + k] = x[first + k] / norms[r, 0]


@kernel(i8(i8, f8, F, F, F, F, F, COORDINATES, ADDRESS, ADDRESS, F), allocates=True)
def asked_in_coordinates(
    what: int,
    t: float,
    x: FloatArray,
    u: FloatArray,
    y: FloatArray,
    lam: FloatArray,
    c: FloatArray,
    charts: CoordinateTables,
    tables: StructAddress,
    scratch: StructAddress,
    out: FloatArray,
) -> int:
    """The questions of the loop in (q', v', a'); 1 + the number of a body with singular angles, or
    0."""
    nv, n, m, m_phi, rows = charts.nv, charts.n, charts.m, charts.m_phi, charts.norms
    q, v, a, T, norms = np.empty(charts.nq), np.empty(nv), np.empty(nv), np.empty((nv, n)), np.empty((rows, 3))
    singular = place(x, u, y, charts, q, v, a, T, norms, NEAREST)
    if singular > 0:
        return singular
    base_lam = np.empty(m)
    for r in range(m):
        base_lam[r] = lam[r] if r < m_phi else lam[r + rows]
    if what == BALANCE:
        f = np.empty(nv)
        ask_mechanism(what, t, q, v, a, base_lam, c, tables, scratch, f)
        out[:n] = f @ T
        add_to_balance(x, lam, charts, norms, out)
    elif what == JACOBIAN:
        mass = np.empty(nv * nv)
        ask_mechanism(what, t, q, v, a, base_lam, np.array([c[0], 0.0, 0.0, 1.0]), tables, scratch, mass)
        found = np.ascontiguousarray(T.T) @ (mass.reshape(nv, nv) @ T)
        add_to_mass(c[0], x, charts, norms, found)
        out[: n * n] = found.ravel()
    elif what == CONSTRAINT:
        G = np.empty(m * nv)
        ask_mechanism(what, t, q, v, a, base_lam, c, tables, scratch, G)
        found = G.reshape(m, nv) @ T
        out[: (m + rows) * n] = 0.0
        for r in range(m):
            o = n * (r if r < m_phi else r + rows)
            out[o : o + n] = found[r]
        put_norm_rows(x, charts, norms, out)
    else:
        values = np.zeros(m)
        ask_mechanism(what, t, q, v, a, base_lam, c, tables, scratch, values)
        level = 0 if what == POSITION else (2 if what == ACCELERATION else 1)
        for r in range(rows):
            out[m_phi + r] = norms[r, level] - (1.0 if what == POSITION else 0.0)
        for r in range(m_phi if what == POSITION else m):
            out[r if r < m_phi else r + rows] = values[r]
    return 0


@kernel(i8(F, F, F, COORDINATES, F, F, F), allocates=True)
def carried_over(
    x: FloatArray, u: FloatArray, y: FloatArray, tables: CoordinateTables, q: FloatArray, v: FloatArray, a: FloatArray
) -> int:
    """q, v, a of the mechanism for (q', v', a'), at singular angles too."""
    T = np.empty((tables.nv, tables.n))
    return place(x, u, y, tables, q, v, a, T, np.empty((tables.norms, 3)), -2.0)
