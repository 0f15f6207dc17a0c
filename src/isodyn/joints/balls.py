"""Contact of a ball with a rounded box: how far they are apart, how they slip.

Body i carries a ball of radius r about s_i, body j a box about s_j with half its edges h along x,
y, z = (c₁, c × c₁, c), rounded by a radius ρ. Edges may be zero or endless: a ball is a box without
edges, a capsule has one, a bearing one that is endless. With the centre p of the ball in the frame
of the box:

    e = p − (p clamped to the box),  n = e/|e|            inside the box: the normal of the nearest face, |e| < 0
    BALL       |e| − r − ρ                                gradient n·(velocity of i − velocity of j at X)
    BALL_SLIP  w·(velocity of i − velocity of j at X),    X = p − r n; r < 0 where the ball is inside a bearing
    w = u − (u·n)/(1 + m·n) (m + n)                       u, as it is turned when m is turned to n; m = 0: w = u × n

with m = `facing` and u = `along`, in the frame of the box; in the world if it is a ball, which may
turn under n. A change of p by δ changes n by (δ_outside − n (n·δ))/|e|, where δ_outside has the
components in which p lies outside the box: the normals of faces do not turn, those of edges and
corners do.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from isodyn.bodies.rotation_kernels import Vector, cross, dot, rotate, rotate_back, sum_of, triple
from isodyn.joints.contacts import from_surface, into_surface, put_block
from isodyn.kernels.compiled import FloatArray, kernel

if TYPE_CHECKING:
    from isodyn.joints.measures import Pose, WordNumbers

    # |e|, n, which components of p lie outside the box, from s_j to the centre of the ball in the world
    Nearest = tuple[float, Vector, Vector, Vector]


@kernel()
def times(f: float, x: Vector) -> Vector:
    """f x."""
    return f * x[0], f * x[1], f * x[2]


@kernel()
def one_if(true: bool) -> float:
    """1 or 0."""
    return 1.0 if true else 0.0


@kernel()
def is_ball(word: WordNumbers) -> bool:
    """Whether the box has no edges."""
    return bool(word.half[0] == 0.0 and word.half[1] == 0.0 and word.half[2] == 0.0)


@kernel()
def into_frame(q: Pose, word: WordNumbers, x: Vector) -> Vector:
    """A direction of the world in the frame of the box."""
    return x if is_ball(word) else into_surface(word, rotate_back(q.R, x))


@kernel()
def from_frame(q: Pose, word: WordNumbers, x: Vector) -> Vector:
    """A direction of the frame of the box in the world."""
    return x if is_ball(word) else rotate(q.R, from_surface(word, x))


@kernel()
def beyond(x: float, half: float) -> float:
    """x less what lies within ±half."""
    return x - min(max(x, -half), half)


@kernel()
def nearest(p: Pose, q: Pose, word: WordNumbers) -> Nearest:
    """The box as seen from the centre of the ball; n in the frame of the box."""
    d = sum_of(triple(p.position), -1.0, triple(q.position))
    d = sum_of(d, 1.0, rotate(p.R, triple(word.s_i)))
    d = sum_of(d, -1.0, rotate(q.R, triple(word.s_j)))
    x, h = into_frame(q, word, d), triple(word.half)
    e = (beyond(x[0], h[0]), beyond(x[1], h[1]), beyond(x[2], h[2]))
    size = np.sqrt(dot(e, e))
    if size > 0.0:
        outside = (one_if(e[0] != 0.0), one_if(e[1] != 0.0), one_if(e[2] != 0.0))
        return size, times(1.0 / size, e), outside, d
    deep = (abs(x[0]) - h[0], abs(x[1]) - h[1], abs(x[2]) - h[2])
    size = max(deep[0], deep[1], deep[2])
    if size == deep[2]:
        return size, (0.0, 0.0, np.copysign(1.0, x[2])), (0.0, 0.0, 0.0), d
    if size == deep[1]:
        return size, (0.0, np.copysign(1.0, x[1]), 0.0), (0.0, 0.0, 0.0), d
    return size, (np.copysign(1.0, x[0]), 0.0, 0.0), (0.0, 0.0, 0.0), d


@kernel()
def turned_with(u: Vector, m: Vector, n: Vector, dn: Vector) -> tuple[Vector, Vector]:
    """u as it is turned when m is turned to n, and its change with n."""
    below = 1.0 + dot(m, n)
    f = dot(u, n) / below
    df = (dot(u, dn) - f * dot(m, dn)) / below
    both = sum_of(m, 1.0, n)
    return sum_of(u, -f, both), sum_of(times(-df, both), -f, dn)


@kernel()
def ball_way(sliding: bool, n: Vector, dn: Vector, word: WordNumbers) -> tuple[Vector, Vector]:
    """w and its change: the normal, or a tangent."""
    if not sliding:
        return n, dn
    u, m = triple(word.along), triple(word.facing)
    return (cross(u, n), cross(u, dn)) if dot(m, m) == 0.0 else turned_with(u, m, n, dn)


@kernel()
def ball_contact(sliding: bool, p: Pose, q: Pose, word: WordNumbers) -> tuple[float, Vector, Vector, Vector]:
    """The distance |e| − r − ρ, and the gradient W, x_i × w_i, x_j × w_j of w·(velocity of i −
    velocity of j), W in the world, the others in the bodies; those of j are to be taken with the
    other sign."""
    size, n, _, d = nearest(p, q, word)
    w, _ = ball_way(sliding, n, (0.0, 0.0, 0.0), word)
    W, k = from_frame(q, word, w), times(-word.radius, from_frame(q, word, n))
    x_i = sum_of(triple(word.s_i), 1.0, rotate_back(p.R, k))
    x_j = sum_of(triple(word.s_j), 1.0, rotate_back(q.R, sum_of(d, 1.0, k)))
    distance = size - word.radius - word.rounding
    return distance, W, cross(x_i, rotate_back(p.R, W)), cross(x_j, rotate_back(q.R, W))


@kernel()
def torque_change(R: FloatArray, s: Vector, th: Vector, k: Vector, dk: Vector, W: Vector, dW: Vector) -> Vector:
    """Change of x × (Rᵀ W) with the arm x = s + Rᵀ k along a turn th of the body."""
    turn = rotate(R, th)
    x, w = sum_of(s, 1.0, rotate_back(R, k)), rotate_back(R, W)
    dx = rotate_back(R, sum_of(dk, -1.0, cross(turn, k)))
    dw = rotate_back(R, sum_of(dW, -1.0, cross(turn, W)))
    return sum_of(cross(dx, w), 1.0, cross(x, dw))


@kernel()
def ball_change(
    sliding: bool,
    p: Pose,
    q: Pose,
    word: WordNumbers,
    at: Nearest,
    dr_i: Vector,
    th_i: Vector,
    dr_j: Vector,
    th_j: Vector,
) -> tuple[Vector, Vector, Vector]:
    """Change of the gradient (W, x_i × w_i, x_j × w_j) along an increment of both bodies."""
    size, n, outside, d = at
    turn = rotate(q.R, th_j)
    dd = sum_of(sum_of(dr_i, 1.0, rotate(p.R, cross(th_i, triple(word.s_i)))), -1.0, dr_j)
    dd = sum_of(dd, -1.0, rotate(q.R, cross(th_j, triple(word.s_j))))
    carried = (0.0, 0.0, 0.0) if is_ball(word) else turn  # of the frame of the box
    dp = into_frame(q, word, sum_of(dd, -1.0, cross(carried, d)))
    dn = (0.0, 0.0, 0.0)
    if outside[0] + outside[1] + outside[2] > 0.0:
        dn = sum_of((outside[0] * dp[0], outside[1] * dp[1], outside[2] * dp[2]), -dot(n, dp), n)
        dn = times(1.0 / size, dn)
    w, dw = ball_way(sliding, n, dn, word)
    W, N = from_frame(q, word, w), from_frame(q, word, n)
    dW = sum_of(from_frame(q, word, dw), 1.0, cross(carried, W))
    k, dk = times(-word.radius, N), times(-word.radius, sum_of(from_frame(q, word, dn), 1.0, cross(carried, N)))
    of_i = torque_change(p.R, triple(word.s_i), th_i, k, dk, W, dW)
    of_j = torque_change(q.R, triple(word.s_j), th_j, sum_of(d, 1.0, k), sum_of(dd, 1.0, dk), W, dW)
    return dW, of_i, of_j


@kernel()
def ball_rest(sliding: bool, p: Pose, q: Pose, word: WordNumbers) -> float:
    """h: the change of the gradient along the motion, times the velocities."""
    v_i, w_i, v_j, w_j = triple(p.v), triple(p.w), triple(q.v), triple(q.w)
    dW, of_i, of_j = ball_change(sliding, p, q, word, nearest(p, q, word), v_i, w_i, v_j, w_j)
    return dot(dW, v_i) + dot(of_i, w_i) - dot(dW, v_j) - dot(of_j, w_j)


@kernel()
def ball_stiffness(sliding: bool, p: Pose, q: Pose, word: WordNumbers, K: FloatArray) -> None:
    """K, column by column of (r_i, ϖ_i, r_j, ϖ_j)."""
    at, none = nearest(p, q, word), (0.0, 0.0, 0.0)
    for b in range(12):
        e = (1.0 if b % 3 == 0 else 0.0, 1.0 if b % 3 == 1 else 0.0, 1.0 if b % 3 == 2 else 0.0)
        dW, of_i, of_j = ball_change(
            sliding,
            p,
            q,
            word,
            at,
            e if b < 3 else none,
            e if 3 <= b < 6 else none,
            e if 6 <= b < 9 else none,
            e if b >= 9 else none,
        )
        put_block(K, 0, b, 1.0, dW)
        put_block(K, 1, b, 1.0, of_i)
        put_block(K, 2, b, -1.0, dW)
        put_block(K, 3, b, -1.0, of_j)
