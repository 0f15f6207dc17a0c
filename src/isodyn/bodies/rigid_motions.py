"""Rigid motions inside compiled code: the logarithm of a motion, and its derivatives.

A motion (E, p) turns by E and shifts by p. Its logarithm is the screw h = (d, φ) that reaches it in
unit time with constant velocity:

    φ = log E,    d = p − ½ φ × p + e φ × (φ × p),    e(y) = (1 − γ)/y,  y = φ·φ,  γ = ½√y cot(½√y)

Let E, p be the pose of frame b in frame a, and η = (Rᵀṙ, ω) the velocity of a frame in its own
axes. Then

    ḣ = P(h) η_b − P(−h) η_a,    P = [A  B],   A = I + ½ φ~ + e φ~²,   B = ½ d~ + e (d~φ~ + φ~d~) + 2e_y (φ·d) φ~²
                                     [0  A]

P is the inverse of the derivative of the exponential, I + ½ ad + a₂ ad² + a₄ ad⁴ with ad of h; the
powers of ad reduce to the ones above because φ~³ = −y φ~, and a₂ = e + a₄ y, a₄ = −e_y. The
derivatives of P(h)x and P(h)ᵀx over h have the same two blocks,

    X = ±½ n~ + e D(n, φ) + 2e_y φφn φᵀ,     D(n, φ) = (φ·n) I + φ nᵀ − 2 n φᵀ = ∂(φ × (φ × n))/∂φ
    Y = ±½ m~ + e (D(m, φ) + D(n, d)) + 2e_y ((φφm + S) φᵀ + (φ·d) D(n, φ) + φφn dᵀ) + 4e_yy (φ·d) φφn φᵀ

with φφn = φ × (φ × n), S = φ × (d × n) + d × (φ × n). Derivation: docs/derivations/rods.md.
"""

from __future__ import annotations

import numpy as np

from isodyn.bodies.rotation_kernels import Vector, cross, dot, rotate_back, sum_of, twice_cross
from isodyn.kernels.compiled import FloatArray, kernel

SERIES_BELOW = 2.25  # φ·φ; with the terms below the rest of the series is less than 1e-16 there …
SHORT_BELOW, SHORT = 0.04, 8  # … and here with so many of them
# |B₂ₙ|/(2n)! of Bernoulli's numbers, n = 1, 2, …: 1 − ½√y cot(½√y) = Σ cₙ yⁿ
TERMS = (
    8.333333333333333e-02,
    1.388888888888889e-03,
    3.306878306878307e-05,
    8.267195767195768e-07,
    2.087675698786810e-08,
    5.284190138687493e-10,
    1.338253653068468e-11,
    3.389680296322583e-13,
    8.586062056277845e-15,
    2.174868698558062e-16,
    5.509002828360230e-18,
    1.395446468581252e-19,
    3.534707039629467e-21,
    8.953517427037547e-23,
)

# asin(s)/s = Σ aₙ s²ⁿ; below this square of s the rest is less than 1e-17
SMALL_SINE = 0.01
ARCSINE = (1.0, 1 / 6, 3 / 40, 5 / 112, 35 / 1152, 63 / 2816, 231 / 13312, 143 / 10240, 6435 / 557056)


@kernel(inline=True)
def series(y: float, terms: int) -> tuple[float, float, float]:
    """e, de/dy and d²e/dy² by Horner's rule, with the derivatives of what is there so far."""
    e, e_y, e_yy = 0.0, 0.0, 0.0
    for n in range(terms - 1, -1, -1):
        e_yy = e_yy * y + 2.0 * e_y
        e_y = e_y * y + e
        e = e * y + TERMS[n]
    return e, e_y, e_yy


@kernel()
def log_coefficients(y: float) -> tuple[float, float, float]:
    """e, de/dy and d²e/dy² at y = φ·φ."""
    if y < SERIES_BELOW:
        return series(y, SHORT) if y < SHORT_BELOW else series(y, len(TERMS))
    half = 0.5 * np.sqrt(y)
    g = half / np.tan(half)
    g_y = (g - 0.25 * y - g * g) / (2.0 * y)
    g_yy = (g_y * (1.0 - 2.0 * g) - 0.25) / (2.0 * y) - g_y / y
    e = (1.0 - g) / y
    e_y = -(g_y + e) / y
    return e, e_y, -(g_yy + 2.0 * e_y) / y


@kernel()
def rotation_vector(Ra: FloatArray, Rb: FloatArray) -> Vector:
    """φ = log(Raᵀ Rb), |φ| < π."""
    x, y, z, trace = 0.0, 0.0, 0.0, 0.0
    for k in range(3):
        x += Ra[k, 2] * Rb[k, 1] - Ra[k, 1] * Rb[k, 2]
        y += Ra[k, 0] * Rb[k, 2] - Ra[k, 2] * Rb[k, 0]
        z += Ra[k, 1] * Rb[k, 0] - Ra[k, 0] * Rb[k, 1]
        trace += Ra[k, 0] * Rb[k, 0] + Ra[k, 1] * Rb[k, 1] + Ra[k, 2] * Rb[k, 2]
    square = 0.25 * (x * x + y * y + z * z)  # of the sine
    if square < SMALL_SINE and trace > 1.0:
        f = 0.0
        for n in range(len(ARCSINE) - 1, -1, -1):
            f = f * square + ARCSINE[n]
        f *= 0.5
    else:
        sine = np.sqrt(square)
        f = 0.5 * np.arctan2(sine, 0.5 * (trace - 1.0)) / max(sine, 1e-300)
    return f * x, f * y, f * z


@kernel()
def screw_between(
    ra: FloatArray, Ra: FloatArray, rb: FloatArray, Rb: FloatArray
) -> tuple[Vector, Vector, float, float, float]:
    """d, φ of frame b seen from frame a; e, e_y, e_yy."""
    phi = rotation_vector(Ra, Rb)
    p = rotate_back(Ra, (rb[0] - ra[0], rb[1] - ra[1], rb[2] - ra[2]))
    e, e_y, e_yy = log_coefficients(dot(phi, phi))
    d = sum_of(sum_of(p, -0.5, cross(phi, p)), e, twice_cross(phi, p))
    return d, phi, e, e_y, e_yy


@kernel()
def both_turns(d: Vector, phi: Vector, n: Vector) -> Vector:
    """S = φ × (d × n) + d × (φ × n)."""
    x, y, z = dot(phi, n), dot(d, n), -2.0 * dot(phi, d)
    return (
        x * d[0] + y * phi[0] + z * n[0],
        x * d[1] + y * phi[1] + z * n[1],
        x * d[2] + y * phi[2] + z * n[2],
    )


@kernel()
def rate_of_screw(
    sign: float, d: Vector, phi: Vector, e: float, e_y: float, u: Vector, w: Vector
) -> tuple[Vector, Vector]:
    """P(±h) (u, w)."""
    half, k = 0.5 * sign, 2.0 * e_y * dot(phi, d)
    turned = twice_cross(phi, w)
    linear = sum_of(sum_of(u, half, cross(phi, u)), e, twice_cross(phi, u))
    linear = sum_of(sum_of(linear, half, cross(d, w)), e, both_turns(d, phi, w))
    return sum_of(linear, k, turned), sum_of(sum_of(w, half, cross(phi, w)), e, turned)


@kernel()
def forces_of_screw(
    d: Vector, phi: Vector, e: float, e_y: float, n: Vector, m: Vector
) -> tuple[tuple[Vector, Vector], tuple[Vector, Vector]]:
    """P(h)ᵀ (n, m) and P(−h)ᵀ (n, m), which differ by the sign of what is odd in h."""
    turned, k = twice_cross(phi, n), 2.0 * e_y * dot(phi, d)
    linear = sum_of(n, e, turned)
    angular = sum_of(sum_of(sum_of(m, e, twice_cross(phi, m)), e, both_turns(d, phi, n)), k, turned)
    odd, odd_angular = cross(phi, n), sum_of(cross(phi, m), 1.0, cross(d, n))
    return (
        (sum_of(linear, -0.5, odd), sum_of(angular, -0.5, odd_angular)),
        (sum_of(linear, 0.5, odd), sum_of(angular, 0.5, odd_angular)),
    )


@kernel()
def rate_matrix(sign: float, d: Vector, phi: Vector, e: float, e_y: float, P: FloatArray) -> None:
    """P(±h), 6 × 6."""
    for j in range(3):
        unit = (1.0 * (j == 0), 1.0 * (j == 1), 1.0 * (j == 2))
        none = (0.0, 0.0, 0.0)
        B, A = rate_of_screw(sign, d, phi, e, e_y, none, unit)
        for i in range(3):
            P[i, j] = P[3 + i, 3 + j] = A[i]
            P[i, 3 + j], P[3 + i, j] = B[i], 0.0


@kernel()
def slope_blocks(
    sign: float,
    d: Vector,
    phi: Vector,
    e: tuple[float, float, float],
    n: Vector,
    m: Vector,
    X: FloatArray,
    Y: FloatArray,
) -> None:
    """The blocks X, Y of the derivatives of P over h, with ±½ n~ and ±½ m~; e = (e, e_y, e_yy).

    ∂(P(h)ᵀ(n, m))/∂h = [0 X; X Y] with +, ∂(P(h)(m, n))/∂h = [X Y; 0 X] with −.
    """
    turned_n, turned_m = twice_cross(phi, n), twice_cross(phi, m)
    S, screw = both_turns(d, phi, n), dot(phi, d)
    fn, dn, fm = dot(phi, n), dot(d, n), dot(phi, m)
    slope, bend = 2.0 * e[1], 4.0 * e[2] * screw
    for i in range(3):
        for j in range(3):
            D = phi[i] * n[j] - 2.0 * n[i] * phi[j]
            X[i, j] = e[0] * D + slope * turned_n[i] * phi[j]
            Y[i, j] = (
                e[0] * (phi[i] * m[j] - 2.0 * m[i] * phi[j] + d[i] * n[j] - 2.0 * n[i] * d[j])
                + slope * ((turned_m[i] + S[i]) * phi[j] + screw * D + turned_n[i] * d[j])
                + bend * turned_n[i] * phi[j]
            )
        X[i, i] += e[0] * fn
        Y[i, i] += e[0] * (fm + dn) + slope * screw * fn
    add_skew(0.5 * sign, n, 0, 0, X)
    add_skew(0.5 * sign, m, 0, 0, Y)


@kernel()
def add_skew(f: float, x: Vector, row: int, column: int, out: FloatArray) -> None:
    """out += f x~, from a row and a column on."""
    out[row, column + 1] -= f * x[2]
    out[row, column + 2] += f * x[1]
    out[row + 1, column] += f * x[2]
    out[row + 1, column + 2] -= f * x[0]
    out[row + 2, column] -= f * x[1]
    out[row + 2, column + 1] += f * x[0]
