"""A free oscillator with a damped member: the error is the scheme's alone."""

from __future__ import annotations

from isodyn.schemes import Scheme
from isodyn.studies.verification.case import Case
from isodyn.studies.verification.runs import on_problem

CASE = Case(
    name="oscillator_free",
    topic="closed forms",
    shows="A free oscillator with a damped member: the error is the scheme's alone.",
    source="textbook",
    reference="cosine",
    trust="exact",
    steps=(0.05, 0.025, 0.0125),
    prepare=on_problem("oscillator", Scheme.optimal(0.8), t_end=6.0),
    bounds={"q": 7.4e-4, "v": 6.8e-4, "a": 7.4e-4, "energy": 2.9e-6},
    orders={"q": 2, "v": 2, "a": 2},
)
