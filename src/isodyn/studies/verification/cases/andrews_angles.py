"""Andrews' squeezing mechanism in seven angles, up to t = 0.03."""

from __future__ import annotations

from isodyn.formulations import Stabilised
from isodyn.schemes import Scheme
from isodyn.studies.verification.case import Case
from isodyn.studies.verification.runs import on_problem

CASE = Case(
    name="andrews_angles",
    topic="documents",
    shows="Andrews' squeezing mechanism in seven angles, up to t = 0.03.",
    source="Shimada (2014), example 3.5.1; Test Set for IVP Solvers, problem Andrews",
    citation="Shimada2014",
    link="https://archimede.uniba.it/~testset/",
    reference="80-bit computation, 14 digits",
    trust="computed",
    steps=(2e-05, 1e-05, 5e-06),
    prepare=on_problem(
        "andrews", Scheme.V0(1.0, 1.0, 0.0), Stabilised(), t_end=0.03, against="table", save_every=10, energy=False
    ),
    bounds={"q": 1.9e-7, "v": 1.4e-6, "a": 6.4e-5, "lam": 1.2e-5, "drift": 1e-12},
    orders={"q": 2, "v": 2, "a": 2, "lam": 2},
    peers=(
        "SUNDIALS IDA on index 1: 4.6e-6 in q at tol 1e-7 in 0.69 s, index 2 did not return within 120 s",
        "Radau of solve_dae, stabilised index 1: 4.4e-9 in q at tol 1e-7 in 16 s; direct index 3, 2, 1 and GGL forms fail",
    ),
)
