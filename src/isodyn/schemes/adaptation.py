"""Which GS4-2 members adapt to first-order systems, and to which GS4-1 member.

    a_n -> rate v_n of s,   v_n -> s_n,   q_n dropped;   rho_max = 1,   rho_min -> rho,   rho_s -> rho_s
    U0: additionally rho_s = rho_min;   V0: rho_s and rho_min free;   explicit members: radii need not be ordered

A scheme of own coefficients adapts where W1 = 1/(1+rho), l5 = 1/(1+rho_s), W2L5 = W1 l5 (or 0),
second order.

Source: Shimada2014, Table 2.5, (2.106)-(2.107).
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NoReturn

from isodyn.errors import SchemeError

if TYPE_CHECKING:
    from isodyn.schemes.gs4_2 import Scheme

TOLERANCE = 1e-12


def adapted_radii(s: Scheme) -> tuple[float, float]:
    """(rho, rho_s) of the GS4-1 member; SchemeError where there is none."""
    if s.radii is None or s.family is None:
        return _from_coefficients(s)
    low, high, rho_s = s.radii
    if s.eta[0] == 0 and _close(low, 1.0):
        low, high = high, low  # the coefficients are symmetric in the principal radii
    nearest = f"Scheme.V0({low:g}, 1, {rho_s:g})"
    if s.family == "U0":
        nearest = f"Scheme.optimal({0.5 * (low + rho_s):g}); {nearest} keeps both radii"
    if not _close(high, 1.0):  # [Shimada2014 Table 2.5]
        _refuse(s, f"rho_max must be 1, it is {high:g}", nearest)
    if s.family == "U0" and not _close(low, rho_s):  # [Shimada2014 Table 2.5]
        _refuse(s, f"a U0 member needs rho_s = rho_min, it has rho_s = {rho_s:g} and rho_min = {low:g}", nearest)
    return low, rho_s


def _from_coefficients(s: Scheme) -> tuple[float, float]:
    if s.W1 <= 0.0 or s.l5 <= 0.0:
        _refuse(s, "W1 = 1/(1+rho) and l5 = 1/(1+rho_s) must be positive", "FirstOrderScheme.GS4_1(1, 0)")
    rho, rho_s = 1.0 / s.W1 - 1.0, 1.0 / s.l5 - 1.0
    low, high = sorted(min(max(r, 0.0), 1.0) for r in (rho, rho_s))
    nearest = f"FirstOrderScheme.GS4_1({high:g}, {low:g})"
    if s.order == 1:
        _refuse(s, "its coefficients are first order only", nearest)
    if s.W2L5 == 0.0:
        return rho, rho_s
    if not _close(s.W2L5, s.W1 * s.l5):
        _refuse(s, f"W2L5 must be W1 l5 = {s.W1 * s.l5:g} or 0, it is {s.W2L5:g}", nearest)
    # [Shimada2014 (2.107)]
    if rho_s < -TOLERANCE or rho_s > rho + TOLERANCE or rho > 1.0 + TOLERANCE:
        if _close(rho, 0.0) and _close(rho_s, 1.0):
            nearest += "; FirstOrderScheme.crank_nicolson() has exactly these coefficients"
        _refuse(s, f"its radii rho = {rho:g}, rho_s = {rho_s:g} violate 0 <= rho_s <= rho <= 1", nearest)
    return rho, rho_s


def _close(a: float, b: float) -> bool:
    return abs(a - b) <= TOLERANCE


def _refuse(s: Scheme, reason: str, nearest: str) -> NoReturn:
    raise SchemeError(
        f"scheme {s.name!r} does not adapt to first-order systems: {reason}",
        hint=f"the nearest admissible member is {nearest}",
    )
