"""What words add to accelerations, h with ẍ = g·v̇ + h, and their stiffness K = ∂g/∂q
(isodyn.joints.measures)."""

from __future__ import annotations

import numpy as np

from isodyn.bodies.rotation_kernels import Vector, cross, dot, put, rotate, rotate_back, sum_of, triple, twice_cross
from isodyn.joints.balls import ball_rest, ball_stiffness
from isodyn.joints.contacts import contact_rest, contact_stiffness
from isodyn.joints.measures import (
    ANGLE,
    AXES,
    BALL,
    BALL_SLIP,
    CONTACT,
    DISC_HEIGHT,
    LENGTH,
    OFFSET,
    PLANAR_ANGLE,
    POINT,
    R_I,
    R_J,
    ROLL_SPHERE,
    SLIP,
    TANGENT_ANGLE,
    TWISTS,
    W_I,
    W_J,
    MeasureWork,
    Pose,
    WordNumbers,
    between,
    touching,
    twist_axis,
)
from isodyn.kernels.compiled import FloatArray, kernel


@kernel()
def rest(kind: int, p: Pose, q: Pose, word: WordNumbers, work: MeasureWork) -> float:
    """h with ẍ = g·v̇ + h."""
    if kind in (PLANAR_ANGLE, TANGENT_ANGLE):
        return 0.0
    w_i, w_j = triple(p.w), triple(q.w)
    if kind == POINT:
        u = triple(word.u)
        y = rotate(p.R, twice_cross(w_i, triple(word.s_i)))
        z = rotate(q.R, twice_cross(w_j, triple(word.s_j)))
        return dot(u, y) - dot(u, z)
    if kind == AXES:
        a, c = triple(word.a), triple(word.c)
        h = dot(twice_cross(w_i, a), rotate_back(p.R, rotate(q.R, c)))
        h += 2.0 * dot(cross(w_i, a), rotate_back(p.R, rotate(q.R, cross(w_j, c))))
        return h + dot(a, rotate_back(p.R, rotate(q.R, twice_cross(w_j, c))))
    if kind == ANGLE:
        return dot(cross(w_i, triple(word.a)), rotate_back(p.R, rotate(q.R, w_j)))
    if kind in (OFFSET, LENGTH):
        return rest_of_way(kind, p, q, word)
    if kind in (CONTACT, SLIP):
        return contact_rest(kind == SLIP, p, q, word)
    if kind in (BALL, BALL_SLIP):
        return ball_rest(kind == BALL_SLIP, p, q, word)
    K = work.K
    stiffness(kind, p, q, word, work)
    h = 0.0
    for i in range(3):
        for j in range(3):
            h += p.w[i] * K[W_I + i, W_I + j] * p.w[j]
            if kind in TWISTS:
                h += p.w[i] * K[W_I + i, W_J + j] * q.w[j]
                h += q.w[i] * K[W_J + i, W_I + j] * p.w[j]
                h += q.w[i] * K[W_J + i, W_J + j] * q.w[j]
    return h


@kernel()
def rest_of_way(kind: int, p: Pose, q: Pose, word: WordNumbers) -> float:
    """h of OFFSET and LENGTH."""
    w_i, w_j, a = triple(p.w), triple(q.w), triple(word.a)
    s_i, s_j, d = triple(word.s_i), triple(word.s_j), between(p, q, word)
    left = sum_of(  # of d̈ without accelerations
        rotate(q.R, twice_cross(w_j, s_j)), -1.0, rotate(p.R, twice_cross(w_i, s_i))
    )
    rate = sum_of(rotate(q.R, cross(w_j, s_j)), -1.0, rotate(p.R, cross(w_i, s_i)))
    rate = sum_of(sum_of(rate, 1.0, triple(q.v)), -1.0, triple(p.v))
    if kind == LENGTH:
        x = np.sqrt(dot(d, d))
        along = dot(d, rate) / x
        return dot(d, left) / x + (dot(rate, rate) - along * along) / x
    h = dot(rotate(p.R, a), left) + 2.0 * dot(rotate(p.R, cross(w_i, a)), rate)
    return h + dot(rotate(p.R, twice_cross(w_i, a)), d)


@kernel()
def unit_column(x: Vector, b: int) -> Vector:
    """Column b of x~: x × e_b."""
    if b == 0:
        return 0.0, x[2], -x[1]
    if b == 1:
        return -x[2], 0.0, x[0]
    return x[1], -x[0], 0.0


@kernel()
def axis_column(b: int) -> Vector:
    """Column b of the identity."""
    return 1.0 if b == 0 else 0.0, 1.0 if b == 1 else 0.0, 1.0 if b == 2 else 0.0


@kernel()
def add_column(K: FloatArray, i: int, j: int, f: float, x: Vector) -> None:
    """K[i:i+3, j] += f x."""
    K[i, j] += f * x[0]
    K[i + 1, j] += f * x[1]
    K[i + 2, j] += f * x[2]


@kernel()
def stiffness(kind: int, p: Pose, q: Pose, word: WordNumbers, work: MeasureWork) -> None:
    """K = ∂g/∂q, 12 × 12, column by column of three."""
    K = work.K
    for i in range(12):
        for j in range(12):
            K[i, j] = 0.0
    if kind == LENGTH:
        length_stiffness(p, q, word, work)
    elif kind in TWISTS:
        twist_stiffness(p, q, word, work)
    elif kind == POINT:
        point_stiffness(p, q, word, K)
    elif kind == AXES:
        for b in range(3):
            add_axes_columns(K, b, p, q, triple(word.a), triple(word.c))
    elif kind == ANGLE:
        angle_stiffness(p, q, triple(word.a), K)
    elif kind == OFFSET:
        offset_stiffness(p, q, word, K)
    elif kind in (CONTACT, SLIP, BALL, BALL_SLIP):
        stiffness_of_contact(kind, p, q, word, K)
    elif kind not in (PLANAR_ANGLE, TANGENT_ANGLE):
        touching_stiffness(kind, p, word, K)


@kernel()
def stiffness_of_contact(kind: int, p: Pose, q: Pose, word: WordNumbers, K: FloatArray) -> None:
    """K of gaps and slips of contacts."""
    if kind in (CONTACT, SLIP):
        contact_stiffness(kind == SLIP, p, q, word, K)
    else:
        ball_stiffness(kind == BALL_SLIP, p, q, word, K)


@kernel()
def point_stiffness(p: Pose, q: Pose, word: WordNumbers, K: FloatArray) -> None:
    """K of u·(P_i − P_j)."""
    s_i, s_j, u = triple(word.s_i), triple(word.s_j), triple(word.u)
    u_i, u_j = rotate_back(p.R, u), rotate_back(q.R, u)
    for b in range(3):
        add_column(K, W_I, W_I + b, 1.0, cross(s_i, unit_column(u_i, b)))
        add_column(K, W_J, W_J + b, -1.0, cross(s_j, unit_column(u_j, b)))


@kernel()
def add_axes_columns(K: FloatArray, b: int, p: Pose, q: Pose, a: Vector, c: Vector) -> None:
    """Columns b of the rotations of both bodies in K of (R_i a)·(R_j c)."""
    c_i = rotate_back(p.R, rotate(q.R, c))
    a_j = rotate_back(q.R, rotate(p.R, a))
    add_column(K, W_I, W_I + b, 1.0, cross(a, unit_column(c_i, b)))
    x = rotate_back(p.R, rotate(q.R, unit_column(c, b)))
    add_column(K, W_I, W_J + b, -1.0, cross(a, x))
    x = rotate_back(q.R, rotate(p.R, unit_column(a, b)))
    add_column(K, W_J, W_I + b, -1.0, cross(c, x))
    add_column(K, W_J, W_J + b, 1.0, cross(c, unit_column(a_j, b)))


@kernel()
def angle_stiffness(p: Pose, q: Pose, a: Vector, K: FloatArray) -> None:
    """K of a turn about an axis that the two bodies share."""
    a_j = rotate_back(q.R, rotate(p.R, a))
    for b in range(3):
        x = rotate_back(q.R, rotate(p.R, unit_column(a, b)))
        add_column(K, W_J, W_I + b, -1.0, x)
        add_column(K, W_J, W_J + b, 1.0, unit_column(a_j, b))


@kernel()
def offset_stiffness(p: Pose, q: Pose, word: WordNumbers, K: FloatArray) -> None:
    """K of (R_i a)·d."""
    a, s_i, s_j = triple(word.a), triple(word.s_i), triple(word.s_j)
    a_j = rotate_back(q.R, rotate(p.R, a))
    e = sum_of(rotate_back(p.R, between(p, q, word)), 1.0, s_i)
    for b in range(3):
        x = rotate(p.R, unit_column(a, b))
        add_column(K, R_I, W_I + b, 1.0, x)
        add_column(K, R_J, W_I + b, -1.0, x)
        x = cross(a, rotate_back(p.R, axis_column(b)))
        add_column(K, W_I, R_I + b, -1.0, x)
        add_column(K, W_I, R_J + b, 1.0, x)
        add_column(K, W_I, W_I + b, 1.0, cross(a, unit_column(e, b)))
        x = rotate_back(p.R, rotate(q.R, unit_column(s_j, b)))
        add_column(K, W_I, W_J + b, -1.0, cross(a, x))
        x = rotate_back(q.R, rotate(p.R, unit_column(a, b)))
        add_column(K, W_J, W_I + b, -1.0, cross(s_j, x))
        add_column(K, W_J, W_J + b, 1.0, cross(s_j, unit_column(a_j, b)))


@kernel()
def touching_stiffness(kind: int, p: Pose, word: WordNumbers, K: FloatArray) -> None:
    """K of discs and spheres on a plane."""
    a = triple(word.a)
    size, n, down, touch = touching(kind, p, word)
    u = n if kind == DISC_HEIGHT else rotate_back(p.R, triple(word.u))
    for b in range(3):
        # how the normal moves in the body, and the direction to the touching point against it
        x = unit_column(n, b)
        if kind != ROLL_SPHERE:
            x = sum_of(x, -dot(x, a), a)
            x = sum_of(x, -dot(x, down), down)
        add_column(K, W_I, W_I + b, 1.0, cross(touch, unit_column(u, b)))
        add_column(K, W_I, W_I + b, -word.radius / size, cross(x, u))


@kernel()
def twist_stiffness(p: Pose, q: Pose, word: WordNumbers, work: MeasureWork) -> None:
    """K of atan2(S, C): that of e·R_ij c₁ with e held, and ((∇S)(∇C)ᵀ − (∇C)(∇S)ᵀ)/n − (∇θ)(∇n)ᵀ/n
    with n = S² + C²."""
    K, of_S, of_C = work.K, work.sine_slopes, work.cosine_slopes
    a1, a2, c = triple(word.a1), triple(word.a2), triple(word.c1)
    y = rotate_back(p.R, rotate(q.R, c))
    S, C = dot(a2, y), dot(a1, y)
    n = S * S + C * C
    put(of_S, 0, cross(a2, y))
    put(of_S, 3, cross(c, rotate_back(q.R, rotate(p.R, a2))))
    put(of_C, 0, cross(a1, y))
    put(of_C, 3, cross(c, rotate_back(q.R, rotate(p.R, a1))))
    e = twist_axis(p, q, word)
    for b in range(3):
        add_axes_columns(K, b, p, q, e, c)
    for i in range(6):
        row = W_I + i if i < 3 else W_J - 3 + i
        slope = (C * of_S[i] - S * of_C[i]) / n
        for j in range(6):
            change = 2.0 * (S * of_S[j] + C * of_C[j])
            value = of_S[i] * of_C[j] - of_C[i] * of_S[j] - slope * change
            K[row, W_I + j if j < 3 else W_J - 3 + j] += value / n


@kernel()
def length_stiffness(p: Pose, q: Pose, word: WordNumbers, work: MeasureWork) -> None:
    """K of |d|: the change of direction, J_dᵀ(I − d̂ d̂ᵀ)J_d/|d|, and that of the arms."""
    K, J = work.K, work.J
    d, s_i, s_j = between(p, q, word), triple(word.s_i), triple(word.s_j)
    x = np.sqrt(dot(d, d))
    d = (d[0] / x, d[1] / x, d[2] / x)
    for b in range(3):
        e = axis_column(b)
        put_row(J, R_I + b, (-e[0], -e[1], -e[2]))
        put_row(J, W_I + b, rotate(p.R, unit_column(s_i, b)))
        put_row(J, R_J + b, e)
        y = rotate(q.R, unit_column(s_j, b))
        put_row(J, W_J + b, (-y[0], -y[1], -y[2]))
    for j in range(12):
        y = (J[j, 0], J[j, 1], J[j, 2])
        y = sum_of(y, -dot(y, d), d)
        for i in range(12):
            K[i, j] += dot((J[i, 0], J[i, 1], J[i, 2]), y) / x
    u_i, u_j = rotate_back(p.R, d), rotate_back(q.R, d)
    for b in range(3):
        add_column(K, W_I, W_I + b, -1.0, cross(s_i, unit_column(u_i, b)))
        add_column(K, W_J, W_J + b, 1.0, cross(s_j, unit_column(u_j, b)))


@kernel()
def put_row(J: FloatArray, i: int, x: Vector) -> None:
    """J[i] = x."""
    J[i, 0], J[i, 1], J[i, 2] = x[0], x[1], x[2]
