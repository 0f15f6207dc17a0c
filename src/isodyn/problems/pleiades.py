"""Seven stars in a plane that attract each other: the Pleiades problem.

    x_i'' = Σ_{j≠i} m_j (x_j − x_i) / r_ij³,    y_i'' = Σ_{j≠i} m_j (y_j − y_i) / r_ij³,    r_ij² = (x_i − x_j)² + (y_i − y_j)²

q = (x₁…x₇, y₁…y₇). Conserved are the energy ½Σ m_i |v_i|² − Σ_{i<j} m_i m_j / r_ij, the momentum Σ
m_i v_i and the angular momentum. Masses are 1 [Shimada2014 (Ex. 2.3.1)] or i (Test Set for IVP
Solvers, whose reference numbers at t = 3 are used here).
"""

from __future__ import annotations

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
from isodyn.kernels.struct import Struct, reals
from isodyn.kernels.struct_types import opened
from isodyn.problems.data import load
from isodyn.problems.problem import Problem, Reference
from isodyn.results import Solution
from isodyn.schemes import Scheme
from isodyn.systems import CompiledSystem

if TYPE_CHECKING:
    from isodyn.kernels.struct import StructAddress

X0 = (3.0, 3.0, -1.0, -3.0, 2.0, -2.0, 2.0)  # [Shimada2014 (2.111)]
Y0 = (3.0, -3.0, 2.0, 0.0, 0.0, -4.0, 4.0)
VX0 = (0.0, 0.0, 0.0, 0.0, 0.0, 1.75, -1.5)
VY0 = (0.0, 0.0, 0.0, -1.25, 1.0, 0.0, 0.0)
STARS = len(X0)


class Stars(Struct):
    """What attracts."""

    masses = reals("stars")


@kernel()
def add_slopes(i: int, j: int, factor: float, q: FloatArray, out: FloatArray) -> None:
    """out += factor × the derivative of what star j does to star i, per unit of its mass."""
    n = q.size // 2
    d = (q[j] - q[i], q[n + j] - q[n + i])
    square = d[0] * d[0] + d[1] * d[1]
    pull = factor / (square * np.sqrt(square))
    for k in range(2):
        for m in range(2):
            slope = pull * ((1.0 if k == m else 0.0) - 3.0 * d[k] * d[m] / square)
            out[(k * n + i) * 2 * n + m * n + j] -= slope
            out[(k * n + i) * 2 * n + m * n + i] += slope


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
    """Stars, per unit of mass."""
    masses = opened(Stars, tables).masses
    n = masses.size
    if what == BALANCE:
        for i in range(2 * n):
            out[i] = a[i]
        for i in range(n):
            for j in range(n):
                if j != i:
                    dx, dy = q[j] - q[i], q[n + j] - q[n + i]
                    square = dx * dx + dy * dy
                    pull = masses[j] / (square * np.sqrt(square))  # [Shimada2014 (2.110)]
                    out[i] -= pull * dx  # [Shimada2014 (2.109)]
                    out[n + i] -= pull * dy
    elif what == JACOBIAN:
        out[:] = 0.0
        for i in range(2 * n):
            out[i * 2 * n + i] = c[0]
        if c[2] != 0.0:
            for i in range(n):
                for j in range(n):
                    if j != i:
                        add_slopes(i, j, c[2] * masses[j], q, out)
    return OK


def _build(masses: FloatArray) -> CompiledSystem:
    pairs = np.triu_indices(STARS, 1)

    def energy(q: FloatArray, v: FloatArray, t: float) -> tuple[float, float]:
        x, y = q[:STARS], q[STARS:]
        r = np.hypot(x[pairs[0]] - x[pairs[1]], y[pairs[0]] - y[pairs[1]])
        kinetic = 0.5 * masses @ (v[:STARS] ** 2 + v[STARS:] ** 2)
        return float(kinetic), -float(np.sum(masses[pairs[0]] * masses[pairs[1]] / r))

    names = tuple(f"{axis}{i + 1}" for axis in "xy" for i in range(STARS))
    traits = CONSTANT_MASS | KNOWS_MASS | KNOWS_TANGENT
    return CompiledSystem(
        model,
        traits,
        np.array(X0 + Y0),
        np.array(VX0 + VY0),
        tables=Stars.filled(masses=masses),
        energy=energy,
        names=names,
    )


def unit_masses() -> CompiledSystem:
    """All masses 1."""
    return _build(np.ones(STARS))


def growing_masses() -> CompiledSystem:
    """Star i has mass i."""
    return _build(np.arange(1.0, STARS + 1.0))


def conserved(sol: Solution) -> dict[str, FloatArray]:
    """Energy, momentum and angular momentum."""
    masses: FloatArray = sol.system.tables.masses
    x, y, vx, vy = sol.q[:, :STARS], sol.q[:, STARS:], sol.v[:, :STARS], sol.v[:, STARS:]
    kinetic, potential = sol.energy()
    return {
        "energy": kinetic + potential,
        "momentum x": vx @ masses,
        "momentum y": vy @ masses,
        "angular momentum": (x * vy - y * vx) @ masses,
    }


def published_reference() -> Reference:
    """The numbers of the test set at t = 3, for masses i."""
    table = load("pleiades.json")
    values = np.array(table["reference_official_t3"]["values"], dtype=np.float64)
    trust = table["reference_official_t3"]["provenance"]
    return Reference(np.array([3.0]), values[None, : 2 * STARS], values[None, 2 * STARS :], table["source"], trust)


def extended_reference() -> Reference:
    """The same at six times, computed in extended precision."""
    table = load("pleiades.json")["reference_80bit"]
    values = np.array(table["y"], dtype=np.float64)
    t = np.array(table["t"], dtype=np.float64)
    return Reference(t, values[:, : 2 * STARS], values[:, 2 * STARS :], table["provenance"], "16 digits of doubles")


PLANE = tuple((i, STARS + i) for i in range(STARS))

PROBLEM = Problem(
    name="pleiades",
    title="seven stars that attract each other, masses 1 to 7",
    source="Test Set for IVP Solvers, problem Pleiades; equations [Shimada2014 (2.109)]",
    citation="Shimada2014",
    build=growing_masses,
    scheme=Scheme.V0(1.0, 1.0, 0.0),
    dt=1e-4,
    t_end=3.0,
    t_order=1.0,
    parameters=MappingProxyType({}),
    reference=published_reference(),
    conserved=conserved,
    plane=PLANE,
)

UNIT = Problem(
    name="pleiades_unit",
    title="seven stars that attract each other, all masses 1",
    source="Example 2.3.1, figures 2.7 to 2.9 [Shimada2014 (2.109)]",
    citation="Shimada2014",
    build=unit_masses,
    scheme=Scheme.midpoint_epa(),
    dt=1e-3,
    t_end=3.0,
    conserved=conserved,
    plane=PLANE,
)
