"""Systems from a Lagrangian agree with the same systems written by hand, with finite differences
and with another way to derive them."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import isodyn as iso
from isodyn import problems

sp = pytest.importorskip("sympy")
t = sp.Symbol("t")
x, y, theta, phi = (sp.Function(name)(t) for name in ("x", "y", "theta", "phi"))


def double_pendulum(compiled: bool = False) -> iso.MechanicalSystem:
    """Two unit masses on unit rods, in angles."""
    x1, y1 = sp.sin(theta), -sp.cos(theta)
    x2, y2 = x1 + sp.sin(phi), y1 - sp.cos(phi)
    T = sum(c.diff(t) ** 2 for c in (x1, y1, x2, y2)) / 2
    return iso.from_lagrangian(T - 9.81 * (y1 + y2), [theta, phi], q0=[1.0, 2.0], v0=[0.5, -0.3], compiled=compiled)


def test_double_pendulum_by_hand() -> None:
    """M and Q of the textbook."""
    system = double_pendulum()
    q, v = np.array([0.7, -1.1]), np.array([1.3, 0.4])
    c, s = np.cos(q[0] - q[1]), np.sin(q[0] - q[1])
    np.testing.assert_allclose(system.M(q), [[2.0, c], [c, 1.0]], rtol=1e-14)
    expected = [-s * v[1] ** 2 - 2 * 9.81 * np.sin(q[0]), s * v[0] ** 2 - 9.81 * np.sin(q[1])]
    np.testing.assert_allclose(system.Q(q, v, 0.0), expected, rtol=1e-13)


def test_compiled_and_plain_give_the_same_motion() -> None:
    one, other = (iso.integrate(double_pendulum(compiled), dt=0.01, t_end=1.0) for compiled in (True, False))
    np.testing.assert_allclose(one.q, other.q, rtol=0, atol=1e-9)
    assert np.abs(other.energy_balance()).max() < 2e-3 * 30


def test_constrained_point_is_the_pendulum_of_the_library() -> None:
    """In Cartesian coordinates with a moving length as a check of φ_t and b."""
    rate = 0.3
    system = iso.from_lagrangian(
        (x.diff(t) ** 2 + y.diff(t) ** 2) / 2 - 9.81 * y,
        [x, y],
        q0=[0.6, -0.8],
        v0=[0.8 + 0.6 * rate, 0.6 - 0.8 * rate],
        constraints=[(x**2 + y**2 - (1 + rate * t) ** 2) / 2],
        row_names=["rope"],
        compiled=False,
    )
    by_hand = iso.MechanicalSystem(
        np.ones(2),
        lambda q, v, t: np.array([0.0, -9.81]),
        [0.6, -0.8],
        [0.8 + 0.6 * rate, 0.6 - 0.8 * rate],
        phi=lambda q, t: np.array([0.5 * (q @ q - (1 + rate * t) ** 2)]),
    )
    one, other = (iso.integrate(s, dt=0.01, t_end=1.0) for s in (system, by_hand))
    np.testing.assert_allclose(one.q, other.q, atol=1e-8)
    np.testing.assert_allclose(one.lam, other.lam, atol=1e-5)
    assert one.system.row_names == ("rope",)
    assert max(one.drift().largest[:2]) < 1e-13


def test_knife_edge_is_the_problem_of_the_library() -> None:
    """A nonholonomic row is recognised by its rates."""
    known = problems.get("knife_edge")
    built = known.system()
    q, v = built.q0, built.v0
    rows = iso.from_lagrangian(
        (x.diff(t) ** 2 + y.diff(t) ** 2 + theta.diff(t) ** 2) / 2,
        [x, y, theta],
        q0=q,
        v0=v,
        constraints=[x.diff(t) * sp.sin(theta) - y.diff(t) * sp.cos(theta)],
        compiled=False,
    )
    assert (rows.m, rows.m_phi) == (1, 0)
    assert abs(rows.constraints.psi(q, v, 0.0)).max() < 1e-14


def test_forces_dissipation_and_time() -> None:
    """Derivatives of Q, F and R against differences."""
    k, c = sp.symbols("k c")
    L = (1 + x**2) * x.diff(t) ** 2 / 2 + x * y.diff(t) + y.diff(t) ** 2 / 2 - k * sp.cos(x * y) * (1 + sp.sin(t))
    system = iso.from_lagrangian(
        L,
        [x, y],
        q0=[0.3, 0.1],
        v0=[0.2, -0.4],
        forces={y: sp.sin(3 * t) * x - y.diff(t) ** 3},
        dissipation=c * x.diff(t) ** 2 / 2,
        parameters={k: 2.5, c: 0.7},
        compiled=False,
    )
    q, v, time = np.array([0.5, -0.8]), np.array([0.9, 1.7]), 0.4
    s = 2.5 * np.sin(q[0] * q[1]) * (1 + np.sin(time))
    expected = [-q[0] * v[0] ** 2 + v[1] + q[1] * s - 0.7 * v[0], q[0] * s - v[0] + np.sin(1.2) * q[0] - v[1] ** 3]
    np.testing.assert_allclose(system.Q(q, v, time), expected, rtol=1e-13)
    e = 1e-6
    for j, d in enumerate(np.eye(2)):
        by_q = (system.Q(q + e * d, v, time) - system.Q(q - e * d, v, time)) / (2 * e)
        by_v = (system.Q(q, v + e * d, time) - system.Q(q, v - e * d, time)) / (2 * e)
        np.testing.assert_allclose(system.Q_q(q, v, time)[:, j], by_q, atol=1e-8)
        np.testing.assert_allclose(system.Q_v(q, v, time)[:, j], by_v, atol=1e-8)


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"L": -sp.sqrt(1 - x.diff(t) ** 2)}, "L must be quadratic in the rates"),
        ({"L": (1 + t) * x.diff(t) ** 2}, "depends on time"),
        ({"L": sp.Symbol("m") * x.diff(t) ** 2}, "L contains m, which is neither a coordinate nor a number"),
        ({"L": x.diff(t) ** 2 + y}, r"L contains y\(t\)"),
        ({"L": x.diff(t) ** 2 + x.diff(t, 2)}, "first derivatives"),
        ({"q": [sp.Symbol("x")]}, "coordinates are functions of time"),
        ({"q": []}, "q is empty"),
        ({"q": [x, x]}, "different functions of one symbol"),
        ({"forces": [0, 0]}, "forces needs one expression per coordinate, 1, received 2"),
        ({"forces": {y: 1}}, "which is not a coordinate"),
        ({"constraints": [x], "row_names": ["a", "b"]}, "row_names must name all 1 constraints, received 2"),
    ],
)
def test_messages(changes: dict[str, Any], message: str) -> None:
    given = {"L": x.diff(t) ** 2 / 2, "q": [x], "q0": [0.0], "v0": [0.0]} | changes
    with pytest.raises(iso.errors.InputError, match=message):
        iso.from_lagrangian(given.pop("L"), given.pop("q"), **given)
