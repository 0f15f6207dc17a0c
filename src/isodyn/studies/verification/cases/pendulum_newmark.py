"""The same with a member whose balance holds at the end of the step."""

from __future__ import annotations

from isodyn.formulations import Stabilised
from isodyn.schemes import Scheme
from isodyn.studies.verification.case import Case
from isodyn.studies.verification.runs import on_problem

CASE = Case(
    name="pendulum_newmark",
    topic="closed forms",
    shows="The same with a member whose balance holds at the end of the step.",
    source="textbook",
    reference="elliptic functions",
    trust="exact",
    steps=(0.02, 0.01, 0.005),
    prepare=on_problem("pendulum", Scheme.U0(0.8, 1.0, 0.0), Stabilised(), t_end=2.0),
    bounds={"q": 3e-4, "v": 3e-4, "a": 5.7e-4, "lam": 1.9e-4, "drift": 1e-12, "energy": 1.1e-4},
    orders={"q": 2, "v": 2, "a": 2, "lam": 2},
)
