"""Functions of time as users write them: what is understood, and what is refused with a word."""

from __future__ import annotations

import math
from math import cos
from typing import Any

import numpy as np
import pytest

import isodyn as iso
from isodyn.errors import InputError
from isodyn.expressions.parser import parse
from isodyn.expressions.program import evaluate
from isodyn.expressions.tracing import formula_of
from isodyn.models import to_toml


def helper(t: Any) -> Any:
    return np.exp(-t) * t**2


FUNCTIONS = {
    "arithmetic": lambda t: -(t**2) + (-t) ** 2 - (1 - (t - 2)) / (1 + t) - -t,
    "numpy": lambda t: 2 * np.sin(3 * t) + np.arctan2(t, 2) - np.hypot(t, 1) + np.square(t),
    "math": lambda t: math.sin(t) * cos(t) + math.pi,
    "a function that calls another": lambda t: helper(t) + 1,
    "branches of numpy": lambda t: np.where(t < 2, t, 2.0) + np.clip(t, 0.5, 1) + np.minimum(t, 3),
    "a sum": lambda t: sum(np.sin(k * t) / k for k in range(1, 20)),
    "powers": lambda t: 2 ** (t / 4) + (t + 1) ** 0.5 + 2.0**2**0.5,
    "NumPy's numbers": lambda t: np.float64(2) * t - np.int64(3) / (t + 1),
}


@pytest.mark.parametrize("name", FUNCTIONS)
def test_a_python_function_becomes_its_formula(name: str) -> None:
    tree = parse(formula_of(FUNCTIONS[name]))
    for t in np.linspace(0.05, 9.3, 40):
        assert evaluate(tree, lambda *_, t=t: t) == pytest.approx(float(FUNCTIONS[name](t)), rel=1e-12, abs=1e-12)


REFUSED = {
    "branches on its argument": lambda t: 1.0 if t < 2 else 0.0,
    "it returns 2 values, not one number": lambda t: [1.0, t],
    "numpy.interp has no formula": lambda t: np.interp(t, [0, 1], [0, 1]),
    "tuple in it is no number": lambda t: [(1.0, t), t],
    "needs a number where only a formula is known": lambda t: int(t),
    "it returns 3 values, not one number": lambda t: np.array([t, t, 0.0]),
    "inf in it is not finite": lambda t: np.inf,
    "at t = 0 it gives 1, its formula t gives 0": lambda t: 1.0 if isinstance(t, float) else t,
}


@pytest.mark.parametrize("message", REFUSED)
def test_what_has_no_formula_is_refused(message: str) -> None:
    with pytest.raises(InputError, match=f"the function cannot be compiled: .*{message}(.|\n)*hint: NumPy's functions"):
        formula_of(REFUSED[message])


def rod(*loads: Any, drive: Any = None) -> iso.Mechanism:
    mech = iso.Mechanism(gravity=(0, -9.81, 0))
    mech.add_body("rod", mass=1.0, inertia=1 / 12, position=(0.5, 0), kind="planar")
    mech.add_joint(iso.Hinge("pin", "ground", "rod", point=(0, 0)))
    for load in loads:
        mech.add_load(load)
    if drive is not None:
        mech.add_joint(iso.Drive("drive", "pin", drive))
    return mech


def test_loads_and_drives_take_python_functions() -> None:
    """The same run as with the formula, and the same model file."""
    plain = rod(
        iso.Motor("motor", "pin", torque=lambda t: 3 * np.sin(2 * t)),
        iso.Force("push", "rod", (0, 1, 0), time=lambda t: 1 + t**2),
    )
    written = rod(
        iso.Motor("motor", "pin", torque=iso.Formula("3.0*sin(2.0*t)")),
        iso.Force("push", "rod", (0, 1, 0), time=iso.Formula("1.0+t^2.0")),
    )
    assert np.array_equal(*(iso.integrate(mech, dt=0.01, t_end=0.5).q for mech in (plain, written)))
    assert to_toml(plain, dt=0.1, t_end=1.0) == to_toml(written, dt=0.1, t_end=1.0)
    driven = iso.kinematics(rod(drive=lambda t: 0.3 * np.sin(t)), [0.0, 0.5])
    assert driven.joint("pin").angle[-1] == pytest.approx(0.3 * np.sin(0.5), abs=1e-12)


def test_a_function_of_more_than_the_time() -> None:
    with pytest.raises(
        InputError, match=r"a function of t alone is needed, received one of 2(.|\n)*hint: .*FormulaMotor"
    ):
        formula_of(lambda t, x: t)


def test_what_is_no_function_of_time_says_how_to_write_one() -> None:
    with pytest.raises(InputError, match=r"a number or one of isodyn's functions(.|\n)*Polynomial\(0, 10\) for 10 t"):
        rod(iso.Motor("motor", "pin", torque=b"fast")).compile()
    with pytest.raises(InputError, match=r"there is no 'fast' here(.|\n)*FormulaMotor"):
        rod(iso.Motor("motor", "pin", torque="fast")).compile()
    with pytest.raises(InputError, match="Sine is a class, not a function of t"):
        rod(iso.Motor("motor", "pin", torque=iso.Sine)).compile()
    with pytest.raises(InputError, match=r"branches on its argument"):
        rod(iso.Motor("motor", "pin", torque=lambda t: 1.0 if t > 1 else 0.0)).compile()


def test_polynomials_take_a_sequence() -> None:
    assert np.array_equal(iso.Polynomial([0, 10]).numbers, iso.Polynomial(0, 10).numbers)
    assert np.array_equal(iso.Polynomial(np.array([1.0, 2.0, 3.0])).numbers, [1.0, 2.0, 3.0])
    assert repr(iso.Polynomial([0, 10])) == "Polynomial(0, 10)"
    with pytest.raises(
        InputError, match=r"coefficients must be finite numbers(.|\n)*hint: Polynomial\(0, 10\) is 10 t"
    ):
        iso.Polynomial([[0, 1], [2, 3]])


def test_tables_take_rows() -> None:
    assert np.array_equal(iso.Table([(0, 0), (1, 5), (2, 0)]).numbers, iso.Table([0, 1, 2], [0, 5, 0]).numbers)
    with pytest.raises(InputError, match=r"rows \(time, value\), received shape \(3,\)(.|\n)*hint: Table\("):
        iso.Table([0, 1, 2])
