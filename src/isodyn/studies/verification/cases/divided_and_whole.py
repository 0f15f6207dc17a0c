"""A chain of masses in two subdomains with one scheme and one step moves as the undivided chain."""

from __future__ import annotations

import isodyn as iso
from isodyn.problems.divided import mass_chain
from isodyn.studies.verification.case import Case, Measurement, Run
from isodyn.studies.verification.runs import compared, timed


def prepare() -> Run:
    divided = mass_chain()
    sub = iso.partition(divided.elements, divided.sets)
    whole = divided.elements.assemble()

    def run(dt: float) -> Measurement:
        scheme = iso.Scheme.U0(0.5, 0.5, 0.5)
        sol = iso.integrate(sub, scheme, dt=dt, t_end=100 * dt)
        alone = iso.integrate(whole, scheme, dt=dt, t_end=100 * dt)
        errors = {name: compared(sol.gather(name), getattr(alone, name)) for name in ("q", "v", "a")}
        return Measurement(errors=errors, drift=sol.drift().largest[1], **timed(sol))

    return run


CASE = Case(
    name="divided_and_whole",
    topic="subdomains",
    shows="A chain in subdomains with one scheme for all equals the undivided chain to rounding.",
    source="own problem",
    reference="the undivided run",
    trust="agreement",
    steps=(0.01,),
    prepare=prepare,
    bounds={"q": 1e-11, "v": 1e-11, "a": 1e-10, "drift": 1e-12},
)
