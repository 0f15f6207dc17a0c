"""Frequencies at which a scheme becomes unstable, or stops to oscillate, from the signs of
polynomials in Omega.

The polynomials are those of isodyn.schemes.spectral. Routh-Hurwitz, after zeta = (1+w)/(1-w), makes
stability a question about their signs: no eigenvalue is computed for the limit.
"""

from __future__ import annotations

import numpy as np

from isodyn.schemes.gs4_2 import Scheme
from isodyn.schemes.polynomials import (
    Array,
    characteristic_factors,
    first_negative,
    product,
)


def critical_frequency(s: Scheme, xi: float = 0.0) -> float:
    """Return the largest Omega up to which the spectral radius is at most one.

    Routh-Hurwitz: with h0 … h3 the coefficients after zeta = (1 + w)/(1 − w), stable means h_i ≥ 0
    and h2 h1 ≥ h3 h0.

    Parameters
    ----------
    s
        The scheme.
    xi
        Damping ratio.

    Returns
    -------
    Omega
        The limit; inf if the scheme is always stable, 0.0 if it is unstable for small steps.

    Examples
    --------
    >>> import isodyn as iso
    >>> from isodyn.analysis import critical_frequency
    >>> round(critical_frequency(iso.Scheme.central_difference()), 12)
    2.0
    >>> critical_frequency(iso.Scheme.U0(0.5, 0.5, 0.5, explicit=True))
    0.0
    """
    c3, c2, c1, c0 = _polynomials(s, xi)
    rows = ((8, -4, 2, -1), (0, 4, -4, 3), (0, 0, 2, -3), (0, 0, 0, 1))
    h = [a * c3 + b * c2 + c * c1 + d * c0 for a, b, c, d in rows]
    bound = [abs(a) * c3 + abs(b) * c2 + abs(c) * c1 + abs(d) * c0 for a, b, c, d in rows]
    hurwitz = product(h[1], h[2]) - product(h[0], h[3])
    hurwitz_bound = product(bound[1], bound[2]) + product(bound[0], bound[3])
    conditions = [*zip(h, bound, strict=True), (hurwitz, hurwitz_bound)]
    return min(first_negative(*condition) for condition in conditions)


def bifurcation_frequency(s: Scheme, xi: float = 0.0) -> float:
    """Return the Omega at which the principal pair becomes real.

    It is the first zero of the discriminant of the cubic.

    Parameters
    ----------
    s
        The scheme.
    xi
        Damping ratio.

    Returns
    -------
    Omega
        The frequency; inf if the pair never becomes real.

    Examples
    --------
    >>> import isodyn as iso
    >>> from isodyn.analysis import bifurcation_frequency
    >>> round(bifurcation_frequency(iso.Scheme.central_difference()), 12)
    2.0
    """
    a, b, c, d = _polynomials(s, xi)
    plus = 4.0 * product(b, b, b, d) + 4.0 * product(a, c, c, c) + 27.0 * product(a, a, d, d)
    minus = 18.0 * product(a, b, c, d) + product(b, b, c, c)
    return first_negative(plus - minus, plus + minus)


def _polynomials(s: Scheme, xi: float) -> list[Array]:
    """The coefficients of x^3, x^2, x, 1 as polynomials in Omega, ascending."""
    mass, damping, stiffness = characteristic_factors(s)
    return list(np.stack([mass, 2.0 * xi * damping, stiffness], axis=-1))
