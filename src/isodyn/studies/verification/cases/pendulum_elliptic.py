"""A point on a rod in Cartesian coordinates, multipliers too."""

from __future__ import annotations

from isodyn.formulations import Stabilised
from isodyn.schemes import Scheme
from isodyn.studies.verification.case import Case
from isodyn.studies.verification.runs import on_problem

CASE = Case(
    name="pendulum_elliptic",
    topic="closed forms",
    shows="A point on a rod in Cartesian coordinates, multipliers too.",
    source="textbook",
    reference="elliptic functions",
    trust="exact",
    steps=(0.02, 0.01, 0.005),
    prepare=on_problem("pendulum", Scheme.U0(0.8, 0.8, 0.8), Stabilised(), t_end=2.0),
    bounds={"q": 1.2e-4, "v": 1.2e-4, "a": 2.8e-4, "lam": 6.8e-5, "drift": 1e-12, "energy": 2.7e-5},
    orders={"q": 2, "v": 2, "a": 2, "lam": 2},
)
