"""Loads and drives of a mechanism by name, each with the view that it needs."""

from __future__ import annotations

from typing import TYPE_CHECKING

from isodyn.bodies.body import GROUND
from isodyn.errors import InputError
from isodyn.joints.words import RowKind
from isodyn.mechanism.parts import nearest
from isodyn.mechanism.system import MechanismSystem
from isodyn.results.acting_view import ActingView
from isodyn.results.load_on_body import BeamLoadView, BodyLoadView, RodLoadView
from isodyn.results.load_view import LoadView
from isodyn.results.mechanism_views import mechanism_of, read
from isodyn.results.reactions import acting_at, on_body, places_along

if TYPE_CHECKING:
    from isodyn.results.solution import Solution


class DriveView(ActingView):
    """A drive along a solution: what it takes to move a coordinate of a joint as told.

    `length` and `rate` are the coordinate and its rate, `effort` the torque or force along it that
    the drive needs, `tension` the opposite, all (times,). `force` and `torque` act on the body
    `on`, the second one, or the first where that is the ground, at its mass centre, in the world.
    `power` is what the drive gives to the mechanism, `work` what it gave since the start.
    """

    def __init__(self, sol: Solution, name: str) -> None:
        system = mechanism_of(sol, "load()")
        sol._whole("load()")
        parts = system.joints[name]
        self.name, self.t, self._sol = name, sol.t, sol
        self.on = next(body for body in (parts.action.on, *parts.action.bodies) if body != GROUND)
        (row,) = parts.rows
        self.length, self.rate = read(sol, system, system.rows[row].terms[0][1])
        self.tension = sol.lam[:, row].copy()
        self.effort = -self.tension
        self.power = self.effort * self.rate
        place = places_along(system, sol)
        self.force, self.torque = on_body(place, system, sol, parts, self.on)
        self.point = acting_at(place, parts, self.on)


AnyLoadView = LoadView | BodyLoadView | BeamLoadView | RodLoadView | DriveView


def names_of_loads(system: MechanismSystem) -> list[str]:
    """Loads, then drives; the laws of continuous states push nothing."""
    known = () if system.description is None else system.description.parts.loads
    states = {state.name for state in system.layout.states}
    loads = [*dict.fromkeys((*known, *(law.load for law in system.layout.laws if law.load not in states)))]
    return [*(name for name in loads if _acts(system, name)), *names_of_drives(system)]


def names_of_drives(system: MechanismSystem) -> list[str]:
    """Joints that move a coordinate as a function of time."""
    return [
        name
        for name, parts in system.joints.items()
        if len(parts.rows) == 1 and system.rows[parts.rows[0]].kind is RowKind.DRIVE
    ]


def _acts(system: MechanismSystem, name: str) -> bool:
    """Whether a load has anything to show: a formula may have no component that is not zero."""
    if any(law.load == name for law in system.layout.laws):
        return True
    forces = system.loads.get(name)
    return forces is None or bool(forces.on_bodies or forces.along_beams)


def load_of(sol: Solution, name: str) -> AnyLoadView:
    """The view of a load or drive by its name."""
    system = mechanism_of(sol, "load()")
    known = names_of_loads(system)
    if name not in known:
        if name in system.joints:
            raise InputError(f"{name!r} is a joint, not a load or a drive", hint=f"sol.reaction({name!r})")
        raise InputError(f"there is no load or drive named {name!r}", hint=nearest(name, known))
    if any(law.load == name for law in system.layout.laws):
        return LoadView(sol, name)
    if name in system.joints:
        return DriveView(sol, name)
    forces = system.loads.get(name)
    if forces is not None and len({force.body for force in forces.on_bodies}) > 1:
        return RodLoadView(sol, name)
    return BodyLoadView(sol, name) if forces is None or forces.on_bodies else BeamLoadView(sol, name)
