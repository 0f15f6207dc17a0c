"""A mass on a stiff spring that turns: the spring carries m r ω² from the first row on."""

from __future__ import annotations

import numpy as np

import isodyn as iso
from isodyn.studies.verification.case import Case, Measurement, Run
from isodyn.studies.verification.runs import measured

STIFFNESS, RADIUS, OMEGA = 1e7, 10.0, 6.0
FORCE = RADIUS * OMEGA**2  # of one kilogram


def prepare() -> Run:
    mech = iso.Mechanism(gravity=(0, 0, 0))
    mech.add_body("mass", 1.0, None, (RADIUS, 0, 0), velocity=(0, RADIUS * OMEGA, 0), kind="particle")
    rest = RADIUS - FORCE / STIFFNESS
    mech.add_load(iso.Spring("spring", "ground", "mass", [(0, 0, 0), (RADIUS, 0, 0)], stiffness=STIFFNESS, rest=rest))
    system = mech.compile()

    def run(dt: float) -> Measurement:
        sol = iso.integrate(system, iso.Scheme.U0(0.8, 1.0, 0.0), dt=dt, t_end=2.0)
        length, pull = np.linalg.norm(sol.q, axis=1), np.linalg.norm(sol.a, axis=1)
        force = STIFFNESS * (length - rest)
        return measured(sol, {"force of the spring": _off(force), "a": _off(pull)})

    return run


def _off(values: np.ndarray) -> float:
    return float(np.abs(values / FORCE - 1.0).max())


CASE = Case(
    name="rotating_spring",
    topic="truth",
    shows="1 kg on a spring of 1e7 N/m, 6 rad/s, 105 steps a turn: the spring carries 360 N from the first row on.",
    source="own problem",
    reference="m r ω²",
    trust="exact",
    steps=(0.01,),
    prepare=prepare,
    bounds={"force of the spring": 0.01, "a": 0.01},
)
