"""What shows itself in a notebook, and equations in symbols against the numbers of the compiled
model."""

from __future__ import annotations

import math
from typing import Any
from xml.etree import ElementTree

import numpy as np
import pytest
from numba import njit

import isodyn as iso
from isodyn import problems
from isodyn.errors import InputError
from isodyn.systems.questions import Questions

sympy = pytest.importorskip("sympy", reason="SymPy is not installed")


def four_bar_with_spring() -> iso.Mechanism:
    """Two planar links on pins, a slider, a spring with damper, a motor and a force."""
    mech = iso.Mechanism(gravity=(0.0, -9.81, 0.0))
    mech.add_body("crank", 1.0, 0.03, (0.5, 0.0), 0.0, kind="planar", angular_velocity=0.0)
    mech.add_body("block", 2.0, 0.1, (1.0, 0.0), 0.3, kind="planar")
    mech.add_body("bead", 0.2, position=(1.0, 1.0, 0.5), kind="particle")
    mech.add_joint(iso.Hinge("pin", "ground", "crank", point=(0, 0, 0)))
    mech.add_joint(iso.Prismatic("guide", "ground", "block", point=(1.0, 0, 0), axis=(1, 0.5, 0)))
    mech.add_joint(iso.Distance("rod", "crank", "bead", points=((1.0, 0, 0), (1.0, 1.0, 0.5))))
    mech.add_joint(iso.Drive("drive", "guide", iso.Sine(0.1, 3.0)))
    mech.add_load(iso.Spring("spring", "crank", "block", ((0.9, 0.1), (1.2, 0.4)), 30.0, 2.0, 0.2, 5.0))
    mech.add_load(iso.Motor("motor", "pin", speed=iso.Polynomial(1.0, 0.5), gain=0.7))
    mech.add_load(iso.Motor("push", "guide", torque=3.0))
    mech.add_load(iso.Force("pull", "block", (1.0, 2.0, 0.0), point=(1.1, 0.2, 0.0), time=iso.Sine(2.0, 1.5)))
    mech.add_load(iso.Force("jet", "block", (0.4, -0.2, 0.0), point=(0.9, 0.1, 0.0), frame="body"))
    mech.add_load(iso.Torque("twist", "crank", (0.0, 0.0, 0.6)))
    return mech


# ---- equations


@pytest.mark.slow
def test_equations_of_a_mechanism_are_those_that_run() -> None:
    """M, Q, φ, G and b by SymPy against the compiled model, at states off the constraints."""
    system = four_bar_with_spring().compile()
    found, ask, rng = iso.report.symbolic(system), Questions(system), np.random.default_rng(3)
    for _ in range(3):
        t, q, v = float(rng.uniform(0, 2)), system.q0 + 0.2 * rng.normal(size=system.nq), rng.normal(size=system.nv)
        numbers = found.evaluated(t, q, v)
        still = np.zeros(system.nv)
        assert np.allclose(numbers["M"], ask.mass(t, q, v), atol=1e-13)
        assert np.allclose(numbers["Q"].ravel(), -ask.balance(t, q, v, still), atol=1e-11)
        assert np.allclose(numbers["phi"].ravel(), ask.position(t, q, v), atol=1e-13)
        assert np.allclose(numbers["G"], ask.G(t, q, v), atol=1e-13)
        assert np.allclose(numbers["b"].ravel(), -ask.acceleration(t, q, v, still), atol=1e-11)


@njit
def swinging(q: Any, v: Any, t: Any) -> Any:
    return np.array([-0.1 * v[0], -9.81 + np.sin(t) * np.sqrt(q[0] ** 2 + 1.0)])


@pytest.mark.parametrize("compiled", [False, True])
def test_equations_of_users_functions(compiled: bool) -> None:
    """A pendulum in x, y with a rod that changes its length: read from plain and from compiled
    functions."""
    system = iso.MechanicalSystem(
        M=lambda q: np.array([[2.0 + q[0] ** 2, 0.1 * q[1]], [0.1 * q[1], 3.0]]),
        Q=swinging if compiled else swinging.py_func,
        q0=[1.0, 0.0],
        v0=[0.0, 0.0],
        phi=lambda q, t: np.array([q @ q - (1.0 + 0.1 * np.sin(t)) ** 2]),
        psi=lambda q, v, t: np.array([q[0] * v[1] - t * v[0]]),
        names=["x", "y"],
    )
    found, ask = iso.report.symbolic(system), Questions(system)
    t, q, v = 0.7, np.array([0.8, -0.5]), np.array([0.3, 1.1])
    numbers = found.evaluated(t, q, v)
    assert np.allclose(numbers["M"], system.M(q))
    assert np.allclose(numbers["Q"].ravel(), swinging(q, v, t))
    assert np.allclose(numbers["G"], ask.G(t, q, v), atol=1e-8)
    assert np.allclose(numbers["b"].ravel(), -ask.acceleration(t, q, v, np.zeros(2)), atol=1e-5)
    assert "sin(t)" in str(found)
    assert r"\varphi" in found._repr_latex_()


def test_equations_of_linear_and_first_order_systems() -> None:
    """Q = f − C v − K q; h and c."""
    linear = iso.LinearSystem(
        [2.0, 1.0], None, [[2.0, -1.0], [-1.0, 1.0]], lambda t: np.array([np.cos(t), 0.0]), [1, 0], [0, 0]
    )
    assert str(iso.report.symbolic(linear)).splitlines()[-2:] == ["Q = [-2*q0 + q1 + cos(t)]", "    [q0 - q1]"]
    first = iso.FirstOrderSystem(lambda s, z, t: -z * s, s0=[1.0], z0=[1.0], c=lambda s, z, t: s - z**3)
    assert str(iso.report.symbolic(first)) == "h = [-s0*z0]\nc = [s0 - z0**3]"
    other = iso.LinearFirstOrderSystem(2.0, 3.0, None, [1.0])
    assert iso.report.symbolic(other).evaluated(0.0, [], [2.0])["Q"].item() == pytest.approx(-3.0)


@pytest.mark.parametrize(
    ("Q", "reason"),
    [
        (lambda q, v, t: np.array([math.sin(q[0])]), "turns q0 into a float"),
        (lambda q, v, t: -q if q[0] > 0 else q, "compares q0 with 0"),
        (lambda q, v, t: np.array(q, dtype=float), "turns q0 into a float"),
        (lambda q, v, t: np.linalg.solve(np.eye(1), q), "TypeError"),
    ],
)
def test_what_needs_numbers_is_named(Q: Any, reason: str) -> None:
    """An error that says why there is no formula."""
    system = iso.MechanicalSystem(M=1.0, Q=Q, q0=[1.0], v0=[0.0])
    with pytest.raises(InputError, match=f"Q cannot be read as a formula: .*{reason}"):
        iso.report.symbolic(system)


@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("slider_crank_3d", "small systems"),
        ("spinning_top", "planar bodies and particles"),
        ("elastica", "small systems"),
    ],
)
def test_systems_without_formulas_say_so(name: str, words: str) -> None:
    """Too large, or in space."""
    with pytest.raises(InputError, match=words):
        iso.report.symbolic(problems.get(name).system())


# ---- tables


def well_formed(text: str) -> ElementTree.Element:
    """Markup that a parser accepts."""
    return ElementTree.fromstring(f"<div>{text.replace('<br>', '<br/>')}</div>")


def test_schemes_systems_and_mechanisms_show_themselves() -> None:
    """Well-formed markup with the names in it; texts of users are escaped."""
    mech = four_bar_with_spring()
    assert "crank – block" in mech._repr_html_()
    scheme = iso.Scheme.U0(0.8, 0.8, 0.8)
    assert len(well_formed(scheme._repr_html_()).findall(".//polyline")) == 3
    system = iso.MechanicalSystem(M=1.0, Q=lambda q, v, t: -q, q0=[1.0], v0=[0.5], names=["<x>"])
    first = iso.FirstOrderSystem(lambda s, t: -s, s0=[1.0])
    linear = iso.LinearSystem(1.0, None, 4.0, None, [1.0], [0.0])
    rates = iso.LinearFirstOrderSystem(1.0, 2.0, None, [1.0])
    for thing in (mech, mech.compile(), system, first, linear, rates):
        well_formed(thing._repr_html_())
    assert "&lt;x&gt;" in system._repr_html_()


def test_solutions_show_their_animation() -> None:
    """A mechanism moves in a frame of its own, an oscillator has its table."""
    sol = iso.integrate(four_bar_with_spring().compile(), iso.Scheme.optimal(0.8), dt=0.01, t_end=0.2, assemble=True)
    assert "<iframe srcdoc=" in sol._repr_html_()
    plain = iso.integrate(iso.LinearSystem(1.0, None, 4.0, None, [1.0], [0.0]), iso.Scheme.newmark(), dt=0.1, t_end=1.0)
    assert "iframe" not in plain._repr_html_()
    well_formed(plain._repr_html_())
