"""A top on its tip, 1200 turns a minute: rotations by a retraction."""

from __future__ import annotations

from isodyn.formulations import Stabilised
from isodyn.schemes import Scheme
from isodyn.studies.verification.case import Case
from isodyn.studies.verification.runs import on_problem

CASE = Case(
    name="spinning_top",
    topic="documents",
    shows="A top on its tip, 1200 turns a minute: rotations by a retraction.",
    source="Shimada (2014), example 3.5.3",
    citation="Shimada2014",
    reference="DOP853, rtol = 1e-13",
    trust="computed",
    steps=(0.001, 0.0005, 0.00025),
    prepare=on_problem("spinning_top", Scheme.optimal(0.0), Stabilised(), t_end=0.1, against="DOP853"),
    bounds={"q": 8.9e-5, "v": 1.4e-5, "a": 4.3e-4, "lam": 2.1e-4, "drift": 1e-12, "energy": 4.4e-7},
    orders={"q": 2, "v": 2, "a": 2, "lam": 2},
)
