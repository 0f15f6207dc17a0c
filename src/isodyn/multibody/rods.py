"""All elements of rods in a mechanism: forces, tangents, energies (isodyn.beams.rod_element)."""

from __future__ import annotations

from numba import types

from isodyn.beams.rod_element import add_coupled_inertia, add_rod_forces, coupled_energy, rod_energy, rod_tangent
from isodyn.kernels.compiled import F, FloatArray, kernel
from isodyn.multibody.tables import SCRATCH, TABLES, Scratch, Tables


@kernel(types.void(F, TABLES, SCRATCH, F), inner=True, apart=True)
def add_rods(a: FloatArray, tables: Tables, scratch: Scratch, out: FloatArray) -> None:
    """out += forces of all elements, and what a consistent mass adds."""
    rods = tables.rods
    for k in range(len(rods.elements)):
        element = rods.elements[k]
        i, j = element.bodies[0], element.bodies[1]
        first, second = tables.bodies[i].first_v, tables.bodies[j].first_v
        add_rod_forces(element, rods.damped, scratch.poses[i], scratch.poses[j], first, second, scratch.rod, out)
        if element.sixth != 0.0:
            add_coupled_inertia(element, a, first, second, out)


@kernel()
def add_block(block: int, stride: int, K: FloatArray, out: FloatArray) -> None:
    """J += K in a block."""
    for i in range(6):
        for j in range(6):
            out[block + i * stride + j] += K[i, j]


@kernel()
def add_mass(block: int, stride: int, mass: float, out: FloatArray) -> None:
    """J += mass in the positions of a block."""
    for i in range(3):
        out[block + i * stride + i] += mass


@kernel(types.void(F, TABLES, SCRATCH, F), inner=True, apart=True)
def add_rod_tangents(c: FloatArray, tables: Tables, scratch: Scratch, out: FloatArray) -> None:
    """J += c₀ ∂/∂a + c₁ ∂/∂v + c₂ ∂/∂q of all elements."""
    rods, rod = tables.rods, scratch.rod
    for k in range(len(rods.elements)):
        element = rods.elements[k]
        i, j, blocks = element.bodies[0], element.bodies[1], element.blocks
        row_a, row_b = tables.bodies[i].stride, tables.bodies[j].stride
        if c[1] != 0.0 or c[2] != 0.0:
            rod_tangent(element, rods.damped, c, scratch.poses[i], scratch.poses[j], rod)
            add_block(blocks[0, 0], row_a, rod.K_aa, out)
            add_block(blocks[0, 1], row_a, rod.K_ab, out)
            add_block(blocks[1, 0], row_b, rod.K_ba, out)
            add_block(blocks[1, 1], row_b, rod.K_bb, out)
        mass = c[0] * element.sixth
        if mass != 0.0:
            add_mass(blocks[0, 0], row_a, -mass, out)
            add_mass(blocks[0, 1], row_a, mass, out)
            add_mass(blocks[1, 0], row_b, mass, out)
            add_mass(blocks[1, 1], row_b, -mass, out)


@kernel()
def energies_of_rods(tables: Tables, scratch: Scratch) -> tuple[float, float]:
    """Kinetic energy beyond that of the nodes, and strain energy."""
    kinetic = potential = 0.0
    for k in range(len(tables.rods.elements)):
        element = tables.rods.elements[k]
        p, q = scratch.poses[element.bodies[0]], scratch.poses[element.bodies[1]]
        kinetic += coupled_energy(element, p, q)
        potential += rod_energy(element, p, q, scratch.rod)
    return kinetic, potential
