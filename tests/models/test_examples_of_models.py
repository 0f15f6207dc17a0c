"""The model files of the examples run, and do what their words say."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import isodyn as iso
from isodyn.cli import main
from isodyn.models.build import load_model, model_from_text
from isodyn.models.schema import schema

FOLDER = Path(__file__).resolve().parents[2] / "examples" / "models"


def solve(name: str, **options: Any) -> iso.Solution:
    model = load_model(FOLDER / name)
    return iso.integrate(model.system(), **{**model.options(), **options})


@pytest.mark.parametrize("path", sorted(FOLDER.glob("*.toml")), ids=lambda path: path.stem)
def test_every_example_runs_on_the_command_line(path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """One JSON document with bodies, joints, energy, drift and cost; constraints hold to
    rounding."""
    with pytest.raises(SystemExit) as leave:
        main(["run", str(path), "--t-end", "0.3", "--json"])
    assert leave.value.code == 0
    document = json.loads(capsys.readouterr().out)
    for one in document if isinstance(document, list) else [document]:
        assert one["constraints"]["drift"]["position"] < 1e-12
        assert one["joints"]
        assert one["energy"]["largest_imbalance"] < 0.02 * max(one["energy"]["largest_kinetic"], 0.1)
        assert one["steps"] > 0


def test_the_pendulum_is_the_one_written_in_python() -> None:
    """File and API give the same motion; the friction of its formula takes out energy."""
    sol = solve("pendulum.toml", t_end=1.0)
    mech = iso.Mechanism(gravity=(0, 0, -9.81))
    mech.add_body("rod", shape=iso.shapes.Box(0.8, 0.02, 0.02, density=7850), position=(0.4, 0, 0))
    mech.add_joint(iso.Hinge("pin", "ground", "rod", point=(0, 0, 0), axis=(0, 1, 0)))
    mech.add_load(iso.JointSpring("bearing", "pin", damping=0.02))
    other = iso.integrate(mech.compile(), iso.Scheme.optimal(0.9), dt=0.005, t_end=1.0)
    assert sol.q == pytest.approx(other.q, abs=1e-11)
    assert sol.lam == pytest.approx(other.lam, abs=1e-8)
    kinetic, potential = sol.energy()
    assert (kinetic + potential)[-1] < (kinetic + potential)[0] - 0.01


def test_the_flexible_arm_turns_by_ninety_degrees_and_swings() -> None:
    sol = solve("flexible.toml")
    assert sol.joint("bearing").angle[-1] == pytest.approx(np.pi / 2, abs=1e-9)
    tip = sol.body("arm.end").position[-1]
    assert np.hypot(tip[0], tip[1] - 1) < 0.1
    assert np.ptp(sol.body("arm.end").position[-200:, 0]) > 1e-5


def test_the_spatial_crank_follows_its_formula() -> None:
    sol = solve("spatial.toml")
    t = sol.t
    assert sol.joint("shaft").angle == pytest.approx(6 * (t - 0.2 * (1 - np.exp(-5 * t))), abs=1e-10)
    x = sol.joint("guide").displacement
    assert 0.05 < np.ptp(x) < 0.2


def test_a_ready_problem_by_name() -> None:
    """`problem = "…"` with parameters, scheme and times of one's own."""
    model = model_from_text('problem = "pendulum"\n[run]\nt_end = 0.1\ndt = 0.01\nscheme = "U0(1, 1, 0)"')
    sol = iso.integrate(model.system(), **model.options())
    assert sol.t.size == 11
    assert str(sol.scheme) == "U0(1, 1, 0)"


def test_sweeps_make_all_combinations() -> None:
    text = (FOLDER / "pendulum.toml").read_text() + '\n[[sweeps]]\nparameter = "l"\nstart = 1\nstop = 2\ncount = 3\n'
    model = model_from_text(text)
    assert model.members() == [{"c": c, "l": length} for c in (0.02, 0.1) for length in (1.0, 1.5, 2.0)]
    longer = model.with_parameters({"l": 2.0})
    assert longer.system().q0[0] == 1.0


def test_schema_accepts_the_examples() -> None:
    """The JSON Schema is well formed; where jsonschema is there, the examples pass it."""
    document = schema()
    assert document["properties"]["bodies"]
    import tomllib

    jsonschema = pytest.importorskip("jsonschema")
    kind = jsonschema.validators.validator_for(document)
    kind.check_schema(document)
    for path in FOLDER.glob("*.toml"):
        kind(document).validate(tomllib.loads(path.read_text()))


def test_python_files_run_only_when_named(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """A .py target is refused before it is looked at; --python runs it."""
    path = tmp_path / "own.py"
    path.write_text(
        "import isodyn as iso\nsystem = iso.MechanicalSystem(M=1.0, Q=lambda q, v, t: -q, q0=[1.0], v0=[0.0])\nnumber = 3\n"
    )

    def call(*arguments: str) -> tuple[int, str, str]:
        with pytest.raises(SystemExit) as leave:
            main(list(arguments))
        captured = capsys.readouterr()
        return int(leave.value.code or 0), captured.out, captured.err

    code, _, err = call("run", str(path))
    assert code == 2
    assert "only with --python" in err
    code, out, _ = call("run", "--python", f"{path}:system", "--dt", "0.1", "--t-end", "1", "--json")
    assert code == 0
    assert json.loads(out)["motion"]
    for wrong, message in (("systm", "defines no"), ("number", "not a system of isodyn")):
        code, _, err = call("run", "--python", f"{path}:{wrong}", "--dt", "0.1", "--t-end", "1")
        assert code == 2
        assert message in err
    code, _, err = call("run", "--python", str(path), "--dt", "0.1", "--t-end", "1")
    assert (code, "FILE.py:NAME" in err) == (2, True)


def test_the_schema_stands_alone() -> None:
    """In a process that has loaded nothing else, all parts of the library are in it."""
    code = "from isodyn.models.schema import schema; print(len(schema()['$defs']))"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert int(done.stdout) == len(schema()["$defs"])
