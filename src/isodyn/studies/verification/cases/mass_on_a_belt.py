"""A mass on a running belt, held by a spring: it sticks, slips, and is caught again, with a known
period."""

from __future__ import annotations

import math

import numpy as np

import isodyn as iso
from isodyn.gauss import Contact
from isodyn.studies.verification.case import Case, Measurement, Run
from isodyn.studies.verification.runs import compared

MASS, STIFFNESS, SPEED, MU, MU_STATIC, G = 1.0, 50.0, 0.3, 0.3, 0.5, 9.81
SCHEME = iso.Scheme.U0(0.9, 1, 0)


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
    rough = iso.with_friction(system, Contact(0, [1.0, 0.0], MU, MU_STATIC, surface=[SPEED]))
    omega, D = math.sqrt(STIFFNESS / MASS), (MU_STATIC - MU) * MASS * G / STIFFNESS
    slip, stick = (2 * math.pi - 2 * math.atan(D * omega / SPEED)) / omega, 2 * D / SPEED
    centre = MU * MASS * G / STIFFNESS

    def exact(t: float) -> float:
        """Carried along until the spring tears it off; then slip and stick in turn."""
        t -= (centre + D) / SPEED
        if t < 0.0:
            return centre + D + SPEED * t
        t %= slip + stick
        if t < slip:
            return centre + D * math.cos(omega * t) + SPEED / omega * math.sin(omega * t)
        return centre - D + SPEED * (t - slip)

    def run(dt: float) -> Measurement:
        sol = iso.integrate(rough, SCHEME, dt=dt, t_end=2.5)
        begins = np.flatnonzero(np.diff(sol.contact(0).mode) > 0)
        errors = {
            "position": compared(sol.q[:, 0], [exact(float(t)) for t in sol.t]),
            "number of slips": float(abs(begins.size - (1 + int((2.5 - (centre + D) / SPEED) / (slip + stick))))),
        }
        return Measurement(errors=errors, drift=max(sol.drift().largest[:2]))

    return run


CASE = Case(
    name="mass_on_a_belt",
    topic="friction",
    shows="Stick-slip on a belt: the position at all times, and how often it slips.",
    source="textbook",
    reference="closed form, piece by piece",
    trust="exact",
    steps=(0.01, 0.005),
    prepare=prepare,
    bounds={"position": 1e-2, "number of slips": 0.0, "drift": 1e-12},
    orders={"position": 2},
)
