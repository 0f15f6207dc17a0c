"""Displacement of second and temperature of first order in one run, both second order accurate."""

from __future__ import annotations

import numpy as np
import pytest

import isodyn as iso
from isodyn import problems
from isodyn.problems.thermoelastic_bar import assemble, energy_history
from isodyn.studies import order_study

ADAPTABLE = (iso.Scheme.V0(0.5, 1, 0.2), iso.Scheme.V0(0, 1, 0), iso.Scheme.optimal(0.5), iso.Scheme.V0(1, 1, 0))


@pytest.mark.parametrize("scheme", ADAPTABLE, ids=str)
def test_order(scheme: iso.Scheme) -> None:
    """In u and ∫θ, u' and θ, u'' and θ', over all of time and at n = 1 alone."""
    study = order_study(problems.get("thermoelastic_bar"), scheme, [0.02, 0.01, 0.005])
    rate, eps = 2.0, 0.1
    for quantity in ("q", "v", "a"):
        assert study.cases[0].order(quantity) == pytest.approx(rate, abs=eps)
        assert study.cases[0].order(f"{quantity}_1") >= 1.9


@pytest.mark.parametrize("scheme", ADAPTABLE, ids=str)
def test_heat_alone_is_the_first_order_system(scheme: iso.Scheme) -> None:
    """Without coupling, the rows of θ in the joined system give what the adapted scheme gives for C
    θ' + P θ = 0."""
    parts = assemble(6)
    n = parts.x.size
    theta0 = parts.x * (2 - parts.x)
    M, _, K = parts.whole
    C = np.zeros_like(M)
    C[n:, n:] = parts.P
    start = np.concatenate([np.zeros(n), theta0])
    joined = iso.integrate(iso.LinearSystem(M, C, K, None, np.zeros(2 * n), start), scheme, dt=0.05, t_end=2.0)
    alone = iso.integrate(iso.LinearFirstOrderSystem(parts.heat, parts.P, None, theta0), scheme, dt=0.05, t_end=2.0)
    assert np.abs(joined.v[:, n:] - alone.s).max() < 1e-13
    assert np.abs(joined.a[:, n:] - alone.sdot).max() < 1e-11


def test_energy_of_the_free_bar_falls() -> None:
    """Left to itself, the bar loses energy in every step, by what conduction takes."""
    problem = problems.get("thermoelastic_bar")
    sol = iso.integrate(problem.system(loads=0), iso.Scheme.V0(1, 1, 1), dt=0.005, t_end=5.0)
    E = energy_history(sol)
    assert np.diff(E).max() < 0.0
    theta, P = sol.v[:, 8:], assemble(8).P
    power = np.einsum("ki,ij,kj->k", theta, P, theta)
    assert E[0] - E[-1] == pytest.approx(np.trapezoid(power, sol.t), rel=1e-3)
