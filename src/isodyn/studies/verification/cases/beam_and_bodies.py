"""An arm, a soft beam and a bob on hinges."""

from __future__ import annotations

from isodyn.formulations import Stabilised
from isodyn.schemes import Scheme
from isodyn.studies.verification.case import Case
from isodyn.studies.verification.runs import on_problem

CASE = Case(
    name="beam_and_bodies",
    topic="beams",
    shows="An arm, a soft beam and a bob on hinges.",
    source="own problem",
    reference="DOP853, rtol = 1e-13",
    trust="computed",
    steps=(4e-05, 2e-05, 1e-05),
    prepare=on_problem("beam_and_bodies", Scheme.U0(0.8, 0.8, 0.8), Stabilised(), t_end=0.004, against="DOP853"),
    bounds={"q": 1.9e-9, "v": 1.1e-5, "a": 2.3e-5, "lam": 5.5e-7, "drift": 1e-12, "energy": 5.6e-11},
    orders={"q": 2, "v": 2, "a": 2, "lam": 2},
)
