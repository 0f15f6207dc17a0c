"""Seven stars of mass 1, by the midpoint rule."""

from __future__ import annotations

from isodyn.schemes import Scheme
from isodyn.studies.verification.case import Case
from isodyn.studies.verification.runs import on_problem

CASE = Case(
    name="pleiades_unit_masses",
    topic="documents",
    shows="Seven stars of mass 1, by the midpoint rule.",
    source="Shimada (2014), example 2.3.1",
    citation="Shimada2014",
    reference="DOP853, rtol = 1e-13",
    trust="computed",
    steps=(0.004, 0.002, 0.001),
    prepare=on_problem("pleiades_unit", Scheme.midpoint_epa(), t_end=1.0, against="DOP853"),
    bounds={"q": 1.4e-8, "v": 9.8e-9, "a": 1.2e-6, "energy": 2.5e-9},
    orders={"q": 2, "v": 2, "a": 2},
)
