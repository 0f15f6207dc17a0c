"""GS4-1, the family for first-order systems s' = h(s, t): coefficients only.

    s~ = s_n + W1 v_n dt + W2L5 (v_1 - v_n) dt,      v~ = v_n + W1L6 (v_1 - v_n),      v~ = h(s~, t_n + W1 dt)
    s_1 = s_n + v_n dt + l5 (v_1 - v_n) dt,          v_n ~ s'(t_n - phi dt),           phi = W1L6 - W1
    W1 = 1/(1+rho),   l5 = 1/(1+rho_s),   W2L5 = W1 l5,
    W1L6 = (3 + rho + rho_s - rho rho_s) / (2 (1+rho)(1+rho_s)),      0 <= rho_s <= rho <= 1

The roots of the amplification matrix at infinity are -rho and -rho_s; second order means
l5 = 1/2 + W1L6 - W1. Explicit members set W2L5 = 0; their radii need not be ordered.

Source: Shimada2014, Algorithm 2.3.1, (2.107); second-order condition (2.7).
"""

from __future__ import annotations

from dataclasses import dataclass, field

from isodyn.described import described
from isodyn.schemes.checks import (
    check_coefficients,
    check_numbers,
    check_order_of_radii,
    check_radii,
    order_of,
    warn_if_first_order,
)


@dataclass(frozen=True, kw_only=True)
class FirstOrderScheme:
    """The four coefficients of a GS4-1 member, checked for consistency.

    Parameters
    ----------
    W1
        The balance holds at t_n + W1 dt.
    W2L5
        Weight of the change of the rate, times dt, in s~.
    W1L6
        Weight of the change of the rate in v~.
    l5
        Weight of the change of the rate, times dt, in s_1.
    name
        What the scheme is called in reports.
    radii
        Roots at infinity (rho, rho_s), if they are known.

    Raises
    ------
    SchemeError
        If the coefficients are not consistent.

    Examples
    --------
    >>> import isodyn as iso
    >>> iso.FirstOrderScheme.gear()
    <FirstOrderScheme: Gear (BDF2)>
    >>> iso.FirstOrderScheme.midpoint_mpa().phi
    0.5
    """

    W1: float
    W2L5: float
    W1L6: float
    l5: float
    name: str = field(default="own GS4-1 coefficients", compare=False)
    radii: tuple[float, float] | None = field(default=None, compare=False)

    def __post_init__(self) -> None:
        values = {"W1": self.W1, "W2L5": self.W2L5, "W1L6": self.W1L6, "l5": self.l5}
        check_coefficients(self.name, values, "W1L6", ("W1", "W2L5"))
        warn_if_first_order(self.name, self.W1, self.W1L6, self.l5)

    __repr__ = described

    def __str__(self) -> str:
        return self.name

    def _repr_html_(self) -> str:
        return f"<div><b>{self.name}</b>: W1 = {self.W1:.6g}, W2L5 = {self.W2L5:.6g}, W1L6 = {self.W1L6:.6g}, l5 = {self.l5:.6g}</div>"

    @property
    def phi(self) -> float:
        """Shift of the rate: v_n approximates s'(t_n - phi dt)."""
        return self.W1L6 - self.W1  # [Shimada2014 (2.88) adapted]

    @property
    def order(self) -> int:
        """Order of accuracy: 2, or 1 if l5 is not 1/2 + W1L6 - W1."""
        return order_of(self.W1, self.W1L6, self.l5)

    @property
    def explicit(self) -> bool:
        """True if s~ does not contain the new rate."""
        return self.W2L5 == 0.0

    @classmethod
    def GS4_1(cls, rho: float, rho_s: float, explicit: bool = False) -> FirstOrderScheme:
        """Return the member with the roots -rho and -rho_s at infinity.

        Parameters
        ----------
        rho
            Absolute value of the principal root, in [0, 1].
        rho_s
            Absolute value of the spurious root, in [0, rho]; in [0, 1] for explicit members.
        explicit
            Use no new rate in s~.

        Returns
        -------
        scheme
            The member.

        Raises
        ------
        SchemeError
            If the radii are not admissible.

        Examples
        --------
        >>> import isodyn as iso
        >>> iso.FirstOrderScheme.GS4_1(0.5, 0.5).order
        2
        """
        check_numbers("FirstOrderScheme.GS4_1", rho=rho, rho_s=rho_s)
        call = f"FirstOrderScheme.GS4_1(rho={rho:g}, rho_s={rho_s:g})"
        check_radii(call, rho=rho, rho_s=rho_s)
        if not explicit:
            hint = "For Crank-Nicolson, call FirstOrderScheme.crank_nicolson()" if (rho, rho_s) == (0, 1) else ""
            # [Shimada2014 (2.107)]
            check_order_of_radii(call, {"rho_s": rho_s, "rho": rho}, ("rho", "rho_s"), hint)
        return cls._member(rho, rho_s, explicit, f"GS4-1({rho:g}, {rho_s:g})" + (" explicit" if explicit else ""))

    @classmethod
    def _member(cls, rho: float, rho_s: float, explicit: bool, name: str) -> FirstOrderScheme:
        pq = (1.0 + rho) * (1.0 + rho_s)
        return cls(
            W1=1.0 / (1.0 + rho),  # [Shimada2014 Alg. 2.3.1]
            W2L5=0.0 if explicit else 1.0 / pq,  # [Shimada2014 Alg. 2.3.1, (2.58)]
            W1L6=(3.0 + rho + rho_s - rho * rho_s) / (2.0 * pq),  # [Shimada2014 Alg. 2.3.1]
            l5=1.0 / (1.0 + rho_s),  # [Shimada2014 Alg. 2.3.1]
            name=name,
            radii=(float(rho), float(rho_s)),
        )

    @classmethod
    def crank_nicolson(cls) -> FirstOrderScheme:
        """Return Crank-Nicolson, (s_1 - s_n)/dt = (h_n + h_1)/2, with v_n = h(s_n, t_n).

        Formally it is GS4-1(rho=0, rho_s=1), outside the ordering rho_s <= rho: its principal root
        tends to -1, and the root of the rate is 0 for every step. It is A-stable nevertheless.

        Returns
        -------
        scheme
            The method.

        Examples
        --------
        >>> import isodyn as iso
        >>> iso.FirstOrderScheme.crank_nicolson().phi
        0.0
        """
        return cls._member(0.0, 1.0, False, "Crank-Nicolson")

    @classmethod
    def gear(cls) -> FirstOrderScheme:
        """Return Gear's two-step method BDF2 = GS4-1(0, 0).

        Its steps solve (3 s_1 - 4 s_n + s_{n-1}) / (2 dt) = h(s_1, t_1).

        Returns
        -------
        scheme
            The method.
        """
        return cls._member(0.0, 0.0, False, "Gear (BDF2)")

    @classmethod
    def midpoint_epa(cls) -> FirstOrderScheme:
        """Return the midpoint rule with the rate stored at the end of the step, GS4-1(1, 1).

        Returns
        -------
        scheme
            The method.
        """
        return cls._member(1.0, 1.0, False, "midpoint EPA")

    @classmethod
    def midpoint_mpa(cls) -> FirstOrderScheme:
        """Return the midpoint rule with the rate stored at the middle of the step, GS4-1(1, 0).

        Returns
        -------
        scheme
            The method.
        """
        return cls._member(1.0, 0.0, False, "midpoint MPA")
