"""One body, three mass matrices: J Γ is not symmetric (64), Γᵀ J Γ is (68), J belongs to ω (61);
one acceleration.

ω = Γ ġ, ω̇ = Γ g̈ + Γ̇ ġ; the point of the body that is held has no acceleration.
"""

from __future__ import annotations

import numpy as np

from isodyn.gauss.rotation_parameters import RigidBody, rate_derivative, rate_matrix, rotation
from isodyn.studies.verification.case import Case, Measurement
from isodyn.studies.verification.runs import compared, once

INERTIA = np.array([[0.9, 0.1, -0.05], [0.1, 0.7, 0.08], [-0.05, 0.08, 0.5]])
PIVOT = np.array([0.2, -0.1, 0.4])
FORCE, TORQUE = np.array([0.4, -1.3, -12.7]), np.array([0.3, -0.2, 0.5])


def measure() -> Measurement:
    body, rng = RigidBody(1.3, INERTIA, PIVOT), np.random.default_rng(2009)
    worst = {"non-symmetric (64)": 0.0, "symmetric (68)": 0.0, "held point": 0.0}
    for _ in range(20):
        g, rate = rng.uniform(0.3, 1.3, 3), rng.standard_normal(3)
        Gamma, omega = rate_matrix(g), rate_matrix(g) @ rate
        known = body.acceleration(g, rate, FORCE, TORQUE, "omega").a
        for name, form in (("non-symmetric (64)", "non-symmetric"), ("symmetric (68)", "symmetric")):
            found = body.acceleration(g, rate, FORCE, TORQUE, form).a  # type: ignore[arg-type]
            spin = Gamma @ found[3:] + rate_derivative(g, rate)
            worst[name] = max(worst[name], compared(np.concatenate([found[:3], spin]), known))
        arm = rotation(g) @ PIVOT
        held = known[:3] + np.cross(known[3:], arm) + np.cross(omega, np.cross(omega, arm))
        worst["held point"] = max(worst["held point"], float(np.abs(held).max() / np.abs(known).max()))
    return Measurement(errors=worst)


CASE = Case(
    name="newton_euler_in_angles",
    topic="accelerations",
    shows="Newton's and Euler's equations in angles with a mass that is not symmetric: one acceleration by three forms.",
    source="Fumagalli and Masarati (2009), appendix 2",
    citation="Fumagalli2009",
    reference="the form in angular velocities",
    trust="agreement",
    steps=(0.0,),
    prepare=once(measure),
    bounds={"non-symmetric (64)": 1e-11, "symmetric (68)": 1e-11, "held point": 1e-12},
)
