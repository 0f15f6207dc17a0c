"""Small motions of two hanging rods: frequencies of the 2 × 2 problem in angles, of planar and of
spatial bodies."""

from __future__ import annotations

import numpy as np
from scipy.linalg import eigh

import isodyn as iso
from isodyn.studies.verification.case import Case, Measurement
from isodyn.studies.verification.runs import compared, once

# name, mass, height of the upper end, length
RODS = (("upper", 1.0, 0.0, 1.0), ("lower", 2.0, 1.0, 0.7))
G = 9.81


def pendulum(planar: bool) -> iso.Mechanism:
    mech = iso.Mechanism(gravity=(0, -G, 0))
    for name, mass, top, length in RODS:
        J, place = mass * length**2 / 12, (0.0, -(top + 0.5 * length), 0.0)
        if planar:
            mech.add_body(name, mass, J, place, kind="planar")
        else:
            mech.add_body(name, mass, (J, 1e-2 * J, J), place)
    mech.add_joint(iso.Hinge("shoulder", "ground", "upper", point=(0, 0, 0), axis=(0, 0, 1)))
    mech.add_joint(iso.Hinge("elbow", "upper", "lower", point=(0, -1.0, 0), axis=(0, 0, 1)))
    return mech


def measure() -> Measurement:
    (_, m1, _, l1), (_, m2, _, l2) = RODS
    M = np.array([[m1 * l1**2 / 3 + m2 * l1**2, m2 * l1 * l2 / 2], [m2 * l1 * l2 / 2, m2 * l2**2 / 3]])
    K = np.diag([(m1 / 2 + m2) * G * l1, m2 * G * l2 / 2])
    omega = np.sqrt(eigh(K, M, eigvals_only=True))
    found = {
        name: iso.linearise(pendulum(planar).compile()).omega for name, planar in (("planar", True), ("spatial", False))
    }
    return Measurement(errors={name: compared(values, omega) for name, values in found.items()})


CASE = Case(
    name="double_pendulum_frequencies",
    topic="mechanisms",
    shows="Frequencies of a double pendulum from its joints and gravity, planar and spatial.",
    source="textbook",
    reference="eigenvalues of the equations in angles",
    trust="exact",
    steps=(0.0,),
    prepare=once(measure),
    bounds={"planar": 1e-10, "spatial": 1e-10},
)
