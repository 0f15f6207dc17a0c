"""A slider-crank whose rod of steel bends and stretches."""

from __future__ import annotations

from isodyn.formulations import Stabilised
from isodyn.schemes import Scheme
from isodyn.studies.verification.case import Case
from isodyn.studies.verification.runs import on_problem

CASE = Case(
    name="flexible_rod_of_a_crank",
    topic="beams",
    shows="A slider-crank whose rod of steel bends and stretches.",
    source="section and start of the Test Set for IVP Solvers, problem Crank",
    citation="TestSet",
    link="https://archimede.uniba.it/~testset/",
    reference="DOP853, rtol = 1e-13",
    trust="computed",
    steps=(8e-07, 4e-07, 2e-07),
    prepare=on_problem("flexible_slider_crank", Scheme.U0(0.8, 0.8, 0.8), Stabilised(), t_end=4e-05, against="DOP853"),
    bounds={"q": 5.8e-8, "v": 1.6e-4, "a": 4e-3, "lam": 5.3e-5, "drift": 1e-12, "energy": 8.6e-12},
    orders={"q": 2, "v": 2, "a": 2, "lam": 2},
)
