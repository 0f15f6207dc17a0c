"""A reaction that comes to rest, by a scheme of second-order systems adapted to first order."""

from __future__ import annotations

from isodyn.schemes import Scheme
from isodyn.studies.verification.case import Case
from isodyn.studies.verification.runs import on_problem

CASE = Case(
    name="brusselator_stable",
    topic="documents",
    shows="A reaction that comes to rest, by a scheme of second-order systems adapted to first order.",
    source="Shimada (2014), example 2.3.2",
    citation="Shimada2014",
    reference="DOP853, rtol = 1e-13",
    trust="computed",
    steps=(0.1, 0.05, 0.025),
    prepare=on_problem("brusselator_stable", Scheme.optimal(0.5), t_end=10.0, against="DOP853"),
    bounds={"v": 2.9e-5, "a": 1.9e-4},
    orders={"v": 2, "a": 2},
)
