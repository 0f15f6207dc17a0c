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

from isodyn.bodies.rotation_kernels import cross, dot, matrix_of, rotate, turn, turn_by_cayley, vector
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
from isodyn.joints.measures import GRADIENT, POSE, R_, STIFFNESS, TURN, V_, W_, unit_column
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
    CAYLEY,
    COLUMNS,
    F_BODY,
    F_GRAVITY,
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
    TOGETHER,
)
from isodyn.mechanism.places import add_blocks, add_to_bodies, along, measure_of, rest_of, stiffness_of
from isodyn.mechanism.points import (
    add_coincidence_forces,
    add_coincidence_tangents,
    coincidence,
    put_coincidence,
)
from isodyn.mechanism.time_functions import at_time


@kernel()
def place_bodies(q: FloatArray, v: FloatArray, pf: FloatArray, pi: IntArray) -> None:
    """Poses and velocities of all bodies into pf; the ground lies behind them and does not move."""
    for k in range(pi[BODIES]):
        p, b = pi[F_POSE] + POSE * k, pi[I_BODY] + BODY * k
        kind, first_q, first_v = pi[b + KIND], pi[b + FIRST_Q], pi[b + FIRST_V]
        if kind == PLANAR:
            pf[p], pf[p + 1] = q[first_q], q[first_q + 1]
            if q[first_q + 2] != pf[p + TURN]:  # the last question may have been about the same state
                pf[p + TURN] = q[first_q + 2]
                s, c = np.sin(pf[p + TURN]), np.cos(pf[p + TURN])
                pf[p + R_], pf[p + R_ + 1], pf[p + R_ + 3], pf[p + R_ + 4] = c, -s, s, c
            pf[p + V_], pf[p + V_ + 1], pf[p + W_ + 2] = v[first_v], v[first_v + 1], v[first_v + 2]
            continue
        for i in range(3):
            pf[p + i], pf[p + V_ + i] = q[first_q + i], v[first_v + i]
        if kind != PARTICLE:
            matrix_of(q, first_q + 3, pf, p + R_)
            for i in range(3):
                pf[p + W_ + i] = v[first_v + 3 + i]


@kernel()
def inertia_forces(a: FloatArray, pf: FloatArray, pi: IntArray, out: FloatArray) -> None:
    """out = M a + gyroscopic torques − weights."""
    gravity = pi[F_GRAVITY]
    for k in range(pi[BODIES]):
        b, n = pi[I_BODY] + BODY * k, pi[F_BODY] + BODY_NUMBERS * k
        kind, first = pi[b + KIND], pi[b + FIRST_V]
        mass = pf[n]
        if kind == PLANAR:
            out[first] = mass * (a[first] - pf[gravity])
            out[first + 1] = mass * (a[first + 1] - pf[gravity + 1])
            out[first + 2] = pf[n + 9] * a[first + 2]
            continue
        for i in range(3):
            out[first + i] = mass * (a[first + i] - pf[gravity + i])
        if kind != PARTICLE:
            w = vector(pf, pi[F_POSE] + POSE * k + W_)
            x, y = rotate(pf, n + 1, vector(a, first + 3)), cross(w, rotate(pf, n + 1, w))
            for i in range(3):
                out[first + 3 + i] = x[i] + y[i]


@kernel()
def inertia_tangents(c: FloatArray, pf: FloatArray, pi: IntArray, out: FloatArray) -> None:
    """out += c₀ M + c₁ ∂(ω × 𝔍ω)/∂ω."""
    for k in range(pi[BODIES]):
        b, n = pi[I_BODY] + BODY * k, pi[F_BODY] + BODY_NUMBERS * k
        kind, block, stride = pi[b + KIND], pi[b + BLOCK], pi[b + STRIDE]
        for i in range(2 if kind == PLANAR else 3):
            out[block + i * stride + i] += c[0] * pf[n]
        if kind == PLANAR:
            out[block + 2 * stride + 2] += c[0] * pf[n + 9]
        elif kind != PARTICLE:
            w = vector(pf, pi[F_POSE] + POSE * k + W_)
            Jw = rotate(pf, n + 1, w)
            for j in range(3):
                x = (pf[n + 1 + j], pf[n + 4 + j], pf[n + 7 + j])
                y, z = cross(w, x), unit_column(Jw, j)  # columns of ω~𝔍 and (𝔍ω)~
                for i in range(3):
                    out[block + (3 + i) * stride + 3 + j] += c[0] * x[i] + c[1] * (y[i] - z[i])


@kernel()
def row_forces(lam: FloatArray, pf: FloatArray, pi: IntArray, out: FloatArray) -> None:
    """out += Gᵀλ."""
    r, last = 0, pi[ROWS]
    while r < last:
        o = pi[I_ROW] + ROW * r
        many = pi[o + TOGETHER]
        if many > 0:
            force = (lam[r], lam[r + 1], lam[r + 2] if many == 3 else 0.0)
            add_coincidence_forces(pi[pi[I_TERM] + TERM * pi[o]], force, pf, pi, out)
            r += many
            continue
        if lam[r] != 0.0:
            for k in range(pi[o], pi[o] + pi[o + 1]):
                m = pi[pi[I_TERM] + TERM * k]
                measure_of(m, GRADIENT, pf, pi)
                add_to_bodies(m, GRADIENT, lam[r] * pf[pi[F_TERM] + k], pf, pi, out)
        r += 1


@kernel()
def row_tangents(lam: FloatArray, c: FloatArray, pf: FloatArray, pi: IntArray, out: FloatArray) -> None:
    """out += c₂ ∂(Gᵀλ)/∂q."""
    r, last = 0, pi[ROWS]
    while r < last:
        o = pi[I_ROW] + ROW * r
        many = pi[o + TOGETHER]
        if many > 0:
            force = (lam[r], lam[r + 1], lam[r + 2] if many == 3 else 0.0)
            add_coincidence_tangents(pi[pi[I_TERM] + TERM * pi[o]], force, c[2], pf, pi, out)
            r += many
            continue
        if lam[r] != 0.0:
            for k in range(pi[o], pi[o] + pi[o + 1]):
                m = pi[pi[I_TERM] + TERM * k]
                stiffness_of(m, pf, pi)
                add_blocks(m, STIFFNESS, c[2] * lam[r] * pf[pi[F_TERM] + k], pf, pi, out)
        r += 1


@kernel()
def row_matrix(pf: FloatArray, pi: IntArray, out: FloatArray) -> None:
    """out = G, in its places."""
    for i in range(pi[G_SIZE]):
        out[i] = 0.0
    many, component = 0, 0
    for r in range(pi[ROWS]):
        o = pi[I_ROW] + ROW * r
        many, component = (pi[o + TOGETHER], 0) if many == component else (many, component)
        if many > component:
            x = pi[I_TERM] + TERM * pi[o]
            put_coincidence(pi[x], component, pi[x + 1], pi[x + 2], pf, pi, out)
            component += 1
            continue
        many, component = 0, 0
        for k in range(pi[o], pi[o] + pi[o + 1]):
            x = pi[I_TERM] + TERM * k
            n = pi[I_MEASURE] + MEASURE * pi[x]
            measure_of(pi[x], GRADIENT, pf, pi)
            weight = pf[pi[F_TERM] + k]
            for side in range(2):
                body, g = pi[n + 1 + side], pi[F_WORK] + GRADIENT + 6 * side
                if body == pi[BODIES]:
                    continue
                b, place = pi[I_BODY] + BODY * body, pi[x + 1 + side]
                for i in range(6):
                    column = pi[b + COLUMNS + i]
                    if column >= 0:
                        out[place + column] += weight * pf[g + i]


@kernel()
def row_values(
    what: int, t: float, v: FloatArray, a: FloatArray, pf: FloatArray, pi: IntArray, out: FloatArray
) -> None:
    """out = φ, φ̇ or φ̈ of all rows; φ of the holonomic ones only."""
    r, last = -1, pi[HOLONOMIC] if what == POSITION else pi[ROWS]
    while r + 1 < last:
        r += 1
        o = pi[I_ROW] + ROW * r
        many = pi[o + TOGETHER]
        if many > 0:
            values = coincidence(what, pi[pi[I_TERM] + TERM * pi[o]], a, pf, pi)
            for i in range(many):
                out[r + i] = values[i]
            r += many - 1
            continue
        f, f_t, f_tt = at_time(pi[o + 2], t, pf, pi)
        value = -f if what == POSITION else (-f_t if what == VELOCITY else -f_tt)
        for k in range(pi[o], pi[o] + pi[o + 1]):
            m, weight = pi[pi[I_TERM] + TERM * k], pf[pi[F_TERM] + k]
            x = measure_of(m, GRADIENT, pf, pi)
            if what == VELOCITY:
                x = along(m, GRADIENT, v, pf, pi)
            elif what == ACCELERATION:
                x = along(m, GRADIENT, a, pf, pi) + rest_of(m, pf, pi)
            value += weight * x
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
            if pi[CAYLEY] == 1:
                turn_by_cayley(q, first_q + 3, d, first_v + 3, out)
            else:
                turn(q, first_q + 3, d, first_v + 3, out)


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
        add_loads(t, pf, pi, out)
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
    elif what in (POSITION, VELOCITY, ACCELERATION):
        row_values(what, t, v, a, pf, pi, out)
    return OK


@kernel(f8(f8, F, F, F, F, I, F))
def mechanism_energy(
    t: float, q: FloatArray, v: FloatArray, lam: FloatArray, pf: FloatArray, pi: IntArray, out: FloatArray
) -> float:
    """Kinetic and potential energy into out; the latter counts weight and springs, with time functions at t."""
    place_bodies(q, v, pf, pi)
    gravity = vector(pf, pi[F_GRAVITY])
    kinetic, potential = 0.0, 0.0
    for k in range(pi[BODIES]):
        n, p = pi[F_BODY] + BODY_NUMBERS * k, pi[F_POSE] + POSE * k
        w, u = vector(pf, p + W_), vector(pf, p + V_)
        kinetic += 0.5 * pf[n] * dot(u, u) + 0.5 * dot(w, rotate(pf, n + 1, w))
        potential -= pf[n] * dot(gravity, vector(pf, p))
    out[0], out[1] = kinetic, potential + potential_of_laws(t, pf, pi)
    return kinetic + out[1]
