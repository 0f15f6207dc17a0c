"""A block brakes on a slope and stays: where, and what friction took."""

from __future__ import annotations

import math

import numpy as np

import isodyn as iso
from isodyn.gauss import Contact
from isodyn.studies.verification.case import Case, Measurement, Run

ANGLE, MU, SPEED, MASS, G = 0.5, 0.9, 3.0, 2.0, 9.81
SCHEME = iso.Scheme.U0(0.9, 1, 0)


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

    rough = iso.with_friction(system, Contact(0, down, MU))

    def run(dt: float) -> Measurement:
        sol = iso.integrate(rough, SCHEME, dt=dt, t_end=2.0)
        slides = sol.contact(0).mode == 2
        kinetic = 0.5 * MASS * (sol.v**2).sum(axis=1)
        taken = kinetic - kinetic[0] - MASS * G * (sol.q[0, 1] - sol.q[:, 1])
        errors = {
            "place of rest": abs(float(sol.q[-1] @ down) * 2 * brake / SPEED**2 - 1.0),
            "work of friction": abs(float(taken[-1]) / loss + 1.0),
            "mode": float((slides != (sol.t < SPEED / brake)).sum()),
        }
        return Measurement(errors=errors, drift=max(sol.drift().largest[:2]))

    return run


CASE = Case(
    name="block_on_a_slope",
    topic="friction",
    shows="A block slides down a rough slope and comes to rest: place and work of friction, to rounding.",
    source="textbook; Fan, Kalaba, Natsuyama and Udwadia (2005)",
    citation="Fan2005",
    reference="v₀²/2d",
    trust="exact",
    steps=(0.1,),
    prepare=prepare,
    bounds={"place of rest": 1e-12, "work of friction": 1e-12, "mode": 0.0, "drift": 1e-12},
)
