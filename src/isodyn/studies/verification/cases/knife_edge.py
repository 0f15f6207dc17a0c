"""A blade on a slope: a constraint on velocities."""

from __future__ import annotations

from isodyn.formulations import Stabilised
from isodyn.schemes import Scheme
from isodyn.studies.verification.case import Case
from isodyn.studies.verification.runs import on_problem

CASE = Case(
    name="knife_edge",
    topic="closed forms",
    shows="A blade on a slope: a constraint on velocities.",
    source="textbook on nonholonomic mechanics",
    reference="cycloid",
    trust="exact",
    steps=(0.02, 0.01, 0.005),
    prepare=on_problem("knife_edge", Scheme.U0(0.8, 0.8, 0.8), Stabilised(), t_end=2.0),
    bounds={"q": 3.6e-6, "v": 7.1e-6, "a": 6.1e-5, "lam": 9.1e-6, "drift": 1e-12, "energy": 2.9e-5},
    orders={"q": 2, "v": 2, "a": 2, "lam": 2},
)
