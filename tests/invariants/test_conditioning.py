"""Condition numbers of the matrix of a step: exponents in Δt as printed, bounds when scaled."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np
import pytest

import isodyn as iso
from isodyn import problems
from isodyn.analysis import condition_number, step_matrix
from isodyn.errors import InputError

LEVELS = {3: iso.PositionLevel(), 2: iso.VelocityLevel(), 1: iso.AccelerationLevel()}
SCHEMES = [iso.Scheme.optimal(0.5), iso.Scheme.V0(1, 1, 0), iso.Scheme.U0(1, 1, 0)]


def spring_on_a_rod(m: float, damping: float = 1e-3) -> iso.MechanicalSystem:
    """A point on a rod and a point on a damped spring from it: M, C_T, K_T and G are all there."""

    def Q(q: Any, v: Any, t: float) -> Any:
        d, rate = q[2:] - q[:2], v[2:] - v[:2]
        length = np.sqrt(d @ d)
        pull = (50.0 * (length - 0.7) + damping * (d @ rate) / length) * d / length
        return np.concatenate([pull, -pull])

    def phi(q: Any, t: float) -> Any:
        return np.array([0.5 * (q[0] ** 2 + q[1] ** 2 - 1.0)])

    return iso.MechanicalSystem(np.full(4, m), Q, [0.6, -0.8, 1.3, -1.1], [0.8, 0.6, 0.0, 0.5], phi=phi)


@pytest.mark.parametrize("scheme", SCHEMES, ids=str)
@pytest.mark.parametrize("form", [1, 2, 3])
@pytest.mark.parametrize("index", [3, 2, 1])
@pytest.mark.parametrize("m", [1e-3, 1.0, 1e3])
def test_exponents(scheme: iso.Scheme, form: int, index: int, m: float) -> None:
    """As printed Δt^−(index + form − 2), scaled Δt^−(form − 1), over the last decade down to
    1e-6."""
    system = spring_on_a_rod(m)
    for scaled, expected in ((False, index + form - 2), (True, form - 1)):
        coarse, fine = (
            condition_number(system, scheme, LEVELS[index], dt, form=form, scaled=scaled) for dt in (1e-5, 1e-6)
        )
        assert np.log10(fine / coarse) == pytest.approx(expected, abs=0.03)


@pytest.mark.parametrize("m", [1e-6, 1e-3, 1.0, 1e3])
def test_scaled_a_form_is_bounded_for_all_steps(m: float) -> None:
    """From 1e-1 to 1e-6 the largest condition number is that of M and G alone, within a factor of
    2; the level plays no part."""
    system, scheme = spring_on_a_rod(m), iso.Scheme.optimal(0.5)
    limit = condition_number(system, scheme, iso.VelocityLevel(), 1e-9, scaled=True)
    for dt in np.logspace(-1, -6, 6):
        found = {condition_number(system, scheme, level, dt, scaled=True) for level in LEVELS.values()}
        assert len(found) == 1
        assert found.pop() <= 2.0 * limit


def test_row_and_column_scaling_removes_all_growth() -> None:
    """What is left after equilibration does not depend on step, index or form: the growth is
    scaling and nothing else."""
    system, scheme = spring_on_a_rod(1.0), iso.Scheme.optimal(0.5)
    best = [
        step_matrix(system, scheme, level, dt, form=form).equilibrated().condition()
        for level in LEVELS.values()
        for form in (1, 2, 3)
        for dt in (1e-3, 1e-6)
    ]
    assert max(best) < 1.1 * min(best) < 10.0


def test_blocks_are_the_derivatives_of_the_step() -> None:
    """J₁₁ and J₂₁ of the printed matrix against differences of the residual of one step, a-form,
    index 2."""
    system, s, dt = spring_on_a_rod(0.7, damping=0.4), iso.Scheme.V0(0.3, 0.7, 0.1), 1e-4
    from isodyn.analysis.conditioning import start
    from isodyn.systems.questions import Questions

    ask = Questions(system)
    t, q, v, a, lam = start(system, ask)

    def balance(x: Any) -> Any:
        """Around the state itself, so that the derivative is taken there."""
        return ask.balance(0.0, q + s.W3L3 * dt**2 * x, v + s.W2L5 * dt * x, a + s.W1L6 * x, lam)

    def closure(x: Any) -> Any:
        return ask.velocity(0.0, q + s.l3 * dt**2 * x, v + s.l5 * dt * x)

    matrix = step_matrix(system, s, iso.VelocityLevel(), dt)
    h = 1.0
    for got, function in ((matrix.J_11, balance), (matrix.J_21, closure)):
        differences = np.column_stack([(function(h * e) - function(-h * e)) / (2 * h) for e in np.eye(4)])
        np.testing.assert_allclose(got, differences, rtol=1e-6, atol=1e-7 * np.abs(differences).max())
    np.testing.assert_allclose(matrix.inverse() @ matrix.whole, np.eye(5), atol=1e-9)
    assert t == 0.0


def test_scaling_is_what_the_step_uses() -> None:
    """At Δt = 1e-7 position level still converges: 1e14 as printed, of order one as it is
    solved."""
    problem = problems.get("pendulum")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        sol = iso.integrate(problem.system(), iso.Scheme.optimal(0.5), iso.PositionLevel(), dt=1e-7, t_end=1e-5)
    assert sol.stats.halvings == 0
    assert sol.drift().largest[0] < 1e-15


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"form": 4}, "form must be 1"),
        ({"dt": 0.0}, "dt must be positive"),
        ({"scheme": iso.Scheme.U0(1, 1, 0, explicit=True), "form": 3}, "d-form needs"),
        ({"system": problems.get("kepler").system()}, "holonomic constraints"),
        ({"system": problems.get("knife_edge").system()}, "holonomic constraints"),
    ],
)
def test_refusals(change: dict[str, Any], message: str) -> None:
    """What has no such matrix is named."""
    given: dict[str, Any] = {
        "system": spring_on_a_rod(1.0),
        "scheme": SCHEMES[0],
        "formulation": iso.PositionLevel(),
        "dt": 0.1,
    }
    with pytest.raises(InputError, match=message):
        condition_number(**{**given, **change})
