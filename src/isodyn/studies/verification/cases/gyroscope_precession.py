"""A heavy rotor in gimbals that precesses steadily: constant tilt, constant rate."""

from __future__ import annotations

import numpy as np

import isodyn as iso
from isodyn.problems import get, tops
from isodyn.studies.verification.case import Case, Measurement, Run
from isodyn.studies.verification.runs import measured

TILT, SPIN = 1.1, 150.0


def prepare() -> Run:
    system = get("gyroscope").system(tilt=TILT, spin=SPIN)
    rate = tops.steady_precession(TILT, SPIN)

    def run(dt: float) -> Measurement:
        sol = iso.integrate(system, iso.Scheme.U0(0.8, 0.8, 0.8), iso.Stabilised(), dt=dt, t_end=0.3)
        errors = {
            "tilt": float(np.abs(sol.joint("tilt").angle).max()),
            "precession": float(np.abs(sol.joint("stand").angle_rate / rate - 1.0).max()),
        }
        return measured(sol, errors)

    return run


CASE = Case(
    name="gyroscope_precession",
    topic="closed forms",
    shows="Steady precession of a gyroscope in its gimbals: tilt and rate stay.",
    source="textbook",
    reference="(A' − C') φ̇² cos θ − C ψ̇ φ̇ + m g ℓ = 0",
    trust="exact",
    steps=(0.001, 0.0005, 0.00025),
    prepare=prepare,
    bounds={"tilt": 1.9e-6, "precession": 2.7e-4, "drift": 1e-12, "energy": 2.7e-9},
    orders={"tilt": 2, "precession": 2, "energy": 3},
)
