"""The same four-bar of spatial bodies and hinges: three rows too many, dependent on the constraints
only."""

from __future__ import annotations

from isodyn.formulations import Stabilised
from isodyn.schemes import Scheme
from isodyn.studies.verification.case import Case
from isodyn.studies.verification.runs import on_problem

CASE = Case(
    name="four_bar_spatial",
    topic="mechanisms",
    shows="The same four-bar of spatial bodies and hinges: three rows too many, dependent on the constraints only.",
    source="textbook",
    reference="DOP853, rtol = 1e-13",
    trust="computed",
    steps=(0.002, 0.001, 0.0005),
    prepare=on_problem(
        "four_bar", Scheme.U0(0.8, 0.8, 0.8), Stabilised(), t_end=0.5, against="DOP853", parameters={"spatial": 1.0}
    ),
    bounds={"q": 1.7e-5, "v": 1.2e-5, "a": 1.7e-4, "lam": 5.9e-5, "drift": 1e-12, "energy": 1.8e-5},
    orders={"q": 2, "v": 2, "a": 2, "lam": 2},
)
