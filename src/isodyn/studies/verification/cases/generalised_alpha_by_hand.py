"""A damped, forced Duffing oscillator stepped by the generalised-α method as Chung and Hulbert
print it: the same numbers.

a_{n+1−αm} + 2ξ v_{n+1−αf} + q³_{…} + q_{…} = f(t_{n+1−αf}),    started from the same first step
"""

from __future__ import annotations

import numpy as np
from scipy.optimize import brentq

import isodyn as iso
from isodyn.kernels.compiled import FloatArray
from isodyn.studies.verification.case import Case, Measurement, Run
from isodyn.studies.verification.runs import compared, measured

XI, RHO = 0.15, 0.6


def force(q: float, v: float, t: float) -> float:
    return float(np.cos(1.3 * t) - q - 0.4 * q**3 - 2 * XI * v)


def by_hand(sol: iso.Solution, dt: float) -> FloatArray:
    """From the state after the first step, in the paper's own terms; a is carried at t_n − φΔt."""
    alpha_m, alpha_f = (2 * RHO - 1) / (RHO + 1), RHO / (RHO + 1)
    gamma = 0.5 - alpha_m + alpha_f
    beta = 0.25 * (1 - alpha_m + alpha_f) ** 2
    phi = alpha_f - alpha_m  # a_n belongs to t_n − φΔt
    t, q, v = float(sol.t[1]), float(sol.q[1, 0]), float(sol.v[1, 0])
    a = float(phi * sol.a[0, 0] + (1 - phi) * sol.a[1, 0])
    rows = [(q, v)]
    for _ in range(sol.t.size - 2):
        low, high = a - 50.0, a + 50.0

        def gap(a1: float, t: float = t, q: float = q, v: float = v, a: float = a) -> float:
            q1 = q + dt * v + dt**2 * ((0.5 - beta) * a + beta * a1)
            v1 = v + dt * ((1 - gamma) * a + gamma * a1)
            there = (1 - alpha_f) * np.array([q1, v1, t + dt]) + alpha_f * np.array([q, v, t])
            return (1 - alpha_m) * a1 + alpha_m * a - force(*there)

        new = float(brentq(gap, low, high, xtol=1e-14, rtol=1e-15))
        q, v = (
            q + dt * v + dt**2 * ((0.5 - beta) * a + beta * new),
            v + dt * ((1 - gamma) * a + gamma * new),
        )
        a, t = new, t + dt
        rows.append((q, v))
    return np.array(rows)


def prepare() -> Run:
    system = iso.MechanicalSystem(
        1.0, lambda q, v, t: np.array([force(q[0], v[0], t)]), np.array([0.7]), np.array([-0.3])
    )

    def run(dt: float) -> Measurement:
        scheme = iso.Scheme.U0(RHO, RHO, RHO)
        sol = iso.integrate(system, scheme, dt=dt, t_end=200 * dt, newton=iso.Newton(rtol=1e-13, full=True))
        hand = by_hand(sol, dt)
        errors = {"q": compared(sol.q[1:, 0], hand[:, 0]), "v": compared(sol.v[1:, 0], hand[:, 1])}
        return measured(sol, errors)

    return run


CASE = Case(
    name="generalised_alpha_by_hand",
    topic="integration",
    shows="200 steps of a forced, damped Duffing oscillator equal those of the printed generalised-α formulas.",
    source="Chung and Hulbert (1993)",
    citation="ChungHulbert1993",
    reference="the printed recursion, solved by bisection",
    trust="agreement",
    steps=(0.1,),
    prepare=prepare,
    bounds={"q": 1e-10, "v": 1e-10},
)
