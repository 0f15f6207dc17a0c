"""A user's `@njit` constraint functions joined to the compiled model of the unconstrained system.

Derivatives that are missing come from differences in compiled code (isodyn.systems.joined_lines),
as those of plain functions do in Python (isodyn.systems.constraints):

    G e_j, G v + φ_t, G a      first derivatives of φ along q ⊕ εe_j; along (q ⊕ εv, t + ε); along q ⊕ εa
    −b                         second derivative of φ along (q ⊕ εv, t + ε); with G the first one of G v + φ_t
    ψ_v e_j, ψ_q v + ψ_t       first derivatives of ψ along v + εe_j; along (q ⊕ εv, t + ε) at fixed v

Only what a question needs is evaluated. G from differences is kept with its q and t: a step asks
for it several times at the same place.
"""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING, cast

from isodyn.kernels.compiled import (
    ACCELERATION,
    BALANCE,
    CONSTRAINT,
    JACOBIAN,
    MODEL,
    OK,
    POSITION,
    SKETCHES_TANGENT,
    VELOCITY,
    WRONG_SHAPE,
    FloatArray,
    Traits,
    closure,
    kernel,
)
from isodyn.kernels.struct_types import opened
from isodyn.systems.constraints import Constraints
from isodyn.systems.joined import JoinedTables, is_compiled, joined_tables
from isodyn.systems.joined_lines import LineWork, Steps, add_part, first_along, retract_part, second_along
from isodyn.systems.joined_sketch import no_sketch, sketch_of
from isodyn.systems.model import Model

if TYPE_CHECKING:
    from isodyn.kernels.struct import StructAddress
    from isodyn.open_types import Compiled


def can_join(constraints: Constraints) -> bool:
    """Whether all functions of the constraints are compiled."""
    k = constraints
    given = (k.phi_, k.G_, k.b_, k.phi_t_, k.psi_, k.psi_v_, k.psi_rest_)
    return all(is_compiled(function) for function in given if function is not None)


def join_constraints(model: Model, constraints: Constraints, retract: Compiled | None) -> Model:
    """The model with its constraint rows."""
    k, of = constraints, cast(JoinedTables, model.tables)
    move = add_part if retract is None else retract_part(retract)
    holonomic = _none if k.phi_ is None else _holonomic(move, k.phi_, k.G_, k.b_, k.phi_t_)
    nonholonomic = _none if k.psi_ is None else _nonholonomic(move, k.psi_, k.psi_v_, k.psi_rest_)
    sketches = k.sketches_tangent and not of.knows_Q_q
    sketch = sketch_of(model.function, move, k.phi_, retract is not None) if sketches else no_sketch
    function = _constrained(model.function, holonomic, nonholonomic, sketch, k.m_phi, k.m)
    tables = joined_tables(of.M, of.knows_Q_q, of.knows_Q_v, k.steps)
    work = LineWork(nq=k.scales.q.size, nv=k.nv, m=k.m)
    return Model(function, Traits(model.traits | (SKETCHES_TANGENT if sketches else 0)), tables, work)


@closure()
def _none(
    what: int, t: float, q: FloatArray, v: FloatArray, a: FloatArray, first: int, m: int, steps: Steps, work: LineWork
) -> int:
    """Rows of a kind that there is none of."""
    return OK


@kernel()
def same_place(q: FloatArray, t: float, work: LineWork) -> bool:
    """Whether G was found for this q and t; keeps them if not."""
    same = work.G_known == 1 and work.G_t == t
    for i in range(q.size):
        same = same and work.G_q[i] == q[i]
    if not same:
        work.G_known, work.G_t = 0, t
        for i in range(q.size):
            work.G_q[i] = q[i]
    return same


@kernel()
def fill_rows(matrix: FloatArray, first: int, m: int, work: LineWork) -> int:
    """Rows of a given matrix into work.G."""
    if matrix.shape != (m, work.direction.size):
        return WRONG_SHAPE
    for i in range(m):
        for j in range(work.direction.size):
            work.G[first + i, j] = matrix[i, j]
    return OK


@kernel()
def copied(values: FloatArray, m: int, out: FloatArray) -> int:
    """Values of m rows into out."""
    if values.size != m:
        return WRONG_SHAPE
    for i in range(m):
        out[i] = values[i]
    return OK


@kernel()
def times(x: FloatArray, first: int, m: int, work: LineWork) -> None:
    """work.value = G x for these rows."""
    for i in range(first, first + m):
        total = 0.0
        for j in range(x.size):
            total += work.G[i, j] * x[j]
        work.value[i] = total


def _columns(first_derivative: Compiled, in_v: bool) -> Compiled:
    """(q, v, t) → all columns of G or ψ_v by differences, into work.G."""

    @closure()
    def fill(q: FloatArray, v: FloatArray, t: float, first: int, m: int, steps: Steps, work: LineWork) -> int:
        for j in range(v.size):
            work.direction[j] = 1.0
            column = work.best
            status = first_derivative(q, v, t, work.direction, 0.0, in_v, m, first, steps, work, column)
            work.direction[j] = 0.0
            if status != OK:
                return status
            for i in range(m):
                work.G[first + i, j] = column[i]
        return OK

    return fill


def _given_matrix(G: Compiled) -> Compiled:
    @closure()
    def fill(q: FloatArray, v: FloatArray, t: float, first: int, m: int, steps: Steps, work: LineWork) -> int:
        return fill_rows(G(q, t), first, m, work)

    return fill


def _given_psi_v(psi_v: Compiled) -> Compiled:
    @closure()
    def fill(q: FloatArray, v: FloatArray, t: float, first: int, m: int, steps: Steps, work: LineWork) -> int:
        return fill_rows(psi_v(q, v, t), first, m, work)

    return fill


def _kept_matrix(columns: Compiled) -> Compiled:
    """G by differences, unless it is there."""

    @closure()
    def fill(q: FloatArray, v: FloatArray, t: float, first: int, m: int, steps: Steps, work: LineWork) -> int:
        if same_place(q, t, work):
            return OK
        status = columns(q, v, t, first, m, steps, work)
        if status == OK:
            work.G_known = 1
        return status

    return fill


def _partial_t(phi_line: Compiled, phi_t: Compiled) -> Compiled:
    """(q, v, t) → φ_t into out."""

    @closure()
    def by_differences(
        q: FloatArray, v: FloatArray, t: float, m: int, steps: Steps, work: LineWork, out: FloatArray
    ) -> int:
        return phi_line(q, v, t, work.still, 1.0, False, m, 0, steps, work, out)

    @closure()
    def given(q: FloatArray, v: FloatArray, t: float, m: int, steps: Steps, work: LineWork, out: FloatArray) -> int:
        return copied(phi_t(q, t), m, out)

    return by_differences if phi_t is None else given


def _rate(phi_line: Compiled, matrix: Compiled, knows_G: bool, phi_t: Compiled) -> Compiled:
    """(q, v, t) → φ̇ into work.value."""
    partial_t = _partial_t(phi_line, phi_t)

    @closure()
    def by_matrix(q: FloatArray, v: FloatArray, t: float, m: int, steps: Steps, work: LineWork) -> int:
        status = matrix(q, v, t, 0, m, steps, work)
        if status == OK:
            times(v, 0, m, work)
            status = partial_t(q, v, t, m, steps, work, work.best)
        for i in range(m):
            work.value[i] += work.best[i]
        return status

    @closure()
    def along_motion(q: FloatArray, v: FloatArray, t: float, m: int, steps: Steps, work: LineWork) -> int:
        return phi_line(q, v, t, v, 1.0, False, m, 0, steps, work, work.value)

    @closure()
    def along_v(q: FloatArray, v: FloatArray, t: float, m: int, steps: Steps, work: LineWork) -> int:
        status = phi_line(q, v, t, v, 0.0, False, m, 0, steps, work, work.value)
        if status == OK:
            status = partial_t(q, v, t, m, steps, work, work.best)
        for i in range(m):
            work.value[i] += work.best[i]
        return status

    if knows_G:
        return by_matrix
    return along_motion if phi_t is None else along_v


def _bend(move: Compiled, phi_bend: Compiled, G: Compiled, b: Compiled, phi_t: Compiled) -> Compiled:
    """(q, v, t) → −b into out."""
    if b is not None:

        @closure()
        def given(q: FloatArray, v: FloatArray, t: float, m: int, steps: Steps, work: LineWork, out: FloatArray) -> int:
            status = copied(b(q, v, t), m, out)
            for i in range(m):
                out[i] = -out[i]
            return status

        return given
    if G is None or phi_t is None:

        @closure()
        def of_phi(
            q: FloatArray, v: FloatArray, t: float, m: int, steps: Steps, work: LineWork, out: FloatArray
        ) -> int:
            return phi_bend(q, v, t, v, 1.0, m, 0, steps, work, out)

        return of_phi

    @closure()
    def rate(q: FloatArray, v: FloatArray, t: float) -> FloatArray:
        matrix, found = G(q, t), phi_t(q, t).copy()
        for i in range(found.size):
            for j in range(v.size):
                found[i] += matrix[i, j] * v[j]
        return found

    along = first_along(rate, move)

    @closure()
    def of_rate(q: FloatArray, v: FloatArray, t: float, m: int, steps: Steps, work: LineWork, out: FloatArray) -> int:
        return along(q, v, t, v, 1.0, False, m, 0, steps, work, out)

    return of_rate


@lru_cache(maxsize=256)
def _holonomic(move: Compiled, phi: Compiled, G: Compiled, b: Compiled, phi_t: Compiled) -> Compiled:
    """The questions about φ, answered into work.G and work.value."""

    @closure()
    def of_state(q: FloatArray, v: FloatArray, t: float) -> FloatArray:
        return phi(q, t)

    line, bend = first_along(of_state, move), second_along(of_state, move)
    matrix = _kept_matrix(_columns(line, in_v=False)) if G is None else _given_matrix(G)
    rate, minus_b, knows_G = _rate(line, matrix, G is not None, phi_t), _bend(move, bend, G, b, phi_t), G is not None

    @closure()
    def rows(
        what: int,
        t: float,
        q: FloatArray,
        v: FloatArray,
        a: FloatArray,
        first: int,
        m: int,
        steps: Steps,
        work: LineWork,
    ) -> int:
        if what == POSITION:
            return copied(phi(q, t), m, work.value)
        if what == VELOCITY:
            return rate(q, v, t, m, steps, work)
        if what != ACCELERATION:
            return matrix(q, v, t, 0, m, steps, work)
        if knows_G:
            status = matrix(q, v, t, 0, m, steps, work)
            times(a, 0, m, work)
        else:
            status = line(q, v, t, a, 0.0, False, m, 0, steps, work, work.value)
        if status == OK:
            status = minus_b(q, v, t, m, steps, work, work.best)
        for i in range(m):
            work.value[i] += work.best[i]
        return status

    return rows


def _rest(line: Compiled, psi_rest: Compiled) -> Compiled:
    """(q, v, t) → ψ_q v + ψ_t into work.best."""

    @closure()
    def by_differences(q: FloatArray, v: FloatArray, t: float, first: int, m: int, steps: Steps, work: LineWork) -> int:
        return line(q, v, t, v, 1.0, False, m, first, steps, work, work.best)

    @closure()
    def given(q: FloatArray, v: FloatArray, t: float, first: int, m: int, steps: Steps, work: LineWork) -> int:
        return copied(psi_rest(q, v, t), m, work.best)

    return by_differences if psi_rest is None else given


@lru_cache(maxsize=256)
def _nonholonomic(move: Compiled, psi: Compiled, psi_v: Compiled, psi_rest: Compiled) -> Compiled:
    """The questions about ψ, answered into work.G and work.value behind the rows of φ."""
    line = first_along(psi, move)
    matrix = _columns(line, in_v=True) if psi_v is None else _given_psi_v(psi_v)
    rest = _rest(line, psi_rest)

    @closure()
    def rows(
        what: int,
        t: float,
        q: FloatArray,
        v: FloatArray,
        a: FloatArray,
        first: int,
        m: int,
        steps: Steps,
        work: LineWork,
    ) -> int:
        if what == POSITION:
            return OK
        if what == VELOCITY:
            return copied(psi(q, v, t), m, work.value[first:])
        status = matrix(q, v, t, first, m, steps, work)
        if what == ACCELERATION and status == OK:
            times(a, first, m, work)
            status = rest(q, v, t, first, m, steps, work)
            for i in range(m):
                work.value[first + i] += work.best[i]
        return status

    return rows


@lru_cache(maxsize=256)
def _constrained(
    base: Compiled, holonomic: Compiled, nonholonomic: Compiled, sketch: Compiled, m_phi: int, m: int
) -> Compiled:
    @closure(MODEL)
    def model(
        what: int,
        t: float,
        q: FloatArray,
        v: FloatArray,
        a: FloatArray,
        lam: FloatArray,
        c: FloatArray,
        tables: StructAddress,
        scratch: StructAddress,
        out: FloatArray,
    ) -> int:
        status = OK
        if what < CONSTRAINT:
            status = base(what, t, q, v, a, lam, c, tables, scratch, out)
            if what != BALANCE or status != OK:
                return sketch(t, q, v, a, lam, c, tables, scratch, m_phi, out) if what == JACOBIAN else status
        steps, work = opened(JoinedTables, tables).steps, opened(LineWork, scratch)
        status = holonomic(what, t, q, v, a, 0, m_phi, steps, work)
        if status == OK:
            status = nonholonomic(what, t, q, v, a, m_phi, m - m_phi, steps, work)
        if status != OK:
            return status
        if what in (BALANCE, CONSTRAINT):
            n = v.size
            for i in range(m):
                for j in range(n):
                    if what == BALANCE:
                        out[j] += work.G[i, j] * lam[i]
                    else:
                        out[i * n + j] = work.G[i, j]
        else:
            for i in range(m_phi if what == POSITION else m):
                out[i] = work.value[i]
        return status

    return model
