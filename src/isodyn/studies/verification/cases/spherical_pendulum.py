"""A point on a rod in space, swinging around."""

from __future__ import annotations

from isodyn.formulations import Stabilised
from isodyn.schemes import Scheme
from isodyn.studies.verification.case import Case
from isodyn.studies.verification.runs import on_problem

CASE = Case(
    name="spherical_pendulum",
    topic="mechanisms",
    shows="A point on a rod in space, swinging around.",
    source="textbook",
    reference="DOP853, rtol = 1e-13",
    trust="computed",
    steps=(0.02, 0.01, 0.005),
    prepare=on_problem("spherical_pendulum", Scheme.V0(0.8, 0.9, 0.5), Stabilised(), t_end=1.5, against="DOP853"),
    bounds={"q": 1.4e-4, "v": 1.8e-4, "a": 2.3e-4, "lam": 6.7e-5, "drift": 1e-12, "energy": 1.7e-5},
    orders={"q": 2, "v": 2, "a": 2, "lam": 2},
)
