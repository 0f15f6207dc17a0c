"""Adjoints and tangents of the same run give the same gradients, whatever is kept of it."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import isodyn as iso
from complex_safe_models import Pendulum, family
from isodyn.errors import InputError, SensitivityError
from varied_mechanisms import enforce_poor_rows, flexible_pendulum, four_bar, predators, rolling, slider_crank, top

pytestmark = pytest.mark.filterwarnings("ignore")


def of_all(sol: Any) -> Any:
    """Something that every variable stands in."""
    return sol.q[:, 0] + 0.3 * sol.v[:, -1] ** 2 + 0.01 * sol.a[:, 0] + 0.02 * sol.lam[:, 0]


CASES: dict[str, tuple[Any, list[str], Any, dict[str, Any]]] = {
    "pendulum": (
        lambda: family(Pendulum()),
        list(Pendulum.names),
        of_all,
        {"dt": 0.04, "t_end": 0.8, "scheme": iso.Scheme.U0(0.8, 0.8, 0.8)},
    ),
    "top": (
        top,
        ["top.mass", "top.inertia.xy", "tip.point.y", "top.angular_velocity.z"],
        "tip.force_x",
        {"dt": 0.02, "t_end": 0.2},
    ),
    "slider crank": (
        slider_crank,
        ["rod.mass", "pin.point.x", "spring.stiffness"],
        "|pin.force|",
        {"dt": 0.01, "t_end": 0.1},
    ),
    "four-bar": (four_bar, ["coupler.mass", "B.point.x", "k.damping"], "A.angle", {"dt": 0.01, "t_end": 0.1}),
    "rolling": (
        rolling,
        ["wheel.mass", "floor.radius", "axle.point.x", "spring.stiffness", "arm.inertia.y"],
        "axle.force_x",
        {"dt": 0.02, "t_end": 0.2},
    ),
    "beam": (
        lambda: iso.Parametrised(flexible_pendulum, EI=20.0, length=0.8, tip=0.5),
        ["EI", "length", "tip"],
        "bob.y",
        {"dt": 2e-3, "t_end": 0.02},
    ),
    "first order": (
        lambda: iso.Parametrised(predators, a=1.5, b=0.8, s=2.0),
        ["a", "b", "s"],
        lambda sol: sol.s[:, 0] * sol.sdot[:, 1],
        {"dt": 0.05, "t_end": 1.0},
    ),
    "acceleration level": (
        top,
        ["top.mass", "tip.point.y", "top.angular_velocity.z"],
        "tip.force_x",
        {"dt": 0.02, "t_end": 0.2, "formulation": iso.AccelerationLevel()},
    ),
    "velocity level": (
        lambda: family(Pendulum()),
        ["m", "L"],
        of_all,
        {"dt": 0.04, "t_end": 0.8, "formulation": iso.VelocityLevel()},
    ),
}


@pytest.mark.parametrize("case", CASES)
def test_adjoint_is_the_transposed_tangent(case: str) -> None:
    make, names, output, run = CASES[case]
    given = make()
    sol = iso.integrate(given, sensitivities=names, assemble=True, **run)
    ends, whole, some = np.zeros(sol.t.size), np.zeros(sol.t.size), np.zeros(sol.t.size)
    ends[-1], some[[2, -3]] = 1.0, 1.0
    whole[:-1] += 0.5 * np.diff(sol.t)
    whole[1:] += 0.5 * np.diff(sol.t)
    at = [(float(sol.t[2]), output), (float(sol.t[-3]), output)]
    objective = iso.Objective(end=output, integral=output, at=at)
    found = iso.gradient(given, objective=objective, parameters=names, checkpoints=3, assemble=True, **run)
    weights = ends + whole + some
    values = output(sol) if callable(output) else sol.quantity(output).values
    assert abs(found.value - weights @ values) <= 1e-9 * (weights @ np.abs(values))
    for name in names:
        each = sol.sensitivity(name).of(output)
        assert abs(found[name] - weights @ each) <= 2e-10 * (weights @ np.abs(each)), name


def test_checkpoints_change_nothing() -> None:
    run = {"dt": 0.02, "t_end": 0.3, "objective": "tip.force_x", "parameters": ["top.mass", "top.inertia.x"]}
    first, *others = (iso.gradient(top(), checkpoints=k, **run).gradient for k in (1, 4, 100, None))
    for other in others:
        assert np.array_equal(first, other)


def test_a_tree_with_sparse_matrices() -> None:
    mech = iso.Mechanism(gravity=(0, 0, -9.81))
    for k in range(5):
        mech.add_body(f"link{k}", 1.0 + 0.1 * k, (0.02, 0.1, 0.12), (k + 0.5, 0, 0))
        axis = (0, 1, 0) if k % 2 else (0.2, 1, 0.3)
        mech.add_joint(iso.Hinge(f"h{k}", f"link{k - 1}" if k else "ground", f"link{k}", point=(k, 0, 0), axis=axis))
    names = ["link0.mass", "link4.inertia.y", "h2.point.z", "link3.position.x", "gravity.z"]
    run = {"dt": 0.02, "t_end": 0.3}
    sol = iso.integrate(mech, sensitivities=names, **run)
    assert sol.stats.solver != "dense LU"
    found = iso.gradient(mech, objective="link4.z", parameters=names, **run)
    for name in names:
        exact = sol.sensitivity(name).of("link4.z")
        assert abs(found[name] - exact[-1]) <= 1e-10 * np.abs(exact).max()


def test_refusals(monkeypatch: pytest.MonkeyPatch) -> None:
    run = {"dt": 0.02, "t_end": 0.1, "parameters": ["top.mass"]}
    with pytest.raises(InputError, match="needs end=, integral= or at="):
        iso.Objective()
    with pytest.raises(InputError, match="one number for each row"):
        iso.gradient(top(), objective=lambda sol: sol.q, **run)
    with pytest.raises(InputError, match=r"at = 0\.033 is not the end of a step"):
        iso.gradient(top(), objective=iso.Objective(at=[(0.033, "tip.force_x")]), **run)
    with pytest.raises(InputError, match="checkpoints must be a whole number"):
        iso.gradient(top(), objective="tip.force_x", checkpoints=0, **run)
    with pytest.raises(InputError, match=r"no derivative by 'top\.size'"):
        iso.gradient(top(), objective="tip.force_x", **run)["top.size"]
    with pytest.raises(SensitivityError, match="multipliers of redundant rows are shared"):
        iso.gradient(four_bar(), dt=0.01, t_end=0.05, objective="A.force_x", parameters=["crank.mass"])
    with pytest.raises(SensitivityError, match="not finite along the run"):
        iso.gradient(top(), objective=lambda sol: np.full(sol.t.size, np.inf), **run)
    enforce_poor_rows(monkeypatch)
    along = iso.Objective(integral="A.angle")
    with pytest.raises(SensitivityError, match="other redundant rows are enforced from"):
        iso.gradient(four_bar(), dt=0.01, t_end=1.3, objective=along, parameters=["crank.mass"])
