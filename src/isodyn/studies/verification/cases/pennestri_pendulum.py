"""The benchmark of all methods of coordinate reduction, with the reaction of its pin."""

from __future__ import annotations

from isodyn.formulations import Stabilised
from isodyn.schemes import Scheme
from isodyn.studies.verification.case import Case
from isodyn.studies.verification.runs import on_problem

CASE = Case(
    name="pennestri_pendulum",
    topic="documents",
    shows="The benchmark of all methods of coordinate reduction, with the reaction of its pin.",
    source="Pennestrì and Valentini (2008), section 8",
    citation="Pennestri2008",
    reference="elliptic functions",
    trust="exact",
    steps=(0.01, 0.005, 0.0025),
    prepare=on_problem("rigid_pendulum", Scheme.U0(0.8, 0.8, 0.8), Stabilised(), t_end=2.0),
    bounds={"q": 3.4e-5, "v": 7.6e-5, "a": 1.2e-4, "lam": 7.8e-5, "drift": 1e-12, "energy": 8.3e-6},
    orders={"q": 2, "v": 2, "a": 2, "lam": 2},
    peers=(
        "Exudyn, generalised-α index 3, h = 0.001 over 10 s: 8.7e-5 rad in the angle, 3.4e-4 in the multiplier (8.5e-5 with tight Newton)",
        "MuJoCo Euler with joint coordinates, h = 0.001: 1.3e-3 rad",
    ),
)
