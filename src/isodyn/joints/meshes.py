"""Convex meshes that touch balls, capsules and each other.

The gap of a ball or capsule is the distance of its centre or middle line from the mesh less its
radius; of two meshes see isodyn.joints.parting.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

import numpy as np

from isodyn.bodies.body import GROUND, Body
from isodyn.bodies.shapes import Placed
from isodyn.bodies.solids import Capsule, Solid, Sphere
from isodyn.errors import InputError
from isodyn.joints.hull_pairs import HullPair
from isodyn.joints.hulls import Hull
from isodyn.joints.part import JointWorld
from isodyn.joints.touching import refuse_length, refuse_radius
from isodyn.joints.unilateral import TOUCH, ContactPart, Gap, Touch
from isodyn.joints.words import arm, triad, unit
from isodyn.parts import Keys, Value, contact, optional, required

if TYPE_CHECKING:
    from isodyn.open_types import Numbers


def refuse_flat(part: SphereMesh | CapsuleMesh | MeshContact, world: JointWorld) -> None:
    """InputError for bodies in the plane."""
    for name in (part.first, part.second):
        body = None if name == GROUND else world.body(name)
        if body is not None and (body.kind not in ("spatial", "particle") or body.is_point_of_rod):
            raise InputError(f"{part.what}: {name!r} must be a body in space", argument="between")


def hulls_of(part: MeshContact) -> tuple[Hull, Hull]:
    """Both meshes of a contact."""
    return Hull.of(part.what, part.corners), Hull.of(part.what, part.others, "others")


@contact("sphere_mesh")
@dataclass(frozen=True)
class SphereMesh(Touch, ContactPart):
    """A ball and a convex mesh.

    What is not convex is taken for its convex hull. A mesh above a plane is `PolygonPlane`.

    Parameters
    ----------
    first, second
        Names of the bodies: the ball, centred at the mass centre, and the mesh, which may be of the
        "ground".
    radius
        Radius of the ball.
    corners
        Corners of the mesh, in the frame of its body from the mass centre; of the ground in the
        world.

    Examples
    --------
    >>> import isodyn as iso
    >>> mech = iso.Mechanism()
    >>> _ = mech.add_body("ball", 1.0, (0.1, 0.1, 0.1), position=(0, 0, 1.5))
    >>> cube = [(x, y, z) for x in (-1, 1) for y in (-1, 1) for z in (-1, 1)]
    >>> _ = mech.add_contact(iso.SphereMesh("touch", "ball", "ground", 0.5, cube))
    >>> sol = iso.integrate(mech, dt=0.01, t_end=0.1)
    >>> round(float(sol.contact("touch").normal[-1]), 9)
    9.81
    """

    name: str
    first: str
    second: str
    radius: float
    corners: Numbers
    keys: ClassVar[Keys] = {
        "between": required(Value.BODIES),
        "radius": required(Value.POSITIVE),
        "corners": required(Value.POINTS),
        **TOUCH,
    }

    def build(self, world: JointWorld) -> list[Gap]:
        refuse_radius(self.name, self.radius)
        refuse_flat(self, world)
        hull = Hull.of(self.what, self.corners)
        pair = HullPair((self.first, self.second), Hull.bare(np.zeros((1, 3))), hull, float(self.radius))
        return pair.gaps(self.name, rough=self.friction_at_rest > 0.0)

    def solids(self, bodies: Mapping[str, Body]) -> dict[str, Solid | Placed]:
        found: dict[str, Solid | Placed] = {self.first: Sphere(float(self.radius), mass=1.0)}
        if self.second in bodies:
            found[self.second] = Hull.of(self.what, self.corners).solid
        return found


@contact("capsule_mesh")
@dataclass(frozen=True)
class CapsuleMesh(Touch, ContactPart):
    """A capsule and a convex mesh: it lies on faces, and rolls over edges and corners.

    What is not convex is taken for its convex hull.

    Parameters
    ----------
    name
        Name of the contact. The points in which they touch are `name[0]` … `name[3]`: while
        they are apart `name[0]` is where they are nearest, and the others are far away.
    first, second
        Names of the bodies: the capsule, about the mass centre, and the mesh, which may be of the
        "ground".
    radius
        Radius of the capsule.
    length
        Length of its straight part.
    corners
        Corners of the mesh, in the frame of its body from the mass centre; of the ground in the
        world.
    axis
        Axis of the capsule in the world at the start.

    Examples
    --------
    >>> import isodyn as iso
    >>> mech = iso.Mechanism()
    >>> _ = mech.add_body("log", mass=1.0, inertia=(0.01, 0.1, 0.1), position=(0, 0, 0.1))
    >>> slab = [(x, y, z) for x in (-3, 3) for y in (-3, 3) for z in (-1, 0)]
    >>> _ = mech.add_contact(iso.CapsuleMesh("touch", "log", "ground", 0.1, 1.0, slab))
    >>> sol = iso.integrate(mech, dt=0.01, t_end=0.1)
    >>> [round(float(sol.contact(f"touch[{k}]").normal[-1]), 6) for k in range(4)]
    [4.905, 4.905, 0.0, 0.0]
    """

    name: str
    first: str
    second: str
    radius: float
    length: float
    corners: Numbers
    axis: Numbers = (1.0, 0.0, 0.0)
    keys: ClassVar[Keys] = {
        "between": required(Value.BODIES),
        "radius": required(Value.POSITIVE),
        "length": required(Value.POSITIVE),
        "corners": required(Value.POINTS),
        "axis": optional(Value.VECTOR),
        **TOUCH,
    }

    def build(self, world: JointWorld) -> list[Gap]:
        refuse_radius(self.name, self.radius)
        refuse_length(self.what, self.length)
        refuse_flat(self, world)
        body, axis = world.body(self.first), unit(f"{self.what}: axis", self.axis, "axis")
        ends = np.array([arm(body, body.position + 0.5 * side * self.length * axis) for side in (-1, 1)])
        hull = Hull.of(self.what, self.corners)
        pair = HullPair((self.first, self.second), Hull.bare(ends), hull, float(self.radius))
        return pair.gaps(self.name, rough=self.friction_at_rest > 0.0)

    def solids(self, bodies: Mapping[str, Body]) -> dict[str, Solid | Placed]:
        axis = np.asarray(self.axis, dtype=np.float64) @ bodies[self.first].R
        placed = Placed(Capsule(self.radius, self.length, mass=1.0), (0, 0, 0), triad(axis).T)
        found: dict[str, Solid | Placed] = {self.first: placed}
        if self.second in bodies:
            found[self.second] = Hull.of(self.what, self.corners).solid
        return found


@contact("mesh_contact")
@dataclass(frozen=True)
class MeshContact(Touch, ContactPart):
    """Two convex meshes: they touch in points, along edges, and on faces.

    What is not convex is taken for its convex hull. A box is the mesh of its eight corners.

    Parameters
    ----------
    name
        Name of the contact. The points in which meshes touch are `name[0]`, `name[1]`, …: while
        they are apart `name[0]` is where they are nearest, and the others are far away.
    first, second
        Names of the bodies; the second may be the "ground".
    corners
        Corners of the first mesh, in the frame of its body from the mass centre.
    others
        Corners of the second one, in the frame of its body from the mass centre; of the ground in
        the world.

    Examples
    --------
    >>> import isodyn as iso
    >>> mech = iso.Mechanism()
    >>> _ = mech.add_body("cube", mass=2.0, inertia=(1.0, 1.0, 1.0), position=(0, 0, 1))
    >>> cube = [(x, y, z) for x in (-1, 1) for y in (-1, 1) for z in (-1, 1)]
    >>> slab = [(x, y, z) for x in (-3, 3) for y in (-3, 3) for z in (-1, 0)]
    >>> _ = mech.add_contact(iso.MeshContact("touch", "cube", "ground", cube, slab, mu=0.3))
    >>> sol = iso.integrate(mech, dt=0.01, t_end=0.1)
    >>> [round(float(sol.contact(f"touch[{k}]").normal[-1]), 6) for k in range(5)]
    [4.905, 4.905, 4.905, 4.905, 0.0]
    """

    name: str
    first: str
    second: str
    corners: Numbers
    others: Numbers
    keys: ClassVar[Keys] = {
        "between": required(Value.BODIES),
        "corners": required(Value.POINTS),
        "others": required(Value.POINTS),
        **TOUCH,
    }

    def build(self, world: JointWorld) -> list[Gap]:
        refuse_flat(self, world)
        return HullPair((self.first, self.second), *hulls_of(self)).gaps(self.name, rough=self.friction_at_rest > 0.0)

    def solids(self, bodies: Mapping[str, Body]) -> dict[str, Solid | Placed]:
        names = zip((self.first, self.second), hulls_of(self), strict=True)
        return {name: hull.solid for name, hull in names if name in bodies}
