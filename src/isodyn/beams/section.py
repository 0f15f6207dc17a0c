"""Cross-sections of beams: what is left of shape and material.

    EA = E ∫dA,   EI = E ∫y²dA,   EI4 = E ∫y⁴dA,   ρA = ρ ∫dA

y points across the beam in its plane. EI4 enters the Green–Lagrange energy only
[Shimada2014 (8.37)]. Damping is Kelvin and Voigt's: stress E (ε + τ ε̇), with one time τ for
stretching and one for bending.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

from isodyn.errors import InputError
from isodyn.real_numbers import real_number


@dataclass(frozen=True, kw_only=True)
class Section:
    """Stiffness and mass of the cross-section of a beam.

    Parameters
    ----------
    EA
        Stiffness against stretching [N].
    EI
        Stiffness against bending [N m²].
    rhoA
        Mass per length [kg/m].
    EI4
        E ∫y⁴dA [N m⁴].
    damping
        Times τ [s] of stretching and bending, or one number for both.
    E
        Modulus of elasticity [N/m²], for stresses.
    edge
        Distance of the outermost fibre from the axis [m], for stresses.

    Raises
    ------
    InputError
        If a number is not positive.

    Examples
    --------
    >>> Section.rectangle(E=2.1e11, rho=7850.0, width=0.01, height=0.02).EI
    1400.0
    """

    EA: float
    EI: float
    rhoA: float
    EI4: float = 0.0
    damping: float | tuple[float, float] = 0.0
    E: float = math.nan
    edge: float = math.nan

    def __post_init__(self) -> None:
        _positive(EA=self.EA, EI=self.EI, rhoA=self.rhoA)
        if real_number("EI4", self.EI4) < 0:
            raise InputError(f"EI4 must be a number ≥ 0, received {self.EI4!r}")
        if min(self.times) < 0:
            raise InputError(f"damping must be one or two times ≥ 0, received {self.damping!r}")

    @property
    def times(self) -> tuple[float, float]:
        """Damping times of stretching and of bending."""
        if isinstance(self.damping, tuple):
            if len(self.damping) != 2:
                raise InputError(f"damping must be one or two times ≥ 0, received {self.damping!r}")
            return real_number("damping", self.damping[0]), real_number("damping", self.damping[1])
        return real_number("damping", self.damping), real_number("damping", self.damping)

    @classmethod
    def rectangle(
        cls, *, E: float, rho: float, width: float, height: float, damping: float | tuple[float, float] = 0.0
    ) -> Section:
        """Return the section of a rectangle.

        Parameters
        ----------
        E
            Modulus of elasticity.
        rho
            Density.
        width
            Width.
        height
            Height, in the plane of bending.
        damping
            Times of stretching and bending, or one number for both.

        Returns
        -------
        section
            The section.
        """
        _positive(E=E, rho=rho, width=width, height=height)
        area = width * height
        return cls(
            EA=E * area,
            EI=E * area * height**2 / 12,
            rhoA=rho * area,
            EI4=E * area * height**4 / 80,
            damping=damping,
            E=E,
            edge=height / 2,
        )

    @classmethod
    def circle(
        cls, *, E: float, rho: float, diameter: float, inner: float = 0.0, damping: float | tuple[float, float] = 0.0
    ) -> Section:
        """Return the section of a rod or a tube.

        Parameters
        ----------
        E
            Modulus of elasticity.
        rho
            Density.
        diameter
            Outer diameter.
        inner
            Diameter of the bore of a tube.
        damping
            Times of stretching and bending, or one number for both.

        Returns
        -------
        section
            The section.
        """
        _positive(E=E, rho=rho, diameter=diameter)
        if not 0 <= inner < diameter:
            raise InputError(
                f"inner must lie between 0 and the diameter {diameter:g}, received {inner!r}", argument="inner"
            )
        area, second, fourth = (math.pi * (diameter**k - inner**k) / n for k, n in ((2, 4), (4, 64), (6, 512)))
        return cls(EA=E * area, EI=E * second, rhoA=rho * area, EI4=E * fourth, damping=damping, E=E, edge=diameter / 2)


def _positive(**values: float) -> None:
    for name, value in values.items():
        if real_number(name, value) <= 0:
            raise InputError(f"{name} must be a number > 0, received {value!r}", argument=name)
