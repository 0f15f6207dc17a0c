"""Expressions that read what loads do, in events and controllers: of loads as they are at the time.
They were read as the model gives them, whatever events had switched or set, without a word."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import isodyn as iso

METHODS: dict[str, dict[str, Any]] = {
    "fixed": {"dt": 0.01},
    "adaptive": {"dt": iso.Adaptive(1e-3)},
    "Radau": {"scheme": iso.Radau(1e-7)},
}


def rotor() -> iso.Mechanism:
    """At angle 2t, until the loads act."""
    mech = iso.Mechanism(gravity=(0, 0, 0))
    mech.add_body("rotor", mass=1.0, inertia=(0.1, 0.1, 0.2), angular_velocity=(0, 0, 2.0))
    mech.add_joint(iso.Hinge("pin", "ground", "rotor", axis=(0, 0, 1)))
    mech.add_load(iso.JointSpring("spring", "pin", 5.0))
    mech.add_load(iso.Motor("motor", "pin", torque=0.5))
    return mech


@pytest.mark.parametrize("how", METHODS)
def test_a_spring_that_is_off_pulls_nothing(how: str) -> None:
    """And pulls again later, by 5 times the angle."""
    events = [
        iso.Event("t - 0.012", action=iso.SwitchLoad("spring", on=False)),
        iso.Event("spring.tension - 0.5", name="tension"),
        iso.Event("potential_energy - 0.1", name="energy"),
        iso.Event("t - 0.512", action=iso.SwitchLoad("spring", on=True)),
        iso.Event("spring.tension - 4.9", name="late"),
    ]
    sol = iso.integrate(rotor(), t_end=0.6, events=events, **METHODS[how])
    assert [event.name for event in sol.events if event.t < 0.512] == ["event 0"]
    late = [event.t for event in sol.events if event.name == "late"]
    angle = sol.joint("pin").angle
    assert len(late) == np.count_nonzero(np.diff(np.sign(5.0 * angle[sol.t > 0.512] - 4.9)))


@pytest.mark.parametrize("how", METHODS)
def test_a_motor_has_the_torque_that_an_event_has_set(how: str) -> None:
    """0.5, then 2: 0.5 + t reaches that at t = 1.5. What passes zero by the jump itself is no event."""
    events = [
        iso.Event("t - 0.213", action=iso.SetInput("motor", 2.0)),
        iso.Event("motor.effort - 0.5 - t", name="both"),
        iso.Event("motor.effort - 1", name="jump"),
    ]
    sol = iso.integrate(rotor(), t_end=1.7, events=events, **METHODS[how])
    assert [event.name for event in sol.events] == ["event 0", "both"]
    assert sol.events[1].t == pytest.approx(1.5, abs=1e-9)


@pytest.mark.parametrize("how", ["fixed", "adaptive"])
def test_a_motor_has_the_torque_that_a_controller_writes(how: str) -> None:
    """t at each sample, every 0.1 s."""
    mech = rotor()
    mech.add_controller("ramp", every=0.1, writes="motor", law="t")
    sol = iso.integrate(mech, t_end=1.0, events=[iso.Event("motor.effort - 0.55", name="torque")], **METHODS[how])
    assert [event.t for event in sol.events] == pytest.approx([0.6], abs=1e-9)


def test_a_controller_reads_loads_that_are_off() -> None:
    mech, read = rotor(), []

    def law(t: float, tension: float) -> float:
        read.append((t, tension))
        return 0.0

    mech.add_controller("watch", every=0.1, reads=["spring.tension"], writes="motor", law=law)
    off = iso.Event("t - 0.15", action=iso.SwitchLoad("spring", on=False))
    on = iso.Event("t - 0.35", action=iso.SwitchLoad("spring", on=True))
    sol = iso.integrate(mech, dt=0.01, t_end=0.5, events=[off, on])
    angle = sol.at(np.array([t for t, _ in read])).q[:, sol.system.names.index("pin.angle")]
    acts = np.array([t < 0.15 or t > 0.35 for t, _ in read])
    assert [tension for _, tension in read] == pytest.approx(5.0 * angle * acts, abs=1e-9)
