"""Hinge, ball, universal joint and guide: one freedom in space."""

from __future__ import annotations

from isodyn.formulations import Stabilised
from isodyn.schemes import Scheme
from isodyn.studies.verification.case import Case
from isodyn.studies.verification.runs import on_problem

CASE = Case(
    name="slider_crank_in_space",
    topic="test sets",
    shows="Hinge, ball, universal joint and guide: one freedom in space.",
    source="IFToMM library of benchmarks, spatial slider-crank with the data of Haug",
    citation="IFToMM",
    reference="DOP853, rtol = 1e-13",
    trust="computed",
    steps=(0.004, 0.002, 0.001),
    prepare=on_problem("slider_crank_3d", Scheme.U0(0.8, 0.8, 0.8), Stabilised(), t_end=0.4, against="DOP853"),
    bounds={"q": 1.2e-4, "v": 2.4e-4, "a": 2.2e-3, "lam": 5.4e-4, "drift": 1e-12, "energy": 1.8e-4},
    orders={"q": 2, "v": 2, "a": 2, "lam": 2},
)
