"""Balls that touch convex meshes.

The gap is the distance, from coal, with a normal n from the mesh to the ball and a point on each
body, x₁ and x₂; its rate is n·(ẋ₁ − ẋ₂), of points that are fixed on the bodies, and slips are
rates along two tangents. A ball touches a convex body in one point only, so that all of this is
unique; two meshes may touch along edges and faces, which one distance does not describe.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from importlib import import_module
from typing import TYPE_CHECKING, Any, ClassVar, NamedTuple

import numpy as np

from isodyn.bodies.pose import Pose
from isodyn.errors import InputError
from isodyn.joints.part import JointWorld
from isodyn.joints.unilateral import TOUCH, ContactPart, Gap, Touch
from isodyn.joints.words import triad
from isodyn.kernels.compiled import FloatArray, IntArray
from isodyn.later import Later
from isodyn.parts import Keys, Value, contact, required

if TYPE_CHECKING:
    from isodyn.open_types import Numbers

spatial = Later("scipy.spatial")
ACCURATE = 1e-12  # tolerance of distances


class Touched(NamedTuple):
    """A gap, its normal, and points on both bodies."""

    gap: float
    normal: FloatArray
    first: FloatArray
    second: FloatArray


@dataclass(frozen=True, eq=False)
class Hull:
    """A convex body in its frame: corners, and triangles that face outwards."""

    corners: FloatArray
    triangles: IntArray

    @classmethod
    def of(cls, what: str, given: object) -> Hull:
        """The convex hull of points."""
        points = np.asarray(given, dtype=np.float64)
        points = points.reshape(-1, 3) if points.ndim == 1 and points.size % 3 == 0 else points
        if points.ndim != 2 or points.shape[1] != 3 or not np.isfinite(points).all():
            raise InputError(f"{what}: corners must be points of three numbers", argument="corners")
        try:
            hull = spatial.ConvexHull(points)
        except (ValueError, spatial.QhullError):
            raise InputError(f"{what}: corners must span a body, not less", argument="corners") from None
        number = np.zeros(len(points), dtype=np.int64)
        number[hull.vertices] = np.arange(hull.vertices.size)
        triangles = hull.simplices.copy()
        a, b, c = (points[triangles[:, k]] for k in range(3))
        inwards = (np.cross(b - a, c - a) * hull.equations[:, :3]).sum(axis=1) < 0.0
        triangles[inwards] = triangles[inwards][:, ::-1]
        return cls(points[hull.vertices], number[triangles])

    @cached_property
    def shape(self) -> Any:
        """The same for coal."""
        coal = import_module("coal")
        points, triangles = coal.StdVec_Vec3s(), coal.StdVec_Triangle()
        for point in self.corners:
            points.append(point)
        for one in self.triangles:
            triangles.append(coal.Triangle(*(int(k) for k in one)))
        return coal.Convex(points, triangles)


class BallAndHull:
    """A ball of the first body and a hull of the second: their gap at any poses."""

    def __init__(self, what: str, bodies: tuple[str, str], radius: float, hull: Hull) -> None:
        try:
            coal = import_module("coal")
        except ImportError:
            hint = "pip install 'isodyn[contact]'"
            raise InputError(f"{what} needs coal, which is not installed", hint=hint) from None
        self.bodies, self.hull, self.ball = bodies, hull, coal.Sphere(radius)
        self.asked = coal.DistanceRequest()
        self.asked.gjk_tolerance = self.asked.epa_tolerance = ACCURATE
        self.asked.gjk_max_iterations = self.asked.epa_max_iterations = 500
        self.asked.enable_signed_distance = True
        self.measure, self.answer, self.frame = coal.distance, coal.DistanceResult, coal.Transform3s

    def touched(self, p: Pose, q: Pose) -> Touched:
        """The gap where the bodies are."""
        found = self.answer()
        frames = [self.frame(pose.R, pose.position) for pose in (p, q)]
        gap = self.measure(self.ball, frames[0], self.hull.shape, frames[1], self.asked, found)
        ends = np.array(found.getNearestPoint1()), np.array(found.getNearestPoint2())
        return Touched(float(gap), -np.array(found.normal), *ends)


def tangents_of(normal: FloatArray, R: FloatArray) -> FloatArray:
    """Two tangents of a normal, the same in the frame R as long as it is."""
    return np.asarray(triad(normal @ R)[:2] @ R.T)


@contact("sphere_mesh")
@dataclass(frozen=True)
class SphereMesh(Touch, ContactPart):
    """A ball and a convex mesh. Needs coal.

    What is not convex is taken for its convex hull. A mesh above a plane is `PolygonPlane`, which
    needs nothing.

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

    Raises
    ------
    InputError
        If a number is not admissible, a part is unknown, or coal is not installed.

    Examples
    --------
    >>> import isodyn as iso
    >>> cube = [(x, y, z) for x in (-1, 1) for y in (-1, 1) for z in (-1, 1)]
    >>> iso.SphereMesh("touch", "ball", "ground", 0.5, cube).radius
    0.5
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
        if not (np.isfinite(self.radius) and self.radius > 0.0):
            raise InputError(f"{self.what}: radius must be positive, received {self.radius!r}", argument="radius")
        for name in (self.first, self.second):
            if name != "ground" and world.body(name).kind not in ("spatial", "particle"):
                raise InputError(f"{self.what}: {name!r} must be a body in space", argument="between")
        hull = Hull.of(self.what, self.corners)
        return [Gap("", (), pair=BallAndHull(self.what, (self.first, self.second), float(self.radius), hull))]
