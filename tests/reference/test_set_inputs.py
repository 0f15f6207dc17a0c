"""Events that give loads other numbers: motions in closed form, what is read of the loads, and what
is refused."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

import isodyn as iso
from isodyn.errors import InputError
from isodyn.results import Checkpoint

pytestmark = pytest.mark.filterwarnings("ignore:no joint and no spring holds 'sled'")
METHODS: dict[str, dict[str, Any]] = {
    "fixed": {"dt": 0.013},
    "adaptive": {"dt": iso.Adaptive(1e-3)},
    "Radau": {"scheme": iso.Radau(1e-8)},
    "DOP853": {"scheme": iso.DOP853(1e-10)},
}


def flywheel() -> iso.Mechanism:
    """Inertia 0.5 about a pin at its centre, and a sled of mass 2 that nothing holds."""
    mech = iso.Mechanism(gravity=(0, 0, 0))
    mech.add_body("wheel", mass=1.0, inertia=0.5, kind="planar")
    mech.add_joint(iso.Hinge("pin", "ground", "wheel"))
    mech.add_body("sled", mass=2.0, kind="particle")
    mech.add_load(iso.Motor("motor", "pin", torque=1.0))
    mech.add_load(iso.Force("push", "sled", (4.0, 0.0, 0.0)))
    return mech


EVENTS = [
    iso.Event("pin.angle - 0.25", 1, action=iso.SetInput("motor", -1.0)),  # at t = 0.5, where the rate is 1
    iso.Event("pin.angle_rate", -1, action=iso.SetInput("motor", 0.0)),  # at t = 1
    iso.Event("sled.vx - 1", 1, action=iso.SetInput("push", (0.0, 2.0, 0.0))),  # at t = 0.5
]


@pytest.mark.parametrize("how", METHODS)
def test_loads_hold_what_events_set(how: str) -> None:
    sol = iso.integrate(flywheel(), t_end=1.5, events=EVENTS, **METHODS[how])
    assert [(event.index, round(event.t, 9)) for event in sol.events] == [(0, 0.5), (2, 0.5), (1, 1.0)]
    assert sol.joint("pin").angle[-1] == pytest.approx(0.5, abs=1e-12)
    assert sol.body("sled").velocity[-1] == pytest.approx([1.0, 1.0, 0.0], abs=1e-12)
    assert sol.at(0.25).a[sol.system.v_names.index("sled.vx")] == pytest.approx(2.0)
    expected = np.select([sol.t < 0.5 - 1e-9, sol.t < 1.0 - 1e-9], [1.0, -1.0], 0.0)
    assert np.abs(sol.quantity("motor.torque").values[:, 2] - expected).max() < 1e-12
    assert np.abs(sol.energy_balance()).max() < 1e-9


def test_a_run_is_resumed_bit_for_bit(tmp_path: Path) -> None:
    given: dict[str, Any] = {"dt": 0.013, "t_end": 1.5, "events": EVENTS}
    whole = iso.integrate(flywheel(), **given, checkpoint=Checkpoint(tmp_path / "whole", every=5))
    iso.integrate(flywheel(), **given, checkpoint=Checkpoint(tmp_path / "part", every=5), observe=lambda s: s.t > 0.7)
    again = iso.resume(tmp_path / "part", flywheel(), events=EVENTS)
    assert np.array_equal(again.q, whole.q)
    assert np.array_equal(again.quantity("motor.power").values, whole.quantity("motor.power").values)


@pytest.mark.parametrize(
    ("action", "words"),
    [
        (iso.SetInput("moter", 1.0), "there is no input named 'moter'(.|\n)*did you mean 'motor'"),
        (iso.SetInput("motor", (1.0, 2.0)), "input 'motor' is one number"),
        (iso.SetInput("motor", np.nan), "input 'motor' must be finite|finite"),
        (iso.SetInput("drive", 1.0), "the number of load 'drive' is a function in the model(.|\n)*SwitchLoad"),
        (iso.SetInput("held", 1.0), "controller 'pd' writes 'held', and so does"),
    ],
)
def test_what_is_refused(action: iso.SetInput, words: str) -> None:
    mech = flywheel()
    mech.add_load(iso.Motor("drive", "pin", torque=iso.Sine(1.0, 2.0)))
    mech.add_load(iso.Motor("held", "pin", torque=0.0))
    mech.add_controller("pd", every=0.1, writes="held", law="-pin.angle")
    with pytest.raises(InputError, match=words):
        iso.integrate(mech, dt=0.1, t_end=1.0, events=[iso.Event("t - 0.5", action=action)])


def test_other_systems_have_no_inputs() -> None:
    event = iso.Event("t - 0.5", action=iso.SetInput("motor", 1.0))
    with pytest.raises(InputError, match="there is no input named 'motor'"):
        iso.integrate(iso.problems.get("pendulum").system(), dt=0.1, t_end=1.0, events=[event])


def test_functions_that_were_read_once_are_not_changed_in_silence() -> None:
    """Functions of t become formulas when a mechanism is compiled: an action that sets a variable
    which such a function reads had no effect, without a word. Other variables may change."""
    held = {"torque": 0.0, "other": 0.0}
    mech = iso.Mechanism(gravity=(0, 0, 0))
    mech.add_body("wheel", mass=1.0, inertia=0.5, kind="planar")
    mech.add_joint(iso.Hinge("pin", "ground", "wheel"))
    mech.add_load(iso.Motor("motor", "pin", torque=lambda t: held["torque"] + t))
    half = iso.Event("t - 0.5", action=lambda s: held.update(other=1.0))
    assert iso.integrate(mech, dt=0.01, t_end=1.0, events=[half]).events[0].t == 0.5
    half = iso.Event("t - 0.5", action=lambda s: held.update(torque=1.0))
    with pytest.raises(InputError, match=r"at t = 0.5 has changed what the function of t of 'motor' reads") as raised:
        iso.integrate(mech, dt=0.01, t_end=1.0, events=[half])
    assert raised.value.partial is not None
    assert raised.value.partial.t[-1] == 0.5
