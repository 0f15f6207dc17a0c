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
from isodyn.beams.tables import CAUCHY, CAUCHY_DIRAC, GREEN_LAGRANGE, SIMPLIFIED, ElementData, ElementScratch, Place
from isodyn.kernels.compiled import FloatArray, kernel


@kernel()
def add_inertia(dim: int, x: FloatArray, e: ElementData, out: FloatArray) -> None:
    """out += M x."""
    a, b = e.a, e.b
    for i in range(dim):
        y = mass_times(e.mass_per_420, e.length, x[a + i], x[a + dim + i], x[b + i], x[b + dim + i])
        out[a + i] += y[0]
        out[a + dim + i] += y[1]
        out[b + i] += y[2]
        out[b + dim + i] += y[3]


@kernel()
def add_internal(q: FloatArray, e: ElementData, scratch: ElementScratch, out: FloatArray) -> float:
    """out += ∂U/∂Υ; returns U."""
    if e.energy >= CAUCHY_DIRAC:
        return dirac_force(q, e, scratch, out)
    if e.energy != SIMPLIFIED:
        return frame_force(q, e, scratch, out)
    dim, a, b = e.dim, e.a, e.b
    L, tension = chord(dim, q, e)
    value = 0.0
    for i in range(dim):
        d = q[b + i] - q[a + i]
        x = tension * d / L  # [Shimada2014 (8.50) adapted]
        y = bending_times(e.EI_per_length, e.per_length, d, q[a + dim + i], q[b + dim + i])
        value += y[1] * q[a + dim + i] + y[2] * q[b + dim + i] - y[0] * d
        out[a + i] += y[0] - x
        out[a + dim + i] += y[1]
        out[b + i] += x - y[0]
        out[b + dim + i] += y[2]
    return 0.5 * (value + tension * (L - e.length))


@kernel()
def chord(dim: int, q: FloatArray, e: ElementData) -> tuple[float, float]:
    """Length of the chord and EA times its strain."""
    a, b, square = e.a, e.b, 0.0
    for i in range(dim):
        d = q[b + i] - q[a + i]
        square += d * d
    L = np.sqrt(square)
    return L, e.EA_per_length * (L - e.length)


@kernel()
def add_inertia_and_internal(dim: int, x: FloatArray, q: FloatArray, e: ElementData, out: FloatArray) -> None:
    """out += M x + ∂U/∂Υ of the simplified energy: both of the above in one pass, which halves
    their cost."""
    a, b = e.a, e.b
    L, tension = chord(dim, q, e)
    per_chord = tension / L
    for i in range(dim):
        d, t_a, t_b = q[b + i] - q[a + i], q[a + dim + i], q[b + dim + i]
        y = bending_times(e.EI_per_length, e.per_length, d, t_a, t_b)
        z = mass_times(e.mass_per_420, e.length, x[a + i], x[a + dim + i], x[b + i], x[b + dim + i])
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
    dim: int, c_a: float, c_q: float, q: FloatArray, e: ElementData, place: Place, out: FloatArray
) -> None:
    """out += c_a M + c_q ∂²U/∂Υ² of the simplified energy."""
    a, b = place[0], place[1]
    bending = c_q * e.EI_per_length * e.per_length * e.per_length
    add_constant_tangent(dim, c_a * e.mass_per_420, bending, e.length, place, out)
    if c_q == 0.0:
        return
    size, tension = chord(dim, q, e)
    across = c_q * tension / size
    along = (c_q * e.EA_per_length - across) / (size * size)
    for i in range(dim):
        for j in range(dim):
            x = along * (q[b + i] - q[a + i]) * (q[b + j] - q[a + j])
            if i == j:
                x += across
            add_between(place, i, j, x, out)


@kernel()
def add_planar_tangent(
    c_a: float, c_q: float, q: FloatArray, e: ElementData, scratch: ElementScratch, place: Place, out: FloatArray
) -> None:
    """out += c_a M + c_q ∂²U/∂Υ² of an energy in a frame."""
    add_constant_tangent(2, c_a * e.mass_per_420, 0.0, e.length, place, out)
    if c_q == 0.0:
        return
    frame = e.energy
    if frame == CAUCHY_DIRAC:
        frame = CAUCHY
    elif frame > CAUCHY_DIRAC:
        frame = GREEN_LAGRANGE
    frame_tangent(frame, c_q, q, e, scratch, place, out)


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
def add_damping(q: FloatArray, v: FloatArray, e: ElementData, scratch: ElementScratch, out: FloatArray) -> None:
    """out += force of internal damping."""
    if e.stretching_time == 0.0 and e.bending_time == 0.0:
        return
    if e.dim == 2:
        damping_force(q, v, e, scratch, out)
        return
    dim, a, b = e.dim, e.a, e.b
    square, rate = stretching(dim, q, v, a, b)
    force = e.EA * e.stretching_time / e.length * rate / square
    for i in range(dim):
        x = force * (q[b + i] - q[a + i])
        out[a + i] -= x
        out[b + i] += x


@kernel()
def add_damping_tangent(
    c_v: float,
    c_q: float,
    q: FloatArray,
    v: FloatArray,
    e: ElementData,
    scratch: ElementScratch,
    place: Place,
    out: FloatArray,
) -> None:
    """out += c_v ∂/∂v + c_q ∂/∂q of that force."""
    dim, a, b = e.dim, place[0], place[1]
    if e.stretching_time == 0.0 and e.bending_time == 0.0:
        return
    if dim == 2:
        damping_tangent(c_v, c_q, q, v, e, scratch, place, out)
        return
    square, rate = stretching(dim, q, v, a, b)
    eta = e.EA * e.stretching_time / e.length
    for i in range(dim):
        for j in range(dim):
            d_i, d_j, u_j = q[b + i] - q[a + i], q[b + j] - q[a + j], v[b + j] - v[a + j]
            x = c_v * d_i * d_j / square + c_q * d_i * (u_j / square - 2.0 * rate * d_j / (square * square))
            if i == j:
                x += c_q * rate / square
            add_between(place, i, j, eta * x, out)
