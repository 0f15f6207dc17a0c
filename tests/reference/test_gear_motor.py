"""A motor with a gear and a torque–speed curve turns a wheel as closed forms say."""

from __future__ import annotations

import math

import numpy as np
import pytest

import isodyn as iso
from isodyn.errors import InputError
from isodyn.models import model_from_text

INERTIA, STALL, FREE = 0.4, 0.5, 300.0  # of the wheel; torque at rest and speed without torque, of the motor


def wheel(start: float = 0.0, **options: object) -> iso.Mechanism:
    """A wheel on a hinge, turned by a motor."""
    mech = iso.Mechanism(gravity=(0, 0, 0))
    mech.add_body("wheel", mass=2.0, inertia=(0.3, INERTIA, 0.3), angular_velocity=(0, start, 0))
    mech.add_joint(iso.Hinge("pin", "ground", "wheel", point=(0, 0, 0), axis=(0, 1, 0)))
    given = {"speeds": [0.0, FREE], "torques": [STALL, 0.0], "ratio": 20.0, **options}
    mech.add_load(iso.GearMotor("motor", "pin", **given))  # type: ignore[arg-type]
    return mech


@pytest.mark.parametrize(("command", "start"), [(1.0, 0.0), (-0.6, 0.0), (1.0, 25.0)])
def test_speed_rises_to_that_without_torque(command: float, start: float) -> None:
    """J ω̇ = r η c (T₀ − T₀ r |ω|/ω₀): an exponential, from above as well."""
    ratio, efficiency = 20.0, 0.8
    sol = iso.integrate(wheel(start, command=command, efficiency=efficiency), dt=1e-3, t_end=0.4)
    final = math.copysign(FREE / ratio, command)
    rate = abs(command) * efficiency * ratio * STALL / (FREE / ratio) / INERTIA
    exact = final + (start - final) * np.exp(-rate * sol.t)
    assert np.abs(sol.joint("pin").angle_rate - exact).max() < 2e-5 * abs(final)
    torque = efficiency * ratio * abs(command) * STALL * (np.sign(command) - sol.joint("pin").angle_rate * ratio / FREE)
    assert np.abs(sol.load("motor").torque[:, 1] - torque).max() < 1e-10


def test_flat_part_then_slope() -> None:
    """Constant acceleration up to the corner, an exponential after it; the motor pushes back no
    further than from rest."""
    mech = wheel(speeds=[0.0, 100.0, 300.0], torques=[0.5, 0.5, 0.0])
    sol = iso.integrate(mech.compile(), iso.Radau(rtol=1e-9), t_end=0.6)
    a = 20.0 * STALL / INERTIA
    corner, rate = 5.0 / a, a / 10.0
    after = np.maximum(sol.t - corner, 0.0)
    exact = np.where(sol.t < corner, a * sol.t, 15.0 - 10.0 * np.exp(-rate * after))
    assert np.abs(sol.joint("pin").angle_rate - exact).max() < 1e-6


def test_controller_writes_the_command() -> None:
    """A law at 1 kHz holds a position, from Python and from a file; both are the same numbers."""
    mech = wheel(command=0.0)
    mech.add_controller(
        "pd", every=1e-3, writes="motor", law="-8*(pin.angle - 0.5) - 0.5*pin.angle_rate", low=-1.0, high=1.0
    )
    sol = iso.integrate(mech.compile(), dt=1e-3, t_end=1.2)
    assert abs(float(sol.joint("pin").angle[-1]) - 0.5) < 1e-3
    text = f"""
    gravity = [0, 0, 0]
    [bodies.wheel]
    mass = 2.0
    inertia = [0.3, {INERTIA}, 0.3]
    position = [0, 0, 0]
    [joints.pin]
    type = "hinge"
    between = ["ground", "wheel"]
    point = [0, 0, 0]
    axis = [0, 1, 0]
    [loads.motor]
    type = "gear_motor"
    joint = "pin"
    speeds = [0.0, {FREE}]
    torques = [{STALL}, 0.0]
    ratio = 20.0
    command = 0.0
    [controllers.pd]
    every = 1e-3
    writes = ["motor"]
    law = "-8*(pin.angle - 0.5) - 0.5*pin.angle_rate"
    low = -1.0
    high = 1.0
    [run]
    dt = 1e-3
    t_end = 1.2
    """
    same = iso.integrate(model_from_text(text).mechanism(), dt=1e-3, t_end=1.2)
    assert same.q.tolist() == sol.q.tolist()


@pytest.mark.parametrize(
    ("given", "match"),
    [
        ({"torques": [1.0]}, "as many of both"),
        ({"speeds": [10.0, 0.0]}, "ascend"),
        ({"torques": [1.0, math.nan]}, "finite"),
        ({"ratio": 0.0}, "ratio must be a number other than zero"),
        ({"efficiency": 1.5}, "efficiency must lie in"),
    ],
)
def test_what_is_no_motor_is_named(given: dict[str, object], match: str) -> None:
    with pytest.raises(InputError, match=match):
        wheel(**given).compile()


def test_curves_may_have_hundreds_of_points() -> None:
    """More than 24 were refused as a formula that is too long."""
    speeds = np.linspace(0.0, FREE, 301)
    few, many = (
        iso.integrate(wheel(speeds=x, torques=STALL * (1.0 - x / FREE)), dt=2e-3, t_end=0.5)
        for x in (speeds[[0, -1]], speeds)
    )
    np.testing.assert_allclose(many.v, few.v, atol=1e-10)
