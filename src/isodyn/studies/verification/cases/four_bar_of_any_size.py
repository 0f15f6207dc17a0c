"""One four-bar from a nanometre to a million kilometres, from 1e-12 to 1e12 kg and s: one
motion."""

from __future__ import annotations

from typing import Any

import numpy as np

import isodyn as iso
from isodyn.studies.verification.case import Case, Measurement, Run

POINTS = np.array([[0.0, 0.0], [0.1, 0.3], [0.9, 0.6], [1.0, 0.0]])
SIZES = (1e-9, 3e-8, 1e-7, 1e-4, 1e3, 1e6, 1e9)
MASSES = (1e-12, 1e-6, 1e6, 1e12)
TIMES = (1e-12, 1e-6, 1e6, 1e12)
STEPS = 100


def run_one(length: float, mass: float, time: float) -> tuple[Any, dict[str, Any]]:
    """Motion in units of length, mass and time; the crank starts with 3 rad per unit of time,
    gravity 9.81 in those units."""
    mech = iso.Mechanism(gravity=(0, -9.81 * length / time**2, 0))
    names = ("crank", "coupler", "rocker")
    for name, A, B in zip(names, POINTS[:-1], POINTS[1:], strict=True):
        along = B - A
        size = float(np.linalg.norm(along))
        inertia = mass * length**2 * size**3 / 12
        mech.add_body(name, mass * size, inertia, length * 0.5 * (A + B), np.arctan2(along[1], along[0]), kind="planar")
    chain = ("ground", *names, "ground")
    for k, point in enumerate(POINTS):
        mech.add_joint(iso.Hinge("ABCD"[k], chain[k], chain[k + 1], point=(*(length * point), 0), axis=(0, 0, 1)))
    system = mech.assemble(rates={"A": 3.0 / time}).system
    sol = iso.integrate(
        system, iso.Scheme.U0(0.8, 1.0, 0.0), iso.Stabilised(), dt=0.005 * time, t_end=STEPS * 0.005 * time
    )
    units = np.tile([length, length, 1.0], 3)
    return sol, {"q": sol.q / units, "v": sol.v * time / units, "a": sol.a * time**2 / units}


def prepare() -> Run:
    def run(_: float) -> Measurement:
        sol, unit = run_one(1.0, 1.0, 1.0)
        errors = {}
        for what, sizes in (("length", SIZES), ("mass", MASSES), ("time", TIMES)):
            worst = 0.0
            for size in sizes:
                scales = {"length": 1.0, "mass": 1.0, "time": 1.0, what: size}
                _, other = run_one(**scales)
                worst = max([worst, *(np.abs(other[x] - unit[x]).max() / np.abs(unit[x]).max() for x in unit)])
            errors[f"motion, other {what}"] = float(worst)
        return Measurement(errors=errors, steps=sol.stats.steps, seconds=sol.stats.seconds)

    return run


CASE = Case(
    name="four_bar_of_any_size",
    topic="truth",
    shows="The same four-bar in other units of length, mass and time moves alike: tolerances are relative.",
    source="own problem",
    reference="the motion in units of one",
    trust="agreement",
    steps=(0.0,),
    prepare=prepare,
    bounds={"motion, other length": 1e-9, "motion, other mass": 1e-9, "motion, other time": 1e-9},
)
