"""The way from compiled code to models in Python: one compiled function for all of them."""

from __future__ import annotations

from numba import objmode

from isodyn.kernels.compiled import MODEL, FloatArray, IntArray, kernel
from isodyn.systems.model import call_back


@kernel(MODEL, allocates=True)
def python_model(
    what: int,
    t: float,
    q: FloatArray,
    v: FloatArray,
    a: FloatArray,
    lam: FloatArray,
    c: FloatArray,
    pf: FloatArray,
    pi: IntArray,
    out: FloatArray,
) -> int:
    """The way from compiled code to a Python model."""
    with objmode(status="int64"):
        status = call_back(pi[0], what, t, q, v, a, lam, c, out)
    return status  # noqa: RET504
