"""A composition of order 4 on the spinning top: rotations, constraints and multipliers."""

from __future__ import annotations

from isodyn.schemes import Composition, Scheme
from isodyn.studies.verification.case import Case
from isodyn.studies.verification.runs import on_problem

CASE = Case(
    name="composition_with_constraints",
    topic="integration",
    shows="Rattle steps composed to order 4 on a top: order 4 in rotations and multipliers, constraints at rounding.",
    source="Suzuki (1990); Andersen (1983)",
    citation="Andersen1983",
    reference="DOP853, rtol = 1e-13",
    trust="computed",
    steps=(0.004, 0.002, 0.001),
    prepare=on_problem("spinning_top", Composition(Scheme.central_difference(), order=4), t_end=0.1, against="DOP853"),
    bounds={"q": 3.6e-9, "v": 9.1e-11, "a": 4.6e-9, "lam": 1.6e-9},
    orders={"q": 4, "v": 4, "a": 4, "lam": 4},
)
