"""The way from compiled code to models in Python: one compiled function for all of them."""

from __future__ import annotations

from typing import Any

from numba import objmode

from isodyn.kernels.compiled import MODEL, FloatArray, kernel
from isodyn.kernels.struct_types import opened
from isodyn.systems.model import PythonTables, call_back


@kernel(MODEL, allocates=True)
def python_model(
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
    """The way from compiled code to a Python model."""
    handle = opened(PythonTables, tables).handle
    with objmode(status="int64"):
        status = call_back(handle, what, t, q, v, a, lam, c, out)
    return status  # noqa: RET504
