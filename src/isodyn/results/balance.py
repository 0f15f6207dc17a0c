"""How well a solution keeps its constraints and its energy.

    drift     |φ_k|/r_k/max(1, |q|),   |φ̇_k, ψ_k|/r_k/|v|,   |φ̈_k, ψ̇_k|/r_k/|a|        maximum norms, row by row in time
    balance   E(t) − E(t₀) − ∫ P dt,     P = vᵀQ + d(T + V)/dε|_{q ⊕ εv, v, t+ε} + λᵀφ_t

The power P is what changes T + V: the derivative along the motion at fixed v contains ½vᵀṀv and V̇,
so that of vᵀQ only the part that does not come from the potential remains; λᵀφ_t = −λᵀG v is the
work of moving constraints. The integral is trapezoidal.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from isodyn.described import described
from isodyn.errors import InputError
from isodyn.kernels.compiled import FloatArray
from isodyn.systems.questions import Questions
from isodyn.systems.scales import pace, reach, sizes_of_rows

if TYPE_CHECKING:
    from isodyn.results.solution import Solution

_H = float(np.finfo(float).eps) ** (1 / 3)


@dataclass(frozen=True, eq=False)
class Drift:
    """Violation of the constraints at every saved time, relative; `str` gives the largest of each
    level."""

    t: FloatArray
    position: FloatArray
    velocity: FloatArray
    acceleration: FloatArray

    @property
    def largest(self) -> tuple[float, float, float]:
        """Maxima over time of the three levels."""
        levels = (self.position, self.velocity, self.acceleration)
        return tuple(float(level.max(initial=0.0)) for level in levels)  # type: ignore[return-value]

    __repr__ = described

    def __str__(self) -> str:
        return "constraint drift: position {:.1e}, velocity {:.1e}, acceleration {:.1e}".format(*self.largest)


def _norm(x: FloatArray) -> float:
    return float(np.abs(x).max(initial=0.0))


def drift(sol: Solution) -> Drift:
    """The three levels of the constraints along a solution; zeros where there are none.

    All in typical sizes of the system (isodyn.systems.scales): r_k of rows, |q| at the time, and
    the largest |v| and |a| of the solution, or those that pass a typical size in its time.
    """
    k = sol.t.size
    levels = np.zeros((3, k))
    if sol.system.m:
        ask, slowest = Questions(sol.system, sparse=True), 1.0 / (float(sol.t[-1] - sol.t[0]) or 1.0)
        fast = max([slowest, *(pace(sol.system, v) for v in sol.v)])
        hard = max([slowest**2, *(pace(sol.system, a) for a in sol.a)])
        for i, (t, q, v, a, lam) in enumerate(zip(sol.t, sol.q, sol.v, sol.a, sol.lam, strict=True)):
            if sol.system.first_order:
                levels[1, i] = _norm(ask.velocity(t, q, v, lam)) / max(1.0, _norm(v))
                continue
            sizes, phi = sizes_of_rows(sol.system, ask.G(t, q, v)), ask.position(t, q, v)
            levels[0, i] = _norm(phi / sizes[: phi.size]) / reach(sol.system, q)
            levels[1, i] = _norm(ask.velocity(t, q, v) / sizes) / fast
            levels[2, i] = _norm(ask.acceleration(t, q, v, a) / sizes) / hard
    return Drift(sol.t, *levels)


def energy_balance(sol: Solution) -> FloatArray:
    """E(t) − E(t₀) less the work of everything that is not in the energy: zero but for the error of
    the integration."""
    system = sol.system
    if system.energy is None:
        raise InputError("this system has no energy function", hint="pass energy= to the system")
    ask = Questions(system, sparse=True)
    move = system.retract or (lambda q, d: q + d)
    power = np.zeros(sol.t.size)
    fast = max(pace(system, v) for v in sol.v) or 1.0
    for i, (t, q, v, lam) in enumerate(zip(sol.t, sol.q, sol.v, sol.lam, strict=True)):
        e = _H * reach(system, q) / fast
        ahead, behind = sum(system.energy(move(q, e * v), v, t + e)), sum(system.energy(move(q, -e * v), v, t - e))
        force = -ask.balance(t, q, v, np.zeros(system.nv))
        power[i] = v @ force + (ahead - behind) / (2 * e)
        if system.m:
            power[i] -= lam @ (ask.G(t, q, v) @ v)
    kinetic, potential = sol.energy()
    return kinetic + potential - kinetic[0] - potential[0] - since_start(sol.t, power)


def since_start(t: FloatArray, power: FloatArray) -> FloatArray:
    """The integral of a power since the first time, by the trapezoidal rule.

    >>> since_start(np.array([0.0, 1.0, 3.0]), np.array([0.0, 2.0, 2.0])).tolist()
    [0.0, 1.0, 5.0]
    """
    return np.concatenate([[0.0], np.cumsum(0.5 * (power[1:] + power[:-1]) * np.diff(t))])
