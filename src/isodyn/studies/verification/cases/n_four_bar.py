"""Four-bars side by side, through their singular configurations for ten seconds."""

from __future__ import annotations

import isodyn as iso
from isodyn.problems import four_bars, get
from isodyn.studies.verification.case import Case, Measurement, Run
from isodyn.studies.verification.runs import against_table, measured


def prepare(n: int) -> Run:
    system, known = get("n_four_bar").system(n=float(n)), four_bars.tabulated(n)

    def run(dt: float) -> Measurement:
        every = round(0.05 / dt)
        sol = iso.integrate(system, iso.Scheme.optimal(0.5), iso.Stabilised(), dt=dt, t_end=10.0, save_every=every)
        return measured(sol, against_table(sol, known))

    return run


def case(n: int, word: str, steps: tuple[float, ...], q: float, v: float, energy: float) -> Case:
    return Case(
        name=f"n_four_bar_{n}",
        topic="test sets",
        shows=f"{word} windows of parallelograms: where all rods lie on one line the freedom jumps from 1 to {n + 1}, and the run goes on.",
        source="IFToMM library of benchmarks, A02",
        citation="IFToMM",
        reference="one angle, twelve digits",
        trust="computed",
        steps=steps,
        prepare=lambda: prepare(n),
        bounds={"q": q, "v": v, "drift": 1e-11, "energy": energy},
        orders={"q": 2.5, "v": 2.5},
        order_within=0.5,
        quick=len(steps) - 1,
    )


CASES = (
    case(2, "Two", (0.004, 0.002, 0.001), q=7.1e-6, v=2.2e-4, energy=2.6e-6),
    case(40, "Forty", (0.004, 0.002), q=2.7e-5, v=8.9e-4, energy=1.1e-5),
)
