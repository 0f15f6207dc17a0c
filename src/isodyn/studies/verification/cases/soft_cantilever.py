"""A soft cantilever under its own weight, against a boundary value problem; the steps of this case
are lengths of elements.

R' = (1 + ν) e(θ),   EI (1 + ν)² θ' = M,   EA ν + EI (1 + ν) θ'² = N,   M' = (1 + ν) w (L − s) cos θ,   N = −w (L − s) sin θ
"""

from __future__ import annotations

import numpy as np
from scipy.integrate import solve_bvp

import isodyn as iso
from isodyn.kernels.compiled import FloatArray
from isodyn.studies.verification.case import Case, Measurement, Run

LENGTH, EA, EI, RHO_A, G = 2.0, 1e6, 2500 / 3, 78.0, 9.81


def tip() -> float:
    """u_x of the tip."""
    w = RHO_A * G

    def stretch(s: FloatArray, y: FloatArray) -> FloatArray:
        N = -w * (LENGTH - s) * np.sin(y[0]) / EA
        nu = N
        for _ in range(8):
            nu = N - y[1] ** 2 / (EI * EA * (1 + nu) ** 3)
        return np.asarray(1 + nu)

    def slopes(s: FloatArray, y: FloatArray) -> FloatArray:
        x = stretch(s, y)
        return np.array([y[1] / (EI * x**2), x * np.cos(y[0]) * w * (LENGTH - s)])

    s = np.linspace(0.0, LENGTH, 101)
    found = solve_bvp(slopes, lambda a, b: np.array([a[0], b[1]]), s, np.array([-s / LENGTH, 0 * s]), tol=1e-8)
    fine = np.linspace(0.0, LENGTH, 20001)
    y = found.sol(fine)
    return float(np.trapezoid(stretch(fine, y) * np.cos(y[0]), fine) - LENGTH)


def prepare() -> Run:
    exact = tip()

    def run(length: float) -> Measurement:
        section = iso.Section(EA=EA, EI=EI, rhoA=RHO_A)
        beam = iso.Beam([(0, 0), (LENGTH, 0)], elements=round(LENGTH / length), section=section, gravity=(0, -G))
        beam.clamp("start")
        found = float(iso.equilibrium(beam.compile()).q[-4]) - LENGTH
        return Measurement(errors={"shortening of the tip": abs(found / exact - 1.0)})

    return run


CASE = Case(
    name="soft_cantilever",
    topic="beams",
    shows="A strip of 78 kg/m that hangs from its clamp: shortening of its tip with 16, 32 and 64 elements.",
    source="Exudyn, MiniExamples/ObjectANCFCable2D.py",
    link="https://github.com/jgerstmayr/EXUDYN",
    reference="boundary value problem",
    trust="computed",
    steps=(1 / 8, 1 / 16, 1 / 32),
    prepare=prepare,
    bounds={"shortening of the tip": 2.5e-4},
    orders={"shortening of the tip": 2},
    peers=(
        "Exudyn, 32 cable elements: −0.5013058, 0.2 % apart, with another measure of curvature, whose own limit it is to 1e-7",
    ),
)
