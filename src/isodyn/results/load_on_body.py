"""What a solution says about loads that do not act along measures: forces, torques and drag on
bodies, forces along beams, users' functions.

The power of a load is f·ṙ + τ·ω on a body, and Σ f·ẋ over the coordinates of the nodes of a beam.
"""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np
from numba import types

from isodyn.bodies.pose import Pose
from isodyn.expressions.time_kernels import at_time
from isodyn.kernels.compiled import F2, F, FloatArray, i8, kernel
from isodyn.loads.user import UserLoad
from isodyn.mechanism.poses import poses
from isodyn.multibody.bodies import place_bodies
from isodyn.multibody.histories import Poses
from isodyn.multibody.loads import force_and_torque, scale_of_load
from isodyn.multibody.tables import SCRATCH, TABLES, Scratch, Tables
from isodyn.results.acting_view import ActingView
from isodyn.results.mechanism_views import mechanism_of, turned
from isodyn.results.switched import acting

if TYPE_CHECKING:
    from isodyn.mechanism.system import MechanismSystem
    from isodyn.results.solution import Solution


@kernel(types.void(i8, F, F2, F2, TABLES, SCRATCH, F2))
def read_load(
    k: int, t: FloatArray, q: FloatArray, v: FloatArray, tables: Tables, scratch: Scratch, out: FloatArray
) -> None:
    """Force in the world and torque in the body of load k along histories, into the rows of out."""
    load = tables.loads[k]
    for n in range(t.size):
        place_bodies(q[n], v[n], tables, scratch)
        force, torque = force_and_torque(load, scratch.poses[load.body])
        scale = scale_of_load(load, t[n], tables, scratch)
        for i in range(3):
            out[n, i], out[n, 3 + i] = scale * force[i], scale * torque[i]


@kernel(types.void(i8, F, TABLES, SCRATCH, F))
def read_factor(n: int, t: FloatArray, tables: Tables, scratch: Scratch, out: FloatArray) -> None:
    """The factor of load n along a beam at these times."""
    for k in range(t.size):
        f = at_time(tables.beams.spreads[n].time, t[k], tables.time, scratch.formulas)[0]
        out[k] = tables.load_factor * f


def read_loads(sol: Solution, system: MechanismSystem, name: str) -> list[FloatArray]:
    """Force in the world and torque in the body of every force on a body that a load consists
    of."""
    q, v = np.ascontiguousarray(sol.q), np.ascontiguousarray(sol.v)
    before = list(system.loads).index(name)
    first = sum(len(forces.on_bodies) for forces in list(system.loads.values())[:before])
    found = []
    for k in range(first, first + len(system.loads[name].on_bodies)):
        one = np.zeros((sol.t.size, 6))
        read_load(k, sol.t, q, v, system.tables, system.scratch.copy(), one)
        found.append(one)
    return found


class ForceView(ActingView):
    """A load that does not act along measures: its resultant `force` and `torque` in the world, the
    `point` where the force acts, `power` that it gives to the mechanism, and `work` that it gave
    since the start, by the trapezoidal rule over the saved times."""

    def histories(self) -> tuple[str, ...]:
        """What there is to read."""
        return ("force", "torque", "point", "power", "work")


class BodyLoadView(ForceView):
    """A force, torque, drag or user's load along a solution.

    The torque is about the mass centre of the body `on`.
    """

    def __init__(self, sol: Solution, name: str) -> None:
        system = mechanism_of(sol, "load()")
        sol._whole("load()")
        self.name, self.t, self._sol, self._system = name, sol.t, sol, system
        assert system.description is not None
        self._part = system.description.parts.loads[name]
        self.on = self._part.body if isinstance(self._part, UserLoad) else system.loads[name].on_bodies[0].body

    @cached_property
    def _place(self) -> Poses:
        return poses(self._system, self.on, self._sol.q, self._sol.v)

    @cached_property
    def _both(self) -> FloatArray:
        """Force in the world and torque in the body, (times, 6)."""
        sol, system = self._sol, self._system
        found = np.zeros((sol.t.size, 6))
        if isinstance(self._part, UserLoad):
            p = self._place
            for k, t in enumerate(sol.t):
                pose = Pose(p.position[k], p.R[k], p.v[k], p.w[k])
                found[k] = self._part.value(float(t), pose)
            return found * acting(sol, self.name)[:, None]
        return np.asarray((found + sum(read_loads(sol, system, self.name))) * acting(sol, self.name)[:, None])

    @cached_property
    def force(self) -> FloatArray:
        """On the body `on`, in the world, (times, 3)."""
        return self._both[:, :3]

    @cached_property
    def torque(self) -> FloatArray:
        """On the body `on` about its mass centre, in the world, (times, 3)."""
        return turned(self._place.R, self._both[:, 3:])

    @cached_property
    def point(self) -> FloatArray:
        """Where the force acts, in the world, (times, 3); the mass centre for torques."""
        s = np.zeros(3)
        if not isinstance(self._part, UserLoad):
            s = self._system.loads[self.name].on_bodies[0].point
        return np.asarray(self._place.position + self._place.R @ s)

    @cached_property
    def power(self) -> FloatArray:  # type: ignore[override]
        """What the load gives to the mechanism, (times,)."""
        return np.asarray(np.einsum("ki,ki->k", self._both, np.hstack([self._place.v, self._place.w])))


class BeamLoadView(ForceView):
    """A force along a beam; its torque is about the start of the beam."""

    def __init__(self, sol: Solution, name: str) -> None:
        system = mechanism_of(sol, "load()")
        sol._whole("load()")
        self.name, self.t, self._sol = name, sol.t, sol
        self.on = system.loads[name].along_beams[0].beam
        before = list(system.loads).index(name)
        first = sum(len(forces.along_beams) for forces in list(system.loads.values())[:before])
        spreads = system.layout.spreads[first : first + len(system.loads[name].along_beams)]
        own, dim = slice(spreads[0].first, spreads[0].first + spreads[0].forces.size), system.beams[self.on].mesh.dim
        f = np.zeros((sol.t.size, spreads[0].forces.size // dim, dim))
        for k, spread in enumerate(spreads, start=first):
            scale = np.zeros(sol.t.size)
            read_factor(k, sol.t, system.tables, system.scratch.copy(), scale)
            f += (acting(sol, name) * scale)[:, None, None] * spread.forces.reshape(-1, dim)
        q, v = (x[:, own].reshape(sol.t.size, -1, dim) for x in (sol.q, sol.v))
        self.power = np.einsum("kni,kni->k", f, v)
        f, q = (np.pad(x, ((0, 0), (0, 0), (0, 3 - dim))) for x in (f, q))
        self.force = f[:, ::2].sum(axis=1)  # of positions; the others act on slopes
        self.point = q[:, 0]
        self.torque = np.cross(q, f).sum(axis=1) - np.cross(self.point, self.force)


class RodLoadView(ForceView):
    """A force along a rod, on its nodes: as of `BeamLoadView`."""

    def __init__(self, sol: Solution, name: str) -> None:
        system = mechanism_of(sol, "load()")
        sol._whole("load()")
        self.name, self.t, self._sol = name, sol.t, sol
        forces = system.loads[name].on_bodies
        self.on = forces[0].body.rpartition("[")[0]
        f = np.stack([both[:, :3] for both in read_loads(sol, system, name)], axis=1)
        places = [poses(system, force.body, sol.q, sol.v) for force in forces]
        r, v = (np.stack([getattr(place, x) for place in places], axis=1) for x in ("position", "v"))
        self.power, self.force, self.point = np.einsum("kni,kni->k", f, v), f.sum(axis=1), r[:, 0]
        self.torque = np.cross(r - r[:, :1], f).sum(axis=1)
