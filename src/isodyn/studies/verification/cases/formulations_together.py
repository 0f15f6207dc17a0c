"""Every way to enter constraints, on one pendulum: all of second order in q and v."""

from __future__ import annotations

from typing import Any

import isodyn as iso
from isodyn.problems import get
from isodyn.studies.verification.case import Case, Measurement, Run
from isodyn.studies.verification.runs import against_motion

WAYS: dict[str, Any] = {
    "stabilised": iso.Stabilised(),
    "GGL": iso.GGL(),
    "overdetermined": iso.Overdetermined(),
    "projection": iso.Projection(),
    "velocity level": iso.VelocityLevel(),
    "acceleration level": iso.AccelerationLevel(),
    "Baumgarte": iso.Baumgarte(20.0, 20.0),
    "Udwadia–Kalaba": iso.UdwadiaKalaba("range-space"),
    "null space": iso.NullSpace("qr"),
    "Hamiltonian": iso.Hamiltonian(),
}


def prepare() -> Run:
    problem = get("pendulum")
    system = problem.system()

    def run(dt: float) -> Measurement:
        errors, steps, iterations, seconds = {}, 0, 0, 0.0
        for name, formulation in WAYS.items():
            sol = iso.integrate(system, iso.Scheme.optimal(0.6), formulation, dt=dt, t_end=1.0)
            motion = problem.exact(sol.t)
            assert motion is not None
            found = against_motion(sol, motion)
            errors[name] = max(found["q"], found["v"])
            steps, iterations = steps + sol.stats.steps, iterations + sol.stats.iterations
            seconds += sol.stats.seconds
        return Measurement(errors=errors, steps=steps, iterations=iterations, seconds=seconds)

    return run


CASE = Case(
    name="formulations_together",
    topic="integration",
    shows="Ten formulations on one pendulum: q and v of second order by each; the larger of both errors is shown.",
    source="Shimada (2014), chapter 3; Pennestrì and Valentini (2008)",
    citation="Shimada2014",
    reference="elliptic functions",
    trust="exact",
    steps=(0.01, 0.005),
    prepare=prepare,
    bounds={**dict.fromkeys(WAYS, 1e-4), "acceleration level": 2.3e-4},
    orders=dict.fromkeys(WAYS, 2),
)
