"""Radau, DOP853 and Auto in model files and on the command line: the runs that Python makes, and what
does not go with them is refused with its place."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

import isodyn as iso
from isodyn.cli import main
from isodyn.errors import InputError
from isodyn.models import model_from_text
from isodyn.models.fmu import Unit

TEXT = """
gravity = [0, -9.81, 0]
[bodies.rod]
kind = "planar"
mass = 1.0
inertia = 0.1
position = [0.5, 0, 0]
[joints.pin]
type = "hinge"
between = ["ground", "rod"]
point = [0, 0, 0]
axis = [0, 0, 1]
[run]
t_end = 0.2
"""

METHODS = (
    ('scheme = "radau"', iso.Radau()),
    ('scheme = "Radau(1e-6)"', iso.Radau(1e-6)),
    ('scheme = "DOP853(rtol=1e-9, max_step=0.01, project=False)"', iso.DOP853(1e-9, max_step=0.01, project=False)),
    ('scheme = "Auto"\nrtol = 1e-7', iso.Auto(1e-7)),
)


@pytest.mark.parametrize(("lines", "method"), METHODS)
def test_a_method_is_named(lines: str, method: object) -> None:
    options = model_from_text(TEXT + lines).options()
    assert (options["scheme"], options["dt"]) == (method, None)


def test_the_run_is_that_of_python() -> None:
    model = model_from_text(TEXT + 'scheme = "Radau"\nrtol = 1e-6')
    one, other = (
        iso.integrate(model.system(), **model.options()),
        iso.integrate(model.system(), iso.Radau(1e-6), t_end=0.2),
    )
    assert np.array_equal(one.t, other.t)
    assert np.array_equal(one.q, other.q)


STEPS = (
    ('atol = "1e-3*2"\nfirst = 1e-3\nlargest = 0.02\nsmallest = 1e-9', {"atol": 2e-3, "first": 1e-3, "largest": 0.02}),
    ("atol = [1e-6, [1e-5, 1e-5, 1e-4]]", {"atol": (1e-6, (1e-5, 1e-5, 1e-4))}),
)


@pytest.mark.parametrize(("lines", "given"), STEPS)
def test_adaptive_steps_have_all_their_settings(lines: str, given: dict[str, object]) -> None:
    model = model_from_text(TEXT + "rtol = 1e-3\n" + lines)
    smallest = 1e-9 if "smallest" in lines else None
    assert model.options()["dt"] == iso.Adaptive(1e-3, **given, smallest=smallest)  # type: ignore[arg-type]
    one = iso.integrate(model.system(), **model.options())
    assert one.t[1] == given.get("first", one.t[1])
    assert np.diff(one.t).max() <= float(str(given.get("largest", 1.0))) * (1 + 1e-12)


WRONG = (
    ("dt = 0.1\natol = 1e-6", r"line 16: run.atol: it is for adaptive steps, and rtol is missing"),
    ('scheme = "Radau"\nlargest = 0.1', r"line 16: run.largest: it is for adaptive steps(.|\n)*Radau\(1e-8, max_step"),
    ("rtol = 1e-3\natol = -1", r"line 16: run.atol: it must not be negative, received -1"),
    ("rtol = 1e-3\natol = [1, [2, -3]]", r"line 16: run.atol\[1\]\[1\]: it must not be negative, received -3"),
    ("rtol = 1e-3\natol = [1, 2, 3]", r"line 16: run.atol: one number, or two for q and v"),
    ("rtol = 1e-3\nfirst = 0.5", r"line 16: run.first: a step of 0.5 is longer than the run of 0.2"),
    ("rtol = 1e-3\nlargest = nan", r"line 16: run.largest: a finite number is needed"),
    ("rtol = 1e-3\nlargest = 1\nsmallest = 2", r"line 17: run.smallest: it lies above largest = 1, received 2"),
    ('scheme = "Radau"\ndt = 0.1', r"line 16: run.dt: Radau chooses its steps by their error, and takes no dt"),
    ('scheme = "Radau"\nnewton = { rtol = 1e-9 }', r"line 16: run.newton: Radau .* takes no newton"),
    ('scheme = "Radau(1e-6)"\nrtol = 1e-5', r"line 15: run.scheme: rtol stands in 'Radau\(1e-6\)' and beside it"),
    ('scheme = "Radau"\nrtol = 1e-15', r"line 16: run.rtol: it must be at least 1e-13"),
    ("rtol = 1e-12", r"line 15: run.rtol: adaptive steps take 1e-09 to 0.1(.|\n)*Radau"),
    (
        'scheme = "Auto(tolerance=1)"',
        r"unexpected keyword argument 'tolerance'(.|\n)*Auto takes \(rtol, atol, first_step",
    ),
    ('scheme = "Radau(project=0.5)"', r"line 15: run.scheme: project is on or off, received 0.5"),
    ('scheme = "Radau(1e-6"', r"is not a method(.|\n)*DOP853\(rtol=1e-9"),
    ('scheme = "Radu"', r"dt is missing(.|\n)*scheme = .Radau."),
)


@pytest.mark.parametrize(("lines", "match"), WRONG)
def test_what_does_not_go_with_them(lines: str, match: str) -> None:
    with pytest.raises(InputError, match=match):
        model_from_text(TEXT + lines).options()


@pytest.mark.parametrize("line", ['scheme = "Radau"', "dt = 0.01\nbreakpoints = [0.1]"])
def test_units_take_steps_of_one_size(line: str, tmp_path: Path) -> None:
    """Once breakpoints were left aside there: a force that jumps was smeared over a step."""
    path = tmp_path / "model.toml"
    path.write_text(TEXT + line)
    with pytest.raises(InputError, match=r"a unit takes steps of one size(.|\n)*a scheme that takes it"):
        Unit(path)


def test_tolerances_of_another_number_of_velocities() -> None:
    with pytest.raises(InputError, match=r"line 16: run.atol: atol takes one number or 3 of them, received 2"):
        model_from_text(TEXT + "rtol = 1e-3\natol = [1, [1, 2]]").system()


def told(capsys: pytest.CaptureFixture[str], *arguments: str) -> dict[str, object]:
    """What a command prints."""
    with pytest.raises(SystemExit) as leave:
        main([*arguments, "--json"])
    assert not leave.value.code
    summary: dict[str, object] = json.loads(capsys.readouterr().out)
    return summary


def test_on_the_command_line(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path, kept = tmp_path / "model.toml", str(tmp_path / "kept")
    path.write_text(TEXT + 'scheme = "Radau(1e-8, max_step=0.01)"')
    one = told(capsys, "run", str(path), "--checkpoint", kept)
    assert str(one["scheme"]).startswith("Radau, rtol = 1e-08")
    again = told(capsys, "resume", kept)  # at its end already
    assert (again["steps"], again["bodies"]) == (one["steps"], one["bodies"])
    # a tolerance alone is for the method of the file, which keeps its other settings
    other = told(capsys, "run", str(path), "--rtol", "1e-11")
    assert str(other["scheme"]).startswith("Radau, rtol = 1e-11")
    assert int(str(other["steps"])) >= 20
    assert str(told(capsys, "run", str(path), "--scheme", "DOP853")["scheme"]).startswith("DOP853, rtol = 1e-09")
    found = told(capsys, "run", "pendulum", "--scheme", "Auto", "--rtol", "1e-6", "--t-end", "0.1")
    assert str(found["scheme"]).startswith("Auto, rtol = 1e-06")


def test_a_tolerance_on_the_command_line_keeps_the_sizes_of_the_file(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "model.toml"
    path.write_text(TEXT + "rtol = 1e-4\nlargest = 0.005")
    one = told(capsys, "run", str(path), "--rtol", "1e-1")
    assert int(str(one["steps"])) >= 40  # rtol = 0.1 alone takes longer steps


@pytest.mark.parametrize(
    ("arguments", "match"),
    [
        (["run", "pendulum", "--scheme", "Radau", "--dt", "0.1"], "Radau chooses its steps by their error"),
        (["scheme", "Radau(1e-8)"], "a scheme for steps of a given size is needed"),
    ],
)
def test_commands_that_refuse(arguments: list[str], match: str, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as leave:
        main(arguments)
    assert leave.value.code
    assert match in capsys.readouterr().err
