"""What a run of subdomains returns: a solution for each, and what belongs to the interface."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from isodyn.errors import InputError
from isodyn.kernels.compiled import FloatArray
from isodyn.results.solution import Sample, Solution, Statistics

if TYPE_CHECKING:
    from isodyn.subdomains.ties import Subdomains


@dataclass(frozen=True)
class SubdomainSample:
    """What an observer of subdomains sees: t, interface multipliers `lam`, and a `Sample` for each
    subdomain by its name."""

    t: float
    lam: FloatArray
    parts: dict[str, Sample]

    def __getitem__(self, name: str) -> Sample:
        if name not in self.parts:
            raise InputError(f"no subdomain {name!r}; there are {', '.join(map(repr, self.parts))}")
        return self.parts[name]


@dataclass(frozen=True, eq=False)
class InterfaceDrift:
    """Σ G_ℓ q_ℓ, Σ G_ℓ v_ℓ and Σ G_ℓ a_ℓ at every saved time, one column per tie; no position for
    first-order systems."""

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
    """What the interface does: `work` on each subdomain since t₀, and what then remains of its
    energy balance.

    `residual[name]` is E − E(t₀) less the works of loads and interface on that subdomain, zero but
    for the error of the integration. The works add up to `transfer`, which vanishes where
    velocities are continuous.
    """

    t: FloatArray
    work: dict[str, FloatArray]
    residual: dict[str, FloatArray]

    @property
    def transfer(self) -> FloatArray:
        """Σ of the works of the interface: energy that it makes or takes."""
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


class SubdomainSolution(Mapping[str, Solution]):
    """sol["name"] is the solution of a subdomain; `lam` (k, m) the interface multipliers at the
    times `t`.

    `redundant` names the ties that follow from others; multipliers are then the ones of least norm.
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

    def __getitem__(self, name: str) -> Solution:
        if name not in self.parts:
            raise KeyError(f"no subdomain {name!r}; there are {', '.join(map(repr, self.parts))}")
        return self.parts[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self.parts)

    def __len__(self) -> int:
        return len(self.parts)

    def drift(self) -> InterfaceDrift:
        """How far the subdomains come apart: displacement, velocity and acceleration (at t_n)
        across every tie."""
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
        """Kinetic and potential energy of all subdomains together."""
        kinetic, potential = np.zeros(self.t.size), np.zeros(self.t.size)
        for sol in self.parts.values():
            T, V = sol.energy()
            kinetic += T
            potential += V
        return kinetic, potential

    def interface_power(self) -> dict[str, FloatArray]:
        """−λᵀG_ℓ v_ℓ: the power of the interface on each subdomain; the sum is zero where
        velocities are continuous."""
        return {
            name: -np.einsum("ki,ki->k", self.lam, self._across("interface_power()", name, "v")) for name in self.parts
        }

    def energy_balance(self) -> InterfaceBalance:
        """Works of the interface on the subdomains, and energy less all work of each; integrals are
        trapezoidal over the saved times."""
        work = {
            name: np.concatenate([[0.0], np.cumsum(0.5 * (power[1:] + power[:-1]) * np.diff(self.t))])
            for name, power in self.interface_power().items()
        }
        residual = {name: sol.energy_balance() - work[name] for name, sol in self.parts.items()}
        return InterfaceBalance(self.t, work, residual)

    def gather(self, of: str = "q") -> FloatArray:
        """q, v or a (k, n) of the undivided system that was partitioned; of shared coordinates the
        mean."""
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
