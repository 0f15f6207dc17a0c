"""From the energy V(z) in the frame of a planar element to forces and tangents in its nodal
coordinates.

The frame turns with the chord d (pinned) or with the first slope t₁ (tangent)
[Shimada2014 (8.21), (8.22)]. With ζ = (t₁, d, t₂) resolved in its axes and its angle θ(ζ),
∂θ/∂ζ = p, the frame's vector of length ρ and ∂ρ/∂ζ = l,

    ∂z/∂ζ = 1 + J p ,     J = (z₂, −z₁, z₄, −z₃, z₆, −z₅),     ∂p/∂ζ = −(l pᵀ + p lᵀ)/ρ
    ∂U/∂ζ   = V_z + m p,                                        m = J·V_z
    ∂²U/∂ζ² = V_zz + p cᵀ + c pᵀ + (JᵀV_zz J − z·V_z) p pᵀ,     c = V_zz J + h − (m/ρ) l,   h = (−V_2, V_1, −V_4, V_3, −V_6, V_5)

where p and l have one entry each, 1/ρ and 1. Numbers lie in one array A from w on.
"""

from __future__ import annotations

import numpy as np

from isodyn.beams.layout import (
    CAUCHY,
    CAUCHY_DIRAC,
    CAUCHY_TANGENT,
    EA_,
    EI4_,
    EI_,
    GREEN_LAGRANGE_TANGENT,
    L_,
    Place,
)
from isodyn.beams.strain import cauchy, green_lagrange
from isodyn.kernels.compiled import FloatArray, kernel

# ---- memory: z, V_z, V_zz, c, velocities in the frame, ż, D ż, D, another (6, 6)
Z, G, H, C, U, RATE, S, D, T, WORK = 0, 6, 12, 48, 54, 60, 66, 72, 108, 144


@kernel()
def is_tangent(kind: int) -> bool:
    """Whether the frame follows the first slope."""
    return kind in (CAUCHY_TANGENT, GREEN_LAGRANGE_TANGENT)


@kernel()
def axes(tangent: bool, q: FloatArray, a: int, b: int) -> tuple[float, float, float]:
    """The first axis of the frame of the element between the nodes at a and b, and the length ρ."""
    if tangent:
        x, y = q[a + 2], q[a + 3]
    else:
        x, y = q[b] - q[a], q[b + 1] - q[a + 1]
    rho = np.sqrt(x * x + y * y)
    return x / rho, y / rho, rho


@kernel()
def resolve(q: FloatArray, a: int, b: int, ex: float, ey: float, A: FloatArray, z: int) -> None:
    """(t₁, d, t₂) in the axes e, n."""
    x, y = q[a + 2], q[a + 3]
    A[z], A[z + 1] = ex * x + ey * y, ex * y - ey * x
    x, y = q[b] - q[a], q[b + 1] - q[a + 1]
    A[z + 2], A[z + 3] = ex * x + ey * y, ex * y - ey * x
    x, y = q[b + 2], q[b + 3]
    A[z + 4], A[z + 5] = ex * x + ey * y, ex * y - ey * x


@kernel()
def energy_in_frame(kind: int, A: FloatArray, k: int, w: int, second: bool) -> float:
    """V(z) of the element with the numbers at k; gradient and second derivatives into the memory at
    w."""
    L, EA, EI = A[k + L_], A[k + EA_], A[k + EI_]
    if kind in (CAUCHY, CAUCHY_TANGENT, CAUCHY_DIRAC):
        return cauchy(L, EA, EI, A, w + Z, w + G, w + H, second)
    return green_lagrange(L, EA, EI, A[k + EI4_], A, w + Z, w + G, w + H, second)


@kernel()
def moment(A: FloatArray, z: int, g: int) -> float:
    """J·V_z: what the energy would do in a turn of the frame alone."""
    m = 0.0
    for i in range(0, 6, 2):
        m += A[g + i] * A[z + i + 1] - A[g + i + 1] * A[z + i]
    return m


@kernel()
def turned(A: FloatArray, z: int, i: int) -> float:
    """J_i."""
    return A[z + i + 1] if i % 2 == 0 else -A[z + i - 1]


@kernel()
def add_force(a: int, b: int, ex: float, ey: float, A: FloatArray, f: int, out: FloatArray) -> None:
    """out += the force A[f:f+6] on (t₁, d, t₂), from the axes of the frame."""
    out[a + 2] += ex * A[f] - ey * A[f + 1]
    out[a + 3] += ey * A[f] + ex * A[f + 1]
    x, y = ex * A[f + 2] - ey * A[f + 3], ey * A[f + 2] + ex * A[f + 3]
    out[a] -= x
    out[a + 1] -= y
    out[b] += x
    out[b + 1] += y
    out[b + 2] += ex * A[f + 4] - ey * A[f + 5]
    out[b + 3] += ey * A[f + 4] + ex * A[f + 5]


@kernel()
def to_nodes(
    factor: float,
    ex: float,
    ey: float,
    A: FloatArray,
    h: int,
    out: FloatArray,
    o: int,
    stride: int,
    i: int,
    j: int,
    sign: float,
) -> None:
    """The block (2, 2) of (t₁, d, t₂)-numbers i, j of A[h:h+36], turned to the world, into out."""
    p = h + 12 * i + 2 * j
    f = factor * sign
    xx, xy = ex * A[p] - ey * A[p + 6], ex * A[p + 1] - ey * A[p + 7]
    yx, yy = ey * A[p] + ex * A[p + 6], ey * A[p + 1] + ex * A[p + 7]
    out[o] += f * (xx * ex - xy * ey)
    out[o + 1] += f * (xx * ey + xy * ex)
    out[o + stride] += f * (yx * ex - yy * ey)
    out[o + stride + 1] += f * (yx * ey + yy * ex)


@kernel()
def add_matrix(
    factor: float,
    ex: float,
    ey: float,
    A: FloatArray,
    h: int,
    place: Place,
    out: FloatArray,
) -> None:
    """out += factor × the matrix A[h:h+36] over (t₁, d, t₂), in the blocks of the nodes."""
    _, _, aa, ab, ba, bb, s_a, s_b = place
    to_nodes(factor, ex, ey, A, h, out, aa, s_a, 1, 1, 1.0)
    to_nodes(factor, ex, ey, A, h, out, aa + 2, s_a, 1, 0, -1.0)
    to_nodes(factor, ex, ey, A, h, out, aa + 2 * s_a, s_a, 0, 1, -1.0)
    to_nodes(factor, ex, ey, A, h, out, aa + 2 * s_a + 2, s_a, 0, 0, 1.0)
    to_nodes(factor, ex, ey, A, h, out, ab, s_a, 1, 1, -1.0)
    to_nodes(factor, ex, ey, A, h, out, ab + 2, s_a, 1, 2, -1.0)
    to_nodes(factor, ex, ey, A, h, out, ab + 2 * s_a, s_a, 0, 1, 1.0)
    to_nodes(factor, ex, ey, A, h, out, ab + 2 * s_a + 2, s_a, 0, 2, 1.0)
    to_nodes(factor, ex, ey, A, h, out, ba, s_b, 1, 1, -1.0)
    to_nodes(factor, ex, ey, A, h, out, ba + 2, s_b, 1, 0, 1.0)
    to_nodes(factor, ex, ey, A, h, out, ba + 2 * s_b, s_b, 2, 1, -1.0)
    to_nodes(factor, ex, ey, A, h, out, ba + 2 * s_b + 2, s_b, 2, 0, 1.0)
    to_nodes(factor, ex, ey, A, h, out, bb, s_b, 1, 1, 1.0)
    to_nodes(factor, ex, ey, A, h, out, bb + 2, s_b, 1, 2, 1.0)
    to_nodes(factor, ex, ey, A, h, out, bb + 2 * s_b, s_b, 2, 1, 1.0)
    to_nodes(factor, ex, ey, A, h, out, bb + 2 * s_b + 2, s_b, 2, 2, 1.0)


@kernel()
def second_in_nodes(A: FloatArray, w: int, h: int, at: int, rho: float) -> None:
    """V_zz in A[h:h+36] becomes ∂²U/∂ζ²; `at` is where p has its entry, V_z lies in G."""
    along = at - 1  # where l has its entry: the e-part of the vector whose n-part turns the frame
    m, s, whole = moment(A, w + Z, w + G), 0.0, 0.0
    for i in range(6):
        s += A[w + Z + i] * A[w + G + i]
        c = 0.0
        for j in range(6):
            c += A[h + 6 * i + j] * turned(A, w + Z, j)
        whole += turned(A, w + Z, i) * c
        A[w + C + i] = c - (A[w + G + i + 1] if i % 2 == 0 else -A[w + G + i - 1])
    A[w + C + along] -= m / rho
    for i in range(6):
        A[h + 6 * at + i] += A[w + C + i] / rho
        A[h + 6 * i + at] += A[w + C + i] / rho
    A[h + 7 * at] += (whole - s) / (rho * rho)


@kernel()
def frame_force(kind: int, q: FloatArray, a: int, b: int, A: FloatArray, k: int, w: int, out: FloatArray) -> float:
    """out += ∂U/∂Υ; returns U."""
    tangent = is_tangent(kind)
    ex, ey, rho = axes(tangent, q, a, b)
    resolve(q, a, b, ex, ey, A, w + Z)
    value = energy_in_frame(kind, A, k, w, False)
    A[w + G + (1 if tangent else 3)] += moment(A, w + Z, w + G) / rho
    add_force(a, b, ex, ey, A, w + G, out)
    return value


@kernel()
def frame_tangent(
    kind: int, factor: float, q: FloatArray, A: FloatArray, k: int, w: int, place: Place, out: FloatArray
) -> None:
    """out += factor ∂²U/∂Υ²."""
    a, b = place[0], place[1]
    tangent = is_tangent(kind)
    ex, ey, rho = axes(tangent, q, a, b)
    resolve(q, a, b, ex, ey, A, w + Z)
    energy_in_frame(kind, A, k, w, True)
    second_in_nodes(A, w, w + H, 1 if tangent else 3, rho)
    add_matrix(factor, ex, ey, A, w + H, place, out)
