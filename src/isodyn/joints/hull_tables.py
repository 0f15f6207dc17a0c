"""The memory of convex bodies that touch: their corners, faces and edges, and what of two of them
touches.

Each pair has two hulls of its own. Numbers of corners, faces and edges count through all hulls.
"""

from __future__ import annotations

from isodyn.joints.measures import BALL_SLIP
from isodyn.kernels.struct import Struct, integer, integers, many, one, real, reals

TOUCH, TOUCH_SLIP = BALL_SLIP + 1, BALL_SLIP + 2  # kinds of words, behind those of isodyn.joints.measures
# what touches, of the first body and of the second
ABSENT, CORNER_ON_FACE, FACE_ON_CORNER, CROSSED, CORNER_AND_EDGE, EDGE_AND_CORNER, CORNERS = range(7)


class HullData(Struct):
    """Where the corners, faces and edges of a hull begin, and how many there are; the size is half
    of the diagonal of its box."""

    first_corner, corners = integer, integer
    first_face, faces = integer, integer
    first_edge, edges = integer, integer
    size = real


class PairData(Struct):
    """Two bodies by number with a hull each, the first rounded by a radius; which touches are
    theirs, and the measure by which it is known whether they are far."""

    bodies, hulls = integers(2), integers(2)
    first_touch, touches, measure = integer, integer, integer
    radius, size = real, real


class HullTables(Struct):
    """All hulls in the frames of their bodies. Corners around face f are loops[i] from
    i = around[f, 0] on, around[f, 1] of them; edges have two corners and two faces beside them."""

    hulls = many(HullData, "hulls")
    pairs = many(PairData, "hull_pairs")
    corners = reals("hull_corners", 3)
    normals, offsets, tangents = reals("hull_faces", 3), reals("hull_faces"), reals("hull_faces", 2, 3)
    around, loops = integers("hull_faces", 2), integers("hull_loops")
    edges = integers("hull_edges", 4)


class TouchData(Struct):
    """What of two bodies touches: its kind, a point and a direction in each body, the sense of the
    normal; the radius of the first body; directions of slip (isodyn.joints.touches). `away` is the
    gap where nothing touches."""

    kind = integer
    x_i, d_i, x_j, d_j = reals(3), reals(3), reals(3), reals(3)
    sense, radius, away = real, real, real
    slips = reals(2, 3)


class ClipScratch(Struct):
    """Two polygons in a plane, and how far corners of each are beyond the edges of the other."""

    first, second = reals("hull_widest", 2), reals("hull_widest", 2)
    first_ids, second_ids = integers("hull_widest"), integers("hull_widest")
    first_beyond, second_beyond = reals("hull_widest", "hull_widest"), reals("hull_widest", "hull_widest")


class HullScratch(Struct):
    """Hulls where their bodies are; touches by the kinds and numbers of what touches, those chosen
    last and those found now, and as they are measured; whether those of a pair stay while a step
    lasts, and whether they were chosen at all, or are whenever they are asked for."""

    corners, normals, offsets = reals("hull_corners", 3), reals("hull_faces", 3), reals("hull_faces")
    ids, found = integers("touches", 6), integers("touches", 6)
    best, spare = integers(6), integers(6)
    touches, tried = many(TouchData, "touches"), one(TouchData)
    held, holds = integers("hull_pairs"), integers("hull_pairs")
    chosen = integer
    clip = one(ClipScratch)
