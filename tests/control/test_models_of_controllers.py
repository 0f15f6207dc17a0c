"""Controllers in model files."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

import isodyn as iso
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
