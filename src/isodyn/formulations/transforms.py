"""The formulation that turns a constrained system into one of first order: Hamilton's form.

Hamilton's form with both constraint levels [Shimada2014 (3.207)], p = M v, in (q, p) with
multipliers λ and η:

    q̇ = v + M⁻¹Gᵀη        ṗ = Q + Ṁ v − Gᵀλ − (∂(G v)/∂q)ᵀ η        0 = φ(q),   0 = G v + φ_t,     v = M⁻¹p

η vanishes for the exact motion. A transform hands over the other system and a function that brings
its solution back.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from isodyn.errors import InputError
from isodyn.formulations.closure import Closure
from isodyn.formulations.protocol import Facts, Formulation, formulation
from isodyn.kernels.compiled import FloatArray, IntArray
from isodyn.linear_solvers.rows import choose, least_multipliers
from isodyn.results.solution import Solution
from isodyn.systems.first_order import FirstOrderSystem
from isodyn.systems.questions import Questions
from isodyn.systems.scales import pace, reach

_H = float(np.finfo(float).eps) ** (1 / 3)


@formulation("hamiltonian")
@dataclass(frozen=True)
class Hamiltonian(Formulation):
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

    facts: ClassVar[Facts] = Facts(
        "φ, φ̇",
        (2, 2, 2, 2),
        explicit=False,
        nonholonomic=False,
        compiled=False,
        constraints_only=True,
        transforms=True,
        remark="for schemes that Table 2.5 adapts",
    )

    def closure(self, dt: float) -> Closure:
        """Refuse: Hamilton's form closes no steps, it makes another system.

        Parameters
        ----------
        dt
            Size of the step.

        Returns
        -------
        closure
            Nothing; the call always fails.

        Raises
        ------
        InputError
            Always.
        """
        raise InputError("Hamilton's form closes no steps; it makes another system, with `transform`")

    def transform(self, system: Any) -> FirstOrderSystem:
        """Return the first-order system in (q, p), with the algebraic unknowns (λ, η).

        Parameters
        ----------
        system
            The constrained system.

        Returns
        -------
        system
            The system to integrate in its place.

        Raises
        ------
        InputError
            If the coordinates of the system are not a vector space.
        """
        if system.nq != system.nv or system.retract is not None:
            raise InputError("Hamilton's form needs coordinates that are a vector space; this system has retract=")
        ask, n = Questions(system), system.nv
        rest = np.zeros(n)
        rows = self.rows(system)
        m = rows.size

        def velocity(q: FloatArray, p: FloatArray, t: float) -> FloatArray:
            return np.asarray(np.linalg.solve(ask.mass(t, q, rest), p), dtype=np.float64)

        def h(s: FloatArray, z: FloatArray, t: float) -> FloatArray:
            q, p, lam, eta = s[:n], s[n:], z[:m], z[m:]
            v, G = velocity(q, p, t), ask.G(t, q, rest)[rows]
            e = _H * reach(system, q) / (pace(system, v) or 1.0)
            momentum_change = (ask.mass(t, q + e * v, rest) - ask.mass(t, q - e * v, rest)) @ v / (2 * e)
            p_dot = -ask.balance(t, q, v, rest) + momentum_change - G.T @ lam
            if np.any(eta):
                steps = _H * reach(system, q) * system.scales.v
                slopes = [
                    (ask.G(t, q + e * d, rest) - ask.G(t, q - e * d, rest))[rows] @ v / (2 * e)
                    for e, d in zip(steps, np.eye(n), strict=True)
                ]
                p_dot -= np.array(slopes) @ eta
            return np.concatenate([v + np.linalg.solve(ask.mass(t, q, rest), G.T @ eta), p_dot])

        def c(s: FloatArray, z: FloatArray, t: float) -> FloatArray:
            q, v = s[:n], velocity(s[:n], s[n:], t)
            return np.concatenate([ask.position(t, q, v)[rows], ask.velocity(t, q, v)[rows]])

        s0 = np.concatenate([system.q0, ask.mass(0.0, system.q0, rest) @ system.v0])
        names = [system.row_names[i] for i in rows]
        return FirstOrderSystem(
            h, s0, z0=np.zeros(2 * m), c=c, row_names=names + [f"{name} (velocity)" for name in names]
        )

    def rows(self, system: Any) -> IntArray:
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

    def lift(self, sol: Solution, system: Any) -> Solution:
        """Return q, v, a and λ from (q, p), their rates and (λ, η).

        Parameters
        ----------
        sol
            Solution of the first-order system.
        system
            The constrained system.

        Returns
        -------
        sol
            Solution of the constrained system; η is in `aux`.
        """
        ask, n, rows = Questions(system), system.nv, self.rows(system)
        q, p, p_dot = sol.v[:, :n].copy(), sol.v[:, n:], sol.a[:, n:]
        v, a, rest = np.zeros_like(q), np.zeros_like(q), np.zeros(n)
        lam, eta = np.zeros((2, sol.t.size, system.m))
        lam[:, rows], eta[:, rows] = sol.lam[:, : rows.size], sol.lam[:, rows.size :]
        for i, t in enumerate(sol.t):
            M = ask.mass(t, q[i], rest)
            v[i] = np.linalg.solve(M, p[i])
            e = _H * reach(system, q[i]) / (pace(system, v[i]) or 1.0)
            M_dot = (ask.mass(t, q[i] + e * v[i], rest) - ask.mass(t, q[i] - e * v[i], rest)) / (2 * e)
            a[i] = np.linalg.solve(M, p_dot[i] - M_dot @ v[i])
            if rows.size < system.m:
                lam[i] = least_multipliers(ask.G(t, q[i], v[i]), lam[i], system.scales)
        sol.aux["eta"] = eta
        sol.q, sol.v, sol.a, sol.lam, sol.system = q, v, a, lam, system
        sol.columns = {"q": np.arange(n), "v": np.arange(n), "a": np.arange(n), "lam": np.arange(system.m)}
        sol.redundant = tuple(name for i, name in enumerate(system.row_names) if i not in rows)
        return sol
