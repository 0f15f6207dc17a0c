"""Linear theory of the schemes on first-order systems s' = -lambda s, z = lambda dt, y = (s, dt v).

    D det(zeta I - A) = W1L6 x^2 + x + z (W2L5 x^2 + (l5 + W1) x + 1),      D = W1L6 + W2L5 z,   x = zeta - 1

Source: Shimada2014, (2.38)-(2.57).
"""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from isodyn.schemes.gs4_1 import FirstOrderScheme
from isodyn.schemes.polynomials import (
    ROUNDING,
    Array,
    ComplexArray,
    first_negative,
    quadratic_roots,
    roots_from_reciprocals,
)
from isodyn.schemes.spectral import radius_of


def first_order_amplification_matrix(s: FirstOrderScheme, z: ArrayLike) -> ComplexArray:
    """Return A of y_1 = A y_n for s' = −lambda s, y = (s, dt v).

    Parameters
    ----------
    s
        The scheme.
    z
        lambda dt, of any shape; it may be complex.

    Returns
    -------
    A
        Matrices of the shape (..., 2, 2).

    Examples
    --------
    >>> import isodyn as iso
    >>> from isodyn.analysis import first_order_amplification_matrix
    >>> first_order_amplification_matrix(iso.FirstOrderScheme.gear(), 0.0).shape
    (2, 2)
    """
    zz = np.asarray(z, dtype=np.complex128)
    row = -np.stack([zz, 1.0 + s.W1 * zz], axis=-1) / (s.W1L6 + s.W2L5 * zz)[..., None]
    A: ComplexArray = np.array([[1.0, 1.0], [0.0, 1.0]]) + np.array([s.l5, 1.0])[:, None] * row[..., None, :]
    return A  # [Shimada2014 Alg. 2.3.1 adapted]


def first_order_spectral_radius(s: FirstOrderScheme, z: ArrayLike) -> Array:
    """Return the largest absolute eigenvalue for s' = −lambda s.

    Parameters
    ----------
    s
        The scheme.
    z
        lambda dt, of any shape; it may be complex.

    Returns
    -------
    radius
        Numbers of the shape of `z`.

    Examples
    --------
    >>> import isodyn as iso
    >>> from isodyn.analysis import first_order_spectral_radius
    >>> bool(first_order_spectral_radius(iso.FirstOrderScheme.gear(), 10.0) < 0.5)
    True
    """
    return radius_of(first_order_amplification_matrix(s, z))


def first_order_roots_at_infinity(s: FirstOrderScheme) -> ComplexArray:
    """Return the two roots as z → ∞, sorted by absolute value.

    Parameters
    ----------
    s
        The scheme.

    Returns
    -------
    roots
        Two complex numbers; those of explicit members end with inf.

    Examples
    --------
    >>> import isodyn as iso
    >>> from isodyn.analysis import first_order_roots_at_infinity
    >>> abs(first_order_roots_at_infinity(iso.FirstOrderScheme.GS4_1(0.5, 0.25))).round(12).tolist()
    [0.25, 0.5]
    """
    if abs(s.W2L5 - s.W1 * s.l5) <= ROUNDING:
        return roots_from_reciprocals([complex(-s.W1), complex(-s.l5)])
    return roots_from_reciprocals(quadratic_roots(s.l5 + s.W1, s.W2L5))


def first_order_critical_step(s: FirstOrderScheme) -> float:
    """Return the largest real z = lambda dt up to which decay is not amplified.

    Parameters
    ----------
    s
        The scheme.

    Returns
    -------
    z
        The limit; inf if there is none, 0.0 if small steps are unstable.

    Examples
    --------
    >>> import isodyn as iso
    >>> from isodyn.analysis import first_order_critical_step
    >>> first_order_critical_step(iso.FirstOrderScheme.gear())
    inf
    """
    c2, c1, c0 = np.array([s.W1L6, s.W2L5]), np.array([1.0, s.l5 + s.W1]), np.array([0.0, 1.0])
    conditions = ((4 * c2 - 2 * c1 + c0, 4 * c2 + 2 * c1 + c0), (2 * c1 - 2 * c0, 2 * c1 + 2 * c0))
    return min(first_negative(*condition) for condition in conditions)
