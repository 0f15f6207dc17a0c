"""Two links with damping under a load made for a chosen motion.

    M(q) a + N(q, v) = F(t),     F(t) = M(q*) a* + N(q*, v*),     exact solution q = q*(t)

    M = [3 + 2 cos q₂, 1 + cos q₂; 1 + cos q₂, 1]
    N₁ = −sin q₂ (2v₁v₂ + v₂²) + 5 sin q₁ + 0.3v₁ + 0.1v₁³
    N₂ = sin q₂ v₁² + 2 sin(q₁ + q₂) + 0.2v₂ + 0.05v₂³
    q₁* = 0.5 + 0.4 sin(1.3t + 0.3),     q₂* = −0.3 + 0.5 cos(1.7t + 0.5)

Everything that lowers the order of careless schemes is there: M(q), forces of velocity, a load, and
a jerk at the start.

`mass` and `force` exist compiled and, from the same source, as plain Python; they use scalar
arithmetic alone, so that both give the same bits. The method of manufactured solutions; the problem
is our own.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np

from isodyn.kernels.compiled import (
    BALANCE,
    JACOBIAN,
    KNOWS_MASS,
    KNOWS_TANGENT,
    MODEL,
    OK,
    FloatArray,
    kernel,
)
from isodyn.problems.problem import Motion, Problem
from isodyn.schemes import Scheme
from isodyn.systems import CompiledSystem, MechanicalSystem

if TYPE_CHECKING:
    from isodyn.kernels.struct import StructAddress


def plain_mass(q: FloatArray) -> FloatArray:
    """M(q)."""
    M = np.empty((2, 2))
    cosine = math.cos(q[1])
    M[0, 0] = 3.0 + 2.0 * cosine
    M[0, 1] = 1.0 + cosine
    M[1, 0] = 1.0 + cosine
    M[1, 1] = 1.0
    return M


def plain_force(q: FloatArray, v: FloatArray, t: float) -> FloatArray:
    """F(t) − N(q, v)."""
    s1, c1 = math.sin(1.3 * t + 0.3), math.cos(1.3 * t + 0.3)
    s2, c2 = math.sin(1.7 * t + 0.5), math.cos(1.7 * t + 0.5)
    a1, a2 = -0.676 * s1, -1.445 * c2
    q1, q2, v1, v2 = 0.5 + 0.4 * s1, -0.3 + 0.5 * c2, 0.52 * c1, -0.85 * s2
    cosine = math.cos(q2)
    Q = np.empty(2)
    Q[0] = (3.0 + 2.0 * cosine) * a1 + (1.0 + cosine) * a2
    Q[1] = (1.0 + cosine) * a1 + a2
    for k in range(2):  # + N(q*, v*), then − N(q, v)
        sign = 1.0
        if k == 1:
            sign, q1, q2, v1, v2 = -1.0, q[0], q[1], v[0], v[1]
        sine = math.sin(q2)
        Q[0] += sign * (-sine * (2.0 * v1 * v2 + v2 * v2) + 5.0 * math.sin(q1) + 0.3 * v1 + 0.1 * v1 * v1 * v1)
        Q[1] += sign * (sine * v1 * v1 + 2.0 * math.sin(q1 + q2) + 0.2 * v2 + 0.05 * v2 * v2 * v2)
    return Q


mass = kernel(allocates=True)(plain_mass)
force = kernel(allocates=True)(plain_force)


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
    """M(q) a + N(q, v) − F(t) and its derivatives."""
    M = mass(q)
    if what == BALANCE:
        Q = force(q, v, t)
        out[0] = M[0, 0] * a[0] + M[0, 1] * a[1] - Q[0]
        out[1] = M[1, 0] * a[0] + M[1, 1] * a[1] - Q[1]
    elif what == JACOBIAN:
        sine, cosine, pull = math.sin(q[1]), math.cos(q[1]), 2.0 * math.cos(q[0] + q[1])
        out[0] = c[0] * M[0, 0] + c[1] * (-2.0 * sine * v[1] + 0.3 + 0.3 * v[0] * v[0])
        out[1] = c[0] * M[0, 1] - c[1] * 2.0 * sine * (v[0] + v[1])
        out[2] = c[0] * M[1, 0] + c[1] * 2.0 * sine * v[0]
        out[3] = c[0] * M[1, 1] + c[1] * (0.2 + 0.15 * v[1] * v[1])
        out[0] += c[2] * 5.0 * math.cos(q[0])
        out[1] += c[2] * (-sine * (2.0 * a[0] + a[1]) - cosine * (2.0 * v[0] * v[1] + v[1] * v[1]))
        out[2] += c[2] * pull
        out[3] += c[2] * (-sine * a[0] + cosine * v[0] * v[0] + pull)
    return OK


def motion(t: FloatArray) -> Motion:
    """q*, v*, a*."""
    s1, c1, s2, c2 = np.sin(1.3 * t + 0.3), np.cos(1.3 * t + 0.3), np.sin(1.7 * t + 0.5), np.cos(1.7 * t + 0.5)
    return Motion(
        np.stack([0.5 + 0.4 * s1, -0.3 + 0.5 * c2], axis=-1),
        np.stack([0.52 * c1, -0.85 * s2], axis=-1),
        np.stack([-0.676 * s1, -1.445 * c2], axis=-1),
    )


def build() -> CompiledSystem:
    """With the derivatives written out."""
    start = motion(np.zeros(()))
    return CompiledSystem(model, KNOWS_MASS | KNOWS_TANGENT, start.q, start.v, names=("q1", "q2"))


def plain_system() -> MechanicalSystem:
    """From plain Python functions, derivatives by differences."""
    start = motion(np.zeros(()))
    return MechanicalSystem(plain_mass, plain_force, start.q, start.v, names=("q1", "q2"))


def compiled_system() -> MechanicalSystem:
    """From the same functions compiled by Numba, derivatives by differences; gives the same bits as
    `plain_system`."""
    start = motion(np.zeros(()))
    return MechanicalSystem(mass, force, start.q, start.v, names=("q1", "q2"))


PROBLEM = Problem(
    name="manufactured",
    title="two links with M(q), forces of velocity, a load and a jerk at the start; exact solution known",
    source="own problem, method of manufactured solutions",
    build=build,
    scheme=Scheme.U0(0.8, 0.8, 0.8),
    dt=0.02,
    t_end=4.0,
    t_order=2.0,
    motion=motion,
    units=("s", "rad"),
)
