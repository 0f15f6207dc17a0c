"""The position level with both radii below one: multipliers of second order once the start is
damped out."""

from __future__ import annotations

import isodyn as iso
from isodyn.problems import get
from isodyn.studies.verification.case import Case, Measurement, Run
from isodyn.studies.verification.runs import compared, measured

SETTLED = 0.5  # seconds


def prepare() -> Run:
    problem = get("pendulum")
    system = problem.system()

    def run(dt: float) -> Measurement:
        sol = iso.integrate(system, iso.Scheme.U0(0.4, 0.7, 0.3), iso.PositionLevel(), dt=dt, t_end=2.0)
        exact = problem.exact(sol.t)
        assert exact is not None
        assert exact.lam is not None
        late = sol.t > SETTLED
        errors = {"q": compared(sol.q, exact.q), "lam, settled": compared(sol.lam[late], exact.lam[late])}
        return measured(sol, errors)

    return run


CASE = Case(
    name="position_level_multipliers",
    topic="truth",
    shows="U0(0.4, 0.7, 0.3) at position level: second order in the multipliers after its start.",
    source="textbook",
    reference="elliptic functions",
    trust="exact",
    steps=(0.01, 0.005, 0.0025),
    prepare=prepare,
    bounds={"q": 1e-4, "lam, settled": 1e-4},
    orders={"q": 2, "lam, settled": 2},
)
