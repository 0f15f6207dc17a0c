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
    """A force on a body at a point (world at the start; mass centre when left out), in world or
    body axes, times a function of time."""

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
        """A force on the body."""
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
    """A torque on a body, in world or body axes, times a function of time."""

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
        """A torque on the body."""
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
    """−coefficient |v| v at a point of a body, v being its velocity against the medium; ½ρ c_d A is
    the usual coefficient."""

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
        """A force on the body."""
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
    """A dead force per length of undeformed beam, all along a beam of a mechanism, times a function
    of time."""

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
        """A force along the beam."""
        per_length = self.per_length(world.dimension(self.beam))
        return LoadForces(along_beams=[AlongBeam(self.beam, per_length, self.time)])

    def per_length(self, dim: int) -> FloatArray:
        """The vector, in the space of the beam."""
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
