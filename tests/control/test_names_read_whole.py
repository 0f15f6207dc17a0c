"""Every quantity can be read by its name, also by one that no formula can have."""

from __future__ import annotations

import numpy as np
import pytest

import isodyn as iso
from isodyn.errors import InputError


def arm(pin: str) -> iso.Mechanism:
    mech = iso.Mechanism()
    mech.add_body("arm", mass=1.0, inertia=(0.01, 0.09, 0.09), position=(0.5, 0, 0))
    mech.add_joint(iso.Hinge(pin, "ground", "arm", point=(0, 0, 0), axis=(0, 1, 0)))
    mech.add_load(iso.Motor("motor", pin, torque=0.0))
    return mech


@pytest.mark.parametrize("pin", ["joint-1", "left pin", "Gelenk ä"])
def test_joints_of_any_name_are_read_written_and_watched(pin: str) -> None:
    """Such names are common in files of robots; they were read as formulas, and refused."""
    mech = arm(pin)
    names = [f"{pin}.angle", f"{pin}.angle_rate"]
    mech.add_controller("pid", every=0.01, reads=names, writes="motor", law=iso.PID(kp=20.0, kd=3.0))
    sol = iso.integrate(mech, dt=0.01, t_end=0.4, events=[iso.Event(f"{pin}.angle_acceleration")])
    same = arm("pin")
    same.add_controller(
        "pid", every=0.01, reads=["pin.angle", "pin.angle_rate"], writes="motor", law=iso.PID(20.0, kd=3.0)
    )
    other = iso.integrate(same, dt=0.01, t_end=0.4, events=[iso.Event("pin.angle_acceleration")])
    np.testing.assert_allclose(sol.q, other.q, atol=1e-12)
    assert len(sol.events) == len(other.events) > 0
    stepper = iso.Stepper(mech, dt=0.01)
    stepper.run_until(0.105)
    assert stepper.read(names[0]) == pytest.approx(sol.quantity(names[0]).values[11], abs=1e-12)


def test_all_names_of_quantities_are_read() -> None:
    sol, stepper = iso.integrate(arm("pin"), dt=0.01, t_end=0.02), iso.Stepper(arm("pin"), dt=0.01)
    stepper.run_until(0.02)
    for name in sol.quantities():
        if str(name).endswith("work"):
            continue
        last = float(np.linalg.norm(sol.quantity(name).values[-1]))
        assert abs(stepper.read(str(name))) == pytest.approx(last, abs=1e-12), name


def test_unknown_names_are_refused_as_before() -> None:
    stepper = iso.Stepper(arm("joint-1"), dt=0.01)
    for name, words in (("joint-1.angel", "after the number"), ("left.angle", "no quantity named 'left.angle'")):
        with pytest.raises(InputError, match=words):
            stepper.read(name)
    with pytest.raises(InputError, match="is a sum over the past"):
        stepper.read("motor.work")
