"""Bodies with edges above planes: discs, cylinders and polygons."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

import numpy as np

from isodyn.bodies.body import Body
from isodyn.bodies.shapes import Placed
from isodyn.bodies.solids import Cylinder, Disc, Solid
from isodyn.errors import InputError
from isodyn.joints.hulls import Hull
from isodyn.joints.on_planes import place
from isodyn.joints.part import JointWorld
from isodyn.joints.touching import refuse_length, refuse_radius
from isodyn.joints.unilateral import ON_PLANE, PLANAR, ContactPart, Gap, OnPlane, dimensions, on_plane, round_on
from isodyn.joints.words import arm, triad, unit
from isodyn.kernels.compiled import FloatArray
from isodyn.parts import Keys, Value, contact, optional, required

if TYPE_CHECKING:
    from isodyn.open_types import Numbers

ROUND = 4  # points of a rim that carry what lies on it
THIN = 0.02  # of its radius: a disc as it is drawn


def rim_on(
    part: DiscPlane | CylinderPlane, world: JointWorld, centre: FloatArray, frame: FloatArray, first: int = 0
) -> list[Gap]:
    """A rim above a plane: its lowest point, and the fixed points on which it lies."""
    across, beside, axis = frame
    turns = 2.0 * np.pi * np.arange(ROUND) / ROUND
    points = [centre + part.radius * (np.cos(x) * across + np.sin(x) * beside) for x in turns]
    lowest = round_on(part, world, centre, part.radius, f"[{first}]", rim=axis @ world.body(part.first).R)
    return [lowest, *on_plane(part, world, np.array(points), [f"[{first + 1 + k}]" for k in range(ROUND)])]


@contact("disc_plane")
@dataclass(frozen=True)
class DiscPlane(OnPlane, ContactPart):
    """A thin disc above a plane: it rolls on its rim, or lies; in the plane a disc above a line.

    Parameters
    ----------
    name
        Name of the contact. In space the lowest point of the rim is `name[0]`; the others are four
        fixed points of the rim, on which it lies.
    first
        Name of the body with the disc.
    radius
        Its radius.
    axis
        Its axis in the world at the start; in the plane it stands across.
    centre
        Its centre in the world at the start; the mass centre if left out.

    Examples
    --------
    >>> import isodyn as iso
    >>> mech = iso.Mechanism()
    >>> _ = mech.add_body("coin", mass=1.0, inertia=(0.01, 0.02, 0.01), position=(0, 0, 0.2), velocity=(1, 0, 0))
    >>> _ = mech.add_contact(iso.DiscPlane("floor", "coin", "ground", radius=0.2, axis=(0, 1, 0), mu=0.3))
    >>> sol = iso.integrate(mech, dt=0.01, t_end=0.5)
    >>> [int(mode) for mode in sol.contact("floor[0]").mode[[0, -1]]]
    [2, 1]
    """

    name: str
    first: str
    second: str
    radius: float
    axis: Numbers | None = None
    centre: Numbers | None = None
    keys: ClassVar[Keys] = {
        "between": required(Value.BODIES),
        "radius": required(Value.POSITIVE),
        "axis": optional(Value.VECTOR),
        "centre": optional(Value.VECTOR),
        **ON_PLANE,
    }

    def build(self, world: JointWorld) -> list[Gap]:
        refuse_radius(self.name, self.radius)
        body = world.body(self.first)
        centre = place(self.what, self.centre, body, "centre")
        if body.kind in PLANAR:
            if self.axis is not None:
                raise InputError(f"{self.what}: the axis of a disc in the plane stands across", argument="axis")
            return [round_on(self, world, centre, self.radius)]
        if self.axis is None:
            raise InputError(f"{self.what}: a disc in space needs its axis", argument="axis")
        return rim_on(self, world, centre, triad(unit(f"{self.what}: axis", self.axis, "axis")))

    def solids(self, bodies: Mapping[str, Body]) -> dict[str, Solid | Placed]:
        body = bodies[self.first]
        axis = np.asarray((0, 0, 1) if self.axis is None else self.axis, dtype=np.float64) @ body.R
        at = arm(body, place(self.what, self.centre, body, "centre"))
        return {self.first: Placed(Disc(self.radius, THIN * self.radius, mass=1.0), at, triad(axis).T)}


@contact("cylinder_plane")
@dataclass(frozen=True)
class CylinderPlane(OnPlane, ContactPart):
    """A cylinder above a plane: it lies, stands, or rolls on a rim.

    Parameters
    ----------
    name
        Name of the contact. The lowest points of its rims are `name[0]` and `name[5]`; the others
        are four fixed points of each rim, on which it stands.
    first
        Name of the body with the cylinder.
    radius
        Its radius.
    length
        Its length, about the mass centre.
    axis
        Its axis in the world at the start.

    Examples
    --------
    >>> import isodyn as iso
    >>> mech = iso.Mechanism()
    >>> _ = mech.add_body("roll", mass=1.0, inertia=(0.1, 0.1, 0.02), position=(0, 0, 0.2))
    >>> _ = mech.add_contact(iso.CylinderPlane("floor", "roll", "ground", radius=0.2, length=1.0, axis=(1, 0, 0)))
    >>> sol = iso.integrate(mech, dt=0.01, t_end=0.1)
    >>> round(sum(float(sol.contact(f"floor[{k}]").normal[-1]) for k in range(10)), 6)
    9.81
    """

    name: str
    first: str
    second: str
    radius: float
    length: float
    axis: Numbers = (0.0, 0.0, 1.0)
    keys: ClassVar[Keys] = {
        "between": required(Value.BODIES),
        "radius": required(Value.POSITIVE),
        "length": required(Value.POSITIVE),
        "axis": optional(Value.VECTOR),
        **ON_PLANE,
    }

    def build(self, world: JointWorld) -> list[Gap]:
        refuse_radius(self.name, self.radius)
        body = world.body(self.first)
        if body.kind in PLANAR:
            raise InputError(
                f"{self.what}: in the plane a cylinder is a disc or a rectangle",
                hint="iso.SpherePlane, or iso.BoxPlane",
                argument="between",
            )
        refuse_length(self.what, self.length)
        frame = triad(unit(f"{self.what}: axis", self.axis, "axis"))
        ends = [body.position + side * self.length * frame[2] for side in (-0.5, 0.5)]
        return [gap for k, end in enumerate(ends) for gap in rim_on(self, world, end, frame, k * (1 + ROUND))]

    def solids(self, bodies: Mapping[str, Body]) -> dict[str, Solid | Placed]:
        axis = np.asarray(self.axis, dtype=np.float64) @ bodies[self.first].R
        return {self.first: Placed(Cylinder(self.radius, self.length, mass=1.0), (0, 0, 0), triad(axis).T)}


def corners_in(part: PolygonPlane, body: Body) -> FloatArray:
    """The corners in the body, in space."""
    many = 2 if body.kind in PLANAR else 3
    corners = np.asarray(part.corners if dimensions(part.corners) > 0 else (), dtype=np.float64)
    if corners.ndim == 1 and corners.size % many == 0:
        corners = corners.reshape(-1, many)
    if corners.ndim != 2 or corners.shape[1] != many or not len(corners) or not np.isfinite(corners).all():
        raise InputError(
            f"{part.what}: corners must be points of {many} numbers, received {part.corners!r}", argument="corners"
        )
    return np.pad(corners, [(0, 0), (0, 3 - many)])


@contact("polygon_plane")
@dataclass(frozen=True)
class PolygonPlane(OnPlane, ContactPart):
    """A polygon above a line, or a body with corners above a plane: all of its corners.

    Parameters
    ----------
    name
        Name of the contact; its corners are `name[0]`, `name[1]`, …
    first
        Name of the body with the corners.
    corners
        The corners in the frame of the body, from its mass centre: two numbers each in the plane,
        three in space.

    Examples
    --------
    >>> import isodyn as iso
    >>> mech = iso.Mechanism(gravity=(0, -9.81, 0))
    >>> _ = mech.add_body("tile", mass=1.0, inertia=0.1, kind="planar", position=(0, 0.5))
    >>> corners = ((-1, -0.5), (1, -0.5), (0, 1))
    >>> _ = mech.add_contact(iso.PolygonPlane("floor", "tile", "ground", corners=corners, mu=0.3))
    >>> sol = iso.integrate(mech, dt=0.01, t_end=0.1)
    >>> [round(float(sol.contact(f"floor[{k}]").normal[-1]), 6) for k in range(3)]
    [4.905, 4.905, 0.0]
    """

    name: str
    first: str
    second: str
    corners: Numbers
    keys: ClassVar[Keys] = {"between": required(Value.BODIES), "corners": required(Value.POINTS), **ON_PLANE}

    def build(self, world: JointWorld) -> list[Gap]:
        body = world.body(self.first)
        points = body.position + corners_in(self, body) @ body.R.T
        return on_plane(self, world, points, [f"[{k}]" for k in range(len(points))])

    def solids(self, bodies: Mapping[str, Body]) -> dict[str, Solid | Placed]:
        corners = corners_in(self, bodies[self.first])
        if bodies[self.first].kind in PLANAR:  # a plate
            thick = 0.05 * np.ptp(corners, axis=0).max() * np.array([0.0, 0.0, 1.0])
            corners = np.concatenate([corners - thick, corners + thick])
        try:
            return {self.first: Hull.of(self.what, corners).solid}
        except InputError:  # they span no body: feet of it
            return {}
