"""The Brusselator, an autocatalytic reaction without diffusion.

    X' = A − (B + 1) X + X² Y,    Y' = B X − X² Y                    [Shimada2014 (2.113)]

s = (X, Y). The fixed point (A, B/A) is stable for B < 1 + A² (for A = 1 as in the source, B < 2);
otherwise motions end in a limit cycle.
"""

from __future__ import annotations

from dataclasses import replace
from types import MappingProxyType
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
from isodyn.problems.problem import Problem
from isodyn.schemes import Scheme
from isodyn.systems import CompiledSystem

if TYPE_CHECKING:
    from isodyn.kernels.struct import StructAddress


class Feeds(Struct):
    """Concentrations that are kept constant."""

    A, B = real, real


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
    """s in v, s' in a; feeds in the tables."""
    feeds = opened(Feeds, tables)
    X, Y = v[0], v[1]
    A, B = feeds.A, feeds.B
    if what == BALANCE:
        out[0] = a[0] - (A - (B + 1.0) * X + X * X * Y)  # [Shimada2014 (2.113)]
        out[1] = a[1] - (B * X - X * X * Y)
    elif what == JACOBIAN:
        out[0] = c[0] - c[1] * (2.0 * X * Y - B - 1.0)
        out[1] = -c[1] * X * X
        out[2] = -c[1] * (B - 2.0 * X * Y)
        out[3] = c[0] + c[1] * X * X
    return OK


def build(A: float, B: float, X0: float, Y0: float) -> CompiledSystem:
    """The reaction with feeds A and B from concentrations X0, Y0."""
    return CompiledSystem(
        model,
        CONSTANT_MASS | KNOWS_MASS | KNOWS_TANGENT,
        np.zeros(0),
        np.array([X0, Y0], dtype=np.float64),
        tables=Feeds.filled(A=A, B=B),
        names=("X", "Y"),
        first_order=True,
    )


STABLE = Problem(
    name="brusselator_stable",
    title="chemical reaction that settles, A = 1, B = 1.5 (first order)",
    source="Example 2.3.2, figures 2.10 and 2.11 [Shimada2014 (2.113)]",
    citation="Shimada2014",
    build=build,
    scheme=Scheme.optimal(0.5),
    dt=0.1,
    t_end=30.0,
    t_order=10.0,
    parameters=MappingProxyType({"A": 1.0, "B": 1.5, "X0": 1.0, "Y0": 1.0}),
    plane=((0, 1),),
)

UNSTABLE = replace(
    STABLE,
    name="brusselator_unstable",
    title="chemical reaction with a limit cycle, A = 1, B = 3 (first order)",
    source="Example 2.3.2, figures 2.10 and 2.12 [Shimada2014 (2.113)]",
    parameters=MappingProxyType({"A": 1.0, "B": 3.0, "X0": 1.0, "Y0": 1.0}),
)
