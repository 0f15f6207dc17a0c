"""Loads take functions of time wherever a user would write one, or say where they go."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import isodyn as iso

SAME = [
    lambda t: (0, 2 * np.sin(t), 0),
    lambda t: np.array([0.0, 2 * np.sin(t), 0.0]),
    lambda t: 2 * np.sin(t) * np.array([0, 1, 0]),
    lambda t: [0, 2 * np.sin(t)],
    (0, lambda t: 2 * np.sin(t), 0),
    (0, iso.Formula("a*sin(t)", a=2.0), 0),
]


def free_body(kind: str = "spatial") -> iso.Mechanism:
    mech = iso.Mechanism(gravity=(0, 0, 0))
    mech.add_body("rod", mass=0.5, inertia=(0.1, 0.2, 0.3) if kind == "spatial" else 0.3, kind=kind)
    return mech


def pinned(kind: str = "spatial") -> iso.Mechanism:
    mech = iso.Mechanism(gravity=(0, 0, 0))
    mech.add_body("rod", mass=1.0, inertia=(0.1,) * 3 if kind == "spatial" else 0.1, position=(0.5, 0, 0), kind=kind)
    mech.add_joint(iso.Hinge("pin", "ground", "rod", point=(0, 0, 0), axis=(0, 0, 1)))
    return mech


def run(mech: iso.Mechanism, *loads: Any) -> Any:
    for load in loads:
        mech.add_load(load)
    return iso.integrate(mech, dt=0.01, t_end=0.5)


def test_a_force_that_is_a_function_moves_a_free_body() -> None:
    """m x'' = (sin t, 3 t, −1): closed forms of every component."""
    sol = run(free_body(), iso.Force("push", "rod", force=lambda t: (np.sin(t), 3 * t, -1)))
    t, m = sol.t, 0.5
    expected = np.column_stack([t - np.sin(t), t**3 / 2, -(t**2) / 2]) / m
    assert sol.body("rod").position == pytest.approx(expected, abs=3e-5)  # Δt² t/2 of the second component
    assert sol.load("push").force == pytest.approx(np.column_stack([np.sin(t), 3 * t, -np.ones_like(t)]), abs=1e-14)
    assert sol.load("push").work[-1] == pytest.approx(0.5 * m * np.square(sol.body("rod").velocity[-1]).sum(), rel=1e-3)


@pytest.mark.parametrize("kind", ["spatial", "planar"])
@pytest.mark.parametrize("frame", ["world", "body"])
def test_every_way_to_write_it_is_the_same(kind: str, frame: str) -> None:
    told = run(pinned(kind), iso.Force("push", "rod", (0, 2, 0), frame=frame, time=np.sin)).q
    for force in SAME:
        assert run(pinned(kind), iso.Force("push", "rod", force, frame=frame)).q == pytest.approx(told, abs=1e-13)


def test_torques_of_planar_bodies_are_numbers_too() -> None:
    told = run(pinned("planar"), iso.Torque("twist", "rod", (0, 0, 2), time=np.sin)).q
    for torque in (lambda t: 2 * np.sin(t), lambda t: (0, 0, 2 * np.sin(t)), iso.Sine(2.0, 1.0)):
        assert run(pinned("planar"), iso.Torque("twist", "rod", torque)).q == pytest.approx(told, abs=1e-13)
    three, one = (run(pinned("planar"), iso.Torque("twist", "rod", x)).q for x in ((0, 0, 0.7), 0.7))
    assert np.array_equal(three, one)


def test_formula_loads_take_functions() -> None:
    told = run(pinned(), iso.Motor("drive", "pin", torque=lambda t: 2 * np.sin(t))).q
    for load in (
        iso.FormulaMotor("drive", "pin", torque=lambda t: 2 * np.sin(t)),
        iso.Motor("drive", "pin", torque="2*sin(t)"),
        iso.FormulaTorque("drive", "rod", torque=lambda t: (0, 0, 2 * np.sin(t))),
        iso.Torque("drive", "rod", torque=(0, 0, lambda t: 2 * np.sin(t))),
    ):
        assert run(pinned(), load).q == pytest.approx(told, abs=1e-12)
    rope = {"points": [(0.5, 1, 0), (0.5, 0, 0)]}
    one, other = (
        run(pinned(), iso.Tension("rope", "ground", "rod", x, **rope)).q for x in ("1 + t^2", lambda t: 1 + t**2)
    )
    assert one == pytest.approx(other, abs=1e-14)


def test_planar_bodies_take_components_that_are_written_as_zero() -> None:
    """As model files write them; anything else out of the plane is refused."""
    told = run(pinned("planar"), iso.Torque("twist", "rod", (0, 0, 2), time=np.sin)).q
    twist = iso.FormulaTorque("twist", "rod", ("0", "0.0", "2*sin(t)"))
    assert run(pinned("planar"), twist).q == pytest.approx(told, abs=1e-13)
    push = iso.FormulaForce("push", "rod", ("0", "t", "0"))
    assert np.array_equal(run(pinned("planar"), push).q, run(pinned("planar"), replace(push, force=(0, "t", 0))).q)
    with pytest.raises(iso.errors.InputError, match="component 3 must be 0"):
        run(pinned("planar"), replace(push, force=("0", "0", "t")))


def test_a_distributed_force_that_is_a_function() -> None:
    def strip(force: Any, time: Any = None) -> Any:
        mech = iso.Mechanism(gravity=(0, 0, 0))
        mech.add_beam("beam", (0, 0), (1, 0), elements=2, section=iso.Section(EA=1e4, EI=1.0, rhoA=1.0))
        mech.add_load(iso.DistributedForce("wind", "beam", force, time))
        return iso.integrate(mech, dt=0.01, t_end=0.2)

    one, other = strip((0, 1), lambda t: np.cos(t)), strip(lambda t: (0.5 * t, np.cos(t)))
    assert other.load("wind").force == pytest.approx(
        np.column_stack([0.5 * one.t, np.cos(one.t), 0 * one.t]), abs=1e-12
    )
    end = [sol.body("beam.end").position[-1, 1] for sol in (one, other)]
    assert end[0] == pytest.approx(end[1], rel=1e-6)


def test_the_work_of_a_distributed_force_knows_its_jumps() -> None:
    """A free beam whose load turns round at a breakpoint: the work is the change of energy."""
    mech = iso.Mechanism(gravity=(0, 0, 0))
    mech.add_beam("beam", (0, 0), (1, 0), elements=2, section=iso.Section(EA=1e4, EI=50.0, rhoA=1.0))
    mech.add_load(iso.DistributedForce("wind", "beam", (0, 1), time=iso.Staircase([0.0, 0.1], [1.0, -3.0])))
    sol = iso.integrate(mech, iso.Scheme.optimal(0.9), dt=4e-3, t_end=0.2, breakpoints=[0.1])
    energy = np.sum(sol.energy(), axis=0)
    np.testing.assert_allclose(sol.load("wind").work, energy - energy[0], atol=1e-14)


def test_the_work_of_a_drive_knows_jumps_of_what_it_moves() -> None:
    """At constant speed a drive gives what a brake takes, also after the brake is set harder."""
    mech = iso.Mechanism(gravity=(0, 0, 0))
    mech.add_body("wheel", 1.0, (0.1, 0.1, 0.2), angular_velocity=(0, 0, 2.0))
    mech.add_joint(iso.Hinge("axle", "ground", "wheel", axis=(0, 0, 1)))
    mech.add_joint(iso.Drive("turn", "axle", iso.Polynomial(0, 2.0)))
    mech.add_load(iso.Motor("brake", "axle", torque=iso.Staircase([0.0, 0.5], [-1.0, -3.0])))
    sol = iso.integrate(mech, dt=0.02, t_end=1.0, breakpoints=[0.5])
    np.testing.assert_allclose(sol.load("turn").work, -sol.load("brake").work, atol=1e-13)
    assert abs(sol.load("turn").work[-1] - 4.0) < 1e-13


@pytest.mark.parametrize("frame", ["world", "body"])
def test_saved_runs_know_their_functions(tmp_path: Path, frame: str) -> None:
    sol = run(pinned(), iso.Force("push", "rod", lambda t: (1.0, 2 * np.sin(t), 0), frame=frame))
    sol.save(tmp_path / "run.nc")
    again = iso.load(tmp_path / "run.nc")
    assert again.load("push").force == pytest.approx(sol.load("push").force, abs=1e-13)


@pytest.mark.parametrize(
    ("load", "says"),
    [
        (
            iso.Force("push", "rod", lambda t: t),
            r"(?s)received a function that returns one number.*hint: force=lambda t",
        ),
        (iso.Force("push", "rod", lambda t: (t,) * 4), "received a function that returns 4 numbers"),
        (iso.Force("push", "rod", (0, "sin(t)", 0)), r"(?s)received a formula.*FormulaForce"),
        (iso.Force("push", "rod", lambda t: (t, 0, 0), time=np.sin), "has nothing to scale"),
        (iso.Force("push", "rod", lambda t: (t if t < 1 else 0, 0, 0)), r"force 'push': .*branches on its argument"),
        (iso.Force("push", "rod", (0, 1, 0), time="sin(x)"), r"force 'push': time"),
        (iso.Motor("push", "pin", torque="5*pin.angle"), r"(?s)load 'push'.*FormulaMotor"),
        (iso.Motor("push", "pin", torque=lambda t, q: -q), r"(?s)function of t alone.*2 arguments.*FormulaMotor"),
        (iso.JointSpring("push", "pin", stiffness=1.0, rest=np.sin), r"(?s)rest is a constant number.*FormulaMotor"),
        (iso.JointSpring("push", "pin", stiffness=lambda t: t), "stiffness is a constant number"),
        (iso.Spring("push", "ground", "rod", stiffness=1.0, rest=iso.Sine(1.0, 1.0)), r"(?s)rest.*Tension"),
        (iso.JointLimit("push", "pin", low=np.sin, high=1.0, stiffness=1.0), "low is a constant number"),
        (iso.JointFriction("push", "pin", mu=np.sin), "mu is a constant number"),
        (iso.Bushing("push", "ground", "rod", stiffness=np.sin), "stiffness is a constant number"),
        (iso.Bushing("push", "ground", "rod", stiffness=(1.0, 2.0)), "6 numbers, or one for all"),
        (iso.Drag("push", "rod", coefficient=1.0, medium=lambda t: (t, 0, 0)), "medium is a constant vector"),
        (
            iso.FormulaForce("push", "rod", (0, iso.Sine(1.0, 1.0), 0)),
            "a formula is text, a number or a Python function",
        ),
        (iso.FormulaForce("push", "rod", 3.0), "three components are needed"),
    ],
)
def test_what_cannot_vary_says_so(load: Any, says: str) -> None:
    with pytest.raises(iso.errors.InputError, match=says):
        run(pinned(), load)
