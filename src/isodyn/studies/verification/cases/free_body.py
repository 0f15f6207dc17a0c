"""A body that nothing holds, about its middle axis, by the Cayley map."""

from __future__ import annotations

from isodyn.schemes import Scheme
from isodyn.studies.verification.case import Case
from isodyn.studies.verification.runs import on_problem

CASE = Case(
    name="free_body",
    topic="mechanisms",
    shows="A body that nothing holds, about its middle axis, by the Cayley map.",
    source="Euler's equations",
    reference="DOP853, rtol = 1e-13",
    trust="computed",
    steps=(0.02, 0.01, 0.005),
    prepare=on_problem("free_body", Scheme.V0(1.0, 1.0, 0.0), t_end=2.0, against="DOP853"),
    bounds={"q": 4.2e-5, "v": 4e-7, "a": 2.3e-6, "energy": 5.8e-13},
    orders={"q": 2, "v": 2, "a": 2},
)
