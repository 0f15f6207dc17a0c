"""Points of model files are single runs bit for bit, wherever a parameter stands, and parameters that
are formulas of others follow them."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

import isodyn as iso
from flexible_solids import bar
from isodyn.design.families import model_family
from isodyn.errors import InputError
from isodyn.models import load_model, model_from_text
from isodyn.sweeps.models import subject_of

PENDULUM = """
gravity = [0, -9.81, 0]
parameters = {p = 1, twice = "2*p", four = "twice^2"}
bodies.rod = {kind = "planar", mass = 1, inertia = 0.1, position = [0.5, 0]}
joints.pin = {type = "hinge", between = ["ground", "rod"], point = [0, 0]}
loads.spring = {type = "spring", between = ["ground", "rod"], points = [[1, 1], [1, 0]], stiffness = 20}
loads.push = {type = "force", body = "rod", force = [0, "sin(3*t)"]}
loads.motor = {type = "motor", joint = "pin", torque = "0.1*warmth.value"}
states.warmth = {rate = "pin.angle - warmth.value", initial = 0.5}
run = {dt = 0.01, t_end = 0.1}
"""
HELD = """
loads.holder = {type = "motor", joint = "pin", torque = 0}
controllers.hold = {every = 0.02, writes = ["holder"], law = ["-5*pin.angle"], high = 60}
"""
STOPPED = """
contacts.stop = {type = "joint_stop", joint = "pin", low = -0.01, restitution = 0.5}
"""
PLACES = {
    "gravity": ("-9.81", '"-9.81*four/4"'),
    "mass": ("mass = 1", 'mass = "four/4"'),
    "position": ("position = [0.5, 0]", 'position = ["four/8", 0]'),
    "joint": ("point = [0, 0]", 'point = ["four/4 - 1", 0]'),
    "anchor": ("points = [[1, 1]", 'points = [["four/4", 1]'),
    "stiffness": ("stiffness = 20", 'stiffness = "5*four"'),
    "formula": ('"sin(3*t)"', '"four*sin(3*t)"'),
    "rate": ('"pin.angle - ', '"four*pin.angle - '),
    "initial": ("initial = 0.5", 'initial = "four/8"'),
    "dt": ("dt = 0.01", 'dt = "four/400"'),
    "t_end": ("t_end = 0.1", 't_end = "four/40"'),
    "every": ("every = 0.02", 'every = "four/200"'),
    "law": ('"-5*pin', '"-four*pin'),
    "low": ("low = -0.01", 'low = "-four/400"'),
    "restitution": ("restitution = 0.5", 'restitution = "four/8"'),
}


def run_of(text: str, **values: float) -> Any:
    model = model_from_text(text, "model", values)
    return iso.integrate(model.system(), **model.options())


@pytest.mark.parametrize("place", PLACES)
def test_a_parameter_that_is_a_formula_of_another(place: str) -> None:
    text = PENDULUM + (HELD if place in ("every", "law") else "")
    if place in ("low", "restitution"):
        text = text.replace('"0.1*warmth.value"', "0") + STOPPED
        text = "\n".join(line for line in text.splitlines() if not line.startswith("states"))
    old, new = PLACES[place]
    assert old in text
    text = text.replace(old, new)
    subject = subject_of(model_from_text(text), ("p",))
    for p in (1.0, 1.2247448713915892, 1.0):  # the points before do not matter
        system, options = subject.prepared({"p": p})
        found, expected = iso.integrate(system, **options), run_of(text, p=p)
        assert np.array_equal(found.t, expected.t)
        assert np.array_equal(found.q, expected.q)
        assert np.array_equal(found.lam, expected.lam)
    assert not np.array_equal(run_of(text, p=1.2247448713915892).lam, expected.lam)


def test_a_formula_that_was_given_a_value_keeps_it() -> None:
    text = PENDULUM.replace("mass = 1", 'mass = "twice*p"').replace("stiffness = 20", 'stiffness = "5*four"')
    subject = subject_of(model_from_text(text, "model", {"twice": 3.0}), ("p",))
    system = subject.prepared({"p": 5.0})[0]
    expected = model_from_text(text, "model", {"twice": 3.0, "p": 5.0}).system()
    assert np.array_equal(system.tables.words, expected.tables.words)


def test_fits_of_files_follow_formulas() -> None:
    text = PENDULUM.replace("mass = 1", 'mass = "twice/2"')
    family = model_family(model_from_text(text), ("p",))[0]
    assert np.array_equal(
        family.at({"p": 3.0}).tables.words, model_from_text(text, "m", {"p": 3.0}).system().tables.words
    )


@pytest.mark.parametrize(
    ("name", "old", "new"),
    [
        ("rod.position[1]", '["p/2", 0]', '["p/2", 0.25]'),
        ("spring.points[0][1]", "[[1, 1]", "[[1, 0.25]"),
        ("push.force[0]", '[0, "sin', '[0.25, "sin'),
        ("warmth.initial", "initial = 0.5", "initial = 0.25"),
        ("hold.high", "high = 60", "high = 0.25"),
    ],
)
def test_a_number_beside_formulas(name: str, old: str, new: str) -> None:
    text = PENDULUM.replace("[0.5, 0]", '["p/2", 0]') + HELD
    assert old in text
    system, options = subject_of(model_from_text(text), (name,)).prepared({name: 0.25})
    assert np.array_equal(iso.integrate(system, **options).q, run_of(text.replace(old, new)).q)


@pytest.mark.parametrize(
    ("name", "match"),
    [
        ("rod.position[2]", r"rod.position\[2\]: 2 is no place"),
        ("rod.position", "several numbers"),
        ("rod.mass[0]", "no place"),
    ],
)
def test_numbers_that_are_not_there(name: str, match: str) -> None:
    with pytest.raises(InputError, match=match):
        iso.sweep(model_from_text(PENDULUM), {name: [1.0]}, ["last(pin.angle)"], workers=0)


BAR = """
[flexible_bodies.bar]
mesh = "bar.vtu"
E = 4e8
nu = 0.0
rho = 1e3
interface = { left = { x = [-1.0, 1e-9] } }
modes = 2
[joints.ball]
type = "spherical"
between = ["ground", "bar.left"]
point = [0, 0, 0]
[run]
dt = 1e-3
t_end = 2e-3
"""


def test_files_that_a_model_names_are_kept_as_they_were(tmp_path: Path) -> None:
    """They go with the model, and the sweep of others is another one."""
    pytest.importorskip("skfem")
    meshio = pytest.importorskip("meshio")

    def written(scale: float) -> Path:
        solid = bar(2).solid
        kind, cells = solid.cells
        meshio.write(tmp_path / "bar.vtu", meshio.Mesh(solid.mesh.p.T * [scale, 1, 1], {kind: cells}))
        (tmp_path / "arm.toml").write_text(BAR, encoding="utf-8")
        return tmp_path / "arm.toml"

    given: dict[str, Any] = {"out": tmp_path / "sweep.nc", "workers": 0, "resume": True}
    asked = {"bar.rho": [900.0, 1000.0]}, ["last(ball.force_z)"]
    found = iso.sweep(written(1.0), *asked, **given)
    assert found.ok.all()
    model = load_model(tmp_path / "arm.toml")
    subject = subject_of(model, ("bar.rho",))
    (tmp_path / "bar.vtu").unlink()
    system, options = subject.prepared({"bar.rho": 900.0})
    assert iso.integrate(system, **options).t.size == 3
    with pytest.raises(InputError, match="file of another sweep"):
        iso.sweep(written(1.1), *asked, **given)
    (tmp_path / "bar.vtu").unlink()
    with pytest.raises(InputError, match=r"names bar.vtu, which cannot be read"):
        iso.sweep(tmp_path / "arm.toml", *asked, **given)
