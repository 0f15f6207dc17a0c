"""A file is continued by the same sweep alone: other systems, functions, options and files of models
are refused, however late the difference shows."""

from __future__ import annotations

import os
import signal
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import isodyn as iso
from isodyn.errors import InputError, InterruptedWarning
from isodyn.results.identity import identity
from sweep_models import swing

RUN: dict[str, Any] = {"dt": 0.01, "t_end": 0.1, "workers": 0, "resume": True}
OUTPUT = ["last = last(pin.angle)"]
STRENGTH = 1.0


def refused(first: Any, second: Any, out: Path, parameters: Any, **options: Any) -> None:
    """The same call goes on; the other does not."""
    for model in (first, first):
        assert iso.sweep(model(), parameters, OUTPUT, out=out, **RUN | options).ok.all()
    with pytest.raises(InputError, match="file of another sweep"):
        iso.sweep(second(), parameters, OUTPUT, out=out, **RUN | options)


def late(force: float) -> iso.Mechanism:
    """A force that begins long after the times at which systems are sampled."""
    mech = swing()
    mech.add_load(iso.Force("push", "rod", lambda t: (0.0 * t, np.where(t > 5.0, force, 0.0))))
    return mech


def test_a_force_that_acts_later(tmp_path: Path) -> None:
    refused(lambda: late(1.0), lambda: late(2.0), tmp_path / "sweep.nc", {"rod.mass": [1.0, 2.0]})


def test_a_function_that_agrees_at_the_first_point(tmp_path: Path) -> None:
    def by(power: int) -> Any:
        return lambda: lambda x: swing(stiffness=20.0 * x**power)

    refused(by(1), by(2), tmp_path / "sweep.nc", {"x": [1.0, 2.0]})


def test_a_number_that_a_function_refers_to(tmp_path: Path, monkeypatch: Any) -> None:
    """It shows at no point that is sampled."""

    def model(x: float) -> iso.Mechanism:
        return swing(stiffness=20.0 * (STRENGTH if 1.2 < x < 1.4 else x))

    grid = {"x": np.linspace(1.0, 2.0, 11)}
    assert iso.sweep(model, grid, OUTPUT, out=tmp_path / "sweep.nc", **RUN).ok.all()
    monkeypatch.setitem(globals(), "STRENGTH", 3.0)
    with pytest.raises(InputError, match="file of another sweep"):
        iso.sweep(model, grid, OUTPUT, out=tmp_path / "sweep.nc", **RUN)


def test_other_events(tmp_path: Path) -> None:
    out, grid = tmp_path / "sweep.nc", {"rod.mass": [1.0, 2.0]}
    for _ in range(2):
        iso.sweep(swing(), grid, OUTPUT, out=out, events=[iso.Event("rod.x - 0.49", terminal=True)], **RUN)
    with pytest.raises(InputError, match="file of another sweep"):
        iso.sweep(swing(), grid, OUTPUT, out=out, events=[iso.Event("rod.x - 0.45", terminal=True)], **RUN)


def test_another_gain_of_a_controller() -> None:
    def held(gain: float, function: bool) -> str:
        mech = swing()
        mech.add_load(iso.Motor("motor", "pin", torque=0.0))
        law: Any = (lambda t, angle: -gain * angle) if function else f"-{gain}*pin.angle"
        more = {"reads": ["pin.angle"]} if function else {}
        mech.add_controller("hold", every=0.01, writes=["motor"], law=law, **more)
        return identity(mech.compile())

    for function in (False, True):
        assert held(2.0, function) == held(2.0, function)
        assert held(2.0, function) != held(3.0, function)


def test_a_run_that_is_kept_goes_on_with_its_own_system_only(tmp_path: Path) -> None:
    """A load that acted for a while in the middle."""

    def pushed(force: float) -> Any:
        return iso.LinearSystem(1.0, None, 4.0, lambda t: [force if 0.3 < t < 0.5 else 0.0], [1.0], [0.0])

    iso.integrate(pushed(1.0), dt=0.01, t_end=0.6, checkpoint=tmp_path / "run")
    iso.resume(tmp_path / "run", pushed(1.0))
    with pytest.raises(InputError, match="another system"):
        iso.resume(tmp_path / "run", pushed(2.0))


def test_names_of_one_number_are_told() -> None:
    mech = swing()
    mech.add_load(iso.Force("push", "rod", (0.0, 1.0)))
    with pytest.raises(InputError, match=r"push.force\[1\] and push.force\[01\] are the same number"):
        iso.sweep(mech, {"push.force[1]": [1.0], "push.force[01]": [5.0]}, OUTPUT, **RUN)


def test_outputs_that_are_no_numbers_are_told() -> None:
    found = iso.sweep(swing(), {"rod.mass": [1.0, 2.0]}, [*OUTPUT, "odd = log(rod.mass - 1.5)"], **RUN)
    assert found.ok.all()
    assert found.warnings == {0: "not finite: odd"}


def test_an_interrupted_point_is_still_to_be_run(tmp_path: Path) -> None:
    """Also where events happened in it before."""
    often: list[float] = []

    def model(x: float) -> Any:
        def force(t: float) -> list[float]:
            if x == 2.0 and t > 0.25 and not often:
                often.append(t)
                os.kill(os.getpid(), signal.SIGINT)
            return [0.0]

        return iso.LinearSystem(1.0, None, 4000.0, force, [1.0], [0.0], names=("x",))

    given = {"events": [iso.Event("x")], "out": tmp_path / "sweep.nc", **RUN, "t_end": 0.4}
    with pytest.warns(InterruptedWarning, match="1 of 3 points are done"):
        found = iso.sweep(model, {"x": [1.0, 2.0, 3.0]}, ["last = last(x)"], **given)
    assert (found.counts["done"], found.counts["failed"], len(often)) == (1, 0, 1)
