"""The pin of a rod: force m(a − g) on the rod, the opposite on the ground, and no torque about its
axis."""

from __future__ import annotations

import math

import numpy as np
from scipy.special import ellipj, ellipk

import isodyn as iso
from isodyn.studies.verification.case import Case, Measurement, Run
from isodyn.studies.verification.runs import compared, measured

MASS, LENGTH, G, ANGLE = 3.0, 0.8, 9.81, 1.2


def motion(t: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Angle from the vertical, released at rest, with two derivatives."""
    omega, k = math.sqrt(1.5 * G / LENGTH), math.sin(0.5 * ANGLE)
    sn, cn, *_ = ellipj(ellipk(k**2) - omega * t, k**2)
    theta = 2 * np.arcsin(k * sn)
    return theta, -2 * k * omega * cn, -(omega**2) * np.sin(theta)


def prepare() -> Run:
    mech = iso.Mechanism(gravity=(0, 0, -G))
    J = MASS * LENGTH**2 / 12
    centre = 0.5 * LENGTH * np.array([math.sin(ANGLE), 0.0, -math.cos(ANGLE)])
    turned = [math.cos(0.5 * ANGLE), 0.0, -math.sin(0.5 * ANGLE), 0.0]
    mech.add_body("rod", MASS, (J, J, 1e-3 * J), centre, turned)
    mech.add_joint(iso.Hinge("pin", "ground", "rod", point=(0, 0, 0), axis=(0, 1, 0)))
    system = mech.compile()

    def run(dt: float) -> Measurement:
        sol = iso.integrate(system, iso.Scheme.U0(0.8, 1.0, 0.0), iso.Stabilised(), dt=dt, t_end=1.0)
        theta, rate, second = motion(sol.t)
        s, c, zero = np.sin(theta), np.cos(theta), 0 * theta
        arm = 0.5 * LENGTH
        a = arm * np.stack([second * c - rate**2 * s, zero, second * s + rate**2 * c], axis=1)
        expected = MASS * (a + np.array([0.0, 0.0, G]))
        pin, ground = sol.reaction("pin"), sol.reaction("pin", on="ground")
        errors = {
            "position": compared(sol.q[:, :3], arm * np.stack([s, zero, -c], axis=1)),
            "reaction on the rod": compared(pin.force, expected),
            "reaction on the ground": compared(ground.force, -expected),
            "torque of the pin": compared(pin.torque, 0 * pin.torque, MASS * G * LENGTH),
        }
        return measured(sol, errors)

    return run


CASE = Case(
    name="reactions_of_a_pendulum",
    topic="truth",
    shows="A spatial rod on a hinge: reactions on both bodies, in equilibrium with the acceleration, without torque.",
    source="textbook",
    reference="elliptic functions",
    trust="exact",
    steps=(0.01, 0.005, 0.0025),
    prepare=prepare,
    bounds={
        "position": 1e-4,
        "reaction on the rod": 1e-4,
        "reaction on the ground": 1e-4,
        "torque of the pin": 1e-10,
        "drift": 1e-12,
    },
    orders={"position": 2, "reaction on the rod": 2, "reaction on the ground": 2},
)
