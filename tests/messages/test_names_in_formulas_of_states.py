"""Names that mean two things in a formula, and quantities that no single instant knows, are
refused: one of the meanings had been taken without a word."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import isodyn as iso
from control_systems import arm
from isodyn.errors import InputError


@pytest.mark.parametrize("name", ["t", "pi", "deg"])
def test_states_are_not_named_like_time_and_constants(name: str) -> None:
    with pytest.raises(InputError, match=f"state '{name}': the name has a meaning in formulas already"):
        arm().add_state(name, rate="1")


@pytest.mark.parametrize(
    ("parameters", "words"),
    [
        ({"t": 3.0}, "'t' is a parameter, and means something else here"),
        ({"level": 3.0}, "'level' is a parameter, and means something else here"),
        ({"pi": 3.0}, "parameter 'pi' has a meaning in formulas already"),
        ({"k": np.nan}, "parameter 'k' must be a finite number, received nan"),
        ({"k": "a"}, "parameter 'k' must be a finite number, received 'a'"),
        ({3: 1.0}, "a parameter of a formula needs a name, received 3"),
    ],
)
def test_parameters_are_numbers_with_names_of_their_own(parameters: Any, words: str) -> None:
    mech = arm()
    mech.add_state("level", rate="t*k - level", parameters={"k": 1.0} | parameters)
    with pytest.raises(InputError, match=words):
        mech.compile()


def test_the_work_of_a_load_is_not_known_at_an_instant() -> None:
    """A controller, an event and a stepper read zero."""
    mech = arm(1.0)
    words = r"'motor\.work' is a sum over the past"
    with pytest.raises(InputError, match=words):
        iso.integrate(mech, dt=0.01, t_end=0.1, events=iso.Event("motor.work - 0.1"))
    with pytest.raises(InputError, match=words):
        iso.Stepper(mech, dt=0.01).read("motor.work")
    mech.add_load(iso.Motor("other", "pin", torque=0.0))
    mech.add_controller("own", every=0.01, writes="other", law="motor.work")
    with pytest.raises(InputError, match=f"controller 'own': {words}"):
        iso.integrate(mech, dt=0.01, t_end=0.1)


def test_one_number_does_not_scale_a_function() -> None:
    """The components of (1, sin t, 0) all became that number."""
    mech = arm()
    mech.add_load(iso.Force("push", "rod", force=lambda t: (1.0, 0.0, np.sin(t))))
    stepper = iso.Stepper(mech, dt=0.01)
    with pytest.raises(InputError, match=r"one number scales the vector of the load, which is a function of time"):
        stepper.inputs["push"] = 2.0
    stepper.inputs["push"] = (2.0, 0.0, 1.0)
    stepper.step()
