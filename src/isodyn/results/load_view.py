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
from isodyn.kernels.compiled import F2, F, FloatArray, IntArray, i8, kernel
from isodyn.loads.laws import BY_FORMULA, FrictionLaw, SpringLaw
from isodyn.mechanism.poses import poses
from isodyn.mechanism.system import ELASTIC
from isodyn.multibody.bodies import place_bodies
from isodyn.multibody.formula_laws import formula_force
from isodyn.multibody.laws import force_of_law, potential_of_law
from isodyn.multibody.places import along, measure_of
from isodyn.multibody.tables import SCRATCH, TABLES, Scratch, Tables
from isodyn.multibody.turns import read_turns
from isodyn.results.acting_view import ActingView
from isodyn.results.at_balance import from_balance
from isodyn.results.mechanism_views import mechanism_of
from isodyn.results.switched import acting

if TYPE_CHECKING:
    from isodyn.loads.part import LoadPart
    from isodyn.loads.user import UserLoad
    from isodyn.mechanism.system import MechanismSystem
    from isodyn.results.solution import Solution

# columns of a law's history: measure, rate, f, gradient, stored energy; how many
X, RATE, PULL, SLOPES, STORED, READ = 0, 1, 2, 3, 15, 16


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
        out[n, STORED] = potential_of_law(law, t[n], tables, scratch)


def part_of(system: MechanismSystem, name: str) -> LoadPart | UserLoad | None:
    """The load as it was described; None where that is not known."""
    return None if system.description is None else system.description.parts.loads.get(name)


def along_measures(system: MechanismSystem, name: str) -> bool:
    """Whether a load acts along measures of its own; a force by formulas acts along the axes of the
    world."""
    return bool(getattr(part_of(system, name), "measured", True))


class LoadView(ActingView):
    """A load along a solution.

    What belongs to its laws is (times,) for a load that has one, as springs, motors and friction
    have, and (times, laws) for one that has several: a bushing has up to six.

    `length` and `rate` are the measure and its rate: the distance of a spring's points, the
    coordinate of a joint. `tension` is what pulls the measure back: positive shortens a spring,
    turns a joint back; `effort` is its opposite: the torque of a motor. `force` and `torque` act on
    the body `on`, the second one, or the first where that is the ground, at its mass centre, in the
    world. `power` is what the load gives to the mechanism, `work` what it gave since the start.

    Examples
    --------
    >>> import isodyn as iso
    >>> mech = iso.Mechanism(gravity=(0, 0, 0))
    >>> _ = mech.add_body("slider", mass=1.0, kind="particle", position=(1.5, 0, 0))
    >>> _ = mech.add_load(iso.Spring("spring", "ground", "slider", stiffness=4.0, rest=1.0))
    >>> spring = iso.integrate(mech.compile(), dt=0.001, t_end=1.0).load("spring")
    >>> float(spring.tension[0]), spring.force[0].tolist()
    (2.0, [-2.0, 0.0, 0.0])
    >>> bool(abs(spring.work[-1] + spring.energy[-1] - spring.energy[0]) < 1e-6)
    True
    """

    def __init__(self, sol: Solution, name: str) -> None:
        system = mechanism_of(sol, "load()")
        sol._whole("load()")
        self.numbers = [k for k, law in enumerate(system.layout.laws) if law.load == name]
        self.name, self.t, self._sol, self._system = name, sol.t, sol, system
        self._laws = [system.layout.laws[k] for k in self.numbers]
        word = self._laws[0].word
        self._side = 0 if word.second == GROUND else 6
        self.on = word.second if self._side else word.first

    def histories(self) -> tuple[str, ...]:
        """What there is to read."""
        own = super().histories()
        return own if along_measures(self._system, self.name) else ("force", "torque", "point", "power", "work")

    def _of_laws(self, values: FloatArray) -> FloatArray:
        """(times,) of one law, (times, laws) of several."""
        return values[:, 0] if values.shape[1] == 1 else values

    def _history(self, k: int, t: FloatArray, q: FloatArray, v: FloatArray) -> FloatArray:
        out = np.zeros((t.size, READ))
        q, v, lam = (np.ascontiguousarray(x) for x in (q, v, self._sol.lam))
        read_law(k, t, q, v, lam, self._system.tables, self._system.scratch.copy(), out)
        return out

    @cached_property
    def _read(self) -> FloatArray:
        """(times, laws, READ)."""
        found = np.stack([self._along(k) for k in self.numbers], axis=1)
        found[..., PULL] *= acting(self._sol, self.name)[:, None]
        return found

    def _along(self, k: int) -> FloatArray:
        """(times, READ) of a law: from where the balance holds, if its force follows from a
        measure; chords of the motion do nothing to others."""
        history = partial(self._history, k)
        if self._system.layout.laws[k].kind in ELASTIC:
            return from_balance(self._sol, history)
        return history(self._sol.t, self._sol.q, self._sol.v)

    @cached_property
    def length(self) -> FloatArray:
        """The measures, (times,) or (times, laws)."""
        return self._of_laws(self._read[..., X])

    @cached_property
    def rate(self) -> FloatArray:
        """Rates of the measures, (times,) or (times, laws)."""
        return self._of_laws(self._read[..., RATE])

    @cached_property
    def tension(self) -> FloatArray:
        """What pulls the measures back, (times,) or (times, laws)."""
        return self._of_laws(self._read[..., PULL])

    @cached_property
    def effort(self) -> FloatArray:
        """What drives the measures on, as a motor does, (times,) or (times, laws)."""
        return -self.tension

    @cached_property
    def power(self) -> FloatArray:  # type: ignore[override]
        """What the load gives to the mechanism, (times,)."""
        return -np.einsum("kl,kl->k", self._read[..., PULL], self._read[..., RATE])

    @cached_property
    def energy(self) -> FloatArray:
        """Stored in springs and limits that act, (times,)."""
        return self.as_if_it_acted * acting(self._sol, self.name)

    @cached_property
    def as_if_it_acted(self) -> FloatArray:
        """The same in rows where an event has switched it off, too, (times,)."""
        sol = self._sol
        rows = [self._history(k, sol.t, sol.q, sol.v)[:, STORED] for k in self.numbers]
        return np.asarray(np.sum(rows, axis=0))

    @cached_property
    def mode(self) -> IntArray:
        """Of friction, (times,): 1 or −1 where it slides that way, 0 where the rate is below
        `creep`, which stands for sticking."""
        frictions = [law.force for law in self._laws if isinstance(law.force, FrictionLaw)]
        if len(frictions) < len(self._laws):
            raise InputError(
                f"{self.name!r} is no friction: it does not stick or slide", hint=".tension, .rate, .force"
            )
        creep = np.array([force.creep for force in frictions])
        return np.where(np.abs(self.rate) <= creep, 0, np.sign(self.rate)).astype(np.int64)

    @cached_property
    def point(self) -> FloatArray:
        """Where the first law acts on the body `on`, in the world, (times, 3)."""
        place = poses(self._system, self.on, self._sol.q, self._sol.v)
        word = self._laws[0].word.numbers
        return np.asarray(place.position + place.R @ (word.s_j if self._side else word.s_i))

    @cached_property
    def elongation(self) -> FloatArray:
        """Of springs: measure less free length, (times,) or (times, laws)."""
        free = [law.force.rest if isinstance(law.force, SpringLaw) else 0.0 for law in self._laws]
        return self._of_laws(self._read[..., X] - np.array(free))

    @cached_property
    def chord(self) -> FloatArray:
        """How much longer the measures are at the rows than where the balance holds, (times,) or
        (times, laws)."""
        sol = self._sol
        rows = [self._history(k, sol.t, sol.q, sol.v)[:, X] for k in self.numbers]
        return self._of_laws(np.stack(rows, axis=1) - self._read[..., X])

    @cached_property
    def force(self) -> FloatArray:
        """On the body `on`, in the world, (times, 3)."""
        pulled = np.einsum("kl,kli->ki", self._read[..., PULL], self._slopes[..., self._side : self._side + 3])
        return 0.0 - pulled  # no −0

    @cached_property
    def torque(self) -> FloatArray:
        """On the body `on` about its mass centre, in the world, (times, 3)."""
        R = poses(self._system, self.on, self._sol.q, self._sol.v).R
        slopes = self._slopes[..., self._side + 3 : self._side + 6]
        return 0.0 - np.einsum("kij,kl,klj->ki", R, self._read[..., PULL], slopes)

    @cached_property
    def _slopes(self) -> FloatArray:
        """Gradients at the rows, (times, laws, 12): directions need no more than second order."""
        sol = self._sol
        return np.stack([self._history(k, sol.t, sol.q, sol.v)[:, SLOPES:] for k in self.numbers], axis=1)
