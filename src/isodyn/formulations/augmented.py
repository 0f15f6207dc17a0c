"""Augmented multipliers: Hamilton's principle for L − κ λᵀφ − ½ς φᵀφ.

    M a + Gᵀ(κ λ + ς φ) = Q,      κ φ = 0        [Shimada2014 (7.202)–(7.206)]

ς φ vanishes with φ. Beside a multiplier that takes what it leaves it changes no motion: a step has
the q, v and a of the same step without it, to rounding. What changes is how it is found: ς GᵀG
joins the matrix of the step, and λ is the rest that the penalty leaves to the multiplier.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from typing import Any, ClassVar

import numpy as np

from isodyn.errors import InputError
from isodyn.formulations.closure import Closure
from isodyn.formulations.policies import Stabilised
from isodyn.formulations.protocol import Facts, Formulation, formulation
from isodyn.kernels.compiled import FloatArray
from isodyn.results.solution import Solution
from isodyn.systems.base import System
from isodyn.systems.mechanical import MechanicalSystem
from isodyn.systems.questions import Questions


@formulation("augmented")
@dataclass(frozen=True)
class AugmentedMultipliers(Formulation):
    """Let a penalty ς φ carry a part of the constraint forces, and multipliers κ λ the rest.

    φ and φ̇ vanish at every t_n, as with `Stabilised`; `sol.lam` is κ λ + ς φ, from M a + Gᵀλ = Q
    at t_n. The multipliers λ that the steps carry are in `sol.aux["augmented"]`.

    Parameters
    ----------
    kappa
        Scaling factor κ of the multipliers.
    varsigma
        Penalty coefficient ς, a stiffness for constraints that are lengths.

    Raises
    ------
    InputError
        If `kappa` is not positive, or `varsigma` is negative.

    Examples
    --------
    >>> import isodyn as iso
    >>> pendulum = iso.problems.get("pendulum").system()
    >>> sol = iso.integrate(pendulum, formulation=iso.AugmentedMultipliers(10.0, 1e3), dt=0.01, t_end=0.1)
    >>> same = iso.integrate(pendulum, formulation=iso.Stabilised(), dt=0.01, t_end=0.1)
    >>> bool(abs(sol.q - same.q).max() < 1e-9)
    True
    """

    facts: ClassVar[Facts] = Facts(
        "φ, φ̇",
        (2, 2, 2, 2),
        compiled=False,
        constraints_only=True,
        transforms=True,
        nonideal=False,
        remark="the motion of `Stabilised`, to rounding",
    )

    kappa: float = 1.0
    varsigma: float = 1e3

    def __post_init__(self) -> None:
        for name, least in (("kappa", "positive"), ("varsigma", "not negative")):
            value = getattr(self, name)
            if not (math.isfinite(value) and (value > 0 or (name == "varsigma" and value == 0))):
                raise InputError(f"{name} must be {least}, received {value!r}")

    def closure(self, dt: float) -> Closure:
        return Stabilised().closure(dt)

    def transform(self, system: System) -> MechanicalSystem:
        # the penalty is among the forces, and the constraints are scaled
        ask, n, m = Questions(system), system.nv, system.m_phi
        still, kappa = np.zeros(n), float(self.kappa)

        def Q(q: FloatArray, v: FloatArray, t: float) -> FloatArray:
            G, phi = ask.G(t, q, v)[:m], ask.position(t, q, v)
            return np.asarray(-ask.balance(t, q, v, still) - G.T @ (self.varsigma * phi))  # [Shimada2014 (7.206)]

        rows: dict[str, Any] = {}
        if m:
            rows["phi"] = lambda q, t: kappa * ask.position(t, q, still)
            rows["G"] = lambda q, t: kappa * ask.G(t, q, still)[:m]
            rows["b"] = lambda q, v, t: -kappa * ask.acceleration(t, q, v, still)[:m]
            rows["phi_t"] = lambda q, t: kappa * ask.velocity(t, q, still)[:m]
        if system.m > m:
            rows["psi"] = lambda q, v, t: ask.velocity(t, q, v)[m:]
            rows["psi_v"] = lambda q, v, t: ask.G(t, q, v)[m:]
            rows["psi_rest"] = lambda q, v, t: ask.acceleration(t, q, v, still)[m:]
        return MechanicalSystem(
            lambda q: ask.mass(0.0, q, still),
            Q,
            system.q0,
            system.v0,
            retract=system.retract,
            difference=system.difference,
            energy=system.energy,
            scales=system.scales.v,
            names=system.names,
            row_names=system.row_names,
            **rows,
        )

    def lift(self, sol: Solution, system: System) -> Solution:
        # with the whole multipliers κ λ + ς φ
        ask = Questions(system)
        sol.aux["augmented"] = sol.lam.copy()
        for i, (t, q, v, a) in enumerate(zip(sol.t, sol.q, sol.v, sol.a, strict=True)):
            # κ λ + ς φ is what Gᵀ of it balances at t_n; φ of the instant of balance is in λ alone
            sol.lam[i] = np.linalg.lstsq(ask.G(t, q, v).T, -ask.balance(t, q, v, a), rcond=None)[0]
        return replace(sol, system=system)
