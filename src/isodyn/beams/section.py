"""Cross-sections of beams: what is left of shape and material.

    EA = E ∫dA,   EI = E ∫y²dA,   EI4 = E ∫y⁴dA,   ρA = ρ ∫dA
    EI_y = E ∫z²dA,   EI_z = E ∫y²dA = EI,   ρI_y, ρI_z likewise,   ρJ = ρI_y + ρI_z,   GJ torsion,   GA_y, GA_z shear

y points across the beam in its plane. A rod in space has the axes x along itself, y and z in the
cross-section, and the forces (N, Q_y, Q_z, T, M_y, M_z) = C ε. EI4 enters the Green–Lagrange energy
only [Shimada2014 (8.37)]. Damping is Kelvin and Voigt's: stress E (ε + τ ε̇), with one time τ for
stretching and one for bending.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import ArrayLike

from isodyn.errors import InputError
from isodyn.kernels.compiled import FloatArray
from isodyn.notebook_views import Told
from isodyn.real_numbers import real_array, real_number

if TYPE_CHECKING:
    from isodyn.open_types import Numbers

LARGEST = 1e50  # of sizes, moduli and densities: their products stay numbers
SHEAR = 5 / 6  # of the area of a rectangle, for shear
SHEAR_OF_CIRCLE = 0.9
SYMMETRIC = 1e-12  # how far a coupling may be from symmetric, relative
SPATIAL = ("GAy", "GAz", "GJ", "EIy", "EIz", "rhoIy", "rhoIz")
IN_PLANE = ("GA", "rhoI")


@dataclass(frozen=True, kw_only=True)
class Section(Told):
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
        Stiffness against shear along y and z [N], for rods.
    GJ
        Stiffness against torsion [N m²], for rods in space.
    EIy, EIz
        Stiffness against bending about y and z [N m²], for rods in space.
    rhoIy, rhoIz
        Rotary inertia per length about y and z [kg m], for rods.
    rhoJ
        Rotary inertia per length about x [kg m]; the sum of the other two if left out.
    coupling
        A symmetric 6 × 6 matrix that is added to the stiffness of (stretch, shear y, z, torsion,
        bending y, z), such as that of a shear centre aside of the axis (`with_offsets`).
    edge_z
        Distance of the outermost fibre along z [m], for stresses of rods; sections without one are
        round.
    GA, rhoI
        Other names of GAy and rhoIz, for rods in the plane.

    Raises
    ------
    InputError
        If a number is not positive.

    Examples
    --------
    >>> import isodyn as iso
    >>> iso.Section.rectangle(E=2.1e11, rho=7850.0, width=0.01, height=0.02).EI
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
    coupling: Numbers | None = None
    edge_z: float = math.nan
    GA: float = math.nan
    rhoI: float = math.nan

    def __post_init__(self) -> None:
        for plane, space in (("EI", "EIz"), ("GA", "GAy"), ("rhoI", "rhoIz")):
            for one, other in ((plane, space), (space, plane)):
                if _is_missing(getattr(self, one)) and not _is_missing(getattr(self, other)):
                    object.__setattr__(self, one, getattr(self, other))
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
    def _diagonal(self) -> FloatArray:
        return np.diag([self.EA, self.GAy, self.GAz, self.GJ, self.EIy, self.EIz])

    @property
    def stiffness(self) -> FloatArray:
        """C: (N, Q_y, Q_z, T, M_y, M_z) = C (stretch, shear y, z, torsion, bending y, z)."""
        C = self._diagonal
        if self.coupling is None:
            return C
        given = np.asarray(self.coupling, dtype=np.float64)
        return C + (given + given.T) / 2

    @property
    def rotary(self) -> FloatArray:
        """Rotary inertia per length about x, y, z."""
        return np.array([self.rhoJ, self.rhoIy, self.rhoIz])

    def in_plane(self) -> Section:
        """Return the section of a rod that stays in the plane: across it stiffness is that in it.

        Returns
        -------
        section
            The same section, complete for rods; what acts across the plane is never strained.

        Raises
        ------
        InputError
            If couplings lead out of the plane.
        """
        if self.coupling is not None:
            given = np.asarray(self.coupling, dtype=np.float64)
            if given.shape == (6, 6) and (given[np.ix_([0, 1, 5], [2, 3, 4])].any()):
                raise InputError("coupling of a rod in the plane must not lead out of it", argument="section")
        across = {"GAz": self.GA, "GJ": self.EI, "EIy": self.EI, "rhoIy": self.rhoI}
        return replace(self, **across, rhoJ=2 * self.rhoI)

    def refuse_incomplete(self, what: str, names: tuple[str, ...] = SPATIAL) -> None:
        """InputError unless the numbers of a rod are there and make sense; `what` asks.

        Parameters
        ----------
        what
            The rod, as messages call it.
        names
            Numbers that it needs.

        Raises
        ------
        InputError
            For numbers that are missing, and for a stiffness that is not positive definite.
        """
        missing = [name for name in names if _is_missing(getattr(self, name))]
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
        if names != SPATIAL:
            return
        least = float(np.linalg.eigvalsh(self.stiffness).min())
        if not least > 0:
            raise InputError(
                f"{what}: the stiffness of its section is not positive definite: least eigenvalue {least:.3g}",
                argument="section",
            )

    def with_offsets(self, *, shear_centre: ArrayLike = (0.0, 0.0), centroid: ArrayLike = (0.0, 0.0)) -> Section:
        """Return the section seen from a reference line aside of shear centre and centroid.

        Stiffnesses against shear and torsion are about the shear centre, those against stretching
        and bending about the centroid. Mass stays on the reference line.

        Parameters
        ----------
        shear_centre
            (y, z) of the shear centre, from the reference line.
        centroid
            (y, z) of the centroid.

        Returns
        -------
        section
            The same section with the couplings of these offsets.

        Raises
        ------
        InputError
            If numbers of rods in space are missing, or offsets are not two numbers.

        Examples
        --------
        >>> import isodyn as iso
        >>> section = iso.Section.rectangle(E=1e9, rho=1e3, width=0.01, height=0.02, G=4e8)
        >>> float(section.with_offsets(shear_centre=(0.005, 0.0)).coupling[2, 3].round(3))
        333.333
        """
        self.refuse_incomplete("with_offsets")
        shear, own = (
            real_array(f"with_offsets: {name}", given, "2 numbers")
            for name, given in (("shear_centre", shear_centre), ("centroid", centroid))
        )
        if shear.shape != (2,) or own.shape != (2,):
            raise InputError("with_offsets takes (y, z) of shear centre and centroid")
        # strains of the other lines: shear y − z_s κ_x, shear z + y_s κ_x, stretch + z_c κ_y − y_c κ_z
        T = np.eye(6)
        T[1, 3], T[2, 3] = -shear[1], shear[0]
        T[0, 4], T[0, 5] = own[1], -own[0]
        C = self.stiffness
        return replace(self, coupling=T.T @ C @ T - self._diagonal)

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
            edge_z=width / 2,
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


def _is_missing(value: float) -> bool:
    return isinstance(value, float) and math.isnan(value)


def _positive(**values: float) -> None:
    for name, value in values.items():
        if real_number(name, value) <= 0:
            raise InputError(f"{name} must be a number > 0, received {value!r}", argument=name)
        if value > LARGEST:
            raise InputError(f"{name} = {value:g} is larger than anything", hint="check the units", argument=name)
