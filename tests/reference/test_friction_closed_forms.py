"""Motions with Coulomb friction against their closed forms: accelerations, switches, works."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest
from scipy.integrate import quad
from scipy.optimize import brentq

import isodyn as iso
from friction_systems import (
    GRAVITY,
    ball,
    belt,
    hoop,
    hoop_rate_squared,
    incline,
    rotating_wire,
    rotating_wire_in_polar_coordinates,
    rotating_wire_radius,
)
from isodyn.friction import integrate_with_friction
from isodyn.gauss import Contact, Sliding, Sticking, solve_with_friction


def closed(sol: Any, rheonomic: bool = False) -> None:
    """Kinetic energy is the work of all forces; constraints are kept; F_L is workless where
    constraints stand still."""
    scale = max(1.0, float(sol.kinetic.max()))
    assert np.abs(sol.work_balance()).max() < 1e-9 * scale
    assert max(sol.drift().largest) < 1e-12
    if not rheonomic:
        assert np.abs(sol.work[:, 1]).max() < 1e-9 * scale


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
        sol = integrate_with_friction(system, contact, t_end=0.05)
        assert np.abs(sol.a @ down - expected).max() < 1e-12
        assert abs(sol.q[-1] @ down - (0.7 * way * 0.05 + 0.5 * expected * 0.05**2)) < 1e-10
        closed(sol)


@pytest.mark.parametrize("mu", [0.55, 0.9])
def test_a_block_sticks_below_the_friction_angle(mu: float) -> None:
    """tan 0.5 = 0.546: it stays where it is, and the friction force carries its weight along the
    slope."""
    system, contact, _ = incline(0.5, 0.0, mu)
    sol = integrate_with_friction(system, contact, t_end=2.0)
    assert sol.phases[0].modes == (Sticking(),)
    assert not sol.switches
    assert np.abs(sol.q).max() < 1e-13
    assert np.abs(sol.friction[:, 0] + 2.0 * GRAVITY * math.sin(0.5)).max() < 1e-12


def test_a_block_slips_above_the_friction_angle() -> None:
    """From rest, downhill."""
    system, contact, down = incline(0.5, 0.0, 0.54)
    sol = integrate_with_friction(system, contact, t_end=1.0)
    assert sol.phases[0].modes == (Sliding((1.0,), 1),)
    assert abs(sol.q[-1] @ down - 0.5 * GRAVITY * (math.sin(0.5) - 0.54 * math.cos(0.5))) < 1e-10


@pytest.mark.parametrize("excess", [-1e-10, 0.0, 1e-10, 1e-9])
@pytest.mark.parametrize("wait", [0.0, 0.4])
def test_a_block_at_the_edge_of_its_cone_slips_when_the_pull_grows(excess: float, wait: float) -> None:
    """Pulled with μg from the start, or more by rounding, and harder after a while: x = s³/3 from
    there, with s = t − wait."""
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
    sol = integrate_with_friction(system, Contact(0, [1.0, 0.0], mu), t_end=1.0)
    (switch,) = sol.switches
    assert abs(switch.t - wait) < 5e-9
    assert abs(sol.q[-1, 0] - (1.0 - wait) ** 3 / 3.0) < 5e-9


def test_a_braked_block_stops_at_the_known_time_and_place() -> None:
    """v₀/d and v₀²/2d with d = g (μ cos α − sin α); it stays there, and friction has taken all its
    energy."""
    angle, mu, speed = 0.5, 0.9, 3.0
    system, contact, down = incline(angle, speed, mu)
    sol = integrate_with_friction(system, contact, t_end=2.0, save=np.linspace(0.0, 2.0, 41))
    d = GRAVITY * (mu * math.cos(angle) - math.sin(angle))
    (switch,) = sol.switches
    assert switch.after == Sticking()
    assert abs(switch.t - speed / d) < 1e-9
    assert abs(sol.q[-1] @ down - speed**2 / (2 * d)) < 1e-9
    assert np.abs(sol.v[sol.t >= switch.t]).max() < 1e-14
    assert abs(sol.work[-1, 2] + 2.0 * GRAVITY * mu * math.cos(angle) * speed**2 / (2 * d)) < 1e-9
    T, V = sol.energy()
    # the potential is all of F_N here
    assert np.abs(T + V - T[0] - V[0] - sol.work[:, 2]).max() < 1e-9
    closed(sol)
    between = sol.at(0.5 * speed / d)
    assert abs(between.q @ down - 0.375 * speed**2 / d) < 1e-9


def test_a_block_thrown_uphill_comes_back() -> None:
    """It turns at v₀/g(sin α + μ cos α) and slides back with g(sin α − μ cos α)."""
    angle, mu, speed = 0.5, 0.2, -3.0
    system, contact, down = incline(angle, speed, mu)
    sol = integrate_with_friction(system, contact, t_end=2.0)
    up, back = (GRAVITY * (math.sin(angle) + way * mu * math.cos(angle)) for way in (1.0, -1.0))
    (switch,) = sol.switches
    turn = -speed / up
    assert abs(switch.t - turn) < 1e-9
    assert abs(sol.q[-1] @ down - (-(speed**2) / (2 * up) + 0.5 * back * (2.0 - turn) ** 2)) < 1e-9
    closed(sol)


# ---- bead on a wire


def test_a_bead_on_a_vertical_hoop_follows_the_closed_form_through_reversals_of_the_reaction() -> None:
    """θ'² as a function of θ in each stretch; the reaction changes its side where R θ'² + g cos
    θ = 0."""
    mu, R, rate = 0.15, 0.7, 9.0
    system, contact = hoop(rate, mu, R)
    sol = integrate_with_friction(system, contact, t_end=1.0)
    assert [s.what for s in sol.switches] == ["reaction reverses", "stops", "reaction reverses"]
    theta = np.unwrap(np.arctan2(sol.q[:, 0], -sol.q[:, 1]))
    w = ((sol.v[:, 1] * sol.q[:, 0] - sol.v[:, 0] * sol.q[:, 1]) / R**2) ** 2

    def reaction(x: float, x0: float, w0: float, side: int) -> float:
        return R * float(hoop_rate_squared(x, x0, w0, mu, R, side)) + GRAVITY * math.cos(x)

    first = brentq(lambda x: reaction(x, 0.0, rate**2, 1), 1.6, 3.0, xtol=1e-14)
    w_first = float(hoop_rate_squared(first, 0.0, rate**2, mu, R, 1))
    top = brentq(lambda x: float(hoop_rate_squared(x, first, w_first, mu, R, -1)), first, 3.1, xtol=1e-14)
    # back down: mirrored
    second = brentq(lambda x: reaction(-x, -top, 0.0, -1), first - 1.5, top, xtol=1e-14)
    w_second = float(hoop_rate_squared(-second, -top, 0.0, mu, R, -1))
    rows = [int(row) for row in sol.aux["breakpoint_rows"]]
    assert np.abs(theta[rows] - [first, top, second]).max() < 1e-9
    one, two, three = rows
    assert np.abs(w[:one] - hoop_rate_squared(theta[:one], 0.0, rate**2, mu, R, 1)).max() < 1e-9 * rate**2
    assert np.abs(w[one:two] - hoop_rate_squared(theta[one:two], first, w_first, mu, R, -1)).max() < 1e-9 * rate**2
    assert np.abs(w[two:three] - hoop_rate_squared(-theta[two:three], -top, 0.0, mu, R, -1)).max() < 1e-9 * rate**2
    assert np.abs(w[three:] - hoop_rate_squared(-theta[three:], -second, w_second, mu, R, 1)).max() < 1e-9 * rate**2
    closed(sol)


def test_a_bead_on_a_hoop_without_gravity_slows_down_like_one_over_t() -> None:
    """R θ' = v₀/(1 + μ v₀ t/R): it never stops."""
    mu, R, rate = 0.4, 0.7, 5.0
    system, contact = hoop(rate, mu, R, gravity=0.0)
    sol = integrate_with_friction(system, contact, t_end=3.0)
    assert not sol.switches
    speed = np.linalg.norm(sol.v, axis=1)
    assert np.abs(speed - R * rate / (1 + mu * rate * sol.t)).max() < 1e-9
    closed(sol)


def test_a_bead_on_a_level_ring_in_space_stops_at_the_known_angle() -> None:
    """Two rows carry the reaction: v² = gR sinh(arsinh(v₀²/gR) − 2μθ)."""
    mu, R, speed, m = 0.3, 0.5, 4.0, 0.9

    def unit(q: Any) -> Any:
        return np.array([-q[1], q[0], 0.0]) / R

    system = iso.MechanicalSystem(
        m,
        lambda q, v, t: np.array([0.0, 0.0, -m * GRAVITY]),
        [R, 0.0, 0.0],
        [0.0, speed, 0.0],
        phi=lambda q, t: np.array([(q[0] ** 2 + q[1] ** 2 - R**2) / (2 * R), q[2]]),
        G=lambda q, t: np.array([[q[0] / R, q[1] / R, 0.0], [0.0, 0.0, 1.0]]),
        b=lambda q, v, t: np.array([-(v[0] ** 2 + v[1] ** 2) / R, 0.0]),
    )
    contact = Contact((0, 1), lambda q, t: unit(q), mu, name="ring")
    sol = integrate_with_friction(system, contact, t_end=2.0)
    theta = np.unwrap(np.arctan2(sol.q[:, 1], sol.q[:, 0]))
    (switch,) = sol.switches
    assert switch.after == Sticking()
    assert abs(theta[-1] - math.asinh(speed**2 / (GRAVITY * R)) / (2 * mu)) < 1e-9
    expected = GRAVITY * R * np.sinh(math.asinh(speed**2 / (GRAVITY * R)) - 2 * mu * theta)
    assert np.abs((sol.v**2).sum(axis=1) - expected).max() < 1e-9
    closed(sol)


@pytest.mark.parametrize("speed", [0.5, -1.1])
def test_a_bead_on_a_turning_wire(speed: float) -> None:
    """r'' + 2μΩr' − Ω²r = 0: inwards it turns back where slip and reaction vanish at the same
    time."""
    omega, r, mu = 2.0, 0.8, 0.35
    system, contact = rotating_wire(omega, r, speed, mu)
    sol = integrate_with_friction(system, contact, t_end=1.0)
    radius = sol.q[:, 0] * np.cos(omega * sol.t) + sol.q[:, 1] * np.sin(omega * sol.t)
    assert np.abs(radius - rotating_wire_radius(sol.t, omega, r, speed, mu)).max() < 1e-9
    assert len(sol.switches) == (0 if speed > 0 else 1)
    closed(sol, rheonomic=True)
    assert abs(sol.work[-1, 1]) > 0.1  # the motor that turns the wire


@pytest.mark.parametrize("r", [0.5, 0.7, 0.75, 0.95, 1.0, 1.1, 1.2])
def test_a_reaction_that_vanishes_with_the_slip_changes_sides_once(r: float) -> None:
    """No force is left there to measure the reaction by: its sign is that of a moment later."""
    system, contact = rotating_wire(2.0, r, -1.1, 0.35)
    sol = integrate_with_friction(system, contact, t_end=1.0, max_switches=3)
    (switch,) = sol.switches
    assert switch.before == Sliding((-1.0,), -1)
    assert switch.after == Sliding((1.0,), 1)


def test_a_bead_on_a_turning_wire_in_polar_coordinates() -> None:
    """The same motion with a mass that depends on the position; what its change brings is part of
    the balance."""
    omega, r, speed, mu = 2.0, 0.8, -1.1, 0.35
    system, contact = rotating_wire_in_polar_coordinates(omega, r, speed, mu)
    sol = integrate_with_friction(system, contact, t_end=1.0)
    assert np.abs(sol.q[:, 0] - rotating_wire_radius(sol.t, omega, r, speed, mu)).max() < 1e-9
    assert np.abs(sol.normal[:, 0] - 2 * 0.6 * omega * sol.v[:, 0]).max() < 1e-9
    assert np.abs(sol.mass_work).max() > 0.1
    closed(sol, rheonomic=True)
    flat, touching = rotating_wire(omega, r, speed, mu)
    other = integrate_with_friction(flat, touching, t_end=1.0)
    assert np.abs(sol.work[-1, 1:] - other.work[-1, 1:]).max() < 1e-8


@pytest.mark.slow
def test_a_ball_slides_and_then_rolls() -> None:
    """Without spin at first: it rolls from 2v₀/7μg on with 5v₀/7, after 12v₀²/49μg; orientation by
    quaternions."""
    speed, mu, radius = 3.0, 0.25, 0.11
    system, contact = ball(speed, mu, radius)
    sol = integrate_with_friction(system, contact, t_end=1.0, rtol=1e-11, atol=1e-12)
    (switch,) = sol.switches
    assert switch.after == Sticking()
    assert abs(switch.t - 2 * speed / (7 * mu * GRAVITY)) < 1e-8
    row = int(sol.aux["breakpoint_rows"][0])
    assert abs(np.hypot(*sol.q[row, :2]) - 12 * speed**2 / (49 * mu * GRAVITY)) < 1e-8
    assert np.abs(sol.v[-1, :2] - 5 / 7 * speed * np.array([0.6, 0.8])).max() < 1e-8
    assert abs(np.linalg.norm(sol.v[-1, 3:]) * radius - 5 / 7 * speed) < 1e-8
    assert np.abs(sol.friction[-1]).max() < 1e-9 * mu * np.abs(sol.normal[-1]).max()
    assert np.abs(np.linalg.norm(sol.q[:, 3:], axis=1) - 1).max() < 1e-12
    closed(sol)


# ---- switching


def test_a_mass_on_a_belt_sticks_and_slips_with_the_known_period() -> None:
    """Slip lasts (2π − 2 arctan(Dω/V))/ω, stick 2D/V, with D = (μ_s − μ) mg/k; four cycles."""
    m, k, V, mu, mu_static = 1.2, 50.0, 0.3, 0.3, 0.5
    start = mu_static * m * GRAVITY / k - 0.01
    system, contact = belt(m, k, V, mu, mu_static, start)
    omega, D = math.sqrt(k / m), (mu_static - mu) * m * GRAVITY / k
    slip, stick = (2 * math.pi - 2 * math.atan(D * omega / V)) / omega, 2 * D / V
    sol = integrate_with_friction(system, contact, t_end=0.01 / V + 3.5 * (slip + stick))
    expected = [0.01 / V]
    for n in range(6):
        expected.append(expected[-1] + (slip if n % 2 == 0 else stick))
    assert [s.what for s in sol.switches][:7] == ["slips", "stops", "slips", "stops", "slips", "stops", "slips"]
    assert np.abs(np.array([s.t for s in sol.switches][:7]) - expected).max() < 1e-9
    rows = [int(row) for row in sol.aux["breakpoint_rows"]]
    centre = mu * m * GRAVITY / k
    assert np.abs(sol.q[rows[:7:2], 0] - (centre + D)).max() < 1e-9
    assert np.abs(sol.q[rows[1:7:2], 0] - (centre - D)).max() < 1e-9
    a, b = sol.t >= expected[0], sol.t <= expected[1]
    t = sol.t[a & b] - expected[0]
    path = centre + D * np.cos(omega * t) + V / omega * np.sin(omega * t)
    assert np.abs(sol.q[a & b, 0] - path).max() < 1e-9
    assert (np.abs(sol.friction[:, 0]) <= mu_static * sol.normal[:, 0] * (1 + 1e-9)).all()
    closed(sol)


def test_with_equal_coefficients_the_mass_on_the_belt_swings_on() -> None:
    """μ_s = μ: carried to the edge of the cone with v = V, the mass swings with amplitude V/ω and
    touches the belt's speed again."""
    m, k, V, mu = 1.0, 40.0, 0.2, 0.4
    system, contact = belt(m, k, V, mu, mu, mu * GRAVITY * m / k - 0.02)
    sol = integrate_with_friction(system, contact, t_end=1.5)
    assert sol.switches[0].what == "slips"
    assert abs(sol.switches[0].t - 0.02 / V) < 1e-9
    t = sol.t[sol.t > sol.switches[0].t]
    centre, omega = mu * GRAVITY * m / k, math.sqrt(k / m)
    path = centre + V / omega * np.sin(omega * (t - sol.switches[0].t))
    assert np.abs(sol.q[sol.t > sol.switches[0].t, 0] - path).max() < 1e-9
    closed(sol)


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
    contact = Contact(
        0,
        [1.0, 0.0],
        mu,
        mu_static,
        unilateral=True,
        surface=lambda q, t: [0.5 * c * t**2],
        rest=(lambda q, v, t: np.array([-c * t])) if given else None,
    )
    sol = integrate_with_friction(system, contact, t_end=3.0)
    (switch,) = sol.switches
    leave = mu_static * GRAVITY / c
    assert switch.after == Sliding((-1.0,), 1)
    assert abs(switch.t - leave) < 1e-9
    carried = sol.t < switch.t
    assert np.abs(sol.q[carried, 0] - c * sol.t[carried] ** 3 / 6).max() < 1e-9
    assert np.abs(sol.friction[carried, 0] - m * c * sol.t[carried]).max() < (1e-12 if given else 1e-8)
    t = 3.0 - leave
    assert abs(sol.q[-1, 0] - (c * leave**3 / 6 + 0.5 * c * leave**2 * t + 0.5 * mu * GRAVITY * t**2)) < (
        1e-9 if given else 1e-8
    )
    closed(sol)


@pytest.mark.parametrize("creep", [0.0, 1e-13])
def test_two_feet_stop_at_the_same_time(creep: float) -> None:
    """A crate sent along the floor stops on both feet; their friction cannot be told apart and is
    shared.

    With a creep of one foot by rounding, which the other one then keeps from ever becoming zero, it
    stops all the same.
    """
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
    feet = [
        Contact(name, [1.0, 0.0, height], mu, unilateral=True, surface=[slow], name=name)
        for name, slow in (("rear", 0.0), ("front", -creep))
    ]
    sol = integrate_with_friction(system, feet, t_end=2.0)
    brake = mu * GRAVITY - push / m
    assert sol.phases[-1].modes == (Sticking(), Sticking())
    assert abs(sol.switches[0].t - speed / brake) < 1e-9
    assert abs(sol.q[-1, 0] - speed**2 / (2 * brake)) < 1e-9
    assert np.abs(sol.friction[-1] + 0.5 * push).max() < 1e-12
    closed(sol)


def test_slip_in_two_directions_turns_downhill_and_stops() -> None:
    """A puck on a slope: v sin ψ/tan(ψ/2)^κ is kept, κ = μ/tan α; for κ > 1 it stops after a time
    that is an integral."""
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
    contact = Contact(0, [[1.0, 0.0, 0.0], [0.0, 1.0, 0.0]], mu, unilateral=True, name="puck")
    sol = integrate_with_friction(system, contact, t_end=2.0, rtol=1e-12, atol=1e-14)
    (switch,) = sol.switches
    moving = sol.t < 0.9 * switch.t
    v, psi = np.linalg.norm(sol.v[moving], axis=1), np.arctan2(sol.v[moving, 1], sol.v[moving, 0])
    kept = v * np.sin(psi) / np.tan(0.5 * psi) ** kappa
    assert np.abs(kept / kept[0] - 1).max() < 1e-9
    C = speed * math.sin(psi0) / math.tan(0.5 * psi0) ** kappa
    stop = quad(lambda x: C * math.tan(0.5 * x) ** kappa / (g * math.sin(angle) * math.sin(x) ** 2), 0.0, psi0)[0]
    assert abs(switch.t - stop) < 1e-8
    assert np.abs(sol.v[-1]).max() < 1e-12
    closed(sol)


def test_a_body_leaves_a_rough_sphere_where_the_reaction_vanishes() -> None:
    """Unilateral: w = θ'² on the outside of the sphere, N = m(g cos θ − R w) = 0 ends the run."""
    mu, R, rate = 0.2, 1.5, 1.0
    system = iso.MechanicalSystem(
        1.0,
        lambda q, v, t: np.array([0.0, -GRAVITY]),
        [0.0, R],
        [R * rate, 0.0],
        phi=lambda q, t: np.array([(q @ q - R**2) / (2 * R)]),
        G=lambda q, t: q[None] / R,
        b=lambda q, v, t: np.array([-v @ v / R]),
    )
    contact = Contact(0, lambda q, t: np.array([q[1], -q[0]]) / R, mu, unilateral=True, name="sphere")
    sol = integrate_with_friction(system, contact, t_end=5.0)
    c = 2 * GRAVITY / R / (1 + 4 * mu**2)
    A, B = -c * (1 - 2 * mu**2), -3 * mu * c

    def w(x: float) -> float:
        return (rate**2 - A) * math.exp(2 * mu * x) + A * math.cos(x) + B * math.sin(x)

    leave = brentq(lambda x: GRAVITY * math.cos(x) - R * w(x), 0.1, 1.5, xtol=1e-14)
    assert sol.stats.stopped is not None
    assert "opens" in sol.stats.stopped
    assert sol.switches[-1].after is None
    assert abs(math.atan2(sol.q[-1, 0], sol.q[-1, 1]) - leave) < 1e-9
    closed(sol)


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
