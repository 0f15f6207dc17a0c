"""A ringing steel rod on a long rubber strand: sub-steps for the rod, one step for the strand,
against the modes of the whole."""

from __future__ import annotations

import isodyn as iso
from isodyn.problems.divided import stiff_soft_bar
from isodyn.studies.verification.case import Case, Measurement, Run
from isodyn.studies.verification.runs import compared, timed

SCHEMES = {"stiff": iso.Scheme.optimal(0.8), "soft": iso.Scheme.U0(1.0, 1.0, 0.5)}


def prepare() -> Run:
    bar = stiff_soft_bar(10, 60)
    sub = bar.subdomains()

    def run(dt: float) -> Measurement:
        sol = iso.integrate(sub, SCHEMES, substeps={"stiff": 8, "soft": 1}, dt=dt, t_end=4e-4)
        exact = bar.exact(sol.t)
        errors = {name: compared(sol.gather(name), getattr(exact, name)) for name in ("q", "v", "a")}
        return Measurement(errors=errors, drift=sol.drift().largest[1], **timed(sol))

    return run


CASE = Case(
    name="steel_and_rubber",
    topic="subdomains",
    shows="Eight sub-steps in the steel rod for one in the rubber strand: second order in all of the bar.",
    source="own problem",
    reference="sum of modes",
    trust="exact",
    steps=(1e-5, 5e-6, 2.5e-6),
    prepare=prepare,
    bounds={"q": 5.3e-6, "v": 2.1e-3, "a": 2.2e-3, "drift": 1e-12},
    orders={"q": 2, "v": 2, "a": 2},
)
