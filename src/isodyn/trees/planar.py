"""Recursions over nodes in the plane (isodyn.trees.spatial has the equations)."""

from __future__ import annotations

import numpy as np

from isodyn.kernels.compiled import FloatArray, kernel
from isodyn.kernels.lowering import natural
from isodyn.trees.tables import HINGE, SLIDE, NodeData, PlanarNode, TreeScratch, TreeTables


@kernel(fused=True)
def place_flat(q: FloatArray, tables: TreeTables, scratch: TreeScratch) -> None:
    """Angles and mass centres."""
    for k in range(tables.planar):
        node, own = tables.nodes[k], scratch.flat[k]
        angle, x, y, c, s = 0.0, 0.0, 0.0, 1.0, 0.0
        if node.parent >= 0:
            up = scratch.flat[natural(node.parent)]
            angle, x, y, c, s = up.angle, up.x, up.y, up.cosine, up.sine
        own.near_x = c * node.point[0] - s * node.point[1]
        own.near_y = s * node.point[0] + c * node.point[1]
        angle += node.turned
        if node.kind == HINGE:
            angle += node.axis[2] * q[natural(node.first_q)]
        elif node.kind == SLIDE:
            way = q[natural(node.first_q)]
            own.e_x = c * node.axis[0] - s * node.axis[1]
            own.e_y = s * node.axis[0] + c * node.axis[1]
            own.near_x += way * own.e_x
            own.near_y += way * own.e_y
        if angle != own.angle:  # the last question may have been about the same position
            own.angle, own.cosine, own.sine = angle, np.cos(angle), np.sin(angle)
        c, s = own.cosine, own.sine
        own.far_x = c * node.arm[0] - s * node.arm[1]
        own.far_y = s * node.arm[0] + c * node.arm[1]
        own.x, own.y = x + own.near_x + own.far_x, y + own.near_y + own.far_y


@kernel(fused=True)
def move_flat(v: FloatArray, tables: TreeTables, scratch: TreeScratch) -> None:
    """Velocities of mass centres and angular velocities."""
    for k in range(tables.planar):
        node, own = tables.nodes[k], scratch.flat[k]
        w, v_x, v_y = 0.0, 0.0, 0.0
        if node.parent >= 0:
            up = scratch.flat[natural(node.parent)]
            w, v_x, v_y = up.w, up.v_x, up.v_y
        v_x -= w * own.near_y
        v_y += w * own.near_x
        if node.kind == HINGE:
            w += node.axis[2] * v[natural(node.first_v)]
        elif node.kind == SLIDE:
            rate = v[natural(node.first_v)]
            v_x += rate * own.e_x
            v_y += rate * own.e_y
        own.w, own.v_x, own.v_y = w, v_x - w * own.far_y, v_y + w * own.far_x


@kernel(fused=True)
def accelerate_flat(v: FloatArray, a: FloatArray, tables: TreeTables, scratch: TreeScratch) -> None:
    """Accelerations, with −g; an empty a means zero."""
    still = a.size == 0
    for k in range(tables.planar):
        node, own = tables.nodes[k], scratch.flat[k]
        w, dw, a_x, a_y = 0.0, 0.0, -tables.gravity[0], -tables.gravity[1]
        if node.parent >= 0:
            up = scratch.flat[natural(node.parent)]
            w, dw, a_x, a_y = up.w, up.dw, up.a_x, up.a_y
        a_x -= dw * own.near_y + w * w * own.near_x
        a_y += dw * own.near_x - w * w * own.near_y
        i = natural(node.first_v)
        if node.kind == HINGE:
            dw += 0.0 if still else node.axis[2] * a[i]
        elif node.kind == SLIDE:
            rate, change = 2.0 * w * v[i], 0.0 if still else a[i]
            a_x += change * own.e_x - rate * own.e_y
            a_y += change * own.e_y + rate * own.e_x
        own.dw = dw
        own.a_x = a_x - dw * own.far_y - own.w * own.w * own.far_x
        own.a_y = a_y + dw * own.far_x - own.w * own.w * own.far_y


@kernel(fused=True)
def take_flat(tables: TreeTables, scratch: TreeScratch) -> None:
    """Forces and torques that the accelerations take."""
    for k in range(tables.planar):
        node, own = tables.nodes[k], scratch.flat[k]
        own.f_x, own.f_y, own.torque = node.mass * own.a_x, node.mass * own.a_y, node.inertia[2, 2] * own.dw


@kernel(fused=True)
def collect_flat(tables: TreeTables, scratch: TreeScratch, out: FloatArray) -> None:
    """out = forces and torques along the coordinates of joints; those of all outer nodes added."""
    for j in range(tables.planar):
        k = natural(tables.planar - 1 - j)
        node, own = tables.nodes[k], scratch.flat[k]
        torque = own.torque + own.far_x * own.f_y - own.far_y * own.f_x
        if node.kind == HINGE:
            out[natural(node.first_v)] = node.axis[2] * torque
        elif node.kind == SLIDE:
            out[natural(node.first_v)] = own.e_x * own.f_x + own.e_y * own.f_y
        if node.parent >= 0:
            up = scratch.flat[natural(node.parent)]
            up.f_x += own.f_x
            up.f_y += own.f_y
            up.torque += torque + own.near_x * own.f_y - own.near_y * own.f_x


@kernel(fused=True)
def gather_flat(tables: TreeTables, scratch: TreeScratch, whole: bool) -> None:
    """Mass, moments and inertia of all nodes from each on, about the tree's first joint; if `whole`
    momentum, force and moment too."""
    for k in range(tables.planar):
        node, own = tables.nodes[k], scratch.flat[k]
        root = scratch.flat[natural(node.root)]
        c_x, c_y, m = own.x - (root.x - root.far_x), own.y - (root.y - root.far_y), node.mass
        own.mass, own.h_x, own.h_y = m, m * c_x, m * c_y
        own.inertia = node.inertia[2, 2] + m * (c_x * c_x + c_y * c_y)
        if not whole:
            continue
        own.p_x, own.p_y = m * own.v_x, m * own.v_y
        own.spin = 2.0 * m * (c_x * own.v_x + c_y * own.v_y)
        own.F_x, own.F_y = own.f_x, own.f_y
        own.moment = own.torque + c_x * own.f_y - c_y * own.f_x
    for j in range(tables.planar):
        k = natural(tables.planar - 1 - j)
        own = scratch.flat[k]
        if tables.nodes[k].parent >= 0:
            up = scratch.flat[natural(tables.nodes[k].parent)]
            up.mass += own.mass
            up.h_x += own.h_x
            up.h_y += own.h_y
            up.inertia += own.inertia
            if not whole:
                continue
            up.p_x += own.p_x
            up.p_y += own.p_y
            up.spin += own.spin
            up.F_x += own.F_x
            up.F_y += own.F_y
            up.moment += own.moment


@kernel(fused=True)
def motion_flat(k: int, tables: TreeTables, scratch: TreeScratch) -> tuple[float, float, float, float, float, float]:
    """(ω, u, ω̇, u̇) of the node's parent at the point of the tree's first joint, −g of the
    ground."""
    node = tables.nodes[k]
    if node.parent < 0:
        return 0.0, 0.0, 0.0, 0.0, -tables.gravity[0], -tables.gravity[1]
    up, root = scratch.flat[natural(node.parent)], scratch.flat[natural(node.root)]
    c_x, c_y = up.x - (root.x - root.far_x), up.y - (root.y - root.far_y)
    u_x, u_y = up.v_x + up.w * c_y, up.v_y - up.w * c_x
    return up.w, u_x, u_y, up.dw, up.a_x + up.dw * c_y + up.w * up.v_y, up.a_y - up.dw * c_x - up.w * up.v_x


@kernel(fused=True)
def column_flat(k: int, c: FloatArray, tables: TreeTables, scratch: TreeScratch) -> None:
    """S, T, t and U of the node's coordinate."""
    node, own = tables.nodes[k], scratch.flat[k]
    i, root = natural(node.first_v), scratch.flat[natural(node.root)]
    S, T, U = scratch.S[i], scratch.T[i], scratch.U[i]
    s_w, s_x, s_y = 0.0, own.e_x, own.e_y
    if node.kind == HINGE:
        s_w = node.axis[2]
        s_x = s_w * ((own.y - own.far_y) - (root.y - root.far_y))
        s_y = -s_w * ((own.x - own.far_x) - (root.x - root.far_x))
    w, u_x, u_y, dw, b_x, b_y = motion_flat(k, tables, scratch)
    # S' = v × S with v of the parent, S'' = a × S + v × S'; Ṡ = S' + (S q̇) × S = S' for one axis
    d_x, d_y = -w * s_y + s_w * u_y, w * s_x - s_w * u_x
    dd_x, dd_y = -dw * s_y + s_w * b_y - w * d_y, dw * s_x - s_w * b_x + w * d_x
    t_w = c[0] * s_w
    t_x = c[0] * s_x + 2.0 * c[1] * d_x + c[2] * dd_x
    t_y = c[0] * s_y + 2.0 * c[1] * d_y + c[2] * dd_y
    turn = c[1] * s_w
    S[0], S[1], S[2] = s_w, s_x, s_y
    T[0], T[1], T[2], scratch.turn[i, 2] = t_w, t_x, t_y, turn
    U[0] = own.inertia * t_w + own.h_x * t_y - own.h_y * t_x + own.spin * turn
    U[1] = own.mass * t_x - own.h_y * t_w - 2.0 * own.p_y * turn
    U[2] = own.mass * t_y + own.h_x * t_w + 2.0 * own.p_x * turn
    U[0] += c[2] * (s_x * own.F_y - s_y * own.F_x)
    U[1] -= c[2] * s_w * own.F_y
    U[2] += c[2] * s_w * own.F_x


@kernel(fused=True)
def row_flat(own: PlanarNode, S: FloatArray) -> tuple[float, float, float, float]:
    """I S, and S·2B of an angular velocity."""
    s_w, s_x, s_y = S[0], S[1], S[2]
    turn = own.spin * s_w - 2.0 * (s_x * own.p_y - s_y * own.p_x)
    return (
        own.inertia * s_w + own.h_x * s_y - own.h_y * s_x,
        own.mass * s_x - own.h_y * s_w,
        own.mass * s_y + own.h_x * s_w,
        turn,
    )


@kernel(fused=True)
def matrix_flat(c: FloatArray, tables: TreeTables, scratch: TreeScratch, n: int, out: FloatArray) -> None:
    """Entries of c₀ M + c₁ ∂/∂v + c₂ ∂/∂q between nodes and all nodes inward of them."""
    for k in range(tables.planar):
        if tables.nodes[k].freedom > 0:
            column_flat(k, c, tables, scratch)
    for k in range(tables.planar):
        if tables.nodes[k].freedom > 0:
            entries_flat(k, tables.nodes[k], tables, scratch, n, out)


@kernel(fused=True)
def entries_flat(k: int, node: NodeData, tables: TreeTables, scratch: TreeScratch, n: int, out: FloatArray) -> None:
    """Row and column of a node."""
    i = natural(node.first_v)
    r_w, r_x, r_y, turn = row_flat(scratch.flat[k], scratch.S[i])
    u_w, u_x, u_y = scratch.U[i, 0], scratch.U[i, 1], scratch.U[i, 2]
    at = k
    while at >= 0:
        other = tables.nodes[natural(at)]
        if other.freedom > 0:
            j = natural(other.first_v)
            S, T = scratch.S, scratch.T
            if at != k:
                out[j * n + i] = S[j, 0] * u_w + S[j, 1] * u_x + S[j, 2] * u_y
            out[i * n + j] = r_w * T[j, 0] + r_x * T[j, 1] + r_y * T[j, 2] + turn * scratch.turn[j, 2]
        at = other.parent


@kernel(fused=True)
def mass_flat(c: float, tables: TreeTables, scratch: TreeScratch, n: int, out: FloatArray) -> None:
    """Entries of c M alone."""
    for k in range(tables.planar):
        node, own = tables.nodes[k], scratch.flat[k]
        if node.freedom == 0:
            continue
        root, S = scratch.flat[natural(node.root)], scratch.S
        i = natural(node.first_v)
        s_w, s_x, s_y = 0.0, own.e_x, own.e_y
        if node.kind == HINGE:
            s_w = node.axis[2]
            s_x = s_w * ((own.y - own.far_y) - (root.y - root.far_y))
            s_y = -s_w * ((own.x - own.far_x) - (root.x - root.far_x))
        S[i, 0], S[i, 1], S[i, 2] = s_w, s_x, s_y
        u_w = c * (own.inertia * s_w + own.h_x * s_y - own.h_y * s_x)
        u_x, u_y = c * (own.mass * s_x - own.h_y * s_w), c * (own.mass * s_y + own.h_x * s_w)
        at = k
        while at >= 0:
            other = tables.nodes[natural(at)]
            if other.freedom > 0:
                j = natural(other.first_v)
                value = S[j, 0] * u_w + S[j, 1] * u_x + S[j, 2] * u_y
                out[j * n + i], out[i * n + j] = value, value
            at = other.parent
