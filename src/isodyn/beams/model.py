"""The equations of a beam by itself as one compiled model (isodyn.kernels.compiled).

    M a + ∂U/∂q + damping + Gᵀλ = loads                                                              [Shimada2014 (8.42) adapted]
    rows    φ = Σ w q_i + Σ w q_i q_j − f(t) = 0                clamps, hinges, guides; products only where slopes are welded
    loads   dead forces on coordinates, f(t) F;  torques T on the slope t of a node, f(t) (T × t)/|t|²

Elements and what acts along them are those of isodyn.beams.elements, as in mechanisms. A factor
scales all loads and the weight: statics applies them step by step.
"""

from __future__ import annotations

from isodyn.beams.elements import beam_forces, element_energies, element_tangents
from isodyn.beams.tables import BeamTables, ElementScratch
from isodyn.expressions.formula_kernels import FormulaScratch
from isodyn.expressions.time_kernels import TimeTables, at_time
from isodyn.kernels.compiled import (
    ACCELERATION,
    BALANCE,
    CONSTRAINT,
    JACOBIAN,
    MODEL,
    OK,
    POSITION,
    VELOCITY,
    F,
    FloatArray,
    f8,
    kernel,
)
from isodyn.kernels.struct import Struct, StructAddress, integer, many, one, real, reals
from isodyn.kernels.struct_types import StructType, opened


class LinearData(Struct):
    """weight × coordinate in a row, and its place in G."""

    coordinate, place = integer, integer
    weight = real


class ProductData(Struct):
    """weight × the coordinates i and j in a row, their places in G, and the places ij and ji in
    J."""

    i, j, place_i, place_j, place_ij, place_ji = integer, integer, integer, integer, integer, integer
    weight = real


class SupportData(Struct):
    """A row: its linear terms, its products, and its function of time."""

    first_linear, linear, first_product, products, target = integer, integer, integer, integer, integer


class TorqueData(Struct):
    """A torque on a slope: first coordinate of the slope, its block in J, the length of rows there,
    function of time."""

    slope, block, stride, time = integer, integer, integer, integer
    vector = reals(3)


class Tables(Struct):
    """A beam with its supports and loads."""

    dim, J_size, G_size = integer, integer, integer
    load_factor = real
    rows = many(SupportData, "rows")
    linear = many(LinearData, "linear")
    products = many(ProductData, "products")
    torques = many(TorqueData, "torques")
    beams = one(BeamTables)
    time = one(TimeTables)


class Scratch(Struct):
    """Memory of elements and of formulas."""

    element = one(ElementScratch)
    formulas = one(FormulaScratch)


@kernel()
def forces(
    t: float, q: FloatArray, v: FloatArray, a: FloatArray, tables: Tables, scratch: Scratch, out: FloatArray
) -> None:
    """out = M a + ∂U/∂q + damping − loads."""
    dim, factor = tables.dim, tables.load_factor
    beam_forces(t, factor, q, v, a, tables.beams, tables.time, scratch.element, scratch.formulas, out)
    for n in range(len(tables.torques)):
        torque = tables.torques[n]
        T, s = torque.vector, torque.slope
        f = factor * at_time(torque.time, t, tables.time, scratch.formulas)[0]
        x, y, z = q[s], q[s + 1], q[s + 2] if dim == 3 else 0.0
        f /= x * x + y * y + z * z
        out[s] -= f * (T[1] * z - T[2] * y)
        out[s + 1] -= f * (T[2] * x - T[0] * z)
        if dim == 3:
            out[s + 2] -= f * (T[0] * y - T[1] * x)


@kernel()
def tangents(
    t: float, q: FloatArray, v: FloatArray, c: FloatArray, tables: Tables, scratch: Scratch, out: FloatArray
) -> None:
    """out = c₀ M + c₁ ∂/∂v + c₂ ∂/∂q of those forces."""
    dim = tables.dim
    for i in range(tables.J_size):
        out[i] = 0.0
    element_tangents(q, v, c, tables.beams, scratch.element, out)
    if c[2] == 0.0:
        return
    for n in range(len(tables.torques)):
        torque = tables.torques[n]
        f = tables.load_factor * at_time(torque.time, t, tables.time, scratch.formulas)[0]
        s, block, stride = torque.slope, torque.block, torque.stride
        u = (q[s], q[s + 1], q[s + 2] if dim == 3 else 0.0)
        T = (torque.vector[0], torque.vector[1], torque.vector[2])
        r = u[0] * u[0] + u[1] * u[1] + u[2] * u[2]
        x = (T[1] * u[2] - T[2] * u[1], T[2] * u[0] - T[0] * u[2], T[0] * u[1] - T[1] * u[0])
        across = ((0.0, -T[2], T[1]), (T[2], 0.0, -T[0]), (-T[1], T[0], 0.0))
        for i in range(dim):
            for j in range(dim):
                out[block + i * stride + j] -= c[2] * f * (across[i][j] - 2.0 * x[i] * u[j] / r) / r


@kernel()
def row_products(lam: FloatArray, c: FloatArray, tables: Tables, out: FloatArray) -> None:
    """out += c₂ ∂(Gᵀλ)/∂q."""
    for r in range(len(tables.rows)):
        row = tables.rows[r]
        for k in range(row.first_product, row.first_product + row.products):
            x = tables.products[k]
            weight = c[2] * lam[r] * x.weight
            out[x.place_ij] += weight
            out[x.place_ji] += weight


@kernel()
def row_forces(q: FloatArray, lam: FloatArray, tables: Tables, out: FloatArray) -> None:
    """out += Gᵀλ."""
    for r in range(len(tables.rows)):
        row = tables.rows[r]
        for k in range(row.first_linear, row.first_linear + row.linear):
            out[tables.linear[k].coordinate] += lam[r] * tables.linear[k].weight
        for k in range(row.first_product, row.first_product + row.products):
            x = tables.products[k]
            weight = lam[r] * x.weight
            out[x.i] += weight * q[x.j]
            out[x.j] += weight * q[x.i]


@kernel()
def row_matrix(q: FloatArray, tables: Tables, out: FloatArray) -> None:
    """out = G, in its places."""
    for i in range(tables.G_size):
        out[i] = 0.0
    for r in range(len(tables.rows)):
        row = tables.rows[r]
        for k in range(row.first_linear, row.first_linear + row.linear):
            out[tables.linear[k].place] += tables.linear[k].weight
        for k in range(row.first_product, row.first_product + row.products):
            x = tables.products[k]
            out[x.place_i] += x.weight * q[x.j]
            out[x.place_j] += x.weight * q[x.i]


@kernel()
def row_values(
    what: int, t: float, q: FloatArray, v: FloatArray, a: FloatArray, tables: Tables, scratch: Scratch, out: FloatArray
) -> None:
    """out = φ, φ̇ or φ̈."""
    for r in range(len(tables.rows)):
        row = tables.rows[r]
        f, f_t, f_tt = at_time(row.target, t, tables.time, scratch.formulas)
        value = -f if what == POSITION else (-f_t if what == VELOCITY else -f_tt)
        for k in range(row.first_linear, row.first_linear + row.linear):
            i, weight = tables.linear[k].coordinate, tables.linear[k].weight
            value += weight * (q[i] if what == POSITION else (v[i] if what == VELOCITY else a[i]))
        for k in range(row.first_product, row.first_product + row.products):
            x = tables.products[k]
            i, j, weight = x.i, x.j, x.weight
            if what == POSITION:
                value += weight * q[i] * q[j]
            elif what == VELOCITY:
                value += weight * (q[i] * v[j] + v[i] * q[j])
            else:
                value += weight * (q[i] * a[j] + a[i] * q[j] + 2.0 * v[i] * v[j])
        out[r] = value


@kernel(MODEL)
def beam_model(
    what: int,
    t: float,
    q: FloatArray,
    v: FloatArray,
    a: FloatArray,
    lam: FloatArray,
    c: FloatArray,
    data: StructAddress,
    memory: StructAddress,
    out: FloatArray,
) -> int:
    """The questions of the loop, answered by a beam."""
    tables, scratch = opened(Tables, data), opened(Scratch, memory)
    if what == BALANCE:
        forces(t, q, v, a, tables, scratch, out)
        row_forces(q, lam, tables, out)
    elif what == JACOBIAN:
        tangents(t, q, v, c, tables, scratch, out)
        if c[2] != 0.0:
            row_products(lam, c, tables, out)
    elif what == CONSTRAINT:
        row_matrix(q, tables, out)
    elif what in (POSITION, VELOCITY, ACCELERATION):
        row_values(what, t, q, v, a, tables, scratch, out)
    return OK


@kernel(f8(F, F, StructType(Tables), StructType(Scratch), F))
def beam_energy(q: FloatArray, v: FloatArray, tables: Tables, scratch: Scratch, out: FloatArray) -> float:
    """Kinetic energy, strain energy and potential of the weight into out[:3]; out[3:] is memory for
    a force."""
    out[0], out[1] = element_energies(q, v, tables.beams, scratch.element, out[3:])
    out[2] = 0.0
    for i in range(tables.beams.weight.size):
        out[2] -= tables.beams.weight[i] * q[i]
    return out[0] + out[1] + out[2]
