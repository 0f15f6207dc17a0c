"""What every joint keeps: its own rows, work, energy and momentum; and which way its reaction
points."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest

import isodyn as iso
from isodyn.kernels.compiled import FloatArray
from isodyn.studies import accurate_motion

G = np.array([0.4, -0.7, -9.5])
P, A, B = (0.3, -0.2, 0.5), (0.2, 0.9, -0.4), (0.9, -0.2, 0.0)  # A · B = 0
MADE: dict[str, Any] = {
    "spherical": lambda i, j: iso.Spherical("j", i, j, point=P),
    "hinge": lambda i, j: iso.Hinge("j", i, j, point=P, axis=A),
    "prismatic": lambda i, j: iso.Prismatic("j", i, j, point=P, axis=A),
    "cylindrical": lambda i, j: iso.Cylindrical("j", i, j, point=P, axis=A),
    "screw": lambda i, j: iso.Screw("j", i, j, point=P, axis=A, pitch=0.25),
    "planar": lambda i, j: iso.Planar("j", i, j, point=P, axis=A),
    "universal": lambda i, j: iso.Universal("j", i, j, point=P, axis=A, second_axis=B),
    "point on plane": lambda i, j: iso.PointOnPlane("j", i, j, point=P, axis=A),
    "fixed": lambda i, j: iso.Fixed("j", i, j, point=P, axis=A),
    "distance": lambda i, j: iso.Distance("j", i, j, points=(P, (1.0, 1.0, 0.2))),
}


def mechanism(rng: Any, names: tuple[str, ...]) -> iso.Mechanism:
    """Bodies with full inertias somewhere, moving."""
    mech = iso.Mechanism(gravity=G)
    for name in names:
        L = rng.normal(size=(3, 3))
        points = L @ L.T
        e = rng.normal(size=4)
        J = np.trace(points) * np.eye(3) - points
        r, v, w = rng.normal(size=(3, 3))
        mech.add_body(name, 1.0 + rng.random(), J, r, e / np.linalg.norm(e), v, w)
    return mech


def started(mech: iso.Mechanism) -> Any:
    """The system with its velocities brought onto the constraints."""
    system = mech.compile()
    sol = iso.integrate(system, dt=1e-6, t_end=1e-6, assemble=True)
    object.__setattr__(system, "q0", sol.q[0])
    object.__setattr__(system, "v0", sol.v[0])
    return system


def exact(system: Any, t: FloatArray) -> iso.Solution:
    """A solution of high order, with what a solution can tell."""
    motion = accurate_motion(system, float(t[-1])).at(t)
    sol = iso.integrate(system, dt=t[1], t_end=t[1])
    return replace(sol, t=t, q=motion.q, v=motion.v, a=motion.a, lam=motion.lam)


@pytest.mark.parametrize("name", MADE)
def test_two_free_bodies(name: str) -> None:
    """Rows, work of the reactions, energy, linear and angular momentum over one second under
    gravity, each to 1e-9 or better."""
    mech = mechanism(np.random.default_rng(5), ("one", "two"))
    mech.add_joint(MADE[name]("one", "two"))
    system, t = started(mech), np.linspace(0.0, 1.0, 21)
    sol = exact(system, t)
    position, velocity, acceleration = sol.drift().largest
    assert max(position, velocity, acceleration) < 1e-10
    first, second = sol.body("one"), sol.body("two")
    mass = np.array([first.body.mass, second.body.mass])
    kinetic, potential = sol.energy()
    assert np.ptp(kinetic + potential) < 1e-9 * np.abs(kinetic).max()
    linear, angular = sol.momentum()
    assert np.abs(linear - linear[0] - mass.sum() * t[:, None] * G).max() < 1e-9
    weighted = mass[0] * first.position[0] + mass[1] * second.position[0]
    torque = np.cross(t[:, None] * weighted + 0.5 * t[:, None] ** 2 * linear[0], G)
    assert np.abs(angular - angular[0] - torque).max() < 1e-9
    power, size = np.zeros(t.size), 0.0
    for body, point in ((first, "s_i"), (second, "s_j")):
        r = sol.reaction("j", on=body.name)
        s = getattr(system.joints["j"].pair, point) + body.body.centre
        v = body.point(s, frame="body").velocity
        w = np.einsum("kij,kj->ki", body.R, body.angular_velocity)
        power += np.sum(r.force * v + r.torque * w, axis=1)
        size = max(size, np.abs(r.force * v).max(), np.abs(r.torque * w).max())
    assert np.abs(power).max() < 1e-9 * size


@pytest.mark.parametrize("name", MADE)
def test_reaction_of_one_body_on_the_ground(name: str) -> None:
    """Force and torque on the second body at the joint's point make its mass accelerate; the first
    gets the opposite."""
    mech = mechanism(np.random.default_rng(6), ("body",))
    mech.add_joint(MADE[name]("ground", "body"))
    system = started(mech)
    sol = iso.integrate(system, iso.Scheme.U0(0.8, 0.8, 0.8), dt=1e-3, t_end=0.3, save_every=30)
    view, r = sol.body("body"), sol.reaction("j")
    assert not r.indeterminate
    body, pair = view.body, system.joints["j"].pair
    w, J = view.angular_velocity, body.inertia
    # the balance is second order at t_n: a and λ there are that accurate
    assert r.force == pytest.approx(body.mass * (view.acceleration - G), abs=2e-4 * np.abs(r.force).max())
    moment = np.einsum("kij,kj->ki", view.R, view.angular_acceleration @ J + np.cross(w, w @ J))
    arm = view.R @ pair.s_j
    assert r.torque + np.cross(arm, r.force) == pytest.approx(moment, abs=1e-12 + 2e-4 * np.abs(moment).max())
    assert r.force[0] == pytest.approx((body.mass * (view.acceleration - G))[0], abs=1e-9)
    assert (r.torque + np.cross(arm, r.force))[0] == pytest.approx(moment[0], abs=1e-9)
    back = sol.reaction("j", on="ground")
    assert back.force == pytest.approx(-r.force, abs=1e-12)
    apart = view.position + arm - pair.s_i  # from the point on the ground to that on the body
    assert back.torque == pytest.approx(
        -r.torque - np.cross(apart, r.force), abs=1e-8 * max(1.0, np.abs(r.torque).max())
    )
    local = sol.reaction("j", frame="joint")
    assert local.force == pytest.approx(r.force @ pair.a.T, abs=1e-12)  # the ground does not turn
    assert local.torque == pytest.approx(r.torque @ pair.a.T, abs=1e-12)
    if name in ("hinge", "cylindrical", "planar"):
        assert np.abs(local.torque[:, 2]).max() < 1e-9 * np.abs(r.force).max()
    if name in ("prismatic", "cylindrical"):
        assert np.abs(local.force[:, 2]).max() < 1e-9 * np.abs(r.force).max()
    if name == "spherical":
        assert np.abs(r.torque).max() < 1e-9 * np.abs(r.force).max()
    if name == "screw":  # advance: torque about the axis = −pitch × force along it
        assert local.torque[:, 2] == pytest.approx(-0.25 * local.force[:, 2], rel=1e-9)


@pytest.mark.parametrize("kind", ["sphere", "disc"])
def test_rolling_does_no_work(kind: str) -> None:
    """Energy of a body that rolls on a slope, and no slip at the point that touches."""
    mech = iso.Mechanism(gravity=(1.5, 0.3, -9.7))
    mech.add_body(
        "ball", 2.0, (0.03, 0.04, 0.05), (0, 0, 0.2), velocity=(0.5, 0.1, 0), angular_velocity=(0.4, 2.0, 1.0)
    )
    mech.add_joint(
        iso.RollingSphere("j", "ball", radius=0.2)
        if kind == "sphere"
        else iso.RollingDisc("j", "ball", radius=0.2, axis=(0.0, 1.0, 0.0))
    )
    sol = exact(started(mech), np.linspace(0.0, 0.6, 13))
    assert max(sol.drift().largest) < 1e-9
    energy = sum(sol.energy())
    assert np.ptp(energy) < 1e-9 * np.abs(sol.energy()[0]).max()


def test_drive_and_its_work() -> None:
    """A driven hinge turns as told, counts whole turns, and its torque does the work that the
    energy balance asks for."""
    mech = iso.Mechanism(gravity=(0.0, 0.0, -9.81))
    mech.add_body("arm", 1.2, (0.01, 0.09, 0.09), (0.4, 0.0, 0.0), velocity=(0, 0, -1.2), angular_velocity=(0, 3.0, 0))
    mech.add_joint(iso.Hinge("pin", "ground", "arm", axis=(0, 1, 0)))
    mech.add_joint(iso.Drive("turn", "pin", iso.Polynomial(0.0, 3.0, 0.5)))
    sol = iso.integrate(mech.compile(), dt=0.002, t_end=5.0)
    assert sol.joint("pin").angle == pytest.approx(3.0 * sol.t + 0.5 * sol.t**2, abs=1e-11)
    assert sol.joint("pin").angle_rate == pytest.approx(3.0 + sol.t, abs=1e-10)
    torque = sol.reaction("turn").torque[:, 1]
    angle = sol.joint("pin").angle
    expected = (0.09 + 1.2 * 0.16) * 1.0 - 1.2 * 9.81 * 0.4 * np.cos(angle)
    assert torque == pytest.approx(expected, abs=2e-3)
    assert np.abs(sol.energy_balance()).max() < 1e-3 * np.abs(sol.energy()[0]).max()
