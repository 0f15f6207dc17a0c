"""A torsional spring that is wound up by more than three turns."""

from __future__ import annotations

import math

import numpy as np

import isodyn as iso
from isodyn.studies.verification.case import Case, Measurement, Run
from isodyn.studies.verification.runs import compared, measured

AMPLITUDE, STIFFNESS, INERTIA = 20.0, 4.0, 1.0


def prepare() -> Run:
    mech = iso.Mechanism(gravity=(0, 0, 0))
    mech.add_body("wheel", 1.0, (INERTIA, INERTIA, INERTIA))
    mech.add_joint(iso.Hinge("pin", "ground", "wheel", point=(0, 0, 0), axis=(0, 0, 1)))
    mech.add_load(iso.JointSpring("spring", "pin", stiffness=STIFFNESS, rest=AMPLITUDE))
    system = mech.compile()
    omega = math.sqrt(STIFFNESS / INERTIA)

    def run(dt: float) -> Measurement:
        sol = iso.integrate(system, iso.Scheme.U0(0.9, 1.0, 0.0), iso.Stabilised(), dt=dt, t_end=4.0)
        joint = sol.joint("pin")
        angle = AMPLITUDE * (1.0 - np.cos(omega * sol.t))
        rate = AMPLITUDE * omega * np.sin(omega * sol.t)
        errors = {"angle": compared(joint.angle, angle), "rate": compared(joint.angle_rate, rate)}
        return measured(sol, errors)

    return run


CASE = Case(
    name="turns_of_a_joint_spring",
    topic="truth",
    shows="A spring on the angle of a spatial hinge swings by ±20 rad and does not wrap at half a turn.",
    source="textbook",
    reference="cosine",
    trust="exact",
    steps=(0.01, 0.005),
    prepare=prepare,
    bounds={"angle": 4.6e-5, "rate": 7.2e-5, "drift": 1e-12},
    orders={"angle": 2, "rate": 2},
)
