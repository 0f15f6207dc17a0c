"""Implicit systems refuse what they cannot mean, and say why."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest

import isodyn as iso


def test_inconsistent_start_names_the_chain_of_ranks() -> None:
    """x0 must satisfy what has no algebraic unknown to give way: here x₁ = sin t and its rate."""
    system = iso.ImplicitSystem(
        lambda t, x, rate: np.array([rate[0] - x[1], x[0] - np.sin(t) - 1.0]), [0.0, 1.0], names=("a", "b")
    )
    with pytest.raises(iso.errors.InputError, match=r"the start violates[^\n]*\n.*index 2 \(ranks 1, 2 of 2\)"):
        iso.integrate(system, dt=0.1, t_end=1.0)


def test_index_above_two_is_refused() -> None:
    """A chain x₁' = x₂, x₂' = x₃, x₁ = sin t has index 3 in z = (x₁', x₂', x₃) too."""

    def F(t: float, x: Any, rate: Any) -> Any:
        return np.array([rate[0] - x[1], rate[1] - x[2], rate[2] - x[3], x[0] - np.sin(t)])

    with pytest.raises(iso.errors.SingularError, match="not even after 2 differentiations: the ranks are"):
        iso.integrate(iso.ImplicitSystem(F, [0.0, 1.0, 0.0, -1.0]), dt=0.1, t_end=1.0)


def test_no_rates() -> None:
    with pytest.raises(iso.errors.InputError, match="no rate x' appears"):
        iso.ImplicitSystem(lambda t, x, rate: x - t, [0.0])
    with pytest.raises(iso.errors.InputError, match="no rate x' appears"):
        iso.ImplicitSystem.from_mass(np.zeros((2, 2)), lambda x, t: x - t, [0.0, 0.0])


def test_rates_that_appear_later() -> None:
    """The second rate appears where x₁ > 3, far beyond what is looked at before the run."""

    def F(t: float, x: Any, rate: Any) -> Any:
        return np.array([rate[0] - 1.0, x[1] - x[0] + max(x[0] - 3.0, 0.0) ** 2 * rate[1]])

    system = iso.ImplicitSystem(F, [0.0, 0.0])
    with pytest.raises(iso.errors.IsodynError, match="another null space at t = 3") as caught:
        iso.integrate(system, dt=0.05, t_end=10.0)
    assert caught.value.partial.t[-1] > 2.9


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ((lambda t, x, rate: rate[:1], [0.0, 1.0]), "F returned shape"),
        ((lambda t, x, rate: rate, [0.0, 1.0], [1.0]), "xdot0 must have as many components as x0, 2, received 1"),
        ((lambda t, x, rate: rate, []), "no unknowns"),
        ((3.0, [0.0]), "F must be a function"),
    ],
)
def test_wrong_arguments(arguments: Any, message: str) -> None:
    with pytest.raises(iso.errors.IsodynError, match=message):
        iso.ImplicitSystem(*arguments)


def test_not_finite_at_the_start() -> None:
    """NumPy's own error came out of the decomposition here."""
    with pytest.raises(iso.errors.NonFiniteError, match="F is not finite at the start, t = 0"):
        iso.ImplicitSystem(lambda t, x, rate: rate * np.nan, [1.0])


def test_wrong_matrix() -> None:
    with pytest.raises(iso.errors.InputError, match=r"B must have shape \(2, 2\), received \(3, 3\)"):
        iso.ImplicitSystem.from_mass(np.eye(3), lambda x, t: -x, [0.0, 1.0])


def test_x_is_for_implicit_systems() -> None:
    sol = iso.integrate(iso.FirstOrderSystem(lambda s, t: -s, [1.0]), dt=0.1, t_end=0.2)
    with pytest.raises(iso.errors.InputError, match="`x` belongs to implicit systems; this is a solution of a First"):
        _ = sol.x


def test_overflow_at_states_that_nobody_visits_is_no_error() -> None:
    """A diode: increments of differences reach voltages at which `math.exp` raises."""

    def F(t: float, x: Any, rate: Any) -> Any:
        return np.array([1e-3 * rate[0] - x[1], x[0] + 100.0 * x[1] + 1e-9 * (math.exp(x[1] / 1e-4) - 1.0) - t])

    sol = iso.integrate(iso.ImplicitSystem(F, [0.0, 0.0]), dt=1e-3, t_end=0.05)
    assert abs(F(sol.t[-1], sol.x[-1], sol.xdot[-1])).max() < 1e-12
