"""A name of a number means the same in sweeps, model files, derivatives and fits."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import isodyn as iso
from isodyn.design.families import model_family
from isodyn.errors import InputError, SensitivityError
from isodyn.models.build import model_from_text
from isodyn.sensitivities.parameters import family_of
from isodyn.sweeps.models import subject_of
from isodyn.sweeps.subjects import MechanismSubject, _present

NAMES = {
    "rod.mass": ("rod.mass", 5.0),
    "rod.inertia.x": ("rod.inertia[0]", 0.3),
    "rod.position.y": ("rod.position[1]", 0.3),
    "rod.velocity.x": ("rod.velocity[0]", 0.3),
    "rod.angular_velocity.z": ("rod.angular_velocity[2]", 0.7),
    "block.mass": ("block.mass", 5.0),
    "disc.mass": ("disc.mass", 5.0),
    "disc.inertia": ("disc.inertia", 2.0),
    "disc.angular_velocity": ("disc.angular_velocity", 2.0),
}


def parts() -> iso.Mechanism:
    """Bodies with and without a shape, one with its mass centre beside its frame."""
    mech = iso.Mechanism(gravity=(0, 0, -9.81))
    mech.add_body(
        "rod",
        2.0,
        (0.1, 0.2, 0.2),
        (1, 0, 0),
        (0.8, 0.6, 0, 0),
        angular_velocity=(0.1, 0.2, 0.3),
        centre_of_mass=(0.3, 0.1, 0),
    )
    mech.add_body("block", shape=iso.shapes.Box(0.2, 0.3, 0.4, density=1000.0))
    mech.add_body("disc", 3.0, shape=iso.shapes.Cylinder(0.2, 0.1, density=500.0), kind="planar", position=(0, 2))
    mech.add_body("given", 1.0, (1, 1, 1), shape=iso.shapes.Box(0.2, 0.3, 0.4, density=1000.0))
    return mech


@pytest.mark.parametrize("name", NAMES)
def test_names_of_bodies_mean_the_same_in_sweeps_and_derivatives(name: str) -> None:
    swept, value = NAMES[name]
    family = family_of(parts())
    assert family.value(name) == pytest.approx(subject_present(swept), abs=1e-15)
    one, other = family.at({name: value}), subject_of(parts(), (swept,)).prepared({swept: value})[0]
    for body, twin in zip(one.layout.bodies, other.layout.bodies, strict=True):
        for key in ("mass", "inertia", "position", "velocity", "angular_velocity"):
            assert np.array_equal(getattr(body, key), getattr(twin, key)), (body.name, key)
    assert np.array_equal(one.q0, other.q0)
    assert np.array_equal(one.v0, other.v0)


def subject_present(name: str) -> Any:
    return _present(MechanismSubject(parts(), (name,)), name)


def test_a_given_inertia_stays_where_one_of_a_shape_scales() -> None:
    family = family_of(parts())
    for name, scaled in (("block", True), ("given", False), ("rod", False)):
        mass = family.value(f"{name}.mass")
        one, other = (family.at({f"{name}.mass": k * mass}).layout.bodies for k in (1.0, 2.0))
        number = [body.name for body in one].index(name)
        assert np.allclose(other[number].inertia, (2 if scaled else 1) * one[number].inertia, rtol=1e-15)


FILE = """
gravity = [0, 0, -9.81]
[bodies.bar]
mass = 14.0
shape = { type = "box", x = 1.0, y = 0.2, z = 0.1, density = 500 }
position = [0.5, 0, 0]
[joints.pin]
type = "hinge"
between = ["ground", "bar"]
point = [0, 0, 0]
axis = [0, 1, 0]
[loads.spring]
type = "joint_spring"
joint = "pin"
stiffness = 40
[run]
dt = 0.01
t_end = 0.5
"""


def bar() -> iso.Mechanism:
    mech = iso.Mechanism(gravity=(0, 0, -9.81))
    mech.add_body("bar", shape=iso.shapes.Box(1.0, 0.2, 0.1, density=700), position=(0.5, 0, 0))
    mech.add_joint(iso.Hinge("pin", "ground", "bar", point=(0, 0, 0), axis=(0, 1, 0)))
    mech.add_load(iso.JointSpring("spring", "pin", stiffness=40.0))
    return mech


def test_a_sweep_and_a_derivative_by_the_mass_of_a_shaped_body_agree() -> None:
    run: Any = {"dt": 0.01, "t_end": 0.5}
    mass, h = 14.0, 0.1
    outputs = ["angle = last(pin.angle)"]
    found = iso.sweep(bar(), {"bar.mass": [mass - h, mass + h]}, outputs, workers=0, **run)["angle"]
    by_file = iso.integrate(
        model_family(model_from_text(FILE), ("bar.mass",))[0], sensitivities=["bar.mass"], **run
    ).sensitivity("bar.mass")
    by_python = iso.integrate(bar(), sensitivities=["bar.mass"], **run).sensitivity("bar.mass").of("pin.angle")[-1]
    assert by_python == pytest.approx((found[1] - found[0]) / (2 * h), rel=1e-4)
    assert by_file.of("pin.angle")[-1] == pytest.approx(by_python, rel=1e-10)


def branching(x: float) -> iso.Mechanism:
    """A load that is there for large numbers only."""
    mech = iso.Mechanism(gravity=(0, 0, -9.81))
    mech.add_body("arm", 1.0, (0.1, 0.1, 0.1), (1, 0, 0))
    mech.add_joint(iso.Hinge("pin", "ground", "arm", point=(0, 0, 0), axis=(0, 1, 0)))
    if x > 1.0:
        mech.add_load(iso.JointSpring("spring", "pin", stiffness=x))
    return mech


def oscillator(x: float, x0: float = 1.0) -> iso.MechanicalSystem:
    return iso.MechanicalSystem(1.0, lambda q, v, t: -x * q, [x0], [0.0])


@pytest.mark.parametrize(
    ("build", "x"),
    [
        (branching, 1.0),
        (lambda x: oscillator(abs(x)), 0.0),
        (lambda x: oscillator(2.0 if x > 0.3 else 1.0), 0.3),
        (lambda x: oscillator(1.0, 2.0 if x > 0.3 else 1.0), 0.3),
    ],
)
def test_numbers_at_which_a_system_jumps_or_bends_have_no_derivative(build: Any, x: float) -> None:
    with pytest.raises(SensitivityError, match=rf"jumps or has a kink at x = {x:g}(.|\n)*branch there"):
        iso.integrate(iso.Parametrised(build, x=x), dt=0.01, t_end=0.05, sensitivities=["x"])


def test_smooth_numbers_near_zero_have_one() -> None:
    run: Any = {"dt": 0.01, "t_end": 0.05, "sensitivities": ["x"]}
    assert np.all(iso.integrate(iso.Parametrised(lambda x: oscillator(x**3), x=0.0), **run).sensitivity("x").q < 1e-12)
    stiff = iso.integrate(iso.Parametrised(lambda x: oscillator(1e4 + np.sin(x)), x=0.3), **run).sensitivity("x").q
    other = iso.integrate(iso.Parametrised(oscillator, x=1e4 + np.sin(0.3)), **run).sensitivity("x").q
    # beside a stiffness of 1e4, rounding counts that much more
    assert np.abs(stiff - np.cos(0.3) * other).max() <= 1e-7 * np.abs(other).max()


def test_places_in_vectors_are_counted_from_the_front() -> None:
    family = family_of(branching(0.0))
    assert family.value("pin.axis.1") == 1.0
    for name in ("pin.axis.-1", "pin.axis.3", "pin.axis.1.0"):
        with pytest.raises(InputError, match="there is no number"):
            family.value(name)


def test_coordinates_of_joints_that_are_measured_in_another_way() -> None:
    """Of a gradient by an axis a part is the measure itself; masses and points of other joints need no other
    system."""
    run: Any = {"dt": 0.01, "t_end": 0.1, "assemble": True}
    names = ["pin.axis.x", "pin.point.x", "arm.mass", "arm.position.x"]
    for output in ("pin.angle", "pin.angle_rate", "pin.angle_acceleration"):
        found = iso.gradient(branching(2.0), objective=output, parameters=names, **run)
        sol = iso.integrate(branching(2.0), sensitivities=names, **run)
        for name in names:
            each = sol.sensitivity(name).of(output)
            assert abs(found[name] - each[-1]) <= 1e-9 * max(1.0, np.abs(each).max()), (name, output)
