"""Spatial slider–crank: the crank turns about x, the slider moves along x, the rod goes across the
room.

    crank pivot A = (0, 0.1, 0.12), length 0.08, up at the start, 6 rad/s; rod 0.3 from B to C;
    slider on the x axis hinge at A, ball at B, universal joint at C with the slider's x axis and
    the rod's axis y_r ⟂ rod,  x · y_r = 0

One angle is enough. With B(θ) = A + r (0, −sin θ, cos θ) and C = (√(ℓ² − B_y² − B_z²), 0, 0) the
rod's angular velocity has its part across the rod from (Ċ − Ḃ) and its part along it from the
universal joint: it has no component along x × y_r. `minimal_motion` solves J(θ) θ'' + ½J'(θ)
θ'² = −V'(θ) so.
"""

from __future__ import annotations

from types import MappingProxyType
from typing import TYPE_CHECKING

import numpy as np

from isodyn.joints import Hinge, Prismatic, Spherical, Universal
from isodyn.kernels.compiled import FloatArray
from isodyn.later import Later
from isodyn.mechanism.mechanism import Mechanism
from isodyn.problems.problem import Problem
from isodyn.problems.quadratic_rows import conserved
from isodyn.schemes import Scheme

integrators = Later("scipy.integrate")

if TYPE_CHECKING:
    from isodyn.mechanism.system import MechanismSystem

A, CRANK, ROD, G = np.array([0.0, 0.1, 0.12]), 0.08, 0.3, 9.81
MASSES = (0.12, 0.5, 2.0)
CRANK_INERTIA = (1e-4, 1e-4, 1e-5)  # axis along z
ROD_INERTIA = (4e-4, 4e-3, 4e-3)  # axis along x
X = np.array([1.0, 0.0, 0.0])


def points(theta: float) -> tuple[FloatArray, FloatArray]:
    """B and C."""
    B = A + CRANK * np.array([0.0, -np.sin(theta), np.cos(theta)])
    return B, np.array([np.sqrt(ROD**2 - B[1] ** 2 - B[2] ** 2), 0.0, 0.0])


def rod_frame(B: FloatArray, C: FloatArray) -> FloatArray:
    """Columns: along the rod from B to C, the axis of the cross (⟂ rod, ⟂ x), the third."""
    along = (C - B) / ROD
    cross = np.cross(along, X)
    cross /= np.linalg.norm(cross)
    return np.column_stack([along, cross, np.cross(along, cross)])


def rates(theta: float, rate: float) -> tuple[FloatArray, FloatArray, FloatArray]:
    """Ḃ, Ċ and the angular velocity of the rod in the world."""
    B, C = points(theta)
    dB = rate * CRANK * np.array([0.0, -np.cos(theta), -np.sin(theta)])
    dC = np.array([-(B[1] * dB[1] + B[2] * dB[2]) / C[0], 0.0, 0.0])
    R = rod_frame(B, C)
    w = np.cross(R[:, 0], (dC - dB) / ROD)
    n = np.cross(X, R[:, 1])
    return dB, dC, w - R[:, 0] * (w @ n) / (R[:, 0] @ n)


def build(rate: float) -> MechanismSystem:
    """Crank up, turning with `rate`."""
    B, C = points(0.0)
    dB, dC, w = rates(0.0, rate)
    R = rod_frame(B, C)
    mech = Mechanism(gravity=(0.0, 0.0, -G))
    mech.add_body(
        "crank", MASSES[0], CRANK_INERTIA, 0.5 * (A + B), velocity=0.5 * dB, angular_velocity=(rate, 0.0, 0.0)
    )
    mech.add_body("rod", MASSES[1], ROD_INERTIA, 0.5 * (B + C), R, 0.5 * (dB + dC), R.T @ w)
    mech.add_body("slider", MASSES[2], (1e-4, 1e-4, 1e-4), C, velocity=dC)
    mech.add_joint(Hinge("A", "ground", "crank", point=A, axis=X))
    mech.add_joint(Spherical("B", "crank", "rod", point=B))
    mech.add_joint(Universal("C", "slider", "rod", point=C, axis=X, second_axis=R[:, 1]))
    mech.add_joint(Prismatic("guide", "ground", "slider", point=C, axis=X))
    return mech.compile()


def energies(theta: float) -> tuple[float, float]:
    """J and V of the reduced system: T = ½ J(θ) θ'²."""
    B, C = points(theta)
    dB, dC, w = rates(theta, 1.0)
    body = rod_frame(B, C).T @ w
    centre = 0.5 * (dB + dC)
    J = MASSES[0] * 0.25 * (dB @ dB) + CRANK_INERTIA[0] + MASSES[1] * (centre @ centre) + MASSES[2] * (dC @ dC)
    V = G * (MASSES[0] * 0.5 * (A[2] + B[2]) + MASSES[1] * 0.5 * B[2])
    return float(J + np.array(ROD_INERTIA) @ body**2), float(V)


def minimal_motion(t: FloatArray, rate: float) -> tuple[FloatArray, FloatArray]:
    """θ and θ' from one ordinary differential equation."""
    h = 2e-3
    weights = np.array([1 / 280, -4 / 105, 1 / 5, -4 / 5, 0.0, 4 / 5, -1 / 5, 4 / 105, -1 / 280]) / h

    def slope(_: float, y: FloatArray) -> FloatArray:
        around = np.array([energies(y[0] + (k - 4) * h) for k in range(9)])
        dJ, dV = weights @ around
        return np.array([y[1], -(0.5 * dJ * y[1] ** 2 + dV) / around[4, 0]])

    run = integrators.solve_ivp(
        slope, (0.0, float(t.max())), [0.0, rate], method="DOP853", rtol=1e-12, atol=1e-12, t_eval=t
    )
    return run.y[0], run.y[1]


PROBLEM = Problem(
    name="slider_crank_3d",
    title="spatial slider and crank",
    source="IFToMM benchmark library, spatial rigid slider-crank mechanism (data of Haug)",
    build=build,
    scheme=Scheme.U0(0.8, 0.8, 0.8),
    dt=0.001,
    t_end=5.0,
    t_order=0.2,
    parameters=MappingProxyType({"rate": 6.0}),
    conserved=conserved,
    units=("s", "m, –"),
)
