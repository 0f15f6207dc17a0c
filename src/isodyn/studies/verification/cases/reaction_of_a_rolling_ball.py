"""A ball rolls down a slope: friction 2/7 m g sin α and normal force m g cos α, on both bodies."""

from __future__ import annotations

import math

import numpy as np

import isodyn as iso
from isodyn.studies.verification.case import Case, Measurement, Run
from isodyn.studies.verification.runs import compared, measured

MASS, RADIUS, SLOPE, G = 2.0, 0.1, 0.4, 9.81


def prepare() -> Run:
    inertia = 0.4 * MASS * RADIUS**2
    gravity = (G * math.sin(SLOPE), 0, -G * math.cos(SLOPE))  # the plane is z = 0
    mech = iso.Mechanism(gravity=gravity)
    mech.add_body("ball", MASS, (inertia,) * 3, (0, 0, RADIUS))
    mech.add_joint(iso.RollingSphere("floor", "ball", RADIUS))
    system = mech.compile()
    push = MASS * G * np.array([-2 / 7 * math.sin(SLOPE), 0.0, math.cos(SLOPE)])

    def run(dt: float) -> Measurement:
        sol = iso.integrate(system, iso.Scheme.U0(0.8, 1.0, 0.0), iso.Stabilised(), dt=dt, t_end=1.0)
        expected = np.broadcast_to(push, (sol.t.size, 3))
        shown, ball, ground = (sol.reaction("floor", on=on).force for on in (None, "ball", "ground"))
        errors = {
            "a": compared(sol.a[:, 0], np.full(sol.t.size, 5 / 7 * G * math.sin(SLOPE))),
            "reaction on the ball": compared(ball, expected),
            "reaction on the ground": compared(ground, -expected),
            "reaction, size where no body is named": compared(np.abs(shown), np.abs(expected)),
        }
        return measured(sol, errors)

    return run


CASE = Case(
    name="reaction_of_a_rolling_ball",
    topic="truth",
    shows="Reactions of rolling: friction and normal force on the ball, the opposite on the ground.",
    source="textbook",
    reference="2/7 m g sin α, m g cos α",
    trust="exact",
    steps=(0.01,),
    prepare=prepare,
    bounds={
        "a": 1e-9,
        "reaction on the ball": 1e-9,
        "reaction on the ground": 1e-9,
        "reaction, size where no body is named": 1e-9,
        "drift": 1e-12,
        "energy": 1e-9,
    },
)
