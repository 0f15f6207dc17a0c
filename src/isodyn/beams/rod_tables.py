"""The memory of rods in compiled code: tables of their elements, and scratch memory of one element.

A rod is a beam in space with stretching, shear, torsion and bending. Its nodes are bodies of the
mechanism, whose axes are those of the cross-section, x along the rod; or each node is three points
of the cross-section (isodyn.beams.point_element).
"""

from __future__ import annotations

from isodyn.kernels.struct import Struct, integer, integers, many, real, reals
from isodyn.kernels.struct_types import StructType


class RodElementData(Struct):
    """An element between two bodies by number, with its blocks of J: length; the screw between the
    ends of the unstrained element; stiffness and damping, forces on a unit of the screw; and a
    sixth of its mass, or 0 where mass is lumped at the nodes."""

    bodies = integers(2)
    blocks = integers(2, 2)
    length, sixth = real, real
    unstrained = reals(6)
    stiffness, damping = reals(6, 6), reals(6, 6)


class PointElementData(Struct):
    """An element between two cross-sections of three points each, particles by number, with its
    blocks of J: strains ½ Σ forms[i, k, l] x_k·x_l − unstrained[i]; stiffness and damping; and the
    mass matrix of the points beyond their own masses."""

    bodies = integers(6)
    blocks = integers(6, 6)
    forms = reals(12, 6, 6)
    unstrained = reals(12)
    stiffness, damping = reals(12, 12), reals(12, 12)
    mass = reals(6, 6)


class RodTables(Struct):
    """All elements of rods; `damped` if one of them is."""

    damped = integer
    elements = many(RodElementData, "rod_elements")
    between_points = many(PointElementData, "point_elements")


class RodScratch(Struct):
    """Numbers of one element: strain and its rate as screws, sectional forces, forces and torques
    on both bodies; axes of b in those of a; P(h) and P(−h); slopes of the forces on b over the
    screw and over b; slopes of the rate over both bodies; the tangent in blocks of both bodies."""

    screw, rate, force = reals(6), reals(6), reals(6)
    on_a, on_b = reals(6), reals(6)
    E = reals(3, 3)
    P, P_back = reals(6, 6), reals(6, 6)
    over_screw, over_b = reals(6, 6), reals(6, 6)
    rate_a, rate_b = reals(6, 6), reals(6, 6)
    X, Y = reals(3, 3), reals(3, 3)
    W_a, W_b = reals(6, 6), reals(6, 6)
    K_aa, K_ab, K_ba, K_bb = reals(6, 6), reals(6, 6), reals(6, 6), reals(6, 6)


class PointScratch(Struct):
    """Numbers of one element between points: places and velocities of the points; strains, their
    rates and forces; slopes of strains and of rates over the places; slopes of forces; the tangent
    in blocks of points."""

    x, v = reals(6, 3), reals(6, 3)
    strain, rate, force = reals(12), reals(12), reals(12)
    slope, rate_slope, force_slope = reals(12, 6, 3), reals(12, 6, 3), reals(12, 6, 3)
    K = reals(6, 3, 6, 3)


RODS, ROD_SCRATCH = StructType(RodTables), StructType(RodScratch)
