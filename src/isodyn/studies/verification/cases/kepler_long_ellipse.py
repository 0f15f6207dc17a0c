"""Half a turn on the ellipse of eccentricity 0.9, from the near point to the far one."""

from __future__ import annotations

from isodyn.schemes import Scheme
from isodyn.studies.verification.case import Case
from isodyn.studies.verification.runs import on_problem

CASE = Case(
    name="kepler_long_ellipse",
    topic="documents",
    shows="Half a turn on the ellipse of eccentricity 0.9, from the near point to the far one.",
    source="Shimada (2014), example 2.4.1",
    citation="Shimada2014",
    reference="Kepler's equation",
    trust="exact",
    steps=(0.001, 0.0005, 0.00025),
    prepare=on_problem("kepler_eccentric", Scheme.V0(1.0, 1.0, 0.0), t_end=3.141592653589793),
    bounds={"q": 2e-4, "v": 5.8e-5, "a": 1.6e-4},
    orders={"q": 2, "v": 2, "a": 2},
)
