"""Rolling on planes and rails, still and moving, against closed forms and equations of motion written
another way."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from scipy.integrate import solve_ivp
from scipy.spatial.transform import Rotation

import isodyn as iso
from isodyn.errors import InputError

G = 9.81


def ball(m: float = 1.2, r: float = 0.3, at: Any = (0, 0, 0.3), **given: Any) -> iso.Mechanism:
    mech = iso.Mechanism(gravity=(0, 0, -G))
    mech.add_body("ball", m, 0.4 * m * r * r * np.ones(3), at, **given)
    return mech


def test_ball_on_a_turntable() -> None:
    """The centre of a homogeneous ball goes round with 2/7 of the speed of the table."""
    speed, r, at = 3.0, 0.3, np.array([1.0, 0.0, 0.3])
    v = np.array([0.4, 0.1, 0.0])
    # no slip against the table, whose point below moves with Ω × x
    w = np.cross((0, 0, 1.0), v - np.cross((0, 0, speed), at)) / r
    mech = ball(at=at, velocity=v, angular_velocity=w)
    mech.add_body("table", 5.0, (1, 1, 2), (0, 0, -1), angular_velocity=(0, 0, speed))
    mech.add_joint(iso.Hinge("pin", "ground", "table", axis=(0, 0, 1)))
    mech.add_joint(iso.Drive("motor", "pin", iso.Polynomial(0, speed)))
    mech.add_joint(iso.RollingSphere("contact", "ball", radius=r, on="table"))
    sol = iso.integrate_adaptive(mech.compile(), t_end=4.0, rtol=1e-10, atol=1e-10, save=np.linspace(0, 4, 41))
    turn = 2 / 7 * speed * sol.t
    c, s = np.cos(turn), np.sin(turn)
    expected = np.column_stack([c * v[0] - s * v[1], s * v[0] + c * v[1]])
    np.testing.assert_allclose(sol.body("ball").velocity[:, :2], expected, atol=1e-7)
    force = sol.reaction("contact")
    assert force.bodies == ("ball", "table")
    np.testing.assert_allclose(force.force, -sol.reaction("contact", on="table").force, atol=1e-9)
    np.testing.assert_allclose(force.point, sol.body("ball").position - (0, 0, r), atol=1e-9)


def test_ball_on_a_shaken_plane() -> None:
    """The centre moves with 2/7 of the plane that slides, and is lifted with it."""
    slide, lift = iso.Sine(0.2, 5.0), iso.Sine(0.01, 3.0)
    mech = ball(velocity=(0, 0, 0.03), angular_velocity=(0, -1.0 / 0.3, 0))
    mech.add_joint(iso.RollingSphere("floor", "ball", 0.3, along=(1, 0, 0), slide=slide, lift=lift))
    sol = iso.integrate_adaptive(mech.compile(), t_end=2.0, rtol=1e-10, atol=1e-10, save=np.linspace(0, 2, 801))
    x, t = sol.body("ball").position, sol.t
    np.testing.assert_allclose(x[:, 0], 2 / 7 * (0.2 * np.sin(5 * t) - 1.0 * t), atol=1e-8)
    np.testing.assert_allclose(x[:, 2], 0.3 + 0.01 * np.sin(3 * t), atol=1e-8)
    assert np.abs(sol.energy_balance()).max() < 1e-4 * sol.energy()[0].max()


@pytest.mark.parametrize("kind", ["sphere", "disc"])
def test_general_contacts_are_the_special_ones(kind: str) -> None:
    """Balls and discs on a plane of the ground, by their own words and by those of any surface."""
    given = {"velocity": (0.6, 0.1, 0), "angular_velocity": (0.4, 2.0, 1.0)}
    runs = []
    for more in ({}, {"along": (1.0, 0.3, 0.0)}):
        mech = iso.Mechanism(gravity=(1.5, 0.3, -9.7))
        mech.add_body("body", 2.0, (0.03, 0.05, 0.04), (50.0, -20.0, 0.2), **given)
        if kind == "sphere":
            mech.add_joint(iso.RollingSphere("j", "body", 0.2, **more))
        else:
            mech.add_joint(iso.RollingDisc("j", "body", 0.2, (0.0, 1.0, 0.0), **more))
        runs.append(iso.integrate(mech, dt=2e-3, t_end=0.4, assemble=True))
    np.testing.assert_allclose(runs[0].q, runs[1].q, atol=1e-10)
    np.testing.assert_allclose(runs[0].a, runs[1].a, atol=1e-8)
    for r in ("force", "torque", "point"):
        np.testing.assert_allclose(getattr(runs[0].reaction("j"), r), getattr(runs[1].reaction("j"), r), atol=1e-8)


def rattleback(spin: float, skew: float = 1.0, shift: Any = (0, 0, 0)) -> tuple[iso.Mechanism, Any, Any]:
    """A celt whose axes of inertia are turned by some degrees against those of its ellipsoid."""
    half, m = np.array([0.2, 0.03, 0.02]), 1.0
    moments = m / 5 * (np.sum(half**2) - half**2)
    Rz = Rotation.from_euler("z", np.radians(skew)).as_matrix()
    J = Rz @ np.diag(moments) @ Rz.T
    mech = iso.Mechanism(gravity=(0, 0, -G))
    w = np.array([0.1, 0.1, spin])
    mech.add_body(
        "stone", m, J, np.array([0, 0, half[2]]) + shift, velocity=np.cross(w, (0, 0, half[2])), angular_velocity=w
    )
    mech.add_joint(iso.RollingEllipsoid("table", "stone", half))
    return mech, half, J


def rattleback_equations(half: Any, J: Any, m: float = 1.0) -> Any:
    """ω̇ from the balance of moments about the point that touches, in the body: v = x × ω, x from the
    mass centre to that point."""
    A = np.diag(half**2)

    def rate(t: float, y: Any) -> Any:
        e, w = y[:4] / np.linalg.norm(y[:4]), y[4:7]
        R = Rotation.from_quat(np.roll(e, -1)).as_matrix()
        n = R[2]
        s = np.sqrt(n @ A @ n)
        x = -A @ n / s
        dn = np.cross(n, w)
        dx = -(A @ dn) / s + A @ n * (n @ A @ dn) / s**3
        X = np.array([[0, -x[2], x[1]], [x[2], 0, -x[0]], [-x[1], x[0], 0]])
        known = m * (np.cross(dx, w) + np.cross(w, np.cross(x, w)) + G * n)
        dw = np.linalg.solve(J - m * X @ X, np.cross(x, known) - np.cross(w, J @ w))
        de = 0.5 * np.array([-e[1:] @ w, *(e[0] * w + np.cross(e[1:], w))])
        return np.concatenate([de, dw, R @ np.cross(x, w)])

    return rate


def test_rattleback_by_its_own_equations() -> None:
    """An ellipsoid on a plane against the balance of moments about the contact."""
    mech, half, J = rattleback(-5.0)
    t = np.linspace(0, 1.0, 21)
    sol = iso.integrate_adaptive(mech.compile(), t_end=1.0, rtol=1e-10, atol=1e-11, save=t)
    stone = sol.body("stone")
    start = np.concatenate([[1.0, 0, 0, 0], stone.angular_velocity[0], stone.position[0]])
    exact = solve_ivp(rattleback_equations(half, J), (0, 1.0), start, "DOP853", t, rtol=1e-11, atol=1e-13)
    np.testing.assert_allclose(stone.angular_velocity, exact.y[4:7].T, atol=2e-6)
    np.testing.assert_allclose(stone.position, exact.y[7:].T, atol=1e-7)


def test_rattleback_turns_round_one_way_only() -> None:
    """Spun one way it comes back, spun the other way it goes on; no energy is lost, and nothing
    slips. Exchanging the skew exchanges the ways."""
    for skew in (1.0, -1.0):
        last = {}
        for spin in (-5.0, 5.0):
            sol = iso.integrate(rattleback(spin, skew)[0], dt=1e-3, t_end=6.0, save_every=20)
            stone = sol.body("stone")
            w = np.einsum("kij,kj->ki", stone.R, stone.angular_velocity)
            last[spin] = w[-1, 2]
            energy = sum(sol.energy())
            assert np.ptp(energy) < 3e-3 * energy[0]
            point = sol.reaction("table").point
            slip = stone.velocity + np.cross(w, point - stone.position)
            assert np.abs(slip).max() < 1e-9
            assert np.abs(point[:, 2]).max() < 1e-12
            assert sol.reaction("table").force[:, 2].min() > 0.0  # it never lifts off
        bad, good = (-5.0, 5.0) if skew > 0 else (5.0, -5.0)
        assert last[bad] * bad < -1.0, (skew, last)
        assert last[good] * good > 20.0, (skew, last)


def test_ball_in_a_parabolic_trough() -> None:
    """Rolling across z = y²: T = ½ m (1 + 2/5) |ċ|², c = (y, y²) + r n, one equation for y."""
    m, r, c2, y0 = 1.2, 0.2, 1.0, 0.6

    def geometry(y: float) -> tuple[Any, Any, float]:
        d = 2 * c2 * y
        n = np.array([-d, 1.0]) / np.sqrt(1 + d * d)
        bend = 2 * c2 / (1 + d * d) ** 1.5
        return np.array([y, c2 * y * y]) + r * n, d, np.sqrt(1 + d * d) * (1 - r * bend)  # |dc/dy|

    def rate(t: float, state: Any) -> Any:
        y, u = state
        h = 1e-5
        speed = [geometry(y + k * h)[2] for k in (-1, 0, 1)]
        height = [geometry(y + k * h)[0][1] for k in (-1, 0, 1)]
        slope, rise = (speed[2] - speed[0]) / (2 * h), (height[2] - height[0]) / (2 * h)
        return [u, (-G * rise / 1.4 - speed[1] * slope * u * u) / speed[1] ** 2]

    centre = geometry(y0)[0]
    mech = ball(m, r, (0.0, *centre))
    mech.add_joint(iso.WheelOnRail("trough", "ball", r, (0, 1, 0), profile=(0, 0, c2), barrel=r, along=(1, 0, 0)))
    t = np.linspace(0, 2.0, 41)
    sol = iso.integrate_adaptive(mech.compile(), t_end=2.0, rtol=1e-10, atol=1e-10, save=t)
    exact = solve_ivp(rate, (0, 2.0), [y0, 0.0], "DOP853", t, rtol=1e-11, atol=1e-12)
    path = np.array([geometry(y)[0] for y in exact.y[0]])
    np.testing.assert_allclose(sol.body("ball").position[:, 1:], path, atol=1e-6)
    np.testing.assert_allclose(sol.reaction("trough").point[:, 1], exact.y[0], atol=1e-6)
    energy = sum(sol.energy())
    assert np.ptp(energy) < 1e-7 * energy[0]


def test_a_trough_that_is_too_narrow_has_no_single_place() -> None:
    """r f″ > 1 at the bottom: the ball would touch at two places."""
    mech = ball(1.0, 0.2, (0, 0, 0.2))
    mech.add_joint(iso.WheelOnRail("trough", "ball", 0.2, (0, 1, 0), profile=(0, 0, 10.0), barrel=0.2, along=(1, 0, 0)))
    with pytest.raises(iso.errors.IsodynError):
        iso.integrate(mech, dt=1e-3, t_end=0.1)


def wheelset(y: float, speed: float, gauge: float = 0.75, R0: float = 0.5, L: float = 4.0) -> iso.Mechanism:
    """A barrel on two rails with round heads: its radius falls to both sides, as that of conical
    wheels does."""
    mech = iso.Mechanism(gravity=(0, 0, -G))
    mech.add_body(
        "axle", 1000.0, (500.0, 100.0, 500.0), (0, y, R0), velocity=(speed, 0, 0), angular_velocity=(0, speed / R0, 0)
    )
    for name, side, across in (("left", 1.0, True), ("right", -1.0, False)):
        mech.add_joint(
            iso.WheelOnRail(
                name,
                "axle",
                R0,
                (0, 1, 0),
                profile=(0, 0, -5.0),
                barrel=L,
                across=across,
                along=(1, 0, 0),
                plane_point=(0, side * gauge, R0 * (np.sqrt(1 - (gauge / L) ** 2) - 1)),
            )
        )
    return mech


def test_wheelset_swings_as_klingel_says() -> None:
    """The kinematic swing of an axle whose wheels do not slip along the rails: wave number² = γ/(r b),
    γ the slope of the barrel at the rails; round heads and the roll of the axle change it by less
    than a hundredth."""
    gauge, R0, L, speed = 0.75, 0.5, 4.0, 2.0
    start = wheelset(0.002, speed).assemble(rates={}).system
    sol = iso.integrate(start, dt=5e-3, t_end=24.0, save_every=4, assemble=True)
    x, y = sol.body("axle").position[:, 0], sol.body("axle").position[:, 1]
    y = y - y.mean()
    crossings = (
        x[:-1][np.diff(np.sign(y)) != 0]
        - y[:-1][np.diff(np.sign(y)) != 0] * np.diff(x)[np.diff(np.sign(y)) != 0] / np.diff(y)[np.diff(np.sign(y)) != 0]
    )
    measured = np.pi / np.mean(np.diff(crossings))
    r = R0 * np.sqrt(1 - (gauge / L) ** 2)
    slope = R0 * gauge / (L**2 * np.sqrt(1 - (gauge / L) ** 2))
    assert measured == pytest.approx(np.sqrt(slope / (r * gauge)), rel=0.015)
    assert np.ptp(sum(sol.energy())) < 1e-6 * sol.energy()[0][0]


def test_refusals() -> None:
    mech = ball()
    for joint, words in (
        (iso.RollingEllipsoid("j", "ball", (1.0, 0.0, 1.0)), "half axes must be positive"),
        (iso.RollingEllipsoid("j", "ball", (1, 1, 1), axes=((1, 0, 0), (1, 1, 0))), "perpendicular to each other"),
        (iso.RollingSphere("j", "ball", 0.3, along=(0, 0, 1)), "along points along the normal"),
        (iso.WheelOnRail("j", "ball", 0.3, (0, 1, 0), profile=range(12)), "9 numbers or fewer"),
        (iso.WheelOnRail("j", "ball", 0.3, (0, 1, 0), tread=0.5), "nor a tread larger than the radius"),
        (iso.WheelOnRail("j", "ball", 0.3, (0, 1, 0), profile=(0, 0, 1), lift=iso.Sine(1, 1)), "does not move by lift"),
    ):
        mech.joints.pop("j", None)
        mech.add_joint(joint)
        with pytest.raises(InputError, match=words):
            mech.compile()
    with pytest.raises(InputError, match="joins 'ball' to itself"):
        mech.add_joint(iso.RollingSphere("k", "ball", 0.3, on="ball"))
    mech.joints.pop("j", None)
    mech.add_body("bob", 1.0, position=(0, 0, 0), kind="particle")
    mech.add_joint(iso.RollingSphere("j", "ball", 0.3, on="bob"))
    with pytest.raises(InputError, match="a plane needs a spatial body or the ground"):
        mech.compile()
