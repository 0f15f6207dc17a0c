"""Implicit systems F(t, x, x') = 0 and B x' = f(x, t) with singular B are second order in x and x'
at every saved time, of index 0, 1 and 2, with constant and with varying null space of ∂F/∂x'."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
import pytest

import isodyn as iso

Pair = tuple[Any, Any]


@dataclass(frozen=True)
class Case:
    """A system with its exact solution (x, x')."""

    system: Callable[[], iso.ImplicitSystem]
    exact: Callable[[float], Pair]
    index: str
    steps: int = 40


def cubed(t: float, x: Any, rate: Any) -> Any:
    load = np.cos(t) ** 3 + np.cos(t) + np.sin(t) - np.sin(t) ** 2
    return np.array([rate[0] ** 3 + rate[0] + x[0] - x[1] - load, x[1] - x[0] ** 2])


def turning(t: float, x: Any, rate: Any) -> Any:
    """The null space of ∂F/∂x' is (−t, 1): it turns."""
    return np.array([rate[0] + t * rate[1] - np.cos(t) + t * np.exp(-t), x[0] + t * x[1] - np.sin(t) - t * np.exp(-t)])


def implicit_ode(t: float, x: Any, rate: Any) -> Any:
    return np.array([rate[0] + 0.2 * rate[0] ** 3 + x[0] - np.cos(t) - 0.2 * np.cos(t) ** 3 - np.sin(t)])


RATES = -np.arange(1.0, 6.0)
DIVERGENCE = np.random.default_rng(3).standard_normal((2, 5))
FREE = np.linalg.svd(DIVERGENCE)[2][2:].T


def stokes_exact(t: float) -> Pair:
    """Velocities without divergence and pressures that nobody differentiated."""
    u, u_rate = FREE @ [np.sin(t), np.cos(2 * t), np.exp(-t)], FREE @ [np.cos(t), -2 * np.sin(2 * t), -np.exp(-t)]
    p, p_rate = [np.sin(3 * t), np.cos(t)], [3 * np.cos(3 * t), -np.sin(t)]
    return np.concatenate([u, p]), np.concatenate([u_rate, p_rate])


def stokes_right(x: Any, t: float) -> Any:
    (exact, rate), u, p = stokes_exact(t), x[:5], x[5:]
    load = rate[:5] - RATES * exact[:5] + DIVERGENCE.T @ exact[5:]
    return np.concatenate([RATES * u - DIVERGENCE.T @ p + load, DIVERGENCE @ u])


MIX = np.random.default_rng(7).standard_normal((2, 4, 4))


def pencil_exact(t: float) -> Pair:
    return np.array([np.sin(t), np.exp(-t), t**2, np.cos(3 * t)]), np.array(
        [np.cos(t), -np.exp(-t), 2 * t, -3 * np.sin(3 * t)]
    )


def pencil(rank: int = 2) -> iso.ImplicitSystem:
    """B x' + A x = c(t) with a regular pencil whose B has a null space that is no component."""
    left, right = MIX
    B, A = left @ np.diag([1.0] * rank + [0.0] * (4 - rank)) @ right, left @ right
    return iso.ImplicitSystem.from_mass(
        B, lambda x, t: B @ pencil_exact(t)[1] + A @ (pencil_exact(t)[0] - x), pencil_exact(0.0)[0]
    )


def WAVE(t: float) -> Pair:
    return (np.array([np.sin(t), np.sin(t) ** 2]), np.array([np.cos(t), np.sin(2 * t)]))


def slope_of(t: float, x: Any, rate: Any) -> Any:
    """x₁' = x₂ with x₁ given: x₂ and its rate are derivatives that nobody wrote down."""
    return np.array([rate[0] - x[1], x[0] - np.sin(t)])


def on_a_circle(t: float, x: Any, rate: Any) -> Any:
    """The constraint bends, and the algebraic unknown enters by its square."""
    a, b, z = x
    off = 3.0 * (z - np.exp(-t / 2)) - (z**2 - np.exp(-t))
    return np.array([rate[0] + b - off * a, rate[1] - a - off * b, a * a + b * b - 1.0])


def mixed(t: float, x: Any, rate: Any) -> Any:
    """Rows of index 1 and 2, in combinations that turn with the state."""
    a, b, z, w = x
    rows = [rate[0] + b - (z - np.cos(2 * t)) * a, rate[1] - a - (z - np.cos(2 * t)) * b]
    rows += [a * a + b * b - 1.0, w - z * a - t]
    turned = np.eye(4)
    turned[2, 3], turned[3, 2], turned[0, 2] = b, 1.0 + a, 0.3 * t
    return turned @ rows


def circle_exact(t: float, *more: Pair) -> Pair:
    x, rate = zip(*more, strict=True)
    return np.r_[np.cos(t), np.sin(t), x], np.r_[-np.sin(t), np.cos(t), rate]


def mixed_exact(t: float) -> Pair:
    z, z_rate = np.cos(2 * t), -2 * np.sin(2 * t)
    return circle_exact(t, (z, z_rate), (z * np.cos(t) + t, z_rate * np.cos(t) - z * np.sin(t) + 1.0))


STOKES_B = np.diag([1.0] * 5 + [0.0] * 2)
CASES = {
    "x₁' = x₂, x₁ given": Case(
        lambda: iso.ImplicitSystem(slope_of, [0.0, 1.0]),
        lambda t: (np.array([np.sin(t), np.cos(t)]), np.array([np.cos(t), -np.sin(t)])),
        "index 2",
        10,
    ),
    "on a circle": Case(
        lambda: iso.ImplicitSystem(on_a_circle, [1.0, 0.0, 1.0]),
        lambda t: circle_exact(t, (np.exp(-t / 2), -0.5 * np.exp(-t / 2))),
        "index 2",
        10,
    ),
    "rows of index 1 and 2 that turn": Case(
        lambda: iso.ImplicitSystem(mixed, [1.0, 0.0, 1.0, 0.5]), mixed_exact, "index 2"
    ),
    "fully implicit, index 1": Case(lambda: iso.ImplicitSystem(cubed, [0, 0.3], [1.0, 0]), WAVE, "index 1"),
    "an ODE in disguise": Case(
        lambda: iso.ImplicitSystem(implicit_ode, [0.0], [1.0]),
        lambda t: (np.array([np.sin(t)]), np.array([np.cos(t)])),
        "index 1",
    ),
    "turning null space": Case(
        lambda: iso.ImplicitSystem(turning, [0, 1.0], [1.0, -1.0]),
        lambda t: (np.array([np.sin(t), np.exp(-t)]), np.array([np.cos(t), -np.exp(-t)])),
        "index 3",
    ),
    "singular pencil": Case(pencil, pencil_exact, "index 1"),
    "Stokes, index 2": Case(
        lambda: iso.ImplicitSystem.from_mass(STOKES_B, stokes_right, np.r_[stokes_exact(0)[0][:5], 0.0, 0.0]),
        stokes_exact,
        "index 2",
    ),
    "Stokes as F": Case(
        lambda: iso.ImplicitSystem(
            lambda t, x, rate: STOKES_B @ rate - stokes_right(x, t), np.r_[stokes_exact(0)[0][:5], 0.0, 0.0]
        ),
        stokes_exact,
        "index 2",
    ),
    "Stokes with B(x, t)": Case(
        lambda: iso.ImplicitSystem.from_mass(
            lambda x, t: (1.0 + t) * STOKES_B,
            lambda x, t: stokes_right(x, t) + t * STOKES_B @ stokes_exact(t)[1],
            np.r_[stokes_exact(0)[0][:5], 0.0, 0.0],
        ),
        stokes_exact,
        "index 2",
    ),
}


@pytest.mark.slow
@pytest.mark.parametrize("name", CASES)
def test_second_order_in_x_and_its_rate(name: str) -> None:
    case = CASES[name]
    system = case.system()
    assert str(iso.analysis.index(system)).startswith(case.index)
    errors = []
    for steps in (case.steps, 2 * case.steps):
        sol = iso.integrate(system, dt=1.6 / steps, t_end=1.6)
        x, rate = (np.array(rows) for rows in zip(*map(case.exact, sol.t), strict=True))
        errors.append([np.abs(sol.x - x).max(), np.abs(sol.xdot - rate).max()])
    slopes = np.log2(np.array(errors[-2]) / errors[-1])
    exact = np.array(errors[-1]) < 1e-10  # the turning one fixes x by its rows alone
    assert (exact | (np.abs(slopes - 2.0) < 0.1)).all(), (slopes, errors)


def test_rates_of_index_2_are_good_in_the_first_rows() -> None:
    """They were slopes of the saved rows, wrong by 3e-3 here, where x is good to 2e-5."""
    sol = iso.integrate(iso.ImplicitSystem(slope_of, [0.0, 1.0]), dt=0.01, t_end=0.05)
    assert np.abs(sol.x[:, 1] - np.cos(sol.t)).max() < 2e-5
    assert np.abs(sol.xdot[:, 1] + np.sin(sol.t)).max() < 1e-8
    few = iso.integrate(iso.ImplicitSystem(slope_of, [0.0, 1.0]), dt=0.01, t_end=0.05, save_every=5)
    assert np.abs(few.xdot[:, 1] + np.sin(few.t)).max() < 1e-8  # two rows only


@pytest.mark.parametrize(
    "scheme", [iso.Scheme.optimal(0.0), iso.Scheme.optimal(1.0), iso.Scheme.V0(0.3, 1, 0.3)], ids=lambda s: s.name
)
def test_members_of_the_family(scheme: iso.Scheme) -> None:
    system, errors = CASES["fully implicit, index 1"].system(), []
    for steps in (40, 80, 160):
        sol = iso.integrate(system, scheme, dt=1.6 / steps, t_end=1.6)
        x, rate = (np.array(rows) for rows in zip(*map(WAVE, sol.t), strict=True))
        errors.append([np.abs(sol.x - x).max(), np.abs(sol.xdot - rate).max()])
    assert np.abs(np.log2(np.array(errors[-2]) / errors[-1]) - 2.0).max() < 0.1


def test_equations_hold_at_every_saved_time() -> None:
    sol = iso.integrate(CASES["fully implicit, index 1"].system(), dt=0.02, t_end=1.0)
    residuals = [cubed(t, x, rate) for t, x, rate in zip(sol.t, sol.x, sol.xdot, strict=True)]
    assert np.abs(residuals).max() < 1e-9
