"""Members with φ = 0 start on their own: from the first step on they are the textbook methods,
written out here by hand.

Members with φ ≠ 0 take one midpoint step first; what they share with a textbook method is the path
after it.
"""

from __future__ import annotations

import dataclasses

import numpy as np
import pytest

import isodyn as iso
from isodyn.problems import kepler
from isodyn.stepping import initial

DT, N = 0.05, 200
Q0, V0 = np.array([0.7, 0.0]), np.array([0.0, 1.36])


def attraction(q: np.ndarray) -> np.ndarray:
    return -q / np.hypot(*q) ** 3


def orbit(scheme: iso.Scheme, **settings: object) -> iso.Solution:
    system = iso.MechanicalSystem(np.eye(2), lambda q, v, t: attraction(q), Q0, V0)
    return iso.integrate(system, scheme, dt=DT, t_end=N * DT, **settings)  # type: ignore[arg-type]


def test_central_difference_is_velocity_verlet_from_the_first_step() -> None:
    q, v, a = Q0.copy(), V0.copy(), attraction(Q0)
    rows = [(q, v, a)]
    for _ in range(N):
        half = v + 0.5 * DT * a
        q = q + DT * half
        a = attraction(q)
        v = half + 0.5 * DT * a
        rows.append((q, v, a))
    sol = orbit(iso.Scheme.central_difference())
    for computed, k in ((sol.q, 0), (sol.v, 1), (sol.a, 2)):
        np.testing.assert_allclose(computed, [row[k] for row in rows], rtol=0, atol=1e-11)


def test_newmark_is_the_trapezoidal_rule_from_the_first_step() -> None:
    """q_1 − q_n = dt (v_n + v_1)/2 and v_1 − v_n = dt (a_n + a_1)/2 with a_n = g(q_n), for every n
    from 0 on."""
    sol = orbit(iso.Scheme.newmark(), newton=iso.Newton(rtol=1e-13))
    np.testing.assert_allclose(np.diff(sol.v, axis=0), 0.5 * DT * (sol.a[1:] + sol.a[:-1]), rtol=0, atol=1e-13)
    np.testing.assert_allclose(np.diff(sol.q, axis=0), 0.5 * DT * (sol.v[1:] + sol.v[:-1]), rtol=0, atol=1e-13)
    np.testing.assert_allclose(sol.a, [attraction(q) for q in sol.q], rtol=0, atol=1e-11)


def test_central_difference_keeps_angular_momentum_from_the_first_step() -> None:
    J = kepler.conserved(orbit(iso.Scheme.central_difference()))["angular momentum"]
    assert np.abs(J / J[0] - 1.0).max() < 1e-14


@pytest.mark.parametrize("radii", [(0.5, 0.5, 0), (0, 0.3, 0), (1, 1, 0)])
def test_explicit_u0_without_spurious_root_follows_stormer_and_verlet(radii: tuple[float, float, float]) -> None:
    """q_{n+1} − 2 q_n + q_{n−1} = dt² g(q_n) after the first step, whatever the principal radii."""
    q = orbit(iso.Scheme.U0(*radii, explicit=True)).q[1:]
    forces = np.array([attraction(x) for x in q[1:-1]])
    np.testing.assert_allclose(q[2:] - 2 * q[1:-1] + q[:-2], DT**2 * forces, rtol=0, atol=1e-14)


@pytest.mark.parametrize(("off", "moves"), [(0.0, 0), (1e-16, 0), (1e-12, 1), (1e-9, 1)])
def test_a_start_that_is_consistent_to_rounding_is_taken_as_it_is(
    off: float, moves: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Otherwise it is put onto the constraints, in positions and in velocities."""
    asked = []

    def counted(*arguments: object) -> int:
        asked.append(arguments)
        return project(*arguments)

    project = initial.nearest_consistent
    monkeypatch.setattr(initial, "nearest_consistent", counted)
    rope = iso.problems.get("pendulum").system()
    length = 1.2
    rope = dataclasses.replace(rope, q0=np.array([0.6, -0.8 - off]) * length, v0=np.array([0.8 + off, 0.6]))
    sol = iso.integrate(rope, dt=0.01, t_end=0.02)
    assert len(asked) == moves
    if not moves:
        np.testing.assert_array_equal(sol.q[0], rope.q0)
        np.testing.assert_array_equal(sol.v[0], rope.v0)
    assert abs(np.hypot(*sol.q[0]) / length - 1.0) < 4e-16
    assert abs(sol.q[0] @ sol.v[0]) < 3e-16
