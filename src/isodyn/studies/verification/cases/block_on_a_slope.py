"""A block brakes on a slope and stays: when, where, and what friction took."""

from __future__ import annotations

import math

import numpy as np

import isodyn as iso
from isodyn.friction import integrate_with_friction
from isodyn.gauss import Contact
from isodyn.studies.verification.case import Case, Measurement, Run

ANGLE, MU, SPEED, MASS, G = 0.5, 0.9, 3.0, 2.0, 9.81


def prepare() -> Run:
    down = np.array([math.cos(ANGLE), -math.sin(ANGLE)])
    normal = np.array([math.sin(ANGLE), math.cos(ANGLE)])
    system = iso.MechanicalSystem(
        MASS,
        lambda q, v, t: np.array([0.0, -MASS * G]),
        np.zeros(2),
        SPEED * down,
        phi=lambda q, t: np.array([normal @ q]),
        G=lambda q, t: normal[None],
        b=lambda q, v, t: np.zeros(1),
    )
    brake = G * (MU * math.cos(ANGLE) - math.sin(ANGLE))
    loss = MASS * G * MU * math.cos(ANGLE) * SPEED**2 / (2 * brake)

    def run(_: float) -> Measurement:
        sol = integrate_with_friction(system, Contact(0, down, MU, unilateral=True), t_end=2.0)
        errors = {
            "time of rest": abs(sol.switches[0].t * brake / SPEED - 1.0),
            "place of rest": abs(float(sol.q[-1] @ down) * 2 * brake / SPEED**2 - 1.0),
            "work of friction": abs(float(sol.work[-1, 2]) / loss + 1.0),
            "number of switches": float(abs(len(sol.switches) - 1)),
            "balance of work": float(np.abs(sol.work_balance()).max() / loss),
        }
        return Measurement(errors=errors, drift=max(sol.drift().largest[:2]))

    return run


NAMES = ("time of rest", "place of rest", "work of friction", "balance of work")
CASE = Case(
    name="block_on_a_slope",
    topic="friction",
    shows="A block slides down a rough slope and comes to rest: time, place and work of friction.",
    source="textbook; Fan, Kalaba, Natsuyama and Udwadia (2005)",
    citation="Fan2005",
    reference="v₀/d and v₀²/2d",
    trust="exact",
    steps=(0.0,),
    prepare=prepare,
    bounds={**dict.fromkeys(NAMES, 2e-9), "number of switches": 0.0, "drift": 1e-12},
)
