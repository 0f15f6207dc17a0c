"""All elements of a beam, or of the beams of a mechanism, one after the other: forces, tangents,
energies; and what acts along beams."""

from __future__ import annotations

import numpy as np
from numba import types

from isodyn.beams.element import (
    add_damping,
    add_damping_tangent,
    add_inertia,
    add_inertia_and_internal,
    add_internal,
    add_planar_tangent,
    add_simplified_tangent,
)
from isodyn.beams.tables import BEAMS, ELEMENT_SCRATCH, SIMPLIFIED, BeamTables, ElementData, ElementScratch, Place
from isodyn.expressions.formula_kernels import FormulaScratch
from isodyn.expressions.time_kernels import TimeTables, at_time
from isodyn.kernels.compiled import F2, F, FloatArray, f8, i8, kernel
from isodyn.kernels.struct_types import StructType


@kernel(types.void(i8, i8, F, F, F, BEAMS, ELEMENT_SCRATCH, F), apart=True)
def element_forces(
    first: int,
    last: int,
    q: FloatArray,
    v: FloatArray,
    a: FloatArray,
    tables: BeamTables,
    scratch: ElementScratch,
    out: FloatArray,
) -> None:
    """out += M a + ∂U/∂q + damping of the elements from `first` to before `last`."""
    damped = tables.damped
    for k in range(first, last):
        e = tables.elements[k]
        # a constant lets the compiler unroll: four times faster
        if e.energy == SIMPLIFIED and e.dim == 2:
            add_inertia_and_internal(2, a, q, e, out)
        elif e.energy == SIMPLIFIED:
            add_inertia_and_internal(3, a, q, e, out)
        else:
            add_inertia(e.dim, a, e, out)
            add_internal(q, e, scratch, out)
        if damped == 1:
            add_damping(q, v, e, scratch, out)


@kernel()
def place_of(e: ElementData) -> Place:
    """Where an element is in q and in J."""
    return e.a, e.b, e.aa, e.ab, e.ba, e.bb, e.stride_a, e.stride_b


@kernel(types.void(F, F, F, BEAMS, ELEMENT_SCRATCH, F), apart=True)
def element_tangents(
    q: FloatArray, v: FloatArray, c: FloatArray, tables: BeamTables, scratch: ElementScratch, out: FloatArray
) -> None:
    """out += c₀ M + c₁ ∂/∂v + c₂ ∂/∂q of those forces, in the blocks of the nodes."""
    damped = tables.damped
    for k in range(len(tables.elements)):
        e = tables.elements[k]
        place = place_of(e)
        if e.energy != SIMPLIFIED:
            add_planar_tangent(c[0], c[2], q, e, scratch, place, out)
        elif e.dim == 2:
            add_simplified_tangent(2, c[0], c[2], q, e, place, out)
        else:
            add_simplified_tangent(3, c[0], c[2], q, e, place, out)
        if damped == 1 and (c[1] != 0.0 or c[2] != 0.0):
            add_damping_tangent(c[1], c[2], q, v, e, scratch, place, out)


@kernel(
    types.void(f8, f8, F, F, F, BEAMS, StructType(TimeTables), ELEMENT_SCRATCH, StructType(FormulaScratch), F),
    inner=True,
    apart=True,
)
def beam_forces(
    t: float,
    factor: float,
    q: FloatArray,
    v: FloatArray,
    a: FloatArray,
    tables: BeamTables,
    time: TimeTables,
    scratch: ElementScratch,
    formulas: FormulaScratch,
    out: FloatArray,
) -> None:
    """out of nodes = M a + ∂U/∂q + damping − weight − forces along beams, these times a factor."""
    for i in range(tables.weight.size):
        out[i] = -factor * tables.weight[i]
    element_forces(0, len(tables.elements), q, v, a, tables, scratch, out)
    for n in range(len(tables.spreads)):
        spread = tables.spreads[n]
        f = factor * at_time(spread.time, t, time, formulas)[0]
        for i in range(spread.count):
            out[spread.first + i] -= f * tables.forces[spread.start + i]


@kernel(types.UniTuple(f8, 2)(F, F, BEAMS, ELEMENT_SCRATCH, F))
def element_energies(
    q: FloatArray, v: FloatArray, tables: BeamTables, scratch: ElementScratch, memory: FloatArray
) -> tuple[float, float]:
    """Kinetic and strain energy; `memory` has the size of v."""
    kinetic, strain = 0.0, 0.0
    for k in range(len(tables.elements)):
        e = tables.elements[k]
        dim, a, b = e.dim, e.a, e.b
        for n in range(2 * dim):
            memory[a + n] = 0.0
            memory[b + n] = 0.0
        add_inertia(dim, v, e, memory)
        for n in range(2 * dim):
            kinetic += 0.5 * (v[a + n] * memory[a + n] + v[b + n] * memory[b + n])
        strain += add_internal(q, e, scratch, memory)
    return kinetic, strain


@kernel(F(F2, F2, BEAMS, ELEMENT_SCRATCH), allocates=True)
def damping_power(q: FloatArray, v: FloatArray, tables: BeamTables, scratch: ElementScratch) -> FloatArray:
    """Power that internal damping takes along histories of the coordinates and velocities of one
    beam."""
    power, force = np.zeros(q.shape[0]), np.zeros(q.shape[1])
    for t in range(q.shape[0]):
        for n in range(force.size):
            force[n] = 0.0
        for k in range(len(tables.elements)):
            add_damping(q[t], v[t], tables.elements[k], scratch, force)
        for n in range(force.size):
            power[t] += force[n] * v[t, n]
    return power
