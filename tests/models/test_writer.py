"""A mechanism written to TOML and read again is the same system."""

from __future__ import annotations

import tomllib
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from scipy.spatial.transform import Rotation

import isodyn as iso
from isodyn import shapes
from isodyn.errors import InputError
from isodyn.models import load_model, model_from_text, to_toml
from model_texts import EVERYTHING
from struct_contents import contents

FOLDER = Path(__file__).resolve().parents[2] / "examples" / "models"


def same_system(one: Any, two: Any) -> None:
    """All tables: whole numbers alike, the others to rounding."""
    assert (one.names, one.v_names, one.row_names) == (two.names, two.v_names, two.row_names)
    assert one.tables.sizes == two.tables.sizes
    for (name, a), (_, b) in zip(contents(one.tables), contents(two.tables), strict=True):
        near = a == b if a.dtype == np.int64 else np.abs(a - b) <= 1e-14 * np.abs(a) + 1e-15
        assert np.all(near), name
    assert two.q0 == pytest.approx(one.q0, rel=1e-15, abs=1e-15)
    assert two.v0 == pytest.approx(one.v0, rel=1e-14, abs=1e-15)


def read_back(mech: iso.Mechanism) -> Any:
    text = to_toml(mech, dt=0.01, t_end=1.0, title="again", scheme="optimal(0.5)")
    tomllib.loads(text)
    model = model_from_text(text)
    assert str(model.options()["scheme"]) == "optimal(0.5)"
    return model.mechanism().compile()


@pytest.mark.parametrize(
    "path", [*sorted(FOLDER.glob("*.toml")), None], ids=lambda path: path.stem if path else "everything"
)
def test_examples_come_back(path: Path | None) -> None:
    """File → mechanism → file → mechanism."""
    model = model_from_text(EVERYTHING) if path is None else load_model(path)
    mech = model.mechanism()
    same_system(mech.compile(), read_back(mech))


def test_every_part_of_the_library_comes_back() -> None:
    """Joints, loads, functions of time, bodies with frames of their own, beams that move."""
    mech = iso.Mechanism(gravity=(0, 0, -9.81), cayley=True)
    turned = Rotation.from_rotvec([0.1, -0.4, 0.7])
    for k, name in enumerate("abcdefgh"):
        mech.add_body(
            name,
            1.0 + k,
            np.diag([1.0, 1.2, 1.4]) + 0.1,
            (k, 0.5, 0),
            turned,
            velocity=(0, 0.1, 0),
            angular_velocity=(0.1, 0, 0.2),
            centre_of_mass=(0.1, 0, 0.05 * k),
        )
    mech.add_body("solid", shape=shapes.Tube(0.2, 0.1, 0.5, density=7800), position=(20, 0, 0))
    mech.add_body(
        "two",
        shape=shapes.Composite([shapes.Sphere(0.1, mass=1.0), shapes.Box(0.1, 0.2, 0.3, mass=2.0)]),
        position=(21, 0, 0),
    )
    mech.add_joint(iso.Hinge("hinge", "ground", "a", point=(0, 0, 0), axis=(0, 0, 1)))
    mech.add_joint(iso.Cylindrical("cyl", "ground", "b", axis=(1, 0, 0)))
    mech.add_joint(iso.Screw("screw", "ground", "c", axis=(1, 0, 0), pitch=0.02))
    mech.add_joint(iso.Planar("plane", "ground", "d", axis=(0, 0, 1)))
    mech.add_joint(iso.Universal("cross", "ground", "e", point=(4, 0, 0), axis=(1, 0, 0), second_axis=(0, 1, 0)))
    mech.add_joint(iso.PointOnPlane("table", "ground", "f", point=(5, 0, 0)))
    mech.add_joint(iso.Prismatic("slide", "ground", "g", points=((6, 0, 0), (0, 0, 0)), axes=((0, 0, 1), (0, 1, 1))))
    mech.add_joint(iso.Spherical("ball", "ground", "h", point=(7, 0, 0)))
    mech.add_joint(iso.Hinge("second hinge", "a", "solid", point=(10, 0, 0), axis=(0, 0, 1)))
    mech.add_joint(iso.Gear("gear", "hinge", "second hinge", ratio=-2.5))
    mech.add_joint(iso.Pulley("rope", "f", "h", points=((5, 0, 0), (7, 0, 0)), over=((5, 0, 5), (7, 0, 5)), ratio=2))
    mech.add_joint(iso.Coupling("sum", {("cyl", "angle"): 1.0, "slide": -0.3}))
    mech.add_joint(iso.Drive("d1", "cyl", iso.Sine(0.1, 2.0, 0.3, 0.0), coordinate="displacement"))
    mech.add_joint(iso.Drive("d2", "slide", iso.Table([0, 1, 2], [0, 0.1, 0.05])))
    mech.add_load(iso.Motor("m1", "hinge", torque=iso.Ramp(0, 1, 0, 2)))
    mech.add_load(iso.Motor("m2", "screw", speed=iso.Polynomial(0, 1, 2), gain=0.1, coordinate="angle"))
    mech.add_load(iso.Force("f1", "a", (1, 2, 3), (0.3, 0, 0), "body", iso.Pulse(2.0, 0.1, 0.2)))
    mech.add_load(iso.Force("f2", "a", (1, 2, 3), time=iso.Formula("amp*sin(w*t)", amp=0.1, w=3)))
    mech.add_load(iso.FormulaForce("f3", "b", ("k*b.x", 0, "-t"), parameters={"k": 2.5}))
    mech.add_load(iso.FormulaTorque("f4", "b", (0, 1, "b.wx")))
    mech.add_load(iso.FormulaMotor("f5", "hinge", "-c*hinge.angle_rate", parameters={"c": 0.7}))
    mech.add_load(iso.Tension("f6", "a", "two", "10*(length - 1)"))
    mech.add_load(iso.Bushing("f7", "ground", "two", (21, 0, 0), stiffness=(1, 2, 3, 4, 5, 6), damping=0.5))
    mech.add_load(iso.JointFriction("f8", "hinge", 0.1, 0.02, mu_static=0.2))
    mech.add_beam(
        "frame",
        line=[(0, 5), (1, 5), (1, 7)],
        elements=(2, 3),
        section=iso.Section.rectangle(E=1e9, rho=1000, width=0.01, height=0.02),
        model="green-lagrange",
        corners="hinge",
        velocity=(0.1, 0.2, 0),
        angular_velocity=0.3,
    )
    mech.add_beam(
        "cable", (0, 0, 9), (1, 1, 9), elements=2, section=iso.Section(EA=1e4, EI=1.0, rhoA=0.5, damping=(1e-3, 0.0))
    )
    with pytest.warns(iso.errors.IsodynWarning):  # beams that nothing holds
        one = mech.compile()
    with pytest.warns(iso.errors.IsodynWarning):
        two = read_back(mech)
    same_system(one, two)
    text = to_toml(mech, dt=0.1, t_end=1)
    assert "(Composite) is left out" in text
    assert "(0.1)*sin((3.0)*t)" in text


def test_planar_bodies_and_rolling_come_back() -> None:
    mech = iso.Mechanism()
    mech.add_body("plate", 2.0, 0.3, (0.2, 0.1, 0), 0.4, (0.1, 0, 0), 0.5, kind="planar", centre_of_mass=(0.1, 0, 0))
    mech.add_body("disc", 2.0, (0.1, 0.1, 0.2), (0, 0, 0.5))
    mech.add_body("ball", 2.0, (0.1, 0.1, 0.1), (3, 0, 0.5))
    mech.add_joint(iso.RollingDisc("roll", "disc", 0.5, (0, 1, 0)))
    mech.add_joint(iso.RollingSphere("roll2", "ball", 0.5, lift=iso.Sine(0.1, 2.0), along=(1, 0, 0)))
    mech.add_body("stone", 2.0, (0.1, 0.1, 0.1), (6, 0, 0.2))
    mech.add_joint(iso.RollingEllipsoid("roll3", "stone", (0.5, 0.3, 0.2), axes=((1, 1, 0), (-1, 1, 0)), on="disc"))
    mech.add_joint(iso.WheelOnRail("roll4", "stone", 0.2, (0, 1, 0), profile=(0, 0, -2.0), tread=0.05, across=False))
    mech.add_joint(iso.Planar("table", "disc", "ball", axis=(0, 1, 1), direction=(1, 0, 0)))
    mech.add_joint(iso.PointOnPlane("touch", "disc", "ball", lift=iso.Polynomial(0, 1), direction=(1, 1, 0)))
    mech.add_joint(iso.Hinge("pin", "ground", "plate"))
    same_system(mech.compile(), read_back(mech))


def test_functions_in_python_are_refused_by_name() -> None:
    mech = iso.Mechanism()
    mech.add_body("ball", 1.0, kind="particle")
    mech.add_load(iso.UserLoad("wind", "ball", lambda t, pose: (1, 0, 0)))
    with pytest.raises(InputError, match="'wind' are a Python function"):
        to_toml(mech, dt=0.1, t_end=1.0)


def arm() -> iso.Mechanism:
    mech = iso.Mechanism()
    mech.add_body("arm", mass=1.0, inertia=0.1, position=(0.5, 0, 0), kind="planar")
    mech.add_joint(iso.Hinge("pin", "ground", "arm"))
    return mech


FINE = iso.Adaptive(1e-3, atol=(1e-6, 1e-5), first=1e-3, largest=0.1, smallest=1e-9)


class OwnSteps(iso.Adaptive):
    """Steps that no file knows."""


@pytest.mark.parametrize(
    ("options", "scheme", "dt"),
    [
        ({"dt": iso.Adaptive(1e-3)}, None, iso.Adaptive(1e-3)),
        ({"dt": iso.Adaptive(1e-3), "scheme": iso.Scheme.U0(0, 1, 0)}, iso.Scheme.U0(0, 1, 0), iso.Adaptive(1e-3)),
        ({"dt": FINE}, None, FINE),
        ({"dt": iso.Adaptive(atol=np.full(3, 1e-6))}, None, iso.Adaptive(atol=((1e-6,) * 3, (1e-6,) * 3))),
        ({"scheme": iso.Radau(1e-7, max_step=0.1)}, iso.Radau(1e-7, max_step=0.1), None),
        ({"scheme": iso.DOP853(1e-10, 1e-13, project=False)}, iso.DOP853(1e-10, 1e-13, project=False), None),
        ({"scheme": iso.Auto(atol=np.full(2, 1e-9))}, iso.Auto(atol=(1e-9, 1e-9)), None),
        ({"scheme": "Radau(1e-6)"}, iso.Radau(1e-6), None),
        ({"dt": 0.1, "scheme": iso.Scheme.optimal(0.5)}, iso.Scheme.optimal(0.5), 0.1),
    ],
)
def test_steps_that_choose_themselves_are_written(options: Any, scheme: Any, dt: Any) -> None:
    """Once such runs ended in a TypeError."""
    found = model_from_text(to_toml(arm(), t_end=1.0, **options)).options()
    assert (found["scheme"], found["dt"], found["t_end"]) == (scheme, dt, 1.0)


def test_events_are_written() -> None:
    events = (iso.Event("pin.angle - 0.5", 1, True, name="stop"), iso.Event("arm.x"), iso.Event("arm.y", -1, 3))
    again = model_from_text(to_toml(arm(), t_end=1.0, dt=0.1, events=events)).options()["events"]
    assert [(one.g, one.direction, int(one.terminal), one.name) for one in again] == [
        ("pin.angle - 0.5", 1, 1, "stop"),
        ("arm.x", 0, 0, "event 1"),
        ("arm.y", -1, 3, "event 2"),
    ]


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({}, "dt is missing"),
        ({"dt": 0.1, "scheme": iso.Radau()}, "Radau chooses its steps by their error, and takes no dt"),
        ({"dt": OwnSteps(1e-3)}, "a model file has no text for OwnSteps"),
        ({"dt": "0.1 s"}, "dt must be a finite number"),
        ({"dt": -0.1}, "dt must be positive, received -0.1"),
        ({"dt": 0.1, "scheme": "U9(1)"}, "there is no scheme named"),
        ({"dt": 0.1, "formulation": "own"}, "there is no formulation named"),
        ({"dt": 0.1, "formulation": 3}, "a model file has no text for 3"),
        ({"dt": 0.1, "events": 3}, "events must be functions"),
        ({"dt": 0.1, "events": iso.Event("arm.x - (")}, "a number, a name or"),
        ({"dt": 0.1, "title": 3}, "title is a text"),
        ({"dt": 0.1, "scheme": iso.Scheme.optimal(1 / 3)}, "a model file has no text for"),
        ({"dt": 0.1, "events": [iso.Event(lambda t, q, v: t)]}, "event 0 has a Python function"),
        ({"dt": 0.1, "events": [iso.Event("arm.x", action=lambda s: None)]}, "event 0 has an action"),
        ({"dt": 0.1, "events": [iso.Event("arm.x", name="x")] * 2}, "two events are named 'x'"),
    ],
)
def test_runs_that_no_file_can_say(options: Any, words: str) -> None:
    with pytest.raises(InputError, match=words):
        to_toml(arm(), t_end=1.0, **options)


class OwnPID(iso.PID):
    """A law that no file knows."""


def test_laws_that_only_look_like_a_pid_are_refused() -> None:
    """A subclass was written as a plain PID, without a word."""
    mech = arm()
    mech.add_load(iso.Motor("motor", "pin", torque=0.0))
    law = OwnPID(2.0)
    mech.add_controller("own", every=0.1, reads="pin.angle", writes="motor", law=law)
    with pytest.raises(InputError, match="laws of controller 'own' are a Python function"):
        to_toml(mech, dt=0.1, t_end=1.0)
    mech.controllers.clear()
    mech.add_controller("own", every=0.1, reads="pin.angle", writes="motor", law=iso.PID(2.0))
    mech.controllers["own"].law.kp = np.nan
    with pytest.raises(InputError, match="kp is nan, and a model file has finite numbers only"):
        to_toml(mech, dt=0.1, t_end=1.0)


def test_what_python_takes_is_written() -> None:
    """Formulas of t as text, NumPy's numbers, rates in Python, formulations: once refused, or TypeErrors."""
    mech = arm()
    mech.add_load(iso.GearMotor("geared", "pin", [0, 2], [1, 0], command="0.5*sin(3*t)"))
    mech.add_load(iso.Motor("motor", "pin", torque=np.float32(0.5)))
    mech.add_state("level", rate=lambda t: 2 * t)  # type: ignore[arg-type]
    mech.add_body("cart", mass=1.0, inertia=1.0, kind="planar", position=(1.0, 0, 0))
    mech.add_joint(iso.Prismatic("slide", "ground", "cart", axis=(1, 0, 0)))
    mech.add_joint(iso.Drive("lead", "slide", "0.1*t^2/3"))
    event = iso.Event("pin.angle - 0.1", name="there")
    text = to_toml(mech, dt=0.01, t_end=0.1, formulation=iso.Baumgarte(20, 1 / 3), events=event)
    model = model_from_text(text)
    assert model.options()["formulation"] == iso.Baumgarte(20, 1 / 3)
    one = iso.integrate(mech, None, iso.Baumgarte(20, 1 / 3), dt=0.01, t_end=0.1, events=event)
    two = iso.integrate(model.system(), **model.options())
    np.testing.assert_array_equal(one.q, two.q)
    np.testing.assert_array_equal(one.a, two.a)


def test_bodies_beside_their_mass_centre_come_back_to_the_last_bit() -> None:
    """The frame that is written gave the mass centre to rounding only."""
    rng = np.random.default_rng(3)
    mech = iso.Mechanism()
    for k in range(50):
        given = {"position": rng.normal(size=3), "centre_of_mass": rng.normal(size=3), "velocity": rng.normal(size=3)}
        mech.add_body(f"b{k}", 1.0, (1.0, 1.0, 1.0), angular_velocity=rng.normal(size=3), **given)
    again = model_from_text(to_toml(mech, dt=0.1, t_end=1.0)).mechanism()
    for name, body in mech.bodies.items():
        np.testing.assert_array_equal(again.bodies[name].position, body.position)
        np.testing.assert_array_equal(again.bodies[name].velocity, body.velocity)


def test_systems_are_no_mechanisms() -> None:
    with pytest.raises(InputError, match="to_toml writes a Mechanism, received MechanismSystem"):
        to_toml(arm().compile(), dt=0.1, t_end=1.0)  # type: ignore[arg-type]
