"""Four hinges in space that move although counting says they cannot."""

from __future__ import annotations

from isodyn.formulations import Stabilised
from isodyn.schemes import Scheme
from isodyn.studies.verification.case import Case
from isodyn.studies.verification.runs import on_problem

CASE = Case(
    name="bennett_loop",
    topic="mechanisms",
    shows="Four hinges in space that move although counting says they cannot.",
    source="Bennett's linkage",
    reference="DOP853, rtol = 1e-13",
    trust="computed",
    steps=(0.004, 0.002, 0.001),
    prepare=on_problem("bennett", Scheme.U0(0.8, 0.8, 0.8), Stabilised(), t_end=0.4, against="DOP853"),
    bounds={"q": 1.6e-6, "v": 1.9e-6, "a": 6e-6, "lam": 5.9e-6, "drift": 1e-12, "energy": 1.2e-6},
    orders={"q": 2, "v": 2, "a": 2, "lam": 2},
)
