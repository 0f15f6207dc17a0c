"""The formulation that turns a constrained system into one of first order: Hamilton's form.

Hamilton's form with both constraint levels [Shimada2014 (3.207)], p = M v, in (q, p) with
multipliers λ and η:

    q̇ = v + M⁻¹Gᵀη        ṗ = Q + Ṁ v − Gᵀλ − (∂(G v)/∂q)ᵀ η        0 = φ(q),   0 = G v + φ_t,     v = M⁻¹p

η vanishes for the exact motion. Where v are quasi-velocities (angular velocities in the body frame
beside quaternions), q̇ = E(q) v and p are their momenta; Q holds the gyroscopic terms, v × p of the
Lie–Poisson bracket, so that ṗ = M v̇ + Ṁ v keeps its form, and derivatives along q are those along
q ⊕ εd. Quaternions in (q, p) are brought to unit length wherever they are used.

A transform hands over the other system and a function that brings its solution back.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import ClassVar

import numpy as np

from isodyn.formulations.protocol import ClosesNoSteps, Facts, formulation
from isodyn.kernels.compiled import CONSTANT_MASS, KNOWS_RATE, RATE, FloatArray, IntArray
from isodyn.linear_solvers.rows import choose, least_multipliers
from isodyn.results.solution import Solution
from isodyn.systems import differences
from isodyn.systems.base import System
from isodyn.systems.first_order import FirstOrderSystem
from isodyn.systems.questions import Questions
from isodyn.systems.scales import pace, reach

_H = float(np.finfo(float).eps) ** (1 / 3)


@formulation("hamiltonian")
@dataclass(frozen=True)
class Hamiltonian(ClosesNoSteps):
    """Integrate Hamilton's equations, with both constraint levels at every t_n.

    It needs a scheme that adapts to first-order systems. An observer sees the state of that system:
    (q, p) in v, their rates in a.

    Examples
    --------
    >>> import isodyn as iso
    >>> pendulum = iso.problems.get("pendulum").system()
    >>> scheme = iso.Scheme.optimal(0.8)
    >>> sol = iso.integrate(pendulum, scheme, iso.Hamiltonian(), dt=0.01, t_end=0.1)
    >>> bool(sol.drift().velocity.max() < 1e-9)
    True
    """

    refusal: ClassVar[str] = "Hamilton's form closes no steps; it makes another system, with `transform`"
    facts: ClassVar[Facts] = Facts(
        "φ, φ̇",
        (2, 2, 2, 2),
        explicit=False,
        nonholonomic=False,
        compiled=False,
        constraints_only=True,
        transforms=True,
        nonideal=False,
        remark="for schemes that Table 2.5 adapts",
    )

    def transform(self, system: System) -> FirstOrderSystem:
        # of first order in (q, p), with the algebraic unknowns (λ, η)
        ask, n, k = Questions(system), system.nv, system.nq
        rest = np.zeros(n)
        rows, place = self.rows(system), _Place(system, ask)
        m = rows.size

        def velocity(q: FloatArray, p: FloatArray, t: float) -> FloatArray:
            return np.asarray(np.linalg.solve(ask.mass(t, q, rest), p), dtype=np.float64)

        def h(s: FloatArray, z: FloatArray, t: float) -> FloatArray:
            q, p, lam, eta = place.live(s[:k]), s[k:], z[:m], z[m:]
            v, G = velocity(q, p, t), ask.G(t, q, rest)[rows]
            p_dot = -ask.balance(t, q, v, rest) + place.mass_rate(t, q, v) @ v - G.T @ lam
            if np.any(eta):
                steps = _H * reach(system, q) * system.scales.v
                slopes = [
                    (ask.G(t, place.move(q, e * d), rest) - ask.G(t, place.move(q, -e * d), rest))[rows] @ v / (2 * e)
                    for e, d in zip(steps, np.eye(n), strict=True)
                ]
                p_dot -= np.array(slopes) @ eta
                v = v + np.linalg.solve(ask.mass(t, q, rest), G.T @ eta)
            return np.concatenate([place.rate(t, q, v), p_dot])

        def c(s: FloatArray, z: FloatArray, t: float) -> FloatArray:
            q = place.live(s[:k])
            v = velocity(q, s[k:], t)
            return np.concatenate([ask.position(t, q, v)[rows], ask.velocity(t, q, v)[rows]])

        s0 = np.concatenate([system.q0, ask.mass(0.0, system.q0, rest) @ system.v0])
        names = [system.row_names[i] for i in rows]
        return FirstOrderSystem(
            h, s0, z0=np.zeros(2 * m), c=c, row_names=names + [f"{name} (velocity)" for name in names]
        )

    def rows(self, system: System) -> IntArray:
        """Return the independent constraint rows at the start.

        Parameters
        ----------
        system
            The constrained system.

        Returns
        -------
        rows
            Their numbers.
        """
        return choose(Questions(system).G(0.0, system.q0, system.v0) * system.scales.v).chosen

    def lift(self, sol: Solution, system: System) -> Solution:
        # q, v, a and λ from (q, p), their rates and (λ, η); η is in `aux`
        ask, k, rows = Questions(system), system.nq, self.rows(system)
        place, p, p_dot = _Place(system, ask), sol.v[:, k:], sol.a[:, k:]
        q = np.array([place.live(row) for row in sol.v[:, :k]])
        v, a, rest = np.zeros_like(p), np.zeros_like(p), np.zeros(system.nv)
        lam, eta = np.zeros((2, sol.t.size, system.m))
        lam[:, rows], eta[:, rows] = sol.lam[:, : rows.size], sol.lam[:, rows.size :]
        for i, t in enumerate(sol.t):
            M = ask.mass(t, q[i], rest)
            v[i] = np.linalg.solve(M, p[i])
            a[i] = np.linalg.solve(M, p_dot[i] - place.mass_rate(t, q[i], v[i]) @ v[i])
            if rows.size < system.m:
                lam[i] = least_multipliers(ask.G(t, q[i], v[i]), lam[i], system.scales)
        sol.aux["eta"] = eta
        sizes = {"q": k, "v": system.nv, "a": system.nv, "lam": system.m}
        columns = {name: np.arange(size) for name, size in sizes.items()}
        redundant = tuple(name for i, name in enumerate(system.row_names) if i not in rows)
        return replace(sol, q=q, v=v, a=a, lam=lam, system=system, columns=columns, redundant=redundant)


class _Place:
    """Coordinates of a system: where they live, how they move, how fast."""

    def __init__(self, system: System, ask: Questions) -> None:
        self.system, self.ask, self.still = system, ask, np.zeros(system.nv)
        self.constant = bool(ask.model.traits & CONSTANT_MASS)

    def move(self, q: FloatArray, d: FloatArray) -> FloatArray:
        """q ⊕ d."""
        retract = self.system.retract
        return q + d if retract is None else np.asarray(retract(q, d), dtype=np.float64)

    def live(self, q: FloatArray) -> FloatArray:
        """q where it lives: q ⊕ 0 has quaternions of unit length."""
        return q if self.system.retract is None else self.move(q.copy(), self.still)

    def rate(self, t: float, q: FloatArray, v: FloatArray) -> FloatArray:
        """q̇, the derivative of q ⊕ εv."""
        if self.system.retract is None:
            return v
        if self.ask.model.traits & KNOWS_RATE:
            return self.ask.ask(RATE, t, q, v, v, self.system.nq)
        e = 1.0 / (pace(self.system, v) or 1.0)
        return np.asarray(differences.first(lambda k: self.move(q, k * e * v)) / e)

    def mass_rate(self, t: float, q: FloatArray, v: FloatArray) -> FloatArray:
        """Ṁ along the motion."""
        n = self.system.nv
        if self.constant:
            return np.zeros((n, n))
        e = _H * reach(self.system, q) / (pace(self.system, v) or 1.0)
        ahead, behind = (self.ask.mass(t, self.move(q, sign * e * v), self.still) for sign in (1.0, -1.0))
        return np.asarray((ahead - behind) / (2 * e))
