"""Energy is kept and the motion settles all the same."""

from __future__ import annotations

from isodyn.formulations import Stabilised
from isodyn.schemes import Scheme
from isodyn.studies.verification.case import Case
from isodyn.studies.verification.runs import on_problem

CASE = Case(
    name="chaplygin_sleigh",
    topic="closed forms",
    shows="Energy is kept and the motion settles all the same.",
    source="textbook on nonholonomic mechanics",
    reference="hyperbolic functions, quadrature of the path",
    trust="exact",
    steps=(0.02, 0.01, 0.005),
    prepare=on_problem("chaplygin_sleigh", Scheme.U0(0.8, 0.8, 0.8), Stabilised(), t_end=2.0),
    bounds={"q": 3.3e-6, "v": 6.6e-6, "a": 4.5e-5, "lam": 2.7e-5, "drift": 1e-12, "energy": 3.8e-6},
    orders={"q": 2, "v": 2, "a": 2, "lam": 2},
)
