"""Mechanisms against other models of the same thing: minimal coordinates, published numbers, closed
forms."""

from __future__ import annotations

import math

import numpy as np
import pytest
from scipy.optimize import brentq

import isodyn as iso
from isodyn import problems
from isodyn.problems import andrews, andrews21, chains, four_bars, loops_in_space, slider_crank_3d
from isodyn.studies import accurate_motion
from isodyn.studies.references import Acceleration

# ---- N parallelograms through their singular configurations


def check_n_four_bar(n: int, dt: float, save_every: int = 1) -> iso.Solution:
    """Ten seconds: near the reference, on the branch, in balance."""
    system = problems.get("n_four_bar").system(n=float(n))
    sol = iso.integrate(system, iso.Scheme.optimal(0.5), dt=dt, t_end=10.0, save_every=save_every)
    r = four_bars.tabulated(n)
    found = sol.at(r.t).q.reshape(r.t.size, -1, 3)
    expected = r.q.reshape(r.t.size, -1, 3)
    assert np.abs(found - expected)[:, :, :2].max() < 1e-3  # metres
    bodies = sol.q.reshape(sol.t.size, -1, 3)
    assert np.abs(bodies[:, n + 1 :, 2]).max() < 1e-9  # couplers stay level …
    # … and rockers parallel: on the branch
    assert np.ptp(bodies[:, : n + 1, 2], axis=1).max() < 1e-9
    energy = sum(sol.energy())
    assert np.abs(energy - energy[0]).max() < 1e-2
    assert sol.drift().largest[0] < 1e-12
    return sol


@pytest.mark.parametrize("dt", [0.002, 0.001, 0.0005])
def test_two_four_bars_through_singular_configurations(dt: float) -> None:
    """Where all rods lie on one line the freedom jumps from one to three; G has lost two of its
    rank there."""
    sol = check_n_four_bar(2, dt)
    theta = 0.5 * np.pi - sol.q[:, 2]
    crossings = np.floor(theta / np.pi + 0.5)
    assert crossings[-1] >= 10  # passed that often
    nearest = sol.q[np.argmin(np.abs(np.cos(theta)))]
    G = iso.systems.questions.Questions(sol.system).G(0.0, nearest, sol.v[0])
    values = np.linalg.svd(G, compute_uv=False)
    assert values[-2] < 0.02 * values[-3]


@pytest.mark.parametrize("dt", [0.002, 0.00125])
def test_forty_four_bars_through_singular_configurations(dt: float) -> None:
    """Eighty-one rods."""
    check_n_four_bar(40, dt, save_every=5)


def test_branch_of_the_n_four_bar() -> None:
    """The tabulated motion satisfies the constraints, and its tip is the tabulated one."""
    system = problems.get("n_four_bar").system()
    ask, r = iso.systems.questions.Questions(system), four_bars.tabulated(2)
    for t, q, v in zip(r.t, r.q, r.v, strict=True):
        assert np.abs(ask.position(t, q, v)).max() < 1e-14
        assert np.abs(ask.velocity(t, q, v)).max() < 1e-13


# ---- slider and crank in space


@pytest.mark.slow
def test_slider_crank_in_space_against_one_angle() -> None:
    """DOP853 on the mechanism and on one equation in the crank angle; the run by its error."""
    problem = problems.get("slider_crank_3d")
    t = np.linspace(0.0, 0.5, 21)
    theta, rate = slider_crank_3d.minimal_motion(t, 6.0)
    motion = accurate_motion(problem.system(), 0.5).at(t)
    assert np.abs(motion.v[:, 3] - rate).max() < 1e-8 * rate.max()
    slider = np.array([slider_crank_3d.points(x)[1][0] for x in theta])
    assert np.abs(motion.q[:, 14] - slider).max() < 1e-9
    sol = iso.integrate(problem.system(), problem.scheme, dt=0.001, t_end=0.5, save_every=25)
    assert sol.joint("A").angle == pytest.approx(theta, abs=1e-3)
    assert sol.body("slider").position[:, 0] == pytest.approx(slider, abs=1e-4)


def test_slider_crank_starts_as_published() -> None:
    """Slider at 0.2 m with 0.24 m/s; rod with (1.92, −0.96, 0.48) rad/s; its cross is square from
    the start to the end."""
    system = problems.get("slider_crank_3d").system()
    assert system.q0[14:17] == pytest.approx([0.2, 0.0, 0.0], abs=1e-15)
    assert slider_crank_3d.rates(0.0, 6.0)[1] == pytest.approx([0.24, 0.0, 0.0], abs=1e-15)
    assert slider_crank_3d.rates(0.0, 6.0)[2] == pytest.approx([1.92, -0.96, 0.48], abs=1e-14)
    sol = iso.integrate(system, dt=0.002, t_end=1.0)
    square = np.einsum("ki,ki->k", sol.body("slider").R[:, :, 0], sol.body("rod").R[:, :, 1])
    assert np.abs(square).max() < 1e-14


# ---- Andrews' squeezing mechanism


def test_andrews_as_a_mechanism_at_a_state() -> None:
    """Accelerations and the loop multipliers of the seven-coordinate model, at its ten reference
    states, to 1e-9."""
    full, seven = andrews21.reference(), andrews.reference()
    mechanism = Acceleration(problems.get("andrews_mechanism").system())
    angles = Acceleration(andrews.build())
    for k, t in enumerate(full.t):
        a, lam = mechanism(t, full.q[k], full.v[k])
        a_7, lam_7 = angles(t, seven.q[k], seven.v[k])
        assert np.abs(andrews21.to_seven(a) - a_7).max() <= 1e-9 * np.abs(a_7).max()
        assert np.abs(lam[-6:] - lam_7).max() <= 1e-9 * np.abs(lam_7).max()


def test_andrews_as_a_mechanism_runs_as_seven_angles() -> None:
    """Acceleration level with the balance at t_{n+1} commutes with the map between the coordinates:
    equal to 1e-9."""
    run = {"dt": 1e-5, "t_end": 0.005, "newton": iso.Newton(rtol=1e-13, full=True)}
    scheme = iso.Scheme.U0(1, 1, 0)
    sol = iso.integrate(andrews.build(), scheme, iso.AccelerationLevel(), **run)
    other = iso.integrate(problems.get("andrews_mechanism").system(), scheme, iso.AccelerationLevel(), **run)
    for x in ("q", "v", "a"):
        mine = getattr(sol, x)
        assert np.abs(mine - andrews21.to_seven(getattr(other, x))).max() <= 1e-9 * np.abs(mine).max(), x
    assert np.abs(sol.lam - other.lam[:, -6:]).max() <= 1e-9 * np.abs(sol.lam).max()


@pytest.mark.slow
def test_andrews_as_a_mechanism_to_the_end() -> None:
    """DOP853 at t = 0.03 against the reference in extended precision, to 1e-9."""
    full = andrews21.reference()
    k = int(np.argmin(np.abs(full.t - 0.03)))
    found = accurate_motion(problems.get("andrews_mechanism").system(), 0.03).at(full.t[k : k + 1])
    assert np.abs(found.q[0] - full.q[k]).max() < 1e-9


# ---- chains


@pytest.mark.parametrize("n", [1, 2, 7])
def test_planar_chain_against_its_angles(n: int) -> None:
    """Accelerations at random states."""
    rng = np.random.default_rng(n)
    system = problems.get("planar_chain").system(n=float(n))
    acceleration = Acceleration(system)
    theta, rate = rng.normal(size=(2, n))
    ends = np.cumsum(chains.LENGTH * np.column_stack([np.sin(theta), -np.cos(theta)]), axis=0)
    speeds = np.cumsum(chains.LENGTH * rate[:, None] * np.column_stack([np.cos(theta), np.sin(theta)]), axis=0)
    before = np.vstack([np.zeros((1, 2)), ends[:-1]]), np.vstack([np.zeros((1, 2)), speeds[:-1]])
    q = np.column_stack([0.5 * (ends + before[0]), theta]).ravel()
    v = np.column_stack([0.5 * (speeds + before[1]), rate]).ravel()
    expected = chains.planar_acceleration(theta, rate)
    assert acceleration(0.0, q, v)[0][2::3] == pytest.approx(expected, rel=1e-10, abs=1e-10)


def test_spatial_chain_of_one_link_is_a_pendulum() -> None:
    """J θ'' = m g ℓ/2 cos θ from the horizontal."""
    system = problems.get("spatial_chain").system(n=1.0)
    sol = iso.integrate(system, dt=0.0005, t_end=0.5, save_every=100)
    angle, rate = sol.joint("pin 1").angle, sol.joint("pin 1").angle_rate
    assert rate**2 == pytest.approx(3 * chains.G / chains.LENGTH * np.sin(angle), abs=2e-3)


# ---- loops that move although counting says they cannot


def test_bennett_keeps_its_relation() -> None:
    """The product of the tangents of half the hinge angles is constant; three rows of twenty follow
    from the others."""
    frames = loops_in_space.bennett_frames(0.4 * np.pi)
    assert frames[-1] == pytest.approx(np.eye(4), abs=1e-14)
    problem = problems.get("bennett")
    sol = iso.integrate(problem.system(), problem.scheme, dt=0.004, t_end=2.0)
    assert len(sol.redundant) == 3
    assert sol.stats.halvings == sol.stats.rescues == 0
    assert max(sol.drift().largest[:2]) < 1e-12
    theta_1 = 0.4 * np.pi + sol.joint("hinge 1").angle
    theta_2 = 2 * math.atan(loops_in_space.ratio() / math.tan(0.2 * np.pi)) + sol.joint("hinge 2").angle
    s = np.sin(theta_1 / 2) * np.sin(theta_2 / 2) - loops_in_space.ratio() * np.cos(theta_1 / 2) * np.cos(theta_2 / 2)
    assert np.abs(s).max() < 1e-12
    assert np.ptp(theta_1) > 4.9  # from one side to the other, past the folded loop
    assert sol.reaction("hinge 1").indeterminate


def test_bricard_moves() -> None:
    """Rank 29 of 30; energy is kept by the error of the run, constraints to rounding."""
    problem = problems.get("bricard")
    deviation = []
    for dt in (0.01, 0.005):
        sol = iso.integrate(problem.system(), problem.scheme, dt=dt, t_end=1.5)
        assert len(sol.redundant) == 1
        assert max(sol.drift().largest[:2]) < 1e-12
        deviation.append(np.ptp(sum(sol.energy())))
    assert deviation[0] / deviation[1] == pytest.approx(4.0, rel=0.2)
    assert np.ptp(sol.joint("hinge 1").angle) > 1.0


# ---- machines


def test_suspension_rests_where_forces_balance() -> None:
    """On a road that stands still it settles; the tyre then carries all of the weight."""
    system = problems.get("suspension").system(height=0.0)
    sol = iso.integrate(system, iso.Scheme.U0(0.5, 0.5, 0.5), dt=0.005, t_end=6.0)
    assert np.abs(sol.body("chassis").velocity[-1]).max() < 1e-3
    weight = 9.81 * sum(body.mass for body in system.bodies if body.name != "road")
    lift = sol.reaction("lift").force[-1], sol.reaction("bumps").force[-1]
    assert (lift[0] + lift[1])[2] == pytest.approx(weight + 50.0 * 9.81, rel=2e-3)
    assert sol.joint("hub").angle_rate[-1] == pytest.approx(60.0, abs=1e-6)


def test_suspension_follows_the_road() -> None:
    """Slow bumps lift the chassis by their height, fast ones do not; energy and work agree."""
    rides = {}
    for frequency in (1.0, 60.0):
        system = problems.get("suspension").system(frequency=frequency, height=0.02)
        sol = iso.integrate(system, dt=0.002, t_end=2 * math.pi + 3.0)
        late = sol.t > 3.0
        rides[frequency] = np.ptp(sol.body("chassis").position[late, 2])
        road = sol.joint("lift").displacement
        assert road == pytest.approx(0.01 * (1 - np.cos(frequency * sol.t)), abs=1e-12)
    assert rides[1.0] == pytest.approx(0.02, rel=0.15)
    assert rides[60.0] < 0.2 * rides[1.0]


def test_robot_arm_drives_do_the_work() -> None:
    """Driven angles as told; power of drives and motors adds up to the change of energy."""
    sol = iso.integrate(problems.get("robot_arm").system(), dt=0.001, t_end=2.0)
    swing = 0.4 * (1 - np.cos(3.0 * sol.t))
    assert sol.joint("base").angle == pytest.approx(swing, abs=1e-12)
    assert sol.joint("shoulder").angle == pytest.approx(swing, abs=1e-12)
    energy = sum(sol.energy())
    power = np.zeros(sol.t.size)
    for joint, drive in (("base", "base drive"), ("shoulder", "shoulder drive")):
        axis = sol.reaction(drive).torque
        other = sol.body({"base": "column", "shoulder": "upper arm"}[joint])
        w = np.einsum("kij,kj->ki", other.R, other.angular_velocity)
        power += np.sum(axis * w, axis=1)
        if joint == "shoulder":
            column = sol.body("column")
            back = sol.reaction(drive, on="column").torque
            power += np.sum(back * np.einsum("kij,kj->ki", column.R, column.angular_velocity), axis=1)
    elbow = 4.0 * np.sin(3.0 * sol.t) - 9.81 * (3.0 * 0.2 + 0.45)
    roll = sol.joint("roll").angle_rate
    rate = sol.joint("elbow").angle_rate
    power += elbow * rate - 6.0 * rate**2 + 0.02 * (3.0 - roll) * roll
    work = np.concatenate([[0.0], np.cumsum(0.5 * (power[1:] + power[:-1]) * np.diff(sol.t))])
    assert energy - energy[0] == pytest.approx(work, abs=1e-4 * np.abs(work).max())
    assert roll[-1] == pytest.approx(3.0, abs=0.6)


# ---- dry friction


def test_torsion_pendulum_with_dry_friction() -> None:
    """A balanced rotor on a spring: every half swing loses 2 μ r N/k, N being the weight, and it
    stops inside ± μ r N/k."""
    k, mu, radius, mass, J, start = 4.0, 0.3, 0.02, 5.0, 0.05, 0.9
    mech = iso.Mechanism(gravity=(0.0, -9.81, 0.0))
    mech.add_body("rotor", mass, J, orientation=start, kind="planar")
    mech.add_joint(iso.Hinge("pin", "ground", "rotor"))
    mech.add_load(iso.JointSpring("spring", "pin", k, rest=-start))
    mech.add_load(iso.JointFriction("dry", "pin", mu=mu, radius=radius, creep=2e-4))
    loss = mu * radius * mass * 9.81 / k
    swings = math.ceil((start - loss) / (2 * loss))
    stop = (start - 2 * swings * loss) * (-1) ** swings
    assert abs(stop) < loss
    half = math.pi * math.sqrt(J / k)
    sol = iso.integrate(mech.compile(), iso.Scheme.U0(0.5, 0.5, 0.5), dt=5e-4, t_end=(swings + 1) * half)
    for i in range(swings + 1):
        turning = float(np.interp(i * half, sol.t, sol.body("rotor").angle))
        assert turning == pytest.approx((start - 2 * i * loss) * (-1) ** i, abs=2e-3)
    assert sol.body("rotor").angle[-1] == pytest.approx(stop, abs=2e-3)
    assert abs(sol.body("rotor").angular_velocity[-1, 2]) < 2e-4


def swing_end(theta: float, kappa: float, g: float) -> float:
    """Where a pendulum stops that starts from rest at θ > 0, with θ'' = −g sin θ + κ(g cos θ + θ'²)
    while θ' < 0."""
    A, B = 2 * g * (1 - 2 * kappa**2) / (1 + 4 * kappa**2), 6 * kappa * g / (1 + 4 * kappa**2)

    def square(x: float) -> float:
        """θ'², the solution of w' − 2κ w = −2g sin θ + 2κ g cos θ with w(θ₀) = 0."""
        rest = A * math.cos(theta) + B * math.sin(theta)
        return A * math.cos(x) + B * math.sin(x) - rest * math.exp(2 * kappa * (x - theta))

    return float(brentq(square, -theta, 0.5 * math.atan(kappa)))


def test_pendulum_with_dry_friction_stops_where_the_formula_says() -> None:
    """A point mass on a light arm: the pin carries N = m(g cos θ + ℓθ'²)/√(1 − (μr/ℓ)²), which
    makes θ'² a formula of θ."""
    mu, radius, length, g, start = 0.4, 0.05, 0.5, 9.81, 1.0
    mech = iso.Mechanism(gravity=(0.0, -g, 0.0))
    mech.add_body(
        "bob", 2.0, 1e-9, (length * math.sin(start), -length * math.cos(start)), orientation=start, kind="planar"
    )
    mech.add_joint(iso.Hinge("pin", "ground", "bob"))
    mech.add_load(iso.JointFriction("dry", "pin", mu=mu, radius=radius, creep=5e-4))
    kappa = mu * radius / length / math.sqrt(1 - (mu * radius / length) ** 2)
    turning = [start]
    while turning[-1] > math.atan(kappa):
        turning.append(-swing_end(turning[-1], kappa, g / length))
    assert len(turning) > 4
    sol = iso.integrate(mech.compile(), iso.Scheme.U0(0.5, 0.5, 0.5), dt=1e-3, t_end=1.0 * len(turning))
    angle, rate = sol.body("bob").angle, sol.body("bob").angular_velocity[:, 2]
    turns = np.flatnonzero((rate[1:-1] * rate[2:] < 0) & (np.abs(rate[:-2]) > 5e-3)) + 1
    found = [abs(angle[k]) for k in turns][: len(turning) - 1]
    assert found[: len(turning) - 2] == pytest.approx(turning[1 : len(found[: len(turning) - 2]) + 1], abs=3e-3)
    assert abs(angle[-1]) == pytest.approx(turning[-1], abs=5e-3)
    assert abs(rate[-1]) < 1e-3  # it creeps
