"""Coordinates of planar and universal pairs, and of points on planes, against what the poses of the
bodies say, from both sides, off the axes, far from the origin and over many turns."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from scipy.spatial.transform import Rotation

import isodyn as iso
from isodyn.errors import InputError

FAR = np.array([800.0, -300.0, 120.0])
AXIS = np.array([1.0, 1.0, 0.2]) / np.linalg.norm([1.0, 1.0, 0.2])
SECOND = np.cross(AXIS, (0.2, 0.3, 1.0))
SECOND /= np.linalg.norm(SECOND)


def turn(axis: Any, angle: float) -> Any:
    return Rotation.from_rotvec(angle * np.asarray(axis)).as_matrix()


def gimbal(*parts: Any, swapped: bool = False, at: Any = FAR) -> iso.Mechanism:
    mech = iso.Mechanism(gravity=(0, 0, 0))
    mech.add_body("rotor", 1.3, (0.2, 0.3, 0.4), at, turn((0.6, 0.0, 0.8), 0.7))
    names = ("rotor", "ground") if swapped else ("ground", "rotor")
    axes = (SECOND, AXIS) if swapped else (AXIS, SECOND)
    mech.add_joint(iso.Universal("cross", *names, point=at, axis=axes[0], second_axis=axes[1]))
    for part in parts:
        mech.add_joint(part) if isinstance(part, iso.Drive) else mech.add_load(part)
    return mech


@pytest.mark.parametrize("swapped", [False, True])
def test_driven_cross_turns_as_told(swapped: bool) -> None:
    """R = turn(axis, α) turn(second axis, β) R₀, over several turns of both; seen from the other
    side both signs and places change."""
    names = ("second_angle", "angle") if swapped else ("angle", "second_angle")
    sign = -1.0 if swapped else 1.0
    drives = [
        iso.Drive(name, "cross", iso.Polynomial(0, sign * speed), coordinate=name)
        for name, speed in zip(names, (3.0, -5.0), strict=True)
    ]
    sol = iso.kinematics(gimbal(*drives, swapped=swapped).compile(), np.linspace(0.0, 6.0, 301))
    joint, R0 = sol.joint("cross"), turn((0.6, 0.0, 0.8), 0.7)
    for name, speed in zip(names, (3.0, -5.0), strict=True):
        np.testing.assert_allclose(joint.coordinate(name), sign * speed * sol.t, atol=1e-9)
        np.testing.assert_allclose(joint.coordinate_rate(name), sign * speed, atol=1e-9)
    for k in (10, 77, 300):
        t = float(sol.t[k])
        np.testing.assert_allclose(sol.body("rotor").R[k], turn(AXIS, 3 * t) @ turn(SECOND, -5 * t) @ R0, atol=1e-9)


def test_a_fast_rotor_is_counted_between_sparse_rows() -> None:
    """300 rad/s about the second axis, a row every three turns."""
    mech = gimbal(iso.JointSpring("held", "cross", 50.0, 5.0, coordinate="angle"))
    rates = {("cross", "second_angle"): 300.0, ("cross", "angle"): 0.0}
    sol = iso.integrate(mech.assemble(rates=rates).system, dt=5e-4, t_end=1.0, save_every=125)
    rate = sol.joint("cross").coordinate_rate("second_angle")
    total = sol.joint("cross").coordinate("second_angle")
    assert total[-1] == pytest.approx(float(np.trapezoid(rate, sol.t)), rel=0.05)
    assert total[-1] > 200.0


def loaded_cross(*, planar: bool) -> iso.Mechanism:
    """Two free bodies with a pair, a spring, a motor and a formula on its coordinates."""
    mech = iso.Mechanism(gravity=(0.3, -1.0, -9.0))
    mech.add_body("one", 2.0, (0.3, 0.5, 0.4), FAR, velocity=(1, 0, 2), angular_velocity=(0.5, -1.0, 0.7))
    mech.add_body("two", 1.3, (0.2, 0.3, 0.4), FAR + np.array([0.7, 0.2, -0.4]), turn(AXIS, 0.4))
    at = FAR + np.array([0.2, -0.3, 0.5])
    if planar:
        mech.add_joint(iso.Planar("pair", "one", "two", point=at, axis=AXIS, direction=SECOND + 0.3 * AXIS))
        names = ("x", "y", "angle")
    else:
        mech.add_joint(iso.Universal("pair", "one", "two", point=at, axis=AXIS, second_axis=SECOND))
        names = ("angle", "second_angle")
    mech.add_load(iso.JointSpring("spring", "pair", 3.0, 0.2, coordinate=names[1]))
    mech.add_load(
        iso.FormulaMotor("motor", "pair", f"2*sin(pair.{names[-1]}) - 0.1*pair.{names[0]}_rate", coordinate=names[0])
    )
    mech.add_load(iso.JointLimit("stop", "pair", low=-2.0, high=0.05, stiffness=40.0, coordinate=names[-1]))
    return mech


@pytest.mark.parametrize("planar", [True, False])
def test_free_pairs_read_what_the_poses_say(planar: bool) -> None:
    """Coordinates from the bodies by hand; rates and accelerations are their derivatives; momentum
    is kept, so that what loads do to one body they do to the other."""
    sol = iso.integrate_adaptive(
        loaded_cross(planar=planar).assemble().system, t_end=1.0, rtol=1e-10, atol=1e-10, save=np.linspace(0, 1, 401)
    )
    one, two, joint = sol.body("one"), sol.body("two"), sol.joint("pair")
    at = FAR + np.array([0.2, -0.3, 0.5])
    P, Q = one.point(at).position, two.point(at).position
    own = np.einsum("kji,kj->ki", one.R, Q - P)  # in the first body, whose axes were those of the world
    if planar:
        across = SECOND  # the direction less its part along the axis
        np.testing.assert_allclose(joint.coordinate("x"), own @ across, atol=1e-9)
        np.testing.assert_allclose(joint.coordinate("y"), own @ np.cross(AXIS, across), atol=1e-9)
        turned = np.einsum("kji,kjl->kil", one.R, two.R) @ turn(AXIS, 0.4).T
        angle = np.unwrap(np.array([Rotation.from_matrix(R).as_rotvec() @ AXIS for R in turned]))
        np.testing.assert_allclose(joint.coordinate("angle"), angle, atol=1e-8)
    else:
        relative = np.einsum("kji,kjl->kil", one.R, two.R) @ turn(AXIS, 0.4).T
        pairs = zip(joint.coordinate("angle"), joint.coordinate("second_angle"), strict=True)
        made = np.array([turn(AXIS, x) @ turn(SECOND, y) for x, y in pairs])
        np.testing.assert_allclose(relative, made, atol=1e-8)
    for name in joint.coordinates:
        x, rate, second = joint.coordinate(name), joint.coordinate_rate(name), joint.coordinate_acceleration(name)
        slope = (x[:-4] - 8 * x[1:-3] + 8 * x[3:-1] - x[4:]) * 400 / 12
        bend = (rate[:-4] - 8 * rate[1:-3] + 8 * rate[3:-1] - rate[4:]) * 400 / 12
        np.testing.assert_allclose(slope, rate[2:-2], atol=1e-4 * np.abs(rate).max())
        close = np.abs(bend - second[2:-2]) < 1e-4 * np.abs(second).max()
        assert close.mean() > 0.95  # the stop bends the forces where it is met
    assert joint.acceleration.shape == (sol.t.size, len(joint.coordinates))
    assert (joint.rate == np.column_stack([joint.coordinate_rate(name) for name in joint.coordinates])).all()
    linear, _ = sol.momentum()
    weight = np.outer(sol.t, 3.3 * np.array([0.3, -1.0, -9.0]))
    np.testing.assert_allclose(linear - linear[0], weight, atol=1e-7)


def test_planar_coordinates_swing_by_themselves() -> None:
    """A spring along x, nothing along y, a torque about the axis: three closed forms, far from the
    origin and with a skew plane."""
    mech = iso.Mechanism(gravity=(0, 0, 0))
    mech.add_body("puck", 2.0, (0.5, 0.5, 0.5), FAR, velocity=0.4 * SECOND + 0.9 * np.cross(AXIS, SECOND))
    mech.add_joint(iso.Planar("table", "ground", "puck", point=FAR, axis=AXIS, direction=SECOND))
    mech.add_load(iso.JointSpring("spring", "table", 18.0, coordinate="x"))
    mech.add_load(iso.Motor("motor", "table", torque=5.0, coordinate="angle"))
    sol = iso.integrate(mech, dt=1e-3, t_end=2.0, save_every=20)
    joint, t = sol.joint("table"), sol.t
    np.testing.assert_allclose(joint.coordinate("x"), 0.4 / 3 * np.sin(3 * t), atol=1e-5)
    np.testing.assert_allclose(joint.coordinate("y"), 0.9 * t, atol=1e-9)
    np.testing.assert_allclose(joint.coordinate("angle"), 5.0 * t**2, atol=1e-4)
    np.testing.assert_allclose(
        joint.acceleration, np.column_stack([-1.2 * np.sin(3 * t), 0 * t, 10 + 0 * t]), atol=1e-4
    )


def test_points_on_planes_have_a_place() -> None:
    """x and y of a bead on a plane that a turning body carries; and on one that is lifted."""
    mech = iso.Mechanism(gravity=(0, 0, -9.81))
    mech.add_body("bead", 1.0, position=(0.3, 0.1, 1.0), velocity=(0.5, 0.2, 0.7), kind="particle")
    mech.add_joint(
        iso.PointOnPlane(
            "floor", "ground", "bead", point=(0, 0, 1), direction=(1, 0, 0), lift=iso.Polynomial(0, 0.7, 2.0)
        )
    )
    sol = iso.integrate(mech, dt=1e-3, t_end=0.5, save_every=10)
    joint, t = sol.joint("floor"), sol.t
    np.testing.assert_allclose(sol.body("bead").position[:, 2], 1 + 0.7 * t + 2 * t**2, atol=1e-9)
    np.testing.assert_allclose(joint.coordinate("x"), 0.5 * t, atol=1e-9)
    np.testing.assert_allclose(joint.coordinate("y"), 0.2 * t, atol=1e-9)
    np.testing.assert_allclose(sol.reaction("floor").force[:, 2], 9.81 + 4.0, atol=1e-6)


def test_accelerations_are_in_the_catalogue(tmp_path: Any) -> None:
    """In `sol.quantities()`, CSV and NetCDF."""
    mech = iso.Mechanism(gravity=(0, 0, -10.0))
    mech.add_body("arm", mass=1.0, inertia=(0.6, 1.0, 0.6), position=(1, 0, 0))
    mech.add_joint(iso.Hinge("pin", "ground", "arm", axis=(0, 1, 0)))
    sol = iso.integrate(mech, dt=0.01, t_end=0.05)
    assert sol.quantity("pin.angle_acceleration").values[0] == pytest.approx(5.0, abs=1e-9)
    sol.save(tmp_path / "run.csv")
    assert "pin.angle_acceleration" in (tmp_path / "run.csv").read_text()


def test_what_has_no_coordinates_says_so() -> None:
    mech = iso.Mechanism()
    mech.add_body("arm", mass=1.0, inertia=(0.6, 1.0, 0.6), position=(1, 0, 0))
    mech.add_joint(iso.Spherical("ball", "ground", "arm", point=(0, 0, 0)))
    sol = iso.integrate(mech, dt=0.01, t_end=0.02)
    with pytest.raises(InputError, match="joint 'ball' has no coordinate 'angle'"):
        sol.joint("ball").coordinate("angle")
    with pytest.raises(InputError, match="joint 'ball' has no coordinates"):
        _ = sol.joint("ball").acceleration
    mech.add_joint(iso.Planar("bad", "ground", "arm", direction=(0, 0, 1)))
    with pytest.raises(InputError, match="direction points along the axis"):
        mech.compile()
