"""The same models in other units: a length, a mass and a time that everything is made of."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

import isodyn as iso


@dataclass(frozen=True)
class Units:
    """How many of the model's units one metre, one kilogram and one second are."""

    length: float = 1.0
    mass: float = 1.0
    time: float = 1.0

    @property
    def force(self) -> float:
        return self.mass * self.length / self.time**2

    @property
    def torque(self) -> float:
        return self.force * self.length

    def __str__(self) -> str:
        return f"{self.length:.3g} m, {self.mass:.3g} kg, {self.time:.3g} s"


SI = Units()
ENDS = [  # of the range that models may have; with bits, exact powers of two
    Units(*(x**k for x, k in zip((1e9, 1e12, 1e12), exponents, strict=True)))
    for exponents in (
        (-1, 0, 0),
        (1, 0, 0),
        (0, -1, 0),
        (0, 1, 0),
        (0, 0, -1),
        (0, 0, 1),
        (-1, 1, -1),
        (1, -1, 1),
        (-1, -1, -1),
        (1, 1, 1),
    )
]
BITS = [Units(2.0**-30, 1, 1), Units(2.0**30, 1, 1), Units(1, 2.0**-40, 2.0**40), Units(2.0**-30, 2.0**40, 2.0**-40)]
WORKSHOP, ROAD = Units(1e3, 1e3, 1e3), Units(1e-3, 1e-3, 1 / 3600)  # mm, g, ms and km, t, h
ISSUE = [Units(3e-8), Units(1e-7), Units(1e9)]  # a silent wrong answer, and two refusals


def planar_sizes(system, u: Units):
    """What q, v, a and λ of a system of named coordinates are measured in."""
    lengths = np.array([name.rsplit(".", 1)[-1] in ("x", "y", "z") for name in system.names])
    speeds = np.array([name.rsplit(".", 1)[-1] in ("vx", "vy", "vz") for name in system.v_names])
    q, v = np.where(lengths, u.length, 1.0), np.where(speeds, u.length, 1.0)
    rows = np.array([u.force if "point" in name or "offset" in name else u.torque for name in system.row_names])
    return q, v / u.time, v / u.time**2, rows


def add_bar(mech, name, A, B, u: Units, spatial=False, mass=1.0, rates=None):
    """A slender bar from A to B, whose ends may move with velocities in the plane."""
    A, B = np.array([*A, 0.0]), np.array([*B, 0.0])
    d, length = B - A, float(np.linalg.norm(B - A))
    angle, J = float(np.arctan2(d[1], d[0])), mass * length**2 / 12
    velocity, rate = np.zeros(3), 0.0
    if rates is not None:
        va, vb = (np.array([*x, 0.0]) for x in rates)
        velocity, rate = (va + vb) / 2, float(np.cross(d, vb - va)[2]) / length**2
    inertia, position, velocity = u.mass * u.length**2, (A + B) / 2 * u.length, velocity * (u.length / u.time)
    if not spatial:
        mech.add_body(name, mass * u.mass, J * inertia, position, angle, velocity[:2], rate / u.time, kind="planar")
        return
    R = np.array([[np.cos(angle), -np.sin(angle), 0], [np.sin(angle), np.cos(angle), 0], [0, 0, 1.0]])
    mech.add_body(
        name, mass * u.mass, np.array([J / 100, J, J]) * inertia, position, R, velocity, (0, 0, rate / u.time)
    )


def hinge(mech, name, first, second, point, u: Units):
    mech.add_joint(iso.Hinge(name, first, second, point=(*(np.asarray(point) * u.length), 0.0), axis=(0, 0, 1)))


def gravity(u: Units):
    return (0.0, -9.81 * u.length / u.time**2, 0.0)


def four_bar(u: Units = SI, spatial: bool = False):
    """Crank 0.3, coupler 0.9, rocker 0.7 on a base of 1; the crank turns with 8 rad/s."""
    from isodyn.problems.four_bars import crank_and_rocker

    A, B, va, vb = crank_and_rocker(1.0, 8.0)
    origin, C, still = np.zeros(2), np.array([1.0, 0.0]), np.zeros(2)
    mech = iso.Mechanism(gravity=gravity(u))
    add_bar(mech, "crank", origin, A, u, spatial, 0.3, (still, va))
    add_bar(mech, "coupler", A, B, u, spatial, 0.9, (va, vb))
    add_bar(mech, "rocker", C, B, u, spatial, 0.7, (still, vb))
    for name, first, second, point in (
        ("O", "ground", "crank", origin),
        ("A", "crank", "coupler", A),
        ("B", "coupler", "rocker", B),
        ("C", "ground", "rocker", C),
    ):
        hinge(mech, name, first, second, point, u)
    return mech.compile()


def slider_crank(u: Units = SI):
    """With a spring and a damper on the slider, a motor on the crank and a spring on a pin."""
    B = 0.2 * np.array([np.cos(0.7), np.sin(0.7)])
    C = np.array([B[0] + np.sqrt(0.25 - B[1] ** 2), 0.0])
    mech = iso.Mechanism(gravity=gravity(u))
    add_bar(mech, "crank", (0, 0), B, u, mass=1.5)
    add_bar(mech, "rod", B, C, u, mass=0.8)
    mech.add_body("slider", 0.6 * u.mass, 0.01 * u.mass * u.length**2, (*(C * u.length), 0.0), kind="planar")
    for name, first, second, point in (
        ("pin", "ground", "crank", (0, 0)),
        ("knee", "crank", "rod", B),
        ("wrist", "rod", "slider", C),
    ):
        hinge(mech, name, first, second, point, u)
    mech.add_joint(iso.Prismatic("slide", "ground", "slider", point=(*(C * u.length), 0.0), axis=(1, 0, 0)))
    stiffness, damping = u.force / u.length, u.force * u.time / u.length
    ends = [(0.9 * u.length, 0.1 * u.length, 0.0), (0.05 * u.length, 0.0, 0.0)]
    mech.add_load(
        iso.Spring(
            "spring", "ground", "slider", ends, stiffness=80 * stiffness, damping=3 * damping, rest=0.2 * u.length
        )
    )
    mech.add_load(iso.Motor("motor", "pin", torque=2 * u.torque))
    mech.add_load(iso.JointSpring("clock", "knee", stiffness=0.4 * u.torque, damping=0.02 * u.torque * u.time))
    return mech.compile()


def chain(u: Units = SI, links: int = 10):
    """A hanging chain of planar bars, released from the horizontal: large enough for sparse
    matrices."""
    mech = iso.Mechanism(gravity=gravity(u))
    for k in range(links):
        add_bar(mech, f"bar {k}", (0.1 * k, 0), (0.1 * k + 0.1, 0), u, mass=0.2)
        hinge(mech, f"pin {k}", "ground" if k == 0 else f"bar {k - 1}", f"bar {k}", (0.1 * k, 0), u)
    return mech.compile()


def beam_pendulum(u: Units = SI):
    """A soft rod on a hinge, released from the horizontal."""
    mech = iso.Mechanism(gravity=gravity(u))
    section = iso.Section(EA=100 * u.force, EI=0.5 * u.force * u.length**2, rhoA=1.2 * u.mass / u.length)
    mech.add_beam("rod", (0, 0), (0.8 * u.length, 0), elements=3, section=section)
    mech.add_joint(iso.Hinge("pin", "ground", "rod.start", axis=(0, 0, 1)))
    return mech.compile()


def pendulum(u: Units = SI):
    """A point on a circle by functions, all derivatives from differences."""
    g, r, m = 9.81 * u.length / u.time**2, u.length, u.mass
    return iso.MechanicalSystem(
        m * np.eye(2),
        lambda q, v, t: np.array([0.0, -m * g]),
        np.array([0.6 * r, -0.8 * r]),
        np.array([1.6, 1.2]) * r / u.time,
        phi=lambda q, t: np.array([np.hypot(*q) - r]),
    )
