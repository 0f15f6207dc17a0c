"""Convex bodies by their corners: faces and edges; a point and a line are bodies without faces."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise

import numpy as np

from isodyn.bodies.shapes import Mesh
from isodyn.errors import InputError
from isodyn.joints.words import triad
from isodyn.kernels.compiled import FloatArray, IntArray
from isodyn.later import Later

spatial = Later("scipy.spatial")
FLAT = 1e-12  # 1 − cos of the angle between triangles of one face


@dataclass(frozen=True, eq=False)
class Hull:
    """A convex body in its frame: corners, faces with their normals, and loops of corners about
    them; edges, and the faces beside them."""

    corners: FloatArray
    normals: FloatArray
    loops: tuple[IntArray, ...]

    @classmethod
    def of(cls, what: str, given: object, argument: str = "corners") -> Hull:
        """The convex hull of points."""
        try:
            points = np.asarray(given, dtype=np.float64)
        except (TypeError, ValueError):  # words, or rows of different lengths
            points = np.empty(0)
        points = points.reshape(-1, 3) if points.ndim == 1 and points.size % 3 == 0 else points
        if points.ndim != 2 or points.shape[1] != 3 or not points.size or not np.isfinite(points).all():
            raise InputError(f"{what}: {argument} must be points of three numbers", argument=argument)
        middle = points.mean(axis=0)
        scale = float(np.abs(points - middle).max(initial=0.0)) or 1.0
        try:
            hull = spatial.ConvexHull((points - middle) / scale)
        except (ValueError, spatial.QhullError):
            raise InputError(f"{what}: {argument} must span a body, not less", argument=argument) from None
        number = np.zeros(len(points), dtype=np.int64)
        number[hull.vertices] = np.arange(hull.vertices.size)
        triangles, normals = hull.simplices.copy(), hull.equations[:, :3]
        a, b, c = (points[triangles[:, k]] for k in range(3))
        inwards = (np.cross(b - a, c - a) * normals).sum(axis=1) < 0.0
        triangles[inwards] = triangles[inwards][:, ::-1]
        groups = _flat_groups(normals, hull.neighbors)
        loops = tuple(_loop(number[triangles[group]]) for group in groups)
        return cls(points[hull.vertices], normals[[group[0] for group in groups]], loops)

    @classmethod
    def bare(cls, corners: FloatArray) -> Hull:
        """A point, or a line between two."""
        return cls(corners, np.zeros((0, 3)), ())

    @cached_property
    def offsets(self) -> FloatArray:
        """How far faces are from the origin, along their normals."""
        each = zip(self.normals, self.loops, strict=True)
        return np.array([(self.corners[loop] @ n).max() for n, loop in each], dtype=np.float64)

    @cached_property
    def size(self) -> float:
        """Half of the diagonal of its box."""
        return 0.5 * float(np.linalg.norm(np.ptp(self.corners, axis=0)))

    @cached_property
    def sides(self) -> tuple[IntArray, IntArray]:
        """Edges by their corners (many, 2), and the faces beside them (many, 2); −1 of a line."""
        if not self.loops:
            edges = np.array([*pairwise(range(len(self.corners)))], dtype=np.int64).reshape(-1, 2)
            return edges, np.full_like(edges, -1)
        beside: dict[tuple[int, int], list[int]] = {}
        for face, loop in enumerate(self.loops):
            for a, b in pairwise([*loop, loop[0]]):
                beside.setdefault((min(a, b), max(a, b)), []).append(face)
        whole = {edge: faces for edge, faces in beside.items() if len(faces) == 2}
        return np.array([*whole], dtype=np.int64), np.array([*whole.values()], dtype=np.int64)

    @cached_property
    def tangents(self) -> FloatArray:
        """Two tangents of each face (faces, 2, 3)."""
        return np.array([triad(n)[:2] for n in self.normals]).reshape(-1, 2, 3)

    @cached_property
    def widest(self) -> int:
        """Corners of the face with the most of them."""
        return max((len(loop) for loop in self.loops), default=len(self.corners))

    @property
    def solid(self) -> Mesh:
        """As it is drawn."""
        triangles = [(loop[0], loop[k], loop[k + 1]) for loop in self.loops for k in range(1, len(loop) - 1)]
        return Mesh(self.corners, np.array(triangles), mass=1.0)

    @cached_property
    def reach(self) -> float:
        """How far it reaches from the mass centre of its body."""
        return float(np.linalg.norm(self.corners, axis=1).max())


def _flat_groups(normals: FloatArray, neighbours: IntArray) -> list[list[int]]:
    """Triangles that make one face together."""
    left, found = set(range(len(normals))), []
    while left:
        group = [min(left)]
        left.discard(group[0])
        for one in group:
            for other in neighbours[one]:
                if other in left and normals[group[0]] @ normals[other] > 1.0 - FLAT:
                    left.discard(int(other))
                    group.append(int(other))
        found.append(group)
    return found


def _loop(triangles: IntArray) -> IntArray:
    """The corners around triangles, as they turn."""
    ways = {(int(a), int(b)) for t in triangles for a, b in pairwise([*t, t[0]])}
    after = {a: b for a, b in ways if (b, a) not in ways}
    first = min(after)
    found = [first]
    while (one := after[found[-1]]) != first:
        found.append(one)
    return np.array(found, dtype=np.int64)
