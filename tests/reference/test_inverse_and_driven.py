"""Forces of a given motion against forward dynamics and the textbook; driven motion against a
dynamic run."""

from __future__ import annotations

import numpy as np
import pytest

import isodyn as iso
import linkages
from isodyn.errors import ConflictError, InputError, SingularError

G = 9.81
R, L = 0.2, 0.5
OMEGA = 4.0


def engine(planar: bool = True, drive=None) -> iso.Mechanism:
    """A slider–crank with the crank driven from 0.7 rad."""
    mech = linkages.slider_crank(planar, 0.7, R, L)
    mech.add_joint(iso.Drive("motor", "crank pin", iso.Polynomial(0.0, OMEGA) if drive is None else drive))
    return mech


def textbook_torque(t):
    """Torque on the crank of the slider–crank by power: T ω = d(kinetic)/dt + d(potential)/dt, in
    closed form of the angle."""
    h = 1e-4
    w = np.array([1 / 280, -4 / 105, 1 / 5, -4 / 5, 0, 4 / 5, -1 / 5, 4 / 105, -1 / 280])

    def slope(f, x):
        return sum(wi * f(x + (i - 4) * 10 * h) for i, wi in enumerate(w)) / (10 * h)

    def energy(t):
        th = 0.7 + OMEGA * t
        B = R * np.array([np.cos(th), np.sin(th)])
        vB = OMEGA * R * np.array([-np.sin(th), np.cos(th)])
        beta = np.arcsin(B[1] / L)
        beta_rate = vB[1] / (L * np.cos(beta))
        vC = vB[0] - L * np.sin(beta) * beta_rate
        C = np.array([B[0] + L * np.cos(beta), 0.0])
        mid, v_mid = (B + C) / 2, (vB + np.array([vC, 0.0])) / 2
        kinetic = 0.5 * (1.5 * R**2 / 3) * OMEGA**2
        kinetic += 0.5 * 0.8 * (v_mid @ v_mid) + 0.5 * (0.8 * L**2 / 12) * beta_rate**2 + 0.5 * 0.6 * vC**2
        return kinetic + G * (1.5 * B[1] / 2 + 0.8 * mid[1])

    return np.array([slope(energy, x) / OMEGA for x in np.atleast_1d(t)])


@pytest.mark.parametrize("planar", [True, False])
def test_torque_of_a_slider_crank_against_the_textbook(planar):
    """Through both dead centres of the slider, over a whole turn."""
    t = np.linspace(0.0, 2 * np.pi / OMEGA, 41)
    sol = iso.kinematics(engine(planar).compile(), t)
    system = sol.system
    forces = iso.inverse_dynamics(system, t, sol.q, sol.v, sol.a)
    exact = textbook_torque(t)
    assert np.abs(forces.drive("motor") - exact).max() < 1e-9 * np.abs(exact).max()
    assert np.abs(forces.force).max() < 1e-9
    theta = 0.7 + OMEGA * t
    slider = R * np.cos(theta) + np.sqrt(L**2 - (R * np.sin(theta)) ** 2)
    assert sol.body("slider").position[:, 0] == pytest.approx(slider, abs=1e-12)
    assert max(sol.drift().largest) < 1e-12


@pytest.mark.parametrize("planar", [True, False])
def test_driven_motion_against_a_dynamic_run(planar):
    """The same mechanism integrated: positions to rounding, multipliers of the drive to the error
    of the scheme."""
    drive = iso.Sine(0.6, 3.0)
    mech = engine(planar, drive)
    start = mech.assemble()
    run = iso.integrate(start.system, dt=2e-3, t_end=0.4)
    sol = iso.kinematics(start.system, run.t)
    assert np.abs(sol.q - run.q).max() < 1e-10
    assert np.abs(sol.v - run.v).max() < 1e-9
    row = start.system.row_names.index("motor: drive")
    scale = np.abs(sol.lam[:, row]).max()
    assert np.abs(sol.lam[:, row] - run.lam[:, row]).max() < 2e-3 * scale
    assert np.abs(sol.reaction("wrist").force - run.reaction("wrist").force).max() < 2e-2 * scale


def test_inverse_of_forward():
    """Accelerations and multipliers of a start, put back: nothing is left over, to 1e-10; rows
    redundant and not."""
    for mech in (linkages.four_bar(), linkages.four_bar(True), linkages.double_wishbone()):
        at = mech.assemble(rates={next(iter(mech.joints)): 2.0}).system
        sol = iso.integrate(at, dt=1e-3, t_end=1e-3)
        back = iso.inverse_dynamics(at, 0.0, sol.q[0], sol.v[0], sol.a[0])
        size = np.abs(sol.lam[0]).max()
        assert np.abs(back.force).max() < 1e-10 * size
        assert np.abs(back.lam - sol.lam[0]).max() < 1e-9 * size


def test_computed_torque_of_an_arm():
    """A two-link arm: torques of its joints for an arbitrary admissible motion, put on as motors,
    bring that acceleration."""
    mech = iso.Mechanism(gravity=(0, -G, 0))
    linkages.add_bar(mech, "upper", (0, 0, 0), (1.0, 0, 0), 2.0)
    linkages.add_bar(mech, "lower", (1.0, 0, 0), (1.5, 0.5, 0), 1.0)
    mech.add_joint(iso.Hinge("shoulder", "ground", "upper", point=(0, 0, 0), axis=(0, 0, 1)))
    mech.add_joint(iso.Hinge("elbow", "upper", "lower", point=(1.0, 0, 0), axis=(0, 0, 1)))
    rates = {"shoulder": 1.0, "elbow": -2.0}
    wanted = {"shoulder": 3.0, "elbow": 5.0}
    driven = iso.Mechanism(gravity=(0, -G, 0))
    driven.bodies.update(mech.bodies)
    driven.joints.update(mech.joints)
    for name in rates:
        driven.add_joint(iso.Drive(f"drive {name}", name, iso.Polynomial(0.0, rates[name], wanted[name] / 2)))
    exact = iso.kinematics(driven.compile(), [0.0])
    found = iso.inverse_dynamics(
        mech.compile(), 0.0, exact.q[0], exact.v[0], exact.a[0], actuators=["shoulder", "elbow"]
    )
    assert np.abs(found.force).max() < 1e-12
    forces = iso.inverse_dynamics(driven.compile(), 0.0, exact.q[0], exact.v[0], exact.a[0])
    for name in rates:
        assert found[name] == pytest.approx(forces.drive(f"drive {name}"), rel=1e-11)
        mech.add_load(iso.Motor(f"motor {name}", name, torque=float(found[name])))
    sol = iso.integrate(mech.assemble(rates=rates).system, dt=1e-3, t_end=1e-3)
    assert np.abs(sol.a[0] - exact.a[0]).max() < 1e-10


def test_friction_uses_the_reaction_that_comes_out():
    """A slider pressed on its guide by its weight: the drive pushes against μ m g."""
    mech = iso.Mechanism()
    mech.add_body("block", 2.0, (0.1, 0.1, 0.1))
    mech.add_joint(iso.Prismatic("guide", "ground", "block", axis=(1, 0, 0)))
    mech.add_joint(iso.Drive("push", "guide", iso.Polynomial(0.0, 1.0)))
    mech.add_load(iso.JointFriction("dry", "guide", mu=0.3))
    sol = iso.kinematics(mech.compile(), [0.0, 0.1])
    forces = iso.inverse_dynamics(mech.compile(), sol.t, sol.q, sol.v, sol.a)
    assert forces.drive("push") == pytest.approx([0.3 * 2.0 * G] * 2, rel=1e-9)


def test_a_users_own_rheonomic_row():
    system = iso.MechanicalSystem(
        M=np.eye(2),
        Q=lambda q, v, t: np.zeros(2),
        q0=[1.0, 0.0],
        v0=[0.0, 1.0],
        phi=lambda q, t: np.array([q[0] - np.cos(t), q[1] - np.sin(t)]),
    )
    sol = iso.kinematics(system, np.linspace(0.0, 1.0, 5))
    assert sol.a == pytest.approx(-sol.q, abs=1e-6)
    assert sol.lam == pytest.approx(sol.q, abs=1e-6)  # M a = −λ


def test_messages():
    with pytest.raises(InputError, match=r"1 of 9 velocities are not driven at t = 0 \(rank 8\)"):
        iso.kinematics(linkages.slider_crank().compile(), [0.0, 1.0])
    with pytest.raises(InputError, match="times must ascend"):
        iso.kinematics(engine().compile(), [0.0, 1.0, 1.0])
    with pytest.raises(InputError, match="no drive or row named 'engine'"):
        iso.inverse_dynamics(engine().compile(), 0.0, *[np.zeros(9)] * 3).drive("engine")
    with pytest.raises(InputError, match="q must be finite, with 9 entries for each of 1 times"):
        iso.inverse_dynamics(engine().compile(), 0.0, np.zeros(4), np.zeros(9), np.zeros(9))


def test_a_slider_driven_through_its_dead_centre_is_refused():
    """The slider cannot push the crank through the position where crank and rod align."""
    mech = linkages.slider_crank(True, 0.3, R, L)
    x = mech.bodies["slider"].position[0]
    far = R + L - x
    mech.add_joint(iso.Drive("piston", "slide", iso.Polynomial(0.0, 1.0)))
    iso.kinematics(mech.compile(), np.linspace(0, 0.9 * far, 5))
    with pytest.raises((SingularError, ConflictError)):
        iso.kinematics(mech.compile(), np.linspace(0, 1.5 * far, 5))
