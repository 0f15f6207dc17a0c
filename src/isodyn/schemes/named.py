"""Classical methods as members of GS4-2: their parameters in terms of radii and coefficients, and
back.

    Newmark             a_1 = g(q_1, v_1, t_1)
                        q_1 = q_n + dt v_n + dt^2 (a_n/2 + beta da),   v_1 = v_n + dt (a_n + gamma da)
    generalised-alpha   (1-alpha_m) a_1 + alpha_m a_n = g at q, v, t interpolated to 1-alpha_f, updates as Newmark
                        1 - alpha_m = W1L6,  1 - alpha_f = W1 = 2 W2L2 = W2L5/l5 = W3L3/l3,
                        beta = l3,  gamma = l5 beta = (1-alpha)^2/4,  gamma = 1/2 - alpha,
                        alpha = alpha_m - alpha_f, alpha_m <= alpha_f <= 1/2,  0 <= alpha_f
    radii               rho_min = rho_max = rho, and rho_s = rho for generalised-alpha (three-parameter optimal),
                        rho_s = 0 for WBZ, rho_s = (1-rho)/(2 rho) with rho in [1/2, 1] for HHT

    V0 counterparts     q~ = q at 1-alpha_k plus kappa v_n dt,  v~ = v at 1-alpha_k plus kappa a_n dt,  a~ at 1-alpha_m,
                        1 - alpha_k = 2 W2L2 = W2L5/l5 = W3L3/l3,  kappa = W1 - (1 - alpha_k),  1 -
                        alpha_f = W1 = time of g

alpha_f of HHT lies in [0, 1/3] (printed with the wrong sign in (2.105) and Table 2.2 of the
source).

Source: Shimada2014, Section 2.2.6, (2.89)-(2.105), Table 2.1.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, NamedTuple, TypedDict

from isodyn.errors import SchemeError
from isodyn.schemes.checks import check_numbers

if TYPE_CHECKING:
    from isodyn.schemes.gs4_2 import Scheme

TOLERANCE = 1e-12
Radii = tuple[float, float, float]


class GS4Coefficients(TypedDict):
    """The seven coefficients of a GS4-2 member."""

    W1: float
    W2L2: float
    W3L3: float
    W2L5: float
    W1L6: float
    l3: float
    l5: float


class NewmarkParameters(NamedTuple):
    """beta and gamma of Newmark's method."""

    beta: float
    gamma: float


class AlphaParameters(NamedTuple):
    """alpha_m, alpha_f, beta and gamma of the generalised-alpha form."""

    alpha_m: float
    alpha_f: float
    beta: float
    gamma: float


class V0Parameters(NamedTuple):
    """alpha_m, alpha_f, alpha_k, kappa, beta and gamma of the V0 form; alpha_k = alpha_f and
    kappa = 0 is generalised-alpha."""

    alpha_m: float
    alpha_f: float
    alpha_k: float
    kappa: float
    beta: float
    gamma: float


def alpha_form(alpha_m: float, alpha_f: float, beta: float, gamma: float) -> GS4Coefficients:
    """Coefficients of the generalised-alpha form; Newmark's method has alpha_m = alpha_f = 0."""
    W1 = 1.0 - alpha_f  # [Shimada2014 (2.95)]
    return {
        "W1": W1,
        "W2L2": 0.5 * W1,
        "W3L3": W1 * beta,
        "W2L5": W1 * gamma,
        "W1L6": 1.0 - alpha_m,  # [Shimada2014 (2.94)]
        "l3": beta,  # [Shimada2014 (2.96)]
        "l5": gamma,
    }


def newmark_coefficients(beta: float, gamma: float) -> GS4Coefficients:
    """Newmark's method; beta = 0 is explicit in q and implicit in v."""
    check_numbers("newmark", beta=beta, gamma=gamma)
    for key, value in (("beta", beta), ("gamma", gamma)):
        if not math.isfinite(value) or value < 0.0:
            raise SchemeError(
                f"newmark: {key} must be finite and not negative, received {value}",
                hint="beta = 1/4, gamma = 1/2 is unconditionally stable and second order",
            )
    return alpha_form(0.0, 0.0, beta, gamma)  # [Shimada2014 (2.90)]


def generalised_alpha_coefficients(alpha_m: float, alpha_f: float) -> GS4Coefficients:
    """The method of optimal damping for given alpha_m, alpha_f, checked against the conditions of
    stability."""
    check_numbers("generalised_alpha", alpha_m=alpha_m, alpha_f=alpha_f)
    conditions = (  # [Shimada2014 (2.92)]
        ("alpha_m <= alpha_f", alpha_m <= alpha_f),
        ("alpha_f <= 1/2", alpha_f <= 0.5),
        ("0 <= alpha_f", alpha_f >= 0.0),
        ("finite alpha_m", math.isfinite(alpha_m)),
    )
    failed = [text for text, holds in conditions if not holds]
    if failed:
        raise SchemeError(
            f"generalised_alpha(alpha_m={alpha_m:g}, alpha_f={alpha_f:g}) violates {', '.join(failed)}: "
            "unconditional stability needs alpha_m <= alpha_f <= 1/2 and 0 <= alpha_f",
            hint="generalised_alpha(rho_inf) takes alpha_m = (2 rho - 1)/(rho + 1), alpha_f = rho/(rho + 1)",
        )
    alpha = alpha_m - alpha_f
    # [Shimada2014 (2.93)]
    return alpha_form(alpha_m, alpha_f, 0.25 * (1.0 - alpha) ** 2, 0.5 - alpha)


def generalised_alpha_radii(alpha_m: float, alpha_f: float) -> Radii:
    """(rho, rho, rho_s) behind alpha_m, alpha_f."""
    alpha = alpha_m - alpha_f
    # from beta = (1-alpha)^2/4 = 1/(1+rho)^2  [Shimada2014 (2.93) adapted]
    rho = (1.0 + alpha) / (1.0 - alpha)
    return rho, rho, alpha_f / (1.0 - alpha_f)


def hht_radii(rho_inf: float | None, alpha_f: float | None) -> Radii:
    """Radii of the HHT method from rho_inf in [1/2, 1] or alpha_f in [0, 1/3]."""
    if alpha_f is not None:
        _one_of("hht", rho_inf, "alpha_f")
        _in_range("hht", "alpha_f", alpha_f, 0.0, 1.0 / 3.0)  # [Shimada2014 (2.102)]
        rho = (1.0 - alpha_f) / (1.0 + alpha_f)
        return rho, rho, alpha_f / (1.0 - alpha_f)
    rho = _given("hht", rho_inf, "alpha_f")
    _in_range("hht", "rho_inf", rho, 0.5, 1.0)
    return rho, rho, (1.0 - rho) / (2.0 * rho)  # [Shimada2014 (2.104)]


def wbz_radii(rho_inf: float | None, alpha_m: float | None) -> Radii:
    """Radii of the WBZ method from rho_inf in [0, 1] or alpha_m in [-1, 0]."""
    if alpha_m is not None:
        _one_of("wbz", rho_inf, "alpha_m")
        _in_range("wbz", "alpha_m", alpha_m, -1.0, 0.0)  # [Shimada2014 (2.101)]
        rho = (1.0 + alpha_m) / (1.0 - alpha_m)
    else:
        rho = _given("wbz", rho_inf, "alpha_m")
        _in_range("wbz", "rho_inf", rho, 0.0, 1.0)
    return rho, rho, 0.0  # [Shimada2014 (2.100)]


def three_parameter_radii(rho_inf: float | None) -> Radii:
    """Radii of the generalised-alpha method of Chung and Hulbert (three-parameter optimal)."""
    rho = _given("generalised_alpha", rho_inf, "alpha_m, alpha_f")
    _in_range("generalised_alpha", "rho_inf", rho, 0.0, 1.0)
    return rho, rho, rho  # [Shimada2014 (2.97)]


def alpha_parameters(s: Scheme) -> AlphaParameters:
    """alpha_m, alpha_f, beta, gamma of a scheme of generalised-alpha form, i.e. of every implicit
    U0 member.

    >>> from isodyn.schemes import Scheme
    >>> alpha_parameters(Scheme.generalised_alpha(1.0))
    AlphaParameters(alpha_m=0.5, alpha_f=0.5, beta=0.25, gamma=0.5)
    """
    _equal(  # [Shimada2014 (2.95)]
        f"scheme {s.name!r} is not of generalised-alpha form",
        "implicit U0 members are of this form; for V0 members call v0_parameters",
        ("2 W2L2 = W1", 2.0 * s.W2L2, s.W1),
        ("W3L3 = W1 l3", s.W3L3, s.W1 * s.l3),
        ("W2L5 = W1 l5", s.W2L5, s.W1 * s.l5),
    )
    return AlphaParameters(1.0 - s.W1L6, 1.0 - s.W1, s.l3, s.l5)


def v0_parameters(s: Scheme) -> V0Parameters:
    """alpha_m, alpha_f, alpha_k, kappa, beta, gamma of a scheme of V0 form, i.e. of every implicit
    member of GS4-2.

    alpha_k weights q~ as it does v~, and beta = 1/(2 (1 + rho_s)) for V0 members; the source prints
    both otherwise.

    >>> from isodyn.schemes import Scheme
    >>> v0_parameters(Scheme.V0(1, 1, 0))
    V0Parameters(alpha_m=0.0, alpha_f=0.5, alpha_k=0.5, kappa=0.0, beta=0.5, gamma=1.0)
    """
    weight = 2.0 * s.W2L2
    _equal(
        f"scheme {s.name!r} is not of V0 form",
        "implicit members of both families are of this form, explicit ones in general are not",
        ("W3L3 = 2 W2L2 l3", s.W3L3, weight * s.l3),
        ("W2L5 = 2 W2L2 l5", s.W2L5, weight * s.l5),
    )
    return V0Parameters(
        1.0 - s.W1L6, 1.0 - s.W1, 1.0 - weight, s.W1 - weight, s.l3, s.l5
    )  # [Shimada2014 Table 2.3 adapted]


def newmark_parameters(s: Scheme) -> NewmarkParameters:
    """beta and gamma of a scheme that is a Newmark method.

    >>> from isodyn.schemes import Scheme
    >>> newmark_parameters(Scheme.U0(1, 1, 0))
    NewmarkParameters(beta=0.25, gamma=0.5)
    """
    alpha_m, alpha_f, beta, gamma = alpha_parameters(s)
    if abs(alpha_m) > TOLERANCE or abs(alpha_f) > TOLERANCE:
        raise SchemeError(
            f"scheme {s.name!r} is not a Newmark method: W1L6 = {s.W1L6:g} and W1 = {s.W1:g} must both be 1",
            hint="alpha_parameters gives its alpha_m, alpha_f, beta and gamma",
        )
    return NewmarkParameters(beta, gamma)


def _equal(what: str, hint: str, *conditions: tuple[str, float, float]) -> None:
    """Both sides of every condition agree to rounding."""
    for name, left, right in conditions:
        if abs(left - right) > TOLERANCE * max(1.0, abs(right)):
            raise SchemeError(f"{what}: {name} fails ({left:g} against {right:g})", hint=hint)


def _given(method: str, rho_inf: float | None, alternative: str) -> float:
    if rho_inf is None:
        raise SchemeError(
            f"{method}: nothing given; pass rho_inf, or {alternative} by keyword", hint=f"for example {method}(0.8)"
        )
    return rho_inf


def _one_of(method: str, rho_inf: float | None, alternative: str) -> None:
    if rho_inf is not None:
        raise SchemeError(f"{method}: rho_inf = {rho_inf:g} and {alternative} both given; pass one of them")


def _in_range(method: str, key: str, value: float, low: float, high: float) -> None:
    check_numbers(method, **{key: value})
    if not low - TOLERANCE <= value <= high + TOLERANCE:
        raise SchemeError(
            f"{method}: {key} must lie in [{low:g}, {high:g}], received {value}: outside, the method is unstable "
            "or its damping is no longer set by this parameter",
            hint="below rho_inf = 1/2 take wbz, generalised_alpha or optimal" if method == "hht" else None,
        )
