"""Small dense linear systems in compiled code."""

from __future__ import annotations

from functools import lru_cache
from typing import Any

from isodyn.kernels.compiled import BALANCE, JACOBIAN, MODEL, OK, WRONG_SHAPE, FloatArray, closure, kernel
from isodyn.kernels.struct import FlatNumbers
from isodyn.kernels.struct_types import opened


@kernel(MODEL)
def constant_load_model(
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
    """Small dense matrices and a constant load, all in pf: M, C, K, f."""
    pf = opened(FlatNumbers, tables).pf
    n = v.size
    nn = n * n
    if what == BALANCE:
        for i in range(n):
            total = -pf[3 * nn + i]
            for j in range(n):
                total += pf[i * n + j] * a[j] + pf[nn + i * n + j] * v[j]
            for j in range(q.size):
                total += pf[2 * nn + i * n + j] * q[j]
            out[i] = total
    elif what == JACOBIAN:
        for i in range(nn):
            out[i] = c[0] * pf[i] + c[1] * pf[nn + i] + c[2] * pf[2 * nn + i]
    return OK


@lru_cache(maxsize=256)
def with_load(f: Any) -> Any:
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
        tables: Any,
        scratch: Any,
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
