"""What a solution tells of the motion between its rows, however few were saved."""

from __future__ import annotations

import warnings
from pathlib import Path

import numpy as np
import pytest

import isodyn as iso
from isodyn.errors import AccuracyWarning

G, HEIGHT, REBOUND = 9.81, 2.0, 0.8


def bouncing(t: float) -> float:
    """Height of a ball that is dropped and rebounds, by hand."""
    hit, speed = np.sqrt(2 * HEIGHT / G), np.sqrt(2 * HEIGHT * G)
    if t < hit:
        return HEIGHT - 0.5 * G * t * t
    while True:
        speed *= REBOUND
        if t < hit + 2 * speed / G:
            return speed * (t - hit) - 0.5 * G * (t - hit) ** 2
        hit += 2 * speed / G


@pytest.mark.parametrize("dt", [0.02, iso.Adaptive(1e-3)], ids=["fixed", "adaptive"])
def test_impacts_between_few_rows(dt: object, tmp_path: Path) -> None:
    """The motion is in pieces at impacts that are no rows, in files too; it was smooth over them,
    0.26 m off."""
    ball = iso.MechanicalSystem(
        1.0, lambda q, v, t: [-G], [HEIGHT], [0.0], gap=lambda q, t: q, restitution=REBOUND, energy=energy
    )
    sol = iso.integrate(ball, dt=dt, t_end=3.0, save=7)
    times = np.linspace(0.0, 3.0, 301)
    exact = [bouncing(t) for t in times]
    assert sol.t.size == 7
    assert sol.at(times).q[:, 0] == pytest.approx(exact, abs=1e-9)
    loaded = iso.load(sol.save(tmp_path / "ball.nc"), ball)
    assert loaded.at(times).q[:, 0] == pytest.approx(exact, abs=1e-9)
    assert np.abs(sol.energy_balance()).max() < 1e-9


def energy(q: np.ndarray, v: np.ndarray, t: float) -> tuple[float, float]:
    return 0.5 * float(v[0]) ** 2, G * float(q[0])


@pytest.fixture(scope="module")
def oscillator() -> iso.MechanicalSystem:
    return iso.MechanicalSystem(M=1.0, Q=lambda q, v, t: -q, q0=[1.0], v0=[0.0])


@pytest.mark.parametrize("apart", [3.5, 4.0, 2 * np.pi, 10.0])
@pytest.mark.parametrize("late", np.linspace(0.0, np.pi, 7))
def test_rows_too_far_apart_are_told(oscillator: iso.MechanicalSystem, apart: float, late: float) -> None:
    """Rows a period apart look like rest, and others are symmetric; wherever they are, values
    between them that are off by half a percent come with a warning."""
    sol = iso.integrate(oscillator, iso.DOP853(1e-10), t_end=late + 2 * apart, save=late + apart * np.arange(3))
    times = np.linspace(late, late + 2 * apart, 41)
    with warnings.catch_warnings(record=True) as told:
        warnings.simplefilter("always")
        off = np.abs(sol.at(times).q[:, 0] - np.cos(times)).max()
    assert off > 5e-3
    assert [one.category for one in told] == [AccuracyWarning]
    assert "too far apart" in str(told[0].message)
    sol.at(sol.t)  # rows themselves are right


@pytest.mark.parametrize("late", np.linspace(0.0, np.pi, 7))
def test_rows_that_are_near_enough_are_not_told(oscillator: iso.MechanicalSystem, late: float) -> None:
    sol = iso.integrate(oscillator, iso.DOP853(1e-10), t_end=late + 6.0, save=np.linspace(late, late + 6.0, 5))
    times = np.linspace(late, late + 6.0, 41)
    assert np.abs(sol.at(times).q[:, 0] - np.cos(times)).max() < 1e-3


def test_first_order_rows_too_far_apart_are_told() -> None:
    system = iso.FirstOrderSystem(lambda s, t: [np.cos(t)], s0=[0.0])
    sol = iso.integrate(system, dt=0.01, t_end=12.0, save=5)
    with pytest.warns(AccuracyWarning, match="too far apart"):
        sol.at(1.0)
    near = iso.integrate(system, dt=0.01, t_end=12.0, save=25)
    assert near.at(1.1).v[0] == pytest.approx(np.sin(1.1), abs=1e-3)


def driven(**asked: object) -> iso.Solution:
    """A pendulum with friction and a motor that swings it, for eight seconds."""
    mech = iso.Mechanism(gravity=(0, -9.81, 0))
    mech.add_body("bar", mass=1.0, inertia=0.1, position=(0.5, 0), kind="planar")
    mech.add_joint(iso.Hinge("pin", "ground", "bar", point=(0, 0)))
    mech.add_load(iso.FormulaMotor("motor", "pin", torque="0.5*sin(3*t) - 0.1*pin.angle_rate"))
    steps = {} if "scheme" in asked else {"dt": 0.01}
    return iso.integrate(mech, t_end=8.0, **steps, **asked)


@pytest.mark.parametrize("saved", [{"save": 9}, {"save_every": 100}], ids=str)
def test_rows_too_few_for_the_work_of_forces_are_told(saved: dict[str, object]) -> None:
    """Of nine rows in seven swings no work can be told. A good run was NOT GOOD, and the work of its
    motor was wrong without a word."""
    sol = driven(**saved)
    for ask in (sol.energy_balance, lambda: sol.load("motor").work):
        with pytest.warns(AccuracyWarning, match="too far apart for the work"):
            ask()
    with pytest.warns(AccuracyWarning, match="too far apart for the work"):
        quality = sol.quality()
    assert quality.energy is None
    assert quality.good


@pytest.mark.parametrize("method", [iso.DOP853(1e-4), iso.Auto(1e-4)], ids=repr)
def test_steps_of_high_order_are_too_few_for_the_work_of_forces(method: object) -> None:
    """Their rows are right, but no trapezoids fit between them: such runs were NOT GOOD."""
    with pytest.warns(AccuracyWarning, match="too far apart for the work"):
        assert driven(scheme=method).quality().energy is None
    assert driven(scheme=method, save=401).quality().energy.good


def test_rows_that_are_enough_for_the_work_of_forces() -> None:
    whole, few = driven(), driven(save_every=8)
    assert few.quality().energy.good
    assert few.load("motor").work[-1] == pytest.approx(whole.load("motor").work[-1], rel=2e-2)
