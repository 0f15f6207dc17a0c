"""What parts two convex bodies: the place where they are nearest to each other.

Two hulls are apart if the normal of a face of one of them, or the common normal of two of their
edges, parts them. The largest distance s along such a normal n is their gap: it is zero where they
touch. A point or a line, which is rounded, has a distance from a hull: that of the nearest corner,
edge or face.

What is found is written as a row of whole numbers, the kind of a touch and its corners, faces or
edges (isodyn.joints.hull_tables):

    CORNER_ON_FACE, FACE_ON_CORNER   corner, face
    CROSSED                          two corners of the first body, two of the second, sense of the normal
    CORNER_AND_EDGE, EDGE_AND_CORNER corner and edge, edge and corner
    CORNERS                          one of each body
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from isodyn.bodies.rotation_kernels import Vector, cross, dot, put, rotate, sum_of, triple
from isodyn.joints.balls import times
from isodyn.joints.hull_tables import (
    CORNER_AND_EDGE,
    CORNER_ON_FACE,
    CORNERS,
    CROSSED,
    EDGE_AND_CORNER,
    FACE_ON_CORNER,
)
from isodyn.kernels.compiled import IntArray, kernel

if TYPE_CHECKING:
    from isodyn.joints.hull_tables import HullData, HullScratch, HullTables, PairData
    from isodyn.joints.measures import Pose

PARALLEL = 1e-6  # sine of the angle between edges that do not cross
SAME = 1e-9  # of the size: how far apart points are the same, and how far outside of a face they are on it
FOOT = 1e-12  # of the size: how far outside of other faces the foot of a point on a face may be


@kernel()
def put_row(row: IntArray, kind: int, a: int, b: int, c: int, d: int, e: int) -> None:
    """A touch by its numbers."""
    row[0], row[1], row[2], row[3], row[4], row[5] = kind, a, b, c, d, e


@kernel()
def copy_row(into: IntArray, row: IntArray) -> None:
    """The same touch."""
    for i in range(6):
        into[i] = row[i]


@kernel()
def place_hull(h: int, pose: Pose, tables: HullTables, hulls: HullScratch) -> None:
    """Corners and faces of a hull where its body is."""
    own, r = tables.hulls[h], triple(pose.position)
    for k in range(own.first_corner, own.first_corner + own.corners):
        put(hulls.corners[k], 0, sum_of(rotate(pose.R, triple(tables.corners[k])), 1.0, r))
    for f in range(own.first_face, own.first_face + own.faces):
        n = rotate(pose.R, triple(tables.normals[f]))
        put(hulls.normals[f], 0, n)
        hulls.offsets[f] = tables.offsets[f] + dot(n, r)


@kernel()
def farthest_face(one: HullData, two: HullData, hulls: HullScratch) -> tuple[float, int, int]:
    """The face of one hull that is farthest from the corners of another: how far, the face, the
    corner that is nearest to it."""
    best, face, corner = -np.inf, 0, 0
    for f in range(one.first_face, one.first_face + one.faces):
        n, low, at = triple(hulls.normals[f]), np.inf, 0
        for k in range(two.first_corner, two.first_corner + two.corners):
            height = dot(n, triple(hulls.corners[k]))
            if height < low:
                low, at = height, k
        if low - hulls.offsets[f] > best:
            best, face, corner = low - hulls.offsets[f], f, at
    return best, face, corner


@kernel()
def are_crossing(p: Vector, q: Vector, r: Vector, s: Vector) -> bool:
    """Whether the arcs of normals p–q and r–s cross on the sphere."""
    qp, sr = cross(q, p), cross(s, r)
    x, y, z, w = dot(qp, r), dot(qp, s), dot(p, sr), dot(q, sr)
    return x * y < 0.0 and z * w < 0.0 and x * w > 0.0


@kernel()
def farthest_edges(
    one: HullData, two: HullData, tables: HullTables, hulls: HullScratch, row: IntArray
) -> tuple[float, Vector]:
    """The pair of edges whose common normal parts two hulls best, of those whose arcs on the sphere
    of normals, the second ones turned round, cross: how far, and the normal from the first body to
    the second; the edges into row."""
    best, normal = -np.inf, (0.0, 0.0, 0.0)
    for a in range(one.first_edge, one.first_edge + one.edges):
        edge = tables.edges[a]
        p, q = triple(hulls.normals[edge[2]]), triple(hulls.normals[edge[3]])
        start = triple(hulls.corners[edge[0]])
        along = sum_of(triple(hulls.corners[edge[1]]), -1.0, start)
        for b in range(two.first_edge, two.first_edge + two.edges):
            other = tables.edges[b]
            r, s = times(-1.0, triple(hulls.normals[other[2]])), times(-1.0, triple(hulls.normals[other[3]]))
            if not are_crossing(p, q, r, s):
                continue
            begin = triple(hulls.corners[other[0]])
            across = sum_of(triple(hulls.corners[other[1]]), -1.0, begin)
            n = cross(along, across)
            size = np.sqrt(dot(n, n))
            if size <= PARALLEL * np.sqrt(dot(along, along) * dot(across, across)):
                continue
            sense = 1 if dot(n, sum_of(p, 1.0, q)) > 0.0 else -1
            n = times(sense / size, n)
            gap = dot(n, sum_of(begin, -1.0, start))
            if gap > best:
                best, normal = gap, n
                put_row(row, CROSSED, edge[0], edge[1], other[0], other[1], -sense)
    return best, normal


@kernel()
def part_hulls(pair: PairData, tables: HullTables, hulls: HullScratch, row: IntArray) -> tuple[float, Vector]:
    """What parts two hulls best, into row: how far, and the normal from the first to the second."""
    one, two = tables.hulls[pair.hulls[0]], tables.hulls[pair.hulls[1]]
    far_1, f, corner_2 = farthest_face(one, two, hulls)
    far_2, g, corner_1 = farthest_face(two, one, hulls)
    gap, normal = farthest_edges(one, two, tables, hulls, row)
    if gap > max(far_1, far_2) + SAME * min(one.size, two.size):
        return gap, normal
    if far_1 >= far_2:
        put_row(row, FACE_ON_CORNER, corner_2, f, 0, 0, 0)
        return far_1, triple(hulls.normals[f])
    put_row(row, CORNER_ON_FACE, corner_1, g, 0, 0, 0)
    return far_2, times(-1.0, triple(hulls.normals[g]))


@kernel()
def part_point(
    corner: int, two: HullData, tables: HullTables, hulls: HullScratch, row: IntArray
) -> tuple[float, Vector]:
    """What of a hull is nearest to a point, into row: how far, less than zero inside, and the
    normal from the hull to the point."""
    x, highest, face = triple(hulls.corners[corner]), -np.inf, 0
    for f in range(two.first_face, two.first_face + two.faces):
        height = dot(triple(hulls.normals[f]), x) - hulls.offsets[f]
        if height > highest:
            highest, face = height, f
    n = triple(hulls.normals[face])
    foot, beyond = sum_of(x, -highest, n), -np.inf
    for f in range(two.first_face, two.first_face + two.faces):
        beyond = max(beyond, dot(triple(hulls.normals[f]), foot) - hulls.offsets[f])
    if highest <= 0.0 or beyond <= FOOT * two.size:
        put_row(row, CORNER_ON_FACE, corner, face, 0, 0, 0)
        return highest, n
    least, away = np.inf, n
    for b in range(two.first_edge, two.first_edge + two.edges):
        edge = tables.edges[b]
        a = triple(hulls.corners[edge[0]])
        way, d = sum_of(triple(hulls.corners[edge[1]]), -1.0, a), sum_of(x, -1.0, a)
        part = min(max(dot(d, way) / dot(way, way), 0.0), 1.0)
        e = sum_of(d, -part, way)
        if dot(e, e) < least:
            least, away = dot(e, e), e
            if 0.0 < part < 1.0:
                put_row(row, CORNER_AND_EDGE, corner, b, 0, 0, 0)
            else:
                put_row(row, CORNERS, corner, edge[1] if part == 1.0 else edge[0], 0, 0, 0)
    size = np.sqrt(least)
    return size, times(1.0 / size, away)


@kernel()
def passes_through(a: Vector, way: Vector, two: HullData, hulls: HullScratch) -> bool:
    """Whether a line from a along `way` has a part inside of a hull."""
    first, last = 0.0, 1.0
    for f in range(two.first_face, two.first_face + two.faces):
        n = triple(hulls.normals[f])
        height, slope = dot(n, a) - hulls.offsets[f], dot(n, way)
        if slope == 0.0:
            if height >= 0.0:
                return False
        elif slope > 0.0:
            last = min(last, -height / slope)
        else:
            first = max(first, -height / slope)
    return first < last


@kernel()
def part_inside(
    skip: int, pair: PairData, tables: HullTables, hulls: HullScratch, row: IntArray
) -> tuple[float, Vector, int]:
    """Which corner or edge of a hull is nearest to the inside of a line, into row, without the one
    with the number `skip` (edges behind corners): how far, the normal from the hull to the line,
    and its number."""
    one, two = tables.hulls[pair.hulls[0]], tables.hulls[pair.hulls[1]]
    first, least, n, which = one.first_corner, np.inf, (0.0, 0.0, 0.0), -1
    a = triple(hulls.corners[first])
    way = sum_of(triple(hulls.corners[first + 1]), -1.0, a)
    for k in range(two.corners):
        corner = two.first_corner + k
        d = sum_of(a, -1.0, triple(hulls.corners[corner]))
        part = -dot(d, way) / dot(way, way)
        e = sum_of(d, part, way)
        size = np.sqrt(dot(e, e))
        if 0.0 < part < 1.0 and 0.0 < size < least and k != skip:
            least, n, which = size, times(1.0 / size, e), k
            put_row(row, EDGE_AND_CORNER, one.first_edge, corner, 0, 0, 0)
    for k in range(two.edges):
        edge = tables.edges[two.first_edge + k]
        begin = triple(hulls.corners[edge[0]])
        across = sum_of(triple(hulls.corners[edge[1]]), -1.0, begin)
        c, d = cross(way, across), sum_of(a, -1.0, begin)
        size = np.sqrt(dot(c, c))
        if size <= PARALLEL * np.sqrt(dot(way, way) * dot(across, across)) or two.corners + k == skip:
            continue
        on_a = -dot(cross(d, across), c) / (size * size)
        on_b = -dot(cross(d, way), c) / (size * size)
        far = dot(c, d) / size
        if 0.0 < on_a < 1.0 and 0.0 < on_b < 1.0 and abs(far) < least:
            sense = 1 if far > 0.0 else -1
            least, n, which = abs(far), times(sense / size, c), two.corners + k
            put_row(row, CROSSED, first, first + 1, edge[0], edge[1], sense)
    return least, n, which


@kernel()
def is_through(pair: PairData, tables: HullTables, hulls: HullScratch) -> bool:
    """Whether the line of a pair goes through the hull."""
    one, two = tables.hulls[pair.hulls[0]], tables.hulls[pair.hulls[1]]
    a = triple(hulls.corners[one.first_corner])
    return passes_through(a, sum_of(triple(hulls.corners[one.first_corner + 1]), -1.0, a), two, hulls)


@kernel()
def part_line(pair: PairData, tables: HullTables, hulls: HullScratch, row: IntArray) -> tuple[float, Vector]:
    """What of a line and a hull is nearest to each other, into row: how far, less than zero inside,
    and the normal from the line to the hull."""
    one, two = tables.hulls[pair.hulls[0]], tables.hulls[pair.hulls[1]]
    if is_through(pair, tables, hulls):
        deep, g, corner = farthest_face(two, one, hulls)
        put_row(row, CORNER_ON_FACE, corner, g, 0, 0, 0)
        return deep, times(-1.0, triple(hulls.normals[g]))
    least, n = part_point(one.first_corner, two, tables, hulls, row)
    other, m = part_point(one.first_corner + 1, two, tables, hulls, hulls.spare)
    if other < least:
        least, n = other, m
        copy_row(row, hulls.spare)
    between, m, _ = part_inside(-1, pair, tables, hulls, hulls.spare)
    if between < least:
        least, n = between, m
        copy_row(row, hulls.spare)
    return least, times(-1.0, n)


@kernel()
def part(pair: PairData, tables: HullTables, hulls: HullScratch, row: IntArray) -> tuple[float, Vector]:
    """What parts the bodies of a pair, which are placed, into row: their gap, and the normal from
    the first to the second."""
    corners = tables.hulls[pair.hulls[0]].corners
    if corners > 2:
        return part_hulls(pair, tables, hulls, row)
    if corners == 2:
        gap, n = part_line(pair, tables, hulls, row)
        return gap - pair.radius, n
    two = tables.hulls[pair.hulls[1]]
    gap, n = part_point(tables.hulls[pair.hulls[0]].first_corner, two, tables, hulls, row)
    return gap - pair.radius, times(-1.0, n)
