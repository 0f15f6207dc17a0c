"""Derivatives of `@njit` rows that are missing come from differences in compiled code: as many digits
as sixth order allows, with steps that suit the function, and no Python in the loop."""

from __future__ import annotations

import math
from functools import cache

import numpy as np
import pytest
from numba import njit

import isodyn as iso
from isodyn.systems.model import Callback
from isodyn.systems.questions import Questions

STATE = np.array([0.6, -0.3, 0.2]), np.array([0.4, 1.1, -0.7]), np.array([-1.0, 0.3, 2.0])


def phi(q, t):
    return np.array([np.sin(q[0]) * q[1] + q[2] - 0.1 * np.cos(2.0 * t), q @ q - 0.5 - 0.1 * t * q[0]])


def G(q, t):
    return np.array([[np.cos(q[0]) * q[1], np.sin(q[0]), 1.0], [2.0 * q[0] - 0.1 * t, 2.0 * q[1], 2.0 * q[2]]])


def phi_t(q, t):
    return np.array([0.2 * np.sin(2.0 * t), -0.1 * q[0]])


def b(q, v, t):
    first = -np.sin(q[0]) * q[1] * v[0] ** 2 + 2.0 * np.cos(q[0]) * v[0] * v[1] + 0.4 * np.cos(2.0 * t)
    return -np.array([first, 2.0 * (v[0] ** 2 + v[1] ** 2 + v[2] ** 2) - 0.2 * v[0]])


def psi(q, v, t):
    return np.array([v[0] * np.sin(q[1]) - v[1] * np.cos(q[1]) + 0.3 * t * v[2] ** 2])


def psi_v(q, v, t):
    return np.array([[np.sin(q[1]), -np.cos(q[1]), 0.6 * t * v[2]]])


def psi_rest(q, v, t):
    return np.array([(v[0] * np.cos(q[1]) + v[1] * np.sin(q[1])) * v[1] + 0.3 * v[2] ** 2])


def Q(q, v, t):
    return np.array([-q[0], -9.81, -0.1 * v[2]])


compiled = cache(njit)  # each function once: what is made of the same ones is shared


def plain(f):
    return f


def system(wrap, q0=STATE[0], v0=(0.0, 0.0, 0.0), **functions):
    given = {name: wrap(function) for name, function in functions.items()}
    return iso.MechanicalSystem(np.eye(3), wrap(Q), q0, v0, **given)


@pytest.mark.parametrize("wrap", [compiled, plain], ids=["njit", "plain"])
def test_digits_of_differences(wrap):
    """G, φ̇, ψ_v, ψ̇ to 1e-12, b to 1e-10: three digits more than central differences leave."""
    q, v, a = STATE
    exact = Questions(system(plain, phi=phi, G=G, b=b, phi_t=phi_t, psi=psi, psi_v=psi_v, psi_rest=psi_rest))
    found = Questions(system(wrap, phi=phi, psi=psi))
    for t in (0.3, 40.0):
        np.testing.assert_allclose(found.G(t, q, v), exact.G(t, q, v), rtol=0, atol=1e-12)
        np.testing.assert_allclose(found.velocity(t, q, v), exact.velocity(t, q, v), rtol=0, atol=1e-11)
        np.testing.assert_allclose(found.acceleration(t, q, v, a), exact.acceleration(t, q, v, a), rtol=0, atol=3e-9)
        np.testing.assert_allclose(
            found.balance(t, q, v, a, np.ones(3)), exact.balance(t, q, v, a, np.ones(3)), rtol=0, atol=1e-11
        )


@pytest.mark.parametrize(
    "given", [("G",), ("phi_t",), pytest.param(("G", "phi_t"), marks=pytest.mark.long)], ids="+".join
)
def test_plain_and_compiled_agree(given):
    """Whatever derivatives are there, compiled code and Python find the same ones."""
    q, v, a = STATE
    all_of = {"G": G, "b": b, "phi_t": phi_t}
    functions = {name: all_of[name] for name in given} | {"phi": phi}
    one, other = (Questions(system(wrap, **functions)) for wrap in (compiled, plain))
    exact = Questions(system(plain, phi=phi, **all_of))
    for answer, arguments in (("G", ()), ("velocity", ()), ("acceleration", (a,))):
        first, second, true = (getattr(x, answer)(0.7, q, v, *arguments) for x in (one, other, exact))
        np.testing.assert_allclose(first, second, rtol=0, atol=1e-10)
        np.testing.assert_allclose(first, true, rtol=0, atol=1e-10)


@pytest.mark.parametrize("wrap", [compiled, plain], ids=["njit", "plain"])
def test_rows_that_bend_over_short_lengths(wrap):
    """A bump of width 0.02 on a road that is flat at the start: steps become shorter where it is."""

    def road(q, t):
        return np.array([q[1] - 0.01 * np.exp(-(((q[0] - 5.0) / 0.02) ** 2))])

    ask = Questions(system(wrap, q0=[0.0, 0.0, 0.0], phi=road))
    for x in (4.98, 5.0, 5.013):
        z = (x - 5.0) / 0.02
        bump = 0.01 * np.exp(-z * z)
        slope, bend = -2.0 * z / 0.02 * bump, (4.0 * z * z - 2.0) / 0.02**2 * bump
        q, v = np.array([x, 0.0, 0.0]), np.array([3.0, 0.0, 0.0])
        np.testing.assert_allclose(ask.G(0.0, q, v), [[-slope, 1.0, 0.0]], rtol=0, atol=1e-8)
        np.testing.assert_allclose(ask.acceleration(0.0, q, v, 0.0 * v), [-bend * 9.0], rtol=0, atol=1e-4)


@pytest.mark.parametrize("wrap", [compiled, plain], ids=["njit", "plain"])
def test_beside_the_end_of_a_domain(wrap):
    """√(1 − q) at q = 0.999: differences stay where it is defined."""
    ask = Questions(system(wrap, q0=[0.5, 0.0, 0.0], phi=lambda q, t: np.array([np.sqrt(1.0 - q[0]) - q[1]])))
    found = ask.G(0.0, np.array([0.999, 0.0, 0.0]), np.zeros(3))
    np.testing.assert_allclose(found, [[-0.5 / np.sqrt(1e-3), -1.0, 0.0]], rtol=1e-9, atol=1e-11)


def test_beside_the_end_of_a_domain_where_functions_raise():
    ask = Questions(system(plain, q0=[0.5, 0.0, 0.0], phi=lambda q, t: np.array([math.sqrt(1.0 - q[0]) - q[1]])))
    found = ask.G(0.0, np.array([0.999, 0.0, 0.0]), np.zeros(3))
    np.testing.assert_allclose(found, [[-0.5 / np.sqrt(1e-3), -1.0, 0.0]], rtol=1e-9, atol=1e-11)


def test_no_python_in_the_loop(monkeypatch):
    """φ alone, ψ alone, with retract: no model that calls back is made. A row may be a part of q
    itself, which compiled code hands over in memory of its own."""

    def refuse(self, model):
        raise AssertionError("a callback")

    monkeypatch.setattr(Callback, "__init__", refuse)
    system(compiled, phi=phi, psi=psi).model()
    ways = {"retract": lambda q, d: q + d, "difference": lambda x, y: y - x}
    ask = Questions(system(compiled, phi=lambda q, t: q[1:2], **ways))
    assert ask.G(0.0, *STATE[:2]).round(12).tolist() == [[0.0, 1.0, 0.0]]


def test_calls_of_plain_functions():
    """A step of a pendulum asks φ at most 65 times and Q at most five times."""
    count = {"phi": 0, "Q": 0}

    def rod(q, t):
        count["phi"] += 1
        return np.array([q @ q - 1.0])

    def weight(q, v, t):
        count["Q"] += 1
        return np.array([0.0, -9.81])

    pendulum = iso.MechanicalSystem(np.eye(2), weight, [1.0, 0.0], [0.0, 0.0], phi=rod)
    iso.integrate(pendulum, dt=0.002, t_end=0.002)
    start = dict(count)
    sol = iso.integrate(pendulum, dt=0.002, t_end=0.102)
    assert (count["phi"] - 2 * start["phi"]) / 50 < 65
    assert (count["Q"] - 2 * start["Q"]) / 50 < 5
    assert max(sol.drift().largest[:2]) < 1e-12


def place(q, t):
    """A rod whose pin is moved to and fro."""
    return np.array([(q[0] - 0.2 * np.sin(2.0 * t)) ** 2 + q[1] ** 2 - 1.0])


def place_q(q, t):
    return np.array([[2.0 * (q[0] - 0.2 * np.sin(2.0 * t)), 2.0 * q[1]]])


def place_t(q, t):
    return np.array([-0.8 * np.cos(2.0 * t) * (q[0] - 0.2 * np.sin(2.0 * t))])


def place_rest(q, v, t):
    along = q[0] - 0.2 * np.sin(2.0 * t)
    return -2.0 * np.array([(v[0] - 0.4 * np.cos(2.0 * t)) ** 2 + v[1] ** 2 + 0.8 * np.sin(2.0 * t) * along])


def weight(q, v, t):
    return np.array([0.0, -9.81])


def driven_pendulum(**more):
    rows = {name: compiled(function) for name, function in {"phi": place, **more}.items()}
    return iso.MechanicalSystem(np.eye(2), compiled(weight), [0.8, -0.6], [0.4, 0.0], **rows)


def test_second_order_with_phi_alone():
    """Slopes of q, v, a and λ of a driven pendulum in the maximum norm over all of time."""
    pendulum = driven_pendulum()

    def run(dt):
        return iso.integrate(pendulum, iso.Scheme.optimal(0.6), dt=dt, t_end=1.0, newton=iso.Newton(rtol=1e-12))

    fine = run(0.00125 / 4)
    errors = []
    for every, dt in ((32, 0.01), (16, 0.005)):
        sol = run(dt)
        errors.append(
            [np.abs(getattr(sol, name) - getattr(fine, name)[::every]).max() for name in ("q", "v", "a", "lam")]
        )
    slopes = np.log2(np.array(errors[0]) / errors[1])
    assert (slopes > 1.85).all(), slopes


def test_adaptive_steps_do_not_see_the_noise():
    """The same number of steps as with G and b, within a few: with central differences it was 404
    instead of 25 of a pendulum."""
    given = {"G": place_q, "phi_t": place_t, "b": place_rest}
    for rtol in (1e-8, 1e-10):
        steps = [
            iso.integrate_adaptive(driven_pendulum(**more), t_end=1.0, rtol=rtol).stats.steps for more in (given, {})
        ]
        assert steps[1] <= steps[0] + 5, (rtol, steps)


@pytest.mark.parametrize("wrap", [plain, compiled])
@pytest.mark.parametrize("given", ["phi", "all but b"])
@pytest.mark.parametrize("t0", [1e6, 1e7, 1e9])
def test_moving_rows_far_from_zero(wrap, given, t0):
    """A circle whose centre swings at 3 rad/s, seconds after t0: b was wrong by all of it from 1e6 s on,
    because over minutes rows that are bounded seem to have no slope."""
    A, w = 0.2, 3.0

    def circle(q, t):
        return np.array([(q[0] - A * math.sin(w * (t - t0))) ** 2 + q[1] ** 2 - 1.0])

    def rows(q, t):
        return np.array([[2.0 * (q[0] - A * math.sin(w * (t - t0))), 2.0 * q[1]]])

    def drive(q, t):
        return np.array([-2.0 * (q[0] - A * math.sin(w * (t - t0))) * A * w * math.cos(w * (t - t0))])

    others = {} if given == "phi" else {"G": wrap(rows), "phi_t": wrap(drive)}
    force = wrap(lambda q, v, t: -q)
    ask = Questions(iso.MechanicalSystem(np.eye(2), force, [0.6, -0.8], [0.0, 0.0], phi=wrap(circle), **others))
    for k, now in enumerate(t0 + np.linspace(0.1, 2.0, 7)):
        x, y, vx, vy = np.sin(1.0 + k + np.arange(4.0))
        away, speed = x - A * math.sin(w * (now - t0)), vx - A * w * math.cos(w * (now - t0))
        exact = 2.0 * speed**2 + 2.0 * away * A * w**2 * math.sin(w * (now - t0)) + 2.0 * vy**2
        found = ask.acceleration(float(now), np.array([x, y]), np.array([vx, vy]), np.zeros(2))
        assert abs(found[0] - exact) < 2e-7 + 2e3 * np.spacing(t0)
