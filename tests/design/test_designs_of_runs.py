"""Designs under constraints, boundary values and controls against closed forms."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

import isodyn as iso
from isodyn.design.families import model_family
from isodyn.design.trials import Trial
from isodyn.errors import AccuracyWarning, ConvergenceError, InputError


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
    with pytest.raises(InputError, match="'vy' was not searched\nhint: parameters: vx, vz"):
        found["vy"]


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


def test_each_constraint_is_met_by_its_own_size() -> None:
    """A position beside a force of 10⁶ N: half a metre is not forgiven."""
    force = iso.Constraint(lambda sol: 1e6 * sol.q[:, 0], equals=3e6)
    family = iso.Parametrised(throw, vx=1.0, vz=1.0)
    near = iso.Constraint("z", equals=-2.0)
    found = iso.optimise(family, ["vx", "vz"], constraints=[force, near], dt=0.1, t_end=1.0)
    assert found.values == pytest.approx([3.0, 3.0], abs=1e-9)
    with pytest.raises(ConvergenceError, match=r"missed by 0.5 \(constraints\[1\]\)"):
        iso.optimise(family, ["vx", "vz"], constraints=[force, near], bounds={"vz": (None, 2.5)}, dt=0.1, t_end=1.0)


def test_zero_that_is_met_from_the_start() -> None:
    family = iso.Parametrised(throw, vx=0.0, vz=5.0)
    goals = [iso.Constraint("x", equals=0.0), iso.Constraint("z", equals=0.0)]
    found = iso.optimise(family, ["vx", "vz"], constraints=goals, dt=0.1, t_end=1.0)
    assert found.values == pytest.approx([0.0, 5.0], abs=1e-12)


def test_a_search_that_stops_early_is_told() -> None:
    """x stays above −1: no k leads to −2."""
    far = iso.Constraint("x", high=-2.0)
    stopped = "may have stopped before the best design: "
    with (
        pytest.warns(AccuracyWarning, match=stopped) as told,
        pytest.raises(ConvergenceError, match="missed by") as error,
    ):
        iso.optimise(FAMILY, ["k"], objective="x", constraints=[far], bounds={"k": (1.0, 9.0)}, **RUN)
    assert str(told[0].message).partition(": ")[2] in error.value.message


@pytest.mark.parametrize("constraints", [[], [iso.Constraint("x", low=-2.0)]])
def test_designs_that_cannot_be_run_are_passed_by(constraints: list[iso.Constraint]) -> None:
    """x = cos √k at the end is least at π²; the first step goes beyond 10, which the model refuses."""
    refused = []

    def stiff(k: float) -> iso.MechanicalSystem:
        if k > 10.0:
            refused.append(k)
            raise InputError("the spring cannot be built")
        return spring(k)

    family = iso.Parametrised(stiff, k=9.0)
    found = iso.optimise(family, ["k"], objective="x", constraints=constraints, **RUN)
    assert refused
    assert found["k"] == pytest.approx(np.pi**2, rel=2e-3)


@pytest.mark.parametrize("constraints", [[], [iso.Constraint("x", low=-2.0)]])
def test_a_border_of_designs_that_cannot_be_run_is_told(constraints: list[iso.Constraint]) -> None:
    def soft(k: float) -> iso.MechanicalSystem:
        if k > 8.0:
            raise InputError("the spring cannot be built")
        return spring(k)

    with pytest.warns(AccuracyWarning, match="ended beside designs that cannot be run"):
        found = iso.optimise(iso.Parametrised(soft, k=3.0), ["k"], objective="x", constraints=constraints, **RUN)
    assert found["k"] == pytest.approx(8.0, rel=1e-4)  # where derivatives look back


def test_breakpoints_of_a_problem_are_kept() -> None:
    """A force that ends at 0.33, between two steps: x(1) = F (0.33²/2 + 0.33·0.67)."""

    def pushed(F: float) -> iso.MechanicalSystem:
        return iso.MechanicalSystem(
            M=1.0, Q=lambda q, v, t: np.array([F if t < 0.33 else 0.0]), q0=[0.0], v0=[0.0], names=["x"]
        )

    kept: dict[str, Any] = {"dt": 0.1, "t_end": 1.0, "breakpoints": (0.33, 5.0)}
    problem = iso.problems.Problem(
        name="push", title="", source="", build=pushed, scheme=iso.Scheme.optimal(0.5), parameters={"F": 1.0}, **kept
    )
    found = iso.optimise(problem, ["F"], constraints=[iso.Constraint("x", equals=1.0)])
    assert found["F"] == pytest.approx(1.0 / (0.33**2 / 2 + 0.33 * 0.67), rel=1e-6)
    assert 0.33 in found.solution.t
    t = np.array([0.2, 0.5, 0.8])
    x = np.where(t < 0.33, t**2 / 2, 0.33**2 / 2 + 0.33 * (t - 0.33))
    fitted = iso.fit(problem, {"t": t, "x": 2.0 * x}, ["F"])
    assert fitted["F"] == pytest.approx(2.0, rel=1e-6)
    assert 0.33 in fitted.solution.t


def test_adjoints_are_left_to_runs_that_they_take() -> None:
    names = tuple(f"k{k}" for k in range(20))
    goal = iso.Objective(end="x")
    for options, chosen in (({}, True), ({"breakpoints": (0.5,)}, True), ({"save_every": 2}, False)):
        assert Trial(FAMILY, names, goal, (), {**RUN, **options}, 1).by_adjoint is chosen


FILE = """
[bodies.rod]
mass = 1.0
inertia = [0.01, 0.09, 0.09]
position = [0.5, 0.0, 0.0]
[joints.pin]
type = "hinge"
between = ["ground", "rod"]
axis = [0.0, 1.0, 0.0]
[events.low]
expression = "pin.angle - 0.1"
terminal = {terminal}
[run]
dt = 0.01
t_end = 0.1
"""


def test_events_that_end_a_run_are_refused(tmp_path: Path) -> None:
    path = tmp_path / "rod.toml"
    path.write_text(FILE.format(terminal="true"), encoding="utf-8")
    refused = "event 'low' of .*rod.toml ends or changes the run.*\nhint: take it out"
    with pytest.raises(InputError, match=refused):
        iso.optimise(path, ["rod.mass"], objective="pin.angle")
    with pytest.raises(InputError, match=refused):
        iso.fit(path, {"t": [0.1], "pin.angle": [0.1]}, ["rod.mass"])
    path.write_text(FILE.format(terminal="false"), encoding="utf-8")
    family, options = model_family(path, ("rod.mass",))
    assert family.value("rod.mass") == 1.0
    assert "events" not in options


def swung(**torques: float) -> iso.Mechanism:
    """A pendulum on a hinge with friction in the bearing, and a torque that passes through given values."""
    mech = iso.Mechanism(gravity=(0, 0, -9.81))
    mech.add_body("rod", 1.0, (0.01, 0.1, 0.1), (0, 0, -0.5))
    mech.add_joint(iso.Hinge("pin", "ground", "rod", point=(0, 0, 0), axis=(0, 1, 0)))
    mech.add_load(iso.JointSpring("bearing", "pin", stiffness=0.0, damping=0.1))
    times = np.linspace(0.0, 1.2, len(torques))
    mech.add_load(iso.Motor("motor", "pin", torque=iso.Table(times, list(torques.values()))))
    return mech


@pytest.mark.long
def test_multiple_shooting_finds_what_single_shooting_finds() -> None:
    """Up to the upright, unstable position with the least effort: the states at the nodes are
    continuous, and the run as a whole gets there, up to what starting anew at the nodes changes of it
    (second order: 2.4e-4 with this dt, less than 1e-4 with half of it)."""
    torques = {f"torque{k}": x for k, x in enumerate((6.0, 6.0, 4.0, 2.0, 1.0))}
    run: Any = {
        "objective": iso.Objective(integral=lambda sol: sol.load("motor").effort.reshape(-1) ** 2),
        "constraints": [iso.Constraint("pin.angle", equals=np.pi), iso.Constraint("pin.angle_rate", equals=0.0)],
        "dt": 0.04,
        "t_end": 1.2,
    }
    family = iso.Parametrised(swung, **torques)
    one = iso.optimise(family, list(torques), **run)
    many = iso.optimise(family, list(torques), nodes=(0.4, 0.8), **run)
    assert many.violation < 1e-5
    assert len(many.values) == len(many.start) == 5
    assert len(many.constraints) == 2
    assert many.solution.quantity("pin.angle").values[-1] == pytest.approx(np.pi, abs=4e-4)
    assert many.value == pytest.approx(one.value, rel=4e-4)
    assert np.allclose(many.values, one.values, rtol=2e-2, atol=0.05)
    with pytest.raises(InputError, match="nodes are times in order between 0 and"):
        iso.optimise(family, list(torques), nodes=(0.8, 0.4), **run)
    with pytest.raises(InputError, match="guess= needs nodes="):
        iso.optimise(family, list(torques), guess=lambda t: ([0], [0]), **run)
