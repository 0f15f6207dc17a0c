"""Chaplygin's sleigh: its closed form against quadrature, against runs, and what it keeps."""

from __future__ import annotations

import math

import numpy as np
import pytest
from scipy.integrate import quad

import isodyn as iso
from isodyn import problems
from isodyn.errors import InputError
from isodyn.problems.chaplygin_sleigh import MASS
from isodyn.studies import errors_of, order_study

SLEIGH = problems.get("chaplygin_sleigh")
CASES = [{}, {"a": -0.25, "u0": 0.6, "omega0": -2.0}, {"a": 1.2, "u0": -2.0, "omega0": 0.1}]


@pytest.mark.parametrize("parameters", CASES)
def test_adaptive_steps_find_the_closed_form(parameters: dict[str, float]) -> None:
    """q, v, a and λ to 1e-9; the blade does not slip, the energy stays."""
    sol = iso.integrate_adaptive(SLEIGH.system(**parameters), t_end=5.0, rtol=1e-11, atol=1e-13)
    exact = SLEIGH.exact(sol.t, **parameters)
    assert exact is not None
    found = errors_of(sol, exact.q, exact.v, exact.a, exact.lam)
    assert max(found.q, found.v, found.a, found.lam) < 1e-9
    assert max(sol.drift().largest) < 1e-13
    kept = SLEIGH.invariants(sol)
    assert kept is not None
    assert np.ptp(kept["energy"]) < 1e-10


def test_the_path_is_the_integral_of_the_velocity() -> None:
    """By adaptive quadrature of the closed form of v."""
    for t_end in (0.7, 5.0):
        exact = SLEIGH.exact(np.array(t_end))
        assert exact is not None
        for i in range(2):
            length = quad(lambda t, i=i: float(SLEIGH.exact(np.array(t)).v[i]), 0.0, t_end, epsabs=1e-13, epsrel=1e-12)[
                0
            ]  # type: ignore[union-attr]
            assert abs(exact.q[i] - length) < 1e-11


def test_it_ends_running_straight_with_the_blade_behind() -> None:
    """All energy goes into u, the heading turns by (J/a)(π/2 − gd s₀)."""
    p = SLEIGH.parameters
    J = math.sqrt(MASS[2] / MASS[0] + p["a"] ** 2)
    s0 = math.asinh(p["u0"] / (J * p["omega0"]))
    exact = SLEIGH.exact(np.array(60.0))
    assert exact is not None
    assert abs(np.hypot(*exact.v[:2]) - math.hypot(p["u0"], J * p["omega0"])) < 1e-12
    assert abs(exact.q[2] - p["theta0"] - J / p["a"] * (0.5 * math.pi - math.atan(math.sinh(s0)))) < 1e-9


def test_second_order_with_fixed_steps() -> None:
    """q, v, a and λ, default formulation."""
    case = order_study(SLEIGH, iso.Scheme.optimal(0.5), [0.02, 0.01, 0.005], t_end=2.0).cases[0]
    for quantity in ("q", "v", "a", "lam"):
        assert abs(case.order(quantity) - 2.0) < 0.1


@pytest.mark.parametrize("name", ["a", "omega0"])
def test_parameters_without_a_formula_are_refused(name: str) -> None:
    """The closed form divides by them."""
    with pytest.raises(InputError, match="a and omega0 must not be zero"):
        SLEIGH.system(**{name: 0.0})
