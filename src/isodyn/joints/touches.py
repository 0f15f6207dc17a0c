"""One touch of two convex bodies: its gap, its slips and their rates.

Body i has a corner P_i, an edge through P_i along L_i or a face with the normal L_i there, and is
rounded by a radius ρ; body j has one of these too. With D = P_i − P_j:

    corner on face    n = L_j                  F_i = P_i,  F_j = P_i − (n·D) n
    face on corner    n = −L_i                 F_j = P_j,  F_i = P_j + (n·D) n
    edges cross       n = ± L_i × L_j/|…|      F: where the lines are nearest to each other
    corner and edge   n = E/|E|, E = F_i − F_j F_i = P_i,  F_j = P_j + (L_j·D) L_j     and the other way round
    two corners       n = D/|D|                F_i = P_i,  F_j = P_j

    TOUCH        n·(F_i − F_j) − ρ             gradient n·(velocity of i at X_i − velocity of j at X_j)
    TOUCH_SLIP   w·(velocity of i at X_i − velocity of j at X_j),    X_i = F_i − ρ n, X_j = F_j

Tangents w are fixed in the body that has the face; of crossed edges they are along the first of
them and across it; of what is round u is turned as the normal is (isodyn.joints.balls). Without
accelerations a rate w·(ṙ_i + ω_i × k_i − ṙ_j − ω_j × k_j), k = X − r, changes by

    ẇ·(…) + w·(ω_i × k̇_i − ω_j × k̇_j).
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from isodyn.bodies.rotation_kernels import Vector, cross, dot, put, rotate, rotate_back, sum_of, triple
from isodyn.joints.balls import times, turned_with
from isodyn.joints.hull_tables import CORNER_AND_EDGE, CORNER_ON_FACE, CROSSED, EDGE_AND_CORNER, FACE_ON_CORNER
from isodyn.joints.measures import R_I, R_J, W_I, W_J
from isodyn.kernels.compiled import FloatArray, kernel

SKEW = (0.48, 0.6, 0.64)  # far from the normals of most faces

if TYPE_CHECKING:
    from isodyn.joints.hull_tables import TouchData
    from isodyn.joints.measures import Pose

    # n, F_i, F_j and their rates
    Feet = tuple[Vector, Vector, Vector, Vector, Vector, Vector]
    # points P and directions L of one body and their rates
    Side = tuple[Vector, Vector, Vector, Vector]


@kernel()
def side_of(p: Pose, x: FloatArray, d: FloatArray) -> Side:
    """P, L, Ṗ, L̇ of a point x and a direction d of a body."""
    P, w = rotate(p.R, triple(x)), triple(p.w)
    rate = sum_of(rotate(p.R, cross(w, triple(x))), 1.0, triple(p.v))
    return sum_of(P, 1.0, triple(p.position)), rotate(p.R, triple(d)), rate, rotate(p.R, cross(w, triple(d)))


@kernel()
def along_of(E: Vector, dE: Vector) -> tuple[Vector, Vector]:
    """E/|E| and its rate."""
    size = np.sqrt(dot(E, E))
    n = times(1.0 / size, E)
    return n, times(1.0 / size, sum_of(dE, -dot(n, dE), n))


@kernel()
def foot_on(P: Vector, dP: Vector, line: Side) -> tuple[Vector, Vector]:
    """The point of a line that is nearest to P, and its rate; L has the length one."""
    Q, L, dQ, dL = line
    D, dD = sum_of(P, -1.0, Q), sum_of(dP, -1.0, dQ)
    s, ds = dot(L, D), dot(dL, D) + dot(L, dD)
    return sum_of(Q, s, L), sum_of(sum_of(dQ, ds, L), s, dL)


@kernel()
def foot_across(own: Side, other: Side, D: Vector, dD: Vector, c: Vector, dc: Vector) -> tuple[Vector, Vector]:
    """The point of a line that is nearest to another one, and its rate; c = ± L × L′."""
    P, L, dP, dL = own
    _, K, _, dK = other
    below = dot(c, c)
    e = cross(D, K)
    de = sum_of(cross(dD, K), 1.0, cross(D, dK))
    s = -dot(e, c) / below
    ds = -(dot(de, c) + dot(e, dc) + 2.0 * s * dot(c, dc)) / below
    return sum_of(P, s, L), sum_of(sum_of(dP, ds, L), s, dL)


@kernel()
def crossed_feet(sense: float, i: Side, j: Side) -> Feet:
    """Of two edges."""
    D, dD = sum_of(i[0], -1.0, j[0]), sum_of(i[2], -1.0, j[2])
    c = cross(i[1], j[1])
    dc = sum_of(cross(i[3], j[1]), 1.0, cross(i[1], j[3]))
    n, dn = along_of(c, dc)
    F_i, dF_i = foot_across(i, j, D, dD, c, dc)
    F_j, dF_j = foot_across(j, i, D, dD, c, dc)
    return times(sense, n), F_i, F_j, times(sense, dn), dF_i, dF_j


@kernel()
def feet(touch: TouchData, p: Pose, q: Pose) -> Feet:
    """n, F_i, F_j and their rates."""
    i, j = side_of(p, touch.x_i, touch.d_i), side_of(q, touch.x_j, touch.d_j)
    D, dD = sum_of(i[0], -1.0, j[0]), sum_of(i[2], -1.0, j[2])
    if touch.kind == CORNER_ON_FACE:
        n, dn = j[1], j[3]
        h, dh = dot(n, D), dot(dn, D) + dot(n, dD)
        return n, i[0], sum_of(i[0], -h, n), dn, i[2], sum_of(sum_of(i[2], -dh, n), -h, dn)
    if touch.kind == FACE_ON_CORNER:
        n, dn = times(-1.0, i[1]), times(-1.0, i[3])
        h, dh = dot(n, D), dot(dn, D) + dot(n, dD)
        return n, sum_of(j[0], h, n), j[0], dn, sum_of(sum_of(j[2], dh, n), h, dn), j[2]
    if touch.kind == CROSSED:
        return crossed_feet(touch.sense, i, j)
    F_i, dF_i, F_j, dF_j = i[0], i[2], j[0], j[2]
    if touch.kind == CORNER_AND_EDGE:
        F_j, dF_j = foot_on(i[0], i[2], j)
    elif touch.kind == EDGE_AND_CORNER:
        F_i, dF_i = foot_on(j[0], j[2], i)
    n, dn = along_of(sum_of(F_i, -1.0, F_j), sum_of(dF_i, -1.0, dF_j))
    return n, F_i, F_j, dn, dF_i, dF_j


@kernel()
def way_of(way: int, touch: TouchData, p: Pose, q: Pose, n: Vector, dn: Vector) -> tuple[Vector, Vector]:
    """w and its rate: the normal (way 0) or one of two tangents."""
    if way == 0:
        return n, dn
    slip = triple(touch.slips[way - 1])
    if touch.kind == CORNER_ON_FACE:
        return rotate(q.R, slip), rotate(q.R, cross(triple(q.w), slip))
    if touch.kind == FACE_ON_CORNER:
        return rotate(p.R, slip), rotate(p.R, cross(triple(p.w), slip))
    if touch.kind == CROSSED:
        edge = triple(touch.slips[0])
        w, dw = rotate(p.R, edge), rotate(p.R, cross(triple(p.w), edge))
        return (w, dw) if way == 1 else (cross(n, w), sum_of(cross(dn, w), 1.0, cross(n, dw)))
    turn = rotate(q.R, triple(q.w))
    n_j, dn_j = rotate_back(q.R, n), rotate_back(q.R, sum_of(dn, -1.0, cross(turn, n)))
    w, dw = turned_with(slip, SKEW, n_j, dn_j)
    W = rotate(q.R, w)
    return W, sum_of(rotate(q.R, dw), 1.0, cross(turn, W))


@kernel()
def gap_of(touch: TouchData, p: Pose, q: Pose) -> float:
    """n·(F_i − F_j) − ρ."""
    n, F_i, F_j, _, _, _ = feet(touch, p, q)
    return dot(n, sum_of(F_i, -1.0, F_j)) - touch.radius


@kernel()
def touch_gradient(way: int, touch: TouchData, p: Pose, q: Pose, g: FloatArray) -> None:
    """The gradient of a gap or a slip into g."""
    n, F_i, F_j, dn, _, _ = feet(touch, p, q)
    w, _ = way_of(way, touch, p, q, n, dn)
    k_i = sum_of(sum_of(F_i, -touch.radius, n), -1.0, triple(p.position))
    k_j = sum_of(F_j, -1.0, triple(q.position))
    put(g, R_I, w)
    put(g, W_I, rotate_back(p.R, cross(k_i, w)))
    put(g, R_J, times(-1.0, w))
    put(g, W_J, rotate_back(q.R, cross(w, k_j)))


@kernel()
def touch_rest(way: int, touch: TouchData, p: Pose, q: Pose) -> float:
    """What is left of the acceleration of a gap or a slip where bodies have none."""
    n, F_i, F_j, dn, dF_i, dF_j = feet(touch, p, q)
    w, dw = way_of(way, touch, p, q, n, dn)
    k_i = sum_of(sum_of(F_i, -touch.radius, n), -1.0, triple(p.position))
    k_j = sum_of(F_j, -1.0, triple(q.position))
    dk_i = sum_of(sum_of(dF_i, -touch.radius, dn), -1.0, triple(p.v))
    dk_j = sum_of(dF_j, -1.0, triple(q.v))
    turn_i, turn_j = rotate(p.R, triple(p.w)), rotate(q.R, triple(q.w))
    u = sum_of(triple(p.v), 1.0, cross(turn_i, k_i))
    u = sum_of(sum_of(u, -1.0, triple(q.v)), -1.0, cross(turn_j, k_j))
    return dot(dw, u) + dot(w, cross(turn_i, dk_i)) - dot(w, cross(turn_j, dk_j))
