"""Planar rods in a row, hinged."""

from __future__ import annotations

from isodyn.formulations import Stabilised
from isodyn.schemes import Scheme
from isodyn.studies.verification.case import Case
from isodyn.studies.verification.runs import on_problem

CASE = Case(
    name="chain_of_rods",
    topic="mechanisms",
    shows="Planar rods in a row, hinged.",
    source="textbook",
    reference="DOP853, rtol = 1e-13",
    trust="computed",
    steps=(0.002, 0.001, 0.0005),
    prepare=on_problem(
        "planar_chain", Scheme.U0(0.8, 0.8, 0.8), Stabilised(), t_end=0.2, against="DOP853", parameters={"n": 6.0}
    ),
    bounds={"q": 2.4e-6, "v": 3.3e-5, "a": 4.6e-5, "lam": 1.2e-5, "drift": 1e-12, "energy": 2.7e-7},
    orders={"q": 2, "v": 2, "a": 2, "lam": 2},
)
