"""Spatial rods, hinges across and across again."""

from __future__ import annotations

from isodyn.formulations import Stabilised
from isodyn.schemes import Scheme
from isodyn.studies.verification.case import Case
from isodyn.studies.verification.runs import on_problem

CASE = Case(
    name="chain_in_space",
    topic="mechanisms",
    shows="Spatial rods, hinges across and across again.",
    source="own problem",
    reference="DOP853, rtol = 1e-13",
    trust="computed",
    steps=(0.002, 0.001, 0.0005),
    prepare=on_problem(
        "spatial_chain", Scheme.U0(0.8, 0.8, 0.8), Stabilised(), t_end=0.1, against="DOP853", parameters={"n": 4.0}
    ),
    bounds={"q": 3.5e-8, "v": 1.5e-7, "a": 5e-6, "lam": 1.1e-5, "drift": 1e-12, "energy": 1.8e-7},
    orders={"q": 2, "v": 2, "a": 2, "lam": 2},
)
