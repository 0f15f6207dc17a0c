"""Convex bodies by their corners: faces, edges, and where they touch balls and each other.

Two convex bodies are apart if the normal of a face of one of them, or the common normal of two of
their edges, parts them. The largest distance s along such a normal n is their gap: it is zero where
they touch. Faces that look along n there, projected along it, have a common polygon; its corners
are corners of one body above a face of the other, and crossings of edges. Each has a gap of its own
along its own normal, a smooth function of the poses, and the smallest of them is s.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from isodyn.bodies.pose import Pose
from isodyn.errors import InputError
from isodyn.joints.words import triad
from isodyn.kernels.compiled import FloatArray, IntArray
from isodyn.later import Later

if TYPE_CHECKING:
    from isodyn.open_types import BoolArray

spatial = Later("scipy.spatial")
FLAT = 1e-12  # 1 − cos of the angle between triangles of one face
PARALLEL = 1e-6  # sine of the angle between edges that do not cross
SAME = 1e-9  # of the size: how far apart points are the same, and how far outside of a face they are on it
AFTER, LAST = [1, 2, 0], [2, 0, 1]
SKEW = np.array([0.48, 0.6, 0.64])  # far from the normals of most faces


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
        points = np.asarray(given, dtype=np.float64)
        points = points.reshape(-1, 3) if points.ndim == 1 and points.size % 3 == 0 else points
        if points.ndim != 2 or points.shape[1] != 3 or not np.isfinite(points).all():
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

    @cached_property
    def offsets(self) -> FloatArray:
        """How far faces are from the origin, along their normals."""
        return np.array([(self.corners[loop] @ n).max() for n, loop in zip(self.normals, self.loops, strict=True)])

    @cached_property
    def size(self) -> float:
        """Half of the diagonal of its box."""
        return 0.5 * float(np.linalg.norm(np.ptp(self.corners, axis=0)))

    @cached_property
    def sides(self) -> tuple[IntArray, IntArray]:
        """Edges by their corners (many, 2), and the faces beside them (many, 2)."""
        beside: dict[tuple[int, int], list[int]] = {}
        for face, loop in enumerate(self.loops):
            for a, b in pairwise([*loop, loop[0]]):
                beside.setdefault((min(a, b), max(a, b)), []).append(face)
        whole = {edge: faces for edge, faces in beside.items() if len(faces) == 2}
        return np.array([*whole], dtype=np.int64), np.array([*whole.values()], dtype=np.int64)

    @cached_property
    def incidence(self) -> BoolArray:
        """Which corners faces have (faces, corners)."""
        found = np.zeros((len(self.loops), len(self.corners)), dtype=bool)
        for face, loop in enumerate(self.loops):
            found[face, loop] = True
        return found

    @cached_property
    def tangents(self) -> FloatArray:
        """Two tangents of each face (faces, 2, 3)."""
        return np.array([triad(n)[:2] for n in self.normals])

    @cached_property
    def widest(self) -> int:
        """Corners of the face with the most of them."""
        return max(len(loop) for loop in self.loops)


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


def cross(a: FloatArray, b: FloatArray) -> FloatArray:
    """Rows of a × b."""
    return np.asarray(a[..., AFTER] * b[..., LAST] - a[..., LAST] * b[..., AFTER])


class Touches(NamedTuple):
    """Gaps, their normals from the second body to the first, two tangents, and points on both
    bodies, in the world: one row for each gap."""

    gap: FloatArray
    normal: FloatArray
    tangents: FloatArray
    first: FloatArray
    second: FloatArray


class Manifold(NamedTuple):
    """Where two bodies may touch: corners of the first above faces of the second, corners of the
    second above faces of the first, edges that cross, and the sense of their common normal."""

    first_on: IntArray  # corner, face
    second_on: IntArray  # corner, face
    crossed: IntArray  # two corners of the first, two of the second, sense

    @property
    def many(self) -> int:
        return len(self.first_on) + len(self.second_on) + len(self.crossed)

    def is_same(self, other: Manifold | None) -> bool:
        return other is not None and all(np.array_equal(a, b) for a, b in zip(self, other, strict=True))


class Parted(NamedTuple):
    """The normal that parts two bodies best, from the first to the second, how far, and where."""

    gap: float
    normal: FloatArray
    where: Manifold


NONE_ON, NO_EDGES = np.zeros((0, 2), dtype=np.int64), np.zeros((0, 5), dtype=np.int64)


class PlacedHull:
    """A hull where its body is."""

    def __init__(self, hull: Hull, pose: Pose) -> None:
        self.hull, self.R = hull, pose.R
        self.corners = pose.position + hull.corners @ pose.R.T
        self.normals = hull.normals @ pose.R.T
        self.offsets = hull.offsets + self.normals @ pose.position

    def above(self, x: FloatArray, faces: IntArray) -> tuple[FloatArray, FloatArray, FloatArray]:
        """Heights of points above faces, normals, and feet."""
        n = self.normals[faces]
        height = (x * n).sum(axis=1) - self.offsets[faces]
        return height, n, x - height[:, None] * n

    def facing(self, n: FloatArray) -> int:
        """The face that looks most along n, of those that reach farthest."""
        reach = self.corners @ n
        top = reach >= reach.max() - SAME * self.hull.size
        looks = np.where(self.hull.incidence[:, top].any(axis=1), self.normals @ n, -np.inf)
        return int(looks.argmax())


def touches(one: PlacedHull, two: PlacedHull, where: Manifold) -> Touches:
    """The gaps of a manifold."""
    found = []
    if len(where.first_on):
        first = one.corners[where.first_on[:, 0]]
        height, n, foot = two.above(first, where.first_on[:, 1])
        found.append(Touches(height, n, two.hull.tangents[where.first_on[:, 1]] @ two.R.T, first, foot))
    if len(where.second_on):
        second = two.corners[where.second_on[:, 0]]
        height, n, foot = one.above(second, where.second_on[:, 1])
        found.append(Touches(height, -n, one.hull.tangents[where.second_on[:, 1]] @ one.R.T, foot, second))
    if len(where.crossed):
        found.append(crossings(one, two, where.crossed))
    return found[0] if len(found) == 1 else Touches(*(np.concatenate(x) for x in zip(*found, strict=True)))


def crossings(one: PlacedHull, two: PlacedHull, edges: IntArray) -> Touches:
    """The gaps of edges that cross, along their common normals."""
    a, b = one.corners[edges[:, 0]], two.corners[edges[:, 2]]
    along, across = one.corners[edges[:, 1]] - a, two.corners[edges[:, 3]] - b
    c, apart = cross(along, across), a - b
    size = np.linalg.norm(c, axis=1)[:, None]
    on_a = -(cross(apart, across) * c).sum(axis=1)[:, None] / size**2
    on_b = -(cross(apart, along) * c).sum(axis=1)[:, None] / size**2
    n, way = c * edges[:, 4:] / size, along / np.linalg.norm(along, axis=1)[:, None]
    tangents = np.stack([way, cross(n, way)], axis=1)
    return Touches((apart * n).sum(axis=1), n, tangents, a + on_a * along, b + on_b * across)


def parted(one: PlacedHull, two: PlacedHull) -> Parted:
    """What parts two bodies best."""
    of_one = one.normals @ two.corners.T
    of_two = two.normals @ one.corners.T
    far_1, far_2 = of_one.min(axis=1) - one.offsets, of_two.min(axis=1) - two.offsets
    i, j = int(far_1.argmax()), int(far_2.argmax())
    edges, gaps, normals = _crossings(one, two)
    k = int(gaps.argmax()) if gaps.size else 0
    room = SAME * min(one.hull.size, two.hull.size)
    if gaps.size and gaps[k] > max(far_1[i], far_2[j]) + room:
        return Parted(float(gaps[k]), normals[k], Manifold(NONE_ON, NONE_ON, edges[k : k + 1]))
    if far_1[i] >= far_2[j]:
        where = Manifold(NONE_ON, np.array([[int(of_one[i].argmin()), i]]), NO_EDGES)
        return Parted(float(far_1[i]), one.normals[i], where)
    where = Manifold(np.array([[int(of_two[j].argmin()), j]]), NONE_ON, NO_EDGES)
    return Parted(float(far_2[j]), -two.normals[j], where)


def _crossings(one: PlacedHull, two: PlacedHull) -> tuple[IntArray, FloatArray, FloatArray]:
    """Pairs of edges whose common normals part bodies: those whose arcs on the sphere of normals,
    the second ones turned round, cross; distances along them, from the first body to the
    second."""
    (a, by_a), (b, by_b) = one.hull.sides, two.hull.sides
    along = one.corners[a[:, 1]] - one.corners[a[:, 0]]
    across = two.corners[b[:, 1]] - two.corners[b[:, 0]]
    p, q = one.normals[by_a[:, 0]], one.normals[by_a[:, 1]]
    r, s = -two.normals[by_b[:, 0]], -two.normals[by_b[:, 1]]
    qp, sr = cross(q, p), cross(s, r)
    x, y, z, w = qp @ r.T, qp @ s.T, p @ sr.T, q @ sr.T
    i, j = np.nonzero((x * y < 0.0) & (z * w < 0.0) & (x * w > 0.0))
    n = cross(along[i], across[j])
    size = np.linalg.norm(n, axis=1)
    clear = size > PARALLEL * np.linalg.norm(along[i], axis=1) * np.linalg.norm(across[j], axis=1)
    i, j, n = i[clear], j[clear], n[clear] / size[clear][:, None]
    sense = np.where((n * (p[i] + q[i])).sum(axis=1) > 0.0, 1, -1)
    n = n * sense[:, None]
    gaps = (n * (two.corners[b[j, 0]] - one.corners[a[i, 0]])).sum(axis=1)
    return np.column_stack([a[i], b[j], -sense]), gaps, n


def manifold(one: PlacedHull, two: PlacedHull, best: Parted) -> Manifold:
    """Corners of the polygon in which two faces lie on each other, and the place where bodies are
    nearest."""
    f, g = one.facing(best.normal), two.facing(-best.normal)
    frame = triad(best.normal)[:2]
    loop, other = one.hull.loops[f], two.hull.loops[g][::-1]
    P, Q = one.corners[loop] @ frame.T, two.corners[other] @ frame.T
    room = SAME * min(one.hull.size, two.hull.size)
    beyond_q, beyond_p = _beyond(Q, P), _beyond(P, Q)  # (edges of one polygon, corners of the other)
    of_two = other[(beyond_p <= room).all(axis=0)]
    inside = (beyond_q <= room).all(axis=0)
    if of_two.size:  # one corner on another counts once
        apart = np.linalg.norm(P[:, None] - two.corners[of_two] @ frame.T, axis=2).min(axis=1)
        inside &= apart > room
    of_one = loop[inside]
    parts_q, parts_p = _parts(beyond_q, room), _parts(beyond_p, room)  # edges of one that corners of the other part
    i, j = np.nonzero(parts_q.T & parts_p)
    edges = np.column_stack([loop[i], np.roll(loop, -1)[i], other[j], np.roll(other, -1)[j]])
    found = Manifold(_on_face(of_one, g), _on_face(of_two, f), _in_order(one, two, edges, best.normal))
    if found.many and touches(one, two, found).gap.min() <= best.gap + room:
        return found
    return Manifold(*(np.unique(np.concatenate(both), axis=0) for both in zip(found, best.where, strict=True)))


def _beyond(polygon: FloatArray, points: FloatArray) -> FloatArray:
    """How far points are outside of the edges of a polygon."""
    way = np.roll(polygon, -1, axis=0) - polygon
    out = np.column_stack([way[:, 1], -way[:, 0]]) / np.maximum(np.linalg.norm(way, axis=1), 1e-300)[:, None]
    return np.asarray(out @ points.T - (out * polygon).sum(axis=1)[:, None])


def _parts(beyond: FloatArray, room: float) -> BoolArray:
    """Whether the line of an edge parts the corners between which edges of the other polygon
    are."""
    after = np.roll(beyond, -1, axis=1)
    return np.asarray(((beyond > room) & (after < -room)) | ((beyond < -room) & (after > room)))


def _on_face(corners: IntArray, face: int) -> IntArray:
    """Corners on a face, in order."""
    return np.column_stack([np.sort(corners), np.full(corners.size, face)])


def _in_order(one: PlacedHull, two: PlacedHull, edges: IntArray, normal: FloatArray) -> IntArray:
    """Edges that cross, in order, with the sense of their normal from the second body to the
    first."""
    ends = np.concatenate([np.sort(edges[:, :2], axis=1), np.sort(edges[:, 2:], axis=1)], axis=1)
    ends = np.unique(ends, axis=0)
    along = one.corners[ends[:, 1]] - one.corners[ends[:, 0]]
    across = two.corners[ends[:, 3]] - two.corners[ends[:, 2]]
    n = cross(along, across)
    clear = np.linalg.norm(n, axis=1) > PARALLEL * np.linalg.norm(along, axis=1) * np.linalg.norm(across, axis=1)
    return np.column_stack([ends, np.where(n @ normal > 0.0, -1, 1)])[clear]
