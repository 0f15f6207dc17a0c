"""An explicit member with constraints: one solution with M and G in a step."""

from __future__ import annotations

from isodyn.formulations import Stabilised
from isodyn.schemes import Scheme
from isodyn.studies.verification.case import Case
from isodyn.studies.verification.runs import on_problem

CASE = Case(
    name="explicit_member",
    topic="integration",
    shows="The explicit member U0(1, 1, 0.5) on a pendulum: second order in all four, constraints at rounding.",
    source="Shimada (2014), (2.58)",
    citation="Shimada2014",
    reference="elliptic functions",
    trust="exact",
    steps=(0.01, 0.005, 0.0025),
    prepare=on_problem("pendulum", Scheme.U0(1.0, 1.0, 0.5, explicit=True), Stabilised(), t_end=2.0),
    bounds={"q": 3.9e-5, "v": 3.9e-5, "a": 7.2e-5, "lam": 3.2e-5, "drift": 1e-12, "energy": 1.2e-5},
    orders={"q": 2, "v": 2, "a": 2, "lam": 2},
)
