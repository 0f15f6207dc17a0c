"""A block that slides with friction: the three parts of the force, F = Fᴺ + Fᴸ + Fᶜ.

On a slope α with the friction μ m g cos α against the motion: acceleration g (sin α − μ cos α)
along it, ideal reaction m g cos α.
"""

from __future__ import annotations

import math

import numpy as np

from isodyn import gauss
from isodyn.studies.verification.case import Case, Measurement
from isodyn.studies.verification.runs import compared, once

ALPHA, G, MASS, MU = 0.6, 9.81, 3.0, 0.25


def measure() -> Measurement:
    down = np.array([math.cos(ALPHA), -math.sin(ALPHA)])
    normal = np.array([math.sin(ALPHA), math.cos(ALPHA)])
    push = MASS * G * math.cos(ALPHA)
    C = -MU * push * down
    found = gauss.solve(MASS * np.eye(2), [0.0, -MASS * G], normal[None], [0.0], C=C)
    v = 1.7 * down
    work = found.work(v)
    errors = {
        "acceleration": compared(found.a, G * (math.sin(ALPHA) - MU * math.cos(ALPHA)) * down),
        "ideal part": compared(found.lagrange, push * normal),
        "part of friction": compared(found.coulomb, C),
        "work of the ideal part": abs(float(work.lagrange)) / push,
        "work of friction": abs(float(work.coulomb) / float(C @ v) - 1.0),
    }
    return Measurement(errors=errors)


NAMES = ("acceleration", "ideal part", "part of friction", "work of the ideal part", "work of friction")
CASE = Case(
    name="non_ideal_constraint",
    topic="accelerations",
    shows="Sliding friction as a constraint that does work: acceleration, the parts of the force, and their work.",
    source="Fan, Kalaba, Natsuyama and Udwadia (2005), (17) to (27)",
    citation="Fan2005",
    reference="by hand",
    trust="exact",
    steps=(0.0,),
    prepare=once(measure),
    bounds=dict.fromkeys(NAMES, 1e-13),
)
