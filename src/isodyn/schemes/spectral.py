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

so the three-step form and the limit Omega -> infinity are in closed form, and stability becomes a
question about the signs of polynomials in Omega (Routh-Hurwitz after zeta = (1+w)/(1-w)): no
eigenvalue is computed for the limit.

First-order systems s' = -lambda s, z = lambda dt, y = (s, dt v):

    D det(zeta I - A) = W1L6 x^2 + x + z (W2L5 x^2 + (l5 + W1) x + 1),      D = W1L6 + W2L5 z

Source: Shimada2014, (2.38)-(2.57); the closed forms and the stability test are derived here.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from isodyn.errors import InputError
from isodyn.schemes.gs4_1 import FirstOrderScheme
from isodyn.schemes.gs4_2 import Scheme
from isodyn.schemes.polynomials import (
    ROUNDING,
    Array,
    ComplexArray,
    characteristic_factors,
    first_negative,
    product,
    quadratic_roots,
    roots_from_reciprocals,
)

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
    >>> from isodyn.schemes.spectral import three_step_form
    >>> three_step_form(Scheme.central_difference()).alpha.tolist()
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
    >>> amplification_matrix(Scheme.midpoint_mpa(), 0.0)[1].tolist()
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
    >>> load_operator(Scheme.central_difference(), 0.5).tolist()
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
    >>> [round(float(x), 12) for x in characteristic_coefficients(Scheme.newmark(), 0.0)]
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
    >>> three_step_form(Scheme.central_difference()).alpha.tolist()
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
    >>> abs(roots_at_infinity(Scheme.U0(0.5, 1.0, 0.25))).round(12).tolist()
    [0.25, 0.5, 1.0]
    >>> abs(roots_at_infinity(Scheme.U0(0.5, 0.5, 0.5, explicit=True))).round(12).tolist()
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
    >>> position_level_roots(Scheme.U0(0.4, 0.7, 0.3)).real.round(12).tolist()
    [-0.4, -0.7]
    >>> position_level_roots(Scheme.V0(0.4, 0.7, 0.3)).real.round(12).tolist()
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
    >>> bool(spectral_radius(Scheme.optimal(0.5), 1.0) < 1.0)
    True
    """
    return _radius(amplification_matrix(s, Omega, xi))


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
    >>> bool(0.0 < damping_ratio(Scheme.optimal(0.5), 0.5) < 0.1)
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
    >>> round(float(period_error(Scheme.newmark(), 0.1)) / 0.1**2, 4)
    0.0833
    """
    Om = np.asarray(Omega, dtype=np.float64)
    error: Array = Om * np.sqrt(max(0.0, 1.0 - xi**2)) / np.abs(_principal_logarithm(s, Omega, xi).imag) - 1.0
    return error


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
    >>> round(critical_frequency(Scheme.central_difference()), 12)
    2.0
    >>> critical_frequency(Scheme.U0(0.5, 0.5, 0.5, explicit=True))
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
    >>> round(bifurcation_frequency(Scheme.central_difference()), 12)
    2.0
    """
    a, b, c, d = _polynomials(s, xi)
    plus = 4.0 * product(b, b, b, d) + 4.0 * product(a, c, c, c) + 27.0 * product(a, a, d, d)
    minus = 18.0 * product(a, b, c, d) + product(b, b, c, c)
    return first_negative(plus - minus, plus + minus)


# ---- first-order systems


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
    >>> first_order_amplification_matrix(FirstOrderScheme.gear(), 0.0).shape
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
    >>> bool(first_order_spectral_radius(FirstOrderScheme.gear(), 10.0) < 0.5)
    True
    """
    return _radius(first_order_amplification_matrix(s, z))


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
    >>> abs(first_order_roots_at_infinity(FirstOrderScheme.GS4_1(0.5, 0.25))).round(12).tolist()
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
    >>> first_order_critical_step(FirstOrderScheme.gear())
    inf
    """
    c2, c1, c0 = np.array([s.W1L6, s.W2L5]), np.array([1.0, s.l5 + s.W1]), np.array([0.0, 1.0])
    conditions = ((4 * c2 - 2 * c1 + c0, 4 * c2 + 2 * c1 + c0), (2 * c1 - 2 * c0, 2 * c1 + 2 * c0))
    return min(first_negative(*condition) for condition in conditions)


# ---- parts


def _denominator(s: Scheme, Omega: ArrayLike, xi: ArrayLike) -> tuple[Array, Array, Array]:
    Om, x = np.broadcast_arrays(np.asarray(Omega, dtype=np.float64), np.asarray(xi, dtype=np.float64))
    if not (np.all(np.isfinite(Om)) and np.all(Om >= 0.0) and np.all(np.isfinite(x)) and np.all(x >= 0.0)):
        raise InputError(
            "Omega and xi must be finite and not negative", hint="roots_at_infinity(s) gives the limit Omega -> inf"
        )
    damping = 2.0 * x * Om
    return Om, damping, s.W1L6 + s.W2L5 * damping + s.W3L3 * Om**2  # [Shimada2014 (2.40)]


def _polynomials(s: Scheme, xi: float) -> list[Array]:
    """The coefficients of x^3, x^2, x, 1 as polynomials in Omega, ascending."""
    mass, damping, stiffness = characteristic_factors(s)
    return list(np.stack([mass, 2.0 * xi * damping, stiffness], axis=-1))


def _radius(A: Array | ComplexArray) -> Array:
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
