"""A chain of masses with damping: all modes at once."""

from __future__ import annotations

from isodyn.schemes import Scheme
from isodyn.studies.verification.case import Case
from isodyn.studies.verification.runs import on_problem

CASE = Case(
    name="oscillator_chain",
    topic="closed forms",
    shows="A chain of masses with damping: all modes at once.",
    source="textbook",
    reference="sum of modes",
    trust="exact",
    steps=(0.05, 0.025, 0.0125),
    prepare=on_problem("chain", Scheme.U0(0.9, 1.0, 0.0), t_end=6.0),
    bounds={"q": 8.6e-5, "v": 5.2e-4, "a": 9.1e-4, "energy": 8e-6},
    orders={"q": 2, "v": 2, "a": 2},
)
