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

from isodyn.beams.frames import G, U, Z, axes, energy_in_frame, resolve
from isodyn.kernels.compiled import FloatArray, kernel


@kernel()
def multipliers(kind: int, q: FloatArray, a: int, b: int, A: FloatArray, k: int, w: int, lam: int) -> float:
    """λ_a, λ_b, λ_υ into A[lam:lam+9]; returns V(υ)."""
    ex, ey, _ = axes(False, q, a, b)
    resolve(q, a, b, ex, ey, A, w + Z)
    value = energy_in_frame(kind, A, k, w, False)
    n1, n2, n3, n4, n5 = A[w + G], A[w + G + 1], A[w + G + 2], A[w + G + 4], A[w + G + 5]
    for i in range(2):
        t1, d, t2 = q[a + 2 + i], q[b + i] - q[a + i], q[b + 2 + i]
        A[lam + i] = -(n1 * t1 + n3 * d + n4 * t2)  # [Shimada2014 (8.91)]
        A[lam + 2 + i] = -(n2 * t1 + n5 * t2)
    A[lam + 4], A[lam + 5], A[lam + 6], A[lam + 7], A[lam + 8] = -n1, -n2, -n3, -n4, -n5
    return value


@kernel()
def dirac_force(kind: int, q: FloatArray, a: int, b: int, A: FloatArray, k: int, w: int, out: FloatArray) -> float:
    """out += (∂Φ/∂Υ)ᵀΛ; returns V."""
    lam = w + U
    value = multipliers(kind, q, a, b, A, k, w, lam)
    ex, ey, L = axes(False, q, a, b)
    # rows of a and b: −∂e/∂Υ = −n pᵀ and −∂n/∂Υ = e pᵀ with p = (−n, 0, n, 0)/L
    turn = (-(-ey * A[lam] + ex * A[lam + 1]) + ex * A[lam + 2] + ey * A[lam + 3]) / L
    # rows of υ: −T̄(a, b), with T̄ as in [Shimada2014 (8.71) adapted]
    out[a] += turn * ey + ex * A[lam + 6]
    out[a + 1] += -turn * ex + ey * A[lam + 6]
    out[a + 2] -= ex * A[lam + 4] - ey * A[lam + 5]
    out[a + 3] -= ey * A[lam + 4] + ex * A[lam + 5]
    out[b] += -turn * ey - ex * A[lam + 6]
    out[b + 1] += turn * ex - ey * A[lam + 6]
    out[b + 2] -= ex * A[lam + 7] - ey * A[lam + 8]
    out[b + 3] -= ey * A[lam + 7] + ex * A[lam + 8]
    return value
