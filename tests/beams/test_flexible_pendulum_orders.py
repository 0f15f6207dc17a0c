"""A flexible rod hinged to the ground with a rigid bob at its end: second order in q, v, a and in
the multipliers, in the maximum norm."""

from __future__ import annotations

from functools import cache
from typing import Any

import numpy as np
import pytest

import isodyn as iso

STEPS, FINER = (1e-3, 5e-4), 16
LOADS: dict[str, tuple[Any, tuple[float, ...]]] = {
    "ramp": (iso.Ramp(0.0, 1.0, 0.0, 0.2), ()),
    "jump": (iso.Pulse(1.0, 0.0, 0.2), (0.2,)),
}


@cache
def pendulum(tip: str, load: str) -> Any:
    """The rod falls from the horizontal; a force on the bob and a torque on the rod follow the
    load."""
    time = LOADS[load][0]
    mech = iso.Mechanism(gravity=(0, -9.81, 0))
    mech.add_beam("rod", (0, 0), (1, 0), elements=3, section=iso.Section(EA=100.0, EI=0.1, rhoA=1.0))
    mech.add_body("bob", 0.5, 0.01, (1.1, 0), kind="planar")
    mech.add_joint(iso.Hinge("pin", "ground", "rod.start"))
    mech.add_joint({"hinge": iso.Hinge, "weld": iso.Fixed}[tip]("tip", "rod.end", "bob"))
    mech.add_load(iso.Force("push", "bob", (0, 3, 0), time=time))
    mech.add_load(iso.Torque("twist", "rod[2]", (0, 0, 0.5), time=time))
    return mech.compile()


def run(
    dt: float, tip: str, load: str, scheme: iso.Scheme, formulation: Any = None, t_end: float = 0.4
) -> iso.Solution:
    breakpoints = LOADS[load][1]
    return iso.integrate(pendulum(tip, load), scheme, formulation, dt=dt, t_end=t_end, breakpoints=breakpoints)


SCHEMES = [iso.Scheme.optimal(0.5), iso.Scheme.midpoint_mpa(), iso.Scheme.U0(0.8, 0.8, 0.8)]


@pytest.mark.parametrize("scheme", SCHEMES, ids=lambda s: s.name)
@pytest.mark.parametrize("load", LOADS)
@pytest.mark.parametrize("tip", ["hinge", "weld"])
def test_order_two_in_all_variables(tip: str, load: str, scheme: iso.Scheme) -> None:
    """At a fixed mesh, over all times; constraints stay at rounding."""
    finest = STEPS[-1] / FINER
    reference = run(finest, tip, load, scheme)
    solutions = [run(dt, tip, load, scheme) for dt in STEPS]
    for name in ("q", "v", "a", "lam"):
        errors = [
            np.abs(getattr(sol, name) - getattr(reference, name)[:: round(dt / finest)]).max()
            for dt, sol in zip(STEPS, solutions, strict=True)
        ]
        assert errors[-1] < 2e-2 * np.abs(getattr(reference, name)).max(), name
        assert abs(np.log2(errors[0] / errors[1]) - 2) < 0.1, name
    position, velocity, _ = solutions[0].drift().largest
    assert position < 1e-14
    assert velocity < 1e-13
    assert solutions[0].stats.halvings == 0


@pytest.mark.filterwarnings("ignore:multipliers and accelerations of position level")
@pytest.mark.parametrize(
    "formulation",
    [
        iso.VelocityLevel(),
        iso.AccelerationLevel(),
        iso.Baumgarte(),
        iso.Projection(),
        iso.GGL(),
        iso.Overdetermined(),
        iso.NullSpace("qr", discrete=True),
        iso.NullSpace("qr"),
        iso.UdwadiaKalaba("range-space"),
    ],
    ids=lambda f: f"{type(f).__name__}{'' if not isinstance(f, iso.NullSpace) or not f.discrete else ' discrete'}",
)
def test_formulations_agree(formulation: Any) -> None:
    """Motion and multipliers with those of the default, to a part of the error of the step; rates
    of convergence the same."""
    scheme, differences = iso.Scheme.optimal(0.5), []
    for dt in (2e-3, 1e-3):
        one, other = (run(dt, "weld", "ramp", scheme, f, 0.1) for f in (None, formulation))
        differences.append([np.abs(getattr(one, x) - getattr(other, x)).max() for x in ("q", "lam")])
    coarse, fine = np.array(differences)
    assert (fine < [1e-4, 2e-2]).all()
    assert (fine < np.maximum(0.3 * coarse, [1e-9, 1e-7])).all()
