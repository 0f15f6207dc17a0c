"""What every set of coefficients and radii must satisfy before it becomes a scheme.

    all finite,   W1L6 > 0,   W1, W2L5, W3L3 >= 0          then W1L6 M + W2L5 dt C + W3L3 dt^2 K is never singular
    l5 = 1/2 + W1L6 - W1                                   second order, else a warning
    0 <= rho_s <= rho_min <= rho_max <= 1                  implicit members;  0 <= rho_s <= rho <= 1 for GS4-1
    rho > -1                                               every member

Source: Shimada2014, (2.6), (2.7), (2.107).
"""

from __future__ import annotations

import math
import sys
import warnings
from collections.abc import Mapping
from itertools import pairwise
from numbers import Real

from isodyn.errors import AccuracyWarning, SchemeError

TOLERANCE = 1e-12


def check_numbers(place: str, **values: object) -> None:
    """Real numbers, before anything is computed with them."""
    for key, value in values.items():
        if not isinstance(value, Real) or isinstance(value, bool):
            raise SchemeError(f"{place}: {key} must be a number, received {value!r}", hint="for example 0.8")
        if isinstance(value, int) and abs(value) > sys.float_info.max:
            raise SchemeError(f"{place}: {key} is a whole number of more than 300 digits", hint="for example 0.8")


def check_coefficients(name: str, values: Mapping[str, float], positive: str, nonnegative: tuple[str, ...]) -> None:
    """All finite; `positive` > 0 and `nonnegative` >= 0, so that the step can be solved for every
    stiffness."""
    check_numbers(f"scheme {name!r}", **values)
    for key, value in values.items():
        if not math.isfinite(value):
            raise SchemeError(
                f"scheme {name!r}: coefficient {key} must be finite, received {value}",
                hint="Scheme.U0 and Scheme.V0 compute all coefficients from three radii",
            )
    if values[positive] <= 0.0:
        raise SchemeError(
            f"scheme {name!r}: {positive} must be positive, received {values[positive]:g}: "
            f"it multiplies the mass in the equation of a step, which is singular or loses its sign otherwise",
            hint=f"the members of U0, V0 and GS4-1 have {positive} >= 1/2, which stability needs as well",
        )
    for key in nonnegative:
        if values[key] < 0.0:
            raise SchemeError(
                f"scheme {name!r}: {key} must not be negative, received {values[key]:g}: "
                f"a step of some size would have a singular equation, or be evaluated before t_n",
                hint=f"set {key} = 0 for an explicit member" if key != "W1" else "the balance holds at t_n + W1 dt",
            )


def second_order_l5(W1: float, W1L6: float) -> float:
    """The only l5 that gives second order."""
    return 0.5 + W1L6 - W1  # [Shimada2014 (2.7)]


def order_of(W1: float, W1L6: float, l5: float) -> int:
    """2 where l5 = 1/2 + W1L6 - W1 to rounding, else 1."""
    scale = max(1.0, abs(W1), abs(W1L6), abs(l5))
    return 2 if abs(l5 - second_order_l5(W1, W1L6)) <= TOLERANCE * scale else 1


def warn_if_first_order(name: str, W1: float, W1L6: float, l5: float) -> None:
    """Tell the user which l5 would give second order."""
    if order_of(W1, W1L6, l5) == 1:
        warnings.warn(
            f"scheme {name!r} is only first order: l5 = {l5:g}, second order needs "
            f"l5 = 1/2 + W1L6 - W1 = {second_order_l5(W1, W1L6):g}",
            AccuracyWarning,
            stacklevel=4,
        )


def check_radii(call: str, **radii: float) -> None:
    """Radii enter as 1/(1 + rho): finite and above -1, whatever the member."""
    for key, value in radii.items():
        if not math.isfinite(value) or value <= -1.0:
            raise SchemeError(
                f"{call}: {key} must be finite and greater than -1, received {value}: it enters as 1/(1 + {key})",
                hint="implicit members take radii in [0, 1]",
            )


def check_order_of_radii(call: str, ascending: Mapping[str, float], arguments: tuple[str, ...], hint: str = "") -> None:
    """0 <= first <= ... <= last <= 1 to rounding; the hint sorts what was given into the order of
    the arguments."""
    chain = [("0", 0.0), *ascending.items(), ("1", 1.0)]
    failed = [f"{left} <= {right} ({a:g} > {b:g})" for (left, a), (right, b) in pairwise(chain) if a > b + TOLERANCE]
    if not failed:
        return
    in_order = sorted(min(max(r, 0.0), 1.0) for r in ascending.values())
    meant = dict(zip(ascending, in_order, strict=True))
    suggestion = f"{call.split('(')[0]}({', '.join(f'{meant[key]:g}' for key in arguments)})"
    raise SchemeError(
        f"{call} violates {' <= '.join(name for name, _ in chain)}: not {' and not '.join(failed)}\n"
        "  the largest radius is the spectral radius at infinity: above one, stiff modes grow without bound; "
        "rho_s is the spurious root and must not dominate",
        hint=f"the order of arguments is ({', '.join(arguments)}); did you mean {suggestion}? {hint}".rstrip(),
    )
