"""Two wheels in the ratio √2, driven for many turns: the teeth never slip."""

from __future__ import annotations

import math

import isodyn as iso
from isodyn.studies.verification.case import Case, Measurement, Run
from isodyn.studies.verification.runs import compared, measured

RATIO, TORQUE = math.sqrt(2.0), 30.0


def prepare() -> Run:
    mech = iso.Mechanism(gravity=(0, 0, 0))
    mech.add_body("pinion", 1.0, (1.0, 1.0, 1.0))
    mech.add_body("wheel", 1.0, (1.0, 1.0, 1.0), (2.0, 0, 0))
    mech.add_joint(iso.Hinge("first", "ground", "pinion", point=(0, 0, 0), axis=(0, 0, 1)))
    mech.add_joint(iso.Hinge("second", "ground", "wheel", point=(2.0, 0, 0), axis=(0, 0, 1)))
    mech.add_joint(iso.Gear("teeth", "first", "second", ratio=RATIO))
    mech.add_load(iso.Motor("motor", "first", TORQUE))
    system = mech.compile()
    rate = TORQUE / (1.0 + 1.0 / RATIO**2)  # acceleration of the first wheel

    def run(dt: float) -> Measurement:
        sol = iso.integrate(system, iso.Scheme.U0(0.8, 1.0, 0.0), iso.Stabilised(), dt=dt, t_end=4.0)
        one, other = sol.joint("first").angle, sol.joint("second").angle
        angle = 0.5 * rate * sol.t**2
        errors = {"slip": compared(one + RATIO * other, 0.0 * one, 1.0), "angle": compared(one, angle)}
        return measured(sol, errors)

    return run


CASE = Case(
    name="gear_of_irrational_ratio",
    topic="truth",
    shows="Angles in the ratio √2 over 25 turns: the sum that the gear holds stays zero.",
    source="own problem",
    reference="½ α t²",
    trust="exact",
    steps=(0.01, 0.005),
    prepare=prepare,
    bounds={"slip": 1e-10, "angle": 1e-9, "drift": 1e-12},
)
