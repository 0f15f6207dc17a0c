"""Waves and heat in one run: rows of second and of first order."""

from __future__ import annotations

from isodyn.schemes import Scheme
from isodyn.studies.verification.case import Case
from isodyn.studies.verification.runs import on_problem

CASE = Case(
    name="thermoelastic_bar",
    topic="closed forms",
    shows="Waves and heat in one run: rows of second and of first order.",
    source="own problem after Shimada (2014), example 2.3.3",
    citation="Shimada2014",
    reference="chosen motion of the discrete equations",
    trust="exact",
    steps=(0.02, 0.01, 0.005),
    prepare=on_problem("thermoelastic_bar", Scheme.optimal(0.5), energy=False),
    bounds={"q": 6.8e-5, "v": 4.6e-5, "a": 5.7e-5},
    orders={"q": 2, "v": 2, "a": 2},
)
