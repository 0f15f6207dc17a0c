"""The nodding of a heavy top by elliptic functions.

u = cos θ,   u̇² = (2E' − w u)(1 − u²)/A − ((L − C ω₃ u)/A)²,    u = u₁ + (u₂ − u₁) sn²(2K t/T + K, m)
"""

from __future__ import annotations

import numpy as np
from scipy.special import ellipj, ellipk

import isodyn as iso
from isodyn.kernels.compiled import FloatArray
from isodyn.problems import get, tops
from isodyn.studies.verification.case import Case, Measurement, Run
from isodyn.studies.verification.runs import compared, measured


def height(t: FloatArray, theta: float, precession: float, spin: float) -> FloatArray:
    """cos θ(t) of a top that starts with θ̇ = 0."""
    A, C, w = tops.ACROSS + tops.MASS * tops.CENTRE**2, tops.AXIAL, 2 * tops.MASS * 9.81 * tops.CENTRE
    spin3 = spin + precession * np.cos(theta)
    L = A * precession * np.sin(theta) ** 2 + C * spin3 * np.cos(theta)
    E = A * (precession * np.sin(theta)) ** 2 + w * np.cos(theta)
    u = np.polynomial.Polynomial([0, 1])
    cubic = (E - w * u) * (1 - u**2) / A - ((L - C * spin3 * u) / A) ** 2
    u1, u2, u3 = np.sort(cubic.roots().real)
    m = (u2 - u1) / (u3 - u1)
    K = ellipk(m)
    upper = abs(np.cos(theta) - u2) < abs(np.cos(theta) - u1)
    sn = ellipj(0.5 * np.sqrt(w / A * (u3 - u1)) * t + (K if upper else 0.0), m)[0]
    return np.asarray(u1 + (u2 - u1) * sn**2)


def prepare() -> Run:
    problem = get("spinning_top")
    system, parameters = problem.system(), dict(problem.parameters)

    def run(dt: float) -> Measurement:
        sol = iso.integrate(system, iso.Scheme.U0(0.8, 0.8, 0.8), iso.Stabilised(), dt=dt, t_end=0.5)
        nodding = sol.body("top").R[:, 2, 2]
        exact = height(sol.t, **parameters)
        kept = problem.invariants(sol)
        assert kept is not None
        spin = kept["spin"]
        errors = {"cos θ": compared(nodding, exact, float(np.ptp(exact))), "spin": float(np.ptp(spin) / abs(spin[0]))}
        return measured(sol, errors)

    return run


CASE = Case(
    name="heavy_top_elliptic",
    topic="closed forms",
    shows="A fast top nods by an elliptic function of time; its spin about its axis stays.",
    source="textbook",
    reference="elliptic functions",
    trust="exact",
    steps=(0.002, 0.001, 0.0005),
    prepare=prepare,
    bounds={"cos θ": 4.2e-3, "spin": 1e-8, "drift": 1e-12, "energy": 9e-7},
    orders={"cos θ": 2},
    peers=(
        "on a heavy top of other data, 20,000 steps: Exudyn, generalised-α with Euler parameters, 4.8e-5; its Lie-group form stops",
        "on the same: MuJoCo's Euler steps are off by the order of one",
    ),
)
