"""Nodes of beams as bodies: G, rests and tangents of joints and loads on them against differences
of eighth order."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import isodyn as iso
from isodyn.kernels.compiled import CONSTRAINT, JACOBIAN, FloatArray
from isodyn.systems.questions import Questions

WEIGHTS = (1 / 280, -4 / 105, 1 / 5, -4 / 5, 0.0, 4 / 5, -1 / 5, 4 / 105, -1 / 280)  # eighth order
H = 2e-3
SECTION = iso.Section(EA=20.0, EI=1.0, rhoA=1.0, damping=(0.1, 0.0))
P = (1.3, 0.7)


def slope(f: Any) -> Any:
    """d f(s)/ds at s = 0."""
    return sum(w * f((k - 4) * H) for k, w in enumerate(WEIGHTS)) / H


def plane() -> iso.Mechanism:
    """Two beams and a body in the plane."""
    mech = iso.Mechanism(gravity=(0.3, -9.0, 0.0))
    mech.add_beam("rod", (0.2, 0.1), (1.4, 0.9), elements=2, section=SECTION, angular_velocity=0.3)
    mech.add_beam("arm", (2.0, 0.3), (1.1, 0.2), elements=1, section=SECTION, model="cauchy")
    mech.add_body("bob", 1.2, 0.7, (1.9, 0.6), 0.4, (1.0, 2.0), 0.6, kind="planar")
    return mech


def space() -> iso.Mechanism:
    """A cable, a planar beam and a body in space."""
    mech = iso.Mechanism(gravity=(0.3, -9.0, 1.0))
    mech.add_beam("rod", (0.2, 0.1, 0.3), (1.4, 0.9, -0.2), elements=2, section=SECTION)
    mech.add_beam("arm", (2.0, 0.3), (1.1, 0.2), elements=1, section=iso.Section(EA=20.0, EI=1.0, rhoA=1.0))
    e = np.array([0.7, 0.2, -0.4, 0.3])
    mech.add_body("bob", 1.2, (0.7, 0.8, 0.9), (1.9, 0.6, 0.2), e / np.linalg.norm(e), (1, 2, 0.5), (0.3, -0.5, 0.6))
    return mech


T = (1.2, 0.8, -0.5)  # tangent of the cable
PLANE: dict[str, Any] = {
    "hinge": iso.Hinge("j", "rod.end", "bob"),
    "hinge with arms": iso.Hinge("j", "rod[1]", "bob", point=P),
    "hinge to ground": iso.Hinge("j", "ground", "rod@0.0"),
    "weld of beams": iso.Fixed("j", "rod.end", "arm.start", point=P),
    "weld to ground": iso.Fixed("j", "ground", "rod.start"),
    "weld with arms": iso.Fixed("j", "bob", "rod.end", point=P),
    "slide": iso.Prismatic("j", "ground", "rod.end", axis=(1, 0.3, 0)),
    "slide along the beam": iso.Prismatic("j", "rod.end", "bob", axis=(1.0, 0.3, 0)),
    "pin in a slot": iso.PointOnPlane("j", "rod[1]", "bob", point=P, axis=(0.2, 1, 0)),
    "distance": iso.Distance("j", "rod.start", "arm.end", points=((0.2, 0.1), (1.3, 0.4))),
}
SPACE: dict[str, Any] = {
    "ball": iso.Spherical("j", "rod.end", "bob"),
    "ball between beams": iso.Spherical("j", "rod.end", "arm.start", point=(1.4, 0.9, -0.2)),
    "clamp": iso.Hinge("j", "bob", "rod.end", axis=T),
    "clamp, cable first": iso.Hinge("j", "rod.start", "bob", axis=T),
    "sleeve": iso.Cylindrical("j", "bob", "rod.end", axis=T),
    "plane of the cable": iso.PointOnPlane("j", "rod.end", "bob", axis=T),
    "distance": iso.Distance("j", "rod[1]", "bob"),
    "hinge of a planar beam": iso.Hinge("j", "arm.end", "bob", axis=(0.3, 0.2, 0.9), point=(1.0, 0.3, 0.2)),
    "weld of a planar beam": iso.Fixed("j", "bob", "arm.start"),
}
LOADS: dict[str, list[Any]] = {
    "spring": [iso.Spring("s", "rod.end", "bob", None, 30.0, 2.0, 0.4, cubic=5.0)],
    "spring with arms": [iso.Spring("s", "rod[1]", "bob", ((0.9, 0.3), P), 30.0, 2.0, 0.4)],
    "bushing": [iso.Bushing("s", "rod[1]", "bob", P, (0, 0, 1), (10, 20, 30, 4, 5, 6), (1, 2, 3, 0.4, 0.5, 0.6))],
    "joint spring": [iso.JointSpring("s", "pin", 20.0, 1.5, rest=0.3)],
    "motors": [iso.Motor("m", "pin", torque=iso.Sine(2.0, 3.0)), iso.Motor("n", "pin", speed=2.0, gain=0.7)],
    "forces": [
        iso.Force("f", "rod.end", (1, 2, 0)),
        iso.Force("g", "rod[1]", (1, -2, 0), (0.9, 0.3), "body", iso.Sine(2.0, 1.0, 0.4)),
        iso.Force("h", "arm.end", (1, -2, 0), (0.9, 0.3)),
    ],
    "torques": [iso.Torque("f", "rod.end", (0, 0, 3)), iso.Torque("g", "arm.start", (0, 0, 1), "body")],
    "drag": [iso.Drag("d", "rod.end", 0.8, medium=(1.0, 0.3, 0.0))],
    "spread": [iso.DistributedForce("d", "arm", (0.8, 0.3), iso.Sine(2.0, 3.0))],
}
IN_SPACE: dict[str, list[Any]] = {
    "spring": [iso.Spring("s", "rod.end", "bob", None, 30.0, 2.0, 0.4, cubic=5.0)],
    "forces": [iso.Force("f", "rod.end", (1, 2, 3)), iso.Force("g", "rod.end", (2.0, 0, 0), frame="body")],
    "torque": [iso.Torque("f", "rod[1]", (1, 2, 3))],
    "drag": [iso.Drag("d", "rod.end", 0.8, medium=(1.0, 0.3, 0.0))],
    "bushing of a planar beam": [iso.Bushing("s", "arm.end", "bob", (1, 0.3, 0.2), (0, 1, 1), range(6), range(6))],
}


def build(case: str, name: str) -> Any:
    mech = plane() if case.startswith("plane") else space()
    if "loads" not in case:
        mech.add_joint((PLANE if case == "plane" else SPACE)[name])
    else:
        if case.startswith("plane"):
            mech.add_joint(iso.Hinge("pin", "rod.end", "bob"))
        for load in (LOADS if case.startswith("plane") else IN_SPACE)[name]:
            mech.add_load(load)
    return mech.compile()


CASES = [
    *(("plane", name) for name in PLANE),
    *(("space", name) for name in SPACE),
    *(("plane, loads", name) for name in LOADS),
    *(("space, loads", name) for name in IN_SPACE),
]
pytestmark = pytest.mark.filterwarnings("ignore:no joint and no spring holds")


def moved(system: Any, q: FloatArray, d: FloatArray) -> FloatArray:
    return np.asarray(q + d if system.retract is None else system.retract(q, d))


@pytest.mark.parametrize(("case", "name"), [x for x in CASES if "loads" not in x[0]])
def test_rows(case: str, name: str) -> None:
    """φ̇ = G v and φ̈ = G a − b along a motion with acceleration, off the constraints too."""
    system = build(case, name)
    rng = np.random.default_rng(1)
    for away in (0.0, 0.2, 0.2):
        q = moved(system, system.q0, away * rng.normal(size=system.nv))
        check_rows(system, q, *rng.normal(size=(2, system.nv)))
    assert np.linalg.matrix_rank(Questions(system).G(0.3, q, system.v0)) == system.m


def check_rows(system: Any, q: FloatArray, v: FloatArray, a: FloatArray) -> None:
    ask = Questions(system)
    G = ask.G(0.3, q, v)
    np.testing.assert_allclose(G @ v, slope(lambda s: ask.position(0.3, moved(system, q, s * v), v)), atol=1e-8)
    np.testing.assert_allclose(ask.velocity(0.3, q, v), G @ v, atol=1e-12)
    second = slope(lambda s: ask.velocity(0.3, moved(system, q, s * v), v + s * a))
    np.testing.assert_allclose(ask.acceleration(0.3, q, v, a), second, atol=1e-8)


@pytest.mark.parametrize(("case", "name"), CASES)
def test_tangents(case: str, name: str) -> None:
    """∂(M a + Gᵀλ − Q)/∂(a, v, q) with all multipliers at work; full and sparse matrices are the
    same."""
    system = build(case, name)
    rng = np.random.default_rng(2)
    for _ in range(2):
        q = moved(system, system.q0, (0.0 if name == "joint spring" else 0.2) * rng.normal(size=system.nv))
        check_tangents(system, q, *rng.normal(size=(2, system.nv)), rng.normal(size=system.m))


def check_tangents(system: Any, q: FloatArray, v: FloatArray, a: FloatArray, lam: FloatArray) -> None:
    ask, n = Questions(system), system.nv
    directions: list[tuple[tuple[float, float, float], Any]] = [
        ((1.0, 0.0, 0.0), lambda d: ask.balance(0.3, q, v, a + d, lam)),
        ((0.0, 1.0, 0.0), lambda d: ask.balance(0.3, q, v + d, a, lam)),
        ((0.0, 0.0, 1.0), lambda d: ask.balance(0.3, moved(system, q, d), v, a, lam)),
    ]
    tables, p = system.sparse_tables, system.layout.sparsity
    for c, f in directions:
        J = ask.ask(JACOBIAN, 0.3, q, v, a, n * n, lam, c).reshape(n, n)
        expected = np.column_stack([slope(lambda s, e=e, f=f: f(s * e)) for e in np.eye(n)])
        np.testing.assert_allclose(J, expected, atol=3e-8 * max(1.0, np.abs(expected).max()), err_msg=str(c))
        values, weights = np.zeros(p.J_columns.size), np.array([*c, 1.0])
        system.function(JACOBIAN, 0.3, q, v, a, lam, weights, *tables, values)
        whole = np.zeros((n, n))
        whole[np.repeat(np.arange(n), np.diff(p.J_starts)), p.J_columns] = values
        assert np.array_equal(J, whole)
    G = np.zeros(p.G_columns.size)
    system.function(CONSTRAINT, 0.3, q, v, a, lam, np.ones(4), *tables, G)
    rows = np.zeros((system.m, n))
    rows[np.repeat(np.arange(system.m), np.diff(p.G_starts)), p.G_columns] = G
    assert np.array_equal(ask.G(0.3, q, v), rows)
