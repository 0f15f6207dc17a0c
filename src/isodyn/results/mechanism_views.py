"""What a solution says about the parts of a mechanism: motion of bodies and points, joint
coordinates, momentum."""

from __future__ import annotations

from collections.abc import Callable
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import ArrayLike

from isodyn.bodies.body import GROUND, Body, vector3
from isodyn.errors import InputError
from isodyn.joints.cables import refuse_point_aside
from isodyn.joints.measures import WHOLE_TURNS
from isodyn.joints.words import Word
from isodyn.kernels.compiled import FloatArray
from isodyn.later import Later
from isodyn.mechanism.beam_part import resolve
from isodyn.mechanism.counted import over_rows
from isodyn.mechanism.poses import along_rows, map_of_node, poses
from isodyn.mechanism.system import MechanismSystem
from isodyn.multibody.histories import Poses, acceleration_along
from isodyn.results.beam_view import BeamView
from isodyn.results.history_view import HistoryView
from isodyn.results.recorded import Recorded

rod_view = Later("isodyn.results.rod_view")

if TYPE_CHECKING:
    from isodyn.results.solution import Solution


def mechanism_of(sol: Solution, what: str) -> MechanismSystem:
    """The mechanism behind a solution."""
    if not isinstance(sol.system, MechanismSystem):
        text = f"{what} needs the solution of a Mechanism; this one comes from {type(sol.system).__name__}"
        hint = "solutions in other coordinates come back by system.lift(sol)"
        if isinstance(sol.system, Recorded):
            text = f"{what} needs the mechanism, which the file of this solution does not hold"
            text += f": {sol.system.missing}" if sol.system.missing else ""
            hint = "iso.load(path, system=system)"
        raise InputError(text, hint=hint)
    return sol.system


class PointView(HistoryView):
    """Position, velocity and acceleration of a point that moves with a body, in the world."""

    def __init__(self, body: BodyView, s: FloatArray) -> None:
        self.t, self.on, self.arm = body.t, body.name, s
        R, w, dw = body.R, body.angular_velocity, body.angular_acceleration
        arm = np.broadcast_to(s, w.shape)
        self.position = body.position + R @ s
        self.velocity = body.velocity + turned(R, np.cross(w, arm))
        self.acceleration = body.acceleration + turned(R, np.cross(dw, arm) + np.cross(w, np.cross(w, arm)))

    def about(self) -> str:
        """The body, and where it is in it."""
        return f"of {self.on!r} at ({', '.join(f'{x + 0.0:.4g}' for x in self.arm)}) from its mass centre"

    def histories(self) -> tuple[str, ...]:
        """What there is to read."""
        return ("position", "velocity", "acceleration")


class BodyView(HistoryView):
    """Motion of one body: mass centre in the world, rotation as quaternions (scalar first), rates
    in the body frame."""

    def __init__(self, sol: Solution, name: str) -> None:
        system = mechanism_of(sol, "body()")
        sol._whole("body()")
        if resolve(name, system.lines) not in system.layout.number or name == GROUND:
            known = [b.name for b in system.bodies if b.is_body]
            known += [f"{beam}.{end}" for beam in system.lines for end in ("start", "end")]
            raise InputError(f"there is no body named {name!r}", hint=f"bodies: {', '.join(known)}")
        self.name, self.t = name, sol.t
        self.body: Body = system.bodies[system.number_of(name)]
        self._sol, self._own = sol, sol.a[:, system.v_of(name)]
        self._q = sol.q[:, system.q_of(name)]
        self._quaternion = self._q[:, 3:] if self.body.kind == "spatial" else None

    def about(self) -> str:
        """Its name and kind."""
        return f"{self.name!r} ({self.body.kind})"

    def histories(self) -> tuple[str, ...]:
        """What there is to read."""
        turn = {"planar": ("angle",), "node": ("angle",), "spatial": ("orientation",)}.get(self.body.kind, ())
        spin = ("angular_velocity", "angular_acceleration") if turn else ()
        return ("position", "velocity", "acceleration", *turn, *spin)

    @cached_property
    def _p(self) -> Poses:
        return poses(self._sol.system, self.name, self._sol.q, self._sol.v)

    @cached_property
    def _a(self) -> FloatArray:
        """Accelerations of the mass centre and of the angles."""
        if self.body.of_beam:
            own = slice(0, self._own.shape[1])
            T = [map_of_node(R, stretch, own) for R, stretch in zip(self._p.R, self._p.stretch, strict=True)]
            a = np.einsum("kij,kj->ki", np.array(T), self._own)
            a[:, 3:] -= 2 * self._p.stretching[:, None] * self._p.w
            return np.asarray(a)
        a = np.zeros((self.t.size, 6))
        if self.body.kind == "planar":
            a[:, :2], a[:, 5] = self._own[:, :2], self._own[:, 2]
        else:
            a[:, : self._own.shape[1]] = self._own
        return a

    @property
    def acceleration(self) -> FloatArray:
        """Of the mass centre."""
        return self._a[:, :3]

    @property
    def angular_acceleration(self) -> FloatArray:
        """In the body frame."""
        return self._a[:, 3:]

    @property
    def position(self) -> FloatArray:
        """Of the mass centre."""
        return self._p.position

    @property
    def velocity(self) -> FloatArray:
        return self._p.v

    @property
    def angular_velocity(self) -> FloatArray:
        """In the body frame."""
        return self._p.w

    @property
    def R(self) -> FloatArray:
        """Matrices body → world."""
        return self._p.R

    @property
    def angle(self) -> FloatArray:
        """Of a planar body, or of the slope of a planar beam."""
        if self.body.kind == "node":
            return over_rows(self.name, self.t, self._p.angle, self._p.w[:, 2])
        if self.body.kind != "planar":
            raise InputError(
                f"{self.name!r} is {self.body.kind}; only planar bodies have one angle", hint="use .orientation"
            )
        return self._q[:, 2].copy()

    @cached_property
    def orientation(self) -> FloatArray:
        """Unit quaternions (w, x, y, z)."""
        if self._quaternion is not None:
            return self._quaternion
        if self.body.kind == "cable":
            raise InputError(f"{self.name!r} is a node of a cable: it has a tangent, R[:, :, 0], but no orientation")
        half = 0.5 * self._p.angle
        zero = np.zeros_like(half)
        return np.column_stack([np.cos(half), zero, zero, np.sin(half)])

    def point(self, point: ArrayLike, frame: str = "world") -> PointView:
        """The point of the body that is at `point` of the world at the start; or with frame="body"
        in the body's own frame."""
        P, body = vector3("point", point), self.body
        if frame not in ("world", "body"):
            raise InputError(f"frame must be 'world' or 'body', received {frame!r}")
        local = body.R.T @ (P - body.position) if frame == "world" else P - body.centre
        refuse_point_aside("point", body, body.position + body.R @ local)
        return PointView(self, local)

    @cached_property
    def origin(self) -> PointView:
        """The origin of the frame that the body's position was given for."""
        return PointView(self, -self.body.centre)


WITHOUT = (
    "balls, welds, drives, gears, couplings, pulleys, rolling joints and users' rows have none; "
    "iso.Sensor measures distances and angles between bodies"
)


class JointView(HistoryView):
    """Relative coordinates of a joint along the solution, each with its rate and acceleration:
    `angle`, `displacement`, `length`, or by name.

    Accelerations are second order at t_n, as `sol.a` is.

    Examples
    --------
    >>> import isodyn as iso
    >>> mech = iso.Mechanism(gravity=(0, 0, -10.0))
    >>> _ = mech.add_body("arm", mass=1.0, inertia=(0.6, 1.0, 0.6), position=(1, 0, 0))
    >>> _ = mech.add_joint(iso.Hinge("pin", "ground", "arm", axis=(0, 1, 0)))
    >>> pin = iso.integrate(mech, dt=0.01, t_end=0.1).joint("pin")
    >>> round(float(pin.acceleration[0]), 9), round(float(pin.coordinate_acceleration("angle")[0]), 9)
    (5.0, 5.0)
    >>> bool((pin.rate == pin.angle_rate).all())
    True
    """

    def __init__(self, sol: Solution, name: str) -> None:
        system = mechanism_of(sol, "joint()")
        sol._whole("joint()")
        if name not in system.joints:
            raise InputError(f"there is no joint named {name!r}", hint=f"joints: {', '.join(system.joints)}")
        self.name, self.t, self._sol, self._system = name, sol.t, sol, system
        self.coordinates = system.joints[name].coordinates
        self._known: dict[str, tuple[FloatArray, FloatArray]] = {}  # read before
        self.kind = type(system.description.parts.joints[name]).__name__ if system.description else "joint"

    def about(self) -> str:
        """Its name and kind."""
        return f"{self.name!r} ({self.kind})"

    def histories(self) -> tuple[str, ...]:
        """Coordinates, and rates that are attributes."""
        known = ("angle", "displacement", "length")
        return tuple(
            x for name in self.coordinates for x in (name, f"{name}_rate") if name in known and hasattr(type(self), x)
        )

    def _refuse_unknown(self, coordinate: str) -> None:
        if coordinate not in self.coordinates:
            known = f"it has: {', '.join(self.coordinates)}" if self.coordinates else WITHOUT
            raise InputError(f"joint {self.name!r} has no coordinate {coordinate!r}", hint=known)

    def _read(self, coordinate: str) -> tuple[FloatArray, FloatArray]:
        self._refuse_unknown(coordinate)
        if coordinate not in self._known:
            self._known[coordinate] = read(self._sol, self._system, self.coordinates[coordinate])
        return self._known[coordinate]

    def coordinate(self, name: str) -> FloatArray:
        """A coordinate by its name."""
        return self._read(name)[0]

    def coordinate_rate(self, name: str) -> FloatArray:
        """The rate of a coordinate by its name."""
        return self._read(name)[1]

    def coordinate_acceleration(self, name: str) -> FloatArray:
        """The second derivative of a coordinate by its name."""
        self._refuse_unknown(name)
        return acceleration_of(self._sol, self._system, self.coordinates[name])

    def _of_all(self, one: Callable[[str], FloatArray]) -> FloatArray:
        if not self.coordinates:
            raise InputError(f"joint {self.name!r} has no coordinates", hint=WITHOUT)
        found = [one(name) for name in self.coordinates]
        return found[0] if len(found) == 1 else np.column_stack(found)

    @cached_property
    def rate(self) -> FloatArray:
        """The rate of the coordinate of a joint that has one; a column for each, in the order of
        `coordinates`, of a joint that has several."""
        return self._of_all(self.coordinate_rate)

    @cached_property
    def acceleration(self) -> FloatArray:
        """The second derivative, likewise."""
        return self._of_all(self.coordinate_acceleration)

    @cached_property
    def angle(self) -> FloatArray:
        """Counted over whole turns, in every step: rows may be far apart."""
        return self._read("angle")[0]

    @cached_property
    def angle_rate(self) -> FloatArray:
        return self._read("angle")[1]

    @cached_property
    def displacement(self) -> FloatArray:
        return self._read("displacement")[0]

    @cached_property
    def displacement_rate(self) -> FloatArray:
        return self._read("displacement")[1]

    @cached_property
    def length(self) -> FloatArray:
        return self._read("length")[0]


def read(sol: Solution, system: MechanismSystem, word: Word) -> tuple[FloatArray, FloatArray]:
    """A measure and its rate along a solution; angles are counted over whole turns, in the state
    where they are coordinates of it."""
    x, rate = along_rows(system, word, sol.q, sol.v)
    column = system.layout.column_of(word)
    if column is not None:
        return sol.q[:, column].copy(), rate
    return (over_rows(word.owner, sol.t, x, rate) if word.kind in WHOLE_TURNS else x), rate


def acceleration_of(sol: Solution, system: MechanismSystem, word: Word) -> FloatArray:
    """ẍ = g·v̇ + h of a measure along a solution."""
    p, q = (poses(system, name, sol.q, sol.v) for name in (word.first, word.second))
    moved = [None if name == GROUND else BodyView(sol, name)._a for name in (word.first, word.second)]
    return acceleration_along(word, p, q, *moved)


def momentum(sol: Solution) -> tuple[FloatArray, FloatArray]:
    """Linear momentum, and angular momentum about the origin, of all bodies and beams, in the
    world."""
    system = mechanism_of(sol, "momentum()")
    linear, angular = np.zeros((2, sol.t.size, 3))
    for name in system.beams:
        beam = BeamView(sol, name)
        linear[:, : beam.shape.dim] += beam.shape.momentum(beam.v)
        angular += beam.shape.angular_momentum(beam.q, beam.v)
    for name in system.rods:
        angular += rod_view.RodView(sol, name).coupled_momentum()
    for body in system.bodies:
        if body.of_beam or body.is_mode:
            continue
        view = BodyView(sol, body.name)
        linear += body.mass * view.velocity
        angular += body.mass * np.cross(view.position, view.velocity)
        angular += turned(view.R, view.angular_velocity @ body.inertia)
    for part in system.layout.flexible:
        flexible = sol.flexible_body(part.name)
        linear, angular = linear + flexible.momentum, angular + flexible.angular_momentum
    return linear, angular


def turned(R: FloatArray, x: FloatArray) -> FloatArray:
    """R x, one by one."""
    return np.asarray(np.einsum("kij,kj->ki", R, x))
