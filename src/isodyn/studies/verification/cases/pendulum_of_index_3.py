"""A pendulum as a first-order system with its constraint at position level: solved, or refused with
the reason."""

from __future__ import annotations

import numpy as np

import isodyn as iso
from isodyn.errors import IsodynError
from isodyn.problems import pendulum
from isodyn.studies.verification.case import Case, Measurement, Run
from isodyn.studies.verification.runs import compared, measured

G = pendulum.GRAVITY
ANGLE, RATE = 0.9, 1.0


def prepare() -> Run:
    start = pendulum.planar_motion(np.zeros(1), 1.0, 1.0, ANGLE, RATE)
    assert start is not None
    assert start.lam is not None
    system = iso.FirstOrderSystem(
        lambda s, z, t: np.array([s[2], s[3], -z[0] * s[0], -z[0] * s[1] - G]),
        np.concatenate([start.q[0], start.v[0]]),
        z0=start.lam[0],
        c=lambda s, z, t: np.array([0.5 * (s[0] ** 2 + s[1] ** 2 - 1.0)]),
    )

    def run(dt: float) -> Measurement:
        try:
            sol = iso.integrate(system, iso.Scheme.V0(1.0, 1.0, 0.0), dt=dt, t_end=1.0)
        except IsodynError as refusal:
            told = 0.0 if "index" in str(refusal) else 1.0
            return Measurement(errors={"v": told, "lam": told}, notes=(f"refused: {str(refusal).splitlines()[0]}",))
        exact = pendulum.planar_motion(sol.t, 1.0, 1.0, ANGLE, RATE)
        assert exact is not None
        assert exact.lam is not None
        errors = {"v": compared(sol.s, np.hstack([exact.q, exact.v])), "lam": compared(sol.z, exact.lam)}
        return measured(sol, errors)

    return run


CASE = Case(
    name="pendulum_of_index_3",
    topic="truth",
    shows="A constraint at position level in a first-order system (index 3): right multipliers, or a refusal that says why.",
    source="own problem",
    reference="elliptic functions",
    trust="exact",
    steps=(0.01, 0.005),
    prepare=prepare,
    bounds={"v": 6e-5, "lam": 9e-5},
    orders={"v": 2, "lam": 2},
)
