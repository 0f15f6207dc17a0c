"""Crank, rod and slider as planar bodies, turning freely under gravity.

    q = (x₁, y₁, θ₁, x₂, y₂, θ₂, x₃),   M = diag(m₁, m₁, J₁, m₂, m₂, J₂, m₃),   Q = (0, −m₁g, 0, 0, −m₂g, 0, 0)
    p₁ = ½ℓ₁ e(θ₁),   p₂ = ℓ₁ e(θ₁) + ½ℓ₂ e(θ₂),   (x₃, 0) = ℓ₁ e(θ₁) + ℓ₂ e(θ₂)         e(θ) = (cos θ, sin θ)

Rigid bodies with the masses and lengths of the test set (problem Crank, whose rod is elastic and
whose crank is driven). With the crank shorter than the rod one angle is enough,

    sin θ₂ = −(ℓ₁/ℓ₂) sin θ₁,     J(θ₁) θ₁'' + ½J'(θ₁) θ₁'² = −V'(θ₁),     J = Σ m_i |dp_i/dθ₁|² + J_i (dθ_i/dθ₁)²

`minimal_motion` solves that by itself, without multipliers, as an independent reference.
"""

from __future__ import annotations

from types import MappingProxyType

import numpy as np

from isodyn.kernels.compiled import CONSTANT_MASS, KNOWS_LEVELS, KNOWS_MASS, KNOWS_TANGENT, FloatArray
from isodyn.later import Later
from isodyn.problems.problem import Motion, Problem
from isodyn.problems.quadratic_rows import conserved
from isodyn.problems.trigonometric_rows import Table, model
from isodyn.schemes import Scheme
from isodyn.systems import CompiledSystem
from isodyn.systems.energies import of_masses

integrators = Later("scipy.integrate")

MASSES = (0.36, 0.151104, 0.075552)
LENGTHS = (0.15, 0.3)
# the test set gives them about the ends
INERTIAS = (0.002727 - 0.36 * 0.075**2, 0.0045339259 - 0.151104 * 0.15**2)
MASS = np.array([MASSES[0], MASSES[0], INERTIAS[0], MASSES[1], MASSES[1], INERTIAS[1], MASSES[2]])


def table() -> Table:
    """Centres of mass, then the slider."""
    rows = Table(7)
    rows.vectors((0.0, 0.0), {2: (0.5 * LENGTHS[0], 0.0)}, 0)
    rows.vectors((0.0, 0.0), {2: (LENGTHS[0], 0.0), 5: (0.5 * LENGTHS[1], 0.0)}, 3)
    rows.vectors((0.0, 0.0), {2: (-LENGTHS[0], 0.0), 5: (-LENGTHS[1], 0.0)})
    rows.linear[4][6] = 1.0
    return rows


TABLE = table()


def kinematics(theta: FloatArray, rate: FloatArray, second: FloatArray) -> tuple[FloatArray, FloatArray, FloatArray]:
    """q, v, a from θ₁ and its rates."""
    ratio = LENGTHS[0] / LENGTHS[1]
    s, c = np.sin(theta), np.cos(theta)
    rod = -np.arcsin(ratio * s)
    cr, sr = np.cos(rod), np.sin(rod)
    rod_1 = -ratio * c * rate / cr
    rod_2 = (ratio * (s * rate**2 - c * second) + sr * rod_1**2) / cr
    v, a = np.zeros((*np.shape(theta), 7)), np.zeros((*np.shape(theta), 7))
    q = np.stack(np.broadcast_arrays(*(0.0 * theta for _ in range(7))), axis=-1)
    q[..., 2], q[..., 5] = theta, rod
    v[..., 2], v[..., 5], a[..., 2], a[..., 5] = rate, rod_1, second, rod_2
    for linear, C, S in zip(TABLE.linear, TABLE.cosine, TABLE.sine, strict=True):
        if linear.any():
            i = int(linear.argmax())
            slope, wave = C * np.sin(q) - S * np.cos(q), C * np.cos(q) + S * np.sin(q)
            q[..., i] = -(C * np.cos(q) + S * np.sin(q)).sum(axis=-1)
            a[..., i] = (slope * a + wave * v**2).sum(axis=-1)
            v[..., i] = (slope * v).sum(axis=-1)
    return q, v, a


def start(rate: float) -> tuple[FloatArray, FloatArray]:
    """q₀, v₀ with the crank at 0.3 rad."""
    q, v, _ = kinematics(np.array(0.3), np.array(rate), np.array(0.0))
    return q, v


def build(rate: float, gravity: float) -> CompiledSystem:
    """Started with the rate of the crank."""
    forces = -gravity * MASS * [0.0, 1.0, 0.0, 0.0, 1.0, 0.0, 0.0]

    q0, v0 = start(rate)
    return CompiledSystem(
        model,
        CONSTANT_MASS | KNOWS_LEVELS | KNOWS_MASS | KNOWS_TANGENT,
        q0,
        v0,
        tables=TABLE.tables(MASS, forces),
        scratch=TABLE.scratch(),
        energy=of_masses(MASS, forces),
        names=("x1", "y1", "theta1", "x2", "y2", "theta2", "x3"),
        m=6,
        m_phi=6,
        row_names=("crank x", "crank y", "rod x", "rod y", "slider", "guide"),
    )


def minimal_motion(t: FloatArray, rate: float, gravity: float) -> Motion:
    """The motion from one ordinary differential equation in θ₁, at increasing times t ≥ 0."""
    forces = -gravity * MASS * [0.0, 1.0, 0.0, 0.0, 1.0, 0.0, 0.0]

    def second(theta: FloatArray, omega: FloatArray) -> FloatArray:
        """θ₁'' from dᵀ(M a − Q) = 0 along d = dq/dθ₁, a = d θ₁'' + a₀."""
        _, d, _ = kinematics(theta, np.ones_like(theta), 0.0 * theta)
        _, _, a_0 = kinematics(theta, omega, 0.0 * theta)
        result: FloatArray = ((forces - MASS * a_0) * d).sum(axis=-1) / (MASS * d * d).sum(axis=-1)
        return result

    def slope(_: float, y: FloatArray) -> FloatArray:
        return np.array([y[1], second(y[0:1], y[1:2])[0]])

    span = (0.0, max(float(t.max()), 1e-9))
    run = integrators.solve_ivp(slope, span, [0.3, rate], method="DOP853", rtol=1e-13, atol=1e-13, t_eval=t)
    theta, omega = run.y
    return Motion(*kinematics(theta, omega, second(theta, omega)))


PROBLEM = Problem(
    name="slider_crank",
    title="rigid crank, rod and slider turning freely",
    source="masses and lengths of the Test Set for IVP Solvers, problem Crank",
    build=build,
    scheme=Scheme.U0(0.8, 0.8, 0.8),
    dt=2e-4,
    t_end=0.2,
    t_order=0.05,
    parameters=MappingProxyType({"rate": 40.0, "gravity": 9.81}),
    conserved=conserved,
    plane=((0, 1), (3, 4)),
    units=("s", "m, rad"),
)
