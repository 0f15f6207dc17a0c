"""Designs under constraints, boundary values and controls against closed forms."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import isodyn as iso
from isodyn.errors import ConvergenceError, InputError


def throw(vx: float, vz: float) -> iso.MechanicalSystem:
    return iso.MechanicalSystem(
        M=1.0, Q=lambda q, v, t: np.array([0.0, -10.0]), q0=[0, 0], v0=[vx, vz], names=["x", "z"]
    )


def spring(k: float) -> iso.MechanicalSystem:
    return iso.MechanicalSystem(M=1.0, Q=lambda q, v, t: -k * q, q0=[1.0], v0=[0.0], names=["x"])


FAMILY = iso.Parametrised(spring, k=3.0)
RUN: dict[str, Any] = {"dt": 0.01, "t_end": 1.0}


def test_boundary_values_by_shooting() -> None:
    goals = [iso.Constraint("x", equals=3.0), iso.Constraint("z", equals=0.0)]
    family = iso.Parametrised(throw, vx=1.0, vz=1.0)
    found = iso.optimise(family, ["vx", "vz"], constraints=goals, dt=0.1, t_end=1.0)
    assert found.values == pytest.approx([3.0, 5.0], abs=1e-12)
    assert found.violation < 1e-12
    assert found["vx"] == found.values[0]
    assert "vx = 3" in repr(found)


def test_constraints_in_every_row_and_of_parameters() -> None:
    """The velocity reaches √k; x at the end falls with k up to π²."""
    slow = iso.Constraint(lambda sol: sol.v[:, 0], low=-2.0, always=True)
    found = iso.optimise(FAMILY, ["k"], objective="x", constraints=[slow], **RUN)
    assert found["k"] == pytest.approx(4.0, rel=1e-3)
    assert found.solution.v.min() >= -2.0 - 1e-6
    least = iso.Constraint(lambda p: p["k"] ** 2, low=4.0, of_parameters=True)
    found = iso.optimise(FAMILY, ["k"], objective="x", maximise=True, constraints=[least], **RUN)
    assert found["k"] == pytest.approx(2.0, rel=1e-6)


def test_control_with_the_least_effort() -> None:
    """From rest to rest over the way 1 in the time 1: u = 6 − 12 t, and ∫u² = 12."""
    n = 5
    times = np.linspace(0.0, 1.0, n)

    def cart(**u: float) -> iso.MechanicalSystem:
        values = np.array([u[f"u{k}"] for k in range(n)])
        return iso.MechanicalSystem(
            M=1.0, Q=lambda q, v, t: np.array([np.interp(t, times, values)]), q0=[0.0], v0=[0.0], names=["x"]
        )

    names = [f"u{k}" for k in range(n)]
    goals = [iso.Constraint("x", equals=1.0), iso.Constraint(lambda sol: sol.v[:, 0], equals=0.0)]
    effort = iso.Objective(integral=lambda sol: sol.a[:, 0] ** 2)
    family = iso.Parametrised(cart, **dict.fromkeys(names, 0.1))
    found = iso.optimise(family, names, objective=effort, constraints=goals, dt=1 / 32, t_end=1.0)
    assert found.value == pytest.approx(12.0, rel=5e-3)
    assert found.values == pytest.approx(6.0 - 12.0 * times, abs=0.1)


@pytest.mark.parametrize(
    ("call", "match"),
    [
        ({}, "needs an objective, or constraints"),
        ({"constraints": [iso.Constraint("x", low=0.0)]}, "every constraint takes equals="),
        ({"objective": "x", "bounds": {"k": (4.0, None)}}, "start is outside the bounds"),
    ],
)
def test_bad_calls(call: dict[str, Any], match: str) -> None:
    with pytest.raises(InputError, match=match):
        iso.optimise(FAMILY, ["k"], **call, **RUN)


def test_bad_constraints() -> None:
    with pytest.raises(InputError, match="needs low=, high= or equals="):
        iso.Constraint("x")
    with pytest.raises(InputError, match="equals=, or low= and high=, not both"):
        iso.Constraint("x", low=1.0, equals=1.0)
    with pytest.raises(InputError, match="needs an output of rows"):
        iso.Constraint(lambda p: p["k"], low=1.0, always=True, of_parameters=True)
    with pytest.raises(ConvergenceError, match="constraints are missed by"):
        iso.optimise(FAMILY, ["k"], constraints=[iso.Constraint("x", equals=2.0)], bounds={"k": (0.5, None)}, **RUN)
    with pytest.raises(ConvergenceError, match="did not end after 1 runs"):
        iso.optimise(FAMILY, ["k"], objective="x", max_runs=1, **RUN)
