"""A member of GS4-2 by its seven coefficients, and the two families U0 and V0 by their radii.

The formulas stand in isodyn.schemes.gs4_2.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Self

from isodyn.described import described
from isodyn.errors import SchemeError
from isodyn.schemes.checks import (
    check_coefficients,
    check_numbers,
    check_order_of_radii,
    check_radii,
    order_of,
    warn_if_first_order,
)

Eta = tuple[int, int, int]


@dataclass(frozen=True, kw_only=True)
class Member:
    """The seven coefficients of a GS4-2 member, checked for consistency; the base of `Scheme`."""

    W1: float
    W2L2: float
    W3L3: float
    W2L5: float
    W1L6: float
    l3: float
    l5: float
    name: str = field(default="own coefficients", compare=False)
    family: str | None = field(default=None, compare=False)
    radii: tuple[float, float, float] | None = field(default=None, compare=False)
    eta: Eta = field(default=(1, 1, 1), compare=False)

    def __post_init__(self) -> None:
        check_coefficients(self.name, self.coefficients, "W1L6", ("W1", "W3L3", "W2L5"))
        warn_if_first_order(self.name, self.W1, self.W1L6, self.l5)

    __repr__ = described

    def __str__(self) -> str:
        return self.name

    @property
    def coefficients(self) -> dict[str, float]:
        """The seven coefficients by name."""
        return {key: getattr(self, key) for key in ("W1", "W2L2", "W3L3", "W2L5", "W1L6", "l3", "l5")}

    @property
    def phi(self) -> float:
        """Shift of the acceleration: a_n approximates the acceleration at t_n - phi dt."""
        return self.W1L6 - self.W1  # [Shimada2014 (2.61)]

    @property
    def explicit(self) -> bool:
        """True if neither q~ nor v~ contains the new acceleration."""
        return self.W3L3 == 0.0 and self.W2L5 == 0.0

    @property
    def half_explicit(self) -> bool:
        """True if v~ contains the new acceleration but q~ does not."""
        return self.W3L3 == 0.0 and self.W2L5 != 0.0

    @property
    def order(self) -> int:
        """Order of accuracy: 2, or 1 if l5 is not 1/2 + W1L6 - W1."""
        return order_of(self.W1, self.W1L6, self.l5)

    @classmethod
    def U0(cls, rho_min: float, rho_max: float, rho_s: float, explicit: bool = False, eta: Eta | None = None) -> Self:
        """Return a member with zeroth-order overshoot in q.

        The implicit members are the three-parameter alpha methods. Explicit members are stable only
        for some radii: U0(rho_min, rho_max, 0) and U0(1, 1, rho_s) do not damp and have a limit
        Omega = 2, while U0(1/2, 1/2, 1/2) is unstable for every step
        (`isodyn.analysis.critical_frequency`).

        Parameters
        ----------
        rho_min, rho_max
            Absolute values of the two principal roots at infinity, in [0, 1].
        rho_s
            Absolute value of the spurious root at infinity, in [0, 1].
        explicit
            Use no new acceleration in q~ and v~.
        eta
            Factors of W3L3, W2L5 and l3, each 0 or 1, in place of `explicit`.

        Returns
        -------
        scheme
            The member.

        Raises
        ------
        SchemeError
            If the radii or `eta` are not admissible.

        Examples
        --------
        >>> from isodyn import Scheme
        >>> Scheme.U0(1, 1, 0, explicit=True) == Scheme.central_difference()
        True
        """
        e = _checked("U0", (rho_min, rho_max, rho_s), explicit, eta)
        p, s = (1.0 + rho_min) * (1.0 + rho_max), 1.0 + rho_s
        m = 3.0 + rho_min + rho_max - rho_min * rho_max
        return cls(
            W1=1.0 / s,  # [Shimada2014 Alg. 2.2.1]
            W2L2=0.5 / s,
            W3L3=e[0] / (p * s),  # [Shimada2014 (2.58)]
            W2L5=e[1] * m / (2.0 * p * s),
            W1L6=_W1L6(rho_min, rho_max, rho_s),
            l3=e[2] / p,
            l5=m / (2.0 * p),
            name=_name("U0", (rho_min, rho_max, rho_s), e),
            family="U0",
            radii=(float(rho_min), float(rho_max), float(rho_s)),
            eta=e,
        )

    @classmethod
    def V0(cls, rho_min: float, rho_max: float, rho_s: float, explicit: bool = False, eta: Eta | None = None) -> Self:
        """Return a member with zeroth-order overshoot in v.

        W1 may exceed 1. The balance then holds after the end of the step.

        Parameters
        ----------
        rho_min, rho_max
            Absolute values of the two principal roots at infinity, in [0, 1].
        rho_s
            Absolute value of the spurious root at infinity, in [0, 1].
        explicit
            Use no new acceleration in q~ and v~.
        eta
            Factors of W3L3, W2L5 and l3, each 0 or 1, in place of `explicit`.

        Returns
        -------
        scheme
            The member.

        Raises
        ------
        SchemeError
            If the radii or `eta` are not admissible.

        Examples
        --------
        >>> from isodyn import Scheme
        >>> Scheme.V0(1, 1, 0).phi
        0.5
        """
        e = _checked("V0", (rho_min, rho_max, rho_s), explicit, eta)
        p, s = (1.0 + rho_min) * (1.0 + rho_max), 1.0 + rho_s
        m = 3.0 + rho_min + rho_max - rho_min * rho_max
        return cls(
            W1=m / (2.0 * p),  # [Shimada2014 Alg. 2.2.1]
            W2L2=1.0 / p,
            W3L3=e[0] / (p * s),  # [Shimada2014 (2.58)]
            W2L5=e[1] * 2.0 / (p * s),
            W1L6=_W1L6(rho_min, rho_max, rho_s),
            l3=e[2] / (2.0 * s),
            l5=1.0 / s,
            name=_name("V0", (rho_min, rho_max, rho_s), e),
            family="V0",
            radii=(float(rho_min), float(rho_max), float(rho_s)),
            eta=e,
        )


def _W1L6(rho_min: float, rho_max: float, rho_s: float) -> float:
    p, s = (1.0 + rho_min) * (1.0 + rho_max), 1.0 + rho_s
    # [Shimada2014 Alg. 2.2.1]
    return (2.0 + rho_min + rho_max + rho_s - rho_min * rho_max * rho_s) / (p * s)


def _name(family: str, radii: tuple[float, float, float], eta: Eta) -> str:
    label = f"{family}({radii[0]:g}, {radii[1]:g}, {radii[2]:g})"
    if eta == (1, 1, 1):
        return label
    return f"{label} explicit" if eta == (0, 0, 0) else f"{label} eta={eta}"


def _checked(family: str, radii: tuple[float, float, float], explicit: bool, eta: Eta | None) -> Eta:
    """The eta to use; raises where it or the radii are not admissible."""
    rho_min, rho_max, rho_s = radii
    check_numbers(f"Scheme.{family}", rho_min=rho_min, rho_max=rho_max, rho_s=rho_s)
    call = f"Scheme.{family}(rho_min={rho_min:g}, rho_max={rho_max:g}, rho_s={rho_s:g})"
    if eta is None:
        eta = (0, 0, 0) if explicit else (1, 1, 1)
    elif len(eta) != 3 or any(e not in (0, 1) for e in eta):
        raise SchemeError(
            f"{call}: eta must be three numbers, each 0 or 1, received {eta}",
            hint="eta multiplies (W3L3, W2L5, l3); (0, 0, 0) is explicit, (0, 1, 0) keeps forces of v implicit",
        )
    elif explicit and tuple(eta[:2]) != (0, 0):
        raise SchemeError(
            f"{call}: explicit=True contradicts eta = {eta}", hint="leave explicit out and pass eta alone"
        )
    check_radii(call, rho_min=rho_min, rho_max=rho_max, rho_s=rho_s)
    if eta[0] == 1:
        ascending = {"rho_s": rho_s, "rho_min": rho_min, "rho_max": rho_max}
        # [Shimada2014 (2.6)]
        check_order_of_radii(call, ascending, ("rho_min", "rho_max", "rho_s"))
    return (int(eta[0]), int(eta[1]), int(eta[2]))
