"""Strains and forces of rods along all rows of a solution, in one compiled pass; compiled when first
asked for."""

from __future__ import annotations

from typing import Any

from numba import types

from isodyn.beams.point_element import load_points, strain_points
from isodyn.beams.rod_element import rate_rod, rod_forces, strain_rod
from isodyn.kernels.compiled import F2, FloatArray, f8, i8, kernel
from isodyn.multibody.bodies import place_bodies
from isodyn.multibody.rods import place_points
from isodyn.multibody.tables import SCRATCH, TABLES

F3 = f8[:, :, ::1]
SCREW, RATE, FORCE, ON_A, ON_B, WIDTH = 0, 6, 12, 18, 24, 30


@kernel(types.void(F2, F2, TABLES, SCRATCH, i8, F3))
def rods_of_rows(q: FloatArray, v: FloatArray, tables: Any, scratch: Any, first: int, out: FloatArray) -> None:
    """Of elements from `first` on, for every row: screw, its rate, sectional forces, forces on both
    ends."""
    for row in range(q.shape[0]):
        place_bodies(q[row], v[row], tables, scratch)
        for k in range(out.shape[1]):
            element, rod = tables.rods.elements[first + k], scratch.rod
            p, other = scratch.poses[element.bodies[0]], scratch.poses[element.bodies[1]]
            d, phi, e, e_y, _ = strain_rod(p, other, rod)
            rate_rod(p, other, d, phi, e, e_y, rod)
            rod_forces(element, tables.rods.damped, p, other, rod)
            for i in range(6):
                out[row, k, SCREW + i], out[row, k, RATE + i] = rod.screw[i], rod.rate[i]
                out[row, k, FORCE + i] = rod.force[i]
                out[row, k, ON_A + i], out[row, k, ON_B + i] = rod.on_a[i], rod.on_b[i]


@kernel(types.void(F2, F2, TABLES, SCRATCH, i8, F3))
def points_of_rows(q: FloatArray, v: FloatArray, tables: Any, scratch: Any, first: int, out: FloatArray) -> None:
    """Of elements between points, for every row: the six strains of the axis, their rates and
    forces."""
    for row in range(q.shape[0]):
        place_bodies(q[row], v[row], tables, scratch)
        for k in range(out.shape[1]):
            element, points = tables.rods.between_points[first + k], scratch.points
            place_points(element, scratch)
            strain_points(element, points)
            load_points(element, tables.rods.damped, points)
            for i in range(6):
                out[row, k, SCREW + i], out[row, k, RATE + i] = points.strain[i], points.rate[i]
                out[row, k, FORCE + i] = points.force[i]
