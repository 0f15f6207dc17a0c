"""A harmonic load, balanced beyond the end of the step by a V0 member."""

from __future__ import annotations

from isodyn.schemes import Scheme
from isodyn.studies.verification.case import Case
from isodyn.studies.verification.runs import on_problem

CASE = Case(
    name="oscillator_forced",
    topic="closed forms",
    shows="A harmonic load, balanced beyond the end of the step by a V0 member.",
    source="textbook",
    reference="particular and free solution",
    trust="exact",
    steps=(0.05, 0.025, 0.0125),
    prepare=on_problem("oscillator_forced", Scheme.V0(0.6, 1.0, 0.3), t_end=6.0),
    bounds={"q": 2.2e-4, "v": 2.9e-4, "a": 4.2e-4, "energy": 1.9e-4},
    orders={"q": 2, "v": 2, "a": 2},
)
