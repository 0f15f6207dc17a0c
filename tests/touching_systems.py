"""Systems with contacts whose parameters are varied, and closed forms of their motions."""

from __future__ import annotations

from typing import Any

import numpy as np

import isodyn as iso
from varied_mechanisms import four_bar

GRAVITY = 9.81


def ball(g: float, h: float, e: float) -> iso.MechanicalSystem:
    given: Any = {"gap": lambda q, t: q, "gap_q": lambda q, t: np.ones((1, 1)), "restitution": e}
    return iso.MechanicalSystem(1.0, lambda q, v, t: [-g], [h], [0.0], **given)


def bounced(g: Any, h: Any, e: Any, t: float) -> Any:
    """Height and speed of a ball that fell from h."""
    v, left = e * np.sqrt(2.0 * g * h), t - np.sqrt(2.0 * h / g)
    while (2.0 * v / g - left).real < 0.0:
        left, v = left - 2.0 * v / g, e * v
    return np.array([v * left - 0.5 * g * left * left, v - g * left])


def block(g: float, mu: float, v: float, slope: float) -> iso.MechanicalSystem:
    c, s = np.cos(slope), np.sin(slope)
    given: Any = {"gap": lambda q, t: q[1:], "gap_q": lambda q, t: np.array([[0.0, 1.0]])}
    given |= {"slip": lambda q, v, t: v[:1], "slip_v": lambda q, v, t: np.array([[1.0, 0.0]]), "mu": mu}
    return iso.MechanicalSystem(2.0, lambda q, v, t: 2.0 * g * np.array([-s, -c]), [0.0, 0.0], [v, 0.0], **given)


def pulled(A: float, mu: float, m: float, omega: float = 4.0) -> iso.MechanicalSystem:
    """A block on rough ground under a force A sin ωt: it sticks and slips."""

    def force(q: Any, v: Any, t: float) -> Any:
        return np.array([A * np.sin(omega * t), -m * GRAVITY])

    given: Any = {"gap": lambda q, t: q[1:], "gap_q": lambda q, t: np.array([[0.0, 1.0]])}
    given |= {"slip": lambda q, v, t: v[:1], "slip_v": lambda q, v, t: np.array([[1.0, 0.0]]), "mu": mu}
    return iso.MechanicalSystem(m, force, [0.0, 0.0], [0.0, 0.0], **given)


def way_of_pulled(A: Any, mu: Any, m: Any, t: float, omega: float = 4.0) -> Any:
    """Where that block is at a time; between two slips it sticks."""
    x, k, rub = 0.0 * A, 0, mu * m * GRAVITY

    def slipped(begin: Any, end: Any) -> tuple[Any, Any]:
        c, s = np.cos(omega * begin), np.sin(omega * begin)
        v = A / (m * omega) * (c - np.cos(omega * end)) - rub / m * (end - begin)
        way = (
            A / (m * omega) * (c * (end - begin) - (np.sin(omega * end) - s) / omega) - rub / m * (end - begin) ** 2 / 2
        )
        return v, way

    while True:
        begin, shift = np.arcsin(rub / A) / omega, k * np.pi / omega
        end = begin + 0.75 * np.pi / omega
        for _ in range(60):
            end = end - slipped(begin, end)[0] * m / (A * np.sin(omega * end) - rub)
        if (begin + shift).real > t:
            return x
        if (end + shift).real > t:
            return x + (-1) ** k * slipped(begin, t - shift)[1]
        x, k = x + (-1) ** k * slipped(begin, end)[1], k + 1


def spun(mu: float, mass: float, g: float) -> iso.Mechanism:
    """A ball that slides and turns on the floor, pulled aside: its slip has two directions."""
    mech = iso.Mechanism(gravity=(0.4, 0.1, -g))
    start: Any = {"velocity": (1.0, 0.3, 0), "angular_velocity": (0.2, 1.0, 0.5)}
    mech.add_body("ball", mass, (0.01, 0.012, 0.014), (0, 0, 0.1), **start)
    mech.add_contact(iso.SpherePlane("floor", "ball", "ground", radius=0.1, mu=mu))
    return mech


def swinging(high: float, e: float, m: float) -> iso.Mechanism:
    mech = iso.Mechanism(gravity=(0, 0, -GRAVITY))
    mech.add_body("arm", m, (0.1, 0.15, 0.1), (1, 0, 0))
    mech.add_joint(iso.Hinge("pin", "ground", "arm", point=(0, 0, 0), axis=(0, 1, 0)))
    mech.add_load(iso.JointSpring("spring", "pin", stiffness=3.0))
    mech.add_contact(iso.JointStop("stop", "pin", high=high, restitution=e))
    return mech


def thrown(mu: float, e: float, speed: float, spin: float) -> iso.Mechanism:
    mech = iso.Mechanism(gravity=(0, 0, -GRAVITY))
    start: Any = {"velocity": (speed, 0.4, 0), "angular_velocity": (0.3, spin, 1.0)}
    mech.add_body("ball", 1.2, (0.005,) * 3, (0, 0, 0.6), **start)
    mech.add_contact(iso.SpherePlane("floor", "ball", "ground", radius=0.1, mu=mu, restitution=e))
    return mech


def hill(r: float, g: float = GRAVITY) -> iso.MechanicalSystem:
    """A mass that leaves a round hill."""
    given: Any = {"gap": lambda q, t: [np.hypot(*q) - r], "gap_q": lambda q, t: (q / np.hypot(*q))[None]}
    return iso.MechanicalSystem(1.0, lambda q, v, t: [0.0, -g], [0.0, r], [2.0, 0.0], **given)


def plate(h: float, tilt: float) -> iso.MechanicalSystem:
    """Two feet, which close together without a tilt."""

    def feet(q: Any, t: float) -> Any:
        return [q[0] - 0.5 * np.sin(q[1]), q[0] + 0.5 * np.sin(q[1])]

    M = np.diag([1.0, 0.2])
    given: Any = {"gap": feet, "restitution": 0.5}
    return iso.MechanicalSystem(M, lambda q, v, t: [-GRAVITY, 0.0], [h, tilt], [0.0, 0.0], **given)


def stopped_four_bar(high: float, e: float) -> iso.Mechanism:
    """Three rows too many, and a stop of the crank."""
    mech = four_bar()
    mech.add_contact(iso.JointStop("stop", "A", high=high, restitution=e))
    return mech
