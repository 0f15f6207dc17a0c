"""Adaptive steps on Andrews' mechanism."""

from __future__ import annotations

import numpy as np

import isodyn as iso
from isodyn.problems import get
from isodyn.studies.verification.case import Case, Measurement, Run
from isodyn.studies.verification.runs import against_table, measured


def prepare() -> Run:
    problem = get("andrews")
    system, known = problem.system(), problem.reference
    assert known is not None

    def run(rtol: float) -> Measurement:
        times = np.minimum(known.t[known.t < 0.0300001], 0.03)
        sol = iso.integrate_adaptive(system, t_end=0.03, rtol=rtol, atol=0.1 * rtol, save=times)
        return measured(sol, against_table(sol, known), energy=False)

    return run


CASE = Case(
    name="adaptive_andrews",
    topic="integration",
    shows="DOP853 with projection on Andrews' squeezer at rtol = 1e-6 and 1e-9 (in the place of steps): constraints at rounding.",
    source="Test Set for IVP Solvers, problem Andrews",
    citation="TestSet",
    link="https://archimede.uniba.it/~testset/",
    reference="80-bit computation, 14 digits",
    trust="computed",
    steps=(1e-6, 1e-9),
    prepare=prepare,
    bounds={"q": 1.5e-10, "v": 7e-10, "a": 5e-9, "lam": 8e-10, "drift": 1e-12},
    orders={"q": 1.2, "v": 1.2, "a": 1.2, "lam": 1.2},
    order_within=0.3,
    peers=(
        "SUNDIALS IDA on index 1: 4.6e-6 in q at tol 1e-7 in 0.69 s, drift 4.3e-8",
        "Radau of solve_dae, stabilised index 1: 4.4e-9 in q at tol 1e-7 in 16 s",
    ),
)
