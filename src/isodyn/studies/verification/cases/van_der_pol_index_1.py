"""An algebraic equation of index 1, away from its impasse."""

from __future__ import annotations

from isodyn.schemes import Scheme
from isodyn.studies.verification.case import Case
from isodyn.studies.verification.runs import on_problem

CASE = Case(
    name="van_der_pol_index_1",
    topic="documents",
    shows="An algebraic equation of index 1, away from its impasse.",
    source="Shimada (2014), example 3.5.2",
    citation="Shimada2014",
    reference="Lambert's function",
    trust="exact",
    steps=(0.02, 0.01, 0.005),
    prepare=on_problem("vdpol_dae", Scheme.V0(1.0, 1.0, 0.0), t_end=0.5),
    bounds={"v": 1.3e-6, "a": 6.1e-6, "lam": 2.8e-7, "drift": 2.9e-11},
    orders={"v": 2, "a": 2, "lam": 2},
)
