"""The same reaction on its limit cycle."""

from __future__ import annotations

from isodyn.schemes import Scheme
from isodyn.studies.verification.case import Case
from isodyn.studies.verification.runs import on_problem

CASE = Case(
    name="brusselator_cycle",
    topic="documents",
    shows="The same reaction on its limit cycle.",
    source="Shimada (2014), example 2.3.2",
    citation="Shimada2014",
    reference="DOP853, rtol = 1e-13",
    trust="computed",
    steps=(0.02, 0.01, 0.005),
    prepare=on_problem("brusselator_unstable", Scheme.optimal(0.5), t_end=10.0, against="DOP853"),
    bounds={"v": 8.4e-5, "a": 3.6e-4},
    orders={"v": 2, "a": 2},
)
