"""The rigid pendulum of Pennestrì and Valentini by every null-space basis and form: the exact angle
after one second."""

from __future__ import annotations

import math
from typing import Any, get_args

import isodyn as iso
from isodyn.formulations.gauss import Basis, Form
from isodyn.problems import get
from isodyn.studies.verification.case import Case, Measurement, Run
from isodyn.studies.verification.runs import timed

END = (-0.197672836765839578, -0.459266207775997537, -1.97724047981278727)  # q at t = 1
RATE = 2.82296299383179876
WAYS: dict[str, Any] = {
    **{f"Udwadia–Kalaba, {form}": iso.UdwadiaKalaba(form) for form in get_args(Form)},
    **{f"null space, {basis}": iso.NullSpace(basis) for basis in get_args(Basis)},
}


def prepare() -> Run:
    system = get("rigid_pendulum").system(
        m=10.0, inertia=0.1, length=0.5, gravity=9.8, theta0=-0.25 * math.pi, rate0=0.0
    )

    def run(rtol: float) -> Measurement:
        errors, costs = {}, []
        for name, formulation in WAYS.items():
            sol = iso.integrate_adaptive(system, formulation, t_end=1.0, rtol=rtol, atol=1e-2 * rtol, save=[0.0, 1.0])
            gaps = [abs(x - y) for x, y in zip(sol.q[-1], END, strict=True)]
            errors[name] = max(*gaps, abs(sol.v[-1, 2] - RATE) / 3.0)
            costs.append(timed(sol))
        return Measurement(errors=errors, **{key: sum(cost[key] for cost in costs) for key in costs[0]})

    return run


CASE = Case(
    name="null_space_methods",
    topic="documents",
    shows="Six null-space bases and the forms of Udwadia and Kalaba on one pendulum for 1 s, adaptive steps, rtol = 1e-8.",
    source="Pennestrì and Valentini (2008), section 8, Table 2",
    citation="Pennestri2008",
    reference="elliptic functions, 18 digits",
    trust="exact",
    steps=(1e-8,),
    prepare=prepare,
    bounds=dict.fromkeys(WAYS, 1e-9),
)
