"""Members of an ensemble equal their single runs to the last bit."""

from __future__ import annotations

import numpy as np

import isodyn as iso
from isodyn.problems import get
from isodyn.studies.verification.case import Case, Measurement, Run
from isodyn.studies.verification.runs import measured


def prepare() -> Run:
    system = get("slider_crank").system()
    starts = np.outer(np.linspace(0.5, 1.5, 8), system.v0)

    def run(dt: float) -> Measurement:
        scheme, formulation = iso.Scheme.U0(0.8, 1.0, 0.0), iso.Stabilised()
        ens = iso.ensemble(system, scheme, formulation, v0=starts, threads=2, dt=dt, t_end=0.05)
        worst = dict.fromkeys(("q", "v", "a", "lam"), 0.0)
        for i in range(len(ens)):
            alone = iso.integrate(ens.system(i), scheme, formulation, dt=dt, t_end=0.05)
            for name in worst:
                worst[name] = max(worst[name], float(np.abs(getattr(ens, name)[i] - getattr(alone, name)).max()))
        return measured(alone, worst)

    return run


CASE = Case(
    name="ensemble_and_single",
    topic="integration",
    shows="Eight starts of a slider-crank together and one by one: equal bit for bit.",
    source="own problem",
    reference="single runs",
    trust="agreement",
    steps=(0.0005,),
    prepare=prepare,
    bounds={"q": 0.0, "v": 0.0, "a": 0.0, "lam": 0.0, "drift": 1e-12},
)
