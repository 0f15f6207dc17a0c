"""A rod whose end runs in a guide that goes up and down."""

from __future__ import annotations

from isodyn.formulations import Stabilised
from isodyn.schemes import Scheme
from isodyn.studies.verification.case import Case
from isodyn.studies.verification.runs import on_problem

CASE = Case(
    name="moving_guide",
    topic="closed forms",
    shows="A rod whose end runs in a guide that goes up and down.",
    source="method of manufactured solutions",
    reference="chosen motion",
    trust="exact",
    steps=(0.02, 0.01, 0.005),
    prepare=on_problem("moving_guide", Scheme.U0(0.8, 0.8, 0.8), Stabilised(), t_end=2.0),
    bounds={"q": 1.1e-5, "v": 1.2e-5, "a": 3.3e-5, "lam": 1.1e-5, "drift": 1e-12},
    orders={"q": 2, "v": 2, "a": 2, "lam": 2},
)
