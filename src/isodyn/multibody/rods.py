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


@kernel(types.void(F, TABLES, SCRATCH, F), inner=True, apart=True)
def add_rod_tangents(c: FloatArray, tables: Tables, scratch: Scratch, out: FloatArray) -> None:
    """J += c₀ ∂/∂a + c₁ ∂/∂v + c₂ ∂/∂q of all elements."""
    rods, K = tables.rods, scratch.rod.K
    for k in range(len(rods.elements)):
        element = rods.elements[k]
        i, j = element.bodies[0], element.bodies[1]
        if c[1] != 0.0 or c[2] != 0.0:
            rod_tangent(element, rods.damped, c, scratch.poses[i], scratch.poses[j], scratch.rod)
            for side in range(2):
                stride = tables.bodies[element.bodies[side]].stride
                for other in range(2):
                    block = element.blocks[side, other]
                    for row in range(6):
                        for column in range(6):
                            out[block + row * stride + column] += K[6 * side + row, 6 * other + column]
        if element.sixth != 0.0 and c[0] != 0.0:
            for side in range(2):
                stride = tables.bodies[element.bodies[side]].stride
                for n in range(3):
                    out[element.blocks[side, side] + n * stride + n] -= c[0] * element.sixth
                    out[element.blocks[side, 1 - side] + n * stride + n] += c[0] * element.sixth


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
