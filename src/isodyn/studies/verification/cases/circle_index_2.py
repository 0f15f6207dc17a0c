"""Index 2, the unknown in both signs and cubed."""

from __future__ import annotations

from isodyn.schemes import Scheme
from isodyn.studies.verification.case import Case
from isodyn.studies.verification.runs import on_problem

CASE = Case(
    name="circle_index_2",
    topic="first order",
    shows="Index 2, the unknown in both signs and cubed.",
    source="own problem",
    reference="chosen motion",
    trust="exact",
    steps=(0.02, 0.01, 0.005),
    prepare=on_problem("circle_index2", Scheme.V0(1.0, 1.0, 0.0), t_end=2.0),
    bounds={"v": 1.8e-6, "a": 3e-5, "lam": 5.6e-6, "drift": 1e-12},
    orders={"v": 2, "a": 2, "lam": 2},
)
