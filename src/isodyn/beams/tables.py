"""The memory of beams in compiled code: tables of their elements and of what acts along them, and
scratch memory of one element.

A beam by itself and the beams of a mechanism have the same tables and the same kernels. A node has
`dim` coordinates of its position and `dim` of its slope, with the same number in q and in v.
"""

from __future__ import annotations

from isodyn.kernels.struct import Struct, integer, many, real, reals
from isodyn.kernels.struct_types import StructType

# ---- strain energies
SIMPLIFIED, CAUCHY, CAUCHY_TANGENT, GREEN_LAGRANGE, GREEN_LAGRANGE_TANGENT, CAUCHY_DIRAC, GREEN_LAGRANGE_DIRAC = range(
    7
)
ENERGIES = {
    "simplified": SIMPLIFIED,
    "cauchy": CAUCHY,
    "cauchy-tangent": CAUCHY_TANGENT,
    "green-lagrange": GREEN_LAGRANGE,
    "green-lagrange-tangent": GREEN_LAGRANGE_TANGENT,
    "cauchy-dirac": CAUCHY_DIRAC,
    "green-lagrange-dirac": GREEN_LAGRANGE_DIRAC,
}


class ElementData(Struct):
    """An element: first coordinates a, b of its nodes, the blocks aa, ab, ba, bb of J and the
    lengths of the rows of a and b there; strain energy and dimension; stiffness, mass, damping
    times of stretching and bending, and quotients that kernels use."""

    a, b = integer, integer
    aa, ab, ba, bb, stride_a, stride_b = integer, integer, integer, integer, integer, integer
    energy, dim = integer, integer
    length, EA, EI, EI4, mass = real, real, real, real, real
    stretching_time, bending_time = real, real
    per_length, EA_per_length, EI_per_length, mass_per_420 = real, real, real, real


class SpreadData(Struct):
    """Dead forces on coordinates from `first` on, times a function of time: where they begin among
    `forces`, and how many there are."""

    first, start, count, time = integer, integer, integer, integer


class BeamTables(Struct):
    """Elements, weights of the nodal coordinates, which come first in q and v, and forces along
    beams."""

    damped = integer
    elements = many(ElementData, "elements")
    weight = reals("nodal")
    spreads = many(SpreadData, "spreads")
    forces = reals("forces")


class ElementScratch(Struct):
    """Numbers of one element in its frame (isodyn.beams.frames): z, the gradient and second
    derivatives of V, c; velocities, ż, D ż, D and D (c_v B + c_q ∂ż/∂ζ); multipliers λ_a, λ_b, λ_υ
    (isodyn.beams.dirac)."""

    z, V_z, c = reals(6), reals(6), reals(6)
    V_zz = reals(6, 6)
    u, rate, stress = reals(6), reals(6), reals(6)
    D, T = reals(6, 6), reals(6, 6)
    of_a, of_b, of_z = reals(2), reals(2), reals(5)


BEAMS, ELEMENT_SCRATCH = StructType(BeamTables), StructType(ElementScratch)

Place = tuple[int, int, int, int, int, int, int, int]  # of an element: a, b, blocks, lengths of rows
