"""A planar loop entered with spatial rows: rank 5 of 7, multipliers of least norm."""

from __future__ import annotations

from isodyn.formulations import Stabilised
from isodyn.schemes import Scheme
from isodyn.studies.verification.case import Case
from isodyn.studies.verification.runs import on_problem

CASE = Case(
    name="planar_loop_in_space",
    topic="closed forms",
    shows="A planar loop entered with spatial rows: rank 5 of 7, multipliers of least norm.",
    source="own problem",
    reference="elliptic functions",
    trust="exact",
    steps=(0.02, 0.01, 0.005),
    prepare=on_problem("planar_loop_in_space", Scheme.U0(0.8, 0.8, 0.8), Stabilised(), t_end=2.0),
    bounds={"q": 6.5e-5, "v": 1.3e-4, "a": 2.8e-4, "lam": 7e-5, "drift": 1e-12, "energy": 1.1e-5},
    orders={"q": 2, "v": 2, "a": 2, "lam": 2},
)
