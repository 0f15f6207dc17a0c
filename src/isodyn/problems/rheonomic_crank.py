"""Crank and rod with damping, M(q) and a constraint that depends on time; the motion is known.

    M(q) a + N(q, v) + Gᵀλ = F(t) + G(q*)ᵀλ*(t),      exact solution q = q*(t), λ = λ*(t) = 2 + 1.5 sin(1.9t + 0.4)

with M, N, F and q* of `isodyn.problems.manufactured` (q₁ turns the crank, q₂ the rod relative to
it), and one of two rows:

    drive    φ = q₁ − q₁*(t)                                        the crank is driven
    guide    φ = sin q₁ + 0.8 sin(q₁ + q₂) − y*(t)                  the end of the rod runs in a guide that goes up and down

y* is the height of the end along q*. One degree of freedom is left, so that the error in q is not
zero. Method of manufactured solutions; the problem is our own.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np

from isodyn.kernels.compiled import (
    ACCELERATION,
    BALANCE,
    CONSTRAINT,
    JACOBIAN,
    KNOWS_MASS,
    KNOWS_TANGENT,
    MODEL,
    OK,
    POSITION,
    VELOCITY,
    FloatArray,
    kernel,
)
from isodyn.kernels.struct import Struct, integer
from isodyn.kernels.struct_types import opened
from isodyn.problems import manufactured
from isodyn.problems.problem import Motion, Problem
from isodyn.schemes import Scheme
from isodyn.systems import CompiledSystem

if TYPE_CHECKING:
    from isodyn.kernels.struct import StructAddress

DRIVE, GUIDE = 0, 1
ROD = 0.8


@kernel()
def prescribed(t: float) -> tuple[float, float, float, float, float, float]:
    """q*, v*, a*."""
    s1, c1 = math.sin(1.3 * t + 0.3), math.cos(1.3 * t + 0.3)
    s2, c2 = math.sin(1.7 * t + 0.5), math.cos(1.7 * t + 0.5)
    return 0.5 + 0.4 * s1, -0.3 + 0.5 * c2, 0.52 * c1, -0.85 * s2, -0.676 * s1, -1.445 * c2


@kernel()
def height(q1: float, q2: float, v1: float, v2: float, a1: float, a2: float) -> tuple[float, float, float]:
    """Of the end of the rod, with its rate and second rate."""
    s1, c1, s, c = math.sin(q1), math.cos(q1), math.sin(q1 + q2), math.cos(q1 + q2)
    v, a = v1 + v2, a1 + a2
    return s1 + ROD * s, c1 * v1 + ROD * c * v, c1 * a1 - s1 * v1 * v1 + ROD * (c * a - s * v * v)


@kernel()
def gradient(kind: int, q1: float, q2: float) -> tuple[float, float]:
    """G."""
    if kind == DRIVE:
        return 1.0, 0.0
    c = ROD * math.cos(q1 + q2)
    return math.cos(q1) + c, c


class Guidance(Struct):
    """Which row holds the links: DRIVE or GUIDE."""

    kind = integer


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
    """The two links with one row."""
    kind = opened(Guidance, tables).kind
    G1, G2 = gradient(kind, q[0], q[1])
    p1, p2, p3, p4, p5, p6 = prescribed(t)
    if what == BALANCE:
        manufactured.model(BALANCE, t, q, v, a, lam, c, tables, scratch, out)
        H1, H2 = gradient(kind, p1, p2)
        load = 2.0 + 1.5 * math.sin(1.9 * t + 0.4)
        out[0] += G1 * lam[0] - H1 * load
        out[1] += G2 * lam[0] - H2 * load
    elif what == JACOBIAN:
        manufactured.model(JACOBIAN, t, q, v, a, lam, c, tables, scratch, out)
        if kind == GUIDE and c[2] != 0.0:
            bend = -c[2] * lam[0] * ROD * math.sin(q[0] + q[1])
            out[0] += bend - c[2] * lam[0] * math.sin(q[0])
            out[1] += bend
            out[2] += bend
            out[3] += bend
    elif what == CONSTRAINT:
        out[0], out[1] = G1, G2
    elif kind == DRIVE:
        if what == POSITION:
            out[0] = q[0] - p1
        elif what == VELOCITY:
            out[0] = v[0] - p3
        elif what == ACCELERATION:
            out[0] = a[0] - p5
    else:
        y, y1, y2 = height(p1, p2, p3, p4, p5, p6)
        if what == POSITION:
            out[0] = height(q[0], q[1], 0.0, 0.0, 0.0, 0.0)[0] - y
        elif what == VELOCITY:
            out[0] = height(q[0], q[1], v[0], v[1], 0.0, 0.0)[1] - y1
        elif what == ACCELERATION:
            out[0] = height(q[0], q[1], v[0], v[1], a[0], a[1])[2] - y2
    return OK


def motion(t: FloatArray) -> Motion:
    """q*, v*, a*, λ*."""
    links = manufactured.motion(t)
    return Motion(links.q, links.v, links.a, (2.0 + 1.5 * np.sin(1.9 * t + 0.4))[..., None])


def _build(kind: int, row: str) -> CompiledSystem:
    start = motion(np.zeros(()))
    return CompiledSystem(
        model,
        KNOWS_MASS | KNOWS_TANGENT,
        start.q,
        start.v,
        tables=Guidance.filled(kind=kind),
        names=("q1", "q2"),
        m=1,
        m_phi=1,
        row_names=(row,),
    )


def driven() -> CompiledSystem:
    """The crank is driven."""
    return _build(DRIVE, "drive")


def guided() -> CompiledSystem:
    """The end of the rod runs in a moving guide."""
    return _build(GUIDE, "guide")


CRANK = Problem(
    name="rheonomic_crank",
    title="driven crank with a rod: M(q), a row that depends on time; exact solution known",
    source="own problem, method of manufactured solutions",
    build=driven,
    scheme=Scheme.U0(0.8, 0.8, 0.8),
    dt=0.02,
    t_end=4.0,
    t_order=2.0,
    motion=motion,
    units=("s", "rad"),
)

MOVING_GUIDE = Problem(
    name="moving_guide",
    title="crank and rod whose end runs in a moving guide: M(q), a row of q and time; exact solution known",
    source="own problem, method of manufactured solutions",
    build=guided,
    scheme=Scheme.U0(0.8, 0.8, 0.8),
    dt=0.02,
    t_end=4.0,
    t_order=2.0,
    motion=motion,
    units=("s", "rad"),
)
