"""The equations of a mechanism as one compiled model (isodyn.compiled).

    m r̈ + … = f,    𝔍 ω̇ + ω × 𝔍ω + … = τ         per body, about its mass centre, rotations in its own frame [Shimada2014 (7.55)]
    rows        φ = Σ w x − f(t) = 0               sums of measures x (isodyn.joints.measures); some known as rates only
    laws        −g f(x, ẋ, t)                      force elements along a measure
    loads       forces and torques on one body

Tables in pi, pf: isodyn.mechanism.layout. A planar body has (x, y, θ) of (r, ω), a particle has r; the columns of a measure's gradient
that a body does not have are left out. Blocks of J and places in G are given by the tables, so that the same code fills a dense
matrix and the values of a sparse one.
"""

from __future__ import annotations

import numpy as np

from isodyn.bodies.rotation_kernels import cross, dot, matrix_of, rotate, turn
from isodyn.compiled import (
    ACCELERATION,
    BALANCE,
    CONSTRAINT,
    JACOBIAN,
    MODEL,
    OK,
    POSITION,
    RETRACT,
    VELOCITY,
    F,
    FloatArray,
    I,
    IntArray,
    f8,
    kernel,
)
from isodyn.joints.measures import POSE, R_, SCRATCH, TURN, V_, W_, measure, rest, stiffness
from isodyn.mechanism.forces import (
    add_law_tangents,
    add_laws,
    add_load_tangents,
    add_loads,
    potential_of_laws,
)
from isodyn.mechanism.layout import (
    BLOCK,
    BODIES,
    BODY,
    BODY_NUMBERS,
    COLUMNS,
    F_BODY,
    F_GRAVITY,
    F_MEASURE,
    F_POSE,
    F_ROW,
    F_TERM,
    F_WORK,
    FIRST_Q,
    FIRST_V,
    G_SIZE,
    HOLONOMIC,
    I_BODY,
    I_MEASURE,
    I_ROW,
    I_TERM,
    J_SIZE,
    KIND,
    MEASURE,
    PARTICLE,
    PLANAR,
    ROW,
    ROWS,
    STRIDE,
    TERM,
)
from isodyn.mechanism.places import add_blocks, add_to_bodies, along, numbers_of, pose_of
from isodyn.mechanism.time_functions import at_time


@kernel()
def place_bodies(q: FloatArray, v: FloatArray, pf: FloatArray, pi: IntArray) -> None:
    """Poses and velocities of all bodies, and of the ground behind them, into pf."""
    for k in range(pi[BODIES]):
        o, b = pi[F_POSE] + POSE * k, pi[I_BODY] + BODY * k
        kind, first_q, first_v = pi[b + KIND], pi[b + FIRST_Q], pi[b + FIRST_V]
        p = pf[o : o + POSE]
        if kind == PLANAR:
            s, c = np.sin(q[first_q + 2]), np.cos(q[first_q + 2])
            p[0], p[1], p[2] = q[first_q], q[first_q + 1], 0.0
            p[R_], p[R_ + 1], p[R_ + 3], p[R_ + 4], p[R_ + 8] = c, -s, s, c, 1.0
            p[V_], p[V_ + 1], p[V_ + 2] = v[first_v], v[first_v + 1], 0.0
            p[W_ + 2] = v[first_v + 2]
            p[TURN] = q[first_q + 2]
            continue
        for i in range(3):
            p[i], p[V_ + i] = q[first_q + i], v[first_v + i]
        if kind != PARTICLE:
            matrix_of(q[first_q + 3 : first_q + 7], p[R_:V_])
            for i in range(3):
                p[W_ + i] = v[first_v + 3 + i]


@kernel()
def inertia_forces(a: FloatArray, pf: FloatArray, pi: IntArray, out: FloatArray) -> None:
    """out = M a + gyroscopic torques − weights."""
    w = pf[pi[F_WORK] : pi[F_WORK] + SCRATCH]
    gravity = pf[pi[F_GRAVITY] : pi[F_GRAVITY] + 3]
    for k in range(pi[BODIES]):
        b, n = pi[I_BODY] + BODY * k, pi[F_BODY] + BODY_NUMBERS * k
        kind, first = pi[b + KIND], pi[b + FIRST_V]
        mass, J = pf[n], pf[n + 1 : n + 10]
        if kind == PLANAR:
            out[first] = mass * (a[first] - gravity[0])
            out[first + 1] = mass * (a[first + 1] - gravity[1])
            out[first + 2] = J[8] * a[first + 2]
            continue
        for i in range(3):
            out[first + i] = mass * (a[first + i] - gravity[i])
        if kind != PARTICLE:
            p = pose_of(k, pf, pi)
            rotate(J, p[W_:TURN], w[0:3])
            cross(p[W_:TURN], w[0:3], w[3:6])
            rotate(J, a[first + 3 : first + 6], w[0:3])
            for i in range(3):
                out[first + 3 + i] = w[i] + w[3 + i]


@kernel()
def inertia_tangents(c: FloatArray, pf: FloatArray, pi: IntArray, out: FloatArray) -> None:
    """out += c₀ M + c₁ ∂(ω × 𝔍ω)/∂ω."""
    w = pf[pi[F_WORK] : pi[F_WORK] + SCRATCH]
    for k in range(pi[BODIES]):
        b, n = pi[I_BODY] + BODY * k, pi[F_BODY] + BODY_NUMBERS * k
        kind, block, stride = pi[b + KIND], pi[b + BLOCK], pi[b + STRIDE]
        mass, J = pf[n], pf[n + 1 : n + 10]
        for i in range(2 if kind == PLANAR else 3):
            out[block + i * stride + i] += c[0] * mass
        if kind == PLANAR:
            out[block + 2 * stride + 2] += c[0] * J[8]
        elif kind != PARTICLE:
            omega = pose_of(k, pf, pi)[W_:TURN]
            rotate(J, omega, w[0:3])
            for j in range(3):
                w[3], w[4], w[5] = J[j], J[3 + j], J[6 + j]
                cross(omega, w[3:6], w[6:9])  # column j of ω~𝔍
                w[9], w[10], w[11] = 0.0, 0.0, 0.0
                w[9 + (j + 1) % 3], w[9 + (j + 2) % 3] = -w[(j + 2) % 3], w[(j + 1) % 3]  # column j of −(𝔍ω)~
                for i in range(3):
                    out[block + (3 + i) * stride + 3 + j] += c[0] * J[3 * i + j] + c[1] * (w[6 + i] + w[9 + i])


@kernel()
def row_forces(lam: FloatArray, pf: FloatArray, pi: IntArray, out: FloatArray) -> None:
    """out += Gᵀλ."""
    work = pf[pi[F_WORK] :]
    g = work[SCRATCH + 180 : SCRATCH + 192]
    for r in range(pi[ROWS]):
        if lam[r] == 0.0:
            continue
        o = pi[I_ROW] + ROW * r
        for k in range(pi[o], pi[o] + pi[o + 1]):
            x = pi[I_TERM] + TERM * k
            n = pi[I_MEASURE] + MEASURE * pi[x]
            measure(
                pi[n], pose_of(pi[n + 1], pf, pi), pose_of(pi[n + 2], pf, pi), numbers_of(pi[x], pf, pi), g, work
            )
            add_to_bodies(pi[n + 1], pi[n + 2], g, lam[r] * pf[pi[F_TERM] + k], pi, out)


@kernel()
def row_tangents(lam: FloatArray, c: FloatArray, pf: FloatArray, pi: IntArray, out: FloatArray) -> None:
    """out += c₂ ∂(Gᵀλ)/∂q."""
    work = pf[pi[F_WORK] :]
    K = work[SCRATCH : SCRATCH + 144]
    for r in range(pi[ROWS]):
        if lam[r] == 0.0:
            continue
        o = pi[I_ROW] + ROW * r
        for k in range(pi[o], pi[o] + pi[o + 1]):
            m = pi[pi[I_TERM] + TERM * k]
            n = pi[I_MEASURE] + MEASURE * m
            stiffness(
                pi[n], pose_of(pi[n + 1], pf, pi), pose_of(pi[n + 2], pf, pi), numbers_of(m, pf, pi), K, work
            )
            add_blocks(m, K, c[2] * lam[r] * pf[pi[F_TERM] + k], pi, out)


@kernel()
def row_matrix(pf: FloatArray, pi: IntArray, out: FloatArray) -> None:
    """out = G, in its places."""
    work = pf[pi[F_WORK] :]
    g = work[SCRATCH + 180 : SCRATCH + 192]
    for i in range(pi[G_SIZE]):
        out[i] = 0.0
    for r in range(pi[ROWS]):
        o = pi[I_ROW] + ROW * r
        for k in range(pi[o], pi[o] + pi[o + 1]):
            x = pi[I_TERM] + TERM * k
            n = pi[I_MEASURE] + MEASURE * pi[x]
            measure(
                pi[n], pose_of(pi[n + 1], pf, pi), pose_of(pi[n + 2], pf, pi), numbers_of(pi[x], pf, pi), g, work
            )
            weight = pf[pi[F_TERM] + k]
            for side in range(2):
                body = pi[n + 1 + side]
                if body == pi[BODIES]:
                    continue
                b, place = pi[I_BODY] + BODY * body, pi[x + 1 + side]
                for i in range(6):
                    column = pi[b + COLUMNS + i]
                    if column >= 0:
                        out[place + column] += weight * g[6 * side + i]


@kernel()
def row_values(
    what: int, t: float, v: FloatArray, a: FloatArray, pf: FloatArray, pi: IntArray, out: FloatArray
) -> None:
    """out = φ, φ̇ or φ̈ of all rows; of rows that are known as rates only, φ is zero."""
    work = pf[pi[F_WORK] :]
    g = work[SCRATCH + 180 : SCRATCH + 192]
    for r in range(pi[HOLONOMIC] if what == POSITION else pi[ROWS]):
        o = pi[I_ROW] + ROW * r
        f, f_t, f_tt = at_time(pi[o + 2], t, pf, pi)
        value = -f if what == POSITION else (-f_t if what == VELOCITY else -f_tt)
        for k in range(pi[o], pi[o] + pi[o + 1]):
            x = pi[I_TERM] + TERM * k
            n = pi[I_MEASURE] + MEASURE * pi[x]
            i, j, numbers, weight = pi[n + 1], pi[n + 2], numbers_of(pi[x], pf, pi), pf[pi[F_TERM] + k]
            length = measure(pi[n], pose_of(i, pf, pi), pose_of(j, pf, pi), numbers, g, work)
            if what == POSITION:
                value += weight * length
            elif what == VELOCITY:
                value += weight * along(i, j, g, v, pi)
            else:
                value += weight * along(i, j, g, a, pi)
                value += weight * rest(pi[n], pose_of(i, pf, pi), pose_of(j, pf, pi), numbers, work)
        period = pf[pi[F_ROW] + r]
        if what == POSITION and period > 0.0:
            value -= period * np.round(value / period)
        out[r] = value


@kernel()
def move_bodies(q: FloatArray, d: FloatArray, pi: IntArray, out: FloatArray) -> None:
    """out = q ⊕ d."""
    for k in range(pi[BODIES]):
        b = pi[I_BODY] + BODY * k
        kind, first_q, first_v = pi[b + KIND], pi[b + FIRST_Q], pi[b + FIRST_V]
        for i in range(3):
            out[first_q + i] = q[first_q + i] + d[first_v + i]
        if kind != PLANAR and kind != PARTICLE:
            turn(q[first_q + 3 : first_q + 7], d[first_v + 3 : first_v + 6], out[first_q + 3 : first_q + 7])


@kernel(MODEL)
def mechanism_model(
    what: int,
    t: float,
    q: FloatArray,
    v: FloatArray,
    a: FloatArray,
    lam: FloatArray,
    c: FloatArray,
    pf: FloatArray,
    pi: IntArray,
    out: FloatArray,
) -> int:
    """The questions of the loop, answered by a mechanism."""
    if what == RETRACT:
        move_bodies(q, v, pi, out)
        return OK
    place_bodies(q, v, pf, pi)
    if what == BALANCE:
        inertia_forces(a, pf, pi, out)
        row_forces(lam, pf, pi, out)
        add_laws(t, v, lam, pf, pi, out)
        add_loads(t, v, pf, pi, out)
    elif what == JACOBIAN:
        for i in range(pi[J_SIZE]):
            out[i] = 0.0
        inertia_tangents(c, pf, pi, out)
        if c[1] != 0.0 or c[2] != 0.0:
            if c[2] != 0.0:
                row_tangents(lam, c, pf, pi, out)
            add_law_tangents(t, v, lam, c, pf, pi, out)
            add_load_tangents(t, c, pf, pi, out)
    elif what == CONSTRAINT:
        row_matrix(pf, pi, out)
    elif what == POSITION or what == VELOCITY or what == ACCELERATION:
        row_values(what, t, v, a, pf, pi, out)
    return OK


@kernel(f8(f8, F, F, F, F, I, F))
def mechanism_energy(
    t: float, q: FloatArray, v: FloatArray, lam: FloatArray, pf: FloatArray, pi: IntArray, out: FloatArray
) -> float:
    """Kinetic and potential energy into out; the latter counts weight and springs, with time functions at t."""
    place_bodies(q, v, pf, pi)
    gravity = pf[pi[F_GRAVITY] : pi[F_GRAVITY] + 3]
    w = pf[pi[F_WORK] : pi[F_WORK] + 3]
    kinetic, potential = 0.0, 0.0
    for k in range(pi[BODIES]):
        n, p = pi[F_BODY] + BODY_NUMBERS * k, pose_of(k, pf, pi)
        rotate(pf[n + 1 : n + 10], p[W_:TURN], w)
        kinetic += 0.5 * pf[n] * dot(p[V_:W_], p[V_:W_]) + 0.5 * dot(p[W_:TURN], w)
        potential -= pf[n] * dot(gravity, p[0:3])
    out[0], out[1] = kinetic, potential + potential_of_laws(t, pf, pi)
    return kinetic + out[1]
