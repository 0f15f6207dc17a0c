"""A plate of 1000 elements in three POD directions, against an independent program.

Snapshots by optimal(0.5), Δt = 0.05; reduced and benchmark runs by V0(1, 1, 0), Δt = 0.01.
Deflections of the tip (5, 0.5) at t = 0.1 … 1.
"""

from __future__ import annotations

import numpy as np

import isodyn as iso
from isodyn.problems import get, plate
from isodyn.studies.verification.case import Case, Measurement, Run
from isodyn.studies.verification.runs import compared

TIP = (10.0769149, 0.3107368, 9.8999208, 0.2621276, 10.0320079, 0.4266295, 9.5617346, 0.7477152, 9.5066624, 0.7949013)
REDUCED = (10.049885, 0.762154)  # at t = 0.5 and 1


def prepare() -> Run:
    system = get("plate").system()  # made by scikit-fem
    fine = (iso.Scheme.V0(1, 1, 0), 0.01)
    tip = plate.unknown(5.0, 0.5) + 1

    def run(_: float) -> Measurement:
        benchmark = iso.integrate(system, fine[0], dt=fine[1], t_end=1.0)
        study = iso.reduction.reduction_study(
            system, snapshots=(iso.Scheme.optimal(0.5), 0.05), reduced=fine, t_end=1.0, rank=3, benchmark=benchmark
        )
        errors = {
            "tip of the full plate": compared(benchmark.q[10::10, tip], TIP),
            "tip of the reduced plate": compared(study.lifted.q[[50, 100], tip], REDUCED),
            "error of q at the tip": abs(study.error("q", tip) - 2.413e-3),
            "error of v at the tip": abs(study.error("v", tip) - 0.1290),
        }
        values = {name: float(np.max(x)) for name, x in errors.items()}
        return Measurement(errors=values, steps=benchmark.stats.steps, seconds=benchmark.stats.seconds)

    return run


CASE = Case(
    name="plate_reduced",
    topic="documents",
    shows="A plate of 2200 unknowns in three POD directions: tip of the full and of the reduced plate, and their difference.",
    source="Shimada (2014), example C.4.2",
    citation="Shimada2014",
    reference="an independent program, seven digits",
    trust="computed",
    steps=(0.0,),
    prepare=prepare,
    bounds={
        "tip of the full plate": 1e-7,
        "tip of the reduced plate": 2e-6,
        "error of q at the tip": 2e-6,
        "error of v at the tip": 1e-4,
    },
)
