"""An arm with driven joints and a motor: moving constraints in space."""

from __future__ import annotations

from isodyn.formulations import Stabilised
from isodyn.schemes import Scheme
from isodyn.studies.verification.case import Case
from isodyn.studies.verification.runs import on_problem

CASE = Case(
    name="robot_arm",
    topic="mechanisms",
    shows="An arm with driven joints and a motor: moving constraints in space.",
    source="own problem",
    reference="DOP853, rtol = 1e-13",
    trust="computed",
    steps=(0.004, 0.002, 0.001),
    prepare=on_problem("robot_arm", Scheme.U0(0.8, 0.8, 0.8), Stabilised(), t_end=0.4, against="DOP853"),
    bounds={"q": 1.2e-6, "v": 4.8e-6, "a": 9.7e-6, "lam": 1.1e-6, "drift": 1e-12, "energy": 2.1e-6},
    orders={"q": 2, "v": 2, "a": 2, "lam": 2},
)
