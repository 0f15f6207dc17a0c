"""Mechanisms and systems whose parameters are varied."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import isodyn as iso
from isodyn.linear_solvers.rows import Rows, choose
from isodyn.marching import enforced_rows


def top() -> iso.Mechanism:
    mech, r, w = iso.Mechanism(gravity=(0, 0, -9.81)), (0.3, 0.1, 0.5), (1.0, 2.0, 9.0)
    mech.add_body("top", 1.0, (0.2, 0.25, 0.3), r, velocity=np.cross(w, r), angular_velocity=w)
    mech.add_joint(iso.Spherical("tip", "ground", "top", point=(0, 0, 0)))
    points = [(1, 0, 1), (0.3, 0.2, 0.5)]
    mech.add_load(iso.Spring("spring", "ground", "top", points=points, stiffness=20.0, damping=0.5))
    return mech


def slider_crank() -> iso.Mechanism:
    """In space; its velocities are moved onto the constraints."""
    mech = iso.Mechanism(gravity=(0, 0, -9.81))
    mech.add_body("crank", 1.2, (0.02, 0.1, 0.1), (0.1, 0, 0), angular_velocity=(0, 0, 6.0), velocity=(0, 0.6, 0))
    mech.add_body("rod", 0.5, (0.01, 0.05, 0.06), (0.5, 0, 0.05), velocity=(0, 0.6, 0))
    mech.add_body("slider", 2.0, (0.01, 0.01, 0.01), (0.8, 0, 0.1))
    mech.add_joint(iso.Hinge("pin", "ground", "crank", point=(0, 0, 0), axis=(0, 0, 1)))
    mech.add_joint(iso.Spherical("ball", "crank", "rod", point=(0.2, 0, 0)))
    mech.add_joint(iso.Spherical("wrist", "rod", "slider", point=(0.8, 0, 0.1)))
    mech.add_joint(iso.Prismatic("slide", "ground", "slider", axis=(1, 0, 0)))
    points = [(1.5, 0, 0.1), (0.8, 0, 0.1)]
    mech.add_load(iso.Spring("spring", "ground", "slider", points=points, stiffness=30.0, damping=0.5))
    return mech


def rubbing() -> iso.Mechanism:
    """The same with friction by the reactions of two joints."""
    mech = slider_crank()
    mech.add_load(iso.JointFriction("friction", "pin", mu=0.3, radius=0.1, creep=2.0))
    mech.add_load(iso.JointFriction("guide", "slide", mu=0.2, mu_static=0.3, stribeck=1.0, creep=0.5, preload=1.0))
    return mech


def four_bar() -> iso.Mechanism:
    """On four hinges in space: three rows too many."""
    mech = iso.Mechanism(gravity=(0, -9.81, 0))
    points = np.array([(0, 0, 0), (0.3, 0.4, 0), (1.2, 0.7, 0), (1.3, 0, 0)])
    for k, name in enumerate(("crank", "coupler", "rocker")):
        a, b = points[k : k + 2]
        L, angle = np.linalg.norm(b - a), np.arctan2(b[1] - a[1], b[0] - a[0])
        turned = (np.cos(angle / 2), 0, 0, np.sin(angle / 2))
        mech.add_body(name, 1.0 + 0.3 * k, (0.01, L * L / 12, L * L / 12), (a + b) / 2, turned)
    bodies = ("ground", "crank", "coupler", "rocker", "ground")
    for name, a, b, point in zip("ABCD", bodies, bodies[1:], points, strict=False):
        mech.add_joint(iso.Hinge(name, a, b, point=point, axis=(0, 0, 1)))
    mech.add_load(iso.JointSpring("k", "A", stiffness=4.0, damping=0.1))
    mech.add_load(iso.Torque("drive", "crank", (0, 0, 3.0)))
    return mech


def rolling() -> iso.Mechanism:
    """A disc that rolls without slipping, with an arm on its axle: rows of velocities beside those of
    positions."""
    mech, w = iso.Mechanism(gravity=(0, 0, -9.81)), (0.3, 4.0, 0.5)
    mech.add_body("wheel", 2.0, (0.05, 0.09, 0.05), (0, 0, 0.5), velocity=np.cross(w, (0, 0, 0.5)), angular_velocity=w)
    mech.add_body("arm", 0.4, (0.01, 0.02, 0.02), (0.2, 0, 0.5), velocity=np.cross(w, (0, 0, 0.5)))
    mech.add_joint(iso.RollingDisc("floor", "wheel", radius=0.5, axis=(0, 1, 0)))
    mech.add_joint(iso.Hinge("axle", "wheel", "arm", point=(0, 0, 0.5), axis=(0, 1, 0)))
    mech.add_load(iso.JointSpring("spring", "axle", stiffness=2.0, damping=0.1))
    return mech


def flexible_pendulum(EI: float, length: float, tip: float) -> iso.Mechanism:
    mech = iso.Mechanism(gravity=(0, -9.81, 0))
    section = iso.Section(EA=1e4, EI=EI, rhoA=1.0)
    mech.add_beam("arm", (0, 0), (length, 0), elements=2, section=section)
    mech.add_body("bob", tip, 0.01, (length, 0), kind="planar")
    mech.add_joint(iso.Hinge("pin", "ground", "arm.start", point=(0, 0, 0), axis=(0, 0, 1)))
    mech.add_joint(iso.Fixed("clamp", "arm.end", "bob", point=(length, 0, 0)))
    return mech


def predators(a: float, b: float, s: float) -> iso.FirstOrderSystem:
    def h(x: Any, t: float) -> Any:
        return np.array([a * x[0] - b * x[0] * x[1], -x[1] + b * x[0] * x[1]])

    return iso.FirstOrderSystem(h, s0=[s, 1.0])


def enforce_poor_rows(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """Let runs begin with rows that are independent, and no more than that, so that they are exchanged
    on the way; how often comes back as the length of a list."""
    exchanged: list[int] = []

    def poor(G: Any, *again: Any) -> Rows:
        good, chosen = choose(G, *again), []
        if again:
            exchanged.append(good.rank)
            return good
        for k in np.random.default_rng(3).permutation(G.shape[0]):
            if np.linalg.matrix_rank(G[[*chosen, k]], tol=1e-4) > len(chosen):
                chosen.append(int(k))
        dropped = np.setdiff1d(np.arange(G.shape[0]), chosen)
        return Rows(np.sort(chosen), dropped, good.diagonal)

    monkeypatch.setattr(enforced_rows, "choose", poor)
    return exchanged
