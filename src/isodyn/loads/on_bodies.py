"""Forces, torques and drag on bodies, and forces along beams."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np

from isodyn.bodies.body import Body, vector3
from isodyn.errors import InputError, about
from isodyn.expressions.time import TimeFunction, as_time_function, components
from isodyn.joints.cables import refuse_point_aside
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

if TYPE_CHECKING:
    from isodyn.open_types import Numbers


@load("force", reads=False)
@dataclass(frozen=True)
class Force(LoadPart):
    """A force on a body.

    Parameters
    ----------
    force
        The force: a vector, a vector with functions of time in it, or a function such as
        `lambda t: (0, 0, 3*np.sin(t))`.
    frame
        "world" or "body": the axes of the force.
    time
        Function of time that scales a constant vector.

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
    force: Numbers
    point: Any = None
    frame: str = "world"
    time: object | None = None
    held: ClassVar[tuple[str, ...]] = ("force",)
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
        s, parts = arm(body, P), in_time(f"force {self.name!r}", self.force, self.time, "force")
        kind = FORCE if _world(self.name, self.frame) else FOLLOWER
        if body.is_point_of_rod:
            refuse_point_aside(f"force {self.name!r}", body, P)
            if kind == FOLLOWER:
                raise InputError(
                    f"force {self.name!r}: {body.name!r} is a point of a rod in absolute nodal coordinates and has no axes",
                    hint="frame='world', or a rod with model='exact'",
                    argument="frame",
                )
        if body.kind == "cable" and (s[1:].any() or (kind == FOLLOWER and any(f[1:].any() for f, _ in parts))):
            raise _no_frame("force", self.name, body)
        return LoadForces(on_bodies=[OnBody(kind, body.name, f, s, time=time) for f, time in parts])


@load("torque", reads=False)
@dataclass(frozen=True)
class Torque(LoadPart):
    """A torque on a body.

    Parameters
    ----------
    torque
        The torque: a vector, a vector with functions of time in it, or a function of time that
        returns a vector. On planar bodies one number is enough.
    frame
        "world" or "body": the axes of the torque.
    time
        Function of time that scales a constant vector.

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
    torque: Numbers
    frame: str = "world"
    time: object | None = None
    held: ClassVar[tuple[str, ...]] = ("torque",)
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
        parts = in_time(
            f"torque {self.name!r}", self.torque, self.time, "torque", planar=body.kind in ("planar", "node")
        )
        return LoadForces(on_bodies=[OnBody(kind, body.name, torque, time=time) for torque, time in parts])


@load("drag")
@dataclass(frozen=True)
class Drag(LoadPart):
    """A drag −c |v| v at a point of a body.

    v is the velocity against the medium. The usual coefficient is ½ρ c_d A.

    Parameters
    ----------
    coefficient
        The coefficient c.
    medium
        Velocity of the medium.

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
        if (body.of_beam or body.is_point_of_rod) and s.any():
            raise InputError(
                f"drag {self.name!r}: on a node of a beam it acts at the node itself, received point={P}",
                argument="point",
            )
        if components(f"drag {self.name!r}: medium", self.medium) is not None:
            raise InputError(
                f"drag {self.name!r}: medium is a constant vector, received a function of time",
                hint='FormulaForce(…, force=("-c*abs(rod.vx - sin(t))*(rod.vx - sin(t))", 0, 0)) for a wind that changes',
                argument="medium",
            )
        medium = vector3(f"drag {self.name!r}: medium", self.medium, "medium")
        return LoadForces(on_bodies=[OnBody(DRAG, body.name, medium, s, float(self.coefficient))])


@load("distributed_force")
@dataclass(frozen=True)
class DistributedForce(LoadPart):
    """A force per length of the undeformed beam, all along it.

    Parameters
    ----------
    beam
        Name of the beam.
    force
        Force per length: a vector, a vector with functions of time in it, or a function of time
        that returns a vector.
    time
        Function of time that scales a constant vector.
    frame
        "world", or of rods "body": a force that follows the axes of the cross-section.

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
    force: Numbers
    time: object | None = None
    frame: str = "world"
    keys: ClassVar[Keys] = {
        "beam": required(Value.BEAM),
        "force": required(Value.VECTOR),
        "time": optional(Value.TIME),
        "frame": optional(Value.CHOICE, "world", "body"),
    }

    def build(self, world: LoadWorld) -> LoadForces:
        dim = world.dimension(self.beam)
        parts = in_time(f"load {self.name!r}: force", self.force, self.time, "force")
        if dim == 2 and any(f[2] != 0 for f, _ in parts):
            raise InputError(
                f"load {self.name!r}: beam {self.beam!r} lies in the plane, so z of the force must be 0",
                argument="force",
            )
        follows = not _world(self.name, self.frame)
        if follows and not world.has_axes(self.beam):
            raise InputError(
                f"load {self.name!r}: a force along {self.beam!r} in axes of the cross-section needs a rod whose nodes are bodies",
                hint="model='exact', or frame='world'",
                argument="frame",
            )
        return LoadForces(along_beams=[AlongBeam(self.beam, f[:dim], time, follows) for f, time in parts])


def _no_frame(what: str, name: str, body: Body) -> InputError:
    return InputError(
        f"{what} {name!r}: {body.name!r} is a node of a cable in space, which has a tangent but no twist",
        hint="world axes, at the node itself; along the tangent also in its own axes",
        argument=what,
    )


def in_time(
    what: str, value: Any, time: object, argument: str, *, planar: bool = False
) -> list[tuple[FloatArray, Any]]:
    """A vector as constant vectors with functions of time that scale them; with `planar` a single
    number is about z."""
    with about(None, argument):
        varies = components(what, value)
        if varies is None:
            _refuse_text(what, value, argument)
            alone = planar and np.ndim(value) == 0
            vector = vector3(what, (0.0, 0.0, value) if alone else value, argument)
            return [(vector, None if time is None else as_time_function(f"{what}: time", time))]
        if time is not None:
            raise InputError(
                f"{what}: {argument} is a function of time already, so time= has nothing to scale", hint="multiply them"
            )
        varies = [0.0, 0.0, *varies] if planar and len(varies) == 1 else varies
        if len(varies) not in (2, 3):
            known = "one number" if len(varies) == 1 else f"{len(varies)} numbers"
            raise InputError(
                f"{what}: {argument} has 3 components, received a function that returns {known}",
                hint=f"{argument}=lambda t: (0, 0, 10*np.sin(t)), or {argument}=(0, 0, 10), time=lambda t: np.sin(t)",
            )
    along = zip(varies, np.eye(3), strict=False)
    found = [(e, f) if isinstance(f, TimeFunction) else (f * e, None) for f, e in along if f != 0.0]
    return found or [(np.zeros(3), None)]


def _refuse_text(what: str, value: object, argument: str) -> None:
    texts = [value] if isinstance(value, str) else value if isinstance(value, Sequence) else []
    if any(isinstance(x, str) for x in texts):
        raise InputError(
            f"{what}: {argument} takes numbers and functions of time, received a formula, {value!r}",
            hint=f"Formula{argument.capitalize()}(…) takes formulas of t and of names",
        )


def _world(name: str, frame: str) -> bool:
    if frame not in ("world", "body"):
        raise InputError(f"load {name!r}: frame must be 'world' or 'body', received {frame!r}", argument="frame")
    return frame == "world"
