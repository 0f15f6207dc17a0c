"""Seven stars of masses 1 to 7 up to t = 3, through their close encounters."""

from __future__ import annotations

from isodyn.schemes import Scheme
from isodyn.studies.verification.case import Case
from isodyn.studies.verification.runs import on_problem

CASE = Case(
    name="pleiades_test_set",
    topic="test sets",
    shows="Seven stars of masses 1 to 7 up to t = 3, through their close encounters.",
    source="Test Set for IVP Solvers, problem Pleiades",
    citation="TestSet",
    link="https://archimede.uniba.it/~testset/",
    reference="published digits at t = 3",
    trust="published",
    steps=(0.0002, 0.0001, 5e-05),
    prepare=on_problem("pleiades", Scheme.V0(1.0, 1.0, 0.0), t_end=3.0, against="table", save_every=50, energy=False),
    bounds={"q": 4.4e-4, "v": 1.2e-3},
    orders={"q": 2, "v": 2},
)
