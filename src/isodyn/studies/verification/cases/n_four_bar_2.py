"""Two four-bars side by side, through their singular configurations for ten seconds."""

from __future__ import annotations

import isodyn as iso
from isodyn.problems import four_bars, get
from isodyn.studies.verification.case import Case, Measurement, Run
from isodyn.studies.verification.runs import against_table, measured

N = 2


def prepare() -> Run:
    system, known = get("n_four_bar").system(n=float(N)), four_bars.tabulated(N)

    def run(dt: float) -> Measurement:
        every = round(0.05 / dt)
        sol = iso.integrate(system, iso.Scheme.optimal(0.5), iso.Stabilised(), dt=dt, t_end=10.0, save_every=every)
        return measured(sol, against_table(sol, known))

    return run


CASE = Case(
    name="n_four_bar_2",
    topic="test sets",
    shows="Two windows of parallelograms: where all rods lie on one line the freedom jumps from 1 to 3, and the run goes on.",
    source="IFToMM library of benchmarks, A02",
    citation="IFToMM",
    reference="one angle, twelve digits",
    trust="computed",
    steps=(0.004, 0.002, 0.001),
    prepare=prepare,
    bounds={"q": 7.1e-6, "v": 2.2e-4, "drift": 1e-11, "energy": 2.6e-6},
    orders={"q": 2.5, "v": 2.5},
    order_within=0.5,
    quick=2,
)
