"""Adaptive steps on seven stars."""

from __future__ import annotations

import numpy as np

import isodyn as iso
from isodyn.problems import get
from isodyn.studies.verification.case import Case, Measurement, Run
from isodyn.studies.verification.runs import against_table, measured


def prepare() -> Run:
    problem = get("pleiades")
    system, known = problem.system(), problem.reference
    assert known is not None

    def run(rtol: float) -> Measurement:
        sol = iso.integrate_adaptive(
            system, t_end=3.0, rtol=rtol, atol=0.1 * rtol, save=[0.0, *np.minimum(known.t, 3.0)]
        )
        return measured(sol, against_table(sol, known), energy=False)

    return run


CASE = Case(
    name="adaptive_pleiades",
    topic="integration",
    shows="DOP853 on seven stars at rtol = 1e-6, 1e-9 and 1e-12 (in the place of steps).",
    source="Test Set for IVP Solvers, problem Pleiades",
    citation="TestSet",
    link="https://archimede.uniba.it/~testset/",
    reference="published digits at t = 3",
    trust="published",
    steps=(1e-6, 1e-9, 1e-12),
    prepare=prepare,
    bounds={"q": 4e-11, "v": 1e-10},
    orders={"q": 1.0, "v": 1.0},
    order_within=0.4,
)
