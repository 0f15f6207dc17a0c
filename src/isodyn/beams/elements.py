"""All elements of a beam, or of the beams of a mechanism, one after the other: forces, tangents,
energies.

Elements lie in tables of pi (from `i` on) and pf (from `k` on), entries as in isodyn.beams.layout;
`w` is scratch memory in pf. A coordinate of a node has the same number in q and in v.
"""

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
from isodyn.beams.frames import WORK
from isodyn.beams.layout import DIM_, ELEMENT, ELEMENT_NUMBERS, KIND_, SIMPLIFIED
from isodyn.kernels.compiled import F2, F, FloatArray, I, IntArray, i8, kernel
from isodyn.kernels.lowering import by_address

ALL_ELEMENTS = types.void(i8, i8, i8, i8, i8, F, F, F, F, I, F)


@kernel(ALL_ELEMENTS)
def element_forces(
    count: int,
    i: int,
    k: int,
    w: int,
    damped: int,
    q: FloatArray,
    v: FloatArray,
    a: FloatArray,
    pf: FloatArray,
    pi: IntArray,
    out: FloatArray,
) -> None:
    """out += M a + ∂U/∂q + damping."""
    for _ in range(count):
        kind, dim = pi[i + KIND_], pi[i + DIM_]
        # a constant lets the compiler unroll: four times faster
        if kind == SIMPLIFIED and dim == 2:
            add_inertia_and_internal(2, a, q, pi[i], pi[i + 1], pf, k, out)
        elif kind == SIMPLIFIED:
            add_inertia_and_internal(3, a, q, pi[i], pi[i + 1], pf, k, out)
        else:
            add_inertia(dim, a, pi[i], pi[i + 1], pf, k, out)
            add_internal(kind, dim, q, pi[i], pi[i + 1], pf, k, w, out)
        if damped == 1:
            add_damping(kind, dim, q, v, pi[i], pi[i + 1], pf, k, w, out)
        i, k = i + ELEMENT, k + ELEMENT_NUMBERS


@kernel(ALL_ELEMENTS)
def element_tangents(
    count: int,
    i: int,
    k: int,
    w: int,
    damped: int,
    q: FloatArray,
    v: FloatArray,
    c: FloatArray,
    pf: FloatArray,
    pi: IntArray,
    out: FloatArray,
) -> None:
    """out += c₀ M + c₁ ∂/∂v + c₂ ∂/∂q of those forces, in the blocks of the nodes."""
    for _ in range(count):
        kind, dim = pi[i + KIND_], pi[i + DIM_]
        place = (pi[i], pi[i + 1], pi[i + 2], pi[i + 3], pi[i + 4], pi[i + 5], pi[i + 6], pi[i + 7])
        if kind != SIMPLIFIED:
            add_planar_tangent(kind, c[0], c[2], q, pf, k, w, place, out)
        elif dim == 2:
            add_simplified_tangent(2, c[0], c[2], q, pf, k, place, out)
        else:
            add_simplified_tangent(3, c[0], c[2], q, pf, k, place, out)
        if damped == 1 and (c[1] != 0.0 or c[2] != 0.0):
            add_damping_tangent(kind, dim, c[1], c[2], q, v, pf, k, w, place, out)
        i, k = i + ELEMENT, k + ELEMENT_NUMBERS


forces_of_elements, tangents_of_elements = (by_address(x, ALL_ELEMENTS) for x in (element_forces, element_tangents))
"""The same as models call them."""


@kernel(types.UniTuple(types.float64, 2)(i8, i8, i8, i8, F, F, F, I, F))
def element_energies(
    count: int, i: int, k: int, w: int, q: FloatArray, v: FloatArray, pf: FloatArray, pi: IntArray, memory: FloatArray
) -> tuple[float, float]:
    """Kinetic and strain energy; `memory` has the size of v."""
    kinetic, strain = 0.0, 0.0
    for _ in range(count):
        kind, dim, a, b = pi[i + KIND_], pi[i + DIM_], pi[i], pi[i + 1]
        for n in range(2 * dim):
            memory[a + n] = 0.0
            memory[b + n] = 0.0
        add_inertia(dim, v, a, b, pf, k, memory)
        for n in range(2 * dim):
            kinetic += 0.5 * (v[a + n] * memory[a + n] + v[b + n] * memory[b + n])
        strain += add_internal(kind, dim, q, a, b, pf, k, w, memory)
        i, k = i + ELEMENT, k + ELEMENT_NUMBERS
    return kinetic, strain


@kernel(F(F2, F2, F, I), allocates=True)
def damping_power(q: FloatArray, v: FloatArray, numbers: FloatArray, pi: IntArray) -> FloatArray:
    """Power that internal damping takes along histories of the coordinates and velocities of one
    beam; tables of its elements alone."""
    power, pf, force = np.zeros(q.shape[0]), np.zeros(numbers.size + WORK), np.zeros(q.shape[1])
    for n in range(numbers.size):
        pf[n] = numbers[n]
    for t in range(q.shape[0]):
        for n in range(force.size):
            force[n] = 0.0
        i, k = 0, 0
        while i < pi.size:
            add_damping(pi[i + KIND_], pi[i + DIM_], q[t], v[t], pi[i], pi[i + 1], pf, k, numbers.size, force)
            i, k = i + ELEMENT, k + ELEMENT_NUMBERS
        for n in range(force.size):
            power[t] += force[n] * v[t, n]
    return power
