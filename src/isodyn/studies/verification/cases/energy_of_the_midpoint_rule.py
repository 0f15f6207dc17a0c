"""A free body by the midpoint rule and the Cayley map: energy and angular momentum to rounding,
with large steps."""

from __future__ import annotations

import numpy as np

import isodyn as iso
from isodyn.problems import get
from isodyn.studies.verification.case import Case, Measurement, Run
from isodyn.studies.verification.runs import measured


def prepare() -> Run:
    system = get("free_body").system()

    def run(dt: float) -> Measurement:
        sol = iso.integrate(system, iso.Scheme.V0(1.0, 1.0, 0.5), dt=dt, t_end=10.0, newton=iso.Newton(rtol=1e-13))
        momentum = sol.momentum()[1]
        kinetic, potential = sol.energy()
        total = kinetic + potential
        errors = {
            "angular momentum": float(np.abs(momentum - momentum[0]).max() / np.linalg.norm(momentum[0])),
            "total energy": float(np.ptp(total) / total[0]),
        }
        return measured(sol, errors)

    return run


CASE = Case(
    name="energy_of_the_midpoint_rule",
    topic="integration",
    shows="V0(1, 1, 0.5) with the Cayley map keeps energy and angular momentum of a free body, 20 steps a second.",
    source="Euler's equations",
    citation="Hairer2006",
    reference="conserved quantities",
    trust="exact",
    steps=(0.05,),
    prepare=prepare,
    bounds={"angular momentum": 1e-12, "total energy": 1e-12},
)
