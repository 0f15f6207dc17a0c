"""Linear theory of the schemes on x'' + 2 xi w x' + w^2 x = g, Omega = w dt: pure functions of the
coefficients.

    y_1 = A y_n + L dt^2 g(t_n + W1 dt),   y = (x, dt v, dt^2 a)
    A = [[1, 1, 1/2], [0, 1, 1], [0, 0, 1]] + (l3, l5, 1)^T (a1, a2, a3),      L = (l3, l5, 1)^T / D
    a1 = -Omega^2/D,   a2 = -(2 xi Omega + W1 Omega^2)/D,   a3 = -(1 + 2 W1 xi Omega + W2L2 Omega^2)/D
    D  = W1L6 + 2 W2L5 xi Omega + W3L3 Omega^2
    det(zeta I - A) = zeta^3 - A1 zeta^2 + A2 zeta - A3

By the determinant lemma, with x = zeta - 1,

    D det(zeta I - A) =   W1L6 x^3 + x^2
          + 2 xi Omega (W2L5 x^3 + (l5 + W1) x^2 + x)
          +    Omega^2 (W3L3 x^3 + (l3 + W1 l5 + W2L2) x^2 + (l5 + 1/2 + W1) x + 1)

so the three-step form and the limit Omega -> infinity are in closed form. Limits of stability are
in isodyn.schemes.stability_limits, first-order systems in isodyn.schemes.first_order_spectral.

Source: Shimada2014, (2.38)-(2.57); the closed forms are derived here.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from isodyn.errors import InputError
from isodyn.schemes.gs4_2 import Scheme
from isodyn.schemes.polynomials import (
    ROUNDING,
    Array,
    ComplexArray,
    characteristic_factors,
    quadratic_roots,
    roots_from_reciprocals,
)
from isodyn.schemes.stability_limits import bifurcation_frequency

_POWERS = np.array([[1.0, -3.0, 3.0, -1.0], [0.0, 1.0, -2.0, 1.0], [0.0, 0.0, 1.0, -1.0], [0.0, 0.0, 0.0, 1.0]])


class ThreeStepForm(NamedTuple):
    """Coefficients of the linear three-step method that is equivalent to a scheme.

    They stand in Σ_i (alpha_i − 2 xi Omega beta_i − Omega² gamma_i) x_{n+1−i} = 0, i = 0 … 3, with
    alpha_0 = W1L6.

    Parameters
    ----------
    alpha
        Coefficients of the inertia.
    beta
        Coefficients of the damping.
    gamma
        Coefficients of the stiffness.

    Examples
    --------
    >>> import isodyn as iso
    >>> from isodyn.schemes.spectral import three_step_form
    >>> three_step_form(iso.Scheme.central_difference()).alpha.tolist()
    [1.0, -2.0, 1.0, 0.0]
    """

    alpha: Array
    beta: Array
    gamma: Array


def amplification_matrix(s: Scheme, Omega: ArrayLike, xi: ArrayLike = 0.0) -> Array:
    """Return A of y_1 = A y_n for the oscillator, y = (x, dt v, dt² a).

    Parameters
    ----------
    s
        The scheme.
    Omega
        Frequency times the step, of any shape.
    xi
        Damping ratio, of the same shape or one number.

    Returns
    -------
    A
        Matrices of the shape (..., 3, 3).

    Raises
    ------
    InputError
        If `Omega` or `xi` is negative or not finite.

    Examples
    --------
    >>> import isodyn as iso
    >>> from isodyn.analysis import amplification_matrix
    >>> amplification_matrix(iso.Scheme.midpoint_mpa(), 0.0)[1].tolist()
    [0.0, 1.0, 0.0]
    """
    Om, damping, D = _denominator(s, Omega, xi)
    row = -np.stack(
        [Om**2, damping + s.W1 * Om**2, 1.0 + s.W1 * damping + s.W2L2 * Om**2], axis=-1
    )  # [Shimada2014 (2.40)]
    taylor = np.array([[1.0, 1.0, 0.5], [0.0, 1.0, 1.0], [0.0, 0.0, 1.0]])
    column = np.array([s.l3, s.l5, 1.0])
    A: Array = taylor + column[:, None] * (row / D[..., None])[..., None, :]  # [Shimada2014 (2.39)]
    return A


def load_operator(s: Scheme, Omega: ArrayLike, xi: ArrayLike = 0.0) -> Array:
    """Return L of y_1 = A y_n + L dt² g(t_n + W1 dt).

    Parameters
    ----------
    s
        The scheme.
    Omega
        Frequency times the step, of any shape.
    xi
        Damping ratio.

    Returns
    -------
    L
        Vectors of the shape (..., 3).

    Examples
    --------
    >>> import isodyn as iso
    >>> from isodyn.analysis import load_operator
    >>> load_operator(iso.Scheme.central_difference(), 0.5).tolist()
    [0.0, 0.5, 1.0]
    """
    _, _, D = _denominator(s, Omega, xi)
    L: Array = np.array([s.l3, s.l5, 1.0]) / D[..., None]  # [Shimada2014 (2.41)]
    return L


def characteristic_coefficients(s: Scheme, Omega: ArrayLike, xi: ArrayLike = 0.0) -> tuple[Array, Array, Array]:
    """Return the trace, the sum of principal minors and the determinant of A.

    Parameters
    ----------
    s
        The scheme.
    Omega
        Frequency times the step, of any shape.
    xi
        Damping ratio.

    Returns
    -------
    A1, A2, A3
        Coefficients of det(zeta I − A) = zeta³ − A1 zeta² + A2 zeta − A3.

    Examples
    --------
    >>> import isodyn as iso
    >>> from isodyn.analysis import characteristic_coefficients
    >>> [round(float(x), 12) for x in characteristic_coefficients(iso.Scheme.newmark(), 0.0)]
    [2.0, 1.0, 0.0]
    """
    A = amplification_matrix(s, Omega, xi)
    A1 = np.trace(A, axis1=-2, axis2=-1)  # [Shimada2014 (2.43)]
    A2 = 0.5 * (A1**2 - np.trace(A @ A, axis1=-2, axis2=-1))  # [Shimada2014 (2.44)]
    return A1, A2, np.linalg.det(A)  # [Shimada2014 (2.45)]


def three_step_form(s: Scheme) -> ThreeStepForm:
    """Return the linear three-step method that is equivalent to a scheme.

    Parameters
    ----------
    s
        The scheme.

    Returns
    -------
    form
        Its coefficients.

    Examples
    --------
    >>> import isodyn as iso
    >>> from isodyn.analysis import three_step_form
    >>> three_step_form(iso.Scheme.central_difference()).alpha.tolist()
    [1.0, -2.0, 1.0, 0.0]
    """
    mass, damping, stiffness = characteristic_factors(s)
    # [Shimada2014 (2.57) adapted]
    return ThreeStepForm(mass @ _POWERS, -(damping @ _POWERS), -(stiffness @ _POWERS))


def roots_at_infinity(s: Scheme) -> ComplexArray:
    """Return the three eigenvalues of A as Omega → ∞, sorted by absolute value.

    With y = 1/(zeta − 1) they solve y³ + (l5 + 1/2 + W1) y² + (l3 + W1 l5 + W2L2) y + W3L3 = 0. For
    U0, y = −W1 is a root, for V0 y = −l5. The rest is a quadratic equation, so coincident radii are
    exact to 1e-7 instead of 1e-5.

    Parameters
    ----------
    s
        The scheme.

    Returns
    -------
    roots
        Three complex numbers; those of explicit members end with inf.

    Examples
    --------
    >>> import isodyn as iso
    >>> from isodyn.analysis import roots_at_infinity
    >>> abs(roots_at_infinity(iso.Scheme.U0(0.5, 1.0, 0.25))).round(12).tolist()
    [0.25, 0.5, 1.0]
    >>> abs(roots_at_infinity(iso.Scheme.U0(0.5, 0.5, 0.5, explicit=True))).round(12).tolist()
    [0.25, 0.5, inf]
    """
    _, _, (c3, c2, c1, _) = characteristic_factors(s)
    for y in (0.0, -s.W1, -s.l5) if c3 == 0.0 else (-s.W1, -s.l5):
        residual = ((y + c1) * y + c2) * y + c3
        if abs(residual) <= ROUNDING * (abs(y) ** 3 + abs(c1) * y * y + abs(c2 * y) + abs(c3)):
            rest = quadratic_roots(c1 + y, c2 + y * (c1 + y))
            return roots_from_reciprocals([complex(y), *rest])
    return roots_from_reciprocals(list(np.roots([1.0, c1, c2, c3]).astype(complex)))


def position_level_roots(s: Scheme) -> ComplexArray:
    """Return the roots of v and a in the constrained direction at position level.

    There q = 0 closes every step. With 0 = v dt + a dt²/2 + l3 dt² da, v_1 = v + dt a + l5 dt da
    and a_1 = a + da they solve z² − (2 − (l5 + 1/2)/l3) z + 1 + (1/2 − l5)/l3 = 0: −rho_min,
    −rho_max for U0; −1, −rho_s for V0. A root −1 is an alternating part of accelerations that
    nothing damps. Multipliers have the additional root 1 − 1/W1.

    Parameters
    ----------
    s
        The scheme.

    Returns
    -------
    roots
        Two complex numbers, sorted by absolute value; none for explicit members (l3 = 0).

    Examples
    --------
    >>> import isodyn as iso
    >>> from isodyn.analysis import position_level_roots
    >>> position_level_roots(iso.Scheme.U0(0.4, 0.7, 0.3)).real.round(12).tolist()
    [-0.4, -0.7]
    >>> position_level_roots(iso.Scheme.V0(0.4, 0.7, 0.3)).real.round(12).tolist()
    [-0.3, -1.0]
    """
    if s.l3 == 0.0:
        return np.zeros(0, dtype=complex)
    half, product = 1.0 - 0.5 * (s.l5 + 0.5) / s.l3, 1.0 + (0.5 - s.l5) / s.l3
    inside = half * half - product
    root = np.sqrt(complex(inside if abs(inside) > ROUNDING * max(half * half, abs(product)) else 0.0))
    found = np.array([half + root, half - root])
    return found[np.argsort(np.abs(found))]


def spectral_radius(s: Scheme, Omega: ArrayLike, xi: ArrayLike = 0.0) -> Array:
    """Return the largest absolute eigenvalue of A.

    Parameters
    ----------
    s
        The scheme.
    Omega
        Frequency times the step, of any shape.
    xi
        Damping ratio.

    Returns
    -------
    radius
        Numbers of the shape of `Omega`.

    Examples
    --------
    >>> import isodyn as iso
    >>> from isodyn.analysis import spectral_radius
    >>> bool(spectral_radius(iso.Scheme.optimal(0.5), 1.0) < 1.0)
    True
    """
    return radius_of(amplification_matrix(s, Omega, xi))


def damping_ratio(s: Scheme, Omega: ArrayLike, xi: float = 0.0) -> Array:
    """Return the damping ratio of the computed oscillation.

    The principal pair exp((−d ± i √(1 − d²)) w_ dt) gives d. Exact integration gives `xi`.

    Parameters
    ----------
    s
        The scheme.
    Omega
        Frequency times the step, of any shape.
    xi
        Physical damping ratio.

    Returns
    -------
    ratio
        Numbers of the shape of `Omega`, NaN beyond `bifurcation_frequency`.

    Examples
    --------
    >>> import isodyn as iso
    >>> from isodyn.analysis import damping_ratio
    >>> bool(0.0 < damping_ratio(iso.Scheme.optimal(0.5), 0.5) < 0.1)
    True
    """
    logarithm = _principal_logarithm(s, Omega, xi)
    ratio: Array = -logarithm.real / np.abs(logarithm)
    return ratio


def period_error(s: Scheme, Omega: ArrayLike, xi: float = 0.0) -> Array:
    """Return the relative period elongation (T_computed − T)/T of the principal pair.

    Parameters
    ----------
    s
        The scheme.
    Omega
        Frequency times the step, of any shape.
    xi
        Physical damping ratio.

    Returns
    -------
    error
        Numbers of the shape of `Omega`, NaN beyond `bifurcation_frequency`.

    Examples
    --------
    >>> import isodyn as iso
    >>> from isodyn.analysis import period_error
    >>> round(float(period_error(iso.Scheme.newmark(), 0.1)) / 0.1**2, 4)
    0.0833
    """
    Om = np.asarray(Omega, dtype=np.float64)
    error: Array = Om * np.sqrt(max(0.0, 1.0 - xi**2)) / np.abs(_principal_logarithm(s, Omega, xi).imag) - 1.0
    return error


def _denominator(s: Scheme, Omega: ArrayLike, xi: ArrayLike) -> tuple[Array, Array, Array]:
    Om, x = np.broadcast_arrays(np.asarray(Omega, dtype=np.float64), np.asarray(xi, dtype=np.float64))
    if not (np.all(np.isfinite(Om)) and np.all(Om >= 0.0) and np.all(np.isfinite(x)) and np.all(x >= 0.0)):
        raise InputError(
            "Omega and xi must be finite and not negative", hint="roots_at_infinity(s) gives the limit Omega -> inf"
        )
    damping = 2.0 * x * Om
    return Om, damping, s.W1L6 + s.W2L5 * damping + s.W3L3 * Om**2  # [Shimada2014 (2.40)]


def radius_of(A: Array | ComplexArray) -> Array:
    """The largest absolute value of an eigenvalue."""
    radius: Array = np.max(np.abs(np.linalg.eigvals(A)), axis=-1)
    return radius


def _principal_logarithm(s: Scheme, Omega: ArrayLike, xi: float) -> ComplexArray:
    """log of the principal root with positive imaginary part; NaN where there is none."""
    roots = np.linalg.eigvals(amplification_matrix(s, Omega, xi)).astype(np.complex128)
    pick = np.argmax(roots.imag, axis=-1)[..., None]
    root = np.take_along_axis(roots, pick, axis=-1)[..., 0]
    Om = np.asarray(Omega, dtype=np.float64)
    oscillates = (root.imag > 0.0) & (Om > 0.0) & (Om < bifurcation_frequency(s, xi))
    logarithm: ComplexArray = np.log(np.where(oscillates, root, np.nan))
    return logarithm
