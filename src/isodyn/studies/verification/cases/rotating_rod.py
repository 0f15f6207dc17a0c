"""A steel rod at 3000 turns a minute: its own axial force at the root is ½ρA(ωL)², as the reaction
of its hinge is."""

from __future__ import annotations

import math

import numpy as np

import isodyn as iso
from isodyn.studies.verification.case import Case, Measurement, Run
from isodyn.studies.verification.runs import measured

LENGTH, ELEMENTS = 1.0, 6
AREA, YOUNG, DENSITY = math.pi * 0.01**2, 2.1e11, 7850.0
OMEGA = 100 * math.pi
FORCE = 0.5 * DENSITY * AREA * (OMEGA * LENGTH) ** 2  # 1.22e5 N


def prepare() -> Run:
    section = iso.Section(EA=YOUNG * AREA, EI=YOUNG * math.pi * 0.01**4 / 4, rhoA=DENSITY * AREA)
    beam = iso.Beam([(0, 0), (LENGTH, 0)], elements=ELEMENTS, section=section)
    beam.hinge("start")
    x = np.linspace(0.0, LENGTH, ELEMENTS + 1)
    c = DENSITY * OMEGA**2 / YOUNG  # EA u'' = −ρA ω² x
    place, slope = x + c * (LENGTH**2 * x / 2 - x**3 / 6), 1 + c * (LENGTH**2 - x**2) / 2
    zero = 0 * x
    q0 = np.stack([place, zero, slope, zero], axis=1).ravel()
    v0 = OMEGA * np.stack([zero, place, zero, slope], axis=1).ravel()
    system = beam.compile(q0=q0, v0=v0)

    def run(dt: float) -> Measurement:
        sol = iso.integrate(
            system, iso.Scheme.U0(0.8, 0.8, 0.0), iso.Stabilised(), dt=dt, t_end=3 * 2 * math.pi / OMEGA
        )
        root = sol.beam().axial_force()[:, 0]
        reaction = np.linalg.norm(sol.lam[:, :2], axis=1)
        settled = sol.t > 2 * 2 * math.pi / OMEGA
        errors = {
            "axial force": root,
            "axial force, last turn": root[settled],
            "reaction, last turn": reaction[settled],
        }
        off = {name: float(np.abs(x / FORCE - 1.0).max()) for name, x in errors.items()}
        return measured(sol, off, energy=False)

    return run


CASE = Case(
    name="rotating_rod",
    topic="truth",
    shows="A steel rod at 3000 rpm, 50 steps a turn: the axial force at the root is right, not only the reaction.",
    source="textbook",
    reference="½ρA(ωL)²",
    trust="exact",
    steps=(0.02 / 50,),
    prepare=prepare,
    bounds={"axial force": 0.12, "axial force, last turn": 8e-3, "reaction, last turn": 8e-3, "drift": 1e-12},
)
