"""The element on Dirac's theory of constraints: local coordinates υ, axes a and b as unknowns of
their own, then eliminated.

    Φ = (a − e(Υ), b − n(Υ), υ − T̄(a, b) Υ) = 0 [Shimada2014 (8.83)],     M Ϋ = −(∂Φ/∂Υ)ᵀ Λ + Q [Shimada2014 (8.94) adapted]

With N = ∂V/∂υ, υ = (e·t₁, n·t₁, e·d, e·t₂, n·t₂), the conditions 0 = ∂V/∂υ + Φ_υᵀλ, 0 = Φ_aᵀλ,
0 = Φ_bᵀλ [Shimada2014 (8.92)] have the solution

    λ_υ = −N,     λ_a = −(N₁ t₁ + N₃ d + N₄ t₂),     λ_b = −(N₂ t₁ + N₅ t₂)

Pinned frame only. Nothing else is kept as unknown, so this is the same differential equation as
with isodyn.beams.frames; only the way to the force is another one. Its tangent is therefore the one
given there.
"""

from __future__ import annotations

from isodyn.beams.frames import axes, energy_in_frame, resolve
from isodyn.beams.tables import ElementData, ElementScratch
from isodyn.kernels.compiled import FloatArray, kernel


@kernel()
def multipliers(q: FloatArray, e: ElementData, scratch: ElementScratch) -> float:
    """λ_a, λ_b, λ_υ into the scratch memory; returns V(υ)."""
    a, b, n = e.a, e.b, scratch.V_z
    ex, ey, _ = axes(False, q, a, b)
    resolve(q, a, b, ex, ey, scratch.z)
    value = energy_in_frame(e.energy, e, scratch, False)
    n1, n2, n3, n4, n5 = n[0], n[1], n[2], n[4], n[5]
    for i in range(2):
        t1, d, t2 = q[a + 2 + i], q[b + i] - q[a + i], q[b + 2 + i]
        scratch.of_a[i] = -(n1 * t1 + n3 * d + n4 * t2)  # [Shimada2014 (8.91)]
        scratch.of_b[i] = -(n2 * t1 + n5 * t2)
    of_z = scratch.of_z
    of_z[0], of_z[1], of_z[2], of_z[3], of_z[4] = -n1, -n2, -n3, -n4, -n5
    return value


@kernel()
def dirac_force(q: FloatArray, e: ElementData, scratch: ElementScratch, out: FloatArray) -> float:
    """out += (∂Φ/∂Υ)ᵀΛ; returns V."""
    a, b = e.a, e.b
    value = multipliers(q, e, scratch)
    of_a, of_b, of_z = scratch.of_a, scratch.of_b, scratch.of_z
    ex, ey, L = axes(False, q, a, b)
    # rows of a and b: −∂e/∂Υ = −n pᵀ and −∂n/∂Υ = e pᵀ with p = (−n, 0, n, 0)/L
    turn = (-(-ey * of_a[0] + ex * of_a[1]) + ex * of_b[0] + ey * of_b[1]) / L
    # rows of υ: −T̄(a, b), with T̄ as in [Shimada2014 (8.71) adapted]
    out[a] += turn * ey + ex * of_z[2]
    out[a + 1] += -turn * ex + ey * of_z[2]
    out[a + 2] -= ex * of_z[0] - ey * of_z[1]
    out[a + 3] -= ey * of_z[0] + ex * of_z[1]
    out[b] += -turn * ey - ex * of_z[2]
    out[b + 1] += turn * ex - ey * of_z[2]
    out[b + 2] -= ex * of_z[3] - ey * of_z[4]
    out[b + 3] -= ey * of_z[3] + ex * of_z[4]
    return value
