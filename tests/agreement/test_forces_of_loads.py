"""What `sol.load` tells of a load is what the load does: laws written by hand, and the motion that
follows from them."""

from __future__ import annotations

import numpy as np
import pytest

import isodyn as iso
from isodyn.errors import InputError

J = 0.4


def flywheel(kind: str, *loads: object) -> iso.Solution:
    """A wheel on a hinge through its mass centre, 30 rad/s: its only torque is that of the
    loads."""
    mech = iso.Mechanism(gravity=(0, 0, 0))
    if kind == "planar":
        mech.add_body("wheel", 2.0, J, kind="planar", angular_velocity=30.0)
        mech.add_joint(iso.Hinge("axle", "ground", "wheel", point=(0, 0, 0), axis=(0, 0, 1)))
    else:
        axis = np.array([1.0, 2.0, 2.0]) / 3.0
        mech.add_body("wheel", 2.0, (J, J, J), angular_velocity=30.0 * axis)
        mech.add_joint(iso.Hinge("axle", "ground", "wheel", point=(0, 0, 0), axis=axis))
    for load in loads:
        mech.add_load(load)
    return iso.integrate(mech.compile(), dt=0.002, t_end=1.2)


LOADS = {
    "spring": (
        iso.JointSpring("load", "axle", stiffness=3.0, damping=0.1, rest=0.5),
        lambda x, v, t: 3 * (x - 0.5) + 0.1 * v,
    ),
    "limit": (iso.JointLimit("load", "axle", -1.0, 15.0, stiffness=4.0), lambda x, v, t: 4 * np.maximum(x - 15, 0)),
    "motor": (iso.Motor("load", "axle", torque=iso.Sine(amplitude=2.0, omega=5.0)), lambda x, v, t: -2 * np.sin(5 * t)),
    "drag": (
        iso.FormulaMotor("load", "axle", "-0.02*axle.angle_rate*abs(axle.angle_rate)"),
        lambda x, v, t: 0.02 * v * np.abs(v),
    ),
}


@pytest.mark.parametrize("kind", ["planar", "spatial"])
@pytest.mark.parametrize("name", LOADS)
def test_loads_on_a_joint_over_many_turns(name: str, kind: str) -> None:
    load, law = LOADS[name]
    sol = flywheel(kind, load)
    view, joint = sol.load("load"), sol.joint("axle")
    assert joint.angle.max() > 6.5
    np.testing.assert_allclose(view.length, joint.angle, atol=1e-10)
    np.testing.assert_allclose(view.rate, joint.angle_rate, atol=1e-10)
    np.testing.assert_allclose(view.tension, law(joint.angle, joint.angle_rate, sol.t), atol=1e-9)
    torque = np.linalg.norm(view.torque, axis=1)
    np.testing.assert_allclose(torque, np.abs(view.tension), atol=1e-9)
    assert np.abs(view.force).max() == 0.0
    assert (
        np.abs(J * np.linalg.norm(sol.body("wheel").angular_acceleration, axis=1) - torque).max() < 0.02 * torque.max()
    )


def test_a_bushing_pulls_along_all_its_axes() -> None:
    k = np.array([100.0, 200.0, 300.0, 5.0, 6.0, 7.0])
    mech = iso.Mechanism(gravity=(1.0, 2.0, 3.0))
    mech.add_body("block", 2.0, (0.1, 0.2, 0.3))
    mech.add_load(iso.Bushing("rubber", "ground", "block", point=(0, 0, 0), axis=(0, 0, 1), stiffness=k, damping=2.0))
    sol = iso.integrate(mech.compile(), dt=0.005, t_end=0.5)
    view = sol.load("rubber")
    assert view.tension.shape == (sol.t.size, 6)
    inertia = 2.0 * (sol.body("block").acceleration - np.array([1.0, 2.0, 3.0]))
    assert np.abs(view.force - inertia).max() < 1e-7 * np.abs(inertia).max() + 1e-9


def test_unknown_loads_are_refused_with_the_known_ones() -> None:
    sol = flywheel("planar", LOADS["spring"][0])
    with pytest.raises(InputError, match=r"no load or drive named 'x'\nhint: known: load"):
        sol.load("x")
    with pytest.raises(InputError, match=r"load\(\) needs the solution of a Mechanism"):
        iso.integrate(iso.problems.get("pendulum").system(), dt=0.1, t_end=0.2).load("x")
