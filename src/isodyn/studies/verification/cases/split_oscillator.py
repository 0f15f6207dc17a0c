"""An oscillator in two subdomains with schemes of their own, loaded on both halves.

q = q₀ cos ωt + (v₀ − A)/ω sin ωt + A sin t,    ω² = 500,   A = 2/49.9,    λ = sin t − 5q − 0.095a
"""

from __future__ import annotations

import numpy as np

import isodyn as iso
from isodyn.studies.verification.case import Case, Measurement, Run
from isodyn.studies.verification.runs import compared, timed

Q0, V0 = 1.0, 0.5
S = iso.Scheme
SCHEMES = {"1": S.U0(1, 1, 0.5), "2": S.optimal(0.5)}


def prepare() -> Run:
    parts = {
        name: iso.LinearSystem(m, None, k, lambda t: np.array([np.sin(t)]), [Q0], [V0])
        for name, m, k in (("1", 0.095, 5.0), ("2", 0.005, 45.0))
    }
    sub = iso.Subdomains(parts, ties=[("1", 0, "2", 0)])

    def run(dt: float) -> Measurement:
        sol = iso.integrate(sub, SCHEMES, substeps={"1": 1, "2": 2}, dt=dt, t_end=0.5)
        t, w, A = sol.t, np.sqrt(500.0), 2.0 / 49.9
        q = Q0 * np.cos(w * t) + (V0 - A) / w * np.sin(w * t) + A * np.sin(t)
        v = -Q0 * w * np.sin(w * t) + (V0 - A) * np.cos(w * t) + A * np.cos(t)
        a = -(w**2) * Q0 * np.cos(w * t) - (V0 - A) * w * np.sin(w * t) - A * np.sin(t)
        errors = {
            name: max(compared(getattr(sol[part], name)[:, 0], exact) for part in "12")
            for name, exact in (("q", q), ("v", v), ("a", a))
        }
        errors["lam"] = compared(sol.lam[:, 0], np.sin(t) - 5.0 * q - 0.095 * a)
        return Measurement(errors=errors, drift=sol.drift().largest[1], **timed(sol))

    return run


CASE = Case(
    name="split_oscillator",
    topic="documents",
    shows="Two subdomains, two schemes, two sub-steps in the stiff one: second order on both sides and in the interface force.",
    source="Shimada (2014), example 4.5.1",
    citation="Shimada2014",
    reference="closed form for the load sin t",
    trust="exact",
    steps=(0.002, 0.001, 0.0005),
    prepare=prepare,
    bounds={"q": 4.8e-5, "v": 4.1e-5, "a": 2.7e-4, "lam": 4.9e-5, "drift": 1e-12},
    orders={"q": 2, "v": 2, "a": 2, "lam": 2},
)
