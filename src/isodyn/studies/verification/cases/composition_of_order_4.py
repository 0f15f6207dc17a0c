"""A composition of order 4 on Kepler's ellipse."""

from __future__ import annotations

from isodyn.schemes import Composition, Scheme
from isodyn.studies.verification.case import Case
from isodyn.studies.verification.runs import on_problem

CASE = Case(
    name="composition_of_order_4",
    topic="integration",
    shows="Midpoint steps composed to order 4: order 4 in q, v and a.",
    source="Suzuki (1990)",
    citation="Suzuki1990",
    reference="Kepler's equation",
    trust="exact",
    steps=(0.04, 0.02, 0.01),
    prepare=on_problem("kepler", Composition(Scheme.V0(1.0, 1.0, 0.0), order=4), t_end=3.0),
    bounds={"q": 7.8e-8, "v": 4.3e-8, "a": 1.2e-8, "energy": 1.5e-8},
    orders={"q": 4, "v": 4, "a": 4, "energy": 4},
)
