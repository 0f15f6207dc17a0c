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
