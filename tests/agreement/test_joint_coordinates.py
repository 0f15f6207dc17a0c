"""Mechanisms without loops in the coordinates of their joints agree with themselves in those of
their bodies: equations, tangents, reactions and runs."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import isodyn as iso
from isodyn.kernels.compiled import JACOBIAN
from isodyn.systems.questions import Questions
from isodyn.trees.system import multipliers
from jointed_trees import tree

PLANAR = [("hh", [-1, 0], "00"), ("hshfb", [-1, 0, 1, 1, 3], "01110")]
SPATIAL = [
    ("hhsfh", [-1, 0, 1, 1, 3], "11110"),
    ("bhbs", [-1, 0, 1, 1], "1100"),
    ("chc", [-1, 0, 1], "011"),
    ("php", [-1, 0, 1], "011"),
    ("uhu", [-1, 0, 1], "011"),
]
TREES = [(*one, True, False) for one in PLANAR] + [(*one, False, False) for one in SPATIAL]
TREES += [("hsh", [-1, 0, 1], "011", True, True), ("hbh", [-1, 0, 1], "011", False, True)]


def loaded(mech: iso.Mechanism, planar: bool) -> iso.Mechanism:
    """With springs, dampers, motors and forces on joints and bodies."""
    mech.add_load(iso.JointSpring("spring", "j0", stiffness=3.0, damping=0.2, rest=0.3))
    mech.add_load(iso.Motor("motor", "j2", torque=iso.Sine(2.0, 3.0)))
    mech.add_load(iso.Motor("governor", "j1", speed=2.0, gain=1.5))
    mech.add_load(iso.Spring("rope", "b0", "b2", stiffness=10.0, damping=0.5, rest=0.3))
    mech.add_load(iso.Force("push", "b2", force=(1.0, 2.0, 0.0 if planar else 3.0), point=(0.3, 0.2, 0.0)))
    mech.add_load(iso.Drag("air", "b1", coefficient=0.7))
    return mech


def close(one: Any, other: Any) -> float:
    return float(np.abs(one - other).max() / np.abs(other).max())


def compare(mech: iso.Mechanism) -> None:
    """Balance, M, tangents and multipliers at a random state."""
    system = iso.joint_coordinates(mech)
    base, n, random, t = system.mechanism, system.nv, np.random.default_rng(1), 0.3
    move = system.retract or (lambda q, d: q + d)
    q, (v, a) = move(system.q0, 0.7 * random.normal(size=n)), random.normal(size=(2, n))
    ask, full = Questions(system), Questions(base)
    Q, V, A = system.state(q, v, a)
    for gap in (full.position(t, Q, V), full.velocity(t, Q, V), full.acceleration(t, Q, V, A)):
        assert np.abs(gap).max() < 1e-13
    N = np.column_stack([system.state(q, e)[1] for e in np.eye(n)])
    assert close(ask.balance(t, q, v, a), N.T @ full.balance(t, Q, V, A)) < 1e-13
    M = ask.mass(t, q, v)
    assert close(M, N.T @ full.mass(t, Q, V) @ N) < 1e-13
    h = 1e-5
    K, C = (
        np.column_stack([(along(h * e) - along(-h * e)) / (2 * h) for e in np.eye(n)])
        for along in (lambda d: ask.balance(t, move(q, d), v, a), lambda d: ask.balance(t, q, v + d, a))
    )
    J = ask.ask(JACOBIAN, t, q, v, a, n * n, weights=(0.3, 0.7, 1.1)).reshape(n, n)
    assert close(J, 0.3 * M + 0.7 * C + 1.1 * K) < 1e-8
    Q, V, A = system.state(q, v, np.linalg.solve(M, -ask.balance(t, q, v, 0 * v)))
    lam = multipliers(system, np.array([t]), Q[None], V[None], A[None])[0]
    assert np.abs(full.balance(t, Q, V, A, lam)).max() < 1e-12 * np.abs(full.balance(t, Q, V, A)).max()


@pytest.mark.parametrize(("joints", "parents", "exchanged", "planar", "free"), TREES)
def test_equations_are_those_of_the_bodies(
    joints: str, parents: list[int], exchanged: str, planar: bool, free: bool
) -> None:
    compare(tree(joints, parents, exchanged, planar=planar, free=free))


@pytest.mark.parametrize("planar", [True, False])
def test_loads_act_as_on_the_bodies(planar: bool) -> None:
    compare(loaded(tree("hsh", [-1, 0, 0], "010", planar=planar), planar))


def pendulums() -> iso.Mechanism:
    """A pendulum on a hinge, another on a ball, a third that slides: what a run needs in space."""
    mech = iso.Mechanism(gravity=(0.0, 0.0, -9.81))
    mech.add_body("arm", 1.0, (0.02, 0.09, 0.08), (0.5, 0.0, 0.0))
    mech.add_body("bob", 0.7, (0.03, 0.05, 0.04), (1.2, 0.1, 0.0))
    mech.add_body("bead", 0.3, (0.01, 0.02, 0.02), (0.4, 0.2, 0.1))
    mech.add_joint(iso.Spherical("ball", "bob", "arm", point=(1.0, 0.0, 0.0)))
    mech.add_joint(iso.Hinge("pin", "ground", "arm", point=(0.0, 0.0, 0.0), axis=(0.2, 1.0, 0.1)))
    mech.add_joint(iso.Prismatic("rail", "arm", "bead", point=(0.4, 0.2, 0.1), axis=(1.0, 0.0, 0.2)))
    mech.add_load(iso.JointSpring("spring", "rail", stiffness=60.0, damping=0.1))
    return mech


def test_runs_meet_with_second_order() -> None:
    """Two discretisations of one motion: the difference falls with the square of the step in q, v,
    a and λ."""
    mech, differences = pendulums(), []
    system, base = iso.joint_coordinates(mech), mech.compile()
    for dt in (0.01, 0.005):
        own = system.lift(iso.integrate(system, dt=dt, t_end=1.0))
        other = iso.integrate(base, dt=dt, t_end=1.0)
        differences.append([np.abs(getattr(own, x) - getattr(other, x)).max() for x in ("q", "v", "a", "lam")])
        assert np.abs(own.drift().position).max() < 1e-13
    slopes = np.log2(np.array(differences[0]) / np.array(differences[1]))
    assert slopes == pytest.approx([2.0] * 4, abs=0.25)
    assert differences[1][0] < 1e-3


def test_order_of_members() -> None:
    """Slopes of the error in q, v and a against a run at high order, implicit and explicit."""
    system = iso.joint_coordinates(pendulums())
    exact = iso.integrate(system, iso.DOP853(rtol=1e-11, atol=1e-12), t_end=0.8)
    for scheme in (iso.Scheme.U0(0.8, 0.8, 0.8), iso.Scheme.U0(1.0, 1.0, 1.0, explicit=True)):
        errors = []
        for dt in (0.008, 0.004, 0.002):
            sol = iso.integrate(system, scheme, dt=dt, t_end=0.8)
            errors.append([np.abs(getattr(sol, x)[-1] - getattr(exact, x)[-1]).max() for x in ("q", "v", "a")])
        slopes = np.log2(np.array(errors[:-1]) / np.array(errors[1:]))
        assert slopes[-1] == pytest.approx([2.0] * 3, abs=0.2)


def test_all_methods_run() -> None:
    """Steps of high order, implicit ones and steps of adapted size lead to the same end."""
    system = iso.joint_coordinates(pendulums())
    exact = iso.integrate(system, iso.DOP853(rtol=1e-10, atol=1e-12), t_end=0.5)
    radau = iso.integrate(system, iso.Radau(rtol=1e-9), t_end=0.5)
    adaptive = iso.integrate(system, dt=iso.Adaptive(rtol=1e-6), t_end=0.5)
    assert np.abs(radau.q[-1] - exact.q[-1]).max() < 1e-7
    assert np.abs(adaptive.q[-1] - exact.q[-1]).max() < 1e-4


def test_energy_of_the_midpoint_rule_stays() -> None:
    """A double pendulum over 200 s: the error of the energy stays where it was, and whole turns
    are counted."""
    mech = iso.Mechanism(gravity=(0.0, -9.81, 0.0))
    for k in range(2):
        mech.add_body(f"rod {k}", 1.0, 0.09, (k + 0.5, 0.0), 0.0, kind="planar")
        mech.add_joint(iso.Hinge(f"pin {k}", f"rod {k - 1}" if k else "ground", f"rod {k}", point=(float(k), 0.0, 0.0)))
    system = iso.joint_coordinates(mech)
    sol = iso.integrate(system, iso.Scheme.midpoint_epa(), dt=0.01, t_end=200.0)
    energy = np.abs(sum(sol.energy()) - sum(sol.energy())[0])
    assert energy[-5000:].max() < 3.0 * energy[:5000].max()
    assert energy.max() < 0.05 * 9.81
    lifted = system.lift(sol)
    assert lifted.joint("pin 1").angle == pytest.approx(sol.q[:, 1], abs=1e-12)
    assert np.abs(sol.q[:, 1]).max() > 2 * np.pi


def test_start_of_an_assembly() -> None:
    """Coordinates and rates are those that the mechanism was assembled with."""
    mech = pendulums()
    start = mech.assemble(positions={"pin": 0.3, "rail": 0.05}, rates={"pin": 1.5, "rail": -0.2}).system
    system = iso.joint_coordinates(start)
    at = {name: k for k, name in enumerate(system.v_names)}
    assert system.v0[at["pin.angle'"]] == pytest.approx(1.5, abs=1e-12)
    assert system.v0[at["rail.displacement'"]] == pytest.approx(-0.2, abs=1e-12)
    Q, V, _ = system.state(system.q0, system.v0)
    assert pytest.approx(start.q0, abs=1e-12) == Q
    assert pytest.approx(start.v0, abs=1e-12) == V
