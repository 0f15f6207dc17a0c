"""The memory of a tree's model: tables, which isodyn.trees.system writes once, and scratch memory.

A tree consists of nodes, listed outward: the number of a parent is smaller. Every node turns about
an axis, slides along one, turns about a point, or is fixed to its parent; joints with several axes
are chains of nodes without mass. The nodes of planar bodies come first, those in space behind them.
"""

from __future__ import annotations

from isodyn.kernels.struct import Struct, integer, integers, many, real, reals
from isodyn.kernels.struct_types import StructType

HINGE, SLIDE, BALL, FIXED = range(4)  # how a node moves against its parent
FREEDOMS = {HINGE: 1, SLIDE: 1, BALL: 3, FIXED: 0}


class NodeData(Struct):
    """A node: its parent (−1: the ground) and the first node of its tree; where its coordinates and
    velocities begin; its body in the mechanism (−1: none, and no mass).

    `point` is the place of the joint in the parent, from its mass centre; `arm` the way from there
    to the mass centre of this node, in its own frame; `axis` the axis in the parent. The matrix
    from this frame to that of the parent is still + cos θ cosine + sin θ sine in space; in the
    plane the angle is that of the parent + `turned`, and ± θ by the sign of `axis[2]`.
    """

    kind, parent, root, body = integer, integer, integer, integer
    first_q, first_v, freedom = integer, integer, integer
    point, arm, axis = reals(3), reals(3), reals(3)
    still, cosine, sine = reals(3, 3), reals(3, 3), reals(3, 3)
    turned, mass = real, real
    inertia = reals(3, 3)


class ActuatorData(Struct):
    """A law along a coordinate of a joint: its number among the laws, the coordinate in q and v."""

    law, place_q, place_v = integer, integer, integer


class TreeTables(Struct):
    """All numbers of a forest. `laws` and `loads` are the words of tables of the mechanism's model
    (isodyn.multibody.tables): of the laws along coordinates of joints, and of all that acts on
    bodies by their poses."""

    # nodes in the plane; whether increments are those of the Cayley map, and whether loads act on bodies
    planar, cayley, acts = integer, integer, integer
    gravity = reals(3)
    nodes = many(NodeData, "nodes")
    actuators = many(ActuatorData, "actuators")
    typical = reals("nv")  # typical ones of v
    laws, loads = integers("laws"), integers("loads")


class PlanarNode(Struct):
    """A node in the plane: angle and its cosine and sine, mass centre r, the ways from the parent's
    mass centre to the joint and from there to r, axis e of a slide; motion of r with −g in a; force
    and torque that it takes, with those of all nodes beyond it.

    For matrices, about the point of the tree's first joint: mass, moments and inertia of all nodes
    from here on, their momentum, Σ 2 m c·v, force and moment.
    """

    angle, cosine, sine = real, real, real
    x, y, near_x, near_y, far_x, far_y, e_x, e_y = real, real, real, real, real, real, real, real
    w, v_x, v_y, dw, a_x, a_y = real, real, real, real, real, real
    f_x, f_y, torque = real, real, real
    mass, h_x, h_y, inertia = real, real, real, real
    p_x, p_y, spin, F_x, F_y, moment = real, real, real, real, real, real


class SpatialNode(Struct):
    """The same in space; w and dw in the world."""

    R = reals(3, 3)
    r, near, far, e = reals(3), reals(3), reals(3), reals(3)
    w, v, dw, a = reals(3), reals(3), reals(3), reals(3)
    f, torque = reals(3), reals(3)
    mass = real
    h, p, F, moment = reals(3), reals(3), reals(3), reals(3)
    inertia, spin = reals(3, 3), reals(3, 3)


class TreeScratch(Struct):
    """Nodes; of every velocity its column S, the columns T and `turn` that matrices are made of,
    and the force U (isodyn.trees.spatial); memory of the laws and loads."""

    flat = many(PlanarNode, "planar")
    deep = many(SpatialNode, "spatial")
    still = reals(3, 3)  # the matrix of the ground
    S, T, turn, U = reals("nv", 6), reals("nv", 6), reals("nv", 3), reals("nv", 6)
    q, v, plus, minus = reals("nq"), reals("nv"), reals("nv"), reals("nv")
    body_forces, body_rates = reals("body_v"), reals("body_v")
    laws, loads = integers("laws"), integers("loads")


TREE, WORK = StructType(TreeTables), StructType(TreeScratch)
