"""The words that joints and force elements are made of: scalar measures x(q) between two bodies.

Body i and body j have positions r, matrices R (body → world) and body-frame angular velocities ω;
s_i, s_j are points and a, c axes in the bodies, u, n fixed directions of the world. With P = r + R
s, d = P_j − P_i:

    POINT      u·(P_i − P_j)                ANGLE          turn of j against i about a, atan2(a₂·R_ij c₁, a₁·R_ij c₁)
    AXES       (R_i a)·(R_j c)              PLANAR_ANGLE   θ_j − θ_i − what it is at the start
    OFFSET     (R_i a)·d                    DISC_HEIGHT    height n·x of the lowest point x of a disc with centre P_i, axis a
    LENGTH     |d|                          TANGENT_ANGLE  the same between slopes of beams
    TWIST      as ANGLE, with the gradient that holds where the axes of the two bodies do not agree
    ROLL_SPHERE, ROLL_DISC   rates only: velocity u·ẋ of the material point of body i that touches the plane ⟂ n

Poses tell ANGLE, TANGENT_ANGLE and TWIST within half a turn. Where something depends on the value,
whole turns are counted: the angle is a coordinate of the state (isodyn.mechanism.turns), and the
measure reads it from its own numbers.

Every measure has a gradient g, ẋ = g·v with v = (ṙ_i, ω_i, ṙ_j, ω_j), a rest h, ẍ = g·v̇ + h, and a
stiffness K = ∂g/∂q along body-frame increments of rotation; h = vᵀK v. K is not symmetric: half the
cross product with the torque of g is left in its rotation blocks. Source:
[Shimada2014 (6.26)–(6.100)], corrected; see docs/corrections.md.

All numbers lie in one array A: poses at p and q, the measure's own numbers at k, results where the
caller says.
"""

from __future__ import annotations

import numpy as np

from isodyn.bodies.rotation_kernels import (
    Vector,
    cross,
    dot,
    put,
    rotate,
    rotate_back,
    sum_of,
    twice_cross,
    vector,
)
from isodyn.kernels.compiled import FloatArray, kernel

POINT, AXES, OFFSET, LENGTH, ANGLE, PLANAR_ANGLE, DISC_HEIGHT, ROLL_SPHERE, ROLL_DISC, TANGENT_ANGLE, TWIST = range(11)

# ---- a pose: position, matrix, velocity, angular velocity (body frame), angle of a planar body; of
# nodes of beams the length of the slope and the rate of its logarithm
POSE = 22
R_, V_, W_, TURN, STRETCH, STRETCHING = 3, 12, 15, 18, 19, 20
WHOLE_TURNS = (ANGLE, TANGENT_ANGLE, TWIST)  # measures that poses tell up to whole turns
# ---- the numbers of a measure: points, axes, further axes of the angle; u and n share the places
# of axes, the radius has its own; the angle with its whole turns, and whether it is counted
PARAMETERS = 24
S_I, S_J, A_I, C_J, A1_I, A2_I, C1_J, RADIUS, COUNTED, IS_COUNTED = 0, 3, 6, 9, 12, 15, 18, 21, 22, 23
TWO_PI = 2.0 * np.pi
# ---- memory that callers set aside, by place in it: gradient, stiffness, derivative of d, another
# gradient
GRADIENT, STIFFNESS, SLOPES, SECOND, WORK = 0, 12, 156, 192, 204


@kernel()
def between(A: FloatArray, p: int, q: int, k: int) -> Vector:
    """d = P_j − P_i."""
    x = rotate(A, q + R_, vector(A, k + S_J))
    y = rotate(A, p + R_, vector(A, k + S_I))
    return A[q] + x[0] - A[p] - y[0], A[q + 1] + x[1] - A[p + 1] - y[1], A[q + 2] + x[2] - A[p + 2] - y[2]


@kernel()
def touching(kind: int, A: FloatArray, p: int, k: int) -> tuple[float, Vector, Vector, Vector]:
    """Of a sphere or a disc on a plane, in the body frame: |normal less its axial part|, normal,
    direction to the touching point, point."""
    n = rotate_back(A, p + R_, vector(A, k + C_J))
    e, size = n, 1.0
    if kind != ROLL_SPHERE:
        a = vector(A, k + A_I)
        e = sum_of(n, -dot(n, a), a)
        size = np.sqrt(dot(e, e))
    e = (-e[0] / size, -e[1] / size, -e[2] / size)
    return size, n, e, sum_of(vector(A, k + S_I), A[k + RADIUS], e)


@kernel()
def angle_of(kind: int, A: FloatArray, p: int, q: int, k: int) -> float:
    """ANGLE, TANGENT_ANGLE or TWIST: as it was counted; where nothing counts it, within half a turn
    from the poses."""
    if A[k + IS_COUNTED] == 1.0:
        return A[k + COUNTED]
    if kind == TANGENT_ANGLE:
        return within_half_a_turn(A[q + TURN] - A[p + TURN] - A[k + RADIUS])
    y = rotate_back(A, p + R_, rotate(A, q + R_, vector(A, k + C1_J)))
    return np.arctan2(dot(vector(A, k + A2_I), y), dot(vector(A, k + A1_I), y))


@kernel()
def within_half_a_turn(x: float) -> float:
    """x less whole turns."""
    return x - TWO_PI * np.round(x / TWO_PI)


@kernel()
def twist_axis(A: FloatArray, p: int, q: int, k: int) -> Vector:
    """e = (C a₂ − S a₁)/(S² + C²) with S = a₂·R_ij c₁, C = a₁·R_ij c₁: the change of atan2(S, C) is
    e·δ(R_ij c₁)."""
    a1, a2 = vector(A, k + A1_I), vector(A, k + A2_I)
    y = rotate_back(A, p + R_, rotate(A, q + R_, vector(A, k + C1_J)))
    S, C = dot(a2, y), dot(a1, y)
    n = S * S + C * C
    return (C * a2[0] - S * a1[0]) / n, (C * a2[1] - S * a1[1]) / n, (C * a2[2] - S * a1[2]) / n


@kernel()
def measure(kind: int, A: FloatArray, p: int, q: int, k: int, g: int) -> float:
    """The value x; its gradient into A[g:g+12]."""
    if kind == POINT:
        u = vector(A, k + A_I)
        put(A, g, u)
        put(A, g + 3, cross(vector(A, k + S_I), rotate_back(A, p + R_, u)))
        put(A, g + 6, (-u[0], -u[1], -u[2]))
        put(A, g + 9, cross(rotate_back(A, q + R_, u), vector(A, k + S_J)))
        return -dot(u, between(A, p, q, k))
    if kind == AXES:
        a, c = vector(A, k + A_I), vector(A, k + C_J)
        c_i = rotate_back(A, p + R_, rotate(A, q + R_, c))
        a_j = rotate_back(A, q + R_, rotate(A, p + R_, a))
        put(A, g, (0.0, 0.0, 0.0))
        put(A, g + 3, cross(a, c_i))
        put(A, g + 6, (0.0, 0.0, 0.0))
        put(A, g + 9, cross(c, a_j))
        return dot(a, c_i)
    if kind == OFFSET:
        a, d = vector(A, k + A_I), between(A, p, q, k)
        y = rotate(A, p + R_, a)
        put(A, g, (-y[0], -y[1], -y[2]))
        put(A, g + 3, cross(a, sum_of(rotate_back(A, p + R_, d), 1.0, vector(A, k + S_I))))
        put(A, g + 6, y)
        put(A, g + 9, cross(vector(A, k + S_J), rotate_back(A, q + R_, y)))
        return dot(y, d)
    if kind == LENGTH:
        d = between(A, p, q, k)
        x = np.sqrt(dot(d, d))
        d = (d[0] / x, d[1] / x, d[2] / x)
        put(A, g, (-d[0], -d[1], -d[2]))
        put(A, g + 3, cross(rotate_back(A, p + R_, d), vector(A, k + S_I)))
        put(A, g + 6, d)
        put(A, g + 9, cross(vector(A, k + S_J), rotate_back(A, q + R_, d)))
        return x
    if kind == ANGLE:
        a = vector(A, k + A_I)
        put(A, g, (0.0, 0.0, 0.0))
        put(A, g + 3, (-a[0], -a[1], -a[2]))
        put(A, g + 6, (0.0, 0.0, 0.0))
        put(A, g + 9, rotate_back(A, q + R_, rotate(A, p + R_, a)))
        return angle_of(kind, A, p, q, k)
    for i in range(12):
        A[g + i] = 0.0
    if kind == TWIST:
        e, c = twist_axis(A, p, q, k), vector(A, k + C1_J)
        put(A, g + 3, cross(e, rotate_back(A, p + R_, rotate(A, q + R_, c))))
        put(A, g + 9, cross(c, rotate_back(A, q + R_, rotate(A, p + R_, e))))
        return angle_of(kind, A, p, q, k)
    if kind in (PLANAR_ANGLE, TANGENT_ANGLE):
        A[g + 5], A[g + 11] = -1.0, 1.0
        return A[q + TURN] - A[p + TURN] - A[k + RADIUS] if kind == PLANAR_ANGLE else angle_of(kind, A, p, q, k)
    _, n, _, touch = touching(kind, A, p, k)
    if kind == DISC_HEIGHT:
        put(A, g, vector(A, k + C_J))
        put(A, g + 3, cross(touch, n))
        return dot(vector(A, k + C_J), vector(A, p)) + dot(n, touch)
    put(A, g, vector(A, k + A1_I))
    put(A, g + 3, cross(touch, rotate_back(A, p + R_, vector(A, k + A1_I))))
    return 0.0


@kernel()
def rest(kind: int, A: FloatArray, p: int, q: int, k: int, work: int) -> float:
    """h with ẍ = g·v̇ + h."""
    w_i, w_j, a = vector(A, p + W_), vector(A, q + W_), vector(A, k + A_I)
    if kind in (PLANAR_ANGLE, TANGENT_ANGLE):
        return 0.0
    if kind == POINT:
        y = rotate(A, p + R_, twice_cross(w_i, vector(A, k + S_I)))
        z = rotate(A, q + R_, twice_cross(w_j, vector(A, k + S_J)))
        return dot(a, y) - dot(a, z)
    if kind == AXES:
        c = vector(A, k + C_J)
        h = dot(twice_cross(w_i, a), rotate_back(A, p + R_, rotate(A, q + R_, c)))
        h += 2.0 * dot(cross(w_i, a), rotate_back(A, p + R_, rotate(A, q + R_, cross(w_j, c))))
        return h + dot(a, rotate_back(A, p + R_, rotate(A, q + R_, twice_cross(w_j, c))))
    if kind == ANGLE:
        return dot(cross(w_i, a), rotate_back(A, p + R_, rotate(A, q + R_, w_j)))
    if kind in (OFFSET, LENGTH):
        s_i, s_j, d = vector(A, k + S_I), vector(A, k + S_J), between(A, p, q, k)
        left = sum_of(  # of d̈ without accelerations
            rotate(A, q + R_, twice_cross(w_j, s_j)), -1.0, rotate(A, p + R_, twice_cross(w_i, s_i))
        )
        rate = sum_of(rotate(A, q + R_, cross(w_j, s_j)), -1.0, rotate(A, p + R_, cross(w_i, s_i)))
        rate = sum_of(sum_of(rate, 1.0, vector(A, q + V_)), -1.0, vector(A, p + V_))
        if kind == LENGTH:
            x = np.sqrt(dot(d, d))
            along = dot(d, rate) / x
            return dot(d, left) / x + (dot(rate, rate) - along * along) / x
        h = dot(rotate(A, p + R_, a), left) + 2.0 * dot(rotate(A, p + R_, cross(w_i, a)), rate)
        return h + dot(rotate(A, p + R_, twice_cross(w_i, a)), d)
    K = work + STIFFNESS
    stiffness(kind, A, p, q, k, work)
    h = 0.0
    for i in range(3):
        for j in range(3):
            h += A[p + W_ + i] * A[K + (3 + i) * 12 + 3 + j] * A[p + W_ + j]
            if kind == TWIST:
                h += A[p + W_ + i] * A[K + (3 + i) * 12 + 9 + j] * A[q + W_ + j]
                h += A[q + W_ + i] * A[K + (9 + i) * 12 + 3 + j] * A[p + W_ + j]
                h += A[q + W_ + i] * A[K + (9 + i) * 12 + 9 + j] * A[q + W_ + j]
    return h


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
def add_column(A: FloatArray, K: int, i: int, j: int, f: float, x: Vector) -> None:
    """K[i:i+3, j] += f x."""
    A[K + i * 12 + j] += f * x[0]
    A[K + (i + 1) * 12 + j] += f * x[1]
    A[K + (i + 2) * 12 + j] += f * x[2]


@kernel()
def stiffness(kind: int, A: FloatArray, p: int, q: int, k: int, work: int) -> None:
    """K = ∂g/∂q, 12 × 12, row by row, at A[work + STIFFNESS]; column by column of three."""
    K = work + STIFFNESS
    for i in range(144):
        A[K + i] = 0.0
    if kind == LENGTH:
        length_stiffness(A, p, q, k, work)
        return
    if kind == TWIST:
        twist_stiffness(A, p, q, k, work)
        return
    a, c, s_i, s_j = vector(A, k + A_I), vector(A, k + C_J), vector(A, k + S_I), vector(A, k + S_J)
    a_world = rotate(A, p + R_, a)
    a_j = rotate_back(A, q + R_, a_world)
    e = sum_of(rotate_back(A, p + R_, between(A, p, q, k)), 1.0, s_i)
    u_i, u_j = rotate_back(A, p + R_, a), rotate_back(A, q + R_, a)
    for b in range(3):
        if kind == POINT:
            add_column(A, K, 3, 3 + b, 1.0, cross(s_i, unit_column(u_i, b)))
            add_column(A, K, 9, 9 + b, -1.0, cross(s_j, unit_column(u_j, b)))
        elif kind == AXES:
            add_axes_columns(A, K, b, p, q, a, c)
        elif kind == ANGLE:
            x = rotate_back(A, q + R_, rotate(A, p + R_, unit_column(a, b)))
            add_column(A, K, 9, 3 + b, -1.0, x)
            add_column(A, K, 9, 9 + b, 1.0, unit_column(a_j, b))
        elif kind == OFFSET:
            x = rotate(A, p + R_, unit_column(a, b))
            add_column(A, K, 0, 3 + b, 1.0, x)
            add_column(A, K, 6, 3 + b, -1.0, x)
            x = cross(a, rotate_back(A, p + R_, axis_column(b)))
            add_column(A, K, 3, b, -1.0, x)
            add_column(A, K, 3, 6 + b, 1.0, x)
            add_column(A, K, 3, 3 + b, 1.0, cross(a, unit_column(e, b)))
            x = rotate_back(A, p + R_, rotate(A, q + R_, unit_column(s_j, b)))
            add_column(A, K, 3, 9 + b, -1.0, cross(a, x))
            x = rotate_back(A, q + R_, rotate(A, p + R_, unit_column(a, b)))
            add_column(A, K, 9, 3 + b, -1.0, cross(s_j, x))
            add_column(A, K, 9, 9 + b, 1.0, cross(s_j, unit_column(a_j, b)))
        elif kind not in (PLANAR_ANGLE, TANGENT_ANGLE):  # discs and spheres on a plane
            size, n, down, touch = touching(kind, A, p, k)
            u = n if kind == DISC_HEIGHT else rotate_back(A, p + R_, vector(A, k + A1_I))
            x = unit_column(
                n, b
            )  # how the normal moves in the body, and the direction to the touching point against it
            if kind != ROLL_SPHERE:
                x = sum_of(x, -dot(x, a), a)
                x = sum_of(x, -dot(x, down), down)
            add_column(A, K, 3, 3 + b, 1.0, cross(touch, unit_column(u, b)))
            add_column(A, K, 3, 3 + b, -A[k + RADIUS] / size, cross(x, u))


@kernel()
def add_axes_columns(A: FloatArray, K: int, b: int, p: int, q: int, a: Vector, c: Vector) -> None:
    """Columns b of the rotations of both bodies in K of (R_i a)·(R_j c)."""
    c_i = rotate_back(A, p + R_, rotate(A, q + R_, c))
    a_j = rotate_back(A, q + R_, rotate(A, p + R_, a))
    add_column(A, K, 3, 3 + b, 1.0, cross(a, unit_column(c_i, b)))
    x = rotate_back(A, p + R_, rotate(A, q + R_, unit_column(c, b)))
    add_column(A, K, 3, 9 + b, -1.0, cross(a, x))
    x = rotate_back(A, q + R_, rotate(A, p + R_, unit_column(a, b)))
    add_column(A, K, 9, 3 + b, -1.0, cross(c, x))
    add_column(A, K, 9, 9 + b, 1.0, cross(c, unit_column(a_j, b)))


@kernel()
def twist_stiffness(A: FloatArray, p: int, q: int, k: int, work: int) -> None:
    """K of atan2(S, C): that of e·R_ij c₁ with e held, and ((∇S)(∇C)ᵀ − (∇C)(∇S)ᵀ)/n − (∇θ)(∇n)ᵀ/n
    with n = S² + C²."""
    K, D = work + STIFFNESS, work + SLOPES  # ∇S and ∇C of the rotations of both bodies, six each
    a1, a2, c = vector(A, k + A1_I), vector(A, k + A2_I), vector(A, k + C1_J)
    y = rotate_back(A, p + R_, rotate(A, q + R_, c))
    S, C = dot(a2, y), dot(a1, y)
    n = S * S + C * C
    put(A, D, cross(a2, y))
    put(A, D + 3, cross(c, rotate_back(A, q + R_, rotate(A, p + R_, a2))))
    put(A, D + 6, cross(a1, y))
    put(A, D + 9, cross(c, rotate_back(A, q + R_, rotate(A, p + R_, a1))))
    e = twist_axis(A, p, q, k)
    for b in range(3):
        add_axes_columns(A, K, b, p, q, e, c)
    for i in range(6):
        row = K + 12 * (3 + i if i < 3 else 6 + i)
        slope = (C * A[D + i] - S * A[D + 6 + i]) / n
        for j in range(6):
            change = 2.0 * (S * A[D + j] + C * A[D + 6 + j])
            value = A[D + i] * A[D + 6 + j] - A[D + 6 + i] * A[D + j] - slope * change
            A[row + (3 + j if j < 3 else 6 + j)] += value / n


@kernel()
def length_stiffness(A: FloatArray, p: int, q: int, k: int, work: int) -> None:
    """K of |d|: the change of direction, J_dᵀ(I − d̂ d̂ᵀ)J_d/|d|, and that of the arms."""
    K, J = work + STIFFNESS, work + SLOPES  # J = ∂d/∂q, a vector of three for each of twelve
    d, s_i, s_j = between(A, p, q, k), vector(A, k + S_I), vector(A, k + S_J)
    x = np.sqrt(dot(d, d))
    d = (d[0] / x, d[1] / x, d[2] / x)
    for b in range(3):
        e = axis_column(b)
        put(A, J + 3 * b, (-e[0], -e[1], -e[2]))
        put(A, J + 3 * (3 + b), rotate(A, p + R_, unit_column(s_i, b)))
        put(A, J + 3 * (6 + b), e)
        y = rotate(A, q + R_, unit_column(s_j, b))
        put(A, J + 3 * (9 + b), (-y[0], -y[1], -y[2]))
    for j in range(12):
        y = vector(A, J + 3 * j)
        y = sum_of(y, -dot(y, d), d)
        for i in range(12):
            A[K + 12 * i + j] += dot(vector(A, J + 3 * i), y) / x
    u_i, u_j = rotate_back(A, p + R_, d), rotate_back(A, q + R_, d)
    for b in range(3):
        add_column(A, K, 3, 3 + b, -1.0, cross(s_i, unit_column(u_i, b)))
        add_column(A, K, 9, 9 + b, 1.0, cross(s_j, unit_column(u_j, b)))
