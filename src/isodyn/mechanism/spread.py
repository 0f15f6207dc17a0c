"""What acts along the beams of a mechanism: inertia, strain, damping, weight and loads that are
spread over their length."""

from __future__ import annotations

from numba import types

from isodyn.beams.elements import forces_of_elements
from isodyn.kernels.compiled import F, FloatArray, I, IntArray, f8, kernel
from isodyn.parts.layout import (
    DAMPED,
    ELEMENTS,
    F_ELEMENT,
    F_FACTOR,
    F_SPREAD,
    F_WEIGHT,
    F_WORK,
    I_ELEMENT,
    I_SPREAD,
    NODAL,
    SPREAD,
    SPREADS,
)
from isodyn.parts.time_functions import at_time


@kernel(types.void(f8, F, F, F, F, I, F), inner=True, apart=True)
def add_beams(
    t: float, q: FloatArray, v: FloatArray, a: FloatArray, pf: FloatArray, pi: IntArray, out: FloatArray
) -> None:
    """out of nodes = M a + ∂U/∂q + damping − weight − loads along beams."""
    factor = pf[pi[F_FACTOR]]
    weight = pi[F_WEIGHT]
    for i in range(pi[NODAL]):
        out[i] = -factor * pf[weight + i]
    forces_of_elements(pi[ELEMENTS], pi[I_ELEMENT], pi[F_ELEMENT], pi[F_WORK], pi[DAMPED], q, v, a, pf, pi, out)
    for n in range(pi[SPREADS]):
        o = pi[I_SPREAD] + SPREAD * n
        f = factor * at_time(pi[o + 3], t, pf, pi)[0]
        for i in range(pi[o + 1]):
            out[pi[o] + i] -= f * pf[pi[F_SPREAD] + pi[o + 2] + i]
