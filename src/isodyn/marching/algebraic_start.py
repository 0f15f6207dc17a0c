"""The start of a first-order system with algebraic unknowns: its index, and s' and z that are
consistent with s.

Index 1 and 2 close a step by c(s_{n+1}, z_{n+1}) = 0 as it stands, also where some rows are of one
and some of the other kind. Of index 3 the unknowns would be noise of size 1/Δt of what the rows
leave: it is integrated by way of `isodyn.marching.index_reduction`.
"""

from __future__ import annotations

import numpy as np

from isodyn.errors import SchemeError
from isodyn.formulations.closure import Closure
from isodyn.kernels.compiled import FloatArray
from isodyn.systems.base import System
from isodyn.systems.consistent_values import consistent
from isodyn.systems.derivative_chain import Chain, Index
from isodyn.systems.scales import ORDINARY, power_of_two


def algebraic_start(
    system: System, t: float, s: FloatArray, z: FloatArray, closure: Closure, known: Chain | None = None
) -> tuple[FloatArray, FloatArray, Index, FloatArray]:
    """s', z, the index, and sizes of z that are far below one, zero for others; refused where this
    closure of steps is not for it. A chain that is known spares half a second where it is one of
    this instant."""
    if known is None or known.t != t or not np.array_equal(known.s, s):
        known = consistent(system, t, s, z)[2]
    rate, found, index = known.h(s, known.z, t), known.z, known.index()
    if index.index > 2:
        raise SchemeError(
            f"{index} at t = {t:g}: c alone, or its first derivative, does not close a step of such a system",
            hint="leave the formulation out: integrate() then keeps c and its derivative with a second unknown",
        )
    if closure.acceleration != 0.0 and index.ranks[0] > 0:
        raise SchemeError(
            f"the constraints determine algebraic unknowns (index 1 in {index.ranks[0]} of {index.m}):"
            " their derivative cannot close a step",
            hint="leave the formulation out; Baumgarte and AccelerationLevel are for constraints without z (index 2)",
        )
    sizes = power_of_two(known.reach_z)
    return rate, found, index, np.where(sizes < 1.0 / ORDINARY, sizes, 0.0)
