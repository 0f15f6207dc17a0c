"""The centre of mass of the flying rod moves like a point, whatever the rod does; its momentum
stays after the load."""

from __future__ import annotations

from typing import Any

import numpy as np

import isodyn as iso
from isodyn.problems import get
from isodyn.studies.verification.case import Case, Measurement, Run
from isodyn.studies.verification.runs import compared, measured


def prepare() -> Run:
    system: Any = get("flying_rod").system(elements=7.0)

    def run(dt: float) -> Measurement:
        sol = iso.integrate(system, iso.Scheme.midpoint_mpa(), dt=dt, t_end=2.0, breakpoints=[1.0])
        momentum = np.array([system.momentum(v) for v in sol.v])[:, :2]
        exact = 5.0 * np.minimum(sol.t, 1.0)[:, None] * np.ones(2)
        return measured(sol, {"momentum": compared(momentum, exact)}, energy=False)

    return run


CASE = Case(
    name="flying_rod_centre",
    topic="documents",
    shows="A free rod under a load of one second: its momentum is that of a point, to Newton's tolerance.",
    source="Shimada (2014), example 8.1.1",
    citation="Shimada2014",
    reference="f t up to one second, constant after it",
    trust="exact",
    steps=(0.01,),
    prepare=prepare,
    bounds={"momentum": 1e-9},
)
