"""From the energy V(z) in the frame of a planar element to forces and tangents in its nodal
coordinates.

The frame turns with the chord d (pinned) or with the first slope t₁ (tangent)
[Shimada2014 (8.21), (8.22)]. With ζ = (t₁, d, t₂) resolved in its axes and its angle θ(ζ),
∂θ/∂ζ = p, the frame's vector of length ρ and ∂ρ/∂ζ = l,

    ∂z/∂ζ = 1 + J p ,     J = (z₂, −z₁, z₄, −z₃, z₆, −z₅),     ∂p/∂ζ = −(l pᵀ + p lᵀ)/ρ
    ∂U/∂ζ   = V_z + m p,                                        m = J·V_z
    ∂²U/∂ζ² = V_zz + p cᵀ + c pᵀ + (JᵀV_zz J − z·V_z) p pᵀ,     c = V_zz J + h − (m/ρ) l,   h = (−V_2, V_1, −V_4, V_3, −V_6, V_5)

where p and l have one entry each, 1/ρ and 1.
"""

from __future__ import annotations

import numpy as np

from isodyn.beams.strain import cauchy, green_lagrange
from isodyn.beams.tables import (
    CAUCHY,
    CAUCHY_DIRAC,
    CAUCHY_TANGENT,
    GREEN_LAGRANGE_TANGENT,
    ElementData,
    ElementScratch,
    Place,
)
from isodyn.kernels.compiled import FloatArray, kernel


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
def resolve(q: FloatArray, a: int, b: int, ex: float, ey: float, z: FloatArray) -> None:
    """(t₁, d, t₂) in the axes e, n."""
    x, y = q[a + 2], q[a + 3]
    z[0], z[1] = ex * x + ey * y, ex * y - ey * x
    x, y = q[b] - q[a], q[b + 1] - q[a + 1]
    z[2], z[3] = ex * x + ey * y, ex * y - ey * x
    x, y = q[b + 2], q[b + 3]
    z[4], z[5] = ex * x + ey * y, ex * y - ey * x


@kernel()
def energy_in_frame(energy: int, e: ElementData, scratch: ElementScratch, second: bool) -> float:
    """V(z) of the element; gradient and second derivatives into the scratch memory."""
    if energy in (CAUCHY, CAUCHY_TANGENT, CAUCHY_DIRAC):
        return cauchy(e.length, e.EA, e.EI, scratch, second)
    return green_lagrange(e.length, e.EA, e.EI, e.EI4, scratch, second)


@kernel()
def moment(z: FloatArray, g: FloatArray) -> float:
    """J·V_z: what the energy would do in a turn of the frame alone."""
    m = 0.0
    for i in range(0, 6, 2):
        m += g[i] * z[i + 1] - g[i + 1] * z[i]
    return m


@kernel()
def turned(z: FloatArray, i: int) -> float:
    """J_i."""
    return z[i + 1] if i % 2 == 0 else -z[i - 1]


@kernel()
def add_force(a: int, b: int, ex: float, ey: float, f: FloatArray, out: FloatArray) -> None:
    """out += the force f on (t₁, d, t₂), from the axes of the frame."""
    out[a + 2] += ex * f[0] - ey * f[1]
    out[a + 3] += ey * f[0] + ex * f[1]
    x, y = ex * f[2] - ey * f[3], ey * f[2] + ex * f[3]
    out[a] -= x
    out[a + 1] -= y
    out[b] += x
    out[b + 1] += y
    out[b + 2] += ex * f[4] - ey * f[5]
    out[b + 3] += ey * f[4] + ex * f[5]


@kernel()
def to_nodes(
    factor: float,
    ex: float,
    ey: float,
    H: FloatArray,
    out: FloatArray,
    o: int,
    stride: int,
    i: int,
    j: int,
    sign: float,
) -> None:
    """The block (2, 2) of (t₁, d, t₂)-numbers i, j of H, turned to the world, into out."""
    r, s = 2 * i, 2 * j
    f = factor * sign
    xx, xy = ex * H[r, s] - ey * H[r + 1, s], ex * H[r, s + 1] - ey * H[r + 1, s + 1]
    yx, yy = ey * H[r, s] + ex * H[r + 1, s], ey * H[r, s + 1] + ex * H[r + 1, s + 1]
    out[o] += f * (xx * ex - xy * ey)
    out[o + 1] += f * (xx * ey + xy * ex)
    out[o + stride] += f * (yx * ex - yy * ey)
    out[o + stride + 1] += f * (yx * ey + yy * ex)


@kernel()
def add_matrix(factor: float, ex: float, ey: float, H: FloatArray, place: Place, out: FloatArray) -> None:
    """out += factor H over (t₁, d, t₂), in the blocks of the nodes."""
    _, _, aa, ab, ba, bb, s_a, s_b = place
    to_nodes(factor, ex, ey, H, out, aa, s_a, 1, 1, 1.0)
    to_nodes(factor, ex, ey, H, out, aa + 2, s_a, 1, 0, -1.0)
    to_nodes(factor, ex, ey, H, out, aa + 2 * s_a, s_a, 0, 1, -1.0)
    to_nodes(factor, ex, ey, H, out, aa + 2 * s_a + 2, s_a, 0, 0, 1.0)
    to_nodes(factor, ex, ey, H, out, ab, s_a, 1, 1, -1.0)
    to_nodes(factor, ex, ey, H, out, ab + 2, s_a, 1, 2, -1.0)
    to_nodes(factor, ex, ey, H, out, ab + 2 * s_a, s_a, 0, 1, 1.0)
    to_nodes(factor, ex, ey, H, out, ab + 2 * s_a + 2, s_a, 0, 2, 1.0)
    to_nodes(factor, ex, ey, H, out, ba, s_b, 1, 1, -1.0)
    to_nodes(factor, ex, ey, H, out, ba + 2, s_b, 1, 0, 1.0)
    to_nodes(factor, ex, ey, H, out, ba + 2 * s_b, s_b, 2, 1, -1.0)
    to_nodes(factor, ex, ey, H, out, ba + 2 * s_b + 2, s_b, 2, 0, 1.0)
    to_nodes(factor, ex, ey, H, out, bb, s_b, 1, 1, 1.0)
    to_nodes(factor, ex, ey, H, out, bb + 2, s_b, 1, 2, 1.0)
    to_nodes(factor, ex, ey, H, out, bb + 2 * s_b, s_b, 2, 1, 1.0)
    to_nodes(factor, ex, ey, H, out, bb + 2 * s_b + 2, s_b, 2, 2, 1.0)


@kernel()
def second_in_nodes(scratch: ElementScratch, at: int, rho: float) -> None:
    """V_zz becomes ∂²U/∂ζ²; `at` is where p has its entry."""
    along = at - 1  # where l has its entry: the e-part of the vector whose n-part turns the frame
    z, g, H, c = scratch.z, scratch.V_z, scratch.V_zz, scratch.c
    m, s, whole = moment(z, g), 0.0, 0.0
    for i in range(6):
        s += z[i] * g[i]
        x = 0.0
        for j in range(6):
            x += H[i, j] * turned(z, j)
        whole += turned(z, i) * x
        c[i] = x - (g[i + 1] if i % 2 == 0 else -g[i - 1])
    c[along] -= m / rho
    for i in range(6):
        H[at, i] += c[i] / rho
        H[i, at] += c[i] / rho
    H[at, at] += (whole - s) / (rho * rho)


@kernel()
def frame_force(q: FloatArray, e: ElementData, scratch: ElementScratch, out: FloatArray) -> float:
    """out += ∂U/∂Υ; returns U."""
    tangent = is_tangent(e.energy)
    ex, ey, rho = axes(tangent, q, e.a, e.b)
    resolve(q, e.a, e.b, ex, ey, scratch.z)
    value = energy_in_frame(e.energy, e, scratch, False)
    scratch.V_z[1 if tangent else 3] += moment(scratch.z, scratch.V_z) / rho
    add_force(e.a, e.b, ex, ey, scratch.V_z, out)
    return value


@kernel()
def frame_tangent(
    energy: int, factor: float, q: FloatArray, e: ElementData, scratch: ElementScratch, place: Place, out: FloatArray
) -> None:
    """out += factor ∂²U/∂Υ² of an element with this energy."""
    tangent = is_tangent(energy)
    ex, ey, rho = axes(tangent, q, e.a, e.b)
    resolve(q, e.a, e.b, ex, ey, scratch.z)
    energy_in_frame(energy, e, scratch, True)
    second_in_nodes(scratch, 1 if tangent else 3, rho)
    add_matrix(factor, ex, ey, scratch.V_zz, place, out)
