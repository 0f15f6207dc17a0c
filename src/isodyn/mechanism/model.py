"""The equations of a mechanism as one compiled model (isodyn.kernels.compiled).

    m r̈ + … = f,    𝔍 ω̇ + ω × 𝔍ω + … = τ         per body, about its mass centre, rotations in its own frame [Shimada2014 (7.55)]
    rows        φ = Σ w x − f(t) = 0               sums of measures x (isodyn.joints.measures); some known as rates only
    laws        −g f(x, ẋ, t)                      force elements along a measure
    loads       forces and torques on one body
    angles      θ̇ = g·v                           counted over whole turns, behind the bodies in q (isodyn.mechanism.turns)
    beams       M a + ∂U/∂q + damping − weight     on their nodes (isodyn.beams), which joints see as bodies (isodyn.mechanism.nodes)

Tables in pi, pf: isodyn.parts.layout. A planar body has (x, y, θ) of (r, ω), a particle has r; the
columns of a measure's gradient that a body does not have are left out. Blocks of J and places in G
are given by the tables, so that the same code fills a dense matrix and the values of a sparse one.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from isodyn.beams.elements import element_energies, tangents_of_elements
from isodyn.bodies.rotation_kernels import cross, dot, matrix_of, rotate, turn, turn_by_cayley, vector
from isodyn.joints.measures import POSE, R_, TURN, V_, W_, unit_column
from isodyn.kernels.compiled import (
    ACCELERATION,
    BALANCE,
    CONSTRAINT,
    JACOBIAN,
    LEVELS,
    MODEL,
    OK,
    POSITION,
    RATE,
    RETRACT,
    SETTLE,
    VELOCITY,
    F,
    FloatArray,
    I,
    IntArray,
    f8,
    kernel,
)
from isodyn.kernels.lowering import by_address, natural
from isodyn.kernels.struct import FlatNumbers
from isodyn.kernels.struct_types import opened
from isodyn.mechanism.forces import (
    add_law_tangents,
    add_laws,
    add_load_tangents,
    add_loads,
    potential_of_laws,
)
from isodyn.mechanism.nodes import place_node
from isodyn.mechanism.rows import row_forces, row_matrix, row_tangents, row_values
from isodyn.mechanism.spread import add_beams
from isodyn.mechanism.turns import count_turns, rates_of_turns, read_turns, settle_turns
from isodyn.parts.layout import (
    BLOCK,
    BODIES,
    BODY,
    BODY_NUMBERS,
    CAYLEY,
    DAMPED,
    ELEMENTS,
    F_BODY,
    F_ELEMENT,
    F_FACTOR,
    F_GRAVITY,
    F_POSE,
    F_WEIGHT,
    F_WORK,
    FIRST_Q,
    FIRST_V,
    FREEDOM,
    I_BODY,
    I_ELEMENT,
    J_SIZE,
    KIND,
    LAWS,
    LOADS,
    NODAL,
    NODE,
    PARTICLE,
    PLANAR,
    ROWS,
    SPATIAL,
    STRIDE,
    TURNS,
    UNHELD,
)


@kernel()
def place_bodies(q: FloatArray, v: FloatArray, pf: FloatArray, pi: IntArray) -> None:
    """Poses and velocities of all bodies into pf; the ground lies behind them and does not move."""
    for k in range(pi[BODIES]):
        p, b = natural(pi[F_POSE] + POSE * k), natural(pi[I_BODY] + BODY * k)
        kind, first_q, first_v = pi[b + KIND], natural(pi[b + FIRST_Q]), natural(pi[b + FIRST_V])
        if kind >= NODE:
            if kind != UNHELD:
                place_node(kind, q, v, first_q, pf, p)
            continue
        if kind == PLANAR:
            pf[p], pf[p + 1] = q[first_q], q[first_q + 1]
            # the last question may have been about the same state
            if q[first_q + 2] != pf[p + TURN]:
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
    """out = M a + gyroscopic torques − weights, of bodies."""
    gravity, factor = pi[F_GRAVITY], pf[pi[F_FACTOR]]
    for k in range(pi[BODIES]):
        b, n = natural(pi[I_BODY] + BODY * k), natural(pi[F_BODY] + BODY_NUMBERS * k)
        kind, first = pi[b + KIND], natural(pi[b + FIRST_V])
        mass = pf[n]
        if kind >= NODE:
            continue
        if kind == PLANAR:
            out[first] = mass * (a[first] - factor * pf[gravity])
            out[first + 1] = mass * (a[first + 1] - factor * pf[gravity + 1])
            out[first + 2] = pf[n + 9] * a[first + 2]
            continue
        for i in range(3):
            out[first + i] = mass * (a[first + i] - factor * pf[gravity + i])
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
        if kind >= NODE:
            continue
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
def move_bodies(q: FloatArray, d: FloatArray, pi: IntArray, out: FloatArray) -> None:
    """out = q ⊕ d."""
    for k in range(pi[BODIES]):
        b = pi[I_BODY] + BODY * k
        kind, first_q, first_v = pi[b + KIND], pi[b + FIRST_Q], pi[b + FIRST_V]
        for i in range(3 if kind < NODE else pi[b + FREEDOM]):
            out[first_q + i] = q[first_q + i] + d[first_v + i]
        if kind == SPATIAL:
            if pi[CAYLEY] == 1:
                turn_by_cayley(q, first_q + 3, d, first_v + 3, out)
            else:
                turn(q, first_q + 3, d, first_v + 3, out)


@kernel()
def rates_of_bodies(q: FloatArray, v: FloatArray, pi: IntArray, out: FloatArray) -> None:
    """out = q̇; of quaternions ė = e ∘ (0, ω)/2."""
    for k in range(pi[BODIES]):
        b = pi[I_BODY] + BODY * k
        kind, first_q, first_v = pi[b + KIND], pi[b + FIRST_Q], pi[b + FIRST_V]
        for i in range(3 if kind < NODE else pi[b + FREEDOM]):
            out[first_q + i] = v[first_v + i]
        if kind == SPATIAL:
            e, w = first_q + 3, vector(v, first_v + 3)
            out[e] = -0.5 * (q[e + 1] * w[0] + q[e + 2] * w[1] + q[e + 3] * w[2])
            out[e + 1] = 0.5 * (q[e] * w[0] + q[e + 2] * w[2] - q[e + 3] * w[1])
            out[e + 2] = 0.5 * (q[e] * w[1] - q[e + 1] * w[2] + q[e + 3] * w[0])
            out[e + 3] = 0.5 * (q[e] * w[2] + q[e + 1] * w[1] - q[e + 2] * w[0])


@kernel(MODEL)
def mechanism_model(
    what: int,
    t: float,
    q: FloatArray,
    v: FloatArray,
    a: FloatArray,
    lam: FloatArray,
    c: FloatArray,
    tables: Any,
    scratch: Any,
    out: FloatArray,
) -> int:
    """The questions of the loop, answered by a mechanism."""
    flat = opened(FlatNumbers, scratch)
    pf, pi = flat.pf, flat.pi
    if what == RETRACT:
        move_bodies(q, v, pi, out)
        return count_turns(q, v, pf, pi, out) if pi[TURNS] > 0 else OK
    if what == SETTLE:
        return settle_turns(pf, pi, out)
    if what == RATE:
        rates_of_bodies(q, v, pi, out)
        if pi[TURNS] > 0:
            place_bodies(q, v, pf, pi)
            rates_of_turns(pf, pi, out)
        return OK
    place_bodies(q, v, pf, pi)
    read_turns(q, pf, pi)
    if what == BALANCE:
        inertia_forces(a, pf, pi, out)
        if pi[ELEMENTS] > 0:
            add_beams(t, q, v, a, pf, pi, out)
        row_forces(lam, pf, pi, out)
        if pi[LAWS] > 0:
            add_laws(t, v, lam, pf, pi, out)
        if pi[LOADS] > 0:
            add_loads(t, pf, pi, out)
    elif what == JACOBIAN:
        for i in range(pi[J_SIZE]):
            out[i] = 0.0
        inertia_tangents(c, pf, pi, out)
        if pi[ELEMENTS] > 0:
            tangents_of_elements(
                pi[ELEMENTS], pi[I_ELEMENT], pi[F_ELEMENT], pi[F_WORK], pi[DAMPED], q, v, c, pf, pi, out
            )
        if c[1] != 0.0 or c[2] != 0.0:
            if c[2] != 0.0:
                row_tangents(lam, c, pf, pi, out)
            if pi[LAWS] > 0:
                add_law_tangents(t, v, lam, c, pf, pi, out)
            if pi[LOADS] > 0:
                add_load_tangents(t, c, pf, pi, out)
    elif what == CONSTRAINT:
        row_matrix(pf, pi, out)
    elif what == LEVELS:
        m = natural(pi[ROWS])
        row_values(POSITION, t, v, a, pf, pi, out[:m])
        row_values(VELOCITY, t, v, a, pf, pi, out[m:])
    elif what in (POSITION, VELOCITY, ACCELERATION):
        row_values(what, t, v, a, pf, pi, out)
    return OK


ask_mechanism = by_address(mechanism_model, MODEL)
"""The same as other models call it."""


@kernel(f8(f8, F, F, F, F, I, F))
def mechanism_energy(
    t: float, q: FloatArray, v: FloatArray, lam: FloatArray, pf: FloatArray, pi: IntArray, out: FloatArray
) -> float:
    """Kinetic and potential energy into out; the latter counts weight, springs and strain, with
    time functions at t. out[2:] is memory."""
    place_bodies(q, v, pf, pi)
    read_turns(q, pf, pi)
    gravity = vector(pf, pi[F_GRAVITY])
    kinetic, potential = 0.0, 0.0
    for k in range(pi[BODIES]):
        n, p = pi[F_BODY] + BODY_NUMBERS * k, pi[F_POSE] + POSE * k
        w, u = vector(pf, p + W_), vector(pf, p + V_)
        kinetic += 0.5 * pf[n] * dot(u, u) + 0.5 * dot(w, rotate(pf, n + 1, w))
        potential -= pf[n] * dot(gravity, vector(pf, p))
    if pi[ELEMENTS] > 0:
        for i in range(pi[NODAL]):
            potential -= pf[pi[F_WEIGHT] + i] * q[i]
        beams = element_energies(pi[ELEMENTS], pi[I_ELEMENT], pi[F_ELEMENT], pi[F_WORK], q, v, pf, pi, out[2:])
        kinetic, potential = kinetic + beams[0], potential + beams[1]
    out[0], out[1] = kinetic, potential + potential_of_laws(t, pf, pi)
    return kinetic + out[1]
