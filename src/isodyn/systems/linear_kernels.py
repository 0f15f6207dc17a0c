"""Small dense linear systems in compiled code."""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache
from typing import TYPE_CHECKING, Any

from isodyn.kernels.compiled import BALANCE, JACOBIAN, MODEL, OK, WRONG_SHAPE, FloatArray, closure, kernel
from isodyn.kernels.struct import Struct, reals
from isodyn.kernels.struct_types import opened

if TYPE_CHECKING:
    from isodyn.kernels.struct import StructAddress


class LinearTables(Struct):
    """Small dense matrices and a constant load."""

    M, C, K, f = reals("n", "n"), reals("n", "n"), reals("n", "n"), reals("n")


@kernel(MODEL)
def constant_load_model(
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
    """M a + C v + K q − f."""
    given = opened(LinearTables, tables)
    M, C, K, n = given.M, given.C, given.K, v.size
    if what == BALANCE:
        for i in range(n):
            total = -given.f[i]
            for j in range(n):
                total += M[i, j] * a[j] + C[i, j] * v[j]
            for j in range(q.size):
                total += K[i, j] * q[j]
            out[i] = total
    elif what == JACOBIAN:
        for i in range(n):
            for j in range(n):
                out[i * n + j] = c[0] * M[i, j] + c[1] * C[i, j] + c[2] * K[i, j]
    return OK


@lru_cache(maxsize=256)
def with_load(f: Callable[..., Any]) -> Callable[..., int]:
    """The same with a compiled load f(t)."""

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
        status = constant_load_model(what, t, q, v, a, lam, c, tables, scratch, out)
        if what == BALANCE:
            load = f(t)
            if load.shape != v.shape:
                return WRONG_SHAPE
            for i in range(v.size):
                out[i] -= load[i]
        return status

    return model
