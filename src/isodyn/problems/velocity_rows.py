"""Constraints on velocities, and the model that four problems share.

    m_i a_i + Σ_k λ_k ∂ψ_k/∂v_i = Q_i,     ψ(q, v) = 0,     ψ̇ = ψ_v a + ψ_q v

knife edge       ψ = x' sin θ − y' cos θ                     q = (x, y, θ)
rolling disc     ψ = (x' − Rϑ' cos θ, y' − Rϑ' sin θ)        q = (x, y, θ, ϑ)
constant speed   ψ = ½(|v|² − u²)                            q = (x, y)
sleigh           ψ = y' cos θ − x' sin θ − aθ'               q = (x, y, θ)
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np

from isodyn.kernels.compiled import (
    ACCELERATION,
    BALANCE,
    CONSTANT_MASS,
    CONSTRAINT,
    JACOBIAN,
    KNOWS_MASS,
    KNOWS_TANGENT,
    MODEL,
    OK,
    VELOCITY,
    FloatArray,
    kernel,
)
from isodyn.kernels.struct import Struct, integer, real, reals
from isodyn.kernels.struct_types import opened
from isodyn.problems.problem import Motion
from isodyn.systems import CompiledSystem
from isodyn.systems.energies import of_masses

if TYPE_CHECKING:
    from isodyn.kernels.struct import StructAddress

KNIFE, DISC, SPEED, SLEIGH = 0, 1, 2, 3


class VelocityRows(Struct):
    """Which problem it is; masses, forces; the radius, the speed or the distance of the blade."""

    kind = integer
    masses, forces = reals("n"), reals("n")
    length = real


@kernel(allocates=True)
def rows(tables: VelocityRows, q: FloatArray, v: FloatArray) -> tuple[FloatArray, FloatArray, FloatArray]:
    """ψ_v, ψ and ψ_q v."""
    n, kind, length = q.size, tables.kind, tables.length
    m = 2 if kind == DISC else 1
    G, psi, rest = np.zeros((m, n)), np.zeros(m), np.zeros(m)
    if kind == SPEED:
        G[0, 0], G[0, 1] = v[0], v[1]
        psi[0] = 0.5 * (v[0] * v[0] + v[1] * v[1] - length * length)
        return G, psi, rest
    s, c = math.sin(q[2]), math.cos(q[2])
    if kind == KNIFE:
        G[0, 0], G[0, 1] = s, -c
        rest[0] = (v[0] * c + v[1] * s) * v[2]
    elif kind == SLEIGH:
        G[0, 0], G[0, 1], G[0, 2] = -s, c, -length
        rest[0] = -(v[0] * c + v[1] * s) * v[2]
    else:
        G[0, 0], G[0, 3] = 1.0, -length * c
        G[1, 1], G[1, 3] = 1.0, -length * s
        rest[0] = length * s * v[2] * v[3]
        rest[1] = -length * c * v[2] * v[3]
    for k in range(m):
        for i in range(n):
            psi[k] += G[k, i] * v[i]
    return G, psi, rest


@kernel()
def add_rates(G: FloatArray, rest: FloatArray, a: FloatArray, out: FloatArray) -> None:
    """ψ̇ = ψ_v a + ψ_q v."""
    for k in range(rest.size):
        out[k] = rest[k]
        for i in range(a.size):
            out[k] += G[k, i] * a[i]


@kernel()
def tangents(tables: VelocityRows, q: FloatArray, lam: FloatArray, c: FloatArray, out: FloatArray) -> None:
    """c₀ M + c₁ ∂/∂v + c₂ ∂/∂q of ψ_vᵀλ."""
    n, kind = q.size, tables.kind
    out[:] = 0.0
    for i in range(n):
        out[i * n + i] = c[0] * tables.masses[i] + (c[1] * lam[0] if kind == SPEED else 0.0)
    if kind == KNIFE:
        out[2] = c[2] * lam[0] * math.cos(q[2])
        out[n + 2] = c[2] * lam[0] * math.sin(q[2])
    elif kind == SLEIGH:
        out[2] = -c[2] * lam[0] * math.cos(q[2])
        out[n + 2] = -c[2] * lam[0] * math.sin(q[2])
    elif kind == DISC:
        out[3 * n + 2] = c[2] * tables.length * (lam[0] * math.sin(q[2]) - lam[1] * math.cos(q[2]))


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
    """The problem that the tables tell."""
    given = opened(VelocityRows, tables)
    masses, n = given.masses, q.size
    G, psi, rest = rows(given, q, v)
    m = psi.size
    if what == BALANCE:
        for i in range(n):
            out[i] = masses[i] * a[i] - given.forces[i]
            for k in range(m):
                out[i] += G[k, i] * lam[k]
    elif what == JACOBIAN:
        tangents(given, q, lam, c, out)
    elif what == CONSTRAINT:
        for k in range(m):
            for i in range(n):
                out[k * n + i] = G[k, i]
    elif what == VELOCITY:
        for k in range(m):
            out[k] = psi[k]
    elif what == ACCELERATION:
        add_rates(G, rest, a, out)
    return OK


def build(
    kind: int, masses: FloatArray, forces: FloatArray, length: float, start: Motion, names: tuple[str, ...]
) -> CompiledSystem:
    """The system of one kind at the start of its motion."""

    row_names = {
        KNIFE: ("no side slip",),
        DISC: ("rolling x", "rolling y"),
        SPEED: ("constant speed",),
        SLEIGH: ("no side slip of the blade",),
    }[kind]
    return CompiledSystem(
        model,
        CONSTANT_MASS | KNOWS_MASS | KNOWS_TANGENT,
        start.q,
        start.v,
        tables=VelocityRows.filled(kind=kind, masses=masses, forces=forces, length=length),
        energy=of_masses(masses, forces),
        names=names,
        m=len(row_names),
        row_names=row_names,
    )
