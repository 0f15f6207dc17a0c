"""Frequencies of free, clamped and hinged beams: Euler and Bernoulli, fourth order in the length of
elements."""

from __future__ import annotations

import numpy as np

import isodyn as iso
from isodyn.studies.verification.case import Case, Measurement, Run

ROOTS = {"clamped": 1.8751040687119611, "both ends clamped": 4.730040744862704, "hinged": np.pi}


def prepare() -> Run:
    def run(length: float) -> Measurement:
        errors = {}
        for name, root in ROOTS.items():
            beam = iso.Beam([(0, 0), (1, 0)], elements=round(1 / length), section=iso.Section(EA=1e7, EI=1.0, rhoA=1.0))
            if name == "hinged":
                beam.hinge("start")
                beam.guide("end", (0, 1))
            else:
                beam.clamp("start")
            if name == "both ends clamped":
                beam.clamp("end")
            system = beam.compile()
            errors[name] = abs(float(iso.linearise(system, system.q0).omega[0]) / root**2 - 1.0)
        return Measurement(errors=errors)

    return run


CASE = Case(
    name="beam_frequencies",
    topic="beams",
    shows="The first bending frequency of clamped and hinged beams with 4, 8 and 16 elements.",
    source="Euler and Bernoulli",
    reference="roots of the frequency equations",
    trust="exact",
    steps=(1 / 4, 1 / 8, 1 / 16),
    prepare=prepare,
    bounds={"clamped": 1.7e-7, "both ends clamped": 6.7e-6, "hinged": 1.3e-6},
    orders=dict.fromkeys(ROOTS, 4),
)
