"""Mechanisms in other coordinates: G', b', M' against differences, and accelerations equal to those
of the default, state by state."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from coordinate_mechanisms import CHOICES, MECHANISMS
from isodyn.mechanism.coordinates import ParametrisedSystem
from isodyn.systems.questions import Questions

WEIGHTS = (1 / 280, -4 / 105, 1 / 5, -4 / 5, 0.0, 4 / 5, -1 / 5, 4 / 105, -1 / 280)  # eighth order
H = 2e-3
pytestmark = pytest.mark.filterwarnings("ignore:no joint and no spring holds")


def slope(f: Any) -> Any:
    return sum(w * f((k - 4) * H) for k, w in enumerate(WEIGHTS)) / H


def compiled(name: str, choice: Any) -> tuple[ParametrisedSystem, Questions, Questions]:
    system = MECHANISMS[name]().compile(choice)
    assert isinstance(system, ParametrisedSystem)
    return system, Questions(system), Questions(system.mechanism)


@pytest.mark.parametrize("choice", CHOICES)
@pytest.mark.parametrize("name", MECHANISMS)
def test_rows_and_mass(name: str, choice: Any) -> None:
    """φ̇ = G'v' + φ_t and φ̈ = G'a' − b' off the manifold too (|e| ≠ 1); M' = ∂balance/∂a',
    positive definite."""
    rng = np.random.default_rng(4)
    system, ask, _ = compiled(name, choice)
    n, t = system.nv, 0.3
    for _ in range(3):
        move = np.add if system.retract is None else system.retract
        q, v, a = move(system.q0, 0.1 * rng.normal(size=n)), rng.normal(size=n), rng.normal(size=n)
        G, M = ask.G(t, q, v), ask.mass(t, q, v)
        rate = slope(lambda s, q=q, v=v, move=move: ask.position(t + s, move(q, s * v), v))
        np.testing.assert_allclose(ask.velocity(t, q, v)[: system.m_phi], rate, atol=1e-8)
        np.testing.assert_allclose(G @ v, ask.velocity(t, q, v) - ask.velocity(t, q, 0 * v), atol=1e-12)
        second = slope(
            lambda s, q=q, v=v, a=a, move=move: ask.velocity(t + s, move(q, s * v + 0.5 * s**2 * a), v + s * a)
        )
        np.testing.assert_allclose(ask.acceleration(t, q, v, a), second, atol=1e-8)
        np.testing.assert_allclose(
            ask.balance(t, q, v, a) - ask.balance(t, q, v, 0 * a), M @ a, atol=1e-11 * np.abs(M).max()
        )
        lam = rng.normal(size=system.m)
        np.testing.assert_allclose(ask.balance(t, q, v, a, lam) - ask.balance(t, q, v, a), G.T @ lam, atol=1e-11)
        assert np.linalg.eigvalsh(M)[0] > 0
        np.testing.assert_allclose(M, M.T, atol=1e-14 * np.abs(M).max())


@pytest.mark.parametrize("choice", CHOICES)
@pytest.mark.parametrize("name", MECHANISMS)
def test_lagrange(name: str, choice: Any) -> None:
    """d/dt ∂L/∂v' − ∂L/∂q' = −Q' of springs, from differences of the energy alone: an independent
    way to the same balance."""
    rng = np.random.default_rng(5)
    mech = MECHANISMS[name]()
    mech.loads.clear()
    system = mech.compile(choice)
    ask, n = Questions(system), system.nv
    q, v, a = system.q0, system.v0 + 0.3 * rng.normal(size=system.nv), rng.normal(size=n)
    if choice == "euler-parameters":  # the added ½μṄ² is not in the energy: stay on the rows
        G, rows = ask.G(0.0, q, v), slice(system.mechanism.m_phi, system.m_phi)
        v = v - np.linalg.pinv(G[rows]) @ (G[rows] @ v)
        a = a - np.linalg.pinv(G[rows]) @ ask.acceleration(0.0, q, v, a)[rows]

    def momentum(s: float) -> Any:
        x, u = q + s * v + 0.5 * s**2 * a, v + s * a
        return np.array([slope(lambda r, e=e: system.energy(x, u + r * e, 0.0)[0]) for e in np.eye(n)])

    def lagrangian(x: Any) -> float:
        kinetic, potential = system.energy(x, v, 0.0)
        return kinetic - potential

    gradient = np.array([slope(lambda r, e=e: lagrangian(q + r * e)) for e in np.eye(n)])
    balance = ask.balance(0.0, q, v, a)
    np.testing.assert_allclose(slope(momentum) - gradient, balance, atol=1e-7 * max(1.0, np.abs(balance).max()))


@pytest.mark.parametrize("choice", CHOICES)
@pytest.mark.parametrize("name", MECHANISMS)
def test_accelerations_and_multipliers_of_the_default(name: str, choice: Any) -> None:
    """[M' G'ᵀ; G' 0] gives the accelerations and multipliers of the default coordinates;
    multipliers of norm rows are zero."""
    system, ask, ask_base = compiled(name, choice)
    base, t = system.mechanism, 0.2
    q, v, _ = system.state(system.q0, system.v0)
    np.testing.assert_allclose(q, base.q0, atol=1e-14)
    np.testing.assert_allclose(v, base.v0, atol=1e-12)
    a, lam = accelerations(base, ask_base, t, q, v)
    a_, lam_ = accelerations(system, ask, t, system.q0, system.v0)
    np.testing.assert_allclose(system.state(system.q0, system.v0, a_)[2], a, atol=1e-10)
    norms = slice(base.m_phi, system.m_phi)
    np.testing.assert_allclose(np.delete(lam_, norms), lam, atol=1e-10)
    np.testing.assert_allclose(lam_[norms], 0.0, atol=1e-12)
    assert [name for name in system.row_names if name.endswith("|e| = 1")] == list(system.row_names[norms])
    np.testing.assert_allclose(system.energy(system.q0, system.v0, t), base.energy(q, v, t), rtol=1e-13)


def accelerations(system: Any, ask: Questions, t: float, q: Any, v: Any) -> tuple[Any, Any]:
    n, m = system.nv, system.m
    M, G = ask.mass(t, q, v), ask.G(t, q, v)
    matrix = np.block([[M, G.T], [G, np.zeros((m, m))]])
    x = np.linalg.solve(
        matrix, -np.concatenate([ask.balance(t, q, v, np.zeros(n)), ask.acceleration(t, q, v, np.zeros(n))])
    )
    return x[:n], x[n:]


@pytest.mark.parametrize("choice", CHOICES[1:])
@pytest.mark.parametrize("name", ["free body", "heavy top", "two hinged"])
def test_equations_that_are_not_premultiplied(name: str, choice: Any) -> None:
    """(64) with its mass matrix that is not symmetric, and (60) with b − A Ẋ ẋ*, give the same
    accelerations."""
    system, ask, _ = compiled(name, choice)
    q, v, t = system.q0, system.v0, 0.2
    form = system.newton_euler(t, q, v)
    a, lam = accelerations(system, ask, t, q, v)
    n, m = system.nv, system.m
    assert np.abs(form.MX - form.MX.T).max() > 1e-3
    matrix = np.block([[form.MX, form.A.T], [form.AX, np.zeros((m, m))]])
    x = np.linalg.solve(matrix, np.concatenate([form.Q, form.b]))
    np.testing.assert_allclose(x[:n], a, atol=1e-9 * np.abs(a).max())
    np.testing.assert_allclose(x[n:], lam, atol=1e-10 * max(1.0, np.abs(lam).max(initial=0.0)))
    free = np.linalg.solve(form.MX, form.Q)
    eased = np.linalg.solve(form.MX, form.A.T)
    by_60 = free - eased @ np.linalg.pinv(form.AX @ eased) @ (form.AX @ free - form.b) if m else free
    np.testing.assert_allclose(by_60, a, atol=1e-9 * np.abs(a).max())
    np.testing.assert_allclose(form.X.T @ form.MX, ask.mass(t, q, v), atol=1e-12)
