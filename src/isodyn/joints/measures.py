"""The words that joints and force elements are made of: scalar measures x(q) between two bodies.

Body i and body j have positions r, matrices R (body → world) and body-frame angular velocities ω;
s_i, s_j are points and a, c axes in the bodies, u, n fixed directions of the world. With P = r + R
s, d = P_j − P_i:

    POINT      u·(P_i − P_j)                ANGLE          turn of j against i about a, atan2(a₂·R_ij c₁, a₁·R_ij c₁)
    AXES       (R_i a)·(R_j c)              PLANAR_ANGLE   θ_j − θ_i − what it is at the start
    OFFSET     (R_i a)·d                    DISC_HEIGHT    height n·x of the lowest point x of a disc with centre P_i, axis a
    LENGTH     |d|                          TANGENT_ANGLE  the same between slopes of beams
    TWIST      as ANGLE, with the gradient that holds where the axes of the two bodies do not agree
    CROSS      turn about a of the axis c₁ ⟂ a of body j, which a cross carries (universal joints); as TWIST otherwise
    ROLL_SPHERE, ROLL_DISC   rates only: velocity u·ẋ of the material point of body i that touches the plane ⟂ n
    CONTACT, SLIP            height and slip of an ellipsoid of body i on a surface of body j (isodyn.joints.contacts)
    BALL, BALL_SLIP          distance and slip of a ball of body i and a rounded box of body j (isodyn.joints.balls)

Poses tell ANGLE, TANGENT_ANGLE, TWIST and CROSS within half a turn. Where something depends on the
value, whole turns are counted: the angle is a coordinate of the state (isodyn.multibody.turns), and
the measure takes it from there.

Every measure has a gradient g, ẋ = g·v with v = (ṙ_i, ω_i, ṙ_j, ω_j), a rest h, ẍ = g·v̇ + h, and a
stiffness K = ∂g/∂q along body-frame increments of rotation; h = vᵀK v. K is not symmetric: half the
cross product with the torque of g is left in its rotation blocks. Source:
[Shimada2014 (6.26)–(6.100)], corrected; see docs/corrections.md.

Kernels take the poses p and q of the two bodies and the numbers of the word.
"""

from __future__ import annotations

import numpy as np

from isodyn.bodies.rotation_kernels import Vector, cross, dot, put, rotate, rotate_back, sum_of, triple
from isodyn.joints.balls import ball_contact
from isodyn.joints.contacts import contact
from isodyn.kernels.compiled import FloatArray, kernel
from isodyn.kernels.struct import Struct, real, reals

POINT, AXES, OFFSET, LENGTH, ANGLE, PLANAR_ANGLE, DISC_HEIGHT, ROLL_SPHERE, ROLL_DISC, TANGENT_ANGLE, TWIST = range(11)
CROSS, CONTACT, SLIP, BALL, BALL_SLIP = range(11, 16)
TWISTS = (TWIST, CROSS)
WHOLE_TURNS = (ANGLE, TANGENT_ANGLE, TWIST, CROSS)  # measures that poses tell up to whole turns
TWO_PI = 2.0 * np.pi
PROFILE = 9  # coefficients of the profile of a surface
R_I, W_I, R_J, W_J = 0, 3, 6, 9  # where (ṙ_i, ω_i, ṙ_j, ω_j) begin in a gradient


class Pose(Struct):
    """Where a body is and how it moves: matrix body → world, angular velocity in the body; angle of
    a planar body or slope; of nodes of beams the length of the slope and the rate of its
    logarithm; the angle that a planar body had before, with its sine and cosine (both 0: none)."""

    position = reals(3)
    R = reals(3, 3)
    v, w = reals(3), reals(3)
    angle, stretch, stretching = real, real, real
    angle_before, sine, cosine = real, real, real


class WordNumbers(Struct):
    """Points and axes in the two bodies, directions of the world, a radius, the angle that counts
    as zero, and the shapes of a contact, as far as a word needs them: an ellipsoid and a profile,
    the radius of a rim, a box and its rounding; the direction of slip where the normal is
    `facing`."""

    s_i, s_j = reals(3), reals(3)
    a, a1, a2 = reals(3), reals(3), reals(3)
    c, c1 = reals(3), reals(3)
    u, n = reals(3), reals(3)
    radius, zero = real, real
    shape, profile, rim = reals(3, 3), reals(PROFILE), real
    half, rounding = reals(3), real
    facing, along = reals(3), reals(3)


class MeasureWork(Struct):
    """A gradient and another one; stiffness; ∂d/∂q of a length, a vector for each of twelve; ∇S and
    ∇C of a twist over the rotations of both bodies."""

    gradient, second = reals(12), reals(12)
    K = reals(12, 12)
    J = reals(12, 3)
    sine_slopes, cosine_slopes = reals(6), reals(6)


@kernel()
def between(p: Pose, q: Pose, word: WordNumbers) -> Vector:
    """d = P_j − P_i."""
    x = rotate(q.R, triple(word.s_j))
    y = rotate(p.R, triple(word.s_i))
    return (
        q.position[0] + x[0] - p.position[0] - y[0],
        q.position[1] + x[1] - p.position[1] - y[1],
        q.position[2] + x[2] - p.position[2] - y[2],
    )


@kernel()
def touching(kind: int, p: Pose, word: WordNumbers) -> tuple[float, Vector, Vector, Vector]:
    """Of a sphere or a disc on a plane, in the body frame: |normal less its axial part|, normal,
    direction to the touching point, point."""
    n = rotate_back(p.R, triple(word.n))
    e, size = n, 1.0
    if kind != ROLL_SPHERE:
        a = triple(word.a)
        e = sum_of(n, -dot(n, a), a)
        size = np.sqrt(dot(e, e))
    e = (-e[0] / size, -e[1] / size, -e[2] / size)
    return size, n, e, sum_of(triple(word.s_i), word.radius, e)


@kernel()
def within_half_a_turn(x: float) -> float:
    """x less whole turns."""
    return x - TWO_PI * np.round(x / TWO_PI)


@kernel()
def angle_of(kind: int, p: Pose, q: Pose, word: WordNumbers) -> float:
    """ANGLE, TANGENT_ANGLE, TWIST or CROSS from the poses, within half a turn."""
    if kind == TANGENT_ANGLE:
        return within_half_a_turn(q.angle - p.angle - word.zero)
    y = rotate_back(p.R, rotate(q.R, triple(word.c1)))
    return np.arctan2(dot(triple(word.a2), y), dot(triple(word.a1), y))


@kernel()
def twist_axis(p: Pose, q: Pose, word: WordNumbers) -> Vector:
    """e = (C a₂ − S a₁)/(S² + C²) with S = a₂·R_ij c₁, C = a₁·R_ij c₁: the change of atan2(S, C) is
    e·δ(R_ij c₁)."""
    a1, a2 = triple(word.a1), triple(word.a2)
    y = rotate_back(p.R, rotate(q.R, triple(word.c1)))
    S, C = dot(a2, y), dot(a1, y)
    n = S * S + C * C
    return (C * a2[0] - S * a1[0]) / n, (C * a2[1] - S * a1[1]) / n, (C * a2[2] - S * a1[2]) / n


@kernel()
def measure(kind: int, p: Pose, q: Pose, word: WordNumbers, g: FloatArray) -> float:
    """The value x, angles within half a turn; its gradient into g."""
    if kind in WHOLE_TURNS:
        turn_gradient(kind, p, q, word, g)
        return angle_of(kind, p, q, word)
    if kind == POINT:
        u = triple(word.u)
        put(g, R_I, u)
        put(g, W_I, cross(triple(word.s_i), rotate_back(p.R, u)))
        put(g, R_J, (-u[0], -u[1], -u[2]))
        put(g, W_J, cross(rotate_back(q.R, u), triple(word.s_j)))
        return -dot(u, between(p, q, word))
    if kind == AXES:
        a, c = triple(word.a), triple(word.c)
        c_i = rotate_back(p.R, rotate(q.R, c))
        a_j = rotate_back(q.R, rotate(p.R, a))
        put(g, R_I, (0.0, 0.0, 0.0))
        put(g, W_I, cross(a, c_i))
        put(g, R_J, (0.0, 0.0, 0.0))
        put(g, W_J, cross(c, a_j))
        return dot(a, c_i)
    if kind == OFFSET:
        a, d = triple(word.a), between(p, q, word)
        y = rotate(p.R, a)
        put(g, R_I, (-y[0], -y[1], -y[2]))
        put(g, W_I, cross(a, sum_of(rotate_back(p.R, d), 1.0, triple(word.s_i))))
        put(g, R_J, y)
        put(g, W_J, cross(triple(word.s_j), rotate_back(q.R, y)))
        return dot(y, d)
    if kind == LENGTH:
        d = between(p, q, word)
        x = np.sqrt(dot(d, d))
        d = (d[0] / x, d[1] / x, d[2] / x)
        put(g, R_I, (-d[0], -d[1], -d[2]))
        put(g, W_I, cross(rotate_back(p.R, d), triple(word.s_i)))
        put(g, R_J, d)
        put(g, W_J, cross(triple(word.s_j), rotate_back(q.R, d)))
        return x
    for i in range(12):
        g[i] = 0.0
    if kind == PLANAR_ANGLE:
        g[W_I + 2], g[W_J + 2] = -1.0, 1.0
        return q.angle - p.angle - word.zero
    if kind in (CONTACT, SLIP):
        return put_gradient(g, kind == SLIP, contact(kind == SLIP, p, q, word))
    if kind in (BALL, BALL_SLIP):
        return put_gradient(g, kind == BALL_SLIP, ball_contact(kind == BALL_SLIP, p, q, word))
    _, n, _, touch = touching(kind, p, word)
    if kind == DISC_HEIGHT:
        put(g, R_I, triple(word.n))
        put(g, W_I, cross(touch, n))
        return dot(triple(word.n), triple(p.position)) + dot(n, touch)
    put(g, R_I, triple(word.u))
    put(g, W_I, cross(touch, rotate_back(p.R, triple(word.u))))
    return 0.0


@kernel()
def put_gradient(g: FloatArray, sliding: bool, found: tuple[float, Vector, Vector, Vector]) -> float:
    """The gradient of a contact into g; its distance, or zero of a slip."""
    height, W, of_i, of_j = found
    put(g, R_I, W)
    put(g, W_I, of_i)
    put(g, R_J, (-W[0], -W[1], -W[2]))
    put(g, W_J, (-of_j[0], -of_j[1], -of_j[2]))
    return 0.0 if sliding else height


@kernel()
def turn_gradient(kind: int, p: Pose, q: Pose, word: WordNumbers, g: FloatArray) -> None:
    """The gradient of ANGLE, TANGENT_ANGLE, TWIST or CROSS into g."""
    if kind == ANGLE:
        a = triple(word.a)
        put(g, R_I, (0.0, 0.0, 0.0))
        put(g, W_I, (-a[0], -a[1], -a[2]))
        put(g, R_J, (0.0, 0.0, 0.0))
        put(g, W_J, rotate_back(q.R, rotate(p.R, a)))
        return
    for i in range(12):
        g[i] = 0.0
    if kind == TANGENT_ANGLE:
        g[W_I + 2], g[W_J + 2] = -1.0, 1.0
        return
    e, c = twist_axis(p, q, word), triple(word.c1)
    put(g, W_I, cross(e, rotate_back(p.R, rotate(q.R, c))))
    put(g, W_J, cross(c, rotate_back(q.R, rotate(p.R, e))))
