"""Explicit equations of constrained motion: a − a_f = K₁ e with e = b − A a_f, on a worked example.

A particle of unit mass on the moving incline y = x tan α that is pushed by its constraint: two
coordinates and one row, A = (−tan α, 1), M = diag(1, 1), so K₁ = Aᵀ/(A Aᵀ), all by hand. Force of
constraint M K₁ e.
"""

from __future__ import annotations

import math

import numpy as np

from isodyn import gauss
from isodyn.studies.verification.case import Case, Measurement
from isodyn.studies.verification.runs import compared, once

ALPHA, G, MASS = 0.4, 9.81, 2.5


def measure() -> Measurement:
    slope = math.tan(ALPHA)
    A, b = np.array([[-slope, 1.0]]), np.array([0.7])  # the incline rises with 0.7 m/s²
    M, Q = MASS * np.eye(2), np.array([0.0, -MASS * G])
    K1 = np.array([-slope, 1.0])[:, None] / (1.0 + slope**2)
    free = np.array([0.0, -G])
    error = 0.7 + G  # b − A a_f
    a = free + K1[:, 0] * error
    found = gauss.solve(M, Q, A, b, "square-root")
    errors = {
        "K₁": compared(gauss.proportionality_matrix(M, A), K1),
        "acceleration": compared(found.a, a),
        "force of constraint": compared(found.force, MASS * K1[:, 0] * error),
        "error of the free motion": compared(found.error, [error]),
    }
    return Measurement(errors=errors)


CASE = Case(
    name="equations_of_udwadia_and_kalaba",
    topic="accelerations",
    shows="The matrix K₁, the acceleration and the force of constraint of a point on a rising incline, as by hand.",
    source="Udwadia and Kalaba (1992), (5a) to (5c′)",
    citation="Udwadia1992",
    reference="by hand",
    trust="exact",
    steps=(0.0,),
    prepare=once(measure),
    bounds=dict.fromkeys(("K₁", "acceleration", "force of constraint", "error of the free motion"), 1e-13),
)
