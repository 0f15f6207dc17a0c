"""A cantilever with a dead load at its tip: the elastica, second order in the length of elements.

The steps of this case are lengths of elements.
"""

from __future__ import annotations

import numpy as np

import isodyn as iso
from isodyn.problems.data import load
from isodyn.studies.verification.case import Case, Measurement, Run
from isodyn.studies.verification.runs import compared

# P L²/EI, and the error that is allowed with 32 elements
LOADS = {"0.5": 4.8e-6, "2": 1.1e-4, "5": 3.9e-4}


def prepare() -> Run:
    rows = {row["PL2_over_EI"]: row for row in load("elastica.json")["rows"]}

    def run(length: float) -> Measurement:
        errors = {}
        for P in LOADS:
            beam = iso.Beam([(0, 0), (1, 0)], elements=round(1 / length), section=iso.Section(EA=1e7, EI=1.0, rhoA=1.0))
            beam.clamp("start")
            beam.force("end", (0, float(P)))
            found = iso.equilibrium(beam.compile())
            exact = [1 - float(rows[P]["u_axial_over_L"]), float(rows[P]["w_transverse_over_L"])]
            errors[f"tip, P L²/EI = {P}"] = compared(np.asarray(found.q)[-4:-2], exact)
        return Measurement(errors=errors)

    return run


CASE = Case(
    name="elastica",
    topic="beams",
    shows="The tip of a cantilever under three loads up to P L²/EI = 5, with 8, 16 and 32 elements.",
    source="Euler's elastica",
    reference="elliptic integrals, 18 digits",
    trust="exact",
    steps=(1 / 8, 1 / 16, 1 / 32),
    prepare=prepare,
    bounds={f"tip, P L²/EI = {P}": bound for P, bound in LOADS.items()},
    orders={f"tip, P L²/EI = {P}": 2 for P in LOADS},
)
