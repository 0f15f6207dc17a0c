"""A free rod of 14 m, thrown by a torque and a force."""

from __future__ import annotations

from isodyn.schemes import Scheme
from isodyn.studies.verification.case import Case
from isodyn.studies.verification.runs import on_problem

CASE = Case(
    name="flying_rod",
    topic="documents",
    shows="A free rod of 14 m, thrown by a torque and a force.",
    source="Shimada (2014), example 8.1.1",
    citation="Shimada2014",
    reference="DOP853, rtol = 1e-13",
    trust="computed",
    steps=(0.0004, 0.0002, 0.0001),
    prepare=on_problem("flying_rod", Scheme.midpoint_epa(), t_end=0.1, against="DOP853", parameters={"elements": 7.0}),
    bounds={"q": 2.9e-5, "v": 4.6e-3, "a": 8.7e-2, "energy": 4.3e-6},
    orders={"q": 2, "v": 2},
)
