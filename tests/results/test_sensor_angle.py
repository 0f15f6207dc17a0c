"""The angle of a sensor is the twist of one body against another about an axis, whatever else the
bodies do."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.spatial.transform import Rotation

import isodyn as iso
from isodyn.errors import InputError

AXIS = np.array([0.3, -0.5, 0.8])


def tumbling() -> iso.Solution:
    mech = iso.Mechanism(gravity=(0, 0, 0))
    turned = Rotation.from_rotvec([0.4, 0.2, -0.1])
    mech.add_body("one", 1.0, (0.1, 0.2, 0.25), (0, 0, 0), turned, angular_velocity=(0.5, 2.0, -1.0))
    mech.add_body("two", 1.0, (0.3, 0.2, 0.15), (1, 0, 0), angular_velocity=(-1.0, 0.2, 3.0))
    mech.add_sensor(iso.Sensor("twist", "two", to="one", axis=AXIS))
    return iso.integrate(mech, dt=0.005, t_end=2.0)


def test_it_is_the_twist_of_the_relative_rotation() -> None:
    """By quaternions: what is left about the axis, from the start on."""
    sol = tumbling()
    one, two = (Rotation.from_matrix(sol.body(name).R) for name in ("one", "two"))
    # both in axes that agreed with the world at the start
    relative = (one * one[0].inv()).inv() * (two * two[0].inv())
    x, y, z, w = relative.as_quat().T
    expected = 2 * np.arctan2(np.column_stack([x, y, z]) @ (AXIS / np.linalg.norm(AXIS)), w)
    found = sol.sensor("twist")
    assert np.ptp(np.arccos(np.clip(relative.apply(AXIS) @ AXIS / (AXIS @ AXIS), -1, 1))) > 2.0  # it tilts far
    assert np.abs(np.exp(1j * found.angle) - np.exp(1j * expected)).max() < 1e-12
    assert (
        np.abs(np.gradient(found.angle, sol.t) - found.angle_rate)[5:-5].max() < 2e-3 * np.abs(found.angle_rate).max()
    )


def test_a_body_that_turns_about_another_line_of_the_plane_has_no_twist() -> None:
    """A line of the body would lie along the axis after a quarter of a turn."""
    mech = iso.Mechanism(gravity=(0, 0, 0))
    mech.add_body("wheel", 1.0, (0.1, 0.1, 0.1), angular_velocity=(1.0, 2.0, 0.0))
    mech.add_sensor(iso.Sensor("twist", "wheel", to="ground", axis=(0, 0, 1)))
    found = iso.integrate(mech, dt=0.01, t_end=1.3).sensor("twist")
    assert np.abs(found.angle).max() < 1e-12
    assert np.abs(found.angle_rate).max() < 1e-12


def test_axes_in_opposite_directions_have_no_angle() -> None:
    mech = iso.Mechanism(gravity=(0, 0, 0))
    mech.add_body("wheel", 1.0, (0.1, 0.1, 0.1), angular_velocity=(np.pi, 0, 0))
    mech.add_joint(iso.Hinge("pin", "ground", "wheel", axis=(1, 0, 0)))
    mech.add_joint(iso.Drive("over", "pin", iso.Polynomial(0, np.pi)))
    mech.add_sensor(iso.Sensor("twist", "wheel", to="ground", axis=(0, 0, 1)))
    sol = iso.integrate(mech, dt=0.1, t_end=1.5)
    with pytest.raises(
        InputError, match=r"'twist' has no angle at t = 1: its axis points there in opp.*\nhint: an axis"
    ):
        _ = sol.sensor("twist").angle
