"""One element of a beam or cable: force, tangent and energy of every strain energy.

    simplified   U = EA (L − L₀)²/2L₀ + ½ Υᵀ K Υ,   L = |P₂ − P₁|                        [Shimada2014 (8.48), (8.57) adapted]
                 ∂U/∂Υ = EA (L − L₀)/L₀ l + K Υ,    l = ∂L/∂Υ                            [Shimada2014 (8.50) adapted]

needs no frame and works in the plane and in space; the others are planar (isodyn.beams.frames,
isodyn.beams.dirac).
"""

from __future__ import annotations

import numpy as np

from isodyn.beams.damping import damping_force, damping_tangent
from isodyn.beams.dirac import dirac_force
from isodyn.beams.frames import frame_force, frame_tangent
from isodyn.beams.hermite import bending_times, mass_times
from isodyn.beams.layout import (
    CAUCHY,
    CAUCHY_DIRAC,
    EA_,
    EA_PER_L,
    EI_PER_L,
    GREEN_LAGRANGE,
    L_,
    M_420,
    PER_L,
    SIMPLIFIED,
    TAU_A,
    TAU_B,
    Place,
)
from isodyn.kernels.compiled import FloatArray, kernel


@kernel()
def add_inertia(dim: int, x: FloatArray, a: int, b: int, A: FloatArray, k: int, out: FloatArray) -> None:
    """out += M x."""
    for i in range(dim):
        y = mass_times(A[k + M_420], A[k + L_], x[a + i], x[a + dim + i], x[b + i], x[b + dim + i])
        out[a + i] += y[0]
        out[a + dim + i] += y[1]
        out[b + i] += y[2]
        out[b + dim + i] += y[3]


@kernel()
def add_internal(
    kind: int, dim: int, q: FloatArray, a: int, b: int, A: FloatArray, k: int, w: int, out: FloatArray
) -> float:
    """out += ∂U/∂Υ; returns U."""
    if kind == CAUCHY_DIRAC or kind > CAUCHY_DIRAC:
        return dirac_force(kind, q, a, b, A, k, w, out)
    if kind != SIMPLIFIED:
        return frame_force(kind, q, a, b, A, k, w, out)
    L, tension = chord(dim, q, a, b, A, k)
    value = 0.0
    for i in range(dim):
        d = q[b + i] - q[a + i]
        x = tension * d / L  # [Shimada2014 (8.50) adapted]
        y = bending_times(A[k + EI_PER_L], A[k + PER_L], d, q[a + dim + i], q[b + dim + i])
        value += y[1] * q[a + dim + i] + y[2] * q[b + dim + i] - y[0] * d
        out[a + i] += y[0] - x
        out[a + dim + i] += y[1]
        out[b + i] += x - y[0]
        out[b + dim + i] += y[2]
    return 0.5 * (value + tension * (L - A[k + L_]))


@kernel()
def chord(dim: int, q: FloatArray, a: int, b: int, A: FloatArray, k: int) -> tuple[float, float]:
    """Length of the chord and EA times its strain."""
    square = 0.0
    for i in range(dim):
        d = q[b + i] - q[a + i]
        square += d * d
    L = np.sqrt(square)
    return L, A[k + EA_PER_L] * (L - A[k + L_])


@kernel()
def add_inertia_and_internal(
    dim: int, x: FloatArray, q: FloatArray, a: int, b: int, A: FloatArray, k: int, out: FloatArray
) -> None:
    """out += M x + ∂U/∂Υ of the simplified energy: both of the above in one pass, which halves
    their cost."""
    L, tension = chord(dim, q, a, b, A, k)
    per_chord = tension / L
    for i in range(dim):
        d, t_a, t_b = q[b + i] - q[a + i], q[a + dim + i], q[b + dim + i]
        y = bending_times(A[k + EI_PER_L], A[k + PER_L], d, t_a, t_b)
        z = mass_times(A[k + M_420], A[k + L_], x[a + i], x[a + dim + i], x[b + i], x[b + dim + i])
        across = y[0] - per_chord * d
        out[a + i] += z[0] + across
        out[a + dim + i] += z[1] + y[1]
        out[b + i] += z[2] - across
        out[b + dim + i] += z[3] + y[2]


@kernel()
def add_constant_tangent(dim: int, m: float, e: float, L: float, place: Place, out: FloatArray) -> None:
    """out += m M̂ + e K̂, the matrices of mass and bending without their factors
    [Shimada2014 (8.13)], [Shimada2014 (8.59)]."""
    _, _, aa, ab, ba, bb, s_a, s_b = place
    # entries PP, Pt, P₁P₂, P₁t₂, tt, t₁t₂
    pp, pt, pq, pu = 156.0 * m + 12.0 * e, (22.0 * m + 6.0 * e) * L, 54.0 * m - 12.0 * e, (6.0 * e - 13.0 * m) * L
    tt, tu = 4.0 * (m + e) * L * L, (2.0 * e - 3.0 * m) * L * L
    for i in range(dim):
        j = dim + i
        out[aa + i * s_a + i] += pp
        out[aa + i * s_a + j] += pt
        out[aa + j * s_a + i] += pt
        out[aa + j * s_a + j] += tt
        out[ab + i * s_a + i] += pq
        out[ab + i * s_a + j] += pu
        out[ab + j * s_a + i] -= pu
        out[ab + j * s_a + j] += tu
        out[ba + i * s_b + i] += pq
        out[ba + i * s_b + j] -= pu
        out[ba + j * s_b + i] += pu
        out[ba + j * s_b + j] += tu
        out[bb + i * s_b + i] += pp
        out[bb + i * s_b + j] -= pt
        out[bb + j * s_b + i] -= pt
        out[bb + j * s_b + j] += tt


@kernel()
def add_between(place: Place, i: int, j: int, x: float, out: FloatArray) -> None:
    """out += the entry i, j of a stiffness between the points of the two nodes."""
    _, _, aa, ab, ba, bb, s_a, s_b = place
    out[aa + i * s_a + j] += x
    out[ab + i * s_a + j] -= x
    out[ba + i * s_b + j] -= x
    out[bb + i * s_b + j] += x


@kernel()
def add_simplified_tangent(
    dim: int, c_a: float, c_q: float, q: FloatArray, A: FloatArray, k: int, place: Place, out: FloatArray
) -> None:
    """out += c_a M + c_q ∂²U/∂Υ² of the simplified energy."""
    a, b = place[0], place[1]
    e = c_q * A[k + EI_PER_L] * A[k + PER_L] * A[k + PER_L]
    add_constant_tangent(dim, c_a * A[k + M_420], e, A[k + L_], place, out)
    if c_q == 0.0:
        return
    size, tension = chord(dim, q, a, b, A, k)
    across = c_q * tension / size
    along = (c_q * A[k + EA_PER_L] - across) / (size * size)
    for i in range(dim):
        for j in range(dim):
            x = along * (q[b + i] - q[a + i]) * (q[b + j] - q[a + j])
            if i == j:
                x += across
            add_between(place, i, j, x, out)


@kernel()
def add_planar_tangent(
    kind: int, c_a: float, c_q: float, q: FloatArray, A: FloatArray, k: int, w: int, place: Place, out: FloatArray
) -> None:
    """out += c_a M + c_q ∂²U/∂Υ² of an energy in a frame."""
    add_constant_tangent(2, c_a * A[k + M_420], 0.0, A[k + L_], place, out)
    if c_q == 0.0:
        return
    frame = kind
    if kind == CAUCHY_DIRAC:
        frame = CAUCHY
    elif kind > CAUCHY_DIRAC:
        frame = GREEN_LAGRANGE
    frame_tangent(frame, c_q, q, A, k, w, place, out)


@kernel()
def stretching(dim: int, q: FloatArray, v: FloatArray, a: int, b: int) -> tuple[float, float]:
    """L² and L L̇ of the chord."""
    square, rate = 0.0, 0.0
    for i in range(dim):
        d = q[b + i] - q[a + i]
        square += d * d
        rate += d * (v[b + i] - v[a + i])
    return square, rate


@kernel()
def add_damping(
    kind: int, dim: int, q: FloatArray, v: FloatArray, a: int, b: int, A: FloatArray, k: int, w: int, out: FloatArray
) -> None:
    """out += force of internal damping."""
    if A[k + TAU_A] == 0.0 and A[k + TAU_B] == 0.0:
        return
    if dim == 2:
        damping_force(kind, q, v, a, b, A, k, w, out)
        return
    square, rate = stretching(dim, q, v, a, b)
    force = A[k + EA_] * A[k + TAU_A] / A[k + L_] * rate / square
    for i in range(dim):
        x = force * (q[b + i] - q[a + i])
        out[a + i] -= x
        out[b + i] += x


@kernel()
def add_damping_tangent(
    kind: int,
    dim: int,
    c_v: float,
    c_q: float,
    q: FloatArray,
    v: FloatArray,
    A: FloatArray,
    k: int,
    w: int,
    place: Place,
    out: FloatArray,
) -> None:
    """out += c_v ∂/∂v + c_q ∂/∂q of that force."""
    a, b = place[0], place[1]
    if A[k + TAU_A] == 0.0 and A[k + TAU_B] == 0.0:
        return
    if dim == 2:
        damping_tangent(kind, c_v, c_q, q, v, A, k, w, place, out)
        return
    square, rate = stretching(dim, q, v, a, b)
    eta = A[k + EA_] * A[k + TAU_A] / A[k + L_]
    for i in range(dim):
        for j in range(dim):
            d_i, d_j, u_j = q[b + i] - q[a + i], q[b + j] - q[a + j], v[b + j] - v[a + j]
            x = c_v * d_i * d_j / square + c_q * d_i * (u_j / square - 2.0 * rate * d_j / (square * square))
            if i == j:
                x += c_q * rate / square
            add_between(place, i, j, eta * x, out)
