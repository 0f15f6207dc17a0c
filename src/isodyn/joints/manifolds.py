"""Where two convex bodies touch: all places at once, one for each corner of what they have in
common.

Faces that look along the normal n which parts the bodies best, projected along it, have a common
polygon; its corners are corners of one body above a face of the other, and crossings of edges. Each
has a gap of its own along its own normal, a smooth function of the poses (isodyn.joints.touches),
and the smallest of them is the gap of the bodies. A rounded line touches with its ends, and with
what of the other body is nearest to its inside.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from isodyn.bodies.rotation_kernels import Vector, cross, dot, put, sum_of, triple
from isodyn.joints.balls import times, turned_with
from isodyn.joints.hull_tables import (
    ABSENT,
    CORNER_AND_EDGE,
    CORNER_ON_FACE,
    CROSSED,
    EDGE_AND_CORNER,
    FACE_ON_CORNER,
)
from isodyn.joints.parting import (
    PARALLEL,
    SAME,
    copy_row,
    is_through,
    part,
    part_inside,
    part_point,
    place_hull,
    put_row,
)
from isodyn.joints.touches import SKEW, gap_of
from isodyn.kernels.compiled import FloatArray, IntArray, kernel

if TYPE_CHECKING:
    from isodyn.joints.hull_tables import ClipScratch, HullData, HullScratch, HullTables, PairData, TouchData
    from isodyn.joints.measures import Pose

NEAR = 1e-7  # of the size: bodies that are nearer touch


@kernel()
def tangents_of(n: Vector) -> tuple[Vector, Vector]:
    """Two directions across n."""
    k = 0 if abs(n[0]) <= abs(n[1]) and abs(n[0]) <= abs(n[2]) else (1 if abs(n[1]) <= abs(n[2]) else 2)
    e = (1.0 if k == 0 else 0.0, 1.0 if k == 1 else 0.0, 1.0 if k == 2 else 0.0)
    e = sum_of(e, -dot(e, n), n)
    e = times(1.0 / np.sqrt(dot(e, e)), e)
    return e, cross(n, e)


@kernel()
def write_touch(row: IntArray, pair: PairData, tables: HullTables, touch: TouchData) -> None:
    """The numbers by which a touch is measured."""
    kind, a, b = row[0], row[1], row[2]
    touch.kind, touch.radius, touch.sense = kind, pair.radius, 1.0 * row[5]
    if kind in (CORNER_ON_FACE, FACE_ON_CORNER):
        n = triple(tables.normals[b])
        x, d, y = (touch.x_i, touch.d_j, touch.x_j) if kind == CORNER_ON_FACE else (touch.x_j, touch.d_i, touch.x_i)
        put(x, 0, triple(tables.corners[a]))
        put(d, 0, n)
        put(y, 0, times(tables.offsets[b], n))
        for way in range(2):
            put(touch.slips[way], 0, triple(tables.tangents[b, way]))
        if pair.radius > 0.0:
            write_round_slips(touch, n)
    elif kind == CROSSED:
        put(touch.x_i, 0, triple(tables.corners[a]))
        put(touch.x_j, 0, triple(tables.corners[row[3]]))
        edge = sum_of(triple(tables.corners[b]), -1.0, triple(tables.corners[a]))
        put(touch.d_i, 0, edge)
        put(touch.d_j, 0, sum_of(triple(tables.corners[row[4]]), -1.0, triple(tables.corners[row[3]])))
        put(touch.slips[0], 0, times(1.0 / np.sqrt(dot(edge, edge)), edge))
    elif kind != ABSENT:
        write_round(row, tables, touch)


@kernel()
def write_round(row: IntArray, tables: HullTables, touch: TouchData) -> None:
    """The same of corners and edges that are rounded."""
    kind, a, b = row[0], row[1], row[2]
    first, second = tangents_of(SKEW)
    put(touch.slips[0], 0, first)
    put(touch.slips[1], 0, second)
    if kind == EDGE_AND_CORNER:
        write_edge(a, tables, touch.x_i, touch.d_i)
    else:
        put(touch.x_i, 0, triple(tables.corners[a]))
    if kind == CORNER_AND_EDGE:
        write_edge(b, tables, touch.x_j, touch.d_j)
    else:
        put(touch.x_j, 0, triple(tables.corners[b]))


@kernel()
def write_edge(e: int, tables: HullTables, x: FloatArray, d: FloatArray) -> None:
    """A point of an edge, and its direction."""
    start = triple(tables.corners[tables.edges[e, 0]])
    way = sum_of(triple(tables.corners[tables.edges[e, 1]]), -1.0, start)
    put(x, 0, start)
    put(d, 0, times(1.0 / np.sqrt(dot(way, way)), way))


@kernel()
def write_round_slips(touch: TouchData, n: Vector) -> None:
    """Directions of slip of what is round on a face, as on the edges beside it."""
    first, second = tangents_of(SKEW)
    none = (0.0, 0.0, 0.0)
    put(touch.slips[0], 0, turned_with(first, SKEW, n, none)[0])
    put(touch.slips[1], 0, turned_with(second, SKEW, n, none)[0])


@kernel()
def has_corner(face: int, corner: int, tables: HullTables) -> bool:
    """Whether a face has a corner."""
    first, found = tables.around[face, 0], False
    for i in range(first, first + tables.around[face, 1]):
        found = found or tables.loops[i] == corner
    return found


@kernel()
def facing(own: HullData, n: Vector, tables: HullTables, hulls: HullScratch) -> int:
    """The face that looks most along n, of those that reach farthest."""
    top = -np.inf
    for k in range(own.first_corner, own.first_corner + own.corners):
        top = max(top, dot(n, triple(hulls.corners[k])))
    best, face = -np.inf, own.first_face
    for k in range(own.first_corner, own.first_corner + own.corners):
        if dot(n, triple(hulls.corners[k])) < top - SAME * own.size:
            continue
        for f in range(own.first_face, own.first_face + own.faces):
            looks = dot(n, triple(hulls.normals[f]))
            if looks > best and has_corner(f, k, tables):
                best, face = looks, f
    return face


@kernel()
def beyond(polygon: FloatArray, many: int, points: FloatArray, others: int, out: FloatArray) -> None:
    """How far points are outside of the edges of a polygon, (edges, points)."""
    for i in range(many):
        k = (i + 1) % many
        x, y = polygon[k, 1] - polygon[i, 1], polygon[i, 0] - polygon[k, 0]
        size = max(np.sqrt(x * x + y * y), 1e-300)
        for j in range(others):
            out[i, j] = (x * (points[j, 0] - polygon[i, 0]) + y * (points[j, 1] - polygon[i, 1])) / size


@kernel()
def is_within(out: FloatArray, many: int, k: int, room: float) -> bool:
    """Whether point k is outside of no edge."""
    farthest = -np.inf
    for i in range(many):
        farthest = max(farthest, out[i, k])
    return bool(farthest <= room)


@kernel()
def are_parted(out: FloatArray, i: int, j: int, k: int, room: float) -> bool:
    """Whether points j and k are on the two sides of edge i."""
    return (out[i, j] > room and out[i, k] < -room) or (out[i, j] < -room and out[i, k] > room)


@kernel()
def project(
    face: int,
    turned: bool,
    ways: tuple[Vector, Vector],
    tables: HullTables,
    hulls: HullScratch,
    ids: IntArray,
    points: FloatArray,
) -> int:
    """The corners around a face along two directions, backwards if it is turned; how many."""
    first, many = tables.around[face, 0], tables.around[face, 1]
    for i in range(many):
        k = tables.loops[first + (many - 1 - i if turned else i)]
        ids[i], x = k, triple(hulls.corners[k])
        points[i, 0], points[i, 1] = dot(ways[0], x), dot(ways[1], x)
    return many


@kernel()
def add(found: IntArray, first: int, many: int, last: int, row: IntArray) -> int:
    """Another row, in its order among those from first on; the same one counts once, and what has
    no room is left out. How many there are."""
    at = first + many
    for r in range(first, first + many):
        sign = 0
        for i in range(6):
            if row[i] != found[r, i]:
                sign = 1 if row[i] > found[r, i] else -1
                break
        if sign == 0:
            return many
        if sign < 0:
            at = r
            break
    if first + many >= last:
        return many
    for r in range(first + many, at, -1):
        copy_row(found[r], found[r - 1])
    copy_row(found[at], row)
    return many + 1


@kernel()
def put_crossing(row: IntArray, a: int, b: int, c: int, d: int, normal: Vector, hulls: HullScratch) -> bool:
    """Two edges that cross, corners in order, with the sense of their normal from the second body
    to the first; False where they are parallel."""
    a, b, c, d = min(a, b), max(a, b), min(c, d), max(c, d)
    along = sum_of(triple(hulls.corners[b]), -1.0, triple(hulls.corners[a]))
    across = sum_of(triple(hulls.corners[d]), -1.0, triple(hulls.corners[c]))
    n = cross(along, across)
    put_row(row, CROSSED, a, b, c, d, -1 if dot(n, normal) > 0.0 else 1)
    return np.sqrt(dot(n, n)) > PARALLEL * np.sqrt(dot(along, along) * dot(across, across))


@kernel()
def is_on_other(clip: ClipScratch, i: int, others: int, many: int, room: float) -> bool:
    """Whether corner i of the first polygon is one of the second that is inside of the first."""
    for j in range(others):
        x, y = clip.first[i, 0] - clip.second[j, 0], clip.first[i, 1] - clip.second[j, 1]
        if np.sqrt(x * x + y * y) <= room and is_within(clip.second_beyond, many, j, room):
            return True
    return False


@kernel()
def clip_faces(pair: PairData, normal: Vector, tables: HullTables, hulls: HullScratch, room: float) -> int:
    """Corners of the polygon in which two faces lie on each other; how many."""
    one, two, clip = tables.hulls[pair.hulls[0]], tables.hulls[pair.hulls[1]], hulls.clip
    ways, row = tangents_of(normal), hulls.spare
    f, g = facing(one, normal, tables, hulls), facing(two, times(-1.0, normal), tables, hulls)
    many = project(f, False, ways, tables, hulls, clip.first_ids, clip.first)
    others = project(g, True, ways, tables, hulls, clip.second_ids, clip.second)
    beyond(clip.second, others, clip.first, many, clip.first_beyond)
    beyond(clip.first, many, clip.second, others, clip.second_beyond)
    first, last, found = pair.first_touch, pair.first_touch + pair.touches, 0
    for i in range(many):
        if is_within(clip.first_beyond, others, i, room) and not is_on_other(clip, i, others, many, room):
            put_row(row, CORNER_ON_FACE, clip.first_ids[i], g, 0, 0, 0)
            found = add(hulls.found, first, found, last, row)
    for j in range(others):
        if is_within(clip.second_beyond, many, j, room):
            put_row(row, FACE_ON_CORNER, clip.second_ids[j], f, 0, 0, 0)
            found = add(hulls.found, first, found, last, row)
    for i in range(many):
        for j in range(others):
            k, m = (i + 1) % many, (j + 1) % others
            if are_parted(clip.first_beyond, j, i, k, room) and are_parted(clip.second_beyond, i, j, m, room):
                a, b, c, d = clip.first_ids[i], clip.first_ids[k], clip.second_ids[j], clip.second_ids[m]
                if put_crossing(row, a, b, c, d, normal, hulls):
                    found = add(hulls.found, first, found, last, row)
    return found


@kernel()
def list_line(pair: PairData, tables: HullTables, hulls: HullScratch) -> int:
    """What is nearest to both ends of a line, and the two corners or edges that are nearest to its
    inside; how many there are, none where it goes through the hull."""
    one, two, row = tables.hulls[pair.hulls[0]], tables.hulls[pair.hulls[1]], hulls.spare
    first, last, found = pair.first_touch, pair.first_touch + pair.touches, 0
    if is_through(pair, tables, hulls):
        return 0
    for end in range(2):
        part_point(one.first_corner + end, two, tables, hulls, row)
        found = add(hulls.found, first, found, last, row)
    skip = -1
    for _ in range(2):
        skip = part_inside(skip, pair, tables, hulls, row)[2]
        if skip < 0:
            break
        found = add(hulls.found, first, found, last, row)
    return found


@kernel()
def lowest_of(rows: IntArray, pair: PairData, p: Pose, q: Pose, tables: HullTables, hulls: HullScratch) -> float:
    """The smallest gap of the touches of a pair."""
    low = np.inf
    for r in range(pair.first_touch, pair.first_touch + pair.touches):
        if rows[r, 0] != ABSENT:
            write_touch(rows[r], pair, tables, hulls.tried)
            low = min(low, gap_of(hulls.tried, p, q))
    return low


@kernel()
def find(pair: PairData, whole: bool, p: Pose, q: Pose, tables: HullTables, hulls: HullScratch) -> tuple[float, int]:
    """What of a pair touches, or is nearest, into `found`; `whole`: all places where it touches.
    The gap, and whether that is more than the one place that is nearest."""
    place_hull(pair.hulls[0], p, tables, hulls)
    place_hull(pair.hulls[1], q, tables, hulls)
    best, first, last = hulls.best, pair.first_touch, pair.first_touch + pair.touches
    gap, normal = part(pair, tables, hulls, best)
    for r in range(first, last):
        put_row(hulls.found[r], ABSENT, 0, 0, 0, 0, 0)
    one, two = tables.hulls[pair.hulls[0]], tables.hulls[pair.hulls[1]]
    if not whole or one.corners == 1 or gap > NEAR * pair.size:
        copy_row(hulls.found[first], best)
        return gap, 0
    if one.corners == 2:
        many, room = list_line(pair, tables, hulls), SAME * pair.size
    else:
        room = SAME * min(one.size, two.size)
        many = clip_faces(pair, normal, tables, hulls, room)
    if many == 0 or lowest_of(hulls.found, pair, p, q, tables, hulls) > gap + room:
        add(hulls.found, first, many, last, best)
    return gap, 1
