"""Viscous damping, with three different radii: every coefficient of the velocity enters."""

from __future__ import annotations

from isodyn.schemes import Scheme
from isodyn.studies.verification.case import Case
from isodyn.studies.verification.runs import on_problem

CASE = Case(
    name="oscillator_damped",
    topic="closed forms",
    shows="Viscous damping, with three different radii: every coefficient of the velocity enters.",
    source="textbook",
    reference="damped cosine",
    trust="exact",
    steps=(0.05, 0.025, 0.0125),
    prepare=on_problem("oscillator_damped", Scheme.U0(0.5, 0.9, 0.2), t_end=6.0),
    bounds={"q": 3.4e-4, "v": 3.9e-4, "a": 3.5e-4, "energy": 3.2e-4},
    orders={"q": 2, "v": 2, "a": 2},
)
