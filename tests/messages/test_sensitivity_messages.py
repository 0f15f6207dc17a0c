"""What cannot be differentiated, and what is no parameter, is refused with the reason."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import isodyn as iso
from isodyn.errors import InputError, SensitivityError


def arm() -> iso.Mechanism:
    mech = iso.Mechanism()
    mech.add_body("arm", 1.0, (0.1, 0.1, 0.1), (1, 0, 0))
    mech.add_joint(iso.Hinge("pin", "ground", "arm", point=(0, 0, 0), axis=(0, 1, 0)))
    mech.add_load(iso.Torque("motor", "arm", (0, 1, 0)))
    return mech


def run(given: Any = None, names: Any = ("arm.mass",), *args: Any, **more: Any) -> Any:
    given = arm() if given is None else given
    return iso.integrate(given, *args, **{"dt": 0.01, "t_end": 0.02, "sensitivities": names, **more})


@pytest.mark.parametrize(
    ("names", "match"),
    [
        ("arm.mass", "must be a list of names"),
        ([], "must be a list of names"),
        (["arm.mass", "arm.mass"], "named twice"),
        (["leg.mass"], "no part for the parameter 'leg.mass'"),
        (["arm.weight"], "no number 'arm.weight'(.|\n)*hint: numbers of 'arm': mass"),
        (["arm.position"], "not one number(.|\n)*hint: add .x"),
        (["arm.inertia"], "not one number(.|\n)*hint: add two letters, such as .xx"),
        (["pin.points.0.x"], "no number"),
        (["gravity.w"], "no number 'gravity.w'(.|\n)*hint: gravity.x"),
        ([3], "name of a parameter is a text"),
        (["pin.first"], "is not a number, but 'ground'"),
    ],
)
def test_names(names: Any, match: str) -> None:
    with pytest.raises(InputError, match=match):
        run(names=names)


@pytest.mark.parametrize(
    ("more", "match"),
    [
        ({"formulation": iso.Projection()}, "projects after the step: such steps are not differentiated"),
        ({"formulation": iso.Projection()}, "not differentiated"),
        ({"formulation": iso.Overdetermined()}, "correction of v"),
        ({"scheme": iso.DOP853(rtol=1e-6), "dt": None}, "steps of DOP853"),
        ({"events": iso.Event("pin.angle", action=iso.Release("pin"))}, "changes the rows(.|\n)*hint: end the run"),
        ({"select": [0]}, "do not go with select="),
        ({"save": 5}, "do not go with save="),
        ({"newton": iso.Newton(form=2)}, "other forms of the iteration"),
    ],
)
def test_runs(more: dict[str, Any], match: str) -> None:
    with pytest.raises(InputError, match=match):
        run(**more)


def test_systems() -> None:
    plain = iso.MechanicalSystem(M=1.0, Q=lambda q, v, t: -q, q0=[1.0], v0=[0.0])
    with pytest.raises(InputError, match=r"has no named parameters(.|\n)*hint: take a Mechanism"):
        run(plain)

    def sphere(k: float) -> iso.MechanicalSystem:
        return iso.MechanicalSystem(
            M=1.0,
            Q=lambda q, v, t: -k * q,
            q0=[1.0],
            v0=[0.0],
            retract=lambda q, d: q + d,
            difference=lambda p, q: q - p,
        )

    with pytest.raises(SensitivityError, match="retraction of their own"):
        run(iso.Parametrised(sphere, k=1.0), ["k"])

    def algebraic(k: float) -> iso.FirstOrderSystem:
        return iso.FirstOrderSystem(lambda s, z, t: -k * z, s0=[1.0], z0=[1.0], c=lambda s, z, t: s - z)

    with pytest.raises(SensitivityError, match="algebraic unknowns"):
        run(iso.Parametrised(algebraic, k=1.0), ["k"])

    def growing(n: float) -> iso.MechanicalSystem:
        m = 2 if n > 1 else 1
        return iso.MechanicalSystem(M=np.eye(m), Q=lambda q, v, t: -q, q0=np.ones(m), v0=np.zeros(m))

    with pytest.raises(SensitivityError, match="changes the number of unknowns"):
        run(iso.Parametrised(growing, n=1.0), ["n"])


def test_families() -> None:
    with pytest.raises(InputError, match="build must be a function"):
        iso.Parametrised(3)  # type: ignore[arg-type]
    with pytest.raises(InputError, match="'k' must be a finite number"):
        iso.Parametrised(arm, k=np.nan)
    with pytest.raises(InputError, match="no parameter named 'm'"):
        iso.Parametrised(lambda k: arm(), k=1.0).value("m")

    def narrow(k: float) -> iso.Mechanism:
        if k != 1.0:
            raise InputError("only 1 will do")
        return arm()

    with pytest.raises(InputError, match="k = 1 cannot be varied: only 1 will do"):
        run(iso.Parametrised(narrow, k=1.0), ["k"])


def test_solutions() -> None:
    sol = run()
    with pytest.raises(InputError, match=r"no derivatives by 'arm.inertia.x'; it has: 'arm.mass'"):
        sol.sensitivity("arm.inertia.x")
    with pytest.raises(InputError, match="not finite along the run"):
        sol.sensitivity("arm.mass").of(lambda s: np.full(3, np.nan))


def test_assembled_starts() -> None:
    mech = arm()
    system = mech.assemble(rates={"pin": 2.0}).system
    with pytest.raises(SensitivityError, match="number of the start, which was assembled"):
        run(system, ["arm.angular_velocity.y"])
    assert run(system, ["arm.mass"]).sensitivity("arm.mass").q.shape == (3, system.nq)
