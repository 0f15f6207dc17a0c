"""Angles of rows that lie many turns apart: counted in the steps, not guessed from the rows."""

from __future__ import annotations

import numpy as np

import isodyn as iso
from isodyn.studies.verification.case import Case, Measurement, Run
from isodyn.studies.verification.runs import compared, measured

RATE = 100.0


def prepare() -> Run:
    mech = iso.Mechanism(gravity=(0, 0, 0))
    mech.add_body("wheel", 1.0, (1.0, 1.0, 2.0), angular_velocity=(0, 0, RATE))
    mech.add_joint(iso.Hinge("pin", "ground", "wheel", point=(0, 0, 0), axis=(0, 0, 1)))
    system = mech.compile()

    def run(dt: float) -> Measurement:
        sol = iso.integrate(system, iso.Scheme.U0(0.8, 1.0, 0.0), iso.Stabilised(), dt=dt, t_end=1.0, save_every=50)
        adaptive = iso.integrate_adaptive(system, t_end=1.0, save=[0.0, 0.4, 1.0])
        errors = {
            "angle": compared(sol.joint("pin").angle, RATE * sol.t),
            "angle, adaptive steps": compared(adaptive.joint("pin").angle, RATE * np.array([0.0, 0.4, 1.0])),
        }
        return measured(sol, errors)

    return run


CASE = Case(
    name="turns_between_rows",
    topic="truth",
    shows="100 rad/s with one row in 50 steps, and with three rows of an adaptive run: every turn is counted.",
    source="own problem",
    reference="ω t",
    trust="exact",
    steps=(0.002,),
    prepare=prepare,
    bounds={"angle": 1e-9, "angle, adaptive steps": 1e-7, "drift": 1e-12},
)
