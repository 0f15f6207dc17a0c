"""Internal damping of a planar element, after Kelvin and Voigt.

    force Bᵀ D ż,   ż = B ζ̇,   B = ∂z/∂ζ = 1 + J p

in the pinned frame (isodyn.beams.frames), with a constant matrix D: the stiffness of the undeformed
element, the part of stretching and the part of bending each times its own time. z does not change
in rigid motion, so that is not damped.
"""

from __future__ import annotations

from isodyn.beams.frames import add_force, add_matrix, axes, moment, resolve, second_in_nodes, turned
from isodyn.beams.strain import bending_matrix, stretching_matrix
from isodyn.beams.tables import SIMPLIFIED, ElementData, ElementScratch, Place
from isodyn.kernels.compiled import FloatArray, kernel


@kernel()
def damping_matrix(e: ElementData, D: FloatArray) -> None:
    """D: stiffness of the undeformed element, each part with its time."""
    L, EA, EI = e.length, e.EA * e.stretching_time, e.EI * e.bending_time
    for i in range(3):
        for j in range(3):
            r, s = 2 * i, 2 * j
            D[r, s + 1], D[r + 1, s], D[r + 1, s + 1] = 0.0, 0.0, bending_matrix(i, j, EI, L)
            if e.energy == SIMPLIFIED:
                D[r, s] = bending_matrix(i, j, EI, L) + (EA / L if i == 1 and j == 1 else 0.0)
            else:
                D[r, s] = stretching_matrix(i, j, EA, L)


@kernel()
def prepare_damping(
    q: FloatArray, v: FloatArray, e: ElementData, scratch: ElementScratch
) -> tuple[float, float, float]:
    """z, velocities, ż, D and D ż in the pinned frame; its axis and length."""
    z, u, rate, stress, D = scratch.z, scratch.u, scratch.rate, scratch.stress, scratch.D
    ex, ey, rho = axes(False, q, e.a, e.b)
    resolve(q, e.a, e.b, ex, ey, z)
    resolve(v, e.a, e.b, ex, ey, u)
    damping_matrix(e, D)
    spin = u[3] / rho
    for i in range(6):
        rate[i] = u[i] + spin * turned(z, i)
    for i in range(6):
        stress[i] = 0.0
        for j in range(6):
            stress[i] += D[i, j] * rate[j]
    return ex, ey, rho


@kernel()
def damping_force(q: FloatArray, v: FloatArray, e: ElementData, scratch: ElementScratch, out: FloatArray) -> None:
    """out += Bᵀ D ż."""
    ex, ey, rho = prepare_damping(q, v, e, scratch)
    scratch.stress[3] += moment(scratch.z, scratch.stress) / rho
    add_force(e.a, e.b, ex, ey, scratch.stress, out)


@kernel()
def rate_change(n: int, j: int, spin: float, rho: float, z: FloatArray, u: FloatArray) -> float:
    """∂ż_n/∂ζ_j."""
    y = 0.0
    if n % 2 == 0 and j == n + 1:
        y = spin
    elif n % 2 == 1 and j == n - 1:
        y = -spin
    if j == 3:
        across = u[n + 1] if n % 2 == 0 else -u[n - 1]
        y += (across - spin * z[n]) / rho - turned(z, n) * u[2] / (rho * rho)
    if j == 2:
        y -= turned(z, n) * spin / rho
    return y


@kernel()
def damping_tangent(
    c_v: float,
    c_q: float,
    q: FloatArray,
    v: FloatArray,
    e: ElementData,
    scratch: ElementScratch,
    place: Place,
    out: FloatArray,
) -> None:
    """out += c_v ∂(Bᵀ D ż)/∂Υ̇ + c_q ∂(Bᵀ D ż)/∂Υ."""
    ex, ey, rho = prepare_damping(q, v, e, scratch)
    z, u, D, T, H = scratch.z, scratch.u, scratch.D, scratch.T, scratch.V_zz
    spin = u[3] / rho
    for i in range(6):
        scratch.V_z[i] = scratch.stress[i]
        for j in range(6):
            T[i, j], H[i, j] = 0.0, 0.0
    for n in range(6):  # T = D (c_v B + c_q ∂ż/∂ζ), column by column
        for j in range(6):
            x = c_v if n == j else 0.0
            if j == 3:
                x += c_v * turned(z, n) / rho
            x += c_q * rate_change(n, j, spin, rho, z, u)
            if x != 0.0:
                for i in range(6):
                    T[i, j] += D[i, n] * x
    if c_q != 0.0:
        second_in_nodes(scratch, 3, rho)
    for j in range(6):
        m = 0.0
        for i in range(6):
            m += turned(z, i) * T[i, j]
            H[i, j] = c_q * H[i, j] + T[i, j]
        H[3, j] += m / rho
    add_matrix(1.0, ex, ey, H, place, out)
