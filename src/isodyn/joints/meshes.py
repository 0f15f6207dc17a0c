"""Convex meshes that touch balls and each other.

The gap of a ball is the distance of its centre from the mesh less its radius; of two meshes see
isodyn.joints.hulls. Rates of gaps are n·(ẋ₁ − ẋ₂) of points that are fixed on the bodies, slips
are rates along two tangents.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

import numpy as np

from isodyn.bodies.body import GROUND, Body
from isodyn.bodies.pose import Pose
from isodyn.bodies.shapes import Mesh, Placed
from isodyn.bodies.solids import Solid, Sphere
from isodyn.errors import InputError
from isodyn.joints.hulls import SAME, SKEW, Hull, Manifold, PlacedHull, Touches, manifold, parted, touches
from isodyn.joints.part import JointWorld
from isodyn.joints.touching import refuse_radius
from isodyn.joints.unilateral import TOUCH, ContactPart, Gap, Touch
from isodyn.joints.words import triad
from isodyn.kernels.compiled import FloatArray
from isodyn.parts import Keys, Value, contact, required

if TYPE_CHECKING:
    from isodyn.open_types import Numbers

ACROSS = triad(SKEW)[:2]
NEAR = 1e-7  # of the size: bodies that are nearer touch
Measure = Callable[[Pose, Pose], Touches]
"""Gaps of two bodies as smooth functions of their poses."""


class HullPair:
    """Two hulls: their gaps at any poses. While they are apart there is one gap, that of what is
    nearest; where they touch, one for each corner of what they have in common."""

    def __init__(self, bodies: tuple[str, str], first: Hull, second: Hull) -> None:
        self.bodies, self.hulls = bodies, (first, second)
        self.size = min(first.size, second.size)
        self.slots = first.widest + second.widest + 1

    def placed(self, p: Pose, q: Pose) -> tuple[PlacedHull, PlacedHull]:
        """The hulls at two poses."""
        return PlacedHull(self.hulls[0], p), PlacedHull(self.hulls[1], q)

    def touching(self, p: Pose, q: Pose) -> tuple[float, Manifold | None]:
        """The distance of the bodies, and where they touch, if they do."""
        one, two = self.placed(p, q)
        best = parted(one, two)
        return best.gap, None if best.gap > NEAR * self.size else manifold(one, two, best)

    def measure(self, p: Pose, q: Pose, where: Manifold | None) -> Measure:
        """The gaps of a manifold, or that of what is nearest."""
        where = parted(*self.placed(p, q)).where if where is None else where
        return lambda p, q: touches(*self.placed(p, q), where)


class BallAndHull:
    """A ball of the first body and a hull of the second: their gap at any poses."""

    slots = 1

    def __init__(self, bodies: tuple[str, str], radius: float, hull: Hull) -> None:
        self.bodies, self.radius, self.hull, self.size = bodies, radius, hull, hull.size

    def nearest(self, x: FloatArray) -> tuple[FloatArray, FloatArray]:
        """What of the hull is nearest to a point, in its frame: a corner, and the directions from
        there that are in it too, two of a face, one of an edge."""
        hull = self.hull
        heights = hull.normals @ x - hull.offsets
        face = int(heights.argmax())
        foot = x - heights[face] * hull.normals[face]
        if heights[face] <= 0.0 or (hull.normals @ foot - hull.offsets).max() <= 1e-3 * SAME * hull.size:
            return hull.corners[hull.loops[face][0]], hull.tangents[face]
        a = hull.corners[hull.sides[0][:, 0]]
        way = hull.corners[hull.sides[0][:, 1]] - a
        part = np.clip(((x - a) * way).sum(axis=1) / (way * way).sum(axis=1), 0.0, 1.0)
        k = int(np.linalg.norm(a + part[:, None] * way - x, axis=1).argmin())
        if 0.0 < part[k] < 1.0:
            return a[k], way[k : k + 1] / np.linalg.norm(way[k])
        return a[k] + part[k] * way[k], np.zeros((0, 3))

    def touching(self, p: Pose, q: Pose) -> tuple[float, Manifold | None]:
        """A ball touches in one point, which is always known."""
        return float(self.measure(p, q, None)(p, q).gap[0]), None

    def measure(self, p: Pose, q: Pose, where: Manifold | None) -> Measure:
        """The gap to what is nearest, which stays the same."""
        corner, ways = self.nearest((p.position - q.position) @ q.R)

        def measured(p: Pose, q: Pose) -> Touches:
            x = (p.position - q.position) @ q.R - corner
            away = x - (x @ ways.T) @ ways
            n = np.cross(*ways) if len(ways) == 2 else away / np.linalg.norm(away)
            first = p.position - self.radius * (q.R @ n)
            second = q.position + q.R @ (corner + x - away)
            tangents = ACROSS - np.outer(ACROSS @ n / (1.0 + SKEW @ n), SKEW + n)
            rows = (q.R @ n)[None], (tangents @ q.R.T)[None], first[None], second[None]
            return Touches(np.array([away @ n - self.radius]), *rows)

        return measured


Pair = HullPair | BallAndHull


def refuse_flat(part: SphereMesh | MeshContact, world: JointWorld) -> None:
    """InputError for bodies in the plane."""
    for name in (part.first, part.second):
        if name != GROUND and world.body(name).kind not in ("spatial", "particle"):
            raise InputError(f"{part.what}: {name!r} must be a body in space", argument="between")


def hulls_of(part: MeshContact) -> tuple[Hull, Hull]:
    """Both meshes of a contact."""
    return Hull.of(part.what, part.corners), Hull.of(part.what, part.others, "others")


def solid_of(hull: Hull) -> Mesh:
    """A hull as it is drawn."""
    triangles = [(loop[0], loop[k], loop[k + 1]) for loop in hull.loops for k in range(1, len(loop) - 1)]
    return Mesh(hull.corners, np.array(triangles), mass=1.0)


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
        return [Gap("", (), pair=BallAndHull((self.first, self.second), float(self.radius), hull))]

    def solids(self, bodies: Mapping[str, Body]) -> dict[str, Solid | Placed]:
        found: dict[str, Solid | Placed] = {self.first: Sphere(float(self.radius), mass=1.0)}
        if self.second in bodies:
            found[self.second] = solid_of(Hull.of(self.what, self.corners))
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
        pair = HullPair((self.first, self.second), *hulls_of(self))
        return [Gap(f"[{k}]", (), pair=pair) for k in range(pair.slots)]

    def solids(self, bodies: Mapping[str, Body]) -> dict[str, Solid | Placed]:
        names = zip((self.first, self.second), hulls_of(self), strict=True)
        return {name: solid_of(hull) for name, hull in names if name in bodies}
