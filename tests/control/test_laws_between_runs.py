"""Laws that remember something: what they remember is that of one run, and fits what loads get."""

from __future__ import annotations

import numpy as np
import pytest

import isodyn as iso
from isodyn.errors import CallableError

READS = ["slide.displacement", "slide.displacement_rate"]


def slider(*laws: object, reads: list[str] = READS, **options: object) -> iso.Mechanism:
    """A mass of 1 kg on a rail, with a force for each law."""
    mech = iso.Mechanism(gravity=(0, 0, 0))
    mech.add_body("mass", mass=1.0, inertia=(1, 1, 1))
    mech.add_joint(iso.Prismatic("slide", "ground", "mass", point=(0, 0, 0), axis=(1, 0, 0)))
    for k, law in enumerate(laws):
        mech.add_load(iso.Motor(f"force{k}", "slide", torque=0.0))
        mech.add_controller(f"law{k}", every=0.01, reads=reads, writes=f"force{k}", law=law, **options)  # type: ignore[arg-type]
    return mech


def pid(**limits: float) -> iso.PID:
    return iso.PID(kp=30.0, ki=20.0, kd=5.0, target=1.0, **limits)


class Filtered:
    """A law of a user, which has a state."""

    def __init__(self) -> None:
        self.reset()

    def reset(self) -> None:
        self.state = 0.0

    def __call__(self, t: float, x: float, rate: float) -> float:
        self.state += 0.1 * (1.0 - x - self.state)
        return 5.0 * self.state - 2.0 * rate


def test_the_integral_leads_back_into_limits_without_zero() -> None:
    """A heater that is never off: u = 20/3 holds y = 1. The integral stayed zero, and y at 0.75."""
    law, y = iso.PID(kp=1.0, ki=2.0, target=1.0, low=5.0, high=10.0), 0.0
    for k in range(300):
        y += 0.1 * (0.15 * law(0.1 * k, y) - y)
    assert y == pytest.approx(1.0, abs=1e-3)


def test_the_integral_waits_at_limits_of_the_controller_too() -> None:
    """It went on, and the mass went to 4.7 m in the place of 1.5."""
    outside, inside = (
        iso.integrate(mech, dt=0.01, t_end=3.0)
        for mech in (slider(pid(), low=-2.0, high=2.0), slider(pid(low=-2.0, high=2.0)))
    )
    np.testing.assert_array_equal(outside.q, inside.q)


def test_controllers_do_not_share_what_a_pid_remembers() -> None:
    """The second controller saw no time pass since the first one, and had no derivative."""
    law, reads = pid(), READS[:1]
    one, two = (iso.integrate(slider(*x, reads=reads), dt=0.01, t_end=0.5) for x in ((law, law), (pid(), pid())))
    np.testing.assert_array_equal(one.q, two.q)


def test_a_pid_is_that_of_its_run() -> None:
    """Another run of the same mechanism meanwhile had let it forget."""
    mech = slider(pid())
    stepper, alone = iso.Stepper(mech, dt=0.01), iso.integrate(mech, dt=0.01, t_end=2.0)
    stepper.run_until(1.0)
    iso.Stepper(mech, dt=0.01).run_until(0.3)
    stepper.run_until(2.0)
    np.testing.assert_allclose(stepper.state.q, alone.q[-1], atol=1e-13)


def test_a_law_that_another_run_has_reset_is_told() -> None:
    mech = slider(Filtered())
    stepper = iso.Stepper(mech, dt=0.01)
    stepper.run_until(0.5)
    saved = stepper.save()
    stepper.run_until(1.0)
    expected = stepper.state.q
    iso.integrate(mech, dt=0.01, t_end=0.1)
    with pytest.raises(
        CallableError, match=r"law of controller 'law0' was reset by another run(.|\n)*a law of its own"
    ):
        stepper.run_until(2.0)
    stepper.restore(saved)
    stepper.run_until(1.0)
    np.testing.assert_array_equal(stepper.state.q, expected)
