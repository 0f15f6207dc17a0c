"""Newton's iteration that keeps its matrix over steps solves the equations as well as it
promises."""

from __future__ import annotations

import isodyn as iso
from isodyn.problems import get
from isodyn.studies.verification.case import Case, Measurement, Run
from isodyn.studies.verification.runs import measured, same_motion


def prepare() -> Run:
    system = get("slider_crank").system()
    scheme = iso.Scheme.U0(0.8, 1.0, 0.0)

    def run(dt: float) -> Measurement:
        runs = [
            iso.integrate(system, scheme, iso.Stabilised(), dt=dt, t_end=0.1, newton=newton)
            for newton in (iso.Newton(rtol=1e-10, reuse=True), iso.Newton(rtol=1e-13, full=True))
        ]
        return measured(runs[0], same_motion(runs[0], runs[1]), energy=False)

    return run


CASE = Case(
    name="newton_with_an_old_matrix",
    topic="truth",
    shows="Newton(reuse=True) at rtol = 1e-10 on a slider-crank: as near to a full iteration as it says.",
    source="masses and lengths of the Test Set for IVP Solvers, problem Crank",
    citation="TestSet",
    reference="Newton(full=True) at rtol = 1e-13",
    trust="agreement",
    steps=(0.001,),
    prepare=prepare,
    bounds={"q": 1e-10, "v": 1e-10, "a": 2e-9, "lam": 2e-9, "drift": 1e-12},
)
