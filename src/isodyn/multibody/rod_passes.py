"""Strains and forces of rods along all rows of a solution, in one compiled pass; compiled when
first asked for."""

from __future__ import annotations

from numba import types

from isodyn.beams.point_element import load_points, strain_points
from isodyn.beams.rod_element import rate_rod, rod_forces, strain_rod
from isodyn.kernels.compiled import F2, FloatArray, i8, kernel
from isodyn.kernels.struct import Struct, reals
from isodyn.kernels.struct_types import StructType
from isodyn.multibody.bodies import place_bodies
from isodyn.multibody.rods import place_points
from isodyn.multibody.tables import SCRATCH, TABLES, Scratch, Tables


class RodRows(Struct):
    """Of every row and element: screw, its rate, sectional forces, forces on both ends."""

    screw, rate, force = reals("rows", "elements", 6), reals("rows", "elements", 6), reals("rows", "elements", 6)
    on_a, on_b = reals("rows", "elements", 6), reals("rows", "elements", 6)


ROWS = StructType(RodRows)


@kernel(types.void(F2, F2, TABLES, SCRATCH, i8, ROWS))
def rods_of_rows(q: FloatArray, v: FloatArray, tables: Tables, scratch: Scratch, first: int, out: RodRows) -> None:
    """Of elements from `first` on, for every row: screw, its rate, sectional forces, forces on both
    ends."""
    for row in range(q.shape[0]):
        place_bodies(q[row], v[row], tables, scratch)
        for k in range(out.screw.shape[1]):
            element, rod = tables.rods.elements[first + k], scratch.rod
            p, other = scratch.poses[element.bodies[0]], scratch.poses[element.bodies[1]]
            d, phi, e, e_y, _ = strain_rod(p, other, rod)
            rate_rod(p, other, d, phi, e, e_y, rod)
            rod_forces(element, tables.rods.damped, p, other, rod)
            for i in range(6):
                out.screw[row, k, i], out.rate[row, k, i], out.force[row, k, i] = (
                    rod.screw[i],
                    rod.rate[i],
                    rod.force[i],
                )
                out.on_a[row, k, i], out.on_b[row, k, i] = rod.on_a[i], rod.on_b[i]


@kernel(types.void(F2, F2, TABLES, SCRATCH, i8, ROWS))
def points_of_rows(q: FloatArray, v: FloatArray, tables: Tables, scratch: Scratch, first: int, out: RodRows) -> None:
    """Of elements between points, for every row: the six strains of the axis, their rates and
    forces."""
    for row in range(q.shape[0]):
        place_bodies(q[row], v[row], tables, scratch)
        for k in range(out.screw.shape[1]):
            element, points = tables.rods.between_points[first + k], scratch.points
            place_points(element, scratch)
            strain_points(element, points)
            load_points(element, tables.rods.damped, points)
            for i in range(6):
                out.screw[row, k, i], out.rate[row, k, i] = points.strain[i], points.rate[i]
                out.force[row, k, i] = points.force[i]
