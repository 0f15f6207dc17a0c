"""Motions with Coulomb friction against their closed forms: accelerations, places of rest, orders."""

from __future__ import annotations

import math
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from scipy.integrate import quad

import isodyn as iso
from friction_systems import (
    GRAVITY,
    ball,
    belt,
    hoop,
    hoop_rate_squared,
    incline,
    rotating_wire,
    rotating_wire_radius,
)
from isodyn.gauss import Contact, Sliding, solve_with_friction


def run(system: Any, contacts: Any, dt: float, t_end: float) -> Any:
    """A run with friction on constraints, which here push all the time."""
    contacts = [contacts] if isinstance(contacts, Contact) else contacts
    rough = iso.with_friction(system, [replace(one, unilateral=False) for one in contacts])
    sol = iso.integrate(rough, dt=dt, t_end=t_end)
    assert max(sol.drift().largest[:2]) < 1e-13
    return sol


def order(error: Any, dt: float) -> float:
    """By two halvings of the step."""
    return 0.5 * math.log2(error(dt) / error(0.25 * dt))


# ---- block on a slope


@pytest.mark.parametrize(("angle", "mu"), [(0.3, 0.1), (0.5, 0.2), (1.2, 0.7), (0.0, 0.4)])
def test_a_sliding_block_has_the_known_acceleration(angle: float, mu: float) -> None:
    """g (sin α − μ cos α) downhill and g (sin α + μ cos α) uphill, from accelerations and from a
    run."""
    for way in (1.0, -1.0):
        system, contact, down = incline(angle, 0.7 * way, mu)
        result = solve_with_friction(
            2.0 * np.eye(2),
            [0.0, -2.0 * GRAVITY],
            system.constraints.G(np.zeros(2), 0.0),
            [0.0],
            [contact],
            [Sliding((way,))],
        )
        expected = GRAVITY * (math.sin(angle) - way * mu * math.cos(angle))
        assert abs(result.a @ down - expected) < 1e-13 * GRAVITY
        sol = run(system, contact, 0.01, 0.05)
        assert np.abs(sol.a @ down - expected).max() < 1e-12
        assert abs(sol.q[-1] @ down - (0.7 * way * 0.05 + 0.5 * expected * 0.05**2)) < 1e-13


@pytest.mark.parametrize("mu", [0.55, 0.9])
def test_a_block_sticks_below_the_friction_angle(mu: float) -> None:
    """tan 0.5 = 0.546: it stays where it is, and the friction force carries its weight along the
    slope."""
    system, contact, _ = incline(0.5, 0.0, mu)
    sol = run(system, contact, 0.2, 2.0)
    slope = sol.contact("slope")
    assert (slope.mode == 1).all()
    assert np.abs(sol.q).max() < 1e-13
    assert np.abs(slope.tangential + 2.0 * GRAVITY * math.sin(0.5)).max() < 1e-12


def test_a_block_slips_above_the_friction_angle() -> None:
    """From rest, downhill."""
    system, contact, down = incline(0.5, 0.0, 0.54)
    sol = run(system, contact, 0.1, 1.0)
    assert (sol.contact("slope").mode == 2).all()
    assert abs(sol.q[-1] @ down - 0.5 * GRAVITY * (math.sin(0.5) - 0.54 * math.cos(0.5))) < 1e-12


@pytest.mark.parametrize("excess", [-1e-10, 0.0, 1e-10])
@pytest.mark.parametrize("wait", [0.0, 0.4])
def test_a_block_at_the_edge_of_its_cone_slips_when_the_pull_grows(excess: float, wait: float) -> None:
    """Pulled with μg from the start, or more by rounding, and harder after a while: x = s³/3 from
    there, with s = t − wait, to second order."""
    mu = 0.3
    system = iso.MechanicalSystem(
        1.0,
        lambda q, v, t: np.array([mu * GRAVITY * (1.0 + excess) + 2.0 * max(0.0, t - wait), -GRAVITY]),
        [0.0, 0.0],
        [0.0, 0.0],
        phi=lambda q, t: q[1:],
        G=lambda q, t: np.array([[0.0, 1.0]]),
        b=lambda q, v, t: np.zeros(1),
    )

    def error(dt: float) -> float:
        return abs(run(system, Contact(0, [1.0, 0.0], mu), dt, 1.0).q[-1, 0] - (1.0 - wait) ** 3 / 3.0)

    assert order(error, 0.05) > 1.9


def test_a_braked_block_stops_at_the_known_place() -> None:
    """v₀²/2d with d = g (μ cos α − sin α); it stays there, and friction has taken all its energy."""
    angle, mu, speed = 0.5, 0.9, 3.0
    system, contact, down = incline(angle, speed, mu)
    sol = run(system, contact, 0.1, 2.0)
    d = GRAVITY * (mu * math.cos(angle) - math.sin(angle))
    assert abs(sol.q[-1] @ down - speed**2 / (2 * d)) < 1e-12
    rests = sol.t > speed / d
    assert np.abs(sol.v[rests]).max() < 1e-13
    assert (sol.contact("slope").mode[rests] == 1).all()
    energy = np.sum(sol.energy(), axis=0)
    lost = 2.0 * GRAVITY * mu * math.cos(angle) * speed**2 / (2 * d)
    assert abs(energy[0] - energy[-1] - lost) < 1e-11


def test_a_block_thrown_uphill_comes_back() -> None:
    """It turns at v₀/g(sin α + μ cos α) and slides back with g(sin α − μ cos α)."""
    angle, mu, speed = 0.5, 0.2, -3.0
    system, contact, down = incline(angle, speed, mu)
    sol = run(system, contact, 0.15, 2.0)
    up, back = (GRAVITY * (math.sin(angle) + way * mu * math.cos(angle)) for way in (1.0, -1.0))
    turn = -speed / up
    assert abs(sol.q[-1] @ down - (-(speed**2) / (2 * up) + 0.5 * back * (2.0 - turn) ** 2)) < 1e-10


# ---- bead on a wire


def test_a_bead_on_a_vertical_hoop_climbs_as_the_closed_form_says() -> None:
    """θ'² as a function of θ while the wire pulls inwards."""
    mu, R, rate = 0.15, 0.7, 9.0
    system, contact = hoop(rate, mu, R)

    def error(dt: float) -> float:
        sol = run(system, contact, dt, 0.16)
        theta = np.arctan2(sol.q[:, 0], -sol.q[:, 1])
        w = ((sol.v[:, 1] * sol.q[:, 0] - sol.v[:, 0] * sol.q[:, 1]) / R**2) ** 2
        return float(np.abs(w - hoop_rate_squared(theta, 0.0, rate**2, mu, R, 1)).max())

    assert order(error, 0.01) > 1.9
    assert error(0.0025) < 1e-2


def test_a_bead_on_a_hoop_without_gravity_slows_down_like_one_over_t() -> None:
    """R θ' = v₀/(1 + μ v₀ t/R): it never stops."""
    mu, R, rate = 0.4, 0.7, 5.0
    system, contact = hoop(rate, mu, R, gravity=0.0)

    def error(dt: float) -> float:
        sol = run(system, contact, dt, 1.0)
        assert (sol.contact("wire").mode == 2).all()
        return float(np.abs(np.linalg.norm(sol.v, axis=1) - R * rate / (1 + mu * rate * sol.t)).max())

    assert order(error, 0.04) > 1.9


def test_a_bead_on_a_level_ring_in_space_stops_at_the_known_angle() -> None:
    """Two rows carry the reaction: v² = gR sinh(arsinh(v₀²/gR) − 2μθ)."""
    mu, R, speed, m = 0.3, 0.5, 4.0, 0.9
    system = iso.MechanicalSystem(
        m,
        lambda q, v, t: np.array([0.0, 0.0, -m * GRAVITY]),
        [R, 0.0, 0.0],
        [0.0, speed, 0.0],
        phi=lambda q, t: np.array([(q[0] ** 2 + q[1] ** 2 - R**2) / (2 * R), q[2]]),
        G=lambda q, t: np.array([[q[0] / R, q[1] / R, 0.0], [0.0, 0.0, 1.0]]),
        b=lambda q, v, t: np.array([-(v[0] ** 2 + v[1] ** 2) / R, 0.0]),
    )
    contact = Contact((0, 1), lambda q, t: np.array([-q[1], q[0], 0.0]) / R, mu, name="ring")

    def error(dt: float) -> float:
        sol = run(system, contact, dt, 1.2)
        assert sol.contact("ring").mode[-1] == 1
        theta = np.unwrap(np.arctan2(sol.q[:, 1], sol.q[:, 0]))[-1]
        return float(abs(theta - math.asinh(speed**2 / (GRAVITY * R)) / (2 * mu)))

    assert order(error, 0.04) > 1.9


@pytest.mark.parametrize(("speed", "r"), [(0.5, 0.8), (-1.1, 0.8), (-1.1, 0.5), (-1.1, 1.2)])
def test_a_bead_on_a_turning_wire(speed: float, r: float) -> None:
    """r'' + 2μΩr' − Ω²r = 0: inwards it turns back where slip and reaction vanish at the same
    time."""
    omega, mu = 2.0, 0.35
    system, contact = rotating_wire(omega, r, speed, mu)

    def error(dt: float) -> float:
        sol = run(system, contact, dt, 1.0)
        radius = sol.q[:, 0] * np.cos(omega * sol.t) + sol.q[:, 1] * np.sin(omega * sol.t)
        return float(np.abs(radius - rotating_wire_radius(sol.t, omega, r, speed, mu)).max())

    assert order(error, 0.05) > 1.9


def test_a_ball_slides_and_then_rolls() -> None:
    """Without spin at first: it rolls from 2v₀/7μg on with 5v₀/7, after 12v₀²/49μg; orientation by
    quaternions."""
    speed, mu, radius = 3.0, 0.25, 0.11
    system, contact = ball(speed, mu, radius)
    sol = run(system, contact, 0.05, 0.6)
    rolls = 2 * speed / (7 * mu * GRAVITY)
    way = 12 * speed**2 / (49 * mu * GRAVITY) + 5 / 7 * speed * (0.6 - rolls)
    assert sol.contact("floor").mode[-1] == 1
    assert abs(np.hypot(*sol.q[-1, :2]) - way) < 1e-9
    assert np.abs(sol.v[-1, :2] - 5 / 7 * speed * np.array([0.6, 0.8])).max() < 1e-9
    assert abs(np.linalg.norm(sol.v[-1, 3:]) * radius - 5 / 7 * speed) < 1e-9
    assert np.abs(np.linalg.norm(sol.q[:, 3:], axis=1) - 1).max() < 1e-12


# ---- sticking and slipping in turn


def belt_position(t: float, m: float, k: float, V: float, mu: float, mu_static: float, start: float) -> float:
    """Where the mass is: carried along until it is torn loose at μ_s mg/k, slipping for
    (2π − 2 arctan(Dω/V))/ω, sticking for 2D/V, with D = (μ_s − μ) mg/k."""
    omega, D, centre = math.sqrt(k / m), (mu_static - mu) * m * GRAVITY / k, mu * m * GRAVITY / k
    slip, stick = (2 * math.pi - 2 * math.atan(D * omega / V)) / omega, 2 * D / V
    t -= (centre + D - start) / V
    if t < 0.0:
        return centre + D + V * t
    t %= slip + stick
    if t < slip:
        return centre + D * math.cos(omega * t) + V / omega * math.sin(omega * t)
    return centre - D + V * (t - slip)


@pytest.mark.parametrize("mu_static", [0.5, 0.3])
def test_a_mass_on_a_belt_sticks_and_slips(mu_static: float) -> None:
    """Two cycles against the closed form; with μ_s = μ it swings on."""
    m, k, V, mu = 1.2, 50.0, 0.3, 0.3
    start = mu_static * m * GRAVITY / k - 0.01
    system, contact = belt(m, k, V, mu, mu_static, start)

    def error(dt: float) -> float:
        sol = run(system, contact, dt, 1.2 if mu_static > mu else 0.6)
        exact = [belt_position(t, m, k, V, mu, mu_static, start) for t in sol.t]
        return float(np.abs(sol.q[:, 0] - exact).max())

    assert order(error, 0.02) > 1.9


@pytest.mark.parametrize("given", [True, False])
def test_a_mass_on_a_belt_that_gathers_speed_is_left_behind(given: bool) -> None:
    """Surface velocity w = ½ct²: it is carried along, x = ct³/6, until m c t = μ_s m g; then
    x'' = μ g. ẇ given, or from differences."""
    c, mu, mu_static, m = 2.0, 0.25, 0.4, 1.7
    system = iso.MechanicalSystem(
        m,
        lambda q, v, t: np.array([0.0, -m * GRAVITY]),
        [0.0, 0.0],
        [0.0, 0.0],
        phi=lambda q, t: q[1:],
        G=lambda q, t: np.array([[0.0, 1.0]]),
        b=lambda q, v, t: np.zeros(1),
    )
    rest = (lambda q, v, t: np.array([-c * t])) if given else None
    contact = Contact(0, [1.0, 0.0], mu, mu_static, surface=lambda q, t: [0.5 * c * t**2], rest=rest)
    leave = mu_static * GRAVITY / c
    t = 3.0 - leave
    exact = c * leave**3 / 6 + 0.5 * c * leave**2 * t + 0.5 * mu * GRAVITY * t**2
    assert order(lambda dt: abs(run(system, contact, dt, 3.0).q[-1, 0] - exact), 0.1) > 1.9


def test_two_feet_stop_at_the_same_time() -> None:
    """A crate sent along the floor stops on both feet; their friction cannot be told apart and is
    shared."""
    m, half, height, inertia, mu, speed = 3.0, 0.4, 0.5, 0.3, 0.3, 2.0
    A = np.array([[0.0, 1.0, -half], [0.0, 1.0, half]])
    push = 4.0  # once it would rest it is pushed, less than the cone
    system = iso.MechanicalSystem(
        np.diag([m, m, inertia]),
        lambda q, v, t: np.array([push, -m * GRAVITY, -push * height]),  # at the floor
        np.zeros(3),
        [speed, 0.0, 0.0],
        phi=lambda q, t: A @ q,
        G=lambda q, t: A,
        b=lambda q, v, t: np.zeros(2),
        row_names=["rear", "front"],
    )
    feet = [Contact(name, [1.0, 0.0, height], mu, name=name) for name in ("rear", "front")]
    sol = run(system, feet, 0.1, 2.0)
    brake = mu * GRAVITY - push / m
    assert 1 in [sol.contact(name).mode[-1] for name in ("rear", "front")]
    assert np.abs(sol.v[-1]).max() < 1e-13
    assert abs(sol.q[-1, 0] - speed**2 / (2 * brake)) < 1e-11
    assert abs(sum(sol.contact(name).tangential[-1] for name in ("rear", "front")) + push) < 1e-11


def test_slip_in_two_directions_turns_downhill_and_stops() -> None:
    """A puck on a slope: v sin ψ/tan(ψ/2)^κ is kept, κ = μ/tan α; for κ > 1 it stops after a time
    that is an integral, and so is its way down."""
    angle, speed, psi0 = 0.3, 2.0, 1.2
    kappa = 2.5
    mu, g = kappa * math.tan(angle), GRAVITY
    system = iso.MechanicalSystem(
        1.0,
        lambda q, v, t: g * np.array([math.sin(angle), 0.0, -math.cos(angle)]),
        np.zeros(3),
        speed * np.array([math.cos(psi0), math.sin(psi0), 0.0]),
        phi=lambda q, t: q[2:],
        G=lambda q, t: np.array([[0.0, 0.0, 1.0]]),
        b=lambda q, v, t: np.zeros(1),
    )
    contact = Contact(0, [[1.0, 0.0, 0.0], [0.0, 1.0, 0.0]], mu, name="puck")
    C = speed * math.sin(psi0) / math.tan(0.5 * psi0) ** kappa

    def along(x: float) -> float:
        v = C * math.tan(0.5 * x) ** kappa / math.sin(x)
        return v * v * math.cos(x) / (g * math.sin(angle) * math.sin(x))

    down = quad(along, 0.0, psi0)[0]

    def error(dt: float) -> float:
        sol = run(system, contact, dt, 1.0)
        assert sol.contact("puck").mode[-1] == 1
        return float(abs(sol.q[-1, 0] - down))

    assert order(error, 0.04) > 1.9


def test_a_crate_on_two_feet_leans_on_the_front_one() -> None:
    """N = mg/2 (1 ± μ h/l) while it slides; with μ h > l it tips."""
    m, half, height, inertia = 3.0, 0.4, 0.5, 0.3
    A = np.array([[0.0, 1.0, -half], [0.0, 1.0, half]])
    tangent = [1.0, 0.0, height]
    for mu, way in ((0.3, 1.0), (0.6, -1.0)):
        feet = [Contact(row, tangent, mu, unilateral=True, name=f"foot {row}") for row in (0, 1)]
        result = solve_with_friction(
            np.diag([m, m, inertia]), [0.0, -m * GRAVITY, 0.0], A, np.zeros(2), feet, [Sliding((way,))] * 2
        )
        lean = way * mu * height / half
        assert np.abs(np.concatenate(result.normal) - 0.5 * m * GRAVITY * np.array([1 - lean, 1 + lean])).max() < 1e-12
        assert np.abs(result.a - [-way * mu * GRAVITY, 0.0, 0.0]).max() < 1e-13
