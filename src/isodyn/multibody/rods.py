"""All elements of rods in a mechanism: forces, tangents, energies (isodyn.beams.rod_element,
isodyn.beams.point_element)."""

from __future__ import annotations

from numba import types

from isodyn.beams.point_element import load_points, point_energies, point_tangent, strain_points
from isodyn.beams.rod_element import add_coupled_inertia, coupled_energy, rod_energy, rod_forces
from isodyn.beams.rod_slopes import rod_tangent
from isodyn.beams.rod_tables import PointElementData
from isodyn.kernels.compiled import F, FloatArray, kernel
from isodyn.kernels.lowering import natural
from isodyn.multibody.tables import PLANAR, SCRATCH, SPATIAL, TABLES, BodyData, Scratch, Tables


@kernel()
def add_to(body: BodyData, both: FloatArray, out: FloatArray) -> None:
    """out += a force and a torque on a body, the components that it has."""
    first = natural(body.first_v)
    if body.kind == SPATIAL:
        for i in range(6):
            out[first + i] += both[i]
        return
    for i in range(6):
        if body.columns[i] >= 0:
            out[first + body.columns[i]] += both[i]


@kernel(types.void(F, TABLES, SCRATCH, F), inner=True, apart=True)
def add_rods(a: FloatArray, tables: Tables, scratch: Scratch, out: FloatArray) -> None:
    """out += forces of all elements, and what a consistent mass adds."""
    rods = tables.rods
    for k in range(len(rods.elements)):
        element = rods.elements[k]
        i, j = element.bodies[0], element.bodies[1]
        first, second = tables.bodies[i], tables.bodies[j]
        rod_forces(element, rods.damped, scratch.poses[i], scratch.poses[j], scratch.rod)
        add_to(first, scratch.rod.on_a, out)
        add_to(second, scratch.rod.on_b, out)
        if element.sixth != 0.0:
            dim = 2 if first.kind == PLANAR else 3
            add_coupled_inertia(element, a, first.first_v, second.first_v, dim, out)
    for k in range(len(rods.between_points)):
        add_point_forces(rods.between_points[k], rods.damped, a, tables, scratch, out)


@kernel()
def place_points(element: PointElementData, scratch: Scratch) -> None:
    """Places and velocities of the points of an element, counted from the first."""
    first = scratch.poses[element.bodies[0]]
    for k in range(6):
        pose = scratch.poses[element.bodies[k]]
        for d in range(3):
            scratch.points.x[k, d], scratch.points.v[k, d] = pose.position[d] - first.position[d], pose.v[d]


@kernel()
def add_point_forces(
    element: PointElementData, damped: int, a: FloatArray, tables: Tables, scratch: Scratch, out: FloatArray
) -> None:
    """out += forces of an element between points, and its inertia."""
    place_points(element, scratch)
    strain_points(element, scratch.points)
    load_points(element, damped, scratch.points)
    for k in range(6):
        first = tables.bodies[element.bodies[k]].first_v
        for d in range(3):
            f = 0.0
            for i in range(12):
                f += scratch.points.force[i] * scratch.points.slope[i, k, d]
            for n in range(6):
                f += element.mass[k, n] * a[tables.bodies[element.bodies[n]].first_v + d]
            out[first + d] += f


@kernel()
def add_block(block: int, stride: int, row: BodyData, column: BodyData, K: FloatArray, out: FloatArray) -> None:
    """J += K in a block, the components that the bodies have."""
    if row.kind == SPATIAL and column.kind == SPATIAL:
        first, step = natural(block), natural(stride)
        for i in range(6):
            for j in range(6):
                out[first + i * step + j] += K[i, j]
        return
    for i in range(6):
        r = row.columns[i]
        if r < 0:
            continue
        for j in range(6):
            if column.columns[j] >= 0:
                out[block + r * stride + column.columns[j]] += K[i, j]


@kernel()
def add_mass(block: int, stride: int, dim: int, mass: float, out: FloatArray) -> None:
    """J += mass in the positions of a block."""
    for i in range(dim):
        out[block + i * stride + i] += mass


@kernel(types.void(F, TABLES, SCRATCH, F), inner=True, apart=True)
def add_rod_tangents(c: FloatArray, tables: Tables, scratch: Scratch, out: FloatArray) -> None:
    """J += c₀ ∂/∂a + c₁ ∂/∂v + c₂ ∂/∂q of all elements."""
    rods, rod = tables.rods, scratch.rod
    for k in range(len(rods.elements)):
        element = rods.elements[k]
        i, j, blocks = element.bodies[0], element.bodies[1], element.blocks
        first, second = tables.bodies[i], tables.bodies[j]
        row_a, row_b = first.stride, second.stride
        if c[1] != 0.0 or c[2] != 0.0:
            rod_tangent(element, rods.damped, c, scratch.poses[i], scratch.poses[j], rod)
            add_block(blocks[0, 0], row_a, first, first, rod.K_aa, out)
            add_block(blocks[0, 1], row_a, first, second, rod.K_ab, out)
            add_block(blocks[1, 0], row_b, second, first, rod.K_ba, out)
            add_block(blocks[1, 1], row_b, second, second, rod.K_bb, out)
        mass = c[0] * element.sixth
        if mass != 0.0:
            dim = 2 if first.kind == PLANAR else 3
            add_mass(blocks[0, 0], row_a, dim, -mass, out)
            add_mass(blocks[0, 1], row_a, dim, mass, out)
            add_mass(blocks[1, 0], row_b, dim, mass, out)
            add_mass(blocks[1, 1], row_b, dim, -mass, out)
    for k in range(len(rods.between_points)):
        add_point_tangents(rods.between_points[k], rods.damped, c, tables, scratch, out)


@kernel()
def add_point_tangents(
    element: PointElementData, damped: int, c: FloatArray, tables: Tables, scratch: Scratch, out: FloatArray
) -> None:
    """The same of an element between points."""
    place_points(element, scratch)
    point_tangent(element, damped, c[1], c[2], scratch.points)
    for k in range(6):
        stride = tables.bodies[element.bodies[k]].stride
        for n in range(6):
            block = element.blocks[k, n]
            for d in range(3):
                out[block + d * stride + d] += c[0] * element.mass[k, n]
                for e in range(3):
                    out[block + d * stride + e] += scratch.points.K[k, d, n, e]


@kernel()
def energies_of_rods(tables: Tables, scratch: Scratch) -> tuple[float, float]:
    """Kinetic energy beyond that of the nodes, and strain energy."""
    kinetic = potential = 0.0
    for k in range(len(tables.rods.elements)):
        element = tables.rods.elements[k]
        p, q = scratch.poses[element.bodies[0]], scratch.poses[element.bodies[1]]
        kinetic += coupled_energy(element, p, q)
        potential += rod_energy(element, p, q, scratch.rod)
    for k in range(len(tables.rods.between_points)):
        place_points(tables.rods.between_points[k], scratch)
        found = point_energies(tables.rods.between_points[k], scratch.points)
        kinetic, potential = kinetic + found[0], potential + found[1]
    return kinetic, potential


@kernel()
def has_rods(tables: Tables) -> bool:
    """Whether there are any."""
    return len(tables.rods.elements) + len(tables.rods.between_points) > 0
