"""Controllers in model files."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from click.testing import CliRunner

import isodyn as iso
from isodyn.cli import cli
from isodyn.models import load_model, model_from_text, to_toml
from isodyn.models.reader import ModelError

FILE = Path(__file__).resolve().parents[2] / "examples" / "models" / "robot_arm_pd.toml"


def in_python(law: Any = None) -> iso.Mechanism:
    """The same arm."""
    mech = iso.Mechanism()
    mech.add_body("upper", mass=2.0, inertia=(0.01, 0.05, 0.05), position=(0.25, 0, 0))
    mech.add_body("lower", mass=1.0, inertia=(0.01, 0.05, 0.05), position=(0.75, 0, 0))
    mech.add_joint(iso.Hinge("shoulder", "ground", "upper", point=(0, 0, 0), axis=(0, 1, 0)))
    mech.add_joint(iso.Hinge("elbow", "upper", "lower", point=(0.5, 0, 0), axis=(0, 1, 0)))
    mech.add_load(iso.Motor("shoulder_motor", "shoulder", torque=0.0))
    mech.add_load(iso.Motor("elbow_motor", "elbow", torque=0.0))

    def pd(t: float, a: float, da: float, b: float, db: float) -> tuple[float, float]:
        return -200.0 * (a - 0.5) - 20.0 * da, -0.3 * 200.0 * (b + 0.8) - 0.3 * 20.0 * db

    reads = [f"{joint}.{what}" for joint in ("shoulder", "elbow") for what in ("angle", "angle_rate")]
    mech.add_controller(
        "pd", every=1e-3, reads=reads, writes=["shoulder_motor", "elbow_motor"], law=law or pd, low=-60.0, high=60.0
    )
    return mech


def test_a_robot_arm_at_1_kHz_is_the_same_from_a_file_and_from_python() -> None:
    model = load_model(FILE)
    one = iso.integrate(model.system(), **model.options())
    two = iso.integrate(in_python(), dt=1e-3, t_end=0.5)
    np.testing.assert_allclose(one.q, two.q, atol=1e-12)
    np.testing.assert_allclose(one.v, two.v, atol=1e-10)
    np.testing.assert_allclose(one.lam, two.lam, atol=1e-7)
    assert one.joint("shoulder").angle[-1] == pytest.approx(0.5, abs=0.08)  # gravity leaves an error
    assert one.joint("elbow").angle[-1] == pytest.approx(-0.8, abs=0.08)


def test_controllers_are_written_and_read_again() -> None:
    text = to_toml(load_model(FILE).mechanism(), dt=1e-3, t_end=0.5)
    again = model_from_text(text).mechanism().controllers["pd"]
    first = load_model(FILE).mechanism().controllers["pd"]
    assert (again.every, again.writes, again.law, again.low) == (first.every, first.writes, first.law, first.low)
    with pytest.raises(iso.errors.InputError, match="Python function"):
        to_toml(in_python(), dt=1e-3, t_end=0.5)


@pytest.mark.parametrize(
    ("old", "new", "words"),
    [
        ("every = 1e-3", "every = 0", "every"),
        ('"elbow_motor"]', '"elbow_moter"]', "elbow_motor"),
        ("low = -60.0", "lower = -60.0", "low"),
        ("low = -60.0", "low = 90.0", "low must lie below high"),
    ],
)
def test_mistakes_are_told_with_their_place(old: str, new: str, words: str) -> None:
    text = FILE.read_text(encoding="utf-8").replace(old, new)
    with pytest.raises(ModelError, match=words):
        model_from_text(text).mechanism()


PID_TEXT = """
gravity = [0, -9.81, 0]
[parameters]
up = 0.4
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
[loads.motor]
type = "motor"
joint = "pin"
torque = 0.0
[controllers.hold]
every = 0.02
writes = "motor"
reads = ["pin.angle", "pin.angle_rate"]
pid = { kp = 60.0, ki = 40.0, kd = "12", target = "up*sin(2*t)", high = 30.0 }
delay = 1
[run]
dt = 0.01
t_end = 0.4
"""


def test_a_pid_in_a_file_is_that_of_python() -> None:
    """The target is a formula of t; written and read again it is the same."""
    model = model_from_text(PID_TEXT)
    mech = model_from_text(PID_TEXT).mechanism()
    del mech.controllers["hold"]
    law = iso.PID(60.0, 40.0, 12.0, lambda t: 0.4 * np.sin(2 * t), high=30.0)
    reads = ["pin.angle", "pin.angle_rate"]
    mech.add_controller("hold", every=0.02, writes="motor", reads=reads, law=law, delay=1)
    again = model_from_text(to_toml(model.mechanism(), dt=0.01, t_end=0.4))
    one, two, three = (iso.integrate(x, dt=0.01, t_end=0.4) for x in (model.system(), mech, again.system()))
    assert np.abs(one.q - one.q[0]).max() > 0.1
    assert np.array_equal(one.q, two.q)
    assert np.array_equal(one.q, three.q)


@pytest.mark.parametrize(
    ("old", "new", "words"),
    [
        ("pid = {", 'law = "1"\npid = {', r"line 24: controllers.hold.pid: it stands beside law"),
        ("pid = {", "#", r"law is missing(.|\n)*pid = "),
        ('reads = ["pin.angle", "pin.angle_rate"]', "", r"controllers.hold.*reads(.|\n)*a quantity, and its rate"),
        ('"pin.angle_rate"]', '"pin.angle_rat"]', "angle_rat"),
        ('writes = "motor"', 'writes = ["motor", "motor"]', "pid writes one input"),
        ("up*sin(2*t)", "up*sin(2*tt)", r"line 23: controllers.hold.pid.target: (.|\n)*there is no 'tt' here"),
        ("kp =", "kpp =", r"unknown key 'kpp'(.|\n)*did you mean kp"),
        ("high = 30.0", "low = 1, high = 0", "low must lie below high"),
    ],
)
def test_mistakes_in_a_pid_are_told_with_their_place(old: str, new: str, words: str) -> None:
    text = PID_TEXT.replace(old, new)
    with pytest.raises(iso.errors.InputError, match=words):
        iso.integrate(model_from_text(text).system(), dt=0.01, t_end=0.02)


def test_a_pid_refuses_targets_of_other_names() -> None:
    with pytest.raises(iso.errors.InputError, match="there is no 'x' here"):
        iso.PID(1.0, target="x + t")
    assert iso.PID(1.0, target="2*t")(0.5, 0.25) == 0.75


def test_files_of_results_know_what_controllers_did(tmp_path: Path) -> None:
    """Results of `isodyn run` were read with the loads of the model file: a motor at zero, no work,
    and an energy balance that did not close."""
    (tmp_path / "arm.toml").write_text(PID_TEXT, encoding="utf-8")
    model = load_model(tmp_path / "arm.toml")
    sol = iso.integrate(model.system(), **model.options())
    folder = tmp_path / "kept"
    for arguments in (
        ["run", str(tmp_path / "arm.toml"), "--save", str(tmp_path / "run.nc"), "--checkpoint", str(folder)],
        ["resume", str(folder), "--save", str(tmp_path / "run.nc")],
    ):
        assert CliRunner().invoke(cli, arguments, catch_exceptions=False).exit_code == 0
        again = iso.load(tmp_path / "run.nc")
        for name in ("motor.power", "motor.work"):
            np.testing.assert_allclose(again.quantity(name).values, sol.quantity(name).values, atol=1e-12)
        np.testing.assert_allclose(again.energy_balance(), sol.energy_balance(), atol=1e-12)
        assert again.model is not None
        assert again.model["title"] == "arm"
        (tmp_path / "run.nc").unlink()


def test_a_file_has_the_system_with_what_controllers_did(tmp_path: Path) -> None:
    mech = load_model(FILE).mechanism()
    path = iso.integrate(mech, dt=1e-3, t_end=0.01).save(tmp_path / "run.nc")
    for again in (iso.load(path), iso.load(path, system=mech.compile())):
        assert again.load("elbow_motor").power.any()
    other = iso.problems.get("pendulum").system()
    with pytest.raises(iso.errors.InputError, match=r"another system(.|\n)*leave system= out"):
        iso.load(path, system=other)
