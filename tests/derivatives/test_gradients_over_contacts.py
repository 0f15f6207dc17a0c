"""Adjoints go back over impacts, closed contacts, openings, sliding and the end of slip: they agree with
tangents of the same run, whatever is kept of it, and integrals over jumps with closed forms."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import isodyn as iso
from isodyn.errors import InputError, SensitivityError
from touching_systems import ball, block, bounced, hill, plate, stopped_four_bar, swinging, thrown

BOUND = 1e-11

CASES: dict[str, tuple[Any, dict[str, float], dict[str, Any]]] = {
    "Poisson's law": (ball, {"g": 9.81, "h": 1.0, "e": 0.7}, {"dt": 0.04, "t_end": 1.3}),
    "Newton's law, adaptive": (
        ball,
        {"g": 9.81, "h": 1.0, "e": 0.7},
        {"dt": iso.Adaptive(rtol=1e-4), "t_end": 1.3, "impacts": iso.Impacts(law="newton")},
    ),
    "slip that ends": (block, {"g": 9.81, "mu": 0.3, "v": 2.0, "slope": 0.2}, {"dt": 0.02, "t_end": 0.7}),
    "a hinge with a stop": (swinging, {"high": 0.4, "e": 0.6, "m": 1.0}, {"dt": 0.02, "t_end": 1.2}),
    "impacts that stick": (
        thrown,
        {"mu": 0.5, "e": 0.5, "speed": 3.0, "spin": 2.0},
        {"dt": 0.02, "t_end": 0.6, "scheme": iso.Scheme.U0(0.8, 0.8, 0.8)},
    ),
    "sliding in space": (thrown, {"mu": 0.05, "speed": 3.0, "spin": 2.0, "e": 0.0}, {"dt": 0.02, "t_end": 0.6}),
    "opening": (hill, {"r": 1.0, "g": 9.81}, {"dt": 0.02, "t_end": 0.6}),
    "redundant rows": (stopped_four_bar, {"high": 0.05, "e": 0.5}, {"dt": 0.01, "t_end": 0.6}),
}


@pytest.mark.parametrize("case", CASES)
def test_adjoint_is_the_transposed_tangent(case: str) -> None:
    build, values, run = CASES[case]
    family, names = iso.Parametrised(build, **values), [name for name in values if values[name] != 0.0]
    sol = iso.integrate(family, sensitivities=names, **run)
    n, rng = sol.v.shape[1], np.random.default_rng(2)
    of_v, of_a = rng.uniform(0.5, 1.5, n), 0.01 * rng.uniform(0.5, 1.5, n)

    def output(found: Any) -> Any:
        return found.v @ of_v + found.a @ of_a

    at = [(float(sol.t[k]), output) for k in (3, sol.t.size // 2)]
    for checkpoints in (None, 8):
        objective = iso.Objective(end=output, at=at)
        found = iso.gradient(family, objective=objective, parameters=names, checkpoints=checkpoints, **run)
        for name in names:
            one, size = sol.sensitivity(name), 0.0
            exact = sum((one.v @ of_v + one.a @ of_a)[k] for k in (3, sol.t.size // 2, -1))
            for k in (3, sol.t.size // 2, -1):
                size += float(np.abs(one.v[k]) @ of_v + np.abs(one.a[k]) @ of_a)
            assert abs(found[name] - exact) <= BOUND * size, (name, checkpoints)


def squared_speed(g: Any, h: Any, e: Any, t: float) -> Any:
    """∫ v² dt of a ball that fell from h."""
    v = np.sqrt(2.0 * g * h)
    left, total, v = t - v / g, v**3 / (3.0 * g), e * v
    while (2.0 * v / g - left).real < 0.0:
        left, total, v = left - 2.0 * v / g, total + 2.0 * v**3 / (3.0 * g), e * v
    return total + (v**3 - (v - g * left) ** 3) / (3.0 * g)


@pytest.mark.parametrize("by_event", [False, True])
def test_integrals_over_jumps(by_event: bool) -> None:
    """The integrand jumps, and when it does so depends on parameters."""
    given: dict[str, Any] = {"g": 9.81, "h": 1.0}
    family, more = iso.Parametrised(lambda g, h: ball(g, h, 0.7), **given), {}
    if by_event:
        family = iso.Parametrised(lambda g, h: iso.MechanicalSystem(1.0, lambda q, v, t: [-g], [h], [0.0]), **given)
        bounce = iso.Event(lambda t, q, v: q[0], direction=-1, action=lambda s: s._replace(v=-0.7 * s.v))
        more = {"events": [bounce]}
    goal, errors = iso.Objective(integral=lambda sol: sol.v[:, 0] ** 2), []
    for dt in (0.02, 0.01):
        found = iso.gradient(family, dt=dt, t_end=1.3, objective=goal, parameters=["g", "h"], **more)
        exact = [squared_speed(**{**given, name: given[name] + 1e-20j}, e=0.7, t=1.3).imag / 1e-20 for name in given]
        errors.append(found.gradient / exact - 1.0)
        assert found.value == pytest.approx(squared_speed(9.81, 1.0, 0.7, 1.3), rel=40.0 * dt**2)
        assert found["h"] == pytest.approx(exact[1], rel=1e-9)
    assert abs(errors[0][0]) < 8e-3  # of the trapezoidal rule
    assert errors[0][0] / errors[1][0] == pytest.approx(4.0, rel=0.02)


def test_contacts_that_close_together() -> None:
    """Adjoints of the times of closing tell whether they stay together."""
    family = iso.Parametrised(plate, h=1.0, tilt=0.0)
    run: dict[str, Any] = {"dt": 0.04, "t_end": 0.7, "objective": lambda sol: sol.q[:, 0]}
    exact = bounced(9.81, 1.0 + 1e-20j, 0.5, 0.7).imag[0] / 1e-20
    assert iso.gradient(family, parameters=["h"], **run)["h"] == pytest.approx(exact, rel=1e-10)
    for checkpoints in (None, 20):
        with pytest.raises(SensitivityError, match=r"'contact 0', 'contact 1' close together at t = 0\.451"):
            iso.gradient(family, parameters=["h", "tilt"], checkpoints=checkpoints, **run)


def test_refusals() -> None:
    family = iso.Parametrised(ball, g=9.81, h=1.0, e=0.5)
    run: dict[str, Any] = {"dt": 0.01, "objective": lambda s: s.q[:, 0], "parameters": ["g"]}
    with pytest.raises(SensitivityError, match="bounces ever faster"):
        iso.gradient(family, t_end=4.0, **run)
    with pytest.raises(SensitivityError, match="events beside contacts"):
        iso.gradient(family, t_end=0.6, events=iso.Event(lambda t, q, v: q[0] - 0.5), **run)
    free = iso.Parametrised(lambda g: iso.MechanicalSystem(1.0, lambda q, v, t: [-g], [1.0], [0.0]), g=9.81)
    with pytest.raises(InputError, match="impacts are for systems with gaps"):
        iso.gradient(free, t_end=0.6, impacts=iso.Impacts(), **run)
