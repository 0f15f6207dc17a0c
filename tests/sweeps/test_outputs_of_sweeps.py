"""Numbers by expressions of quantities, against NumPy on the same solution."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
import scipy.integrate

import isodyn as iso
from isodyn.errors import InputError
from isodyn.sweeps.outputs import Reader, read_output
from sweep_models import swing


@pytest.fixture(scope="module")
def sol() -> Any:
    return iso.integrate(swing(), dt=0.01, t_end=1.0)


def value(sol: Any, text: str) -> Any:
    reader = Reader((read_output(text),), ("rod.mass",))
    reader.find(sol)
    return reader.read(sol, {"rod.mass": 3.0})[0]


def x(sol: Any) -> Any:
    return sol.joint("pin").angle


@pytest.mark.parametrize(
    ("text", "wanted"),
    [
        ("max(|pin.force|)", lambda s: np.linalg.norm(s.reaction("pin").force, axis=1).max()),
        ("min(pin.force_y) / rod.mass", lambda s: s.reaction("pin").force[:, 1].min() / 3.0),
        ("last(pin.angle) - first(pin.angle)", lambda s: x(s)[-1] - x(s)[0]),
        ("peak(pin.angle_rate)", lambda s: np.abs(s.joint("pin").coordinate_rate("angle")).max()),
        ("span(pin.angle)", lambda s: np.ptp(x(s))),
        ("mean(pin.angle)", lambda s: scipy.integrate.trapezoid(x(s), s.t) / s.t[-1]),
        ("rms(pin.angle)", lambda s: np.sqrt(scipy.integrate.trapezoid(x(s) ** 2, s.t) / s.t[-1])),
        ("integral(abs(pin.angle))", lambda s: scipy.integrate.trapezoid(np.abs(x(s)), s.t)),
        ("time_of_min(pin.angle)", lambda s: s.t[x(s).argmin()]),
        ("at(pin.angle, 0.505)", lambda s: 0.5 * (x(s)[50] + x(s)[51])),
        ("max(max(pin.angle, 0))", lambda s: max(x(s).max(), 0.0)),
        ("max({q(rod.x)})", lambda s: s.q[:, 0].max()),
        ("mean(if(pin.angle < -0.1, 1, 0))", lambda s: scipy.integrate.trapezoid((x(s) < -0.1) * 1.0, s.t)),
        ("steps", lambda s: 100.0),
        ("last(t)", lambda s: 1.0),
        ("log10(max(1e-30, drift)) < -12", lambda s: 1.0),
        ("2*pin.angle", lambda s: 2 * x(s)),
        ("last(kinetic_energy)", lambda s: s.energy()[0][-1]),
    ],
)
def test_values(sol: Any, text: str, wanted: Callable[[Any], Any]) -> None:
    assert np.allclose(value(sol, text), wanted(sol), rtol=1e-13, atol=1e-15)


def test_names() -> None:
    assert read_output("peak = max(|pin.force|)").name == "peak"
    assert read_output("max(a)/2").name == "max(a)÷2"


@pytest.mark.parametrize(
    ("text", "match"),
    [
        ("max(|pin.fore|)", "output 'max.*no quantity named '|pin.fore|'.*\nhint: did you mean"),
        ("max(pin.force)", "pin.force has components\nhint: take one: pin.force_x"),
        ("maxi(pin.angle)", "there is no function 'maxi'"),
        ("first(1, 2)", "first takes 1 argument, received 2"),
        ("max(pin.angle", "is expected here"),
        ("", "an output is a text"),
    ],
)
def test_outputs_that_are_refused(sol: Any, text: str, match: str) -> None:
    with pytest.raises(InputError, match=match):
        value(sol, text)
