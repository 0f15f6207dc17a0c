"""Points that coincide, all components at once: the same rows as two or three POINT words, for a
third of their cost.

φ = P_i − P_j,    φ̇ = ṙ_i + R_i(ω_i × s_i) − ṙ_j − R_j(ω_j × s_j),    φ̈ = … with ω̇ × s + ω × (ω × s)
Gᵀλ:  force λ on r_i, torque s_i × R_iᵀλ on body i, the opposite on j;      ∂(Gᵀλ)/∂q:  s~ (Rᵀλ)~ on the rotations of i, less those of j
"""

from __future__ import annotations

from isodyn.bodies.rotation_kernels import Vector, cross, rotate, rotate_back, sum_of, twice_cross, vector
from isodyn.joints.measures import PARAMETERS, POSE, R_, S_I, S_J, V_, W_, axis_column, between, unit_column
from isodyn.kernels.compiled import POSITION, VELOCITY, FloatArray, IntArray, kernel
from isodyn.kernels.lowering import natural
from isodyn.parts.layout import (
    BODIES,
    BODY,
    COLUMNS,
    F_MEASURE,
    F_POSE,
    FIRST_V,
    I_BODY,
    I_MEASURE,
    MEASURE,
    STRIDE,
)


@kernel()
def turning(body: int, a: FloatArray, pi: IntArray) -> Vector:
    """The rotational components of a body in a vector like v; zero where it has none."""
    if body == pi[BODIES]:
        return 0.0, 0.0, 0.0
    b = natural(pi[I_BODY] + BODY * body)
    x, y, z = pi[b + COLUMNS + 3], pi[b + COLUMNS + 4], pi[b + COLUMNS + 5]
    o = natural(pi[b + FIRST_V])
    return a[o + x] if x >= 0 else 0.0, a[o + y] if y >= 0 else 0.0, a[o + z] if z >= 0 else 0.0


@kernel()
def straight(body: int, a: FloatArray, pi: IntArray) -> Vector:
    """The translational components of a body in a vector like v."""
    if body == pi[BODIES]:
        return 0.0, 0.0, 0.0
    b = natural(pi[I_BODY] + BODY * body)
    o = natural(pi[b + FIRST_V])
    return a[o], a[o + 1], a[o + 2] if pi[b + COLUMNS + 2] >= 0 else 0.0


@kernel()
def coincidence(what: int, m: int, a: FloatArray, pf: FloatArray, pi: IntArray) -> Vector:
    """φ, φ̇ or φ̈ of the points of measure m."""
    n, k = natural(pi[I_MEASURE] + MEASURE * m), natural(pi[F_MEASURE] + PARAMETERS * m)
    i, j = pi[n + 1], pi[n + 2]
    p, q = natural(pi[F_POSE] + POSE * i), natural(pi[F_POSE] + POSE * j)
    if what == POSITION:
        d = between(pf, p, q, k)
        return -d[0], -d[1], -d[2]
    s_i, s_j, w_i, w_j = vector(pf, k + S_I), vector(pf, k + S_J), vector(pf, p + W_), vector(pf, q + W_)
    if what == VELOCITY:
        x = sum_of(rotate(pf, p + R_, cross(w_i, s_i)), -1.0, rotate(pf, q + R_, cross(w_j, s_j)))
        return sum_of(sum_of(x, 1.0, vector(pf, p + V_)), -1.0, vector(pf, q + V_))
    x = rotate(pf, p + R_, sum_of(cross(turning(i, a, pi), s_i), 1.0, twice_cross(w_i, s_i)))
    y = rotate(pf, q + R_, sum_of(cross(turning(j, a, pi), s_j), 1.0, twice_cross(w_j, s_j)))
    x, y = sum_of(x, 1.0, straight(i, a, pi)), sum_of(y, 1.0, straight(j, a, pi))
    return sum_of(x, -1.0, y)


@kernel()
def add_force(body: int, f: Vector, torque: Vector, sign: float, pi: IntArray, out: FloatArray) -> None:
    """out += sign (f, torque) in the components of a body."""
    if body == pi[BODIES]:
        return
    b = natural(pi[I_BODY] + BODY * body)
    o = natural(pi[b + FIRST_V])
    for c in range(3):
        if pi[b + COLUMNS + c] >= 0:
            out[o + pi[b + COLUMNS + c]] += sign * f[c]
        if pi[b + COLUMNS + 3 + c] >= 0:
            out[o + pi[b + COLUMNS + 3 + c]] += sign * torque[c]


@kernel()
def add_coincidence_forces(m: int, lam: Vector, pf: FloatArray, pi: IntArray, out: FloatArray) -> None:
    """out += Gᵀλ of the points of measure m."""
    n, k = natural(pi[I_MEASURE] + MEASURE * m), natural(pi[F_MEASURE] + PARAMETERS * m)
    p, q = natural(pi[F_POSE] + POSE * pi[n + 1]), natural(pi[F_POSE] + POSE * pi[n + 2])
    add_force(pi[n + 1], lam, cross(vector(pf, k + S_I), rotate_back(pf, p + R_, lam)), 1.0, pi, out)
    add_force(pi[n + 2], lam, cross(vector(pf, k + S_J), rotate_back(pf, q + R_, lam)), -1.0, pi, out)


@kernel()
def add_coincidence_tangents(m: int, lam: Vector, f: float, pf: FloatArray, pi: IntArray, out: FloatArray) -> None:
    """J += f ∂(Gᵀλ)/∂q of the points of measure m: the blocks of each body with itself."""
    n, k = natural(pi[I_MEASURE] + MEASURE * m), natural(pi[F_MEASURE] + PARAMETERS * m)
    for side in range(2):
        body = pi[n + 1 + side]
        if body == pi[BODIES]:
            continue
        b, p = natural(pi[I_BODY] + BODY * body), natural(pi[F_POSE] + POSE * body)
        s, u = vector(pf, k + (S_I if side == 0 else S_J)), rotate_back(pf, p + R_, lam)
        block, stride = natural(pi[n + 3 + 3 * side]), natural(pi[b + STRIDE])
        sign = f if side == 0 else -f
        for c in range(3):
            column = pi[b + COLUMNS + 3 + c]
            if column < 0:
                continue
            x = cross(s, unit_column(u, c))
            for r in range(3):
                row = pi[b + COLUMNS + 3 + r]
                if row >= 0:
                    out[block + row * stride + column] += sign * x[r]


@kernel()
def put_coincidence(m: int, c: int, place_i: int, place_j: int, pf: FloatArray, pi: IntArray, out: FloatArray) -> None:
    """Row c (x, y or z) of G of the points of measure m, in its places."""
    n, k = natural(pi[I_MEASURE] + MEASURE * m), natural(pi[F_MEASURE] + PARAMETERS * m)
    e = axis_column(c)
    for side in range(2):
        body = pi[n + 1 + side]
        if body == pi[BODIES]:
            continue
        b, p = natural(pi[I_BODY] + BODY * body), natural(pi[F_POSE] + POSE * body)
        place, sign = natural(place_i if side == 0 else place_j), 1.0 if side == 0 else -1.0
        arm = cross(vector(pf, k + (S_I if side == 0 else S_J)), rotate_back(pf, p + R_, e))
        for i in range(3):
            if pi[b + COLUMNS + i] >= 0:
                out[place + pi[b + COLUMNS + i]] += sign * e[i]
            if pi[b + COLUMNS + 3 + i] >= 0:
                out[place + pi[b + COLUMNS + 3 + i]] += sign * arm[i]
