"""A fast rotor in two gimbals, pushed: it nods."""

from __future__ import annotations

from isodyn.formulations import Stabilised
from isodyn.schemes import Scheme
from isodyn.studies.verification.case import Case
from isodyn.studies.verification.runs import on_problem

CASE = Case(
    name="gyroscope",
    topic="mechanisms",
    shows="A fast rotor in two gimbals, pushed: it nods.",
    source="textbook",
    reference="DOP853, rtol = 1e-13",
    trust="computed",
    steps=(0.001, 0.0005, 0.00025),
    prepare=on_problem(
        "gyroscope", Scheme.U0(0.8, 0.8, 0.8), Stabilised(), t_end=0.1, against="DOP853", parameters={"push": 1.3}
    ),
    bounds={"q": 3.7e-6, "v": 1.3e-6, "a": 4.5e-4, "lam": 4.8e-5, "drift": 1e-12, "energy": 7e-9},
    orders={"q": 2, "v": 2, "a": 2, "lam": 2},
)
