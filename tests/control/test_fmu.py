"""Units for co-simulation: what fmpy simulates is the run itself."""

from __future__ import annotations

import shutil
import subprocess
import sys
import zipfile
from pathlib import Path

import numpy as np
import pytest
from click.testing import CliRunner

import isodyn as iso
from flexible_solids import swinging
from isodyn.cli import cli
from isodyn.errors import InputError, NonFiniteError
from isodyn.models import load_model, to_toml
from isodyn.models.fmu import FILES, Unit, close_once, export_fmu

FILE = Path(__file__).resolve().parents[2] / "examples" / "models" / "robot_arm_pd.toml"
OWN = """
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
force = [0, 0, 0]

[run]
dt = 0.0078125
t_end = 0.5
"""


@pytest.mark.slow
def test_fmpy_simulates_the_run_itself(tmp_path: Path) -> None:
    fmpy = pytest.importorskip("fmpy")
    pytest.importorskip("pythonfmu3")
    result = CliRunner().invoke(cli, ["export-fmu", str(FILE), "--folder", str(tmp_path)], catch_exceptions=False)
    assert result.exit_code == 0
    unit = tmp_path / "robot_arm_pd.fmu"
    assert unit.is_file()
    names = ["shoulder.angle", "elbow.angle_rate", "elbow_motor.tension", "shoulder.force_z"]
    found = fmpy.simulate_fmu(
        str(unit), stop_time=0.05, step_size=0.01, output_interval=0.01, output=names, validate=False
    )
    model = load_model(FILE)
    sol = iso.integrate(model.system(), **model.options() | {"t_end": 0.05})
    rows = slice(0, None, 10)
    np.testing.assert_allclose(found["time"], sol.t[rows], atol=1e-12)
    for name in names[:2]:
        np.testing.assert_allclose(found[name], sol.quantity(name).values[rows], atol=1e-12, err_msg=name)
    held = sol.quantity("elbow_motor.tension").values[9::10]  # until the sample there
    np.testing.assert_allclose(found["elbow_motor.tension"][1:], held[:5], atol=1e-12)


def test_inputs_and_outputs_of_a_unit(tmp_path: Path) -> None:
    path = tmp_path / "arm.toml"
    path.write_text(OWN, encoding="utf-8")
    unit = Unit(path)
    assert unit.inputs == {"motor": 1.5, "push_x": 0.0, "push_y": 0.0, "push_z": 0.0}
    assert {"pin.angle", "pin.force_x", "rod.position_z"} <= set(unit.outputs)
    assert not any(name.endswith("work") for name in unit.outputs)
    unit.write("motor", 3.0)
    unit.write("push_z", -2.0)
    unit.go_to(0.25)
    mech = load_model(path).mechanism()
    mech.loads["motor"] = iso.Motor("motor", "pin", torque=3.0)
    mech.loads["push"] = iso.Force("push", "rod", force=(0, 0, -2.0))
    sol = iso.integrate(mech, dt=0.0078125, t_end=0.25)
    for name in ("pin.angle", "pin.force_x", "motor.tension", "rod.position_z"):
        assert unit.read(name) == pytest.approx(sol.quantity(name).values[-1], abs=1e-10), name
    with pytest.raises(InputError, match="communication points"):
        unit.go_to(0.3)


def test_outputs_belong_to_the_inputs_as_they_are(tmp_path: Path) -> None:
    """At the start accelerations and reactions were those of the file, beside torques of the input."""
    path = tmp_path / "arm.toml"
    path.write_text(OWN, encoding="utf-8")
    unit = Unit(path)
    mech = load_model(path).mechanism()
    for value in (3.0, -1.0):
        unit.write("motor", value)
        mech.loads["motor"] = iso.Motor("motor", "pin", torque=value)
        sol = iso.integrate(mech, dt=0.0078125, t_end=0.0078125)
        for name in ("motor.effort", "rod.acceleration_z", "pin.force_z"):
            assert unit.read(name) == pytest.approx(sol.quantity(name).values[0], abs=1e-12), name
    unit.go_on(0.0, 0.0078125)
    assert unit.read("pin.angle") == pytest.approx(sol.joint("pin").angle[-1], abs=1e-14)


def test_inputs_that_lead_to_no_state_are_told_by_the_step(tmp_path: Path) -> None:
    """Not where outputs are read: an error there is fatal to the program that calls the unit."""
    path = tmp_path / "arm.toml"
    path.write_text(
        OWN.replace("mass = 1.0", "mass = 0.01").replace("0.1, 0.1, 0.1", "1e-3, 1e-3, 1e-3"), encoding="utf-8"
    )
    unit = Unit(path)
    before = unit.read("rod.acceleration_z")
    unit.write("push_z", 1e308)
    assert unit.read("rod.acceleration_z") == before
    for _ in range(2):
        with pytest.raises(NonFiniteError):
            unit.go_on(0.0, 0.0625)
    unit.write("push_z", 0.0)
    unit.go_on(0.0, 0.0625)
    assert unit.read("pin.angle") == pytest.approx(float(_angle(path)), abs=1e-12)


def _angle(path: Path) -> float:
    sol = iso.integrate(load_model(path).mechanism(), dt=0.0078125, t_end=0.0625)
    return float(sol.joint("pin").angle[-1])


def test_where_a_controller_samples_outputs_are_those_before() -> None:
    unit, model = Unit(FILE), load_model(FILE)
    unit.go_to(0.01)
    sol = iso.integrate(model.system(), **model.options() | {"t_end": 0.011})
    row = int(np.flatnonzero(sol.aux["breakpoint_rows"] == 10)[0])
    np.testing.assert_allclose(unit.stepper.state.a, sol.aux["a_left"][row], rtol=1e-12, atol=1e-12)
    assert unit.read("elbow_motor.tension") == pytest.approx(sol.quantity("elbow_motor.tension").values[9], abs=1e-12)


def test_loads_of_controllers_are_no_inputs() -> None:
    assert Unit(FILE).inputs == {}


def test_states_are_outputs(tmp_path: Path) -> None:
    path = tmp_path / "filtered.toml"
    path.write_text(OWN + '\n[states.filtered]\nrate = "20*(pin.angle - filtered)"\n', encoding="utf-8")
    unit = Unit(path)
    assert {"filtered.value", "filtered.rate", "filtered.integral"} <= set(unit.outputs)
    unit.go_on(0.0, 0.25)
    sol = iso.integrate(load_model(path).mechanism(), dt=0.0078125, t_end=0.25)
    assert unit.read("filtered.value") == pytest.approx(sol.state("filtered").value[-1], abs=1e-12)


def test_steps_follow_each_other(tmp_path: Path) -> None:
    """A master that starts elsewhere, or leaves out a step, would get a motion of other inputs."""
    path = tmp_path / "arm.toml"
    path.write_text(OWN, encoding="utf-8")
    unit = Unit(path)
    with pytest.raises(InputError, match=r"stands at t = 0, received a step from t = 0.25"):
        unit.go_on(0.25, 0.0625)
    unit.go_on(0.0, 0.0625)
    for t in (0.0, 0.125):
        with pytest.raises(InputError, match="steps follow each other"):
            unit.go_on(t, 0.0625)


def test_a_unit_goes_back_to_what_was_saved(tmp_path: Path) -> None:
    path = tmp_path / "arm.toml"
    path.write_text(OWN, encoding="utf-8")
    unit = Unit(path)
    unit.write("motor", 3.0)
    unit.go_on(0.0, 0.125)
    saved, ways = unit.save(), []
    for _ in range(2):
        assert unit.inputs["motor"] == 3.0
        unit.write("motor", -2.0)
        unit.write("push_x", 1.0)
        unit.go_on(0.125, 0.25)
        ways.append([unit.read(name) for name in ("pin.angle", "pin.force_x", "motor.tension")])
        unit.restore(saved)
    assert ways[0] == ways[1]
    assert unit.inputs["push_x"] == 0.0
    assert unit.stepper.t == 0.125


@pytest.mark.slow
def test_fmpy_goes_back_to_what_was_saved(tmp_path: Path) -> None:
    """A delayed controller in the middle: what waits is part of the state."""
    fmpy = pytest.importorskip("fmpy")
    fmi3 = pytest.importorskip("fmpy.fmi3")
    pytest.importorskip("pythonfmu3")
    path = tmp_path / "late.toml"
    path.write_text(
        FILE.read_text(encoding="utf-8").replace("every = 1e-3", "every = 4e-3\ndelay = 2"), encoding="utf-8"
    )
    file = str(export_fmu(path, tmp_path))
    told = fmpy.read_model_description(file)
    number = {variable.name: variable.valueReference for variable in told.modelVariables}
    unit = fmi3.FMU3Slave(
        guid=told.guid,
        unzipDirectory=fmpy.extract(file),
        modelIdentifier=told.coSimulation.modelIdentifier,
        instanceName="late",
    )
    unit.instantiate()
    library = Path(unit.dll._name)
    assert close_once(library.parents[2] / "resources") == [library]
    unit.enterInitializationMode(startTime=0.0)
    unit.exitInitializationMode()
    for k in range(7):
        unit.doStep(2e-3 * k, 2e-3)
    saved, ways = unit.getFMUState(), []
    for _ in range(2):
        for k in range(7, 15):
            unit.doStep(2e-3 * k, 2e-3)
        ways.append(unit.getFloat64([number["shoulder.angle"], number["elbow.angle_rate"]]))
        unit.setFMUState(saved)
    unit.freeFMUState(saved)
    unit.terminate()
    unit.freeInstance()
    assert ways[0] == ways[1]
    sol = iso.integrate(load_model(path).mechanism(), dt=1e-3, t_end=0.03)
    assert ways[0][0] == pytest.approx(sol.joint("shoulder").angle[-1], abs=1e-13)


LIBRARY = """
#include <stdio.h>
#include <stdlib.h>
static int held = 1;
static void ends(void) { printf("static objects end, held: %d\\n", held); fflush(stdout); }
__attribute__((constructor)) static void opens(void) { atexit(ends); }
void finalizePythonInterpreter(void) { held = 0; }
"""


@pytest.mark.skipif(sys.platform == "win32" or not shutil.which("cc"), reason="needs a compiler of C")
def test_libraries_of_units_hold_nothing_when_their_static_objects_end(tmp_path: Path) -> None:
    """That of pythonfmu3 gave back its state twice; some programs aborted at their end (corrupted double-linked list)."""
    library, resources = tmp_path / "binaries" / "x86_64-linux" / "arm.so", tmp_path / "resources"
    library.parent.mkdir(parents=True)
    (library.parent / "arm.txt").write_text("no library", encoding="utf-8")
    (tmp_path / "arm.c").write_text(LIBRARY, encoding="utf-8")
    subprocess.run(["cc", "-shared", "-fPIC", "-o", library, tmp_path / "arm.c"], check=True, timeout=60)
    program = "import ctypes, sys; from pathlib import Path; from isodyn.models.fmu import close_once; "
    program += "ctypes.CDLL(sys.argv[1]); assert close_once(Path(sys.argv[2])) == [Path(sys.argv[1])]"
    run = subprocess.run(
        [sys.executable, "-c", program, library, resources], capture_output=True, text=True, timeout=120, check=True
    )
    assert run.stdout == "static objects end, held: 0\n"


@pytest.mark.parametrize(
    ("more", "name"),
    [
        ('[loads.push_x]\ntype = "motor"\njoint = "pin"\ntorque = 2.0\n', "push_x"),
        ('[loads.time]\ntype = "motor"\njoint = "pin"\ntorque = 2.0\n', "time"),
    ],
)
def test_variables_have_names_of_their_own(more: str, name: str, tmp_path: Path) -> None:
    """The second input of a name took the place of the first; two of the name time were no unit."""
    path = tmp_path / "arm.toml"
    path.write_text(OWN + more, encoding="utf-8")
    with pytest.raises(InputError, match=f"two variables of the unit would be named '{name}'(.|\n)*another name"):
        Unit(path)


@pytest.mark.parametrize(("name", "called"), [("Träger", "Tr_ger"), ("class", "model_class"), ("Unit", "model_Unit")])
def test_units_have_names_that_pythonfmu3_can_find(name: str, called: str, tmp_path: Path) -> None:
    """A letter that is not ASCII let the unit wait forever, `class` is no name in Python."""
    pytest.importorskip("pythonfmu3")
    path = tmp_path / f"{name}.toml"
    path.write_text(OWN, encoding="utf-8")
    assert export_fmu(path, tmp_path).name == f"{called}.fmu"


def test_far_from_zero_steps_follow_each_other(tmp_path: Path) -> None:
    path = tmp_path / "arm.toml"
    path.write_text(
        OWN.replace("dt = 0.0078125\nt_end = 0.5", "dt = 0.01\nt0 = 1e9\nt_end = 1000000001"), encoding="utf-8"
    )
    unit = Unit(path)
    for k in range(20):
        unit.go_on(1e9 + 0.01 * k, 0.01)
    assert unit.stepper.t == pytest.approx(1e9 + 0.2, abs=1e-6)


def test_files_that_a_model_names_are_in_the_unit(tmp_path: Path) -> None:
    """A unit with a flexible body was written, and could not be started."""
    pytest.importorskip("skfem")
    pytest.importorskip("pythonfmu3")
    model, unpacked = tmp_path / "bar.toml", tmp_path / "unpacked"
    text = to_toml(swinging(modes=1), dt=1e-3, t_end=5e-3, folder=tmp_path)
    model.write_text(text, encoding="utf-8")
    file = export_fmu(model, tmp_path)
    for part in tmp_path.glob("*.npz"):
        part.unlink()
    with zipfile.ZipFile(file) as archive:
        archive.extractall(unpacked)
    unit = Unit(unpacked / "resources" / "bar.toml", unpacked / "resources" / FILES)
    unit.go_on(0.0, 2e-3)
    assert unit.stepper.t == pytest.approx(2e-3)
