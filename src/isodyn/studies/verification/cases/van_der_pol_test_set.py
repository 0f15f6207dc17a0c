"""Van der Pol's equation with μ = 1000, up to t = 2000: slow drift with long steps, and two jumps
with short ones.

The jumps lie at t ≈ 807.085 and 1614.285; each takes about 1/μ. A stretch of time has one step; the
runs follow each other.
"""

from __future__ import annotations

import isodyn as iso
from isodyn.problems import van_der_pol  # compiled, or loaded, here and not when cases are listed
from isodyn.problems.data import load
from isodyn.studies.verification.case import Case, Measurement, Run

JUMPS = (807.085, 1614.285)
AROUND = (
    (-50.0, 0.05),
    (-10.0, 0.02),
    (-3.0, 5e-3),
    (-0.5, 1e-3),
    (-0.1, 2e-4),
    (0.02, 4e-6),
    (1.0, 1e-3),
)  # until then, this step
STRETCHES = ((0.02, 1e-5), (1.0, 1e-3), *((jump + until, dt) for jump in JUMPS for until, dt in AROUND), (2000.0, 0.05))


def prepare() -> Run:
    data = load("van_der_pol.json")
    known = [float(x) for x in data["reference_t2000"]]

    def run(share: float) -> Measurement:
        t, q, v = 0.0, *(float(x) for x in data["y0"])
        steps, iterations, seconds = 0, 0, 0.0
        for end, dt in STRETCHES:
            system = van_der_pol.build(float(data["mu"]), q, v)
            sol = iso.integrate(system, iso.Scheme.U0(0.0, 0.0, 0.0), dt=share * dt, t0=t, t_end=end, save_every=10**6)
            t, q, v = end, float(sol.q[-1, 0]), float(sol.v[-1, 0])
            steps, iterations = steps + sol.stats.steps, iterations + sol.stats.iterations
            seconds += sol.stats.seconds
        errors = {"q": abs(q / known[0] - 1.0), "v": abs(v / known[1] - 1.0)}
        return Measurement(errors=errors, steps=steps, iterations=iterations, seconds=seconds)

    return run


CASE = Case(
    name="van_der_pol_test_set",
    topic="test sets",
    shows="Van der Pol's oscillator at μ = 1000 over two jumps; the steps are shares of those of its stretches.",
    source="Test Set for IVP Solvers, problem van der Pol",
    citation="TestSet",
    link="https://archimede.uniba.it/~testset/",
    reference="published digits at t = 2000",
    trust="published",
    steps=(1.0, 0.5, 0.25),
    prepare=prepare,
    bounds={"q": 5.1e-7, "v": 1.1e-6},
    orders={"q": 2, "v": 2},
)
