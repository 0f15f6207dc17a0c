"""A composition of order 6 on Kepler's ellipse."""

from __future__ import annotations

from isodyn.schemes import Composition, Scheme
from isodyn.studies.verification.case import Case
from isodyn.studies.verification.runs import on_problem

CASE = Case(
    name="composition_of_order_6",
    topic="integration",
    shows="Midpoint steps composed to order 6: order 6 in q, v and a.",
    source="Kahan and Li (1997)",
    citation="KahanLi1997",
    reference="Kepler's equation",
    trust="exact",
    steps=(0.08, 0.04, 0.02),
    prepare=on_problem("kepler", Composition(Scheme.V0(1.0, 1.0, 0.0), order=6), t_end=3.0),
    bounds={"q": 7.6e-9, "v": 2.9e-9, "a": 1.8e-9},
    orders={"q": 6, "v": 6, "a": 6},
)
