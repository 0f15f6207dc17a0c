"""Points that coincide, all components at once: the same rows as two or three POINT words, for a
third of their cost.

φ = P_i − P_j,    φ̇ = ṙ_i + R_i(ω_i × s_i) − ṙ_j − R_j(ω_j × s_j),    φ̈ = … with ω̇ × s + ω × (ω × s)
Gᵀλ:  force λ on r_i, torque s_i × R_iᵀλ on body i, the opposite on j;      ∂(Gᵀλ)/∂q:  s~ (Rᵀλ)~ on the rotations of i, less those of j
"""

from __future__ import annotations

from isodyn.bodies.rotation_kernels import Vector, cross, rotate, rotate_back, sum_of, triple, twice_cross
from isodyn.joints.measures import between
from isodyn.joints.second_order import axis_column, unit_column
from isodyn.kernels.compiled import POSITION, VELOCITY, FloatArray, kernel
from isodyn.kernels.lowering import natural
from isodyn.multibody.tables import MeasureData, Scratch, Tables, TermData


@kernel()
def turning(k: int, a: FloatArray, tables: Tables) -> Vector:
    """The rotational components of a body in a vector like v; zero where it has none."""
    if k == tables.ground:
        return 0.0, 0.0, 0.0
    body = tables.bodies[k]
    x, y, z = body.columns[3], body.columns[4], body.columns[5]
    o = natural(body.first_v)
    return a[o + x] if x >= 0 else 0.0, a[o + y] if y >= 0 else 0.0, a[o + z] if z >= 0 else 0.0


@kernel()
def straight(k: int, a: FloatArray, tables: Tables) -> Vector:
    """The translational components of a body in a vector like v."""
    if k == tables.ground:
        return 0.0, 0.0, 0.0
    body = tables.bodies[k]
    o = natural(body.first_v)
    return a[o], a[o + 1], a[o + 2] if body.columns[2] >= 0 else 0.0


@kernel()
def coincidence(what: int, m: int, a: FloatArray, tables: Tables, scratch: Scratch) -> Vector:
    """φ, φ̇ or φ̈ of the points of measure m."""
    own = tables.measures[m]
    i, j = natural(own.bodies[0]), natural(own.bodies[1])
    p, q = scratch.poses[i], scratch.poses[j]
    if what == POSITION:
        d = between(p, q, own.word)
        return -d[0], -d[1], -d[2]
    s_i, s_j, w_i, w_j = triple(own.word.s_i), triple(own.word.s_j), triple(p.w), triple(q.w)
    if what == VELOCITY:
        x = sum_of(rotate(p.R, cross(w_i, s_i)), -1.0, rotate(q.R, cross(w_j, s_j)))
        return sum_of(sum_of(x, 1.0, triple(p.v)), -1.0, triple(q.v))
    x = rotate(p.R, sum_of(cross(turning(i, a, tables), s_i), 1.0, twice_cross(w_i, s_i)))
    y = rotate(q.R, sum_of(cross(turning(j, a, tables), s_j), 1.0, twice_cross(w_j, s_j)))
    x, y = sum_of(x, 1.0, straight(i, a, tables)), sum_of(y, 1.0, straight(j, a, tables))
    return sum_of(x, -1.0, y)


@kernel()
def add_force(k: int, f: Vector, torque: Vector, sign: float, tables: Tables, out: FloatArray) -> None:
    """out += sign (f, torque) in the components of a body."""
    if k == tables.ground:
        return
    body = tables.bodies[k]
    o = natural(body.first_v)
    for c in range(3):
        if body.columns[c] >= 0:
            out[o + body.columns[c]] += sign * f[c]
        if body.columns[3 + c] >= 0:
            out[o + body.columns[3 + c]] += sign * torque[c]


@kernel()
def arm(own: MeasureData, side: int) -> Vector:
    """The point in the body of a side."""
    return triple(own.word.s_i) if side == 0 else triple(own.word.s_j)


@kernel()
def add_coincidence_forces(m: int, lam: Vector, tables: Tables, scratch: Scratch, out: FloatArray) -> None:
    """out += Gᵀλ of the points of measure m."""
    own = tables.measures[m]
    i, j = natural(own.bodies[0]), natural(own.bodies[1])
    p, q = scratch.poses[i], scratch.poses[j]
    add_force(i, lam, cross(triple(own.word.s_i), rotate_back(p.R, lam)), 1.0, tables, out)
    add_force(j, lam, cross(triple(own.word.s_j), rotate_back(q.R, lam)), -1.0, tables, out)


@kernel()
def add_coincidence_tangents(m: int, lam: Vector, f: float, tables: Tables, scratch: Scratch, out: FloatArray) -> None:
    """J += f ∂(Gᵀλ)/∂q of the points of measure m: the blocks of each body with itself."""
    own = tables.measures[m]
    for side in range(2):
        k = natural(own.bodies[side])
        if k == tables.ground:
            continue
        body = tables.bodies[k]
        s, u = arm(own, side), rotate_back(scratch.poses[k].R, lam)
        block, stride = natural(own.blocks[side, side]), natural(body.stride)
        sign = f if side == 0 else -f
        for c in range(3):
            column = body.columns[3 + c]
            if column < 0:
                continue
            x = cross(s, unit_column(u, c))
            for r in range(3):
                row = body.columns[3 + r]
                if row >= 0:
                    out[block + row * stride + column] += sign * x[r]


@kernel()
def put_coincidence(term: TermData, c: int, tables: Tables, scratch: Scratch, out: FloatArray) -> None:
    """Row c (x, y or z) of G of the points of a term, in its places."""
    own, e = tables.measures[term.measure], axis_column(c)
    for side in range(2):
        k = natural(own.bodies[side])
        if k == tables.ground:
            continue
        body = tables.bodies[k]
        place, sign = natural(term.places[side]), 1.0 if side == 0 else -1.0
        torque = cross(arm(own, side), rotate_back(scratch.poses[k].R, e))
        for i in range(3):
            if body.columns[i] >= 0:
                out[place + body.columns[i]] += sign * e[i]
            if body.columns[3 + i] >= 0:
                out[place + body.columns[3 + i]] += sign * torque[i]
