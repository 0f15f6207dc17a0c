"""Points, balls, boxes and capsules above planes, wheels above a profile."""

from __future__ import annotations

import itertools
from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np
from numpy.typing import ArrayLike

from isodyn.bodies.body import Body, vector3
from isodyn.bodies.shapes import Placed
from isodyn.bodies.solids import Box, Capsule, Solid, Sphere
from isodyn.errors import InputError
from isodyn.joints.measures import PROFILE
from isodyn.joints.part import JointWorld
from isodyn.joints.touching import refuse_length, refuse_radius
from isodyn.joints.unilateral import (
    ON_PLANE,
    PLANAR,
    ContactPart,
    Gap,
    OnPlane,
    dimensions,
    on_plane,
    round_on,
)
from isodyn.joints.words import arm, triad, unit
from isodyn.kernels.compiled import FloatArray
from isodyn.parts import Keys, Value, contact, optional, required

if TYPE_CHECKING:
    from isodyn.joints.on_balls import SphereBox
    from isodyn.open_types import Numbers


def place(what: str, given: object, body: Body, argument: str) -> FloatArray:
    """A point of the world at the start; the mass centre if left out."""
    return body.position if given is None else vector3(f"{what}: {argument}", given, argument)


def ball_of(part: SphereBox | SpherePlane | WheelProfile, bodies: Mapping[str, Body]) -> dict[str, Solid | Placed]:
    """The ball of the first body of a contact."""
    body = bodies[part.first]
    centre = place(part.what, part.centre, body, "centre")
    return {part.first: Placed(Sphere(part.radius, mass=1.0), arm(body, centre))}


def box_of(size: ArrayLike) -> Box:
    """A box; a rectangle with some thickness."""
    edges = np.asarray(size, dtype=np.float64).ravel()
    return Box(*(edges if edges.size == 3 else np.append(edges, 0.2 * edges.min())), mass=1.0)


@contact("point_plane")
@dataclass(frozen=True)
class PointPlane(OnPlane, ContactPart):
    """Points of a body that stay above a plane.

    Parameters
    ----------
    name
        Name of the contact; of several points `name[0]`, `name[1]`, …
    first
        Name of the body with the points.
    points
        The points in the world at the start; the mass centre if left out.

    Examples
    --------
    >>> import isodyn as iso
    >>> mech = iso.Mechanism()
    >>> _ = mech.add_body("stone", mass=1.0, kind="particle", position=(0, 0, 1), velocity=(1, 0, 0))
    >>> _ = mech.add_contact(iso.PointPlane("floor", "stone", "ground", restitution=0.5, mu=0.3))
    >>> sol = iso.integrate(mech, dt=0.02, t_end=1.0)
    >>> round(sol.contact("floor").impacts[0].t, 6)
    0.451524
    """

    name: str
    first: str
    second: str
    points: Numbers | None = None
    keys: ClassVar[Keys] = {"between": required(Value.BODIES), "points": optional(Value.POINTS), **ON_PLANE}

    def build(self, world: JointWorld) -> list[Gap]:
        body = world.body(self.first)
        if self.points is not None and (dimensions(self.points) < 1 or np.size(self.points) == 0):
            raise InputError(
                f"{self.what}: points must be one point or more, received {self.points!r}", argument="points"
            )
        given = body.position if self.points is None else np.asarray(self.points, dtype=np.float64)
        given = given.reshape(-1, 3 if given.size % 3 == 0 and body.kind not in PLANAR else given.shape[-1])
        points = np.array([vector3(f"{self.what}: points", point, "points") for point in given])
        labels = [f"[{k}]" for k in range(len(points))] if len(points) > 1 else [""]
        return on_plane(self, world, points, labels)


@contact("sphere_plane")
@dataclass(frozen=True)
class SpherePlane(OnPlane, ContactPart):
    """A ball above a plane; in the plane a disc above a line.

    Parameters
    ----------
    first
        Name of the body with the ball.
    radius
        Its radius.
    centre
        Its centre in the world at the start; the mass centre if left out.

    Examples
    --------
    >>> import isodyn as iso
    >>> mech = iso.Mechanism()
    >>> _ = mech.add_body("ball", mass=1.0, inertia=(0.1, 0.1, 0.1), position=(0, 0, 0.5), velocity=(1, 0, 0))
    >>> _ = mech.add_contact(iso.SpherePlane("floor", "ball", "ground", radius=0.5, mu=0.3))
    >>> sol = iso.integrate(mech, dt=0.01, t_end=1.0)
    >>> [int(mode) for mode in sol.contact("floor").mode[[0, -1]]]
    [2, 1]
    """

    name: str
    first: str
    second: str
    radius: float
    centre: Numbers | None = None
    keys: ClassVar[Keys] = {
        "between": required(Value.BODIES),
        "radius": required(Value.POSITIVE),
        "centre": optional(Value.VECTOR),
        **ON_PLANE,
    }

    def build(self, world: JointWorld) -> list[Gap]:
        refuse_radius(self.name, self.radius)
        centre = place(self.what, self.centre, world.body(self.first), "centre")
        return [round_on(self, world, centre, self.radius)]

    def solids(self, bodies: Mapping[str, Body]) -> dict[str, Solid | Placed]:
        return ball_of(self, bodies)


@contact("box_plane")
@dataclass(frozen=True)
class BoxPlane(OnPlane, ContactPart):
    """A box above a plane, by its corners; in the plane a rectangle.

    Parameters
    ----------
    name
        Name of the contact; its corners are `name[0]`, `name[1]`, …
    first
        Name of the body with the box.
    size
        Lengths of its edges along the axes of the body, about its mass centre; three, or two in the
        plane.

    Examples
    --------
    >>> import isodyn as iso
    >>> mech = iso.Mechanism()
    >>> _ = mech.add_body("box", mass=1.0, inertia=(0.1, 0.1, 0.1), position=(0, 0, 0.5))
    >>> _ = mech.add_contact(iso.BoxPlane("floor", "box", "ground", size=(1, 1, 1), mu=0.3))
    >>> sol = iso.integrate(mech, dt=0.01, t_end=0.1)
    >>> [round(float(sol.contact(f"floor[{k}]").normal[-1]), 6) for k in (0, 2)]
    [2.4525, 2.4525]
    """

    name: str
    first: str
    second: str
    size: Any
    keys: ClassVar[Keys] = {"between": required(Value.BODIES), "size": required(Value.VECTOR), **ON_PLANE}

    def build(self, world: JointWorld) -> list[Gap]:
        body = world.body(self.first)
        flat = body.kind in PLANAR
        size = np.asarray(self.size, dtype=np.float64).ravel()
        if size.size != (2 if flat else 3) or not (size > 0).all() or not np.isfinite(size).all():
            raise InputError(
                f"{self.what}: size must be {2 if flat else 3} positive lengths, received {self.size!r}",
                argument="size",
            )
        corners = np.array([np.append(c, 0.0)[:3] for c in itertools.product(*((-0.5 * x, 0.5 * x) for x in size))])
        return on_plane(self, world, body.position + corners @ body.R.T, [f"[{k}]" for k in range(len(corners))])

    def solids(self, bodies: Mapping[str, Body]) -> dict[str, Solid | Placed]:
        return {self.first: box_of(self.size)}


@contact("capsule_plane")
@dataclass(frozen=True)
class CapsulePlane(OnPlane, ContactPart):
    """A capsule above a plane: a line of some length, rounded by a radius.

    Parameters
    ----------
    name
        Name of the contact; its ends are `name[0]` and `name[1]`.
    first
        Name of the body with the capsule.
    radius
        Its radius.
    length
        Length of its straight part, about the mass centre.
    axis
        Its axis in the world at the start.

    Examples
    --------
    >>> import isodyn as iso
    >>> mech = iso.Mechanism()
    >>> _ = mech.add_body("log", mass=1.0, inertia=(0.01, 0.1, 0.1), position=(0, 0, 0.1))
    >>> _ = mech.add_contact(iso.CapsulePlane("floor", "log", "ground", radius=0.1, length=1.0, axis=(1, 0, 0)))
    >>> sol = iso.integrate(mech, dt=0.01, t_end=0.1)
    >>> round(float(sol.contact("floor[0]").normal[-1]), 6)
    4.905
    """

    name: str
    first: str
    second: str
    radius: float
    length: float
    axis: Numbers = (1.0, 0.0, 0.0)
    keys: ClassVar[Keys] = {
        "between": required(Value.BODIES),
        "radius": required(Value.POSITIVE),
        "length": required(Value.POSITIVE),
        "axis": optional(Value.VECTOR),
        **ON_PLANE,
    }

    def build(self, world: JointWorld) -> list[Gap]:
        refuse_radius(self.name, self.radius)
        refuse_length(self.what, self.length)
        body, axis = world.body(self.first), unit(f"{self.what}: axis", self.axis, "axis")
        ends = (body.position + 0.5 * side * self.length * axis for side in (-1, 1))
        return [round_on(self, world, end, self.radius, f"[{k}]") for k, end in enumerate(ends)]

    def solids(self, bodies: Mapping[str, Body]) -> dict[str, Solid | Placed]:
        axis = np.asarray(self.axis, dtype=np.float64) @ bodies[self.first].R
        return {self.first: Placed(Capsule(self.radius, self.length, mass=1.0), (0, 0, 0), triad(axis).T)}


@contact("wheel_profile")
@dataclass(frozen=True)
class WheelProfile(OnPlane, ContactPart):
    """A wheel or ball above a profile, heights over a plane that change along one direction.

    Parameters
    ----------
    first
        Name of the body with the wheel.
    second
        Name of the body that carries the profile, or "ground".
    radius
        Its radius.
    profile
        Coefficients of the height, a polynomial of the distance y along the plane: c₀ + c₁y + … In
        the plane y runs to the right of the normal (x for an upward one).
    centre
        Centre of the wheel in the world at the start; the mass centre if left out.
    plane_point
        Where y and the height are zero, in the world at the start.

    Examples
    --------
    >>> import isodyn as iso
    >>> mech = iso.Mechanism(gravity=(0, -9.81, 0))
    >>> _ = mech.add_body("wheel", mass=1.0, inertia=0.005, kind="planar", position=(0.0, 0.1))
    >>> _ = mech.add_contact(iso.WheelProfile("road", "wheel", "ground", radius=0.1, profile=(0, 0, 0.5), mu=0.5))
    >>> sol = iso.integrate(mech, dt=0.01, t_end=0.1)
    >>> round(float(sol.contact("road").normal[-1]), 6)
    9.81
    """

    name: str
    first: str
    second: str
    radius: float
    profile: Numbers
    centre: Numbers | None = None
    keys: ClassVar[Keys] = {
        "between": required(Value.BODIES),
        "radius": required(Value.POSITIVE),
        "profile": required(Value.NUMBERS),
        "centre": optional(Value.VECTOR),
        **ON_PLANE,
    }

    def build(self, world: JointWorld) -> list[Gap]:
        refuse_radius(self.name, self.radius)
        if np.ndim(self.profile) != 1 or not 0 < len(self.profile) <= PROFILE or not np.isfinite(self.profile).all():
            raise InputError(f"{self.what}: profile has 1 to {PROFILE} coefficients", argument="profile")
        centre = place(self.what, self.centre, world.body(self.first), "centre")
        return [round_on(self, world, centre, self.radius, profile=self.profile)]

    def solids(self, bodies: Mapping[str, Body]) -> dict[str, Solid | Placed]:
        return ball_of(self, bodies)
