"""Van der Pol's oscillator, stiff for large μ: slow drift and sudden jumps.

    q'' = μ (1 − q²) q' − q

Test Set for IVP Solvers, problem van der Pol: μ = 1000, q = 2 at rest; published digits at t = 2000
(`data/van_der_pol.json`).
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from isodyn.kernels.compiled import (
    BALANCE,
    CONSTANT_MASS,
    JACOBIAN,
    KNOWS_MASS,
    KNOWS_TANGENT,
    MODEL,
    OK,
    FloatArray,
    kernel,
)
from isodyn.kernels.struct import Struct, real
from isodyn.kernels.struct_types import opened
from isodyn.systems import CompiledSystem

if TYPE_CHECKING:
    from isodyn.kernels.struct import StructAddress


class Damping(Struct):
    """How strongly the oscillator is damped or driven."""

    mu = real


@kernel(MODEL)
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
    """Balance and tangents."""
    mu = opened(Damping, tables).mu
    if what == BALANCE:
        out[0] = a[0] - mu * (1.0 - q[0] * q[0]) * v[0] + q[0]
    elif what == JACOBIAN:
        out[0] = c[0] - c[1] * mu * (1.0 - q[0] * q[0]) + c[2] * (2.0 * mu * q[0] * v[0] + 1.0)
    return OK


def build(mu: float = 1000.0, q0: float = 2.0, v0: float = 0.0) -> CompiledSystem:
    """The oscillator from q0 with the rate v0."""
    return CompiledSystem(
        model,
        CONSTANT_MASS | KNOWS_MASS | KNOWS_TANGENT,
        np.array([q0], dtype=np.float64),
        np.array([v0], dtype=np.float64),
        tables=Damping.filled(mu=mu),
        names=("q",),
    )
