"""A model in the coordinates of a basis, around the model of the full system.

    v = T ξ̇,    T = [V 0; 0 I] in the order of the full system            V of the coordinates that are reduced, others unchanged
    balance       Tᵀ balance(q̄ + V ξ, T ξ̇, T ξ̈, λ)                       [Shimada2014 (C.59) adapted]
    jacobian      Tᵀ J T                                                   J by its sparse pattern
    constraint    G T,   φ, φ̇, φ̈ at the lifted state                      rows that are left

The full model may be a sampled one without inertia: M̂ ξ̈ is then added from a table. Tables:
isodyn.reduction.layout.
"""

from __future__ import annotations

from functools import lru_cache
from typing import Any

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
from isodyn.kernels.struct_types import address_of, opened
from isodyn.reduction.layout import (
    F_ACC,
    F_FORCE,
    F_LAM,
    F_MASS,
    F_MEAN,
    F_PRODUCT,
    F_Q,
    F_V,
    F_VALUES,
    F_VEL,
    HAS_MASS,
    I_G_COLUMNS,
    I_G_STARTS,
    I_J_COLUMNS,
    I_J_STARTS,
    I_PLACE_Q,
    I_PLACE_V,
    I_ROWS,
    M_FULL,
    M_LEFT,
    NQ,
    NV,
    R,
    ReducedNumbers,
)


@kernel(types.void(F, F, I))
def lift_q(x: FloatArray, pf: FloatArray, pi: IntArray) -> None:
    """q = q̄ + V ξ, and the others."""
    r, to = pi[R], pi[F_Q]
    for i in range(pi[NQ]):
        c = pi[pi[I_PLACE_Q] + i]
        if c < 0:
            pf[to + i] = x[r - 1 - c]
        else:
            total, row = pf[pi[F_MEAN] + c], pi[F_V] + c * r
            for j in range(r):
                total += pf[row + j] * x[j]
            pf[to + i] = total


@kernel(types.void(F, i8, F, I))
def lift_v(x: FloatArray, to: int, pf: FloatArray, pi: IntArray) -> None:
    """T x."""
    r = pi[R]
    for i in range(pi[NV]):
        c = pi[pi[I_PLACE_V] + i]
        if c < 0:
            pf[to + i] = x[r - 1 - c]
        else:
            total, row = 0.0, pi[F_V] + c * r
            for j in range(r):
                total += pf[row + j] * x[j]
            pf[to + i] = total


@kernel(types.void(F, I, F))
def project(pf: FloatArray, pi: IntArray, out: FloatArray) -> None:
    """out = Tᵀ force."""
    r = pi[R]
    for j in range(r):
        out[j] = 0.0
    for i in range(pi[NV]):
        c, f = pi[pi[I_PLACE_V] + i], pf[pi[F_FORCE] + i]
        if c < 0:
            out[r - 1 - c] = f
        else:
            row = pi[F_V] + c * r
            for j in range(r):
                out[j] += pf[row + j] * f


@kernel(types.void(i8, i8, i8, i8, i8, i8, F, I))
def times_T(row: int, values: int, columns: int, count: int, to: int, n: int, pf: FloatArray, pi: IntArray) -> None:
    """One row of a sparse matrix times T, into pf[to : to + n]."""
    r = pi[R]
    for j in range(n):
        pf[to + j] = 0.0
    for k in range(count):
        x = pf[values + row + k]
        c = pi[pi[I_PLACE_V] + pi[columns + row + k]]
        if c < 0:
            pf[to + r - 1 - c] += x
        else:
            v = pi[F_V] + c * r
            for j in range(r):
                pf[to + j] += x * pf[v + j]


@kernel(types.void(i8, F, I, F))
def project_matrix(n: int, pf: FloatArray, pi: IntArray, out: FloatArray) -> None:
    """out = Tᵀ J T, n × n."""
    r, line = pi[R], pi[F_PRODUCT]
    for i in range(n * n):
        out[i] = 0.0
    for i in range(pi[NV]):
        start = pi[pi[I_J_STARTS] + i]
        times_T(start, pi[F_VALUES], pi[I_J_COLUMNS], pi[pi[I_J_STARTS] + i + 1] - start, line, n, pf, pi)
        c = pi[pi[I_PLACE_V] + i]
        if c < 0:
            k = (r - 1 - c) * n
            for j in range(n):
                out[k + j] += pf[line + j]
        else:
            v = pi[F_V] + c * r
            for k in range(r):
                x = pf[v + k]
                for j in range(n):
                    out[k * n + j] += x * pf[line + j]


@kernel(types.void(i8, F, I, F))
def project_rows(n: int, pf: FloatArray, pi: IntArray, out: FloatArray) -> None:
    """out = G T of the rows that are left."""
    for k in range(pi[M_LEFT]):
        i = pi[pi[I_ROWS] + k]
        start = pi[pi[I_G_STARTS] + i]
        times_T(start, pi[F_VALUES], pi[I_G_COLUMNS], pi[pi[I_G_STARTS] + i + 1] - start, pi[F_PRODUCT], n, pf, pi)
        for j in range(n):
            out[k * n + j] = pf[pi[F_PRODUCT] + j]


class _Pointer(types.WrapperAddressProtocol):  # type: ignore[misc]
    """A compiled model by its address: compiling what calls it does not touch it again."""

    def __init__(self, function: Any) -> None:
        self.function = function
        compiled = function.get_compile_result(MODEL)
        self.address: int = compiled.library.get_pointer_to_function(compiled.fndesc.llvm_cfunc_wrapper_name)

    def __wrapper_address__(self) -> int:
        return self.address

    def signature(self) -> Any:
        return MODEL


def _compiled(function: Any) -> Any:
    return numba.njit(MODEL, error_model="numpy", _nrt=False)(function)


@lru_cache(maxsize=64)
def around(function: Any) -> Any:
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
        tables: Any,
        scratch: Any,
        out: FloatArray,
    ) -> int:
        flat = opened(ReducedNumbers, scratch)
        pf, pi = flat.pf, flat.pi
        n, nq, nv, m = v.size, pi[NQ], pi[NV], pi[M_FULL]
        lift_q(q, pf, pi)
        lift_v(v, pi[F_VEL], pf, pi)
        Q, W = pf[pi[F_Q] : pi[F_Q] + nq], pf[pi[F_VEL] : pi[F_VEL] + nv]
        A, L = pf[pi[F_ACC] : pi[F_ACC] + nv], pf[pi[F_LAM] : pi[F_LAM] + m]
        inner, numbers = address_of(flat.full_tables), address_of(flat.full_scratch)
        if what in (BALANCE, ACCELERATION):
            lift_v(a, pi[F_ACC], pf, pi)
        if what in (BALANCE, JACOBIAN):
            for k in range(lam.size):
                L[pi[pi[I_ROWS] + k]] = lam[k]
        if what == BALANCE:
            force = pf[pi[F_FORCE] : pi[F_FORCE] + nv]
            status = full(what, t, Q, W, A, L, c, inner, numbers, force)
            project(pf, pi, out)
            if pi[HAS_MASS] == 1:
                for i in range(n):
                    for j in range(n):
                        out[i] += pf[pi[F_MASS] + i * n + j] * a[j]
            return status
        if what == SETTLE:
            status = full(what, t, Q, W, A, L, c, inner, numbers, Q)
            r = pi[R]
            for i in range(nq):
                k = pi[pi[I_PLACE_Q] + i]
                if k < 0:
                    out[r - 1 - k] = Q[i]
            return status
        count = m
        if what == JACOBIAN:
            count = pi[pi[I_J_STARTS] + nv]
        elif what == CONSTRAINT:
            count = pi[pi[I_G_STARTS] + m]
        elif what == RETRACT:
            count = nq
        values = pf[pi[F_VALUES] : pi[F_VALUES] + count]
        if what == JACOBIAN:
            status = full(what, t, Q, W, A, L, c, inner, numbers, values)
            project_matrix(n, pf, pi, out)
            if pi[HAS_MASS] == 1:
                for i in range(n * n):
                    out[i] += c[0] * pf[pi[F_MASS] + i]
            return status
        if what == RETRACT:
            status = full(what, t, Q, W, A, L, c, inner, numbers, values)
            r = pi[R]
            for j in range(r):
                out[j] = q[j] + v[j]
            for i in range(nq):
                k = pi[pi[I_PLACE_Q] + i]
                if k < 0:
                    out[r - 1 - k] = values[i]
            return status
        if what == CONSTRAINT:
            status = full(what, t, Q, W, A, L, c, inner, numbers, values)
            project_rows(n, pf, pi, out)
            return status
        if what in (POSITION, VELOCITY, ACCELERATION):
            status = full(what, t, Q, W, A, L, c, inner, numbers, values)
            for k in range(pi[M_LEFT]):
                out[k] = values[pi[pi[I_ROWS] + k]]
            return status
        return OK

    return reduced
