"""A mass on a running belt, held by a spring: it sticks, slips, and is caught again, with a known
period."""

from __future__ import annotations

import math

import numpy as np

import isodyn as iso
from isodyn.friction import integrate_with_friction
from isodyn.gauss import Contact
from isodyn.studies.verification.case import Case, Measurement, Run

MASS, STIFFNESS, SPEED, MU, MU_STATIC, G = 1.0, 50.0, 0.3, 0.3, 0.5, 9.81


def prepare() -> Run:
    system = iso.MechanicalSystem(
        MASS,
        lambda q, v, t: np.array([-STIFFNESS * q[0], -MASS * G]),
        [0.0, 0.0],
        [SPEED, 0.0],
        phi=lambda q, t: q[1:],
        G=lambda q, t: np.array([[0.0, 1.0]]),
        b=lambda q, v, t: np.zeros(1),
    )
    contact = Contact(0, [1.0, 0.0], MU, MU_STATIC, unilateral=True, surface=[SPEED])
    omega, D = math.sqrt(STIFFNESS / MASS), (MU_STATIC - MU) * MASS * G / STIFFNESS
    period = (2 * math.pi - 2 * math.atan(D * omega / SPEED)) / omega + 2 * D / SPEED

    def run(_: float) -> Measurement:
        sol = integrate_with_friction(system, contact, t_end=2.5)
        slips = np.array([switch.t for switch in sol.switches if switch.what == "slips"])
        # carried along until the spring tears it off
        first = MU_STATIC * MASS * G / STIFFNESS / SPEED
        errors = {
            "first slip": abs(float(slips[0]) / first - 1.0),
            "period": float(np.abs(np.diff(slips) / period - 1.0).max()),
            "balance of work": float(np.abs(sol.work_balance()).max() / (MASS * SPEED**2)),
        }
        return Measurement(errors=errors, drift=max(sol.drift().largest[:2]))

    return run


CASE = Case(
    name="mass_on_a_belt",
    topic="friction",
    shows="Stick-slip on a belt: the first slip and every period between slips.",
    source="textbook",
    reference="closed form of the period",
    trust="exact",
    steps=(0.0,),
    prepare=prepare,
    bounds={"first slip": 1e-8, "period": 1e-7, "balance of work": 1e-8, "drift": 1e-12},
)
