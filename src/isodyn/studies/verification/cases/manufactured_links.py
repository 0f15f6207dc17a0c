"""Two links with M(q), forces of v² and v³ and a load in time; strongly damped member."""

from __future__ import annotations

from isodyn.schemes import Scheme
from isodyn.studies.verification.case import Case
from isodyn.studies.verification.runs import on_problem

CASE = Case(
    name="manufactured_links",
    topic="closed forms",
    shows="Two links with M(q), forces of v² and v³ and a load in time; strongly damped member.",
    source="method of manufactured solutions",
    reference="chosen motion",
    trust="exact",
    steps=(0.02, 0.01, 0.005),
    prepare=on_problem("manufactured", Scheme.U0(0.3, 0.6, 0.1), t_end=2.0),
    bounds={"q": 2.5e-5, "v": 3.7e-5, "a": 8.4e-5},
    orders={"q": 2, "v": 2, "a": 2},
)
