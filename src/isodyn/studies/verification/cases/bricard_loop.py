"""Six hinges, rank 29 of 30: Bricard's mechanism."""

from __future__ import annotations

from isodyn.formulations import Stabilised
from isodyn.schemes import Scheme
from isodyn.studies.verification.case import Case
from isodyn.studies.verification.runs import on_problem

CASE = Case(
    name="bricard_loop",
    topic="test sets",
    shows="Six hinges, rank 29 of 30: Bricard's mechanism.",
    source="IFToMM library of benchmarks, A03",
    citation="IFToMM",
    reference="DOP853, rtol = 1e-13",
    trust="computed",
    steps=(0.004, 0.002, 0.001),
    prepare=on_problem("bricard", Scheme.U0(0.8, 0.8, 0.8), Stabilised(), t_end=0.2, against="DOP853"),
    bounds={"q": 3.4e-8, "v": 4.8e-7, "a": 1.3e-6, "lam": 1.2e-7, "drift": 1e-12, "energy": 6.8e-8},
    orders={"q": 2, "v": 2, "a": 2, "lam": 2},
)
