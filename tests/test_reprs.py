"""Objects that users meet tell in one short text what they are, and views show a table in notebooks."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from typing import Any

import numpy as np
import pytest

import isodyn as iso
from isodyn.results.history_view import HistoryView

LONGEST = 500  # characters


@cache
def machine() -> tuple[iso.Mechanism, Any]:
    mech = iso.Mechanism(gravity=(0, -9.81, 0))
    mech.add_body("rod", mass=1.0, inertia=0.1, position=(0.5, 0), kind="planar")
    mech.add_joint(iso.Hinge("pin", "ground", "rod", point=(0, 0)))
    mech.add_load(iso.JointSpring("spring", "pin", stiffness=2.0))
    mech.add_load(iso.Force("push", "rod", lambda t: (0, np.sin(t))))
    mech.add_sensor(iso.Sensor("tip", "rod", point=(1, 0), to="ground", axis=(0, 0, 1)))
    section = iso.Section(EA=1e4, EI=1.0, rhoA=1.0)
    mech.add_beam("strip", (2, 0), (3, 0), elements=2, section=section)
    mech.add_joint(iso.Fixed("clamp", "ground", "strip.start"))
    mech.add_load(iso.DistributedForce("wind", "strip", (0, 0.1, 0)))
    mech.add_body("wheel", mass=1.0, inertia=0.1, position=(5, 0), kind="planar")
    mech.add_joint(iso.Hinge("axle", "ground", "wheel", point=(5, 0)))
    mech.add_joint(iso.Drive("drive", "axle", 0.0))
    return mech, iso.integrate(mech, dt=0.01, t_end=0.1)


VIEWS: dict[str, Callable[[Any], HistoryView]] = {
    "body": lambda sol: sol.body("rod"),
    "point": lambda sol: sol.body("rod").point((1, 0)),
    "node": lambda sol: sol.body("strip.end"),
    "joint": lambda sol: sol.joint("pin"),
    "joint without coordinates": lambda sol: sol.joint("clamp"),
    "reaction": lambda sol: sol.reaction("pin"),
    "spring": lambda sol: sol.load("spring"),
    "force": lambda sol: sol.load("push"),
    "wind": lambda sol: sol.load("wind"),
    "drive": lambda sol: sol.load("drive"),
    "sensor": lambda sol: sol.sensor("tip"),
    "beam": lambda sol: sol.beam("strip"),
}
OTHERS: dict[str, Callable[[], Any]] = {
    "mechanism": lambda: machine()[0],
    "system": lambda: machine()[0].compile(),
    "solution": lambda: machine()[1],
    "body": lambda: machine()[0].bodies["rod"],
    "quality": lambda: machine()[1].quality(),
    "drift": lambda: machine()[1].drift(),
    "energies": lambda: machine()[1].energy_by_part()["rod"],
    "quantity": lambda: machine()[1].quantity("pin.force"),
    "mobility": lambda: machine()[0].mobility(),
    "assembly": lambda: machine()[0].assemble(),
    "equilibrium": lambda: iso.equilibrium(machine()[0]),
    "scheme": iso.Scheme.default,
    "first-order scheme": iso.FirstOrderScheme.crank_nicolson,
    "table": lambda: iso.Table([0, 1], [0, 1]),
    "beam": lambda: iso.Beam([(0, 0), (1, 0)], 2, iso.Section(EA=1e4, EI=1.0, rhoA=1.0)),
    "functions": lambda: iso.MechanicalSystem(M=np.eye(1), Q=lambda q, v, t: -q, q0=[1.0], v0=[0.0]),
    "arrays": lambda: iso.LinearSystem(np.eye(2), np.zeros((2, 2)), np.eye(2), None, q0=[1, 0], v0=[0, 0]),
    "first order": lambda: iso.FirstOrderSystem(lambda s, t: -s, [1.0]),
    "implicit": lambda: iso.ImplicitSystem(lambda t, x, y: y + x, [1.0]),
    "problem": lambda: iso.problems.get("andrews").system(),
}


@pytest.mark.parametrize("make", VIEWS.values(), ids=VIEWS.keys())
def test_views_of_parts(make: Callable[[Any], HistoryView]) -> None:
    """What they are, when, what can be read; every history that is named is there."""
    view = make(machine()[1])
    text = repr(view)
    assert text.startswith(f"<{type(view).__name__} ")
    assert "11 rows from t = 0 to 0.1" in text
    assert len(text) < LONGEST
    for name in view.histories():
        assert name in text
        assert np.asarray(getattr(view, name)).shape[0] == 11
    shown = view._repr_html_()
    assert shown is not None
    assert all(f">{name}<" in shown for name in view.histories())


@pytest.mark.parametrize("make", OTHERS.values(), ids=OTHERS.keys())
def test_other_objects(make: Callable[[], Any]) -> None:
    text = repr(make())
    assert " object at 0x" not in text
    assert "array(" not in text
    assert len(text) < LONGEST


def test_words() -> None:
    mech, _ = machine()
    assert repr(mech) == "<Mechanism: 2 bodies, 1 beam, 4 joints, 3 loads, 1 sensor>"
    assert repr(iso.Mechanism()) == "<Mechanism: no parts yet>"
    assert repr(mech.bodies["rod"]) == "<Body 'rod' (planar): mass 1, mass centre at (0.5, 0, 0)>"
    assert repr(iso.Scheme.default()) == "<Scheme: U0(0.9, 1, 0)>"


# as they are written down; the text is what `repr` says, which may be pasted
WRITTEN = {
    "Hinge('pin', 'ground', 'rod', axis=(0, 1, 0))": iso.Hinge("pin", "ground", "rod", axis=np.array([0.0, 1.0, 0.0])),
    "JointSpring('spring', 'pin', stiffness=2.5)": iso.JointSpring("spring", "pin", stiffness=2.5),
    "JointStop('stop', 'pin', high=0.5)": iso.JointStop("stop", "pin", high=0.5),
    "Sensor('tip', 'rod', to='ground')": iso.Sensor("tip", "rod", to="ground"),
    "Section(EA=10000, EI=1, rhoA=1, EIz=1)": iso.Section(EA=1e4, EI=1.0, rhoA=1.0),
    "Projection(iterations=1)": iso.Projection(iterations=1),
    "Stabilised()": iso.Stabilised(),
    "Radau(rtol=0.001)": iso.Radau(rtol=1e-3),
    "UserLoad('push', 'rod', lambda)": iso.UserLoad("push", "rod", lambda s: np.zeros(3)),
    "Event(lambda, direction=-1)": iso.Event(lambda t, q, v: q[0], direction=-1),
    "PID(kp=3, ki=0, kd=0, target=1)": iso.PID(kp=3.0, target=1.0),
}


@pytest.mark.parametrize("text", WRITTEN)
def test_parts_and_settings_tell_what_is_not_as_usual(text: str) -> None:
    shown = WRITTEN[text]._repr_html_()
    assert repr(WRITTEN[text]) == text
    assert shown is not None
    assert f">{type(WRITTEN[text]).__name__}</div>" in shown


def test_every_public_class_has_a_view_for_notebooks() -> None:
    """Not the text that a dataclass makes of all its fields, nor the place in memory."""
    public = {name: getattr(iso, name) for name in iso.__all__}
    classes = {name: x for name, x in public.items() if isinstance(x, type) and not issubclass(x, Exception)}
    assert len(classes) > 100
    made = {name for name, x in classes.items() if hasattr(x.__repr__, "__wrapped__") or x.__repr__ is object.__repr__}
    assert made == set()
    assert [name for name, x in classes.items() if not hasattr(x, "_repr_html_")] == []


def test_imported_and_friction_runs_are_told_shortly() -> None:
    body = "<inertial><mass value='1'/><inertia ixx='1' iyy='1' izz='1'/></inertial>"
    joint = "<joint name='j' type='continuous'><parent link='a'/><child link='b'/></joint>"
    mech = iso.load_urdf(f"<robot name='r'><link name='a'/><link name='b'>{body}</link>{joint}</robot>")
    assert repr(mech) == "<ImportedMechanism 'r': 1 body, 1 joint>"
    assert "belongs to the ground" in str(mech.import_summary._repr_html_())


def test_all_parts_of_a_mechanism_are_in_its_table() -> None:
    mech = iso.Mechanism()
    mech.add_body("ball", 1.0, (0.1, 0.1, 0.1), position=(0, 0, 1))
    mech.add_contact(iso.SpherePlane("floor", "ball", "ground", radius=0.1))
    mech.add_sensor(iso.Sensor("top", "ball"))
    mech.add_load(iso.Force("push", "ball", (0, 0, 1)))
    shown = str(mech._repr_html_())
    assert all(f">{name}<" in shown for name in ("ball", "floor", "top", "push", "SpherePlane"))


@pytest.mark.parametrize("given", [{"density": 7.7}, {"mass": 1 / 3}], ids=["density", "mass"])
def test_shapes_can_be_pasted_back(given: dict[str, float]) -> None:
    for shape in (iso.shapes.Box(1, 2, 0.3, **given), iso.shapes.Cylinder(0.1, 0.3, **given)):
        again = eval(repr(shape), vars(iso.shapes))
        assert (again.mass, again.triangles()[0].tolist()) == (shape.mass, shape.triangles()[0].tolist())
        assert again.density == pytest.approx(shape.density, rel=1e-15)
