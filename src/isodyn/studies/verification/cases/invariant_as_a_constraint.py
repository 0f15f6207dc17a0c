"""An invariant written as a constraint of index 2: its multiplier is zero all the time, and it is
kept all the same."""

from __future__ import annotations

import numpy as np

import isodyn as iso
from isodyn.studies.verification.case import Case, Measurement, Run
from isodyn.studies.verification.runs import compared, measured


def prepare() -> Run:
    system = iso.FirstOrderSystem(
        lambda s, z, t: np.array([s[1], -s[0]]) + z[0] * s,  # [Shimada2014 (3.64) adapted]
        np.array([1.0, 0.0]),
        z0=np.zeros(1),
        c=lambda s, z, t: np.array([0.5 * (s @ s - 1.0)]),
    )

    def run(dt: float) -> Measurement:
        sol = iso.integrate(system, iso.Scheme.optimal(0.0).first_order(), dt=dt, t_end=10.0)
        exact = np.stack([np.cos(sol.t), -np.sin(sol.t)], axis=1)
        errors = {
            "v": compared(sol.s, exact),
            "lam": compared(sol.z, 0.0 * sol.z),
            "invariant": float(np.abs(0.5 * ((sol.s**2).sum(axis=1) - 1.0)).max()),
        }
        return measured(sol, errors)

    return run


CASE = Case(
    name="invariant_as_a_constraint",
    topic="truth",
    shows="Index 2 with a multiplier that vanishes: the row is not dropped, the invariant stays at rounding.",
    source="Shimada (2014), (3.64)",
    citation="Shimada2014",
    reference="circle",
    trust="exact",
    steps=(0.04, 0.02, 0.01),
    prepare=prepare,
    bounds={"v": 4e-4, "lam": 2e-5, "invariant": 1e-12},
    orders={"v": 2},
)
