"""What a run of subdomains returns: a solution for each, and what belongs to the interface."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from isodyn.errors import InputError
from isodyn.kernels.compiled import FloatArray
from isodyn.notebook_views import ShownInNotebooks
from isodyn.results.balance import POWER_OF_TIES
from isodyn.results.solution import Sample, Solution
from isodyn.results.statistics import Statistics

if TYPE_CHECKING:
    from isodyn.subdomains.ties import Subdomains


@dataclass(frozen=True)
class SubdomainSample:
    """What an observer of subdomains sees.

    Parameters
    ----------
    t
        Time.
    lam
        Multipliers of the interface.
    parts
        A `Sample` for each subdomain, by name.

    Examples
    --------
    >>> import isodyn as iso
    >>> half = iso.LinearSystem(1.0, None, 2.0, None, [1.0], [0.0])
    >>> sub = iso.Subdomains({"left": half, "right": half}, ties=[("left", 0, "right", 0)])
    >>> seen = []
    >>> _ = iso.integrate(sub, dt=0.01, t_end=0.05, observe=lambda sample: seen.append(sample))
    >>> sorted(seen[0].parts)
    ['left', 'right']
    """

    t: float
    lam: FloatArray
    parts: dict[str, Sample]

    def __getitem__(self, name: str) -> Sample:
        if name not in self.parts:
            raise InputError(f"no subdomain {name!r}; there are {', '.join(map(repr, self.parts))}")
        return self.parts[name]


@dataclass(frozen=True, eq=False)
class InterfaceDrift:
    """How far the subdomains come apart, one column per tie.

    Parameters
    ----------
    t
        Times (k,).
    position
        Σ G_ℓ q_ℓ; no columns for first-order systems.
    velocity
        Σ G_ℓ v_ℓ.
    acceleration
        Σ G_ℓ a_ℓ.

    Examples
    --------
    >>> import isodyn as iso
    >>> half = iso.LinearSystem(1.0, None, 2.0, None, [1.0], [0.0])
    >>> sub = iso.Subdomains({"left": half, "right": half}, ties=[("left", 0, "right", 0)])
    >>> drift = iso.integrate(sub, iso.Scheme.midpoint_epa(), dt=0.01, t_end=0.1).drift()
    >>> bool(max(drift.largest) < 1e-9)
    True
    """

    t: FloatArray
    position: FloatArray
    velocity: FloatArray
    acceleration: FloatArray

    @property
    def largest(self) -> tuple[float, float, float]:
        """Largest absolute values of the three levels."""
        levels = (self.position, self.velocity, self.acceleration)
        position, velocity, acceleration = (float(np.abs(level).max(initial=0.0)) for level in levels)
        return position, velocity, acceleration


@dataclass(frozen=True, eq=False)
class InterfaceBalance:
    """Work of the interface, and the energy balance of each subdomain.

    Parameters
    ----------
    t
        Times (k,).
    work
        Work on each subdomain since t₀, by name. The works add up to `transfer`, which vanishes if
        velocities are continuous.
    residual
        E − E(t₀) of each subdomain less the works of loads and interface, by name; zero except for
        the error of the integration.

    Examples
    --------
    >>> import isodyn as iso
    >>> half = iso.LinearSystem(1.0, None, 2.0, None, [1.0], [0.0])
    >>> sub = iso.Subdomains({"left": half, "right": half}, ties=[("left", 0, "right", 0)])
    >>> balance = iso.integrate(sub, iso.Scheme.midpoint_epa(), dt=0.01, t_end=0.1).energy_balance()
    >>> bool(abs(balance.transfer).max() < 1e-9)
    True
    """

    t: FloatArray
    work: dict[str, FloatArray]
    residual: dict[str, FloatArray]

    @property
    def transfer(self) -> FloatArray:
        """Sum of the works of the interface: energy that it makes or takes."""
        total: FloatArray = np.sum(list(self.work.values()), axis=0)
        return total

    @property
    def total(self) -> FloatArray:
        """E − E(t₀) of all subdomains less the work of loads."""
        total: FloatArray = np.sum(list(self.residual.values()), axis=0) + self.transfer
        return total

    def __str__(self) -> str:
        largest = max((float(np.abs(work).max()) for work in self.work.values()), default=0.0)
        return (
            f"interface: works up to {largest:.3g}, their sum up to {np.abs(self.transfer).max():.1e};"
            f" energy balance of all subdomains open by {np.abs(self.total).max():.1e}"
        )


class SubdomainSolution(ShownInNotebooks, Mapping[str, Solution]):
    """Solutions of all subdomains; `sol["name"]` is that of one.

    Parameters
    ----------
    t
        Times (k,).
    parts
        Solutions by name.
    lam
        Multipliers of the interface (k, m).
    sub
        The subdomains.
    stats
        Counts and cost.
    redundant
        Names of the ties that follow from others. If there are any, multipliers are those of least
        norm.

    Examples
    --------
    >>> import isodyn as iso
    >>> half = iso.LinearSystem(1.0, None, 2.0, None, [1.0], [0.0])
    >>> sub = iso.Subdomains({"left": half, "right": half}, ties=[("left", 0, "right", 0)])
    >>> sol = iso.integrate(sub, dt=0.01, t_end=0.1)
    >>> sol["left"].q.shape, sol.lam.shape
    ((11, 1), (11, 1))
    """

    def __init__(
        self,
        t: FloatArray,
        parts: Mapping[str, Solution],
        lam: FloatArray,
        sub: Subdomains,
        stats: Statistics,
        redundant: tuple[str, ...],
    ) -> None:
        self.t, self.lam, self.subdomains, self.stats, self.redundant = t, lam, sub, stats, redundant
        self.parts = dict(parts)
        for name, part in self.parts.items():  # what others do to it is no error of its energy
            if not sub.first_order and np.isin(sub.G[name].nonzero()[1], part.columns["v"]).all():
                part.aux[POWER_OF_TIES] = self._power_on(name)

    def __getitem__(self, name: str) -> Solution:
        if name not in self.parts:
            raise KeyError(f"no subdomain {name!r}; there are {', '.join(map(repr, self.parts))}")
        return self.parts[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self.parts)

    def __len__(self) -> int:
        return len(self.parts)

    def drift(self) -> InterfaceDrift:
        """Return how far the subdomains come apart across every tie.

        Returns
        -------
        drift
            Displacement, velocity and acceleration at t_n.
        """
        first = self.subdomains.first_order
        position, velocity, acceleration = (
            np.zeros((self.t.size, 0))
            if key == "q" and first
            else np.sum([self._across("drift()", name, key) for name in self.parts], axis=0)
            for key in ("q", "v", "a")
        )
        return InterfaceDrift(self.t, position, velocity, acceleration)

    def _across(self, what: str, name: str, key: str) -> FloatArray:
        """G_ℓ times q, v or a at every saved time; only tied columns are needed."""
        G, saved = self.subdomains.G[name], self.parts[name].columns[key]
        missing = np.setdiff1d(G.nonzero()[1], saved)
        if missing.size:
            raise InputError(
                f"{what} needs {key} of all tied coordinates, but {self.subdomains.systems[name].v_names[missing[0]]!r} of {name!r} "
                "was not saved",
                hint="name it in select=",
            )
        values: FloatArray = (G[:, saved] @ getattr(self.parts[name], key).T).T
        return values

    def energy(self) -> tuple[FloatArray, FloatArray]:
        """Return the kinetic and the potential energy of all subdomains together.

        Returns
        -------
        kinetic, potential
            Two histories (k,).
        """
        kinetic, potential = np.zeros(self.t.size), np.zeros(self.t.size)
        for sol in self.parts.values():
            T, V = sol.energy()
            kinetic += T
            potential += V
        return kinetic, potential

    def interface_power(self) -> dict[str, FloatArray]:
        """Return the power of the interface on each subdomain, −λᵀG_ℓ v_ℓ.

        Returns
        -------
        power
            Histories by name; their sum is zero if velocities are continuous.
        """
        return {name: self._power_on(name) for name in self.parts}

    def _power_on(self, name: str) -> FloatArray:
        power: FloatArray = -np.einsum("ki,ki->k", self.lam, self._across("interface_power()", name, "v"))
        return power

    def energy_balance(self) -> InterfaceBalance:
        """Return the works of the interface, and energy less all work of each subdomain.

        Integrals are trapezoidal over the saved times.

        Returns
        -------
        balance
            Works and residuals.
        """
        work = {
            name: np.concatenate([[0.0], np.cumsum(0.5 * (power[1:] + power[:-1]) * np.diff(self.t))])
            for name, power in self.interface_power().items()
        }
        residual = {name: sol.energy_balance() for name, sol in self.parts.items()}
        return InterfaceBalance(self.t, work, residual)

    def gather(self, of: str = "q") -> FloatArray:
        """Return the motion of the undivided system that was partitioned.

        Parameters
        ----------
        of
            "q", "v" or "a".

        Returns
        -------
        values
            (k, n); the mean of shared coordinates.

        Raises
        ------
        InputError
            If the subdomains do not come from `partition`.
        """
        if self.subdomains.indices is None:
            raise InputError("gather() needs subdomains made by `partition`: only they know an undivided system")
        if of not in ("q", "v", "a"):
            raise InputError(f"of must be 'q', 'v' or 'a', received {of!r}")
        for name, sol in self.parts.items():
            if sol.columns[of].size != self.subdomains.systems[name].nv:
                raise InputError(
                    f"gather() needs all of {of}, but only {sol.columns[of].size} of {self.subdomains.systems[name].nv} columns of "
                    f"{name!r} were saved"
                )
        total = np.zeros((self.t.size, self.subdomains.undivided))
        count = np.zeros(self.subdomains.undivided)
        for name, places in self.subdomains.indices.items():
            total[:, places] += getattr(self.parts[name], of)
            count[places] += 1.0
        return total / count

    def __repr__(self) -> str:
        return (
            f"<SubdomainSolution {', '.join(self.parts)}: {self.t.size} rows from t = {self.t[0]:g} to {self.t[-1]:g}, "
            f"{self.lam.shape[1]} ties; {self.stats}>"
        )
