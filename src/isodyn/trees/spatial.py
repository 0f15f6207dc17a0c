"""Recursions over the nodes of a tree, and the matrices of its equations.

Outward, with the joint of a node at P, its axis e, near = P − r of the parent and far = r − P:

    hinge   ω = ω_p + e θ̇,   ω̇ = ω̇_p + e θ̈ + ω_p × e θ̇         slide   Ṗ gains e ẋ,  P̈ gains e ẍ + 2 ω_p × e ẋ
    ṙ = ṙ_p + ω_p × near + ω × far,     r̈ = r̈_p + ω̇_p × near + ω_p × (ω_p × near) + ω̇ × far + ω × (ω × far)

The ground has the acceleration −g, which is all of the weight. Inward, force f = m r̈ and torque
𝔍ω̇ + ω × 𝔍ω are handed on to the parent, and what they do along a coordinate is its balance:
recursive Newton–Euler.

Matrices come from twists (ω, velocity u at the point O of the tree's first joint). S_j is the one
of coordinate j, v and a are those of nodes, p the parent of j's node, × is the product of twists
and ×* the one with forces (moment at O, force). An increment of coordinate j turns all that lies
outward, S_i by S_j × S_i, velocities and accelerations besides by

    S'_j = v_p × S_j,     S''_j = a_p × S_j + v_p × S'_j,     and an increment of its rate by S_j and S'_j + v_j × S_j,

so that with the sums over all nodes outward of i, of inertias I, of forces F, and of

    2B x = v ×* I x − I (v × x) + x ×* I v = (K ω_x, −2 p × ω_x),     K = ω~(2𝔍 − tr 𝔍) − 2 m (ṙ cᵀ − (c·ṙ) 1),   p = m ṙ,   c = r − O

    i outward of j                                             j inward of i
    ∂r_i/∂a_j = S_iᵀ I_i S_j                                   ∂r_j/∂a_i = S_jᵀ I_i S_i
    ∂r_i/∂v_j = S_iᵀ(2B_i S_j + I_i (S'_j + Ṡ_j))              ∂r_j/∂v_i = S_jᵀ(2B_i S_i + I_i (S'_i + Ṡ_i))
    ∂r_i/∂q_j = S_iᵀ(2B_i S'_j + I_i S''_j)                    ∂r_j/∂q_i = S_jᵀ(2B_i S'_i + I_i S''_i + S_i ×* F_i)

(docs/derivations/joint_coordinates.md). With weights c they are T = c₀S + c₁(S' + Ṡ) + c₂S'',
t = the angular part of c₁S + c₂S', and U_i = I_i T_i + 2B_i t_i + c₂ S_i ×* F_i.
"""

from __future__ import annotations

import numpy as np

from isodyn.bodies.rotation_kernels import (
    Vector,
    cross,
    dot,
    matrix_of,
    put,
    rotate,
    rotate_back,
    sum_of,
    triple,
    twice_cross,
)
from isodyn.kernels.compiled import FloatArray, kernel
from isodyn.kernels.lowering import natural
from isodyn.trees.tables import BALL, HINGE, SLIDE, NodeData, SpatialNode, TreeScratch, TreeTables


@kernel()
def product_into(A: FloatArray, B: FloatArray, out: FloatArray) -> None:
    """out = A B."""
    for i in range(3):
        for j in range(3):
            out[i, j] = A[i, 0] * B[0, j] + A[i, 1] * B[1, j] + A[i, 2] * B[2, j]


@kernel(fused=True)
def turn_node(node: NodeData, q: FloatArray, R: FloatArray, E: FloatArray, out: FloatArray) -> None:
    """out = R (the matrix of the node in its parent); E is memory."""
    if node.kind == BALL:
        matrix_of(q, natural(node.first_q), E)
        product_into(R, E, out)
    elif node.kind == HINGE:
        angle = q[natural(node.first_q)]
        c, s = np.cos(angle), np.sin(angle)
        for i in range(3):
            for j in range(3):
                E[i, j] = node.still[i, j] + c * node.cosine[i, j] + s * node.sine[i, j]
        product_into(R, E, out)
    else:
        product_into(R, node.still, out)


@kernel(fused=True)
def place_deep(q: FloatArray, tables: TreeTables, scratch: TreeScratch) -> None:
    """Matrices and mass centres."""
    first = tables.planar
    for k in range(first, len(tables.nodes)):
        node, own = tables.nodes[natural(k)], scratch.deep[natural(k - first)]
        E = own.spin  # memory, until matrices are asked for
        if node.parent >= 0:
            up = scratch.deep[natural(node.parent - first)]
            r, near, e = triple(up.r), rotate(up.R, triple(node.point)), rotate(up.R, triple(node.axis))
            turn_node(node, q, up.R, E, own.R)
        else:
            r, near, e = (0.0, 0.0, 0.0), triple(node.point), triple(node.axis)
            turn_node(node, q, scratch.still, E, own.R)
        if node.kind == SLIDE:
            near = sum_of(near, q[natural(node.first_q)], e)
        far = rotate(own.R, triple(node.arm))
        put(own.e, 0, e)
        put(own.near, 0, near)
        put(own.far, 0, far)
        put(own.r, 0, sum_of(sum_of(r, 1.0, near), 1.0, far))


@kernel()
def rate_of_node(node: NodeData, own: SpatialNode, x: FloatArray) -> Vector:
    """What a velocity or acceleration does along the axes of a node, in the world."""
    i = natural(node.first_v)
    if node.kind == BALL:
        return rotate(own.R, (x[i], x[i + 1], x[i + 2]))
    if node.kind == HINGE or node.kind == SLIDE:
        return (x[i] * own.e[0], x[i] * own.e[1], x[i] * own.e[2])
    return (0.0, 0.0, 0.0)


@kernel(fused=True)
def move_deep(v: FloatArray, tables: TreeTables, scratch: TreeScratch) -> None:
    """Velocities of mass centres and angular velocities."""
    first = tables.planar
    for k in range(first, len(tables.nodes)):
        node, own = tables.nodes[natural(k)], scratch.deep[natural(k - first)]
        w, u = (0.0, 0.0, 0.0), (0.0, 0.0, 0.0)
        if node.parent >= 0:
            up = scratch.deep[natural(node.parent - first)]
            w = triple(up.w)
            u = sum_of(triple(up.v), 1.0, cross(w, triple(own.near)))
        rate = rate_of_node(node, own, v)
        if node.kind == SLIDE:
            u = sum_of(u, 1.0, rate)
        else:
            w = sum_of(w, 1.0, rate)
        put(own.w, 0, w)
        put(own.v, 0, sum_of(u, 1.0, cross(w, triple(own.far))))


@kernel(fused=True)
def accelerate_deep(v: FloatArray, a: FloatArray, tables: TreeTables, scratch: TreeScratch) -> None:
    """Accelerations, with −g."""
    first, g = tables.planar, triple(tables.gravity)
    for k in range(first, len(tables.nodes)):
        node, own = tables.nodes[natural(k)], scratch.deep[natural(k - first)]
        w, dw, b = (0.0, 0.0, 0.0), (0.0, 0.0, 0.0), (-g[0], -g[1], -g[2])
        if node.parent >= 0:
            up = scratch.deep[natural(node.parent - first)]
            w, dw, near = triple(up.w), triple(up.dw), triple(own.near)
            b = sum_of(sum_of(triple(up.a), 1.0, cross(dw, near)), 1.0, twice_cross(w, near))
        change, turning = rate_of_node(node, own, a), cross(w, rate_of_node(node, own, v))
        if node.kind == SLIDE:
            b = sum_of(sum_of(b, 1.0, change), 2.0, turning)
        else:
            dw = sum_of(sum_of(dw, 1.0, change), 1.0, turning)
        far = triple(own.far)
        put(own.dw, 0, dw)
        put(own.a, 0, sum_of(sum_of(b, 1.0, cross(dw, far)), 1.0, twice_cross(triple(own.w), far)))


@kernel(fused=True)
def take_deep(tables: TreeTables, scratch: TreeScratch) -> None:
    """Forces and torques that the accelerations take."""
    first = tables.planar
    for k in range(first, len(tables.nodes)):
        node, own = tables.nodes[natural(k)], scratch.deep[natural(k - first)]
        m, a = node.mass, triple(own.a)
        put(own.f, 0, (m * a[0], m * a[1], m * a[2]))
        if node.body < 0:
            put(own.torque, 0, (0.0, 0.0, 0.0))
            continue
        w, dw = rotate_back(own.R, triple(own.w)), rotate_back(own.R, triple(own.dw))
        x = sum_of(rotate(node.inertia, dw), 1.0, cross(w, rotate(node.inertia, w)))
        put(own.torque, 0, rotate(own.R, x))


@kernel(fused=True)
def collect_deep(tables: TreeTables, scratch: TreeScratch, out: FloatArray) -> None:
    """out = forces and torques along the coordinates of joints; those of all outer nodes added."""
    first, many = tables.planar, len(tables.nodes)
    for j in range(many - first):
        k = natural(many - 1 - j)
        node, own = tables.nodes[k], scratch.deep[natural(k - first)]
        i, f = natural(node.first_v), triple(own.f)
        torque = sum_of(triple(own.torque), 1.0, cross(triple(own.far), f))
        if node.kind == HINGE:
            out[i] = dot(triple(own.e), torque)
        elif node.kind == SLIDE:
            out[i] = dot(triple(own.e), f)
        elif node.kind == BALL:
            put(out, i, rotate_back(own.R, torque))
        if node.parent >= 0:
            up = scratch.deep[natural(node.parent - first)]
            put(up.f, 0, sum_of(triple(up.f), 1.0, f))
            torque = sum_of(torque, 1.0, cross(triple(own.near), f))
            put(up.torque, 0, sum_of(triple(up.torque), 1.0, torque))


# ---- matrices


@kernel()
def from_root(k: int, x: Vector, tables: TreeTables, scratch: TreeScratch) -> Vector:
    """x from the point of the first joint of node k's tree."""
    root = scratch.deep[natural(tables.nodes[natural(k)].root - tables.planar)]
    return sum_of(sum_of(x, -1.0, triple(root.r)), 1.0, triple(root.far))


@kernel(fused=True)
def gather_deep(tables: TreeTables, scratch: TreeScratch, whole: bool) -> None:
    """Mass, moments and inertia of all nodes from each on; if `whole` momentum, K, force and
    moment too."""
    first, many = tables.planar, len(tables.nodes)
    for k in range(first, many):
        own_inertia(k, tables, scratch)
        if whole:
            own_motion(k, tables, scratch)
    for j in range(many - first):
        k = natural(many - 1 - j)
        if tables.nodes[k].parent < 0:
            continue
        own, up = scratch.deep[natural(k - first)], scratch.deep[natural(tables.nodes[k].parent - first)]
        up.mass += own.mass
        for i in range(3):
            up.h[i] += own.h[i]
            for m in range(3):
                up.inertia[i, m] += own.inertia[i, m]
        if whole:
            for i in range(3):
                up.p[i] += own.p[i]
                up.F[i] += own.F[i]
                up.moment[i] += own.moment[i]
                for m in range(3):
                    up.spin[i, m] += own.spin[i, m]


@kernel(fused=True)
def own_inertia(k: int, tables: TreeTables, scratch: TreeScratch) -> None:
    """Mass, h = m c and R 𝔍 Rᵀ + m (c·c 1 − c cᵀ) of one node."""
    node, own = tables.nodes[natural(k)], scratch.deep[natural(k - tables.planar)]
    m, c = node.mass, from_root(k, triple(own.r), tables, scratch)
    own.mass = m
    put(own.h, 0, (m * c[0], m * c[1], m * c[2]))
    R, J, square = own.R, node.inertia, m * dot(c, c)
    for i in range(3):
        x = rotate(J, (R[i, 0], R[i, 1], R[i, 2]))
        for j in range(i + 1):
            value = R[j, 0] * x[0] + R[j, 1] * x[1] + R[j, 2] * x[2] - m * c[i] * c[j]
            own.inertia[i, j], own.inertia[j, i] = value, value
        own.inertia[i, i] += square


@kernel(fused=True)
def own_motion(k: int, tables: TreeTables, scratch: TreeScratch) -> None:
    """Momentum, K, force and moment of one node, whose inertia is known."""
    node, own = tables.nodes[natural(k)], scratch.deep[natural(k - tables.planar)]
    m, c = node.mass, from_root(k, triple(own.r), tables, scratch)
    w, u, f = triple(own.w), triple(own.v), triple(own.f)
    put(own.p, 0, (m * u[0], m * u[1], m * u[2]))
    put(own.F, 0, f)
    put(own.moment, 0, sum_of(triple(own.torque), 1.0, cross(c, f)))
    square, along = dot(c, c), 2.0 * m * dot(c, u)
    # 𝔍 about the mass centre
    trace = own.inertia[0, 0] + own.inertia[1, 1] + own.inertia[2, 2] - 2.0 * m * square
    for j in range(3):
        x = (
            own.inertia[0, j] + m * c[0] * c[j],
            own.inertia[1, j] + m * c[1] * c[j],
            own.inertia[2, j] + m * c[2] * c[j],
        )
        less = m * square + 0.5 * trace
        x = (
            x[0] - (less if j == 0 else 0.0),
            x[1] - (less if j == 1 else 0.0),
            x[2] - (less if j == 2 else 0.0),
        )
        y = cross(w, x)
        for i in range(3):
            own.spin[i, j] = 2.0 * y[i] - 2.0 * m * u[i] * c[j] + (along if i == j else 0.0)


@kernel(fused=True)
def twist_of(k: int, tables: TreeTables, scratch: TreeScratch) -> tuple[Vector, Vector, Vector, Vector]:
    """(ω, u, ω̇, u̇) of node k at the point of its tree's first joint, as twists have them."""
    own = scratch.deep[natural(k - tables.planar)]
    c = from_root(k, triple(own.r), tables, scratch)
    w, u, dw = triple(own.w), triple(own.v), triple(own.dw)
    b = sum_of(sum_of(triple(own.a), -1.0, cross(dw, c)), -1.0, cross(w, u))
    return w, sum_of(u, -1.0, cross(w, c)), dw, b


@kernel()
def twist_product(w: Vector, u: Vector, x: Vector, y: Vector) -> tuple[Vector, Vector]:
    """(w, u) × (x, y)."""
    return cross(w, x), sum_of(cross(w, y), 1.0, cross(u, x))


@kernel()
def momentum(own: SpatialNode, x: Vector, y: Vector) -> tuple[Vector, Vector]:
    """I (x, y)."""
    h = triple(own.h)
    low = cross(h, x)
    m = own.mass
    return sum_of(rotate(own.inertia, x), 1.0, cross(h, y)), (m * y[0] - low[0], m * y[1] - low[1], m * y[2] - low[2])


@kernel(fused=True)
def axis_of(node: NodeData, own: SpatialNode, b: int, P: Vector) -> tuple[Vector, Vector]:
    """S of coordinate b of a node whose joint is at P."""
    e = triple(own.e)
    if node.kind == SLIDE:
        return (0.0, 0.0, 0.0), e
    if node.kind == BALL:
        e = (own.R[0, b], own.R[1, b], own.R[2, b])
    return e, cross(P, e)


@kernel(fused=True)
def columns_deep(k: int, c: FloatArray, tables: TreeTables, scratch: TreeScratch) -> None:
    """S, T, t and U of all coordinates of a node."""
    node, own = tables.nodes[natural(k)], scratch.deep[natural(k - tables.planar)]
    P = from_root(k, sum_of(triple(own.r), -1.0, triple(own.far)), tables, scratch)
    g = triple(tables.gravity)
    w, u, dw, d = (0.0, 0.0, 0.0), (0.0, 0.0, 0.0), (0.0, 0.0, 0.0), (-g[0], -g[1], -g[2])
    if node.parent >= 0:
        w, u, dw, d = twist_of(node.parent, tables, scratch)
    w_k, u_k, _, _ = twist_of(k, tables, scratch)
    for b in range(node.freedom):
        i = natural(node.first_v + b)
        e, m = axis_of(node, own, b, P)
        x, y = twist_product(w, u, e, m)  # S'
        x_k, y_k = twist_product(w_k, u_k, e, m)  # Ṡ
        one, two = twist_product(dw, d, e, m), twist_product(w, u, x, y)
        T_w = sum_of(sum_of((c[0] * e[0], c[0] * e[1], c[0] * e[2]), c[1], x), c[1], x_k)
        T_w = sum_of(sum_of(T_w, c[2], one[0]), c[2], two[0])
        T_u = sum_of(sum_of((c[0] * m[0], c[0] * m[1], c[0] * m[2]), c[1], y), c[1], y_k)
        T_u = sum_of(sum_of(T_u, c[2], one[1]), c[2], two[1])
        t = sum_of((c[1] * e[0], c[1] * e[1], c[1] * e[2]), c[2], x)
        moment, force = momentum(own, T_w, T_u)
        moment = sum_of(moment, 1.0, rotate(own.spin, t))
        force = sum_of(force, -2.0, cross(triple(own.p), t))
        F = triple(own.F)
        moment = sum_of(sum_of(moment, c[2], cross(e, triple(own.moment))), c[2], cross(m, F))
        force = sum_of(force, c[2], cross(e, F))
        put(scratch.S[i], 0, e)
        put(scratch.S[i], 3, m)
        put(scratch.T[i], 0, T_w)
        put(scratch.T[i], 3, T_u)
        put(scratch.turn[i], 0, t)
        put(scratch.U[i], 0, moment)
        put(scratch.U[i], 3, force)


@kernel()
def six(S: FloatArray, x: Vector, y: Vector) -> float:
    """S·(x, y)."""
    return S[0] * x[0] + S[1] * x[1] + S[2] * x[2] + S[3] * y[0] + S[4] * y[1] + S[5] * y[2]


@kernel(fused=True)
def matrix_deep(c: FloatArray, tables: TreeTables, scratch: TreeScratch, n: int, out: FloatArray) -> None:
    """Entries of c₀ M + c₁ ∂/∂v + c₂ ∂/∂q between nodes and all nodes inward of them."""
    first, many = tables.planar, len(tables.nodes)
    for k in range(first, many):
        columns_deep(k, c, tables, scratch)
    for k in range(first, many):
        node, own = tables.nodes[natural(k)], scratch.deep[natural(k - first)]
        for b in range(node.freedom):
            i = natural(node.first_v + b)
            S, U = scratch.S[i], scratch.U[i]
            e, m = (S[0], S[1], S[2]), (S[3], S[4], S[5])
            x, y = momentum(own, e, m)
            z = sum_of(rotate_back(own.spin, e), -2.0, cross(m, triple(own.p)))
            moment, force = (U[0], U[1], U[2]), (U[3], U[4], U[5])
            at = k
            while at >= 0:
                other = tables.nodes[natural(at)]
                for d in range(other.freedom):
                    j = natural(other.first_v + d)
                    out[i * n + j] = six(scratch.T[j], x, y) + dot(triple(scratch.turn[j]), z)
                    if at != k:
                        out[j * n + i] = six(scratch.S[j], moment, force)
                at = other.parent


@kernel(fused=True)
def mass_deep(c: float, tables: TreeTables, scratch: TreeScratch, n: int, out: FloatArray) -> None:
    """Entries of c M alone."""
    first, many = tables.planar, len(tables.nodes)
    for k in range(first, many):
        node, own = tables.nodes[natural(k)], scratch.deep[natural(k - first)]
        P = from_root(k, sum_of(triple(own.r), -1.0, triple(own.far)), tables, scratch)
        for b in range(node.freedom):
            i = natural(node.first_v + b)
            e, m = axis_of(node, own, b, P)
            put(scratch.S[i], 0, e)
            put(scratch.S[i], 3, m)
            x, y = momentum(own, (c * e[0], c * e[1], c * e[2]), (c * m[0], c * m[1], c * m[2]))
            at = k
            while at >= 0:
                other = tables.nodes[natural(at)]
                for d in range(other.freedom if at != k else b + 1):
                    j = natural(other.first_v + d)
                    value = six(scratch.S[j], x, y)
                    out[i * n + j], out[j * n + i] = value, value
                at = other.parent
