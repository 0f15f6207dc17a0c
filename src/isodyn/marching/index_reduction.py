"""Systems of index 3 by way of one of index 2 that keeps the constraints and their derivatives.

Rows g = Kᵀc of which neither g nor ġ = g_s h + g_t contains z (isodyn.systems.derivative_chain) get
a second unknown μ each,

    s' = h(s, z, t) + g_sᵀ μ,      0 = c(s, z, t),      0 = ġ(s, z, t),

which vanishes for the exact motion: the stabilised form of Gear, Gupta and Leimkuhler
[Shimada2014 (3.93) adapted] for systems that need not be mechanical. Both levels hold at every t_n,
and s, s' and z are second order.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from isodyn.errors import InputError, IsodynError
from isodyn.kernels.compiled import FloatArray
from isodyn.results.solution import Solution
from isodyn.systems.base import System
from isodyn.systems.consistent_values import consistent
from isodyn.systems.derivative_chain import Chain
from isodyn.systems.first_order import FirstOrderSystem

if TYPE_CHECKING:
    from isodyn.open_types import Selection
    from isodyn.schemes.composition import Composition
    from isodyn.schemes.gs4_1 import FirstOrderScheme
    from isodyn.schemes.gs4_2 import Scheme

MIXED = 1e-6  # parts of combinations of rows below this are rounding
_H = float(np.finfo(float).eps) ** (1 / 3)


@dataclass(frozen=True, eq=False)
class ReducedIndex:
    """The stabilised form of one system, and the way back."""

    system: FirstOrderSystem
    chain: Chain

    def transform(self) -> FirstOrderSystem:
        """The system of index 2 in s with algebraic unknowns (z, μ)."""
        chain, m, n = self.chain, self.system.m, self.system.nv
        K = twice_free(chain)
        h, c = chain.h, chain.c
        rate_of_g = chain.along(lambda s, z, t: K.T @ c(s, z, t))

        def moved(s: FloatArray, z: FloatArray, t: float) -> FloatArray:
            rate, mu = h(s, z[:m], t), z[m:]
            if np.any(mu):
                e = _H * max(chain.size, float(np.abs(s).max()))
                columns = [c(s + e * d, z[:m], t) - c(s - e * d, z[:m], t) for d in np.eye(n)]
                rate = rate + np.array(columns) @ (K @ mu) / (2 * e)
            return rate

        def levels(s: FloatArray, z: FloatArray, t: float) -> FloatArray:
            return np.concatenate([c(s, z[:m], t), rate_of_g(s, z[:m], t)])

        names = [*self.system.row_names, *(f"derivative of {self._named(column)}" for column in K.T)]
        z0 = np.concatenate([chain.z, np.zeros(K.shape[1])])
        return FirstOrderSystem(moved, self.system.v0, z0=z0, c=levels, names=self.system.names, row_names=names)

    def _named(self, column: FloatArray) -> str:
        rows = np.flatnonzero(np.abs(column) > MIXED * np.abs(column).max())
        return " + ".join(repr(self.system.row_names[i]) for i in rows)

    def seen_by(self, observe: Callable[..., Any] | None) -> Callable[..., Any] | None:
        """An observer who knows nothing of μ."""
        m = self.system.m
        return None if observe is None else lambda sample: observe(sample._replace(lam=sample.lam[..., :m]))

    def run(
        self,
        integrate: Callable[..., Any],
        scheme: Scheme | FirstOrderScheme | Composition | None,
        select: Selection | None,
        observe: Callable[..., Any] | None,
        **options: Any,
    ) -> Solution:
        """Integrate the system of index 2 and bring its solution back."""
        if select is not None:
            raise InputError("a system of index 3 needs all columns to bring its solution back, so select must be None")
        try:
            sol: Solution = integrate(self.transform(), scheme, observe=self.seen_by(observe), **options)
        except IsodynError as error:
            if isinstance(error.partial, Solution):
                error.partial = self.lift(error.partial)
            raise
        return self.lift(sol)

    def lift(self, sol: Solution) -> Solution:
        """The solution in terms of the given system; μ goes to aux."""
        m = self.system.m
        sol.aux["mu"] = sol.lam[:, m:].copy()
        if "lam_left" in sol.aux:
            sol.aux["lam_left"] = sol.aux["lam_left"][:, :m].copy()
        sol.stats.index = f"{self.chain.index()}, by its stabilised form"
        columns = {**sol.columns, "lam": np.arange(m)}
        return replace(sol, lam=sol.lam[:, :m].copy(), system=self.system, columns=columns)


def chain_at_start(system: System, t: float) -> Chain | None:
    """The chain of a first-order system with algebraic unknowns, at its start; None for all
    others."""
    if not isinstance(system, FirstOrderSystem) or not system.m:
        return None
    return consistent(system, t, system.v0, system.z0)[2]


def reduced_index(system: System, chain: Chain | None) -> ReducedIndex | None:
    """What is needed for a system of index 3, as its chain says; None for all others."""
    if chain is None or not isinstance(system, FirstOrderSystem):
        return None
    return ReducedIndex(system, chain) if chain.index().index == 3 else None


def twice_free(chain: Chain) -> FloatArray:
    """K: combinations of the rows of c that are free of z, and whose derivatives do not determine z
    either."""
    first, second = chain.levels[0], chain.levels[1]
    K: FloatArray = first.free @ second.free[first.rank :]
    return K / np.abs(K).max(axis=0)
