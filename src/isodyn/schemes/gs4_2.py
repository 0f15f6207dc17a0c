"""GS4-2, the family for second-order systems q'' = g(q, q', t): coefficients only.

    q~ = q_n + W1 v_n dt + W2L2 a_n dt^2 + W3L3 da dt^2        q_1 = q_n + v_n dt + a_n dt^2/2 + l3 da dt^2
    v~ = v_n + W1 a_n dt + W2L5 da dt                          v_1 = v_n + a_n dt + l5 da dt
    a~ = a_n + W1L6 da = g(q~, v~, t_n + W1 dt)                a_1 = a_n + da

a_n approximates the acceleration at t_n - phi dt, phi = W1L6 - W1; second order means
l5 = 1/2 + W1L6 - W1. With p = (1+rho_min)(1+rho_max), s = 1+rho_s, m = 3 + rho_min + rho_max -
rho_min rho_max:

    U0   W1 = 1/s       W2L2 = 1/(2s)   W3L3 = 1/(p s)   W2L5 = m/(2 p s)   l3 = 1/p       l5 = m/(2p)
    V0   W1 = m/(2p)    W2L2 = 1/p      W3L3 = 1/(p s)   W2L5 = 2/(p s)     l3 = 1/(2s)    l5 = 1/s
    both W1L6 = (2 + rho_min + rho_max + rho_s - rho_min rho_max rho_s) / (p s)

For implicit members the roots at infinity are -rho_min, -rho_max, -rho_s with 0 <= rho_s <= rho_min
<= rho_max <= 1. Explicit members multiply W3L3, W2L5, l3 by eta1, eta2, eta3, each 0 or 1; their
radii only label them.

Source: Shimada2014, Algorithm 2.2.1, (2.6)-(2.9), Section 2.2.2, (2.58), Table 2.5.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

from isodyn.errors import SchemeError
from isodyn.later import Later
from isodyn.schemes import named
from isodyn.schemes.adaptation import adapted_radii
from isodyn.schemes.gs4_1 import FirstOrderScheme
from isodyn.schemes.member import Member

drawing = Later("isodyn.schemes.drawing")  # which needs this module


@dataclass(frozen=True, kw_only=True, repr=False)
class Scheme(Member):
    """The seven coefficients of a GS4-2 member, checked for consistency.

    Two schemes are equal if these seven are. Most users take a class method, such as
    `Scheme.optimal(0.8)`, rather than coefficients.

    Parameters
    ----------
    W1
        The balance holds at t_n + W1 dt.
    W2L2
        Weight of a_n dt² in q~.
    W3L3
        Weight of da dt² in q~.
    W2L5
        Weight of da dt in v~.
    W1L6
        Weight of da in a~.
    l3
        Weight of da dt² in q_1.
    l5
        Weight of da dt in v_1.
    name
        What the scheme is called in reports.
    family
        "U0" or "V0", if the scheme is a member of one of them.
    radii
        Roots at infinity (rho_min, rho_max, rho_s) of such a member.
    eta
        Factors of W3L3, W2L5 and l3, each 0 or 1; (0, 0, 0) is explicit.

    Raises
    ------
    SchemeError
        If the coefficients are not consistent.

    Examples
    --------
    >>> import isodyn as iso
    >>> s = iso.Scheme.U0(0.5, 1.0, 0.5)
    >>> s.name, s.order, s.explicit
    ('U0(0.5, 1, 0.5)', 2, False)
    >>> iso.Scheme(W1=1, W2L2=0.5, W3L3=0.25, W2L5=0.5, W1L6=1, l3=0.25, l5=0.5) == iso.Scheme.newmark()
    True
    """

    def _repr_html_(self) -> str:
        return drawing.scheme_html(self)

    @classmethod
    def default(cls) -> Scheme:
        """Return the scheme that second-order systems take when no scheme is named: U0(0.9, 1, 0).

        Its balance holds at t_{n+1}, so forces of stiff parts that turn are right at t_n. It has no
        overshoot in q or v, and damps unresolved modes about as much as `optimal(0.8)`. The reasons
        are in docs/choosing_a_scheme.md.

        Returns
        -------
        scheme
            U0(0.9, 1, 0).

        Examples
        --------
        >>> import isodyn as iso
        >>> s = iso.Scheme.default()
        >>> s.name, s.W1, s.W3L3 == s.l3
        ('U0(0.9, 1, 0)', 1.0, True)
        """
        return cls.U0(0.9, 1.0, 0.0)

    # ---- the three branches without overshoot

    @classmethod
    def optimal(cls, rho: float) -> Scheme:
        """Return U0V0 optimal, with the radii (rho, 1, rho).

        The two families coincide there. The scheme has no overshoot in q or v, and rho sets the
        damping.

        Parameters
        ----------
        rho
            Absolute value of the damped roots at infinity; 1 does not damp, 0 damps most.

        Returns
        -------
        scheme
            The member.

        Examples
        --------
        >>> import isodyn as iso
        >>> iso.Scheme.optimal(0.5).radii
        (0.5, 1.0, 0.5)
        """
        return replace(cls.U0(rho, 1.0, rho), name=f"optimal({rho:g})")  # [Shimada2014 Alg. 2.2.4]

    @classmethod
    def non_dissipative_u0(cls, rho: float) -> Scheme:
        """Return U0V0 without dissipation: U0(1, 1, rho), with phi = 0.

        Parameters
        ----------
        rho
            Absolute value of the spurious root; 0 is Newmark(1/4, 1/2), 1 is the midpoint rule.

        Returns
        -------
        scheme
            The member.
        """
        return cls.U0(1.0, 1.0, rho)  # [Shimada2014 Alg. 2.2.2]

    @classmethod
    def non_dissipative_v0(cls, rho: float) -> Scheme:
        """Return V0U0 without dissipation: V0(1, 1, rho).

        It is the midpoint rule in q and v, with a stored at t_n - phi dt.

        Parameters
        ----------
        rho
            Absolute value of the spurious root at infinity.

        Returns
        -------
        scheme
            The member.
        """
        return cls.V0(1.0, 1.0, rho)  # [Shimada2014 Alg. 2.2.3]

    # ---- classical methods (isodyn.schemes.named)

    @classmethod
    def newmark(cls, beta: float = 0.25, gamma: float = 0.5) -> Scheme:
        """Return Newmark's method.

        Parameters
        ----------
        beta
            Weight of the new acceleration in q. 2 beta >= gamma >= 1/2 is unconditionally stable.
        gamma
            Weight of the new acceleration in v; 1/2 for second order.

        Returns
        -------
        scheme
            The method, as a scheme.
        """
        return cls(**named.newmark_coefficients(beta, gamma), name=f"Newmark({beta:g}, {gamma:g})")

    @classmethod
    def implicit_newmark(cls) -> Scheme:
        """Return the average acceleration method, Newmark(1/4, 1/2) = U0(1, 1, 0).

        Returns
        -------
        scheme
            The member.
        """
        return replace(cls.U0(1.0, 1.0, 0.0), name="implicit Newmark")

    @classmethod
    def hht(cls, rho_inf: float | None = None, *, alpha_f: float | None = None, v0: bool = False) -> Scheme:
        """Return the alpha method of Hilber, Hughes and Taylor.

        Parameters
        ----------
        rho_inf
            Spectral radius at infinity, in [1/2, 1].
        alpha_f
            The usual parameter, in [0, 1/3], in place of `rho_inf`.
        v0
            Return its V0 counterpart.

        Returns
        -------
        scheme
            The member.

        Raises
        ------
        SchemeError
            If not exactly one of `rho_inf` and `alpha_f` is given, or it is outside its range.
        """
        return cls._classical("HHT", named.hht_radii(rho_inf, alpha_f), v0)

    @classmethod
    def wbz(cls, rho_inf: float | None = None, *, alpha_m: float | None = None, v0: bool = False) -> Scheme:
        """Return the method of Wood, Bossak and Zienkiewicz.

        Parameters
        ----------
        rho_inf
            Spectral radius at infinity, in [0, 1].
        alpha_m
            The usual parameter, in [-1, 0], in place of `rho_inf`.
        v0
            Return its V0 counterpart.

        Returns
        -------
        scheme
            The member.

        Raises
        ------
        SchemeError
            If not exactly one of `rho_inf` and `alpha_m` is given, or it is outside its range.
        """
        return cls._classical("WBZ", named.wbz_radii(rho_inf, alpha_m), v0)

    @classmethod
    def generalised_alpha(
        cls,
        rho_inf: float | None = None,
        *,
        alpha_m: float | None = None,
        alpha_f: float | None = None,
        v0: bool = False,
    ) -> Scheme:
        """Return the generalised-alpha method (three-parameter optimal).

        Parameters
        ----------
        rho_inf
            Spectral radius at infinity, in [0, 1].
        alpha_m, alpha_f
            The usual parameters, both in place of `rho_inf`.
        v0
            Return its V0 counterpart.

        Returns
        -------
        scheme
            The member.

        Raises
        ------
        SchemeError
            If neither `rho_inf` alone nor both alphas are given.

        Examples
        --------
        >>> import isodyn as iso
        >>> iso.Scheme.generalised_alpha(0.5).radii
        (0.5, 0.5, 0.5)
        """
        if alpha_m is None and alpha_f is None:
            return cls._classical("generalised-alpha", named.three_parameter_radii(rho_inf), v0)
        if alpha_m is None or alpha_f is None or rho_inf is not None:
            raise SchemeError(
                f"generalised_alpha: pass either rho_inf, or alpha_m and alpha_f together, received "
                f"rho_inf = {rho_inf}, alpha_m = {alpha_m}, alpha_f = {alpha_f}",
                hint="generalised_alpha(0.8) is the usual call",
            )
        coefficients = named.generalised_alpha_coefficients(alpha_m, alpha_f)
        if v0:
            return cls._classical("generalised-alpha", named.generalised_alpha_radii(alpha_m, alpha_f), v0)
        return cls(**coefficients, name=f"generalised-alpha(alpha_m={alpha_m:g}, alpha_f={alpha_f:g})")

    @classmethod
    def midpoint_epa(cls) -> Scheme:
        """Return the midpoint rule with the acceleration at the end of the step, U0(1, 1, 1).

        Returns
        -------
        scheme
            The member, which is V0(1, 1, 1) too.
        """
        return replace(cls.U0(1.0, 1.0, 1.0), name="midpoint EPA")  # [Shimada2014 (2.80)]

    @classmethod
    def midpoint_mpa(cls) -> Scheme:
        """Return the midpoint rule with the acceleration at the middle of the step, V0(1, 1, 0).

        Returns
        -------
        scheme
            The member. Its steps never use a_n.
        """
        return replace(cls.V0(1.0, 1.0, 0.0), name="midpoint MPA")  # [Shimada2014 (2.80)]

    @classmethod
    def central_difference(cls) -> Scheme:
        """Return the central difference method (velocity Verlet), explicit U0(1, 1, 0).

        Returns
        -------
        scheme
            The member. Forces that depend on v use the predictor v_n + dt a_n.
        """
        return replace(cls.U0(1.0, 1.0, 0.0, explicit=True), name="central difference")

    @classmethod
    def _classical(cls, title: str, radii: named.Radii, v0: bool) -> Scheme:
        member = cls.V0(*radii) if v0 else cls.U0(*radii)
        return replace(member, name=f"{title}({radii[0]:g})" + (" V0" if v0 else ""))

    # ---- first-order systems

    def first_order(self) -> FirstOrderScheme:
        """Return the GS4-1 member that this scheme adapts to.

        a_n becomes the rate of s, v_n becomes s, and q_n is dropped. This needs rho_max = 1, and
        for U0 also rho_s = rho_min. Explicit members may have either principal radius equal to 1.

        Returns
        -------
        scheme
            The scheme for first-order systems.

        Raises
        ------
        SchemeError
            If the radii do not allow it.

        Examples
        --------
        >>> import isodyn as iso
        >>> iso.Scheme.V0(0, 1, 0).first_order() == iso.FirstOrderScheme.gear()
        True
        """
        rho, rho_s = adapted_radii(self)
        return FirstOrderScheme(
            W1=self.W1,
            W2L5=self.W2L5,
            W1L6=self.W1L6,
            l5=self.l5,
            name=f"first order from {self.name}",
            radii=(rho, rho_s),
        )
