"""Whether the matrices that a model knows are the derivatives of its equations, along random
directions."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from isodyn.kernels.compiled import BALANCE, JACOBIAN, FloatArray, IntArray
from isodyn.linear_solvers.blocks import full
from isodyn.sensitivities.memory import groups_of, patterns
from isodyn.sensitivities.start import along
from isodyn.systems.base import System
from isodyn.systems.compiled_system import settled
from isodyn.systems.questions import Questions

if TYPE_CHECKING:
    from isodyn.systems.model import Model

AGREES = 1e-7  # what differs from differences by less, relatively, is the derivative


NOTHING = 1e-12  # of the largest: what is smaller at all random states is zero
STATES = 3


class MatrixCheck:
    """Questions at one random state near the start of a system."""

    def __init__(self, system: System, t: float, rotations: IntArray) -> None:
        self.system, self.t, self.rotations, rng = system, t, rotations, np.random.default_rng(3)
        n, sizes = system.nv, system.scales.v
        self.ask, self.q = Questions(system), settled(system, system.q0)
        self.v, self.a = system.v0 + 0.3 * rng.standard_normal(n) * sizes, rng.standard_normal(n)
        self.lam, self.d = rng.standard_normal(system.m), rng.standard_normal(n) * sizes

    def moved(self, d: FloatArray) -> FloatArray:
        """q ⊕ d."""
        retract = self.system.retract
        return self.q + d if retract is None else np.asarray(retract(self.q.copy(), d))

    def is_exact(self) -> bool:
        """Whether K and C are the derivatives of the balance."""
        n, none = self.system.nv, np.zeros(self.system.nv)
        for k, by in ((1, (none, self.d)), (2, (self.d, none))):
            weights = [0.0, 0.0, 0.0]
            weights[k] = 1.0
            J = self.ask.ask(JACOBIAN, self.t, self.q, self.v, self.a, n * n, self.lam, tuple(weights)).reshape(n, n)  # type: ignore[arg-type]

            def balance(e: float, by: tuple[FloatArray, FloatArray] = by) -> FloatArray:
                q = self.moved(e * by[0])
                return self.ask.ask(BALANCE, self.t, q, self.v + e * by[1], self.a, n, self.lam)

            found, size = along(balance, 10.0), np.abs(J * self.d).max()
            if not np.abs(J @ self.d - found).max() <= AGREES * size:
                return False
        return True

    def is_polar(self) -> bool:
        """Whether φ̈ tells ∂φ̇/∂q as in isodyn.sensitivities.linearise.rates_along."""
        system = self.system
        if system.m == 0 or system.m_phi < system.m or system.nq == 0:
            return False
        G = full(self.ask.G(self.t, self.q, self.v))
        told = self.rates(self.q, self.v, self.d, G)
        found = along(lambda e: self.ask.velocity(self.t, self.moved(e * self.d), self.v), 10.0)
        size = max(float(np.abs(found).max()), float(np.abs(np.abs(G) @ np.abs(self.d)).max()))
        return bool(np.abs(told - found).max() <= AGREES * size)

    def groups(self, model: Model, polar: bool) -> list[list[int]]:
        """Columns of ∂φ̇/∂q by groups that share no row; without those that are zero at random
        states, which translations mostly are, where φ̈ tells them."""
        system = self.system
        if system.m == 0 or system.nq == 0:
            return []
        _, _, starts, columns = patterns(model, system.nv, system.m)
        found = groups_of(starts, columns, system.nv)
        if not polar:
            return found
        sizes, rng, most = system.scales.v, np.random.default_rng(11), np.zeros(system.nv)
        row_of = np.repeat(np.arange(system.m), np.diff(starts))
        for _ in range(STATES):
            q = self.moved(0.1 * rng.standard_normal(system.nv) * sizes)
            v = self.v + rng.standard_normal(system.nv) * sizes
            G, all_rates = full(self.ask.G(self.t, q, v)), np.zeros(columns.size)
            for members in found:
                d = np.zeros(system.nv)
                d[members] = sizes[members]
                here = np.isin(columns, members)
                all_rates[here] = self.rates(q, v, d, G)[row_of[here]]
            np.maximum.at(most, columns, np.abs(all_rates) / max(float(np.abs(all_rates).max()), 1e-300))
        kept = [[j for j in members if most[j] > NOTHING] for members in found]
        return [members for members in kept if members]

    def rates(self, q: FloatArray, v: FloatArray, d: FloatArray, G: FloatArray) -> FloatArray:
        """∂φ̇/∂q d from φ̈."""
        none, cross = np.zeros(self.system.nv), np.zeros(self.system.nv)
        above, below = (self.ask.acceleration(self.t, q, v + s * d, none) for s in (1.0, -1.0))
        places = self.rotations[:, None] + np.arange(3)
        cross[places] = np.cross(d[places], v[places])
        return np.asarray(0.25 * (above - below) + 0.5 * G @ cross)
