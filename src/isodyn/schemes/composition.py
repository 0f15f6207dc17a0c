"""Symmetric composition: steps of order 4 and 6 from several steps of a symmetric method of order
2.

    Ψ_Δt = Φ_{w₁Δt} ∘ Φ_{w₂Δt} ∘ … ∘ Φ_{w₂Δt} ∘ Φ_{w₁Δt},        Φ_{−Δt} ∘ Φ_Δt = 1

Order 4 needs Σ wᵢ = 1, Σ wᵢ³ = 0; order 6 also Σ wᵢ⁵ = 0 and one condition on the order of the
steps; palindromes have even order [Hairer2006]. Some weights are negative. The sets used here were
made for small error constants, and their sub-steps stay inside the step, so that loads are not
asked for outside of it:

    order 4, 5 sub-steps        w = 1/(4 − 4^{1/3}) four times, 1 − 4w in the middle        [Suzuki1990]
    order 6, 9 sub-steps        the constants s9odr6a                                       [KahanLi1997]
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import accumulate

from isodyn.described import told
from isodyn.errors import InputError, SchemeError
from isodyn.schemes.gs4_2 import Scheme

_SUZUKI = 1.0 / (4.0 - 4.0 ** (1.0 / 3.0))
_HALVES: dict[int, tuple[float, ...]] = {  # first half and middle
    4: (_SUZUKI, _SUZUKI, 1.0 - 4.0 * _SUZUKI),
    6: (
        0.39216144400731413928,
        0.33259913678935943860,
        -0.70624617255763935981,
        0.08221359629355080023,
        0.79854399093482996340,
    ),
}
_CLOSE = 1e-12


@dataclass(frozen=True)
class Composition:
    """A scheme of order 4 or 6, composed of steps of a symmetric one.

    It takes the place of a `Scheme` in `isodyn.integrate`.

    Parameters
    ----------
    base
        `Scheme.V0(1, 1, ρ)`, the implicit midpoint rule, for systems without constraints; or
        `Scheme.central_difference()`, taken with the same forces at both ends of a step, with and
        without holonomic constraints.
    order
        4 or 6.

    Raises
    ------
    SchemeError
        If the order is another one, or the base is not symmetric.

    Examples
    --------
    >>> import isodyn as iso
    >>> kepler = iso.problems.get("kepler").system()
    >>> sixth = iso.Composition(iso.Scheme.central_difference(), order=6)
    >>> sol = iso.integrate(kepler, sixth, dt=0.02, t_end=6.2831853071795865)
    >>> bool(abs(sol.q[-1] - sol.q[0]).max() < 1e-6)
    True
    """

    base: Scheme
    order: int = 4

    __repr__ = told

    def _repr_html_(self) -> str:
        return f"<div><b>Composition</b> of order {self.order}: steps of {self.base}</div>"

    def __post_init__(self) -> None:
        if not isinstance(self.base, Scheme):
            raise InputError(f"base must be a Scheme, received {self.base!r}", hint="iso.Scheme.central_difference()")
        if self.order not in _HALVES or isinstance(self.order, bool):
            raise SchemeError(
                f"compositions have order 4 or 6, received {self.order!r}",
                hint="symmetric methods have even order; for order 8 with chosen steps: integrate_adaptive",
            )
        if not (self.midpoint or self.central):
            raise SchemeError(
                f"{self.base.name} is not a symmetric map of (q, v), so its steps do not compose to order {self.order}",
                hint="take Scheme.V0(1, 1, rho) or Scheme.central_difference()",
            )

    @property
    def midpoint(self) -> bool:
        """Whether the base is the midpoint rule, with q̃ and ṽ half way for any a_n."""
        s, l5 = self.base, self.base.l5
        expected = (0.5, 0.25, l5 / 4, l5 / 2, l5, l5 / 2)
        return all(
            abs(x - y) < _CLOSE for x, y in zip((s.W1, s.W2L2, s.W3L3, s.W2L5, s.W1L6, s.l3), expected, strict=True)
        )

    @property
    def central(self) -> bool:
        """Whether the base is the central difference."""
        s = self.base
        found, expected = (s.W1, s.W2L2, s.W3L3, s.W2L5, s.W1L6, s.l3, s.l5), (1.0, 0.5, 0.0, 0.0, 1.0, 0.0, 0.5)
        return all(abs(x - y) < _CLOSE for x, y in zip(found, expected, strict=True))

    @property
    def weights(self) -> tuple[float, ...]:
        """Sub-steps as parts of Δt."""
        half = _HALVES[self.order]
        return half + half[-2::-1]

    @property
    def ends(self) -> tuple[float, ...]:
        """Times at which the sub-steps end, as parts of Δt; the last is 1."""
        return (*tuple(accumulate(self.weights))[:-1], 1.0)

    @property
    def name(self) -> str:
        """Name of the base with the order."""
        return f"{self.base.name}, composed to order {self.order}"
