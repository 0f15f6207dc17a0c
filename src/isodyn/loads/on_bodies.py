"""Forces, torques and drag on bodies, and forces along beams."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

from isodyn.bodies.body import Body, vector3
from isodyn.errors import InputError
from isodyn.joints.words import arm
from isodyn.kernels.compiled import FloatArray
from isodyn.loads.elements import not_negative
from isodyn.loads.laws import (
    BODY_TORQUE,
    DRAG,
    FOLLOWER,
    FORCE,
    TORQUE,
)
from isodyn.loads.part import AlongBeam, LoadForces, LoadPart, LoadWorld, OnBody
from isodyn.parts import Keys, Value, load, optional, required


@load("force", reads=False)
@dataclass(frozen=True)
class Force(LoadPart):
    """A force on a body.

    Parameters
    ----------
    name
        Name of the load.
    body
        Name of the body.
    force
        The force.
    point
        Point in the world at the start; the mass centre if left out.
    frame
        "world" or "body": the axes of the force.
    time
        Function of time that scales it.

    Raises
    ------
    InputError
        If a number is not admissible, or a part is unknown.

    Examples
    --------
    >>> import isodyn as iso
    >>> mech = iso.Mechanism()
    >>> _ = mech.add_body("rod", mass=1.0, inertia=(0.1, 0.1, 0.1), position=(0.5, 0, 0))
    >>> _ = mech.add_load(iso.Force("push", "rod", force=(0, 0, 9.81)))
    >>> sol = iso.integrate(mech.compile(), dt=0.01, t_end=0.1)
    >>> float(abs(sol.body("rod").velocity).max().round(9))
    0.0
    """

    name: str
    body: str
    force: Any
    point: Any = None
    frame: str = "world"
    time: Any = None
    keys: ClassVar[Keys] = {
        "body": required(Value.BODY),
        "force": required(Value.FORMULAS),
        "point": optional(Value.VECTOR),
        "frame": optional(Value.CHOICE, "world", "body"),
        "time": optional(Value.TIME),
    }

    def build(self, world: LoadWorld) -> LoadForces:
        body = world.body(self.body)
        P = body.position if self.point is None else vector3(f"force {self.name!r}: point", self.point, "point")
        s, f = arm(body, P), _constant(f"force {self.name!r}", self.force, "force")
        kind = FORCE if _world(self.name, self.frame) else FOLLOWER
        if body.kind == "cable" and (s[1:].any() or (kind == FOLLOWER and f[1:].any())):
            raise _no_frame("force", self.name, body)
        return LoadForces(on_bodies=[OnBody(kind, body.name, f, s, time=self.time)])


@load("torque", reads=False)
@dataclass(frozen=True)
class Torque(LoadPart):
    """A torque on a body.

    Parameters
    ----------
    name
        Name of the load.
    body
        Name of the body.
    torque
        The torque.
    frame
        "world" or "body": the axes of the torque.
    time
        Function of time that scales it.

    Raises
    ------
    InputError
        If a number is not admissible, or a part is unknown.

    Examples
    --------
    >>> import isodyn as iso
    >>> mech = iso.Mechanism()
    >>> _ = mech.add_body("rod", mass=1.0, inertia=(0.1, 0.1, 0.1), position=(0.5, 0, 0))
    >>> _ = mech.add_joint(iso.Hinge("pin", "ground", "rod", point=(0, 0, 0), axis=(0, 1, 0)))
    >>> _ = mech.add_load(iso.Torque("twist", "rod", torque=(0, 1, 0)))
    >>> sol = iso.integrate(mech.compile(), dt=0.01, t_end=0.1)
    >>> sol.joint("pin").angle.shape
    (11,)
    """

    name: str
    body: str
    torque: Any
    frame: str = "world"
    time: Any = None
    keys: ClassVar[Keys] = {
        "body": required(Value.BODY),
        "torque": required(Value.FORMULAS),
        "frame": optional(Value.CHOICE, "world", "body"),
        "time": optional(Value.TIME),
    }

    def build(self, world: LoadWorld) -> LoadForces:
        body = world.body(self.body)
        kind = TORQUE if _world(self.name, self.frame) else BODY_TORQUE
        if body.kind == "particle":
            raise InputError(f"torque {self.name!r}: {body.name!r} is a particle and cannot turn", argument="body")
        if body.kind == "cable" and kind == BODY_TORQUE:
            raise _no_frame("torque", self.name, body)
        torque = _constant(f"torque {self.name!r}", self.torque, "torque")
        return LoadForces(on_bodies=[OnBody(kind, body.name, torque, time=self.time)])


@load("drag")
@dataclass(frozen=True)
class Drag(LoadPart):
    """A drag −c |v| v at a point of a body.

    v is the velocity against the medium. The usual coefficient is ½ρ c_d A.

    Parameters
    ----------
    name
        Name of the load.
    body
        Name of the body.
    coefficient
        The coefficient c.
    point
        Point in the world at the start; the mass centre if left out.
    medium
        Velocity of the medium.

    Raises
    ------
    InputError
        If a number is not admissible, or a part is unknown.

    Examples
    --------
    >>> import isodyn as iso
    >>> mech = iso.Mechanism()
    >>> _ = mech.add_body("rod", mass=1.0, inertia=(0.1, 0.1, 0.1), position=(0.5, 0, 0))
    >>> _ = mech.add_load(iso.Drag("air", "rod", coefficient=0.1))
    >>> sol = iso.integrate(mech.compile(), dt=0.01, t_end=0.1)
    >>> sol.q.shape[0]
    11
    """

    name: str
    body: str
    coefficient: float
    point: Any = None
    medium: Any = (0.0, 0.0, 0.0)
    keys: ClassVar[Keys] = {
        "body": required(Value.BODY),
        "coefficient": required(Value.NOT_NEGATIVE),
        "point": optional(Value.VECTOR),
        "medium": optional(Value.VECTOR),
    }

    def build(self, world: LoadWorld) -> LoadForces:
        body = world.body(self.body)
        not_negative(self.name, coefficient=self.coefficient)
        P = body.position if self.point is None else vector3(f"drag {self.name!r}: point", self.point, "point")
        s = arm(body, P)
        if body.of_beam and s.any():
            raise InputError(
                f"drag {self.name!r}: on a node of a beam it acts at the node itself, received point={P}",
                argument="point",
            )
        medium = vector3(f"drag {self.name!r}: medium", self.medium, "medium")
        return LoadForces(on_bodies=[OnBody(DRAG, body.name, medium, s, float(self.coefficient))])


@load("distributed_force")
@dataclass(frozen=True)
class DistributedForce(LoadPart):
    """A dead force per length of the undeformed beam, all along it.

    Parameters
    ----------
    name
        Name of the load.
    beam
        Name of the beam.
    force
        Force per length.
    time
        Function of time that scales it.

    Raises
    ------
    InputError
        If the beam is unknown, or the force does not fit it.

    Examples
    --------
    >>> import isodyn as iso
    >>> mech = iso.Mechanism(gravity=(0, 0, 0))
    >>> section = iso.Section(EA=1e4, EI=1.0, rhoA=1.0)
    >>> _ = mech.add_beam("beam", (0, 0), (1, 0), elements=2, section=section)
    >>> _ = mech.add_load(iso.DistributedForce("wind", "beam", (0.0, 1.0, 0.0)))
    >>> sol = iso.integrate(mech.compile(), dt=0.001, t_end=0.01)
    >>> round(float(sol.body("beam.end").velocity[-1, 1]), 6)
    0.01
    """

    name: str
    beam: str
    force: Any
    time: Any = None
    keys: ClassVar[Keys] = {
        "beam": required(Value.BEAM),
        "force": required(Value.VECTOR),
        "time": optional(Value.TIME),
    }

    def build(self, world: LoadWorld) -> LoadForces:
        per_length = self.per_length(world.dimension(self.beam))
        return LoadForces(along_beams=[AlongBeam(self.beam, per_length, self.time)])

    def per_length(self, dim: int) -> FloatArray:
        """Return the force per length in the space of the beam.

        Parameters
        ----------
        dim
            2 or 3.

        Returns
        -------
        force
            The vector.
        """
        f = _constant(f"load {self.name!r}: force", self.force, "force")
        if dim == 2 and f[2] != 0:
            raise InputError(
                f"load {self.name!r}: beam {self.beam!r} lies in the plane, so z of the force must be 0",
                argument="force",
            )
        return f[:dim]


def _no_frame(what: str, name: str, body: Body) -> InputError:
    return InputError(
        f"{what} {name!r}: {body.name!r} is a node of a cable in space, which has a tangent but no twist",
        hint="world axes, at the node itself; along the tangent also in its own axes",
        argument=what,
    )


def _constant(what: str, value: Any, argument: str) -> FloatArray:
    """A vector; a function of time in its place is told where it goes."""
    if callable(value):
        raise InputError(
            f"{what}: {argument} is a constant vector, received a function",
            hint=f"{argument}=(0, 0, 1), time=lambda t: 10*np.sin(t); formulas of names go into a Formula{argument.capitalize()}",
            argument=argument,
        )
    return vector3(what, value, argument)


def _world(name: str, frame: str) -> bool:
    if frame not in ("world", "body"):
        raise InputError(f"load {name!r}: frame must be 'world' or 'body', received {frame!r}", argument="frame")
    return frame == "world"
