"""One turn on the ellipse of eccentricity 0.6 by the midpoint rule."""

from __future__ import annotations

from isodyn.schemes import Scheme
from isodyn.studies.verification.case import Case
from isodyn.studies.verification.runs import on_problem

CASE = Case(
    name="kepler_ellipse",
    topic="documents",
    shows="One turn on the ellipse of eccentricity 0.6 by the midpoint rule.",
    source="Shimada (2014), example 2.4.1",
    citation="Shimada2014",
    reference="Kepler's equation",
    trust="exact",
    steps=(0.01, 0.005, 0.0025),
    prepare=on_problem("kepler", Scheme.V0(1.0, 1.0, 0.0), t_end=6.283185307179586),
    bounds={"q": 8e-4, "v": 2.1e-3, "a": 3.2e-3},
    orders={"q": 2, "v": 2, "a": 2},
    peers=("SciPy's DOP853: 2.6e-7 in q at rtol = 1e-6 with 329 evaluations, 6.7e-9 at rtol = 1e-9 with 644",),
)
