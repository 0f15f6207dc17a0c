"""A POD basis of full rank changes nothing."""

from __future__ import annotations

import numpy as np

import isodyn as iso
from isodyn.studies.verification.case import Case, Measurement, Run
from isodyn.studies.verification.runs import measured, same_motion

N = 6


def prepare() -> Run:
    rng = np.random.default_rng(5)
    root, stiff = rng.standard_normal((2, N, N))
    M, K = root @ root.T + N * np.eye(N), stiff @ stiff.T + np.eye(N)
    q0, v0 = rng.standard_normal((2, N))
    load = rng.standard_normal(N)
    system = iso.LinearSystem(M, 0.02 * K + 0.1 * M, K, lambda t: np.sin(3.0 * t) * load, q0, v0)

    def run(dt: float) -> Measurement:
        scheme = iso.Scheme.U0(0.7, 0.9, 0.2)
        sol = iso.integrate(system, scheme, dt=dt, t_end=4.0)
        basis = iso.pod(sol, rank=N)
        back = basis.lift(iso.integrate(iso.reduce(system, basis), scheme, dt=dt, t_end=4.0))
        return measured(sol, same_motion(sol, back), energy=False)

    return run


CASE = Case(
    name="full_basis",
    topic="reduction",
    shows="Six coupled, damped and loaded coordinates in six POD directions move as before.",
    source="Shimada (2014), appendix C",
    citation="Shimada2014",
    reference="the full system",
    trust="agreement",
    steps=(0.05,),
    prepare=prepare,
    bounds={"q": 1e-11, "v": 1e-11, "a": 1e-11},
)
