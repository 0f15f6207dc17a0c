"""Andrews' squeezing mechanism in the 21 coordinates (x_i, y_i, angle) of its seven bodies.

    q = (x₁, y₁, β, x₂, y₂, θ, x₃, y₃, γ, x₄, y₄, φ, x₅, y₅, δ, x₆, y₆, Ω, x₇, y₇, ε)               [Shimada2014 (3.208)]
    M = diag(m₁, m₁, I₁, …, m₇, m₇, I₇),   14 rows p_i = p_i(angles), 6 rows of loops                 [Shimada2014 (3.212)]
    Q₃ = torque,  (Q₇, Q₈) = F,  Q₉ = (x_d − x₃)F_y − (y_d − y₃)F_x                                    [Shimada2014 (3.211) adapted]

Angles are measured from the ground, three of those of the test set (`isodyn.problems.andrews`,
marked *) from the neighbouring link:

    β = β*,   θ = β* + Θ*,   γ = γ*,   φ = Φ* + δ*,   δ = δ*,   Ω = Ω* + ε*,   ε = ε*

The loop rows and their multipliers are then the same in both. The lever (x_d − x₃, y_d − y₃) is
fixed in body 3 and written so, R(γ)(s_d − s_b, s_a − s_c): no force depends on the points, and off
the constraints too the angles obey the equations of the test set.
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
    FloatArray,
    kernel,
)
from isodyn.problems import andrews as seven
from isodyn.problems.problem import Problem, Reference
from isodyn.problems.quadratic_rows import conserved
from isodyn.problems.trigonometric_rows import Table
from isodyn.problems.trigonometric_rows import model as rows_model
from isodyn.schemes import Scheme
from isodyn.systems import CompiledSystem

if TYPE_CHECKING:
    from isodyn.kernels.struct import StructAddress

BETA, THETA, GAMMA, PHI, DELTA, OMEGA, EPSILON = range(2, 21, 3)
ABSOLUTE = np.eye(7)
ABSOLUTE[1, 0] = ABSOLUTE[3, 4] = ABSOLUTE[5, 6] = 1.0


@kernel()
def spring(gamma: float) -> tuple[float, float, float, float, float, float]:
    """Force (x, y) and torque on body 3, and their derivatives with respect to γ."""
    c, s = np.cos(gamma), np.sin(gamma)
    dx, dy = seven.SD * c + seven.SC * s, seven.SD * s - seven.SC * c
    x, y = dx + seven.XB - seven.XC, dy + seven.YB - seven.YC
    length = np.sqrt(x * x + y * y)
    pull = -seven.C0 * (length - seven.L0) / length
    slope = -seven.C0 * seven.L0 * (-x * dy + y * dx) / length**3
    fx, fy = pull * x, pull * y
    gx, gy = -pull * dy + slope * x, pull * dx + slope * y
    ax = (seven.SD - seven.SB) * c - (seven.SA - seven.SC) * s
    ay = (seven.SD - seven.SB) * s + (seven.SA - seven.SC) * c
    torque = ax * fy - ay * fx  # [Shimada2014 (3.211) adapted]
    return fx, fy, torque, gx, gy, -ay * fy - ax * fx + ax * gy - ay * gx


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
    """Bodies and rows, then the spring."""
    status = rows_model(what, t, q, v, a, lam, c, tables, scratch, out)
    if what == BALANCE:
        fx, fy, torque, _, _, _ = spring(q[8])
        out[6] -= fx
        out[7] -= fy
        out[8] -= torque
    elif what == JACOBIAN and c[2] != 0.0:
        _, _, _, gx, gy, stiffness = spring(q[8])
        out[6 * 21 + 8] -= c[2] * gx
        out[7 * 21 + 8] -= c[2] * gy
        out[8 * 21 + 8] -= c[2] * stiffness
    return status


def table() -> Table:
    """The rows [Shimada2014 (3.212)]."""
    s = seven
    A, B = (s.XA, s.YA), (s.XB, s.YB)
    rows = Table(21)
    rows.vectors((0.0, 0.0), {BETA: (s.RA, 0.0)}, 0)
    rows.vectors((0.0, 0.0), {BETA: (s.RR, 0.0), THETA: (-s.DA, 0.0)}, 3)
    rows.vectors(B, {GAMMA: (s.SB, -s.SA)}, 6)
    rows.vectors(A, {DELTA: (s.ZT, 0.0), PHI: (0.0, s.EA - s.E)}, 9)
    rows.vectors(A, {DELTA: (s.TA, s.TB)}, 12)
    rows.vectors(A, {EPSILON: (0.0, -s.U), OMEGA: (s.ZF - s.FA, 0.0)}, 15)
    rows.vectors(A, {EPSILON: (-s.UB, -s.UA)}, 18)
    rows.vectors((-s.XB, -s.YB), {BETA: (s.RR, 0.0), THETA: (-s.D, 0.0), GAMMA: (0.0, s.SS)})
    minus_A = (-s.XA, -s.YA)
    rows.vectors(minus_A, {BETA: (s.RR, 0.0), THETA: (-s.D, 0.0), PHI: (0.0, s.E), DELTA: (-s.ZT, 0.0)})
    rows.vectors(minus_A, {BETA: (s.RR, 0.0), THETA: (-s.D, 0.0), OMEGA: (-s.ZF, 0.0), EPSILON: (0.0, s.U)})
    return rows


MASS = np.array([x for m, inertia in zip(seven.MASSES, seven.INERTIAS, strict=True) for x in (m, m, inertia)])
TABLE = table()


def from_seven(q: FloatArray) -> FloatArray:
    """The 21 coordinates from the seven angles of the test set."""
    full = np.zeros(21)
    full[BETA::3] = ABSOLUTE @ q
    return TABLE.explicit(full)


def to_seven(x: FloatArray) -> FloatArray:
    """The angles of the test set, or their rates, from 21 coordinates (last axis), or theirs."""
    angles: FloatArray = x[..., BETA::3] @ np.linalg.inv(ABSOLUTE).T
    return angles


def energy(q: FloatArray, v: FloatArray, t: float) -> tuple[float, float]:
    """½ vᵀM v, and spring less work of the torque."""
    return 0.5 * float(MASS @ v**2), seven.energy(to_seven(q), np.zeros(7), t)[1]


def build() -> CompiledSystem:
    """The mechanism at rest."""
    forces = np.zeros(21)
    forces[BETA] = seven.TORQUE
    names = ("beta", "theta", "gamma", "phi", "delta", "Omega", "epsilon")
    points = tuple(f"{axis}{i}" for i in range(1, 8) for axis in ("point x", "point y"))
    return CompiledSystem(
        model,
        CONSTANT_MASS | KNOWS_MASS | KNOWS_TANGENT,
        from_seven(seven.start()),
        np.zeros(21),
        tables=TABLE.tables(MASS, forces),
        scratch=TABLE.scratch(),
        energy=energy,
        names=tuple(name for i in range(7) for name in (f"x{i + 1}", f"y{i + 1}", names[i])),
        m=TABLE.rows,
        m_phi=TABLE.rows,
        row_names=(*points, *seven.LOOPS),
    )


def reference() -> Reference:
    """Angles and points from the reference of the seven angles."""
    given = seven.reference()
    q = np.array([from_seven(row) for row in given.q])
    v = np.zeros_like(q)
    v[:, BETA::3] = given.v @ ABSOLUTE.T
    for k, row in enumerate(TABLE.linear):
        if row.any():
            v[:, int(row.argmax())] = np.sum((TABLE.cosine[k] * np.sin(q) - TABLE.sine[k] * np.cos(q)) * v, axis=1)
    return Reference(given.t, q, v, given.source, given.trust)


PROBLEM = Problem(
    name="andrews21",
    title="Andrews' squeezing mechanism in the 21 coordinates of its bodies",
    source="Example 3.5.1, figures 3.1 to 3.3 [Shimada2014 (3.208)]",
    citation="Shimada2014",
    build=build,
    scheme=Scheme.V0(1.0, 1.0, 0.0),
    dt=5e-6,
    t_end=0.03,
    t_order=0.004,
    reference=reference(),
    conserved=conserved,
    units=("s", "m, rad"),
)
