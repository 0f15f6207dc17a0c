"""A body that turns over (Dzhanibekov): angular velocity by elliptic functions."""

from __future__ import annotations

import numpy as np
from scipy.special import ellipj, ellipk

import isodyn as iso
from isodyn.kernels.compiled import FloatArray
from isodyn.problems import get, tops
from isodyn.studies.verification.case import Case, Measurement, Run
from isodyn.studies.verification.runs import compared, measured


def spin(t: FloatArray, rate: float, nudge: float) -> FloatArray:
    """ω(t) from (nudge, rate, 0), sizes of the three components."""
    I1, I2, I3 = tops.MOMENTS
    L2, E2 = (I1 * nudge) ** 2 + (I2 * rate) ** 2, I1 * nudge**2 + I2 * rate**2
    p = np.sqrt((I2 - I1) * (E2 * I3 - L2) / (I1 * I2 * I3))
    m = (I3 - I2) * (L2 - E2 * I1) / ((I2 - I1) * (E2 * I3 - L2))
    squares = (
        (E2 * I3 - L2) / (I1 * (I3 - I1)),
        (L2 - E2 * I1) / (I2 * (I2 - I1)),
        (L2 - E2 * I1) / (I3 * (I3 - I1)),
    )
    sn, cn, dn, _ = ellipj(p * t + ellipk(m), m)
    return np.sqrt(squares) * np.abs(np.column_stack([dn, sn, cn]))


def prepare() -> Run:
    problem = get("free_body")
    system, parameters = problem.system(), problem.parameters

    def run(dt: float) -> Measurement:
        sol = iso.integrate(system, iso.Scheme.V0(1.0, 1.0, 0.0), dt=dt, t_end=8.0)
        exact = spin(sol.t, parameters["rate"], parameters["nudge"])
        return measured(sol, {"v": compared(np.abs(sol.v[:, 3:]), exact)})

    return run


CASE = Case(
    name="free_body_elliptic",
    topic="closed forms",
    shows="Rotation about the middle axis turns over: sizes of the angular velocities by elliptic functions.",
    source="Euler's equations",
    reference="elliptic functions",
    trust="exact",
    steps=(0.01, 0.005, 0.0025),
    prepare=prepare,
    bounds={"v": 2.9e-6},
    orders={"v": 2},
)
