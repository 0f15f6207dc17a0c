"""M(q), damping and a constraint that moves with time."""

from __future__ import annotations

from isodyn.formulations import Stabilised
from isodyn.schemes import Scheme
from isodyn.studies.verification.case import Case
from isodyn.studies.verification.runs import on_problem

CASE = Case(
    name="driven_crank",
    topic="closed forms",
    shows="M(q), damping and a constraint that moves with time.",
    source="method of manufactured solutions",
    reference="chosen motion",
    trust="exact",
    steps=(0.02, 0.01, 0.005),
    prepare=on_problem("rheonomic_crank", Scheme.V0(0.7, 0.9, 0.2), Stabilised(), t_end=2.0),
    bounds={"q": 6.3e-6, "v": 1.5e-5, "a": 1.6e-5, "lam": 1.5e-5, "drift": 1e-12},
    orders={"q": 2, "v": 2, "a": 2, "lam": 2},
)
