"""Angles of joints over many turns against closed forms: whatever reads them, however few rows are
saved, with all kinds of steps."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import isodyn as iso
from turning_joints import geared, nut_on_an_arm, wheel

K = 4.0  # stiffness: ω = 2 rad/s
TIMES = np.linspace(0.0, 2.0, 5)
LOADS: dict[str, Any] = {
    "spring": iso.JointSpring("s", "pin", K),
    "formula": iso.FormulaMotor("s", "pin", "-4*pin.angle"),
    "bushing": iso.Bushing("s", "ground", "wheel", axis=(0, 0, 1), stiffness=(0, 0, 0, 0, 0, K)),
}


@pytest.mark.parametrize("turn", [0.0, 3.0])
@pytest.mark.parametrize("name", LOADS)
def test_amplitude_of_twenty_radians(name: str, turn: float) -> None:
    """θ = 20 sin 2t; wrapped at ±π the motion is another one after the first quarter of a
    second."""
    sol = iso.integrate(wheel(LOADS[name], speed=40.0, turn=turn), dt=5e-3, t_end=2.0)
    assert np.abs(sol.joint("pin").angle - 20 * np.sin(2 * sol.t)).max() < 5e-3


def test_limit_behind_two_turns() -> None:
    """Nothing happens before ±4π; there it is thrown back."""
    k, speed = 1e3, 10.0
    sol = iso.integrate(wheel(iso.JointLimit("l", "pin", -4 * np.pi, 4 * np.pi, k), speed=speed), dt=1e-3, t_end=3.0)
    angle, deep = sol.joint("pin").angle, speed / np.sqrt(k)
    before = sol.t < 4 * np.pi / speed
    assert angle[before] == pytest.approx(speed * sol.t[before], abs=1e-9)
    assert angle.max() == pytest.approx(4 * np.pi + deep, rel=1e-3)
    back = 4 * np.pi / speed + np.pi / np.sqrt(k)
    assert angle[-1] == pytest.approx(4 * np.pi - speed * (3.0 - back), abs=2e-2)


def test_few_rows() -> None:
    """100 rad/s and half a second between rows: 8 turns from row to row."""
    sol = iso.integrate(wheel(speed=100.0), dt=0.01, t_end=1.0, save_every=50)
    assert sol.joint("pin").angle == pytest.approx(100 * sol.t, rel=1e-12)
    sol = iso.integrate_adaptive(wheel(speed=100.0), t_end=1.0, save=TIMES / 2)
    assert sol.joint("pin").angle == pytest.approx(100 * sol.t, rel=1e-7)


def test_twenty_radians_in_every_step() -> None:
    """About an axis that stays where it is an increment tells any number of turns."""
    sol = iso.integrate(wheel(speed=2000.0), dt=0.01, t_end=1.0, save_every=30)
    assert sol.joint("pin").angle == pytest.approx(2000 * sol.t, rel=1e-12)


def test_dense_output_between_few_rows() -> None:
    """Between rows that are 8 turns apart the wheel turns 8 times, and its pose with it."""
    sol = iso.integrate(wheel(speed=100.0), dt=0.01, t_end=1.0, save_every=50)
    t = np.linspace(0.0, 1.0, 37)
    there = sol.at(t)
    assert there.q[:, -1] == pytest.approx(100 * t, rel=1e-10)
    assert np.abs(there.q[:, 6]) == pytest.approx(np.abs(np.sin(50 * t)), abs=1e-9)


@pytest.mark.parametrize("radius", [0.3, 1.0])
def test_screw_on_an_arm(radius: float) -> None:
    """5 mm lead, 20 rad/s, 31 steps a turn: the way along the chord is as long as threads are
    apart, and the nut stays on its own."""
    sol = iso.integrate(nut_on_an_arm(0.005, radius, 20.0), iso.Scheme.optimal(0.8), dt=0.01, t_end=1.0)
    joint, p = sol.joint("thread"), 0.005 / (2 * np.pi)
    assert joint.displacement == pytest.approx(p * joint.angle, abs=1e-13)
    rate = np.sqrt(400.0 / (1 + 0.008 / p**2))
    assert joint.displacement[-1] == pytest.approx(radius * (np.cosh(rate) - 1), rel=3e-3)


def test_screw_starts_on_the_thread_where_it_is() -> None:
    """Three turns up at the start: the angle is counted from there."""
    mech = iso.Mechanism(gravity=(0, 0, 0))
    mech.add_body("nut", 1.0, (1, 1, 1), (0, 0, 0.3 + 0.1 / 8), (np.cos(np.pi / 8), 0, 0, np.sin(np.pi / 8)))
    mech.add_joint(
        iso.Screw(
            "thread",
            "ground",
            "nut",
            points=((0, 0, 0), (0, 0, 0)),
            axes=((0, 0, 1), (0, 0, 1)),
            pitch=0.1 / (2 * np.pi),
        )
    )
    system = mech.compile()
    assert system.q0[-1] == pytest.approx(2 * np.pi * 3.125, rel=1e-12)


@pytest.mark.parametrize("ratio", [np.sqrt(2.0), -np.pi, 41 / 20])
def test_gear_of_any_ratio(ratio: float) -> None:
    """No slip after hundreds of radians; J_eff = 1 + 1/ratio², θ₁ = A sin Ωt with Ω² = k/J_eff."""
    system = geared(ratio, 30.0, iso.JointSpring("s", "first", 0.02))
    sol = iso.integrate(system, dt=0.05, t_end=10.0)
    first, second = sol.joint("first").angle, sol.joint("second").angle
    Omega = np.sqrt(0.02 / (1 + 1 / ratio**2))
    assert np.abs(first + ratio * second).max() < 1e-11
    assert np.abs(first).max() > 150.0
    assert first == pytest.approx(30.0 / Omega * np.sin(Omega * sol.t), abs=0.02)


def test_drive_of_many_turns() -> None:
    """Half a turn and more within the first step, from rest; counted, the wheel goes where the
    drive says."""
    mech = iso.Mechanism(gravity=(0, 0, 0))
    mech.add_body("wheel", 1.0, (1, 1, 1))
    mech.add_joint(iso.Hinge("pin", "ground", "wheel", axis=(0, 0, 1)))
    mech.add_joint(iso.Drive("motor", "pin", iso.Polynomial(0.0, 0.0, 500.0)))
    sol = iso.integrate(mech.compile(), dt=0.1, t_end=1.0)
    assert sol.joint("pin").angle == pytest.approx(500 * sol.t**2, abs=1e-9)
    sol = iso.kinematics(mech.compile(), np.linspace(0, 1, 4))
    assert sol.joint("pin").angle == pytest.approx(500 * sol.t**2, abs=1e-9)


def test_drive_that_starts_whole_turns_away() -> None:
    """A drive that begins at 7 rad finds the wheel where 7 rad is."""
    mech = iso.Mechanism(gravity=(0, 0, 0))
    half = 0.5 * (7.0 - 2 * np.pi)
    mech.add_body("wheel", 1.0, (1, 1, 1), orientation=(np.cos(half), 0, 0, np.sin(half)), angular_velocity=(0, 0, 1))
    mech.add_joint(iso.Hinge("pin", "ground", "wheel", points=((0, 0, 0), (0, 0, 0)), axes=((0, 0, 1), (0, 0, 1))))
    mech.add_joint(iso.Drive("motor", "pin", iso.Polynomial(7.0, 1.0)))
    sol = iso.integrate(mech.compile(), dt=0.1, t_end=1.0)
    assert sol.joint("pin").angle == pytest.approx(7.0 + sol.t, abs=1e-9)


def test_drive_of_a_run_that_starts_later() -> None:
    """f(0) = −30 rad, and f = 0 where the run starts: the wheel is there, however many turns lie
    between."""
    mech = iso.Mechanism(gravity=(0, 0, 0))
    mech.add_body("wheel", 1.0, (1, 1, 1), angular_velocity=(0, 0, 10))
    mech.add_joint(iso.Hinge("pin", "ground", "wheel", axis=(0, 0, 1)))
    mech.add_joint(iso.Drive("motor", "pin", iso.Polynomial(-30.0, 10.0)))
    for sol in (
        iso.integrate(mech.compile(), dt=0.1, t0=3.0, t_end=4.0),
        iso.integrate_adaptive(mech.compile(), t0=3.0, t_end=4.0, save=[3.0, 4.0]),
    ):
        assert sol.joint("pin").angle == pytest.approx(10 * sol.t - 30, abs=1e-8)


def test_event_on_the_eighth_turn() -> None:
    """Events see the counted angle among the coordinates."""
    found = iso.integrate_adaptive(wheel(speed=10.0), t_end=9.0, events=[lambda t, q, v: q[-1] - 50.0])
    assert found.aux["event_times"][0] == pytest.approx([5.0], abs=1e-8)


def test_hinge_of_a_beam() -> None:
    """A spring on the slope of a stiff planar beam: θ = 8 sin Ωt about its end, Ω² = k/(ρAL³/3)."""
    mech = iso.Mechanism(gravity=(0, 0, 0))
    section = iso.Section(EA=1e6, EI=1e4, rhoA=3.0)
    mech.add_beam("rod", (0, 0), (1, 0), elements=1, section=section, angular_velocity=16.0)
    mech.add_joint(iso.Hinge("pin", "ground", "rod.start"))
    mech.add_load(iso.JointSpring("s", "pin", 4.0))
    sol = iso.integrate(mech.compile(), dt=2e-3, t_end=1.0, save_every=100)
    assert sol.joint("pin").angle == pytest.approx(8 * np.sin(2 * sol.t), abs=0.02)
