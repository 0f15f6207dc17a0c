"""A constraint that is nonlinear in velocities."""

from __future__ import annotations

from isodyn.formulations import Stabilised
from isodyn.schemes import Scheme
from isodyn.studies.verification.case import Case
from isodyn.studies.verification.runs import on_problem

CASE = Case(
    name="constant_speed",
    topic="closed forms",
    shows="A constraint that is nonlinear in velocities.",
    source="own problem",
    reference="hyperbolic functions",
    trust="exact",
    steps=(0.02, 0.01, 0.005),
    prepare=on_problem("constant_speed", Scheme.U0(0.8, 0.8, 0.8), Stabilised(), t_end=1.0),
    bounds={"q": 8.1e-6, "v": 1.1e-5, "a": 4.3e-5, "lam": 3e-5, "drift": 1e-12, "energy": 2e-5},
    orders={"q": 2, "v": 2, "a": 2, "lam": 2},
)
