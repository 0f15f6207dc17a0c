"""A model in the coordinates of a basis, around the model of the full system.

    v = T ξ̇,    T = [V 0; 0 I] in the order of the full system            V of the coordinates that are reduced, others unchanged
    balance       Tᵀ balance(q̄ + V ξ, T ξ̇, T ξ̈, λ)                       [Shimada2014 (C.59) adapted]
    jacobian      Tᵀ J T                                                   J by its sparse pattern
    constraint    G T,   φ, φ̇, φ̈ at the lifted state                      rows that are left

The full model may be a sampled one without inertia: M̂ ξ̈ is then added from a table. Memory:
isodyn.reduction.tables.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache
from typing import TYPE_CHECKING, Any

import numba
from numba import types

from isodyn.kernels.compiled import (
    ACCELERATION,
    BALANCE,
    CONSTRAINT,
    JACOBIAN,
    MODEL,
    OK,
    POSITION,
    RETRACT,
    SETTLE,
    VELOCITY,
    F,
    FloatArray,
    I,
    IntArray,
    i8,
    kernel,
)
from isodyn.kernels.struct_types import StructType, address_of, opened
from isodyn.reduction.tables import ReducedScratch, ReducedTables

if TYPE_CHECKING:
    from isodyn.kernels.numba_internals.interfaces import Signature
    from isodyn.kernels.struct import StructAddress

TABLES, SCRATCH = StructType(ReducedTables), StructType(ReducedScratch)


@kernel(types.void(F, TABLES, F))
def lift_q(x: FloatArray, tables: ReducedTables, out: FloatArray) -> None:
    """q = q̄ + V ξ, and the others."""
    V, places, r = tables.V, tables.place_q, tables.V.shape[1]
    for i in range(out.size):
        c = places[i]
        if c < 0:
            out[i] = x[r - 1 - c]
        else:
            total = tables.mean[c]
            for j in range(r):
                total += V[c, j] * x[j]
            out[i] = total


@kernel(types.void(F, TABLES, F))
def lift_v(x: FloatArray, tables: ReducedTables, out: FloatArray) -> None:
    """T x."""
    V, places, r = tables.V, tables.place_v, tables.V.shape[1]
    for i in range(out.size):
        c = places[i]
        if c < 0:
            out[i] = x[r - 1 - c]
        else:
            total = 0.0
            for j in range(r):
                total += V[c, j] * x[j]
            out[i] = total


@kernel(types.void(F, TABLES, F))
def project(force: FloatArray, tables: ReducedTables, out: FloatArray) -> None:
    """out = Tᵀ force."""
    V, places, r = tables.V, tables.place_v, tables.V.shape[1]
    for j in range(r):
        out[j] = 0.0
    for i in range(force.size):
        c, f = places[i], force[i]
        if c < 0:
            out[r - 1 - c] = f
        else:
            for j in range(r):
                out[j] += V[c, j] * f


@kernel(types.void(i8, I, I, F, TABLES, F))
def times_T(
    i: int, starts: IntArray, columns: IntArray, values: FloatArray, tables: ReducedTables, out: FloatArray
) -> None:
    """out = row i of a sparse matrix times T."""
    V, places, r = tables.V, tables.place_v, tables.V.shape[1]
    for j in range(out.size):
        out[j] = 0.0
    for k in range(starts[i], starts[i + 1]):
        c = places[columns[k]]
        if c < 0:
            out[r - 1 - c] += values[k]
        else:
            for j in range(r):
                out[j] += values[k] * V[c, j]


@kernel(types.void(TABLES, SCRATCH, F))
def project_matrix(tables: ReducedTables, scratch: ReducedScratch, out: FloatArray) -> None:
    """out = Tᵀ J T, n × n."""
    V, places, r, line = tables.V, tables.place_v, tables.V.shape[1], scratch.product
    n = line.size
    for i in range(n * n):
        out[i] = 0.0
    for i in range(places.size):
        times_T(i, tables.J_starts, tables.J_columns, scratch.answer, tables, line)
        c = places[i]
        if c < 0:
            k = (r - 1 - c) * n
            for j in range(n):
                out[k + j] += line[j]
        else:
            for k in range(r):
                for j in range(n):
                    out[k * n + j] += V[c, k] * line[j]


@kernel(types.void(TABLES, SCRATCH, F))
def project_rows(tables: ReducedTables, scratch: ReducedScratch, out: FloatArray) -> None:
    """out = G T of the rows that are left."""
    line = scratch.product
    for k in range(tables.rows.size):
        times_T(tables.rows[k], tables.G_starts, tables.G_columns, scratch.answer, tables, line)
        for j in range(line.size):
            out[k * line.size + j] = line[j]


@kernel(types.void(i8, F, F, F, F, TABLES, SCRATCH))
def lift_state(
    what: int,
    q: FloatArray,
    v: FloatArray,
    a: FloatArray,
    lam: FloatArray,
    tables: ReducedTables,
    scratch: ReducedScratch,
) -> None:
    """What a question needs of the lifted state."""
    lift_q(q, tables, scratch.q)
    lift_v(v, tables, scratch.v)
    if what in (BALANCE, ACCELERATION):
        lift_v(a, tables, scratch.a)
    if what in (BALANCE, JACOBIAN):
        for k in range(lam.size):
            scratch.lam[tables.rows[k]] = lam[k]


@kernel(i8(i8, TABLES, SCRATCH))
def size_of_answer(what: int, tables: ReducedTables, scratch: ReducedScratch) -> int:
    """How many numbers of scratch.answer the full model fills; 0 for questions that it is not
    asked, −1 where they belong elsewhere (to scratch.force or scratch.q)."""
    if what in (BALANCE, SETTLE):
        return -1
    if what == JACOBIAN:
        return tables.J_columns.size
    if what == CONSTRAINT:
        return tables.G_columns.size
    if what == RETRACT:
        return scratch.q.size
    if what in (POSITION, VELOCITY, ACCELERATION):
        return scratch.lam.size
    return 0


@kernel(types.void(F, TABLES, F))
def keep_others(q: FloatArray, tables: ReducedTables, out: FloatArray) -> None:
    """Coordinates that are not reduced, from q to out."""
    r = tables.V.shape[1]
    for i in range(q.size):
        k = tables.place_q[i]
        if k < 0:
            out[r - 1 - k] = q[i]


@kernel(types.void(i8, F, F, F, F, TABLES, SCRATCH, F))
def bring_back(
    what: int,
    q: FloatArray,
    v: FloatArray,
    a: FloatArray,
    c: FloatArray,
    tables: ReducedTables,
    scratch: ReducedScratch,
    out: FloatArray,
) -> None:
    """The answer in the coordinates of the basis from that of the full model."""
    n, mass = v.size, tables.mass
    if what == BALANCE:
        project(scratch.force, tables, out)
        for i in range(mass.shape[0]):
            for j in range(n):
                out[i] += mass[i, j] * a[j]
    elif what == JACOBIAN:
        project_matrix(tables, scratch, out)
        for i in range(mass.shape[0]):
            for j in range(n):
                out[i * n + j] += c[0] * mass[i, j]
    elif what == CONSTRAINT:
        project_rows(tables, scratch, out)
    elif what == SETTLE:
        keep_others(scratch.q, tables, out)
    elif what == RETRACT:
        for j in range(tables.V.shape[1]):
            out[j] = q[j] + v[j]
        keep_others(scratch.answer[: scratch.q.size], tables, out)
    else:
        for k in range(tables.rows.size):
            out[k] = scratch.answer[tables.rows[k]]


class _Pointer(types.WrapperAddressProtocol):  # type: ignore[misc]
    """A compiled model by its address: compiling what calls it does not touch it again."""

    def __init__(self, function: Any) -> None:
        self.function = function
        compiled = function.get_compile_result(MODEL)
        self.address: int = compiled.library.get_pointer_to_function(compiled.fndesc.llvm_cfunc_wrapper_name)

    def __wrapper_address__(self) -> int:
        return self.address

    def signature(self) -> Signature:
        return MODEL


def _compiled(function: Callable[..., Any]) -> Callable[..., int]:
    return numba.njit(MODEL, error_model="numpy", _nrt=False)(function)


@lru_cache(maxsize=64)
def around(function: Callable[..., Any]) -> Callable[..., int]:
    """The reduced model of a full model's function; made anew in every process, in a second or
    two."""
    full = function if numba.config.DISABLE_JIT else _Pointer(function)

    @_compiled
    def reduced(
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
        given, work = opened(ReducedTables, tables), opened(ReducedScratch, scratch)
        lift_state(what, q, v, a, lam, given, work)
        size = size_of_answer(what, given, work)
        if size == 0:
            return OK
        values = work.answer[:size] if size > 0 else work.force if what == BALANCE else work.q
        full_tables, full_scratch = address_of(given.full), address_of(work.full)
        status = full(what, t, work.q, work.v, work.a, work.lam, c, full_tables, full_scratch, values)
        bring_back(what, q, v, a, c, given, work, out)
        return status

    return reduced
