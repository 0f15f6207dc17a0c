"""Cross-sections of beams: what is left of shape and material.

    EA = E ∫dA,   EI = E ∫y²dA,   EI4 = E ∫y⁴dA,   ρA = ρ ∫dA
    EI_y = E ∫z²dA,   EI_z = E ∫y²dA = EI,   ρI_y, ρI_z likewise,   ρJ = ρI_y + ρI_z,   GJ torsion,   GA_y, GA_z shear

y points across the beam in its plane. A rod in space has the axes x along itself, y and z in the
cross-section, and the forces (N, Q_y, Q_z, T, M_y, M_z) = C ε. EI4 enters the Green–Lagrange energy only
[Shimada2014 (8.37)]. Damping is Kelvin and Voigt's: stress E (ε + τ ε̇), with one time τ for
stretching and one for bending.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np

from isodyn.errors import InputError
from isodyn.kernels.compiled import FloatArray
from isodyn.real_numbers import real_array, real_number

LARGEST = 1e50  # of sizes, moduli and densities: their products stay numbers
SHEAR = 5 / 6  # of the area of a rectangle, for shear
SHEAR_OF_CIRCLE = 0.9
SYMMETRIC = 1e-12  # how far a coupling may be from symmetric, relative
SPATIAL = ("GAy", "GAz", "GJ", "EIy", "EIz", "rhoIy", "rhoIz")


@dataclass(frozen=True, kw_only=True)
class Section:
    """Stiffness and mass of the cross-section of a beam.

    Parameters
    ----------
    EA
        Stiffness against stretching [N].
    EI
        Stiffness against bending in the plane [N m²]; EIz if left out.
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
    GAy, GAz
        Stiffness against shear along y and z [N], for rods in space.
    GJ
        Stiffness against torsion [N m²], for rods in space.
    EIy, EIz
        Stiffness against bending about y and z [N m²], for rods in space.
    rhoIy, rhoIz
        Rotary inertia per length about y and z [kg m], for rods in space.
    rhoJ
        Rotary inertia per length about x [kg m]; the sum of the other two if left out.
    coupling
        A symmetric 6 × 6 matrix that is added to the stiffness of (stretch, shear y, z, torsion,
        bending y, z), such as that of a shear centre aside of the axis.

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
    EI: float = math.nan
    rhoA: float
    EI4: float = 0.0
    damping: float | tuple[float, float] = 0.0
    E: float = math.nan
    edge: float = math.nan
    GAy: float = math.nan
    GAz: float = math.nan
    GJ: float = math.nan
    EIy: float = math.nan
    EIz: float = math.nan
    rhoIy: float = math.nan
    rhoIz: float = math.nan
    rhoJ: float = math.nan
    coupling: Any = None

    def __post_init__(self) -> None:
        if _is_missing(self.EI) and not _is_missing(self.EIz):
            object.__setattr__(self, "EI", self.EIz)
        if _is_missing(self.rhoJ):
            object.__setattr__(self, "rhoJ", self.rhoIy + self.rhoIz)
        _positive(**{name: getattr(self, name) for name in (*SPATIAL, "rhoJ") if not _is_missing(getattr(self, name))})
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

    @property
    def stiffness(self) -> FloatArray:
        """C: (N, Q_y, Q_z, T, M_y, M_z) = C (stretch, shear y, z, torsion, bending y, z)."""
        C = np.diag([self.EA, self.GAy, self.GAz, self.GJ, self.EIy, self.EIz])
        if self.coupling is None:
            return C
        given = np.asarray(self.coupling, dtype=np.float64)
        return C + (given + given.T) / 2

    @property
    def rotary(self) -> FloatArray:
        """Rotary inertia per length about x, y, z."""
        return np.array([self.rhoJ, self.rhoIy, self.rhoIz])

    def refuse_planar(self, what: str) -> None:
        """InputError unless the numbers of a rod in space are there and make sense; `what` asks.

        Parameters
        ----------
        what
            The rod, as messages call it.

        Raises
        ------
        InputError
            For numbers that are missing, and for a stiffness that is not positive definite.
        """
        missing = [name for name in SPATIAL if _is_missing(getattr(self, name))]
        if missing:
            raise InputError(
                f"{what}: its section lacks {', '.join(missing)}",
                hint="give them, or G= to Section.rectangle or Section.circle",
                argument="section",
            )
        if self.coupling is not None:
            given = real_array(f"{what}: coupling of its section", self.coupling)
            if given.shape != (6, 6) or np.abs(given - given.T).max() > SYMMETRIC * np.abs(given).max():
                raise InputError(f"{what}: coupling must be a symmetric 6 × 6 matrix", argument="section")
        least = float(np.linalg.eigvalsh(self.stiffness).min())
        if not least > 0:
            raise InputError(
                f"{what}: the stiffness of its section is not positive definite: least eigenvalue {least:.3g}",
                argument="section",
            )

    @classmethod
    def rectangle(
        cls,
        *,
        E: float,
        rho: float,
        width: float,
        height: float,
        damping: float | tuple[float, float] = 0.0,
        G: float = math.nan,
    ) -> Section:
        """Return the section of a rectangle.

        Parameters
        ----------
        E
            Modulus of elasticity.
        rho
            Density.
        width
            Width, along z of a rod.
        height
            Height, in the plane of bending, along y of a rod.
        damping
            Times of stretching and bending, or one number for both.
        G
            Shear modulus, for rods in space.

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
            GAy=G * SHEAR * area,
            GAz=G * SHEAR * area,
            GJ=G * torsion_of_rectangle(width, height),
            EIy=E * area * width**2 / 12,
            EIz=E * area * height**2 / 12,
            rhoIy=rho * area * width**2 / 12,
            rhoIz=rho * area * height**2 / 12,
        )

    @classmethod
    def circle(
        cls,
        *,
        E: float,
        rho: float,
        diameter: float,
        inner: float = 0.0,
        damping: float | tuple[float, float] = 0.0,
        G: float = math.nan,
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
        G
            Shear modulus, for rods in space.

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
        shear = SHEAR_OF_CIRCLE if inner == 0 else 0.5 + 0.4 * (1 - inner / diameter)
        return cls(
            EA=E * area,
            EI=E * second,
            rhoA=rho * area,
            EI4=E * fourth,
            damping=damping,
            E=E,
            edge=diameter / 2,
            GAy=G * shear * area,
            GAz=G * shear * area,
            GJ=2 * G * second,
            EIy=E * second,
            EIz=E * second,
            rhoIy=rho * second,
            rhoIz=rho * second,
        )


def torsion_of_rectangle(width: float, height: float) -> float:
    """Saint-Venant's torsion constant: a b³ (1/3 − 64 b/(π⁵a) Σ tanh(nπa/2b)/n⁵), n odd, b ≤ a."""
    a, b = max(width, height), min(width, height)
    total = sum(math.tanh(n * math.pi * a / (2 * b)) / n**5 for n in range(1, 200, 2))
    return a * b**3 * (1 / 3 - 64 * b / (math.pi**5 * a) * total)


def _is_missing(value: Any) -> bool:
    return isinstance(value, float) and math.isnan(value)


def _positive(**values: float) -> None:
    for name, value in values.items():
        if real_number(name, value) <= 0:
            raise InputError(f"{name} must be a number > 0, received {value!r}", argument=name)
        if value > LARGEST:
            raise InputError(f"{name} = {value:g} is larger than anything", hint="check the units", argument=name)
