"""The way from compiled code to models in Python, one compiled function for all of them; and what
these models share with compiled ones."""

from __future__ import annotations

from typing import TYPE_CHECKING

from numba import objmode, types

from isodyn.kernels.compiled import F2, MODEL, F, FloatArray, kernel
from isodyn.kernels.struct_types import opened
from isodyn.linear_solvers.dense import multiply
from isodyn.systems.model import PythonTables, call_back

if TYPE_CHECKING:
    from isodyn.kernels.struct import StructAddress


@kernel(MODEL, allocates=True)
def python_model(
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
    """The way from compiled code to a Python model."""
    handle = opened(PythonTables, tables).handle
    with objmode(status="int64"):
        status = call_back(handle, what, t, q, v, a, lam, c, out)
    return status  # noqa: RET504


@kernel(types.void(F2, F, F))
def product(A: FloatArray, x: FloatArray, out: FloatArray) -> None:
    """out = A x for callers in Python, to the last bit what compiled models find; from disk, where
    `multiply` itself would be compiled in every process."""
    multiply(A, x, out)
