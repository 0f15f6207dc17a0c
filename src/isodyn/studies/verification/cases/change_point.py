"""A parallelogram that starts stretched, in its change point, with the rate of its crank.

Rods of 1, 2, 1 m on a ground of 2 m. At velocity level the rocker may have any rate ψ̇ = θ̇ + 2φ̇;
the motion goes on only where θ̇² + 2φ̇² = ψ̇² too: φ̇ = 0, ψ̇ = θ̇ (parallelogram) or φ̇ = −2θ̇,
ψ̇ = −3θ̇ (crossed).
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

import isodyn as iso
from isodyn.errors import BranchError, IsodynError
from isodyn.studies.verification.case import Case, Measurement, Run
from isodyn.studies.verification.runs import compared, measured

RATE = 1.5


def linkage() -> iso.Mechanism:
    """Three planar rods on one line: crank and rocker of 1 m, coupler and ground of 2 m."""
    mech = iso.Mechanism(gravity=(0, 0, 0))
    for name, start, end in (("crank", 0.0, 1.0), ("coupler", 1.0, 3.0), ("rocker", 2.0, 3.0)):
        length = end - start
        mech.add_body(name, length, length**3 / 12, (0.5 * (start + end), 0.0), kind="planar")
    places = (("A", "ground", "crank", 0.0), ("B", "crank", "coupler", 1.0))
    for name, first, second, x in (*places, ("C", "rocker", "coupler", 3.0), ("D", "ground", "rocker", 2.0)):
        mech.add_joint(iso.Hinge(name, first, second, point=(x, 0, 0), axis=(0, 0, 1)))
    return mech


def run_with(rates: dict[str, float], dt: float) -> iso.Solution:
    system = linkage().assemble(rates=rates).system
    return iso.integrate(system, iso.Scheme.U0(0.8, 1.0, 0.0), iso.Stabilised(), dt=dt, t_end=1.0)


def steadiness(sol: iso.Solution) -> float:
    kinetic, _ = sol.energy()
    return compared(kinetic, np.full(sol.t.size, kinetic[0]))


def crank_alone(dt: float) -> tuple[dict[str, float], tuple[str, ...]]:
    """Of one given rate: on a branch and in balance, or refused with the branches to choose
    from."""
    names = ("rate of the crank", "rate of the rocker", "kinetic energy")
    try:
        sol = run_with({"A": RATE}, dt)
    except IsodynError as refusal:
        told = 0.0 if isinstance(refusal, BranchError) else 1.0
        return dict.fromkeys(names, told), (f"refused: {str(refusal).splitlines()[0]}",)
    crank, rocker = (float(sol.joint(x).angle_rate[0]) for x in "AD")
    off_branches = min(abs(rocker - RATE), abs(rocker + 3 * RATE)) / RATE
    return dict(zip(names, (abs(crank / RATE - 1.0), off_branches, steadiness(sol)), strict=True)), ()


def prepare() -> Run:
    def run(dt: float) -> Measurement:
        errors, notes = crank_alone(dt)
        # both alike: the parallelogram, turning steadily
        sol = run_with({"A": RATE, "D": RATE}, dt)
        errors["angle, both rates given"] = compared(sol.joint("A").angle, RATE * sol.t)
        errors["kinetic energy, both rates given"] = steadiness(sol)
        return replace(measured(sol, errors), notes=notes)

    return run


CASE = Case(
    name="change_point",
    topic="truth",
    shows="A parallelogram started exactly in its change point: rates of one of its two branches, kept energy, or a refusal.",
    source="own problem",
    reference="rates of the two branches",
    trust="exact",
    steps=(0.01,),
    prepare=prepare,
    bounds={
        "rate of the crank": 1e-10,
        "rate of the rocker": 1e-8,
        "kinetic energy": 1e-3,
        "angle, both rates given": 2.3e-5,
        "kinetic energy, both rates given": 1.3e-6,
    },
)
