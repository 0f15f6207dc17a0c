"""The words that joints and force elements are made of: scalar measures x(q) between two bodies.

Body i and body j have positions r, matrices R (body → world) and body-frame angular velocities ω; s_i, s_j are points and a, c axes in
the bodies, u, n fixed directions of the world. With P = r + R s, d = P_j − P_i:

    POINT      u·(P_i − P_j)                ANGLE          turn of j against i about a, atan2(a₂·R_ij c₁, a₁·R_ij c₁)
    AXES       (R_i a)·(R_j c)              PLANAR_ANGLE   θ_j − θ_i of planar bodies
    OFFSET     (R_i a)·d                    DISC_HEIGHT    height n·x of the lowest point x of a disc with centre P_i, axis a
    LENGTH     |d|
    ROLL_SPHERE, ROLL_DISC   rates only: velocity u·ẋ of the material point of body i that touches the plane ⟂ n

Every measure has a gradient g, ẋ = g·v with v = (ṙ_i, ω_i, ṙ_j, ω_j), a rest h, ẍ = g·v̇ + h, and a stiffness K = ∂g/∂q along body-frame
increments of rotation; h = vᵀK v. K is not symmetric: half the cross product with the torque of g is left in its rotation blocks.
Source: [Shimada2014 (6.26)–(6.100)], corrected; see docs/corrections.md.
"""

from __future__ import annotations

import numpy as np

from isodyn.bodies.rotation_kernels import cross, dot, rotate, rotate_back, twice_cross
from isodyn.compiled import FloatArray, kernel

POINT, AXES, OFFSET, LENGTH, ANGLE, PLANAR_ANGLE, DISC_HEIGHT, ROLL_SPHERE, ROLL_DISC = range(9)

# ---- a pose: position, matrix, velocity, angular velocity (body frame), angle of a planar body
POSE = 20
R_, V_, W_, TURN = 3, 12, 15, 18
# ---- the numbers of a measure: points, axes, further axes of the angle; u and n share the places of axes, the radius has its own
PARAMETERS = 24
S_I, S_J, A_I, C_J, A1_I, A2_I, C1_J, RADIUS = 0, 3, 6, 9, 12, 15, 18, 21
# ---- scratch vectors of three, by number
SCRATCH = 13 * 3


@kernel()
def between(p: FloatArray, q: FloatArray, k: FloatArray, d: FloatArray, w: FloatArray) -> None:
    """d = P_j − P_i."""
    rotate(q[R_:V_], k[S_J:A_I], d)
    rotate(p[R_:V_], k[S_I:S_J], w)
    for i in range(3):
        d[i] += q[i] - p[i] - w[i]


@kernel()
def arm_cross(R: FloatArray, s: FloatArray, u: FloatArray, w: FloatArray, out: FloatArray) -> None:
    """out = s × Rᵀu: how u·(R s) changes with a rotation of the body."""
    rotate_back(R, u, w)
    cross(s, w, out)


@kernel()
def lowest(p: FloatArray, k: FloatArray, n_b: FloatArray, e: FloatArray, touch: FloatArray) -> float:
    """Body-frame normal n_b, direction e from the disc's centre to its lowest point, and that point; returns |n_b less its axial part|."""
    rotate_back(p[R_:V_], k[C_J:A1_I], n_b)
    along = dot(n_b, k[A_I:C_J])
    length = 0.0
    for i in range(3):
        e[i] = n_b[i] - along * k[A_I + i]
        length += e[i] * e[i]
    length = np.sqrt(length)
    for i in range(3):
        e[i] /= -length
        touch[i] = k[S_I + i] + k[RADIUS] * e[i]
    return length


@kernel()
def measure(kind: int, p: FloatArray, q: FloatArray, k: FloatArray, g: FloatArray, work: FloatArray) -> float:
    """The value x; its gradient into g (12)."""
    for i in range(12):
        g[i] = 0.0
    w, d, y, z = work[0:3], work[3:6], work[6:9], work[9:12]
    if kind == POINT:
        between(p, q, k, d, w)
        arm_cross(p[R_:V_], k[S_I:S_J], k[A_I:C_J], w, g[3:6])
        arm_cross(q[R_:V_], k[S_J:A_I], k[A_I:C_J], w, g[9:12])
        for i in range(3):
            g[i], g[6 + i], g[9 + i] = k[A_I + i], -k[A_I + i], -g[9 + i]
        return -dot(k[A_I:C_J], d)
    if kind == AXES:
        rotate(q[R_:V_], k[C_J:A1_I], w)
        rotate_back(p[R_:V_], w, y)  # R_ij c
        cross(k[A_I:C_J], y, g[3:6])
        x = dot(k[A_I:C_J], y)
        rotate(p[R_:V_], k[A_I:C_J], w)
        rotate_back(q[R_:V_], w, y)  # R_ijᵀ a
        cross(k[C_J:A1_I], y, g[9:12])
        return x
    if kind == OFFSET:
        between(p, q, k, d, w)
        rotate(p[R_:V_], k[A_I:C_J], y)
        rotate_back(p[R_:V_], d, z)
        for i in range(3):
            g[i], g[6 + i] = -y[i], y[i]
            z[i] += k[S_I + i]  # R_iᵀ(P_j − r_i)
        cross(k[A_I:C_J], z, g[3:6])
        arm_cross(q[R_:V_], k[S_J:A_I], y, w, g[9:12])
        return dot(y, d)
    if kind == LENGTH:
        between(p, q, k, d, w)
        x = np.sqrt(dot(d, d))
        for i in range(3):
            d[i] /= x
        arm_cross(p[R_:V_], k[S_I:S_J], d, w, g[3:6])
        arm_cross(q[R_:V_], k[S_J:A_I], d, w, g[9:12])
        for i in range(3):
            g[i], g[3 + i], g[6 + i] = -d[i], -g[3 + i], d[i]
        return x
    if kind == ANGLE:
        rotate(p[R_:V_], k[A_I:C_J], w)
        rotate_back(q[R_:V_], w, g[9:12])
        for i in range(3):
            g[3 + i] = -k[A_I + i]
        rotate(q[R_:V_], k[C1_J:RADIUS], w)
        rotate_back(p[R_:V_], w, y)
        return np.arctan2(dot(k[A2_I:C1_J], y), dot(k[A1_I:A2_I], y))
    if kind == PLANAR_ANGLE:
        g[5], g[11] = -1.0, 1.0
        return q[TURN] - p[TURN]
    if kind == DISC_HEIGHT:
        lowest(p, k, d, y, z)
        cross(z, d, g[3:6])
        for i in range(3):
            g[i] = k[C_J + i]
        return dot(k[C_J:A1_I], p[0:3]) + dot(d, z)
    rotate_back(p[R_:V_], k[A1_I:A2_I], w)  # Rᵀu
    touching(kind, p, k, d, y, z)
    cross(z, w, g[3:6])
    for i in range(3):
        g[i] = k[A1_I + i]
    return 0.0


@kernel()
def touching(kind: int, p: FloatArray, k: FloatArray, n_b: FloatArray, e: FloatArray, touch: FloatArray) -> float:
    """Normal, direction to the touching point, and that point, in the body frame, of a sphere or a disc."""
    if kind != ROLL_SPHERE:
        return lowest(p, k, n_b, e, touch)
    rotate_back(p[R_:V_], k[C_J:A1_I], n_b)
    for i in range(3):
        e[i] = -n_b[i]
        touch[i] = k[S_I + i] + k[RADIUS] * e[i]
    return 1.0


@kernel()
def rest(kind: int, p: FloatArray, q: FloatArray, k: FloatArray, work: FloatArray) -> float:
    """h with ẍ = g·v̇ + h."""
    w, d, y, z, b = work[0:3], work[3:6], work[6:9], work[9:12], work[12:15]
    if kind == PLANAR_ANGLE:
        return 0.0
    if kind == POINT:
        twice_cross(p[W_:TURN], k[S_I:S_J], w)
        rotate(p[R_:V_], w, y)
        twice_cross(q[W_:TURN], k[S_J:A_I], w)
        rotate(q[R_:V_], w, z)
        return dot(k[A_I:C_J], y) - dot(k[A_I:C_J], z)
    if kind == AXES:
        rotate(q[R_:V_], k[C_J:A1_I], w)
        rotate_back(p[R_:V_], w, y)
        twice_cross(p[W_:TURN], k[A_I:C_J], w)
        h = dot(w, y)
        cross(q[W_:TURN], k[C_J:A1_I], w)
        rotate(q[R_:V_], w, y)
        rotate_back(p[R_:V_], y, z)
        cross(p[W_:TURN], k[A_I:C_J], w)
        h += 2.0 * dot(w, z)
        twice_cross(q[W_:TURN], k[C_J:A1_I], w)
        rotate(q[R_:V_], w, y)
        rotate_back(p[R_:V_], y, z)
        return h + dot(k[A_I:C_J], z)
    if kind == OFFSET or kind == LENGTH:
        between(p, q, k, d, w)
        twice_cross(q[W_:TURN], k[S_J:A_I], w)
        rotate(q[R_:V_], w, z)
        twice_cross(p[W_:TURN], k[S_I:S_J], w)
        rotate(p[R_:V_], w, y)
        for i in range(3):
            z[i] -= y[i]  # what is left of d̈ without accelerations
        cross(q[W_:TURN], k[S_J:A_I], w)
        rotate(q[R_:V_], w, b)
        cross(p[W_:TURN], k[S_I:S_J], w)
        rotate(p[R_:V_], w, y)
        for i in range(3):
            b[i] += q[V_ + i] - p[V_ + i] - y[i]  # ḋ
        if kind == LENGTH:
            x = np.sqrt(dot(d, d))
            along = dot(d, b) / x
            return dot(d, z) / x + (dot(b, b) - along * along) / x
        rotate(p[R_:V_], k[A_I:C_J], y)
        h = dot(y, z)
        cross(p[W_:TURN], k[A_I:C_J], w)
        rotate(p[R_:V_], w, y)
        h += 2.0 * dot(y, b)
        twice_cross(p[W_:TURN], k[A_I:C_J], w)
        rotate(p[R_:V_], w, y)
        return h + dot(y, d)
    if kind == ANGLE:
        rotate(q[R_:V_], q[W_:TURN], w)
        rotate_back(p[R_:V_], w, y)
        cross(p[W_:TURN], k[A_I:C_J], w)
        return dot(w, y)
    K = work[SCRATCH:]
    stiffness(kind, p, q, k, K, work)
    h = 0.0
    for i in range(3):
        for j in range(3):
            h += p[W_ + i] * K[(3 + i) * 12 + 3 + j] * p[W_ + j]
    return h


@kernel()
def add_two_crosses(x: FloatArray, y: FloatArray, f: float, K: FloatArray, i: int, j: int) -> None:
    """K[i:i+3, j:j+3] += f x~ y~ = f (y xᵀ − (x·y) I)."""
    s = dot(x, y)
    for a in range(3):
        for b in range(3):
            K[(i + a) * 12 + j + b] += f * (y[a] * x[b] - (s if a == b else 0.0))


@kernel()
def add_cross(x: FloatArray, f: float, K: FloatArray, i: int, j: int) -> None:
    """K[i:i+3, j:j+3] += f x~."""
    K[i * 12 + j + 1] -= f * x[2]
    K[i * 12 + j + 2] += f * x[1]
    K[(i + 1) * 12 + j] += f * x[2]
    K[(i + 1) * 12 + j + 2] -= f * x[0]
    K[(i + 2) * 12 + j] -= f * x[1]
    K[(i + 2) * 12 + j + 1] += f * x[0]


@kernel()
def add_cross_rotated(
    x: FloatArray, R: FloatArray, y: FloatArray, back: bool, f: float, K: FloatArray, i: int, j: int, w: FloatArray
) -> None:
    """K[i:i+3, j:j+3] += f x~ R y~, or f x~ Rᵀ y~; x or y empty means the identity in its place."""
    col = w[0:3]
    for b in range(3):
        if y.size > 0:  # column b of y~
            col[b], col[(b + 1) % 3], col[(b + 2) % 3] = 0.0, y[(b + 2) % 3], -y[(b + 1) % 3]
        else:
            col[0], col[1], col[2] = 0.0, 0.0, 0.0
            col[b] = 1.0
        if back:
            rotate_back(R, col, col)
        else:
            rotate(R, col, col)
        if x.size > 0:
            cross(x, col, col)
        for a in range(3):
            K[(i + a) * 12 + j + b] += f * col[a]


@kernel()
def stiffness(kind: int, p: FloatArray, q: FloatArray, k: FloatArray, K: FloatArray, work: FloatArray) -> None:
    """K = ∂g/∂q, 12 × 12, row by row."""
    for i in range(144):
        K[i] = 0.0
    w, d, y, z = work[0:3], work[3:6], work[6:9], work[9:12]
    a, c = k[A_I:C_J], k[C_J:A1_I]
    if kind == POINT:
        rotate_back(p[R_:V_], a, w)
        add_two_crosses(k[S_I:S_J], w, 1.0, K, 3, 3)
        rotate_back(q[R_:V_], a, w)
        add_two_crosses(k[S_J:A_I], w, -1.0, K, 9, 9)
    elif kind == AXES or kind == ANGLE or kind == OFFSET:
        R = work[12:21]  # R_ij
        for i in range(3):
            for j in range(3):
                R[3 * i + j] = 0.0
                for m in range(3):
                    R[3 * i + j] += p[R_ + 3 * m + i] * q[R_ + 3 * m + j]
        rotate_back(R, a, z)  # a in body j
        if kind == ANGLE:
            add_cross_rotated(w[0:0], R, a, True, -1.0, K, 9, 3, work[21:24])
            add_cross(z, 1.0, K, 9, 9)
        elif kind == AXES:
            rotate(R, c, y)
            add_two_crosses(a, y, 1.0, K, 3, 3)
            add_cross_rotated(a, R, c, False, -1.0, K, 3, 9, work[21:24])
            add_cross_rotated(c, R, a, True, -1.0, K, 9, 3, work[21:24])
            add_two_crosses(c, z, 1.0, K, 9, 9)
        else:
            between(p, q, k, d, w)
            rotate_back(p[R_:V_], d, y)
            for i in range(3):
                y[i] += k[S_I + i]
            add_cross_rotated(w[0:0], p[R_:V_], a, False, 1.0, K, 0, 3, work[21:24])
            add_cross_rotated(w[0:0], p[R_:V_], a, False, -1.0, K, 6, 3, work[21:24])
            add_cross_rotated(a, p[R_:V_], w[0:0], True, -1.0, K, 3, 0, work[21:24])
            add_cross_rotated(a, p[R_:V_], w[0:0], True, 1.0, K, 3, 6, work[21:24])
            add_two_crosses(a, y, 1.0, K, 3, 3)
            add_cross_rotated(a, R, k[S_J:A_I], False, -1.0, K, 3, 9, work[21:24])
            add_cross_rotated(k[S_J:A_I], R, a, True, -1.0, K, 9, 3, work[21:24])
            add_two_crosses(k[S_J:A_I], z, 1.0, K, 9, 9)
    elif kind == LENGTH:
        length_stiffness(p, q, k, K, work)
    elif kind == DISC_HEIGHT or kind == ROLL_DISC or kind == ROLL_SPHERE:
        n_b, e, touch, u_b = work[12:15], work[15:18], work[18:21], work[21:24]
        size = touching(kind, p, k, n_b, e, touch)
        rotate_back(p[R_:V_], k[C_J:A1_I] if kind == DISC_HEIGHT else k[A1_I:A2_I], u_b)
        add_two_crosses(touch, u_b, 1.0, K, 3, 3)
        for j in range(3):  # column j of ρ E, e + E ϖ for a rotation by ϖ
            d[j], d[(j + 1) % 3], d[(j + 2) % 3] = 0.0, n_b[(j + 2) % 3], -n_b[(j + 1) % 3]
            if kind != ROLL_SPHERE:
                along, tip = dot(d, a), dot(d, e)
                for i in range(3):
                    d[i] -= along * a[i] + tip * e[i]
            cross(d, u_b, y)
            for i in range(3):
                K[(3 + i) * 12 + 3 + j] -= k[RADIUS] / size * y[i]


@kernel()
def length_stiffness(p: FloatArray, q: FloatArray, k: FloatArray, K: FloatArray, work: FloatArray) -> None:
    """K of |d|: the change of direction, J_dᵀ(I − d̂ d̂ᵀ)J_d/|d|, and that of the arms."""
    w, d = work[0:3], work[3:6]
    J = work[SCRATCH + 144 : SCRATCH + 144 + 36]  # ∂d/∂q, 3 × 12
    between(p, q, k, d, w)
    x = np.sqrt(dot(d, d))
    for i in range(3):
        d[i] /= x
    for i in range(36):
        J[i] = 0.0
    for i in range(3):
        J[12 * i + i], J[12 * i + 6 + i] = -1.0, 1.0
    for j in range(3):
        for side in range(2):
            s = k[S_I:S_J] if side == 0 else k[S_J:A_I]
            w[j], w[(j + 1) % 3], w[(j + 2) % 3] = 0.0, s[(j + 2) % 3], -s[(j + 1) % 3]  # column j of s~
            if side == 0:
                rotate(p[R_:V_], w, w)
            else:
                rotate(q[R_:V_], w, w)
            for i in range(3):
                J[12 * i + 3 + 6 * side + j] = w[i] if side == 0 else -w[i]
    for j in range(12):
        along = d[0] * J[j] + d[1] * J[12 + j] + d[2] * J[24 + j]
        for i in range(12):
            straight = J[i] * J[j] + J[12 + i] * J[12 + j] + J[24 + i] * J[24 + j]
            K[12 * i + j] += (straight - along * (d[0] * J[i] + d[1] * J[12 + i] + d[2] * J[24 + i])) / x
    rotate_back(p[R_:V_], d, w)
    add_two_crosses(k[S_I:S_J], w, -1.0, K, 3, 3)
    rotate_back(q[R_:V_], d, w)
    add_two_crosses(k[S_J:A_I], w, 1.0, K, 9, 9)
