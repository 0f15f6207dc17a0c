"""What a solution says about a load of a mechanism that acts along measures: springs, bushings,
limits, motors, friction, formulas.

A law pulls its measure x back with f: the force on a body is −f ∂x/∂r, the torque about its mass
centre −f ∂x/∂ϖ. All of it is taken where the balance holds (isodyn.results.at_balance).
"""

from __future__ import annotations

from functools import cached_property, partial
from typing import TYPE_CHECKING

import numpy as np
from numba import types

from isodyn.bodies.body import GROUND
from isodyn.errors import InputError
from isodyn.kernels.compiled import F2, F, FloatArray, i8, kernel
from isodyn.loads.laws import BY_FORMULA, SpringLaw
from isodyn.mechanism.poses import poses
from isodyn.mechanism.system import MechanismSystem
from isodyn.multibody.bodies import place_bodies
from isodyn.multibody.formula_laws import formula_force
from isodyn.multibody.laws import force_of_law
from isodyn.multibody.places import along, measure_of
from isodyn.multibody.tables import SCRATCH, TABLES, Scratch, Tables
from isodyn.multibody.turns import read_turns
from isodyn.results.at_balance import from_balance

if TYPE_CHECKING:
    from isodyn.results.solution import Solution

# columns of a law's history: measure, rate, f, gradient; how many
X, RATE, PULL, SLOPES, READ = 0, 1, 2, 3, 15


@kernel(types.void(i8, F, F2, F2, F2, TABLES, SCRATCH, F2))
def read_law(
    k: int,
    t: FloatArray,
    q: FloatArray,
    v: FloatArray,
    lam: FloatArray,
    tables: Tables,
    scratch: Scratch,
    out: FloatArray,
) -> None:
    """Law k along histories, into the rows of out."""
    law, g = tables.laws[k], scratch.measure.gradient
    for n in range(t.size):
        place_bodies(q[n], v[n], tables, scratch)
        read_turns(q[n], tables, scratch)
        pull = formula_force(k, t[n], v[n], tables, scratch) if law.kind == BY_FORMULA else 0.0
        x = measure_of(law.measure, g, tables, scratch)
        rate = along(law.measure, g, v[n], tables, scratch)
        if law.kind != BY_FORMULA:
            pull = force_of_law(law, t[n], x, rate, lam[n], tables, scratch)[0]
        out[n, X], out[n, RATE], out[n, PULL] = x, rate, pull
        for i in range(12):
            out[n, SLOPES + i] = g[i]


class LoadView:
    """A load along a solution, a column for each of its laws (a spring has one, a bushing up to
    six).

    `length` and `rate` are the measure and its rate: the distance of a spring's points, the
    coordinate of a joint. `tension` is what pulls the measure back: positive shortens a spring,
    turns a joint back. `force` and `torque` act on the body `on`, the second one, or the first
    where that is the ground, at its mass centre, in the world.
    """

    def __init__(self, sol: Solution, name: str) -> None:
        system = sol.system
        if not isinstance(system, MechanismSystem):
            raise InputError(f"load() needs the solution of a Mechanism; this one comes from {type(system).__name__}")
        sol._whole("load()")
        self.numbers = [k for k, law in enumerate(system.layout.laws) if law.load == name]
        if not self.numbers:
            known = ", ".join(dict.fromkeys(repr(law.load) for law in system.layout.laws)) or "none"
            raise InputError(f"there is no load along measures named {name!r}", hint=f"such loads: {known}")
        self.name, self.t, self._sol, self._system = name, sol.t, sol, system
        self._laws = [system.layout.laws[k] for k in self.numbers]
        word = self._laws[0].word
        self._side = 0 if word.second == GROUND else 6
        self.on = word.second if self._side else word.first

    def _history(self, k: int, t: FloatArray, q: FloatArray, v: FloatArray) -> FloatArray:
        out = np.zeros((t.size, READ))
        q, v, lam = (np.ascontiguousarray(x) for x in (q, v, self._sol.lam))
        read_law(k, t, q, v, lam, self._system.tables, self._system.scratch.copy(), out)
        return out

    @cached_property
    def _read(self) -> FloatArray:
        """(times, laws, READ)."""
        columns = [from_balance(self._sol, partial(self._history, k)) for k in self.numbers]
        return np.stack(columns, axis=1)

    @cached_property
    def length(self) -> FloatArray:
        """The measures, (times, laws)."""
        return self._read[..., X]

    @cached_property
    def rate(self) -> FloatArray:
        """Rates of the measures, (times, laws)."""
        return self._read[..., RATE]

    @cached_property
    def tension(self) -> FloatArray:
        """What pulls the measures back, (times, laws)."""
        return self._read[..., PULL]

    @cached_property
    def elongation(self) -> FloatArray:
        """Of springs: measure less free length, (times, laws)."""
        free = [law.force.rest if isinstance(law.force, SpringLaw) else 0.0 for law in self._laws]
        return self.length - np.array(free)

    @cached_property
    def chord(self) -> FloatArray:
        """How much longer the measures are at the rows than where the balance holds, (times,
        laws)."""
        sol = self._sol
        rows = [self._history(k, sol.t, sol.q, sol.v)[:, X] for k in self.numbers]
        return np.stack(rows, axis=1) - self.length

    @cached_property
    def force(self) -> FloatArray:
        """On the body `on`, in the world, (times, 3)."""
        return -np.einsum("kl,kli->ki", self.tension, self._slopes[..., self._side : self._side + 3])

    @cached_property
    def torque(self) -> FloatArray:
        """On the body `on` about its mass centre, in the world, (times, 3)."""
        R = poses(self._system, self.on, self._sol.q, self._sol.v).R
        return -np.einsum("kij,kl,klj->ki", R, self.tension, self._slopes[..., self._side + 3 : self._side + 6])

    @cached_property
    def _slopes(self) -> FloatArray:
        """Gradients at the rows, (times, laws, 12): directions need no more than second order."""
        sol = self._sol
        return np.stack([self._history(k, sol.t, sol.q, sol.v)[:, SLOPES:] for k in self.numbers], axis=1)
