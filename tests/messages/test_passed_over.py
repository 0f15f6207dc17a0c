"""Loads that begin and end inside one step of a run that chooses its steps are told."""

from __future__ import annotations

from typing import Any

import pytest

import isodyn as iso
from isodyn.errors import AccuracyWarning

BUMP = iso.Staircase([0.0, 2.0, 2.5], [0.0, 1.0, 0.0])


def at_rest(course: Any) -> Any:
    """A pendulum that hangs still, until a torque acts."""
    mech = iso.Mechanism(gravity=(0, 0, -9.81))
    mech.add_body("bob", 2.0, (0.01, 0.1, 0.1), (0, 0, -0.5))
    mech.add_joint(iso.Hinge("pin", "ground", "bob", point=(0, 0, 0), axis=(0, 1, 0)))
    mech.add_load(iso.Torque("push", "bob", (0, 3.0, 0), time=course))
    return mech.compile()


@pytest.mark.parametrize(
    ("course", "end"), [(iso.Pulse(1.0, 2.0, 3.0), "3"), (BUMP, "2.5")], ids=["pulse", "staircase"]
)
@pytest.mark.parametrize("save", [None, 11])
def test_a_push_that_no_step_saw(course: Any, end: str, save: int | None) -> None:
    """Of a second in five seconds at rest; the run ended as if it had never been, without a word."""
    text = rf"steps passed over load 'push', which acts between t = 2 and {end}: .*\nhint: breakpoints=\[2, {end}\]"
    with pytest.warns(AccuracyWarning, match=text):
        blind = iso.integrate(at_rest(course), dt=iso.Adaptive(1e-3), t_end=5.0, save=save)
    assert not blind.v.any()
    sol = iso.integrate(at_rest(course), dt=iso.Adaptive(1e-3), t_end=5.0, save=save, breakpoints=[2.0, float(end)])
    assert abs(sol.v).max() > 0.5


def test_with_another_method() -> None:
    with pytest.warns(AccuracyWarning, match="steps passed over load 'push'"):
        iso.integrate(at_rest(iso.Pulse(1.0, 4.0, 4.01)), iso.Radau(1e-6), t_end=50.0)


def test_nothing_is_said_of_other_courses() -> None:
    """Of what acts before the run or goes on behind it, of nothing, of steps that are seen, and of a
    course that goes up step by step."""
    stairs = iso.Staircase([0.0, 1.0, 1.0001, 1.0002], [0.0, 1.0, 2.0, 3.0])
    for course in (iso.Pulse(1.0, -2.0, -1.0), iso.Pulse(1.0, 4.0, 9.0), iso.Pulse(0.0, 2.0, 3.0), stairs):
        iso.integrate(at_rest(course), dt=iso.Adaptive(1e-2), t_end=5.0)
    iso.integrate(at_rest(iso.Pulse(1.0, 2.0, 3.0)), dt=iso.Adaptive(1e-2, largest=0.5), t_end=5.0)
