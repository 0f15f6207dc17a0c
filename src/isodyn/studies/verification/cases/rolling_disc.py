"""An upright disc rolls on a plane: two constraints on velocities, reactions too."""

from __future__ import annotations

from isodyn.formulations import Stabilised
from isodyn.schemes import Scheme
from isodyn.studies.verification.case import Case
from isodyn.studies.verification.runs import on_problem

CASE = Case(
    name="rolling_disc",
    topic="closed forms",
    shows="An upright disc rolls on a plane: two constraints on velocities, reactions too.",
    source="textbook on nonholonomic mechanics",
    reference="circle",
    trust="exact",
    steps=(0.02, 0.01, 0.005),
    prepare=on_problem("rolling_disc", Scheme.U0(0.8, 0.8, 0.8), Stabilised(), t_end=2.0),
    bounds={"q": 1.5e-6, "v": 2.9e-9, "a": 9.8e-6, "lam": 9.8e-6, "drift": 1e-12, "energy": 5.9e-9},
    orders={"q": 2, "a": 2, "lam": 2, "v": 3, "energy": 3},
)
