"""A cantilever that a torque of 2πEI/L rolls up into a circle; the steps of this case are lengths
of elements."""

from __future__ import annotations

import numpy as np

import isodyn as iso
from isodyn.studies.verification.case import Case, Measurement, Run


def prepare() -> Run:
    def run(length: float) -> Measurement:
        beam = iso.Beam([(0, 0), (1, 0)], elements=round(1 / length), section=iso.Section(EA=1e7, EI=1.0, rhoA=1.0))
        beam.clamp("start")
        beam.torque("end", 2 * np.pi)
        system = beam.compile()
        found = iso.beams.equilibrium(system, steps=20)
        moment = np.abs(system.bending_moment(found.q) / (2 * np.pi) - 1.0).max()
        return Measurement(errors={"tip": float(np.abs(found.q[-4:-2]).max()), "bending moment": float(moment)})

    return run


CASE = Case(
    name="roll_up",
    topic="beams",
    shows="A straight beam bent into a full circle: its tip comes back to the clamp, its moment is constant.",
    source="textbook",
    reference="circle",
    trust="exact",
    steps=(1 / 16, 1 / 32, 1 / 64),
    prepare=prepare,
    bounds={"tip": 2e-3, "bending moment": 2e-3},
    orders={"tip": 2, "bending moment": 2},
    peers=("Kynema, Legendre spectral finite element of 12 nodes: 1.3e-7 of the length",),
)
