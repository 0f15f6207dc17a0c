"""The first benchmark of the IFToMM library: a point on a massless rod, released from the
horizontal."""

from __future__ import annotations

import numpy as np

import isodyn as iso
from isodyn.problems.data import load
from isodyn.studies.verification.case import Case, Measurement, Run
from isodyn.studies.verification.runs import compared, measured


def prepare() -> Run:
    rows = np.array(load("iftomm_pendulum.json")["rows"])
    mech = iso.Mechanism(gravity=(0, -9.81, 0))
    mech.add_body("bob", 1.0, None, (-1, 0, 0), kind="particle")
    mech.add_joint(iso.Distance("rod", "ground", "bob", points=[(0, 0, 0), (-1, 0, 0)]))
    system = mech.compile()

    def run(dt: float) -> Measurement:
        sol = iso.integrate(
            system, iso.Scheme.U0(0.8, 1.0, 0.0), iso.Stabilised(), dt=dt, t_end=10.0, save_every=round(0.25 / dt)
        )
        errors = {"q": compared(sol.q[:, :2], rows[:, 1:3]), "v": compared(sol.v[:, :2], rows[:, 3:5])}
        return measured(sol, errors)

    return run


CASE = Case(
    name="pendulum_iftomm",
    topic="test sets",
    shows="A simple pendulum for ten seconds, a particle on a rod as a mechanism.",
    source="IFToMM library of benchmarks, A01",
    citation="IFToMM",
    reference="elliptic functions, 30 digits",
    trust="exact",
    steps=(0.005, 0.0025, 0.00125),
    prepare=prepare,
    bounds={"q": 2.2e-4, "v": 2.1e-4, "drift": 1e-12, "energy": 1.5e-5},
    orders={"q": 2, "v": 2},
)
