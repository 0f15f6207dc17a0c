"""Internal damping of a planar element, after Kelvin and Voigt.

    force Bᵀ D ż,   ż = B ζ̇,   B = ∂z/∂ζ = 1 + J p

in the pinned frame (isodyn.beams.frames), with a constant matrix D: the stiffness of the undeformed
element, the part of stretching and the part of bending each times its own time. z does not change
in rigid motion, so that is not damped.
"""

from __future__ import annotations

from isodyn.beams.frames import (
    RATE,
    D,
    G,
    H,
    S,
    T,
    U,
    Z,
    add_force,
    add_matrix,
    axes,
    moment,
    resolve,
    second_in_nodes,
    turned,
)
from isodyn.beams.layout import EA_, EI_, L_, SIMPLIFIED, TAU_A, TAU_B, Place
from isodyn.beams.strain import bending_matrix, stretching_matrix
from isodyn.kernels.compiled import FloatArray, kernel


@kernel()
def damping_matrix(kind: int, A: FloatArray, k: int, w: int) -> None:
    """D: stiffness of the undeformed element, each part with its time."""
    L, EA, EI = A[k + L_], A[k + EA_] * A[k + TAU_A], A[k + EI_] * A[k + TAU_B]
    for i in range(3):
        for j in range(3):
            o = w + D + 12 * i + 2 * j
            A[o + 1], A[o + 6], A[o + 7] = 0.0, 0.0, bending_matrix(i, j, EI, L)
            if kind == SIMPLIFIED:
                A[o] = bending_matrix(i, j, EI, L) + (EA / L if i == 1 and j == 1 else 0.0)
            else:
                A[o] = stretching_matrix(i, j, EA, L)


@kernel()
def prepare_damping(
    kind: int, q: FloatArray, v: FloatArray, a: int, b: int, A: FloatArray, k: int, w: int
) -> tuple[float, float, float]:
    """z, velocities, ż, D and D ż in the pinned frame; its axis and length."""
    ex, ey, rho = axes(False, q, a, b)
    resolve(q, a, b, ex, ey, A, w + Z)
    resolve(v, a, b, ex, ey, A, w + U)
    damping_matrix(kind, A, k, w)
    spin = A[w + U + 3] / rho
    for i in range(6):
        A[w + RATE + i] = A[w + U + i] + spin * turned(A, w + Z, i)
    for i in range(6):
        A[w + S + i] = 0.0
        for j in range(6):
            A[w + S + i] += A[w + D + 6 * i + j] * A[w + RATE + j]
    return ex, ey, rho


@kernel()
def damping_force(
    kind: int, q: FloatArray, v: FloatArray, a: int, b: int, A: FloatArray, k: int, w: int, out: FloatArray
) -> None:
    """out += Bᵀ D ż."""
    ex, ey, rho = prepare_damping(kind, q, v, a, b, A, k, w)
    A[w + S + 3] += moment(A, w + Z, w + S) / rho
    add_force(a, b, ex, ey, A, w + S, out)


@kernel()
def damping_tangent(
    kind: int,
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
    """out += c_v ∂(Bᵀ D ż)/∂Υ̇ + c_q ∂(Bᵀ D ż)/∂Υ."""
    ex, ey, rho = prepare_damping(kind, q, v, place[0], place[1], A, k, w)
    spin = A[w + U + 3] / rho
    for i in range(6):
        A[w + G + i] = A[w + S + i]
    for i in range(6):  # T = D (c_v B + c_q ∂ż/∂ζ), column by column
        for j in range(6):
            A[w + T + 6 * i + j] = 0.0
    for n in range(6):
        first = n % 2 == 0
        for j in range(6):
            x = c_v if n == j else 0.0
            if j == 3:
                x += c_v * turned(A, w + Z, n) / rho
            y = 0.0
            if first and j == n + 1:
                y = spin
            elif not first and j == n - 1:
                y = -spin
            if j == 3:
                across = A[w + U + n + 1] if first else -A[w + U + n - 1]
                y += (across - spin * A[w + Z + n]) / rho - turned(A, w + Z, n) * A[w + U + 2] / (rho * rho)
            if j == 2:
                y -= turned(A, w + Z, n) * spin / rho
            x += c_q * y
            if x != 0.0:
                for i in range(6):
                    A[w + T + 6 * i + j] += A[w + D + 6 * i + n] * x
    for i in range(36):
        A[w + H + i] = 0.0
    if c_q != 0.0:
        second_in_nodes(A, w, w + H, 3, rho)
    for j in range(6):
        m = 0.0
        for i in range(6):
            m += turned(A, w + Z, i) * A[w + T + 6 * i + j]
            A[w + H + 6 * i + j] = c_q * A[w + H + 6 * i + j] + A[w + T + 6 * i + j]
        A[w + H + 18 + j] += m / rho
    add_matrix(1.0, ex, ey, A, w + H, place, out)
