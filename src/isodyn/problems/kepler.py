"""Kepler's problem: a body on an ellipse of eccentricity e, period 2π.

q'' = −q/|q|³,    q(0) = (1 − e, 0),    q'(0) = (0, √((1+e)/(1−e)))                        [Shimada2014 (2.184), (2.185)]
conserved:  H = ½|p|² − 1/|q|,    J = q₁p₂ − q₂p₁,    A = (p₂J, −p₁J) − q/|q|               [Shimada2014 (2.183), (2.186), (2.187)]
exact:      E − e sin E = t,    q = (cos E − e, √(1−e²) sin E)
"""

from __future__ import annotations

from dataclasses import replace
from types import MappingProxyType
from typing import TYPE_CHECKING

import numpy as np

from isodyn.errors import InputError
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
from isodyn.problems.data import load
from isodyn.problems.problem import Motion, Problem, Reference
from isodyn.results import Solution
from isodyn.schemes import Scheme
from isodyn.systems import CompiledSystem

if TYPE_CHECKING:
    from isodyn.kernels.struct import StructAddress

PERIOD = 2.0 * np.pi


class Attraction(Struct):
    """How strongly the centre attracts."""

    strength = real


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
    """Attraction by one centre."""
    square = q[0] * q[0] + q[1] * q[1]
    pull = opened(Attraction, tables).strength / (square * np.sqrt(square))
    if what == BALANCE:
        out[0] = a[0] + pull * q[0]  # [Shimada2014 (2.184)]
        out[1] = a[1] + pull * q[1]
    elif what == JACOBIAN:
        for i in range(2):
            for j in range(2):
                delta = 1.0 if i == j else 0.0
                out[2 * i + j] = c[0] * delta + c[2] * pull * (delta - 3.0 * q[i] * q[j] / square)
    return OK


def energy(q: FloatArray, v: FloatArray, t: float) -> tuple[float, float]:
    """½|p|² and −1/|q|."""
    return 0.5 * float(v @ v), -1.0 / float(np.hypot(q[0], q[1]))


def build(e: float) -> CompiledSystem:
    """The body at its closest point."""
    if not 0.0 <= e < 1.0:
        raise InputError(f"the eccentricity e must lie in [0, 1), received {e!r}")
    return CompiledSystem(
        model,
        CONSTANT_MASS | KNOWS_MASS | KNOWS_TANGENT,
        np.array([1.0 - e, 0.0]),  # [Shimada2014 (2.185)]
        np.array([0.0, np.sqrt((1.0 + e) / (1.0 - e))]),
        tables=Attraction.filled(strength=1.0),
        energy=energy,
        names=("x", "y"),
    )


def eccentric_anomaly(t: FloatArray, e: float) -> FloatArray:
    """E with E − e sin E = t, by Newton's iteration from a start on the side where it converges
    monotonically."""
    turns = np.round(t / PERIOD)
    mean = t - PERIOD * turns
    E = mean + e * np.sign(np.sin(mean))
    for _ in range(60):
        step = (E - e * np.sin(E) - mean) / (1.0 - e * np.cos(E))
        E = E - step
        if np.max(np.abs(step), initial=0.0) < 1e-15:
            break
    return E + PERIOD * turns


def motion(t: FloatArray, e: float) -> Motion:
    """The exact motion."""
    E = eccentric_anomaly(t, e)
    b = np.sqrt(1.0 - e * e)
    r = 1.0 - e * np.cos(E)
    q = np.stack([np.cos(E) - e, b * np.sin(E)], axis=-1)
    v = np.stack([-np.sin(E), b * np.cos(E)], axis=-1) / r[..., None]
    return Motion(q, v, -q / r[..., None] ** 3)


def conserved(sol: Solution) -> dict[str, FloatArray]:
    """Energy, angular momentum and the two components of the Laplace–Runge–Lenz vector."""
    (x, y), (vx, vy) = sol.q.T, sol.v.T
    r = np.hypot(x, y)
    J = x * vy - y * vx
    return {
        "energy": 0.5 * (vx**2 + vy**2) - 1.0 / r,  # [Shimada2014 (2.183)]
        "angular momentum": J,  # [Shimada2014 (2.186)]
        "Laplace-Runge-Lenz x": vy * J - x / r,  # [Shimada2014 (2.187)]
        "Laplace-Runge-Lenz y": -vx * J - y / r,
    }


def tabulated(e: float) -> Reference:
    """Exact values at five times, for e = 0.6 or 0.9."""
    table = load("kepler.json")
    rows = [row for row in table["rows"] if float(row["e"]) == e]
    columns = {name: np.array([row[name] for row in rows], dtype=np.float64) for name in ("t", "q", "v")}
    return Reference(columns["t"], columns["q"], columns["v"], table["source"], "16 digits")


PROBLEM = Problem(
    name="kepler",
    title="body on an ellipse of eccentricity 0.6",
    source="Example 2.4.1, figures 2.13 to 2.15 [Shimada2014 (2.184)]",
    citation="Shimada2014",
    build=build,
    scheme=Scheme.V0(1.0, 1.0, 0.0),
    dt=0.01,
    t_end=10.0 * PERIOD,
    t_order=PERIOD,
    parameters=MappingProxyType({"e": 0.6}),
    motion=motion,
    conserved=conserved,
    plane=((0, 1),),
)

ECCENTRIC = replace(
    PROBLEM,
    name="kepler_eccentric",
    title="body on an ellipse of eccentricity 0.9",
    dt=0.001,
    t_end=2.0 * PERIOD,
    t_order=0.5 * PERIOD,
    parameters=MappingProxyType({"e": 0.9}),
)
