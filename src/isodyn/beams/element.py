"""One element of a beam or cable: force, tangent and energy of every strain energy.

    simplified   U = EA (L − L₀)²/2L₀ + ½ Υᵀ K Υ,   L = |P₂ − P₁|                        [Shimada2014 (8.48), (8.57) adapted]
                 ∂U/∂Υ = EA (L − L₀)/L₀ l + K Υ,    l = ∂L/∂Υ                            [Shimada2014 (8.50) adapted]

needs no frame and works in the plane and in space; the others are planar (isodyn.beams.frames, isodyn.beams.dirac).
"""

from __future__ import annotations

import numpy as np

from isodyn.beams.damping import damping_force, damping_tangent
from isodyn.beams.dirac import dirac_force
from isodyn.beams.frames import frame_force, frame_tangent
from isodyn.beams.hermite import bending_times, entry, mass_times
from isodyn.beams.layout import (
    CAUCHY,
    CAUCHY_DIRAC,
    EA_,
    EI_,
    GREEN_LAGRANGE,
    L_,
    MASS_,
    SIMPLIFIED,
    TAU_A,
    TAU_B,
)
from isodyn.compiled import FloatArray, kernel


@kernel()
def add_inertia(dim: int, x: FloatArray, a: int, b: int, A: FloatArray, k: int, out: FloatArray) -> None:
    """out += M x."""
    for i in range(dim):
        y = mass_times(A[k + MASS_], A[k + L_], x[a + i], x[a + dim + i], x[b + i], x[b + dim + i])
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
    L0, EI, square, value = A[k + L_], A[k + EI_], 0.0, 0.0
    for i in range(dim):
        d = q[b + i] - q[a + i]
        square += d * d
    L = np.sqrt(square)
    force = A[k + EA_] * (L - L0) / L0
    for i in range(dim):
        x = force * (q[b + i] - q[a + i]) / L  # [Shimada2014 (8.50) adapted]
        y = bending_times(EI, L0, q[a + i], q[a + dim + i], q[b + i], q[b + dim + i])
        value += y[0] * (q[a + i] - q[b + i]) + y[1] * q[a + dim + i] + y[3] * q[b + dim + i]
        out[a + i] += y[0] - x
        out[a + dim + i] += y[1]
        out[b + i] += y[2] + x
        out[b + dim + i] += y[3]
    return 0.5 * (value + force * (L - L0))


@kernel()
def add_tangent(
    kind: int,
    dim: int,
    c_a: float,
    c_q: float,
    q: FloatArray,
    a: int,
    b: int,
    A: FloatArray,
    k: int,
    w: int,
    aa: int,
    ab: int,
    ba: int,
    bb: int,
    s_a: int,
    s_b: int,
    out: FloatArray,
) -> None:
    """out += c_a M + c_q ∂²U/∂Υ²."""
    L0 = A[k + L_]
    stiffness = c_q * A[k + EI_] / (L0 * L0 * L0) if kind == SIMPLIFIED else 0.0
    for r in range(2):
        for s in range(2):
            x = entry(r, s, c_a * A[k + MASS_], stiffness, L0)
            y = entry(r, 2 + s, c_a * A[k + MASS_], stiffness, L0)
            u = entry(2 + r, s, c_a * A[k + MASS_], stiffness, L0)
            z = entry(2 + r, 2 + s, c_a * A[k + MASS_], stiffness, L0)
            for i in range(dim):
                row, column = r * dim + i, s * dim + i
                out[aa + row * s_a + column] += x
                out[ab + row * s_a + column] += y
                out[ba + row * s_b + column] += u
                out[bb + row * s_b + column] += z
    if c_q == 0.0:
        return
    if kind == SIMPLIFIED:
        square = 0.0
        for i in range(dim):
            d = q[b + i] - q[a + i]
            square += d * d
        L = np.sqrt(square)
        across = c_q * A[k + EA_] * (1.0 / L0 - 1.0 / L)
        along = c_q * A[k + EA_] / (L * square)
        for i in range(dim):
            for j in range(dim):
                x = along * (q[b + i] - q[a + i]) * (q[b + j] - q[a + j])
                if i == j:
                    x += across
                out[aa + i * s_a + j] += x
                out[ab + i * s_a + j] -= x
                out[ba + i * s_b + j] -= x
                out[bb + i * s_b + j] += x
        return
    frame = kind
    if kind == CAUCHY_DIRAC:
        frame = CAUCHY
    elif kind > CAUCHY_DIRAC:
        frame = GREEN_LAGRANGE
    frame_tangent(frame, c_q, q, a, b, A, k, w, aa, ab, ba, bb, s_a, s_b, out)


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
    square, rate = 0.0, 0.0
    for i in range(dim):
        d = q[b + i] - q[a + i]
        square += d * d
        rate += d * (v[b + i] - v[a + i])
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
    a: int,
    b: int,
    A: FloatArray,
    k: int,
    w: int,
    aa: int,
    ab: int,
    ba: int,
    bb: int,
    s_a: int,
    s_b: int,
    out: FloatArray,
) -> None:
    """out += c_v ∂/∂v + c_q ∂/∂q of that force."""
    if A[k + TAU_A] == 0.0 and A[k + TAU_B] == 0.0:
        return
    if dim == 2:
        damping_tangent(kind, c_v, c_q, q, v, a, b, A, k, w, aa, ab, ba, bb, s_a, s_b, out)
        return
    square, rate = 0.0, 0.0
    for i in range(dim):
        d = q[b + i] - q[a + i]
        square += d * d
        rate += d * (v[b + i] - v[a + i])
    eta = A[k + EA_] * A[k + TAU_A] / A[k + L_]
    for i in range(dim):
        for j in range(dim):
            d_i, d_j, u_j = q[b + i] - q[a + i], q[b + j] - q[a + j], v[b + j] - v[a + j]
            x = c_v * d_i * d_j / square + c_q * d_i * (u_j / square - 2.0 * rate * d_j / (square * square))
            if i == j:
                x += c_q * rate / square
            x *= eta
            out[aa + i * s_a + j] += x
            out[ab + i * s_a + j] -= x
            out[ba + i * s_b + j] -= x
            out[bb + i * s_b + j] += x
