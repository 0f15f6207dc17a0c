"""Strain energies of a planar element in its own frame.

With the axes e, n of the frame, z = (e·t₁, n·t₁, e·d, n·d, e·t₂, n·t₂), d = P₂ − P₁, and strain
measures linear in z,

    α = e·R',   β = n·R',   κ = n·R''

    Cauchy          ∫ ½EA (α − 1)² + ½EI κ² dX                                                          [Shimada2014 (8.30) adapted]
    Green–Lagrange  ∫ ⅛EA (α² + β² − 1)² + ⅛EI κ² (6α² + 2β² − 2) + ⅛EI4 κ⁴ dX                          [Shimada2014 (8.34) adapted]

The first is quadratic and integrated in closed form, the second by five points of Gauss, exactly.
See docs/corrections.md for what is printed otherwise.
"""

from __future__ import annotations

import numpy as np

from isodyn.beams.tables import ElementScratch
from isodyn.kernels.compiled import kernel

_POINTS, _WEIGHTS = (np.polynomial.legendre.leggauss(5)[0] + 1) / 2, np.polynomial.legendre.leggauss(5)[1] / 2
POINTS, WEIGHTS = tuple(float(x) for x in _POINTS), tuple(float(x) for x in _WEIGHTS)


@kernel()
def stretching_matrix(i: int, j: int, EA: float, L: float) -> float:
    """EA ∫S'S' dX over (t₁, d, t₂)."""
    if i == 1 and j == 1:
        return 1.2 * EA / L
    if i == 1 or j == 1:
        return -0.1 * EA
    return EA * L * (2.0 / 15.0 if i == j else -1.0 / 30.0)


@kernel()
def bending_matrix(i: int, j: int, EI: float, L: float) -> float:
    """EI ∫S''S'' dX over (t₁, d, t₂)."""
    if i == 1 and j == 1:
        return 12.0 * EI / (L * L * L)
    if i == 1 or j == 1:
        return -6.0 * EI / (L * L)
    return EI / L * (4.0 if i == j else 2.0)


@kernel()
def cauchy(L: float, EA: float, EI: float, scratch: ElementScratch, second: bool) -> float:
    """The energy; its gradient into V_z and, where asked for, its second derivatives into V_zz."""
    z, g, H = scratch.z, scratch.V_z, scratch.V_zz
    value = 0.5 * EA * L - EA * z[2]
    for i in range(3):
        x, y = 0.0, 0.0
        for j in range(3):
            x += stretching_matrix(i, j, EA, L) * z[2 * j]
            y += bending_matrix(i, j, EI, L) * z[2 * j + 1]
        value += 0.5 * (x * z[2 * i] + y * z[2 * i + 1])
        g[2 * i], g[2 * i + 1] = x, y
    g[2] -= EA
    if second:
        for i in range(3):
            for j in range(3):
                r, s = 2 * i, 2 * j
                H[r, s], H[r, s + 1], H[r + 1, s] = stretching_matrix(i, j, EA, L), 0.0, 0.0
                H[r + 1, s + 1] = bending_matrix(i, j, EI, L)
    return value


@kernel()
def green_lagrange(L: float, EA: float, EI: float, EI4: float, scratch: ElementScratch, second: bool) -> float:
    """The energy; its gradient into V_z and, where asked for, its second derivatives into V_zz."""
    z, g, H = scratch.z, scratch.V_z, scratch.V_zz
    for i in range(6):
        g[i] = 0.0
    if second:
        for i in range(6):
            for j in range(6):
                H[i, j] = 0.0
    value = 0.0
    for k in range(5):
        x, w = POINTS[k], WEIGHTS[k] * L
        s = (1.0 + x * (-4.0 + 3.0 * x), 6.0 * x * (1.0 - x) / L, x * (3.0 * x - 2.0))
        r = ((6.0 * x - 4.0) / L, (6.0 - 12.0 * x) / (L * L), (6.0 * x - 2.0) / L)
        a = s[0] * z[0] + s[1] * z[2] + s[2] * z[4]
        b = s[0] * z[1] + s[1] * z[3] + s[2] * z[5]
        c = r[0] * z[1] + r[1] * z[3] + r[2] * z[5]
        f = a * a + b * b - 1.0
        p = 6.0 * a * a + 2.0 * b * b - 2.0
        value += w * 0.125 * (EA * f * f + EI * c * c * p + EI4 * c * c * c * c)
        u_a = w * (0.5 * EA * f + 1.5 * EI * c * c) * a
        u_b = w * (0.5 * EA * f + 0.5 * EI * c * c) * b
        u_c = w * (0.25 * EI * p + 0.5 * EI4 * c * c) * c
        for i in range(3):
            g[2 * i] += u_a * s[i]
            g[2 * i + 1] += u_b * s[i] + u_c * r[i]
        if second:
            aa = w * (0.5 * EA * (f + 2.0 * a * a) + 1.5 * EI * c * c)
            bb = w * (0.5 * EA * (f + 2.0 * b * b) + 0.5 * EI * c * c)
            cc = w * (0.25 * EI * p + 1.5 * EI4 * c * c)
            ab, ac, bc = w * EA * a * b, w * 3.0 * EI * c * a, w * EI * c * b
            for i in range(3):
                for j in range(3):
                    m, n = 2 * i, 2 * j
                    H[m, n] += aa * s[i] * s[j]
                    H[m, n + 1] += s[i] * (ab * s[j] + ac * r[j])
                    H[m + 1, n] += (ab * s[i] + ac * r[i]) * s[j]
                    H[m + 1, n + 1] += bb * s[i] * s[j] + bc * (s[i] * r[j] + r[i] * s[j]) + cc * r[i] * r[j]
    return value
