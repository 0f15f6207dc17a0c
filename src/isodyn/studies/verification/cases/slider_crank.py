"""Crank, rod and slider as planar bodies."""

from __future__ import annotations

from isodyn.formulations import Stabilised
from isodyn.schemes import Scheme
from isodyn.studies.verification.case import Case
from isodyn.studies.verification.runs import on_problem

CASE = Case(
    name="slider_crank",
    topic="mechanisms",
    shows="Crank, rod and slider as planar bodies.",
    source="masses and lengths of the Test Set for IVP Solvers, problem Crank",
    citation="TestSet",
    link="https://archimede.uniba.it/~testset/",
    reference="DOP853, rtol = 1e-13",
    trust="computed",
    steps=(0.0005, 0.00025, 0.000125),
    prepare=on_problem("slider_crank", Scheme.U0(0.8, 0.8, 0.8), Stabilised(), t_end=0.1, against="DOP853"),
    bounds={"q": 3.6e-6, "v": 4.7e-6, "a": 1.4e-4, "lam": 5.5e-5, "drift": 1e-12, "energy": 3.7e-6},
    orders={"q": 2, "v": 2, "a": 2, "lam": 2},
    order_within=0.2,
)
