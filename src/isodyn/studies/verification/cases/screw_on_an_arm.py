"""A nut on a fine thread along a turning arm: the chord of a step is as long as the lead, and the
thread is never left.

(m + J/p²) x'' = m ω² x,    x = x₀ cosh κt,    κ = ω (1 + J/(m p²))^(−1/2)
"""

from __future__ import annotations

import math

import numpy as np

import isodyn as iso
from isodyn.studies.verification.case import Case, Measurement, Run
from isodyn.studies.verification.runs import compared, measured

LEAD, RATE, START, INERTIA = 0.005, 20.0, 1.25, 0.01
PITCH = LEAD / (2 * math.pi)


def prepare() -> Run:
    mech = iso.Mechanism(gravity=(0, 0, 0))
    mech.add_body("arm", 1.0, (1.0, 1.0, 1.0), angular_velocity=(0, 0, RATE))
    inertia = (INERTIA, 0.02, 0.02)
    velocity = (0, START * RATE, 0)
    mech.add_body("nut", 1.0, inertia, (START, 0, 0), velocity=velocity, angular_velocity=(0, 0, RATE))
    mech.add_joint(iso.Hinge("pivot", "ground", "arm", point=(0, 0, 0), axis=(0, 0, 1)))
    mech.add_joint(iso.Screw("thread", "arm", "nut", point=(START, 0, 0), axis=(1, 0, 0), pitch=PITCH))
    mech.add_joint(iso.Drive("motor", "pivot", iso.Polynomial(0.0, RATE)))
    system = mech.compile()
    kappa = RATE / math.sqrt(1.0 + INERTIA / PITCH**2)

    def run(dt: float) -> Measurement:
        sol = iso.integrate(system, iso.Scheme.U0(0.8, 1.0, 0.0), iso.Stabilised(), dt=dt, t_end=1.0)
        joint = sol.joint("thread")
        travel = START * (np.cosh(kappa * sol.t) - 1.0)
        errors = {
            "displacement": compared(joint.displacement, travel),
            "angle": compared(joint.angle, travel / PITCH),
            "distance": compared(np.linalg.norm(sol.body("nut").position, axis=1), START + travel, float(travel[-1])),
        }
        return measured(sol, errors)

    return run


CASE = Case(
    name="screw_on_an_arm",
    topic="truth",
    shows="5 mm lead along an arm at 20 rad/s: after one second the nut has moved by 15.9 mm, not by other threads.",
    source="own problem",
    reference="hyperbolic cosine",
    trust="exact",
    steps=(0.01, 0.005, 0.0025),
    prepare=prepare,
    bounds={"displacement": 6.1e-4, "angle": 6.1e-4, "distance": 6.1e-4, "drift": 1e-12},
    orders={"displacement": 2, "angle": 2, "distance": 2},
)
