"""Constraint rows of a mechanism: φ = Σ w x − f(t) over measures x, with G, Gᵀλ, ∂(Gᵀλ)/∂q and the
rates of φ."""

from __future__ import annotations

from isodyn.expressions.time_kernels import at_time
from isodyn.kernels.compiled import ACCELERATION, POSITION, VELOCITY, FloatArray, kernel
from isodyn.multibody.nodes import part
from isodyn.multibody.places import (
    add_blocks,
    add_curvatures,
    add_to_bodies,
    along,
    has_nodes,
    measure_of,
    rest_of,
    stiffness_of,
)
from isodyn.multibody.points import add_coincidence_forces, add_coincidence_tangents, coincidence, put_coincidence
from isodyn.multibody.tables import NODE, RowData, Scratch, Tables, TermData

FAR = 1e9  # m: the gap of a contact that nobody looks at


@kernel()
def row_forces(lam: FloatArray, tables: Tables, scratch: Scratch, out: FloatArray) -> None:
    """out += Gᵀλ."""
    r, last = 0, len(tables.rows)
    while r < last:
        row = tables.rows[r]
        many = row.coincident
        if many > 0:
            force = (lam[r], lam[r + 1], lam[r + 2] if many == 3 else 0.0)
            add_coincidence_forces(tables.terms[row.first_term].measure, force, tables, scratch, out)
            r += many
            continue
        if lam[r] != 0.0:
            for k in range(row.first_term, row.first_term + row.terms):
                term, g = tables.terms[k], scratch.measure.gradient
                measure_of(term.measure, g, tables, scratch)
                add_to_bodies(term.measure, g, lam[r] * term.weight, tables, scratch, out)
        r += 1


@kernel()
def row_tangents(lam: FloatArray, c: FloatArray, tables: Tables, scratch: Scratch, out: FloatArray) -> None:
    """out += c₂ ∂(Gᵀλ)/∂q."""
    r, last = 0, len(tables.rows)
    while r < last:
        row = tables.rows[r]
        many = row.coincident
        if many > 0:
            force = (lam[r], lam[r + 1], lam[r + 2] if many == 3 else 0.0)
            add_coincidence_tangents(tables.terms[row.first_term].measure, force, c[2], tables, scratch, out)
            r += many
            continue
        if lam[r] != 0.0:
            for k in range(row.first_term, row.first_term + row.terms):
                term = tables.terms[k]
                m, f = term.measure, c[2] * lam[r] * term.weight
                stiffness_of(m, tables, scratch)
                add_blocks(m, scratch.measure.K, f, tables, scratch, out)
                if has_nodes(m, tables):
                    measure_of(m, scratch.measure.gradient, tables, scratch)
                    add_curvatures(m, f, tables, scratch, out)
        r += 1


@kernel()
def row_matrix(tables: Tables, scratch: Scratch, out: FloatArray) -> None:
    """out = G, in its places."""
    for i in range(tables.G_size):
        out[i] = 0.0
    many, number = 0, 0  # rows that let the same points coincide, and which of them comes now
    for r in range(len(tables.rows)):
        row = tables.rows[r]
        many, number = (row.coincident, 0) if many == number else (many, number)
        if many > number:
            term = tables.terms[row.first_term]
            put_coincidence(term, number, tables, scratch, out)
            number += 1
            continue
        many, number = 0, 0
        for k in range(row.first_term, row.first_term + row.terms):
            if scratch.far[tables.terms[k].measure] == 0:
                put_term(tables.terms[k], tables, scratch, out)


@kernel()
def put_term(term: TermData, tables: Tables, scratch: Scratch, out: FloatArray) -> None:
    """weight × gradient of a term into its row of G."""
    measure_of(term.measure, scratch.measure.gradient, tables, scratch)
    put_gradient_of(term, tables, scratch, out)


@kernel()
def put_gradient_of(term: TermData, tables: Tables, scratch: Scratch, out: FloatArray) -> None:
    """weight × the gradient that is in its place of the scratch memory."""
    g, weight = scratch.measure.gradient, term.weight
    own = tables.measures[term.measure]
    for side in range(2):
        k = own.bodies[side]
        if k == tables.ground:
            continue
        body, place = tables.bodies[k], term.places[side]
        if body.kind >= NODE:
            for i in range(body.freedom):
                out[place + i] += weight * part(body, scratch.poses[k], i, g, side)
            continue
        for i in range(6):
            column = body.columns[i]
            if column >= 0:
                out[place + column] += weight * g[6 * side + i]


@kernel()
def row_values(
    what: int, t: float, v: FloatArray, a: FloatArray, tables: Tables, scratch: Scratch, out: FloatArray
) -> None:
    """out = φ, φ̇ or φ̈ of all rows; φ of the holonomic ones only."""
    r, last = -1, tables.holonomic if what == POSITION else len(tables.rows)
    while r + 1 < last:
        r += 1
        row = tables.rows[r]
        many = row.coincident
        if many > 0:
            found = coincidence(what, tables.terms[row.first_term].measure, a, tables, scratch)
            for i in range(many):
                out[r + i] = found[i]
            r += many - 1
            continue
        out[r] = row_value(what, t, row, v, a, tables, scratch)


@kernel()
def row_value(
    what: int, t: float, row: RowData, v: FloatArray, a: FloatArray, tables: Tables, scratch: Scratch
) -> float:
    """φ, φ̇ or φ̈ of one row; of a contact that is far, FAR and no motion."""
    if scratch.far[tables.terms[row.first_term].measure] == 1:
        return FAR if what == POSITION else 0.0
    f, f_t, f_tt = at_time(row.target, t, tables.time, scratch.formulas)
    value = -f if what == POSITION else (-f_t if what == VELOCITY else -f_tt)
    g = scratch.measure.gradient
    for k in range(row.first_term, row.first_term + row.terms):
        term = tables.terms[k]
        x = measure_of(term.measure, g, tables, scratch)
        if what == VELOCITY:
            x = along(term.measure, g, v, tables, scratch)
        elif what == ACCELERATION:
            x = along(term.measure, g, a, tables, scratch) + rest_of(term.measure, tables, scratch)
        value += term.weight * x
    return value
