"""The characteristic polynomial in closed form, and the few polynomial tools the linear theory
needs.

With x = zeta - 1, D det(zeta I - A) = mass(x) + 2 xi Omega damping(x) + Omega^2 stiffness(x):

    mass      = W1L6 x^3 + x^2
    damping   = W2L5 x^3 + (l5 + W1) x^2 + x
    stiffness = W3L3 x^3 + (l3 + W1 l5 + W2L2) x^2 + (l5 + 1/2 + W1) x + 1

Source: Shimada2014, (2.39)-(2.45), with the determinant lemma.
"""

from __future__ import annotations

import numpy as np
from numpy.polynomial import polynomial
from numpy.typing import NDArray

from isodyn.schemes.gs4_2 import Scheme

Array = NDArray[np.float64]
ComplexArray = NDArray[np.complex128]
ROUNDING = 1e-13


def characteristic_factors(s: Scheme) -> tuple[Array, Array, Array]:
    """Coefficients of x^3, x^2, x, 1 in D det(zeta I - A) that multiply 1, 2 xi Omega and
    Omega^2."""
    return (
        np.array([s.W1L6, 1.0, 0.0, 0.0]),
        np.array([s.W2L5, s.l5 + s.W1, 1.0, 0.0]),
        np.array([s.W3L3, s.l3 + s.W1 * s.l5 + s.W2L2, s.l5 + 0.5 + s.W1, 1.0]),
    )


def product(*factors: Array) -> Array:
    """Product of polynomials given by ascending coefficients."""
    out: Array = np.ones(1)
    for factor in factors:
        out = np.convolve(out, factor).astype(np.float64)
    return out


def quadratic_roots(b: float, c: float) -> list[complex]:
    """Roots of y^2 + b y + c; a discriminant at rounding level counts as zero."""
    discriminant = b * b - 4.0 * c
    if abs(discriminant) <= ROUNDING * (b * b + 4.0 * abs(c)):
        return [complex(-0.5 * b)] * 2
    if discriminant < 0.0:
        return [complex(-0.5 * b, sign * 0.5 * float(np.sqrt(-discriminant))) for sign in (1.0, -1.0)]
    far = -0.5 * (b + float(np.copysign(np.sqrt(discriminant), b)))
    return [complex(far), complex(c / far)]


def roots_from_reciprocals(reciprocals: list[complex]) -> ComplexArray:
    """zeta = 1 + 1/y, infinite for y = 0."""
    roots = np.array([1.0 + 1.0 / y if y != 0.0 else complex(np.inf) for y in reciprocals])
    return roots[np.argsort(np.abs(roots), kind="stable")]


def first_negative(p: Array, bound: Array) -> float:
    """Smallest Omega >= 0 behind which the polynomial p (ascending) is negative; coefficients at
    rounding are zero."""
    p = np.where(np.abs(p) <= ROUNDING * bound, 0.0, p)
    nonzero = np.flatnonzero(p)
    if nonzero.size == 0:
        return float(np.inf)
    p = p[nonzero[0] : nonzero[-1] + 1]
    if p[0] < 0.0:
        return 0.0
    roots = polynomial.polyroots(p).astype(complex)
    real = np.sort(roots.real[(np.abs(roots.imag) <= 1e-6 * np.abs(roots)) & (roots.real > 0.0)])
    for left, right in zip(real, [*real[1:], 3.0 * real[-1]] if real.size else [], strict=True):
        Omega = 0.5 * (left + right)
        if polynomial.polyval(Omega, p) < -ROUNDING * polynomial.polyval(Omega, np.abs(p)):
            return float(left)
    return float(np.inf)
