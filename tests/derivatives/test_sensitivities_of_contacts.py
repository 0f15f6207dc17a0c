"""Derivatives through impacts, closed contacts, openings, sliding and the end of slip: against closed
forms, and against differences of whole runs. What has no derivative is refused with the reason."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import isodyn as iso
from isodyn.errors import SensitivityError
from touching_systems import (
    GRAVITY,
    ball,
    block,
    bounced,
    hill,
    plate,
    pulled,
    spun,
    swinging,
    thrown,
    way_of_pulled,
)


@pytest.mark.parametrize("law", ["poisson", "newton"])
@pytest.mark.parametrize("dt", [0.01, iso.Adaptive(rtol=1e-4)])
def test_a_bouncing_ball_is_exact(law: Any, dt: Any) -> None:
    given = {"g": GRAVITY, "h": 1.0, "e": 0.7}
    family = iso.Parametrised(ball, **given)
    sol = iso.integrate(family, dt=dt, t_end=1.3, sensitivities=list(given), impacts=iso.Impacts(law=law))
    for name in given:
        exact = bounced(**{**given, name: given[name] + 1e-20j}, t=1.3).imag / 1e-20
        found = sol.sensitivity(name)
        assert np.allclose([found.q[-1, 0], found.v[-1, 0]], exact, rtol=1e-9, atol=1e-10)


def test_a_moving_floor() -> None:
    """A ball that hits a floor which rises: e and the speed of the floor."""

    def falling(w: float, e: float) -> iso.MechanicalSystem:
        given: Any = {"gap": lambda q, t: q - w * t, "gap_q": lambda q, t: np.ones((1, 1)), "restitution": e}
        return iso.MechanicalSystem(1.0, lambda q, v, t: [-GRAVITY], [1.0], [0.0], **given)

    def reached(w: Any, e: Any) -> Any:
        t = (-w + np.sqrt(w * w + 2.0 * GRAVITY)) / GRAVITY
        u, left = w + e * (w + GRAVITY * t), 0.7 - t
        return np.array([w * t + u * left - 0.5 * GRAVITY * left**2, u - GRAVITY * left])

    sol = iso.integrate(iso.Parametrised(falling, w=0.5, e=0.6), dt=0.01, t_end=0.7, sensitivities=["w", "e"])
    for name, exact in (("w", reached(0.5 + 1e-20j, 0.6)), ("e", reached(0.5, 0.6 + 1e-20j))):
        found = sol.sensitivity(name)
        assert np.allclose([found.q[-1, 0], found.v[-1, 0]], exact.imag / 1e-20, rtol=1e-9)


def test_a_block_slides_up_an_incline_and_stays() -> None:
    """Its way is v²/(2g(μ cos α + sin α)), and the derivative of its normal force m g cos α."""
    given = {"g": GRAVITY, "mu": 0.3, "v": 2.0, "slope": 0.2}
    family = iso.Parametrised(block, **given)
    sol = iso.integrate(family, dt=0.01, t_end=0.7, save_every=5, sensitivities=list(given))
    for name in given:
        x: Any = {**given, name: given[name] + 1e-20j}
        way = x["v"] ** 2 / (2.0 * x["g"] * (x["mu"] * np.cos(x["slope"]) + np.sin(x["slope"])))
        found = sol.sensitivity(name)
        assert found.q[-1, 0] == pytest.approx(way.imag / 1e-20, rel=1e-8)
        assert abs(found.v[-1, 0]) < 1e-9
        push = 2.0 * x["g"] * np.cos(x["slope"])
        assert found.contact_normals[-1, 0] == pytest.approx(push.imag / 1e-20, rel=1e-9, abs=1e-9)


def differences(family: Any, name: str, **run: Any) -> Any:
    """d(q, v)/dθ at the end by runs at four other values."""
    value, total = family.value(name), 0.0
    h = 1e-3 * max(abs(value), 0.1)
    for k, weight in ((1, 8.0), (-1, -8.0), (2, -1.0), (-2, 1.0)):
        sol = iso.integrate(family.with_values(**{name: value + k * h}), newton=iso.Newton(rtol=1e-13), **run)
        total = total + weight / (12.0 * h) * np.concatenate([sol.q[-1], sol.v[-1]])
    return total


def test_a_pendulum_against_a_stop_is_of_second_order() -> None:
    """Impacts of a hinged body; rates stand for the derivatives of cut steps."""
    family, errors = iso.Parametrised(swinging, high=0.4, e=0.6, m=1.0), []
    for dt in (0.02, 0.01):
        run = {"dt": dt, "t_end": 1.2}
        sol = iso.integrate(family, sensitivities=["high", "e", "m"], **run)
        assert len(sol.contact("stop").impacts) == 4
        for name in ("high", "e", "m"):
            exact, found = differences(family, name, **run), sol.sensitivity(name)
            both = np.concatenate([found.q[-1], found.v[-1]])
            errors.append(float(np.abs(both - exact).max() / np.abs(exact).max()))
    assert max(errors[3:]) < 6e-4
    assert all(coarse / fine > 3.2 for coarse, fine in zip(errors[:3], errors[3:], strict=True))


def test_numbers_of_contacts_have_names() -> None:
    sol = iso.integrate(swinging(0.4, 0.6, 1.0), dt=0.01, t_end=0.6, sensitivities=["stop.restitution", "stop.high"])
    other = iso.integrate(
        iso.Parametrised(swinging, high=0.4, e=0.6, m=1.0), dt=0.01, t_end=0.6, sensitivities=["e", "high"]
    )
    for name, same in (("stop.restitution", "e"), ("stop.high", "high")):
        assert np.allclose(sol.sensitivity(name).v[-1], other.sensitivity(same).v[-1], rtol=1e-10, atol=1e-12)
    with pytest.raises(iso.errors.InputError, match=r"no number 'stop.bounce'(.|\n)*restitution"):
        iso.integrate(swinging(0.4, 0.6, 1.0), dt=0.01, t_end=0.1, sensitivities=["stop.bounce"])


@pytest.mark.parametrize(("mu", "e", "tol"), [(0.5, 0.5, 1e-8), (0.05, 0.5, 1e-8), (0.05, 0.0, 2e-5)])
def test_a_ball_with_spin_in_space(mu: float, e: float, tol: float) -> None:
    """It sticks or slides in its impacts; without restitution it slides along the floor then."""
    family, run = iso.Parametrised(thrown, mu=mu, e=e, speed=3.0, spin=2.0), {"dt": 0.01, "t_end": 0.6}
    names = ["mu", "speed", "spin"] if e == 0.0 else ["mu", "e", "speed", "spin"]
    sol = iso.integrate(family, sensitivities=names, **run)
    for name in names:
        exact, found = differences(family, name, **run), sol.sensitivity(name)
        both = np.concatenate([found.q[-1], found.v[-1]])
        assert np.abs(both - exact).max() <= tol * max(float(np.abs(exact).max()), 1e-2)


def test_a_mass_leaves_a_round_hill() -> None:
    """It opens where cos α = (2 + v²/gr)/3, without an impact; the time of that shifts derivatives
    by second order."""
    sol = iso.integrate(iso.Parametrised(hill, r=1.0), dt=0.002, t_end=0.6, sensitivities=["r"])
    assert not sol.contact(0).closed[-1]
    found = sol.sensitivity("r")
    # of the angle and its rate by an integration to 1e-13, with the time of the opening
    assert np.allclose(found.q[-1], (0.19957786, 1.89113487), rtol=1e-3)
    assert np.allclose(found.v[-1], (0.55394314, 2.08453233), rtol=1e-3)


def test_sticking_and_slipping_under_a_sine() -> None:
    """Beside the derivative of the exact motion. Differences of runs are no reference: when slip begins
    moves from one step to the next, which leaves up to 28 % in them at this size of steps."""
    values = {"A": 15.0, "mu": 0.8, "m": 1.3}
    sol = iso.integrate(iso.Parametrised(pulled, **values), dt=0.01, t_end=1.2, sensitivities=list(values))
    assert abs(sol.q[-1, 0] - way_of_pulled(**values, t=1.2)) < 3e-4
    for name in values:
        complex_values = {key: x + 1e-20j * (key == name) for key, x in values.items()}
        exact = way_of_pulled(**complex_values, t=1.2).imag / 1e-20
        assert sol.sensitivity(name).q[-1, 0] == pytest.approx(exact, rel=1e-3), name


def test_forces_gaps_and_slips_of_contacts() -> None:
    """Of a ball that slides in two directions, by tangents and adjoints."""
    family, run = iso.Parametrised(spun, mu=0.2, mass=1.3, g=9.81), {"dt": 0.01, "t_end": 0.1}
    names = ["mu", "mass", "g"]
    sol = iso.integrate(family, sensitivities=names, **run)
    outputs = ["floor.normal", "floor.friction_1", "floor.friction_2", "floor.slip_1", "floor.gap"]

    def read(found: iso.Solution) -> Any:
        return np.array([found.quantity(name).values for name in outputs])

    for name in names:
        value, exact = family.value(name), 0.0
        for k, weight in ((1, 8.0), (-1, -8.0), (2, -1.0), (-2, 1.0)):
            other = family.with_values(**{name: value * (1 + 2e-3 * k)})
            exact = exact + weight * read(iso.integrate(other, newton=iso.Newton(rtol=1e-13), **run)) / (0.024 * value)
        found = np.array([sol.sensitivity(name).of(output) for output in outputs])
        assert np.abs(found - exact).max() <= 1e-9 * np.abs(exact).max()
    for output in outputs[:3]:
        by = iso.gradient(family, objective=iso.Objective(end=output, integral=output), parameters=names, **run)
        for name in names:
            each = sol.sensitivity(name).of(output)
            whole = each[-1] + np.trapezoid(each, sol.t)
            assert abs(by[name] - whole) <= 1e-9 * np.abs(each).max() + 1e-10


@pytest.mark.parametrize(
    ("more", "match"),
    [
        ({"t_end": 4.0}, "bounces ever faster(.|\n)*hint: end the run before"),
        ({"impacts": iso.Impacts(locate=False)}, "not located have no derivative"),
        ({"save": 5}, "do not go with save="),
        ({"events": iso.Event(lambda t, q, v: q[0] - 0.5)}, "events beside contacts"),
    ],
)
def test_what_has_no_derivative(more: Any, match: str) -> None:
    family = iso.Parametrised(ball, g=GRAVITY, h=1.0, e=0.5)
    with pytest.raises(SensitivityError, match=match):
        iso.integrate(family, **{"dt": 0.01, "t_end": 0.6, "sensitivities": ["g"], **more})


def test_a_restitution_of_zero_has_no_derivative() -> None:
    family = iso.Parametrised(ball, g=GRAVITY, h=1.0, e=0.0)
    sol = iso.integrate(family, dt=0.01, t_end=0.6, sensitivities=["g"])
    assert abs(sol.sensitivity("g").q[-1, 0]) < 1e-12
    with pytest.raises(SensitivityError, match="restitution of zero has no derivative"):
        iso.integrate(family, dt=0.01, t_end=0.6, sensitivities=["e"])


def test_contacts_that_close_together() -> None:
    """Two feet of a plate: a parameter that keeps them together has a derivative, one that does not
    has none."""

    family, run = iso.Parametrised(plate, h=1.0, tilt=0.0), {"dt": 0.01, "t_end": 0.7}
    found = iso.integrate(family, sensitivities=["h"], **run).sensitivity("h")
    exact = bounced(GRAVITY, 1.0 + 1e-20j, 0.5, 0.7).imag / 1e-20
    assert np.allclose([found.q[-1, 0], found.v[-1, 0]], exact, rtol=1e-7)
    with pytest.raises(SensitivityError, match=r"close together at t = 0\.451"):
        iso.integrate(family, sensitivities=["tilt"], **run)
