"""The memory of rods in compiled code: tables of their elements, and scratch memory of one element.

A rod is a beam in space with stretching, shear, torsion and bending. Its nodes are bodies of the
mechanism, whose axes are those of the cross-section, x along the rod.
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


class RodTables(Struct):
    """All elements of rods; `damped` if one of them is."""

    damped = integer
    elements = many(RodElementData, "rod_elements")


class RodScratch(Struct):
    """Numbers of one element: strain and its rate as screws, sectional forces; P(h) and P(−h); slopes
    of the forces on the ends over the screw; slopes of the rate over both bodies; the tangent in blocks
    of both bodies."""

    screw, rate, force = reals(6), reals(6), reals(6)
    P, P_back = reals(6, 6), reals(6, 6)
    slope_a, slope_b = reals(6, 6), reals(6, 6)
    rate_a, rate_b = reals(6, 6), reals(6, 6)
    X, Y = reals(3, 3), reals(3, 3)
    W_a, W_b = reals(6, 6), reals(6, 6)
    K_aa, K_ab, K_ba, K_bb = reals(6, 6), reals(6, 6), reals(6, 6), reals(6, 6)


RODS, ROD_SCRATCH = StructType(RodTables), StructType(RodScratch)
