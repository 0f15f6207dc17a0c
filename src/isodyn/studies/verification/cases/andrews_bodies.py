"""The same mechanism in 21 coordinates with 20 rows."""

from __future__ import annotations

from isodyn.formulations import Stabilised
from isodyn.schemes import Scheme
from isodyn.studies.verification.case import Case
from isodyn.studies.verification.runs import on_problem

CASE = Case(
    name="andrews_bodies",
    topic="documents",
    shows="The same mechanism in 21 coordinates with 20 rows.",
    source="Shimada (2014), (3.208) to (3.212)",
    citation="Shimada2014",
    reference="80-bit computation, 14 digits",
    trust="computed",
    steps=(2e-05, 1e-05, 5e-06),
    prepare=on_problem(
        "andrews21", Scheme.V0(1.0, 1.0, 0.0), Stabilised(), t_end=0.01, against="table", save_every=10, energy=False
    ),
    bounds={"q": 1.3e-6, "v": 1.4e-6, "drift": 1e-12},
    orders={"q": 2, "v": 2},
)
