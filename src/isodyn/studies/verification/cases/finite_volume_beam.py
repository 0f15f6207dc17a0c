"""A mass matrix that is not symmetric: a finite-volume beam element, made rigid by constraints,
accelerates like a rigid body."""

from __future__ import annotations

import numpy as np

from isodyn import gauss
from isodyn.gauss.finite_volume_beam import element_inertia
from isodyn.gauss.rotation_parameters import cross
from isodyn.studies.verification.case import Case, Measurement
from isodyn.studies.verification.runs import compared, once

MASS, J = 2.1, np.diag([0.04, 0.01, 0.03])
LINES = {
    "straight": np.array([[0.0, 0.0, 0.0], [0.8, 0.0, 0.0], [1.6, 0.0, 0.0]]),
    "arc": np.array([[np.sin(x), 1.0 - np.cos(x), 0.0] for x in (0.0, 0.8, 1.6)]),
}


def measure() -> Measurement:
    errors = {}
    for name, p in LINES.items():
        M = element_inertia(p, MASS, J)
        Z = np.concatenate([np.block([[np.eye(3), -cross(x)], [np.zeros((3, 3)), np.eye(3)]]) for x in p])
        A = np.linalg.svd(Z.T)[2][6:]  # rows that leave rigid motions only
        Q = np.zeros(18)
        Q[14] = 5.0  # a force across the line, at the last node
        found = gauss.solve(M, Q, A, np.zeros(12), "non-symmetric")
        total = Z.T @ M @ Z
        errors[f"acceleration, {name}"] = compared(found.a, Z @ np.linalg.solve(total, Z.T @ Q))
        errors[f"symmetry of the totals, {name}"] = float(np.abs(total - total.T).max() / np.abs(total).max())
    errors["mass of the straight line"] = abs(float(total_mass(LINES["straight"])) / (MASS * 1.6) - 1.0)
    return Measurement(errors=errors)


def total_mass(p: np.ndarray) -> float:
    """Sum of all forces for a unit acceleration along x."""
    M = element_inertia(p, MASS, J)
    along = np.tile(np.eye(6)[0], p.shape[0])
    return float(along @ M @ along)


CASE = Case(
    name="finite_volume_beam",
    topic="accelerations",
    shows="The inertia of a finite-volume beam is not symmetric; held rigid, it moves as a rigid body all the same.",
    source="Fumagalli and Masarati (2009), appendix 2, (70) to (74)",
    citation="Fumagalli2009",
    reference="rigid body with the same mass and moments",
    trust="exact",
    steps=(0.0,),
    prepare=once(measure),
    bounds={
        "acceleration, straight": 1e-11,
        "acceleration, arc": 1e-11,
        "symmetry of the totals, straight": 1e-12,
        "symmetry of the totals, arc": 1e-12,
        "mass of the straight line": 1e-12,
    },
)
