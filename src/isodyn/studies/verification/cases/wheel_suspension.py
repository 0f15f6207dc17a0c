"""A wheel on its arms, spring and damper, on a road that moves."""

from __future__ import annotations

from isodyn.formulations import Stabilised
from isodyn.schemes import Scheme
from isodyn.studies.verification.case import Case
from isodyn.studies.verification.runs import on_problem

CASE = Case(
    name="wheel_suspension",
    topic="mechanisms",
    shows="A wheel on its arms, spring and damper, on a road that moves.",
    source="own problem",
    reference="DOP853, rtol = 1e-13",
    trust="computed",
    steps=(0.001, 0.0005, 0.00025),
    prepare=on_problem("suspension", Scheme.U0(0.8, 0.8, 0.8), Stabilised(), t_end=0.1, against="DOP853"),
    bounds={"q": 3.5e-7, "v": 5.5e-7, "a": 5.6e-5, "lam": 4.7e-6, "drift": 1e-12, "energy": 6.3e-8},
    orders={"q": 2, "v": 2, "a": 2, "lam": 2},
)
