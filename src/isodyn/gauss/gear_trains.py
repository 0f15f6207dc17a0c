"""Epicyclic gear trains from a table of fundamental circuits: constraints, reduction, stability of
a steady state [Pennestri2008 §6].

Each pair of meshing gears i, j with the carrier k of their axes (the transfer vertex) is one
circuit,

    ω_i − τ ω_j + (τ − 1) ω_k = 0        τ = (ω_i − ω_k)/(ω_j − ω_k), negative for external gears

The circuits give Ψ ω = 0. With the speeds ω_d of the driving shafts as independent ones, ω = V ω_d
and Ψ V = 0. Around a steady state with torques T = T° + k Δω applied to the shafts, counted
positive along ω,

    𝓜 Δω̇_d = 𝓚 Δω_d,    𝓜 = Vᵀ M V,    𝓚 = Vᵀ diag(k) V

and Δω_d ~ e^{λt} with λ 𝓜 X = 𝓚 X. The eigenvalues are real, 𝓜 being positive and 𝓚 symmetric; the
steady state is stable when all of them are negative. A load whose resistance grows with speed has
k < 0. The paper writes +𝓚 on the left with the same 𝓚: see the corrections.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple, TypeVar

import numpy as np
from scipy.linalg import eigh, qr

from isodyn.described import described
from isodyn.errors import ConflictError, InputError, SingularError
from isodyn.linear_solvers.rank import FloatArray

Link = int | str
RANK = 1e-10  # of the largest: entries of R, and growth rates, that count as zero


class Circuit(NamedTuple):
    """A pair of gears that mesh, with the link that holds their axes.

    Parameters
    ----------
    i, j
        The gears.
    k
        The link that holds their axes.
    ratio
        (ω_i − ω_k)/(ω_j − ω_k).

    Examples
    --------
    >>> from isodyn.gauss import Circuit
    >>> Circuit(2, 3, 1, -0.5).ratio
    -0.5
    """

    i: Link
    j: Link
    k: Link
    ratio: float


class Planet(NamedTuple):
    """A link whose axis a carrier takes round.

    It adds mass · distance² to the inertia of its carrier.

    Parameters
    ----------
    link
        The link.
    carrier
        The link that carries it.
    mass
        Its mass.
    distance
        Distance between the two axes.

    Examples
    --------
    >>> from isodyn.gauss import GearTrain, Planet
    >>> train = GearTrain([(2, 3, 1, -0.5)], {2: 1.0, 3: 4.0}, drives=[2], planets=[Planet(3, 2, 1.0, 2.0)])
    >>> train.mass.tolist()
    [[5.0, 0.0], [0.0, 4.0]]
    """

    link: Link
    carrier: Link
    mass: float
    distance: float


Entry = TypeVar("Entry", Circuit, Planet)


@dataclass(frozen=True, eq=False)
class GearTrain:
    """Links, circuits and inertias of a gear train.

    Parameters
    ----------
    circuits
        Table of fundamental circuits (i, j, k, ratio).
    inertia
        Moment of inertia of every link about its own axis.
    drives
        Shafts whose speeds are independent, as many as the train has degrees of freedom.
    planets
        Masses that a carrier takes round.
    ground
        Link that does not turn.

    Raises
    ------
    InputError
        If the table is not that of a gear train.

    Examples
    --------
    >>> from isodyn.gauss import GearTrain
    >>> train = GearTrain([(2, 3, 1, -0.5)], {2: 1.0, 3: 4.0}, drives=[2])
    >>> train.mobility, train.reduced_mass
    (1, array([[17.]]))
    """

    circuits: Sequence[Any]
    inertia: Mapping[Link, float]
    drives: Sequence[Link]
    planets: Sequence[Any] = ()
    ground: Link = 1
    links: tuple[Link, ...] = field(init=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "circuits", tuple(_entry(Circuit, entry) for entry in self.circuits))
        object.__setattr__(self, "planets", tuple(_entry(Planet, entry) for entry in self.planets))
        object.__setattr__(self, "drives", tuple(self.drives))
        object.__setattr__(self, "links", tuple(link for link in self.inertia if link != self.ground))
        self._check_table()
        self._check_mobility()

    def _check_table(self) -> None:
        if not self.circuits:
            raise InputError("a gear train needs at least one fundamental circuit")
        self._check_circuits()
        for link, value in self.inertia.items():
            if not (np.isfinite(value) and value >= 0.0):
                raise InputError(f"the inertia of link {link!r} must be a number ≥ 0, received {value}")
        self._check_planets()
        used = {link for i, j, k, _ in self.circuits for link in (i, j, k)}
        if loose := [link for link in self.links if link not in used]:
            raise InputError(f"link {loose[0]!r} is in no circuit", hint="leave it out, or add the circuit of its mesh")

    def _check_circuits(self) -> None:
        for number, circuit in enumerate(self.circuits, start=1):
            i, j, k, ratio = circuit
            for link in (i, j, k):
                if link != self.ground and link not in self.links:
                    raise InputError(
                        f"circuit {number} names link {link!r}, which has no inertia",
                        hint=f"links: {_listed(self.links)}",
                    )
            if len({i, j, k}) < 3:
                raise InputError(f"circuit {number} must name three different links, received {i!r}, {j!r}, {k!r}")
            if not np.isfinite(ratio) or ratio == 0.0:
                raise InputError(
                    f"the ratio of circuit {number} must be a finite number and not zero, received {ratio}"
                )

    def _check_planets(self) -> None:
        for planet in self.planets:
            for link in (planet.link, planet.carrier):
                if link not in self.links:
                    raise InputError(f"planet {planet.link!r} on carrier {planet.carrier!r}: there is no link {link!r}")
            if not (np.isfinite(planet.mass) and planet.mass >= 0.0 and np.isfinite(planet.distance)):
                raise InputError(f"planet {planet.link!r} needs a mass ≥ 0 and a distance, received {planet[2:]}")

    def _check_mobility(self) -> None:
        R, order = qr(self.constraints.T, mode="r", pivoting=True)
        size = np.abs(np.diag(R))
        rank = int((size > RANK * size[0]).sum())
        if rank < len(self.circuits):
            extra = sorted(int(n) + 1 for n in order[rank:])
            raise ConflictError(
                f"circuit {_listed(extra)} follows from the others: {len(self.circuits)} circuits, {rank} independent",
                hint="give one circuit for each pair of meshing gears",
            )
        if self.mobility < 1:
            raise ConflictError(f"the train is locked: {len(self.links)} links, {rank} independent circuits")
        if len(set(self.drives)) != self.mobility or len(self.drives) != self.mobility:
            raise InputError(
                f"the train has mobility {self.mobility} and needs as many driving shafts, received {list(self.drives)}"
            )
        for link in self.drives:
            if link not in self.links:
                raise InputError(f"driving shaft {link!r} is not a moving link", hint=f"links: {_listed(self.links)}")

    # ---- kinematics

    @property
    def mobility(self) -> int:
        """Degrees of freedom: moving links less circuits."""
        return len(self.links) - len(self.circuits)

    @property
    def constraints(self) -> FloatArray:
        """Ψ, a row for each circuit, a column for each moving link."""
        Psi = np.zeros((len(self.circuits), len(self.links)))
        column = {link: n for n, link in enumerate(self.links)}
        for row, (i, j, k, ratio) in zip(Psi, self.circuits, strict=True):
            for link, factor in ((i, 1.0), (j, -ratio), (k, ratio - 1.0)):
                if link != self.ground:
                    row[column[link]] += factor
        return Psi

    @property
    def speeds(self) -> FloatArray:
        """V, speeds of moving links for unit speeds of the drives [Pennestri2008 (42), (43)]."""
        Psi = self.constraints
        free = [self.links.index(link) for link in self.drives]
        bound = [n for n in range(len(self.links)) if n not in free]
        R = np.abs(np.diag(qr(Psi[:, bound], mode="r", pivoting=True)[0]))
        if R[-1] <= RANK * R[0]:
            raise SingularError(
                f"the speeds of the shafts {_listed(self.drives)} do not fix the others",
                hint="choose other driving shafts",
            )
        V = np.zeros((len(self.links), len(free)))
        V[free] = np.eye(len(free))
        V[bound] = -np.linalg.solve(Psi[:, bound], Psi[:, free])
        return V

    # ---- dynamics

    @property
    def mass(self) -> FloatArray:
        """Inertias of the moving links; planets count with their carriers."""
        I = np.array([self.inertia[link] for link in self.links], dtype=np.float64)  # noqa: E741
        for planet in self.planets:
            I[self.links.index(planet.carrier)] += planet.mass * planet.distance**2
        return np.diag(I)

    @property
    def reduced_mass(self) -> FloatArray:
        """Reduced inertia 𝓜 = Vᵀ M V [Pennestri2008 (44)]."""
        return self.speeds.T @ self.mass @ self.speeds

    def reduced_slope(self, slopes: Mapping[Link, float]) -> FloatArray:
        """Return 𝓚 = Vᵀ diag(k) V [Pennestri2008 (45), (46)].

        Parameters
        ----------
        slopes
            Slopes k = dT/dω of the torques applied to shafts, by link.

        Returns
        -------
        K
            The matrix.
        """
        for link, slope in slopes.items():
            if link not in self.links:
                raise InputError(f"there is no shaft {link!r}", hint=f"shafts: {_listed(self.links)}")
            if not np.isfinite(slope):
                raise InputError(f"the slope of shaft {link!r} must be finite, received {slope}")
        k = np.array([slopes.get(link, 0.0) for link in self.links], dtype=np.float64)
        return self.speeds.T @ (k[:, None] * self.speeds)

    def stability(self, slopes: Mapping[Link, float]) -> Stability:
        """Return the eigenvalues of λ 𝓜 X = 𝓚 X [Pennestri2008 (40) adapted], with 𝓚 on the right.

        Parameters
        ----------
        slopes
            Slopes dT/dω of the torques applied to shafts, by link.

        Returns
        -------
        stability
            Growth rates and shapes.
        """
        M, K = self.reduced_mass, self.reduced_slope(slopes)
        if np.linalg.eigvalsh(M)[0] <= 1e-14 * np.abs(M).max():
            raise SingularError(
                "the reduced mass is singular", hint="give inertia to the driving shafts or to what they turn"
            )
        rates, shapes = eigh(K, M)
        return Stability(rates, shapes, M, K)


@dataclass(frozen=True, eq=False)
class Stability:
    """Growth rates of a gear train and their shapes.

    Parameters
    ----------
    rates
        Growth rates λ, ascending.
    shapes
        Shapes X, a column for each rate, in the driving shafts.
    M, K
        The reduced matrices.

    Examples
    --------
    >>> from isodyn.gauss import GearTrain
    >>> train = GearTrain([(2, 3, 1, -0.5)], {2: 1.0, 3: 4.0}, drives=[2])
    >>> train.stability({2: -1.0}).stable
    True
    """

    rates: FloatArray
    shapes: FloatArray
    M: FloatArray
    K: FloatArray

    @property
    def stable(self) -> bool:
        """Whether all disturbances decay; a rate of zero, to rounding, is not enough."""
        return bool(self.rates[-1] < -RANK * np.abs(self.rates).max())

    __repr__ = described

    def __str__(self) -> str:
        verdict = "stable" if self.stable else "not stable"
        return f"{verdict}: growth rates {', '.join(f'{rate:.4g}' for rate in self.rates)} per unit of time"


def _entry(kind: type[Entry], entry: Iterable[Any]) -> Entry:
    values = tuple(entry)
    if len(values) != len(kind._fields):
        raise InputError(f"{kind.__name__} needs ({', '.join(kind._fields)}), received {values}")
    return kind(*values)


def _listed(links: Iterable[object]) -> str:
    return ", ".join(str(link) for link in links)
