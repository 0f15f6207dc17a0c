"""What a unit for co-simulation refuses does not end the program that calls it."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from isodyn.errors import InputError
from isodyn.models.fmu import Unit

TEXT = """
[bodies.rod]
mass = 1.0
inertia = [0.1, 0.1, 0.1]
position = [0.5, 0, 0]

[joints.pin]
type = "hinge"
between = ["ground", "rod"]
axis = [0, 1, 0]

[loads.motor]
type = "motor"
joint = "pin"
torque = 1.5

[loads.push]
type = "force"
body = "rod"
force = [0, 0, 1]

[run]
dt = 0.01
t_end = 0.5
"""
MASTER = """
import sys
from fmpy import extract, read_model_description
from fmpy.fmi3 import FMU3Slave
from isodyn.models.fmu import export_fmu
file = str(export_fmu(sys.argv[1], sys.argv[2]))
told = read_model_description(file)
number = {variable.name: variable.valueReference for variable in told.modelVariables}
unit = FMU3Slave(guid=told.guid, unzipDirectory=extract(file), modelIdentifier="rod", instanceName="rod")
unit.instantiate()
unit.enterInitializationMode(startTime=0.0)
unit.exitInitializationMode()
def step(t, length):
    try:
        unit.doStep(t, length)
    except Exception as error:
        print(error, unit.getFloat64([number["time"]]))
step(0.0, 0.02)
step(0.02, 0.007)
step(0.0, 0.02)
unit.setFloat64([number["motor"]], [float("nan")])
step(0.02, 0.01)
unit.setFloat64([number["motor"]], [1.0])
step(0.02, 0.01)
print("at the end", unit.getFloat64([number["time"]]))
unit.terminate()
unit.freeInstance()
"""


def test_inputs_that_are_no_numbers_are_refused_by_the_step(tmp_path: Path) -> None:
    path = tmp_path / "rod.toml"
    path.write_text(TEXT, encoding="utf-8")
    unit = Unit(path)
    for name in ("motor", "push_z"):
        unit.write(name, float("nan"))
        with pytest.raises(InputError, match=f"input '{name}' of the unit is nan, at t = 0"):
            unit.go_on(0.0, 0.02)
        unit.write(name, 2.0)
    for length in (0.0, -0.01, float("inf"), float("nan")):  # the third was fatal to the program that called
        with pytest.raises(InputError, match="a communication step must be longer than nothing"):
            unit.go_on(0.0, length)
    unit.go_on(0.0, 0.02)
    assert (unit.read("motor.tension"), unit.read("push.force_z")) == (-2.0, 2.0)


@pytest.mark.slow
def test_a_step_that_is_refused_can_be_followed_by_another(tmp_path: Path) -> None:
    """It was fatal: the next call of the unit ended the program with a segmentation fault."""
    for name in ("fmpy", "pythonfmu3"):
        pytest.importorskip(name)
    path = tmp_path / "rod.toml"
    path.write_text(TEXT, encoding="utf-8")
    command = [sys.executable, "-c", MASTER, str(path), str(tmp_path)]
    done = subprocess.run(command, capture_output=True, text=True, env=os.environ, timeout=300, check=False)
    assert done.returncode == 0, done.stderr
    said = [line for line in done.stdout.splitlines() if line.startswith(("fmi3DoStep", "at the end"))]
    assert len(said) == 4
    assert all("status 2 (discard)" in line and line.endswith("[0.02]") for line in said[:3])
    assert said[3] == "at the end [0.03]"
    assert "communication points are multiples of dt = 0.01" in done.stdout
