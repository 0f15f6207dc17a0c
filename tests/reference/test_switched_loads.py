"""Loads that events switch off and on, against closed forms: a rotor on a spring that lets go at half
of its amplitude A and takes hold again at 2A."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

import isodyn as iso

J, STIFFNESS, SPEED = 0.2, 5.0, 2.0
PACE = np.sqrt(STIFFNESS / J)
AMPLITUDE = SPEED / PACE
OFF = np.arcsin(0.5) / PACE
COASTING = SPEED * np.cos(np.pi / 6)
ON = OFF + 1.5 * AMPLITUDE / COASTING
T_END = ON + 1.0


def rotor() -> iso.Mechanism:
    mech = iso.Mechanism(gravity=(0, 0, 0))
    mech.add_body("rotor", mass=1.0, inertia=(0.1, 0.1, J), angular_velocity=(0, 0, SPEED))
    mech.add_joint(iso.Hinge("pin", "ground", "rotor", axis=(0, 0, 1)))
    mech.add_load(iso.JointSpring("spring", "pin", STIFFNESS))
    return mech


def events() -> list[iso.Event]:
    off = iso.Event(f"pin.angle - {0.5 * AMPLITUDE}", direction=1, action=iso.SwitchLoad("spring", on=False))
    on = iso.Event(f"pin.angle - {2.0 * AMPLITUDE}", direction=1, action=iso.SwitchLoad("spring", on=True))
    return [off, on]


def exact(t: Any) -> tuple[Any, Any]:
    held, free = SPEED / PACE * np.sin(PACE * t), 0.5 * AMPLITUDE + COASTING * (t - OFF)
    late = 2.0 * AMPLITUDE * np.cos(PACE * (t - ON)) + COASTING / PACE * np.sin(PACE * (t - ON))
    angle = np.where(t < OFF, held, np.where(t < ON, free, late))
    return angle, np.where((t >= OFF) & (t < ON), 0.0, -(PACE**2) * angle)


def errors(sol: iso.Solution) -> list[float]:
    """Of the events, the angle and its acceleration, whose rows at events are right-hand limits."""
    times = [event.t for event in sol.events][:2]
    rows = [int(np.abs(sol.t - t).argmin()) for t in times]
    moved = sol.t.copy()
    moved[rows] = OFF, ON  # of an event that is found a little early or late
    angle, acceleration = exact(moved)
    angle[rows] = 0.5 * AMPLITUDE, 2.0 * AMPLITUDE
    found = sol.joint("pin")
    return [
        float(np.abs(np.array(times) - [OFF, ON]).max()),
        float(np.abs(found.angle - angle).max()),
        float(np.abs(found.acceleration - acceleration).max()),
    ]


def test_steps_of_one_size_are_of_second_order() -> None:
    found = [errors(iso.integrate(rotor(), dt=dt, t_end=T_END, events=events())) for dt in (0.02, 0.01, 0.005)]
    assert (np.log2(np.array(found[:-1]) / found[1:]) > 1.8).all(), found


@pytest.mark.parametrize(
    ("options", "bound"),
    [
        ({"dt": iso.Adaptive(1e-5)}, 3e-4),
        ({"scheme": iso.DOP853(1e-10)}, 1e-7),
        ({"scheme": iso.Radau(1e-9)}, 1e-7),
    ],
    ids=["Adaptive", "DOP853", "Radau"],
)
def test_steps_that_choose_themselves(options: Any, bound: float) -> None:
    sol = iso.integrate(rotor(), t_end=T_END, events=events(), **options)
    assert len(sol.events) >= 2
    assert max(errors(sol)) < bound
    spring = np.abs(sol.quantity("spring.tension").values)
    between = (sol.t > OFF + 1e-3) & (sol.t < ON - 1e-3)
    assert between.any()
    assert spring[between].max() == 0.0
    kinetic, potential = sol.energy()
    assert potential[between] == pytest.approx(np.zeros(between.sum()), abs=1e-12)
    assert (kinetic + potential)[sol.t < OFF - 1e-3] == pytest.approx(0.5 * J * SPEED**2, rel=1e-3)


def test_energy_is_that_of_the_springs_that_act() -> None:
    """While the spring is off, the rotor has its kinetic energy; what was stored in the spring comes
    back, larger, where it takes hold."""
    sol = iso.integrate(rotor(), iso.DOP853(1e-10), t_end=T_END, events=events())
    kinetic = 0.5 * J * sol.joint("pin").angle_rate ** 2
    between = (sol.t > OFF + 1e-6) & (sol.t < ON - 1e-6)
    after = sol.t > ON + 1e-6
    assert kinetic[between] == pytest.approx(np.full(between.sum(), 0.5 * J * COASTING**2), rel=1e-8)
    stored = 0.5 * STIFFNESS * sol.joint("pin").angle ** 2
    expected = 0.5 * J * COASTING**2 + 0.5 * STIFFNESS * (2.0 * AMPLITUDE) ** 2
    assert (kinetic + stored)[after] == pytest.approx(np.full(after.sum(), expected), rel=1e-8)


def test_energy_balance_knows_what_acts() -> None:
    """A damped spring lets go while it is stretched and takes hold again, and a reset halves the speed:
    the balance stays at errors of second order, in rows and in the work of the load."""
    mech = rotor()
    mech.add_load(iso.JointSpring("damper", "pin", 1.0, damping=0.3))
    both = [
        *events(),
        iso.Event(f"pin.angle - {0.5 * AMPLITUDE}", direction=1, action=iso.SwitchLoad("damper", on=False)),
        iso.Event(f"pin.angle - {1.5 * AMPLITUDE}", direction=1, action=lambda s: s._replace(v=0.5 * s.v)),
        iso.Event(f"pin.angle - {1.8 * AMPLITUDE}", direction=1, action=iso.SwitchLoad("damper", on=True)),
    ]
    found = []
    for dt in (0.004, 0.002):
        sol = iso.integrate(mech, dt=dt, t_end=2.0, events=both)
        assert len(sol.events) >= 4
        lost = sol.quantity("damper.power").values
        assert np.abs(lost[(sol.t > sol.events[0].t) & (sol.t < sol.events[3].t)]).max() == 0.0
        found.append(np.abs(sol.energy_balance()).max())
    assert found[1] < 2e-5
    assert np.log2(found[0] / found[1]) > 1.8


@pytest.mark.filterwarnings("ignore:the . rows that were saved")  # of the work of the spring, in the file
@pytest.mark.parametrize(
    "save", [[0.0, ON + 0.3], [0.0, 0.05, 0.4, ON + 0.3], [0.0, OFF, ON, ON + 0.3], [0.0, ON, ON + 0.3]]
)
def test_energy_balance_knows_what_acted_between_few_rows(save: list[float], tmp_path: Path) -> None:
    """The loads that were on in the row before counted at both switches: the balance was off by 1.5 of 0.4 J,
    without a word."""
    for method in ({"scheme": iso.Radau(1e-9)}, {"dt": 0.002}):
        sol = iso.integrate(rotor(), t_end=ON + 0.3, events=events(), save=save, **method)
        assert np.abs(sol.energy_balance()).max() < 1e-5
        read = iso.load(sol.save(tmp_path / "rotor.nc"), rotor())
        assert np.array_equal(read.energy_balance(), sol.energy_balance())
