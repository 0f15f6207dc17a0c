"""A struck bar of 30 elements, exact in time by its modes."""

from __future__ import annotations

from isodyn.schemes import Scheme
from isodyn.studies.verification.case import Case
from isodyn.studies.verification.runs import on_problem

CASE = Case(
    name="clamped_bar_in_time",
    topic="documents",
    shows="A clamped bar whose fifth node is struck: all 30 modes at once, by the midpoint rule.",
    source="Shimada (2014), example C.4.1",
    citation="Shimada2014",
    reference="sum of modes",
    trust="exact",
    steps=(0.001, 0.0005, 0.00025),
    prepare=on_problem("clamped_bar", Scheme.V0(1.0, 1.0, 0.0), t_end=0.2),
    bounds={"q": 4.6e-5, "v": 7.4e-5, "a": 1.7e-4, "energy": 4e-12},
    orders={"q": 2, "v": 2, "a": 2},
)
