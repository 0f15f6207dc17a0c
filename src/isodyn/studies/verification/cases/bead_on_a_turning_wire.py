"""A bead on a straight wire that turns steadily, with friction: r'' + 2μΩ r' − Ω² r = 0."""

from __future__ import annotations

import math

import numpy as np

import isodyn as iso
from isodyn.gauss import Contact
from isodyn.kernels.compiled import FloatArray
from isodyn.studies.verification.case import Case, Measurement, Run
from isodyn.studies.verification.runs import compared

OMEGA, START, SPEED, MU, MASS = 2.0, 0.4, 0.3, 0.35, 0.6
SCHEME = iso.Scheme.U0(0.9, 1, 0)


def along(t: float) -> FloatArray:
    return np.array([math.cos(OMEGA * t), math.sin(OMEGA * t)])


def across(t: float) -> FloatArray:
    return np.array([-math.sin(OMEGA * t), math.cos(OMEGA * t)])


def prepare() -> Run:
    system = iso.MechanicalSystem(
        MASS,
        lambda q, v, t: np.zeros(2),
        [START, 0.0],
        [SPEED, OMEGA * START],
        phi=lambda q, t: np.array([across(t) @ q]),
        G=lambda q, t: across(t)[None],
        phi_t=lambda q, t: np.array([-OMEGA * along(t) @ q]),
        b=lambda q, v, t: np.array([2 * OMEGA * along(t) @ v + OMEGA**2 * across(t) @ q]),
    )
    contact = Contact(0, lambda q, t: along(t), MU, rest=lambda q, v, t: np.array([OMEGA * across(t) @ v]))
    root = math.sqrt(1 + MU**2)
    p, m = OMEGA * (-MU + root), OMEGA * (-MU - root)
    A = (SPEED - m * START) / (p - m)

    rough = iso.with_friction(system, contact)

    def run(dt: float) -> Measurement:
        sol = iso.integrate(rough, SCHEME, dt=dt, t_end=2.0)
        r = A * np.exp(p * sol.t) + (START - A) * np.exp(m * sol.t)
        rate = p * A * np.exp(p * sol.t) + m * (START - A) * np.exp(m * sol.t)
        normal = MASS * 2 * OMEGA * rate
        errors = {
            "radius": compared(np.linalg.norm(sol.q, axis=1), r),
            "reaction": compared(sol.contact(0).normal, np.abs(normal)),
        }
        return Measurement(errors=errors, drift=max(sol.drift().largest[:2]))

    return run


CASE = Case(
    name="bead_on_a_turning_wire",
    topic="friction",
    shows="Friction from a reaction that depends on the motion, on a constraint that moves: radius and reaction.",
    source="textbook",
    reference="two exponentials",
    trust="exact",
    steps=(0.02, 0.01),
    prepare=prepare,
    bounds={"radius": 1e-3, "reaction": 1e-3, "drift": 1e-12},
    orders={"radius": 2, "reaction": 2},
)
