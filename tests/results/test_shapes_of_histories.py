"""Shapes of histories of loads, sensors, bodies and contacts, in runs, saved runs and tables.

A new class of loads asks for an example here; joints of every class are looked at in
tests/invariants/test_reactions.py.
"""

from __future__ import annotations

import csv
from pathlib import Path

import numpy as np
import pytest

import isodyn as iso
from history_shapes import check_quantities, check_view
from isodyn.parts import LOADS
from isodyn.results.load_views import names_of_loads

ROWS = 6


def loads() -> iso.Mechanism:
    """A load of every class, and those that come in several forms in each of them."""
    mech = iso.Mechanism(gravity=(0.3, -0.2, -9.81))
    mech.add_body("rod", 1.0, (0.01, 0.09, 0.08), (0.5, 0, 0))
    mech.add_body("ball", 0.5, kind="particle", position=(1.0, 0, -1))
    mech.add_body("wheel", 0.5, (0.02, 0.02, 0.04), (0, 3, 0), angular_velocity=(0, 0, 1.0))
    mech.add_joint(iso.Hinge("pin", "ground", "rod", axis=(0, 1, 0)))
    mech.add_joint(iso.Cylindrical("axle", "ground", "wheel", point=(0, 3, 0), axis=(0, 0, 1)))
    mech.add_joint(iso.Drive("turn", "axle", iso.Polynomial(0, 1.0, 1.0), coordinate="angle"))
    mech.add_beam("beam", (0, 0, 2), (1, 0, 2), elements=2, section=iso.Section(EA=1e3, EI=1.0, rhoA=1.0))
    mech.add_joint(iso.Spherical("hang", "ground", "beam.start", point=(0, 0, 2)))
    pinned = {"Motor": {"torque": iso.Sine(2, 3)}, "FormulaMotor": {"torque": "-0.2*pin.angle_rate"}}
    pinned |= {"JointSpring": {"stiffness": 1.0, "damping": 0.1}, "JointLimit": {"low": -9.0, "high": 0.05}}
    pinned |= {"JointFriction": {"mu": 0.2, "radius": 0.02, "creep": 0.1}}
    pinned |= {"GearMotor": {"speeds": [0, 9], "torques": [0.1, 0.0]}}
    pinned["JointLimit"]["stiffness"] = 40.0
    for kind, given in pinned.items():
        mech.add_load(getattr(iso, kind)(kind, "pin", **given))
    ends = ((1, 0, 0), (1, 0, -1))
    mech.add_load(iso.Spring("Spring", "rod", "ball", points=ends, stiffness=50.0, damping=0.1))
    mech.add_load(iso.Tension("Tension", "ground", "ball", "3*(length - 1)", points=((0, 0, 0), (1, 0, -1))))
    mech.add_load(iso.Bushing("Bushing", "ground", "wheel", point=(0, 3, 0), stiffness=(0, 0, 9, 0, 0, 0.5)))
    mech.add_load(iso.Bushing("Bushing along z", "ground", "wheel", point=(0, 3, 0), stiffness=(0, 0, 9, 0, 0, 0)))
    mech.add_load(iso.Force("Force", "ball", (1, 2, 3), time=iso.Sine(1, 3.0)))
    mech.add_load(iso.Force("Force by a function", "ball", lambda t: (0.0, 0.0, 3 * np.sin(t))))
    mech.add_load(iso.Force("Force of the rod", "rod", lambda t: (0.0, t, 3 * np.sin(t)), frame="body"))
    mech.add_load(iso.Torque("Torque", "rod", (1, 2, 3)))
    mech.add_load(iso.Torque("Torque by a function", "rod", lambda t: (0.0, np.cos(t), 0.0)))
    mech.add_load(iso.Motor("Motor by a function", "pin", torque=lambda t: 0.3 * np.cos(t)))
    mech.add_load(iso.Drag("Drag", "ball", 0.3))
    mech.add_load(iso.FormulaForce("FormulaForce", "ball", ("sin(t)", "-0.2*ball.vy", 0.0)))
    mech.add_load(iso.FormulaForce("FormulaForce along x", "ball", ("-0.1*ball.vx", 0.0, 0.0)))
    mech.add_load(iso.FormulaForce("FormulaForce of the time", "ball", ("sin(t)", 0.0, 0.0)))
    mech.add_load(iso.FormulaTorque("FormulaTorque", "rod", ("-0.2*rod.wx", 0.0, "t")))
    mech.add_load(iso.DistributedForce("DistributedForce", "beam", (0, 1, 0.2), time=iso.Sine(1, 2.0)))
    mech.add_sensor(iso.Sensor("tip", "rod", point=(1, 0, 0), to="ball"))
    mech.add_sensor(iso.Sensor("wheel against rod", "wheel", to="rod", axis=(0, 0, 1)))
    mech.add_sensor(iso.Sensor("end", "beam.end"))
    return mech


@pytest.fixture(scope="module")
def sol() -> iso.Solution:
    return iso.integrate(loads(), dt=0.01, t_end=0.01 * (ROWS - 1))


@pytest.fixture(scope="module")
def again(sol: iso.Solution, tmp_path_factory: pytest.TempPathFactory) -> iso.Solution:
    return iso.load(sol.save(tmp_path_factory.mktemp("run") / "run.nc"))


def test_every_class_of_loads_is_here() -> None:
    own = {cls for cls in LOADS.classes() if cls.__module__.startswith("isodyn.")}
    assert own <= {type(part) for part in loads().loads.values()}


@pytest.mark.parametrize("which", ["live", "loaded"])
def test_no_history_has_a_single_column(sol: iso.Solution, again: iso.Solution, which: str) -> None:
    run = sol if which == "live" else again
    for name in names_of_loads(run.system):
        check_view(run.load(name), ROWS)
    for name in run.system.description.parts.sensors:
        check_view(run.sensor(name), ROWS)
    for name in run.system.joints:
        check_view(run.joint(name), ROWS)
        check_view(run.reaction(name), ROWS)
    for name in ("rod", "ball", "wheel", "beam.end"):
        check_view(run.body(name), ROWS)
    check_quantities(run)


def test_numbers_of_one_law_multiply_with_histories(sol: iso.Solution) -> None:
    """Power is effort times rate, row by row."""
    for name in ("Motor", "FormulaMotor", "GearMotor", "JointFriction", "Spring", "Tension", "Bushing along z", "turn"):
        load = sol.load(name)
        for what in ("length", "rate", "tension", "effort"):
            assert getattr(load, what).shape == (ROWS,), (name, what)
        np.testing.assert_allclose(load.effort * load.rate, load.power, rtol=1e-12, atol=1e-15)
    assert sol.load("JointFriction").mode.shape == (ROWS,)
    assert sol.load("Spring").elongation.shape == sol.load("Spring").chord.shape == (ROWS,)
    assert sol.load("Bushing").length.shape == (ROWS, 2)
    np.testing.assert_allclose(sol.load("Motor").effort, 2 * np.sin(3 * sol.t), atol=1e-12)


def test_a_saved_run_has_the_loads_of_the_live_one(sol: iso.Solution, again: iso.Solution) -> None:
    """By the same names, classes and values, though functions of time are kept as formulas."""
    parts = {name: type(part) for name, part in sol.system.description.parts.loads.items()}
    kept = {name: type(part) for name, part in again.system.description.parts.loads.items()}
    assert {name for name in parts if parts[name] is not kept[name]} == {"FormulaForce of the time"}
    assert kept["FormulaForce of the time"] is iso.Force
    assert again.quantities() == sol.quantities()
    for name in sol.quantities():
        np.testing.assert_allclose(again.quantity(name).values, sol.quantity(name).values, rtol=1e-9, atol=1e-9)
    for name in names_of_loads(sol.system):
        assert again.load(name).histories() == sol.load(name).histories(), name
    assert repr(again.load("Force by a function")) == repr(sol.load("Force by a function"))


def test_tables_have_a_column_for_each_number(sol: iso.Solution, tmp_path: Path) -> None:
    with open(sol.save(tmp_path / "run.csv"), encoding="utf-8") as file:
        header = next(row for row in csv.reader(file) if not row[0].startswith("#"))
    frame = sol.to_dataframe()
    for table in (header, list(frame.columns)):
        text = "\n".join(map(str, table))
        assert "Spring.tension" in text
        assert "Bushing.length_1" in text
        assert "Spring.tension_1" not in text
        assert "FormulaForce.length" not in text
    assert np.asarray(frame[next(c for c in frame.columns if str(c).startswith("Motor.effort"))]).shape == (ROWS,)


def contact(kind: str, mu: float) -> iso.Solution:
    mech = iso.Mechanism(gravity=(0, -9.81, 0) if kind == "planar" else (0, 0, -9.81))
    if kind == "planar":
        mech.add_body("box", 1.0, 0.1, (0, 0.1, 0), velocity=(1, 0, 0), kind="planar")
        mech.add_contact(iso.PointPlane("floor", "box", "ground", points=[(0, 0, 0)], normal=(0, 1, 0), mu=mu))
    else:
        mech.add_body("box", 1.0, (0.1, 0.1, 0.1), (0, 0, 0.1), velocity=(1, 0, 0))
        mech.add_contact(iso.SpherePlane("floor", "box", "ground", radius=0.1, mu=mu))
    return iso.integrate(mech, dt=0.01, t_end=0.01 * (ROWS - 1))


@pytest.mark.parametrize(
    ("kind", "mu", "shape"), [("planar", 0.3, ()), ("spatial", 0.3, (2,)), ("planar", 0.0, (0,))], ids=str
)
def test_contacts(kind: str, mu: float, shape: tuple[int, ...]) -> None:
    run = contact(kind, mu)
    floor = run.contact("floor")
    check_view(floor, ROWS)
    check_quantities(run)
    assert floor.tangential.shape == floor.slip.shape == (ROWS, *shape)
    assert floor.gap.shape == floor.normal.shape == floor.mode.shape == floor.power.shape == (ROWS,)
