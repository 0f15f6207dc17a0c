"""How well a solution keeps its constraints and its energy.

    drift     |φ|/max(1, |q|),   |φ̇, ψ|/max(1, |v| |G|),   |φ̈, ψ̇|/max(1, |a| |G|)        maximum norms, row by row in time
    balance   E(t) − E(t₀) − ∫ P dt,     P = vᵀQ + d(T + V)/dε|_{q ⊕ εv, v, t+ε} + λᵀφ_t

The power P is what changes T + V: the derivative along the motion at fixed v contains ½vᵀṀv and V̇, so that of vᵀQ only the part
that does not come from the potential remains; λᵀφ_t = −λᵀG v is the work of moving constraints. The integral is trapezoidal.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from isodyn.compiled import FloatArray
from isodyn.errors import InputError
from isodyn.linear_solvers.blocks import largest
from isodyn.systems.questions import Questions

if TYPE_CHECKING:
    from isodyn.results.solution import Solution

_H = float(np.finfo(float).eps) ** (1 / 3)


@dataclass(frozen=True, eq=False)
class Drift:
    """Violation of the constraints at every saved time, relative; `str` gives the largest of each level."""

    t: FloatArray
    position: FloatArray
    velocity: FloatArray
    acceleration: FloatArray

    @property
    def largest(self) -> tuple[float, float, float]:
        """Maxima over time of the three levels."""
        levels = (self.position, self.velocity, self.acceleration)
        return tuple(float(level.max(initial=0.0)) for level in levels)  # type: ignore[return-value]

    def __str__(self) -> str:
        return "constraint drift: position {:.1e}, velocity {:.1e}, acceleration {:.1e}".format(*self.largest)


def _norm(x: FloatArray) -> float:
    return float(np.abs(x).max(initial=0.0))


def drift(sol: Solution) -> Drift:
    """The three levels of the constraints along a solution; zeros where there are none."""
    k = sol.t.size
    levels = np.zeros((3, k))
    if sol.system.m:
        ask = Questions(sol.system, sparse=True)
        for i, (t, q, v, a, lam) in enumerate(zip(sol.t, sol.q, sol.v, sol.a, sol.lam, strict=True)):
            if sol.system.first_order:
                levels[1, i] = _norm(ask.velocity(t, q, v, lam)) / max(1.0, _norm(v))
                continue
            G = largest(ask.G(t, q, v))
            levels[0, i] = _norm(ask.position(t, q, v)) / max(1.0, _norm(q))
            levels[1, i] = _norm(ask.velocity(t, q, v)) / max(1.0, _norm(v) * G)
            levels[2, i] = _norm(ask.acceleration(t, q, v, a)) / max(1.0, _norm(a) * G)
    return Drift(sol.t, *levels)


def energy_balance(sol: Solution) -> FloatArray:
    """E(t) − E(t₀) less the work of everything that is not in the energy: zero but for the error of the integration."""
    system = sol.system
    if system.energy is None:
        raise InputError("this system has no energy function", hint="pass energy= to the system")
    ask = Questions(system, sparse=True)
    move = system.retract or (lambda q, d: q + d)
    power = np.zeros(sol.t.size)
    for i, (t, q, v, lam) in enumerate(zip(sol.t, sol.q, sol.v, sol.lam, strict=True)):
        e = _H * max(1.0, _norm(q)) / max(1.0, _norm(v))
        ahead, behind = sum(system.energy(move(q, e * v), v, t + e)), sum(system.energy(move(q, -e * v), v, t - e))
        force = -ask.balance(t, q, v, np.zeros(system.nv))
        power[i] = v @ force + (ahead - behind) / (2 * e)
        if system.m:
            power[i] -= lam @ (ask.G(t, q, v) @ v)
    kinetic, potential = sol.energy()
    work = np.concatenate([[0.0], np.cumsum(0.5 * (power[1:] + power[:-1]) * np.diff(sol.t))])
    return kinetic + potential - kinetic[0] - potential[0] - work
