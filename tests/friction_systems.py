"""Systems with Coulomb friction whose motion is known in closed form."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from scipy.spatial.transform import Rotation

import isodyn as iso
from isodyn.gauss import Contact
from isodyn.kernels.compiled import FloatArray

GRAVITY = 9.81


def incline(
    angle: float, speed: float, mu: float, mass: float = 2.0
) -> tuple[iso.MechanicalSystem, Contact, FloatArray]:
    """A block on a slope, downhill along the unit vector that is returned."""
    down, normal = np.array([math.cos(angle), -math.sin(angle)]), np.array([math.sin(angle), math.cos(angle)])
    system = iso.MechanicalSystem(
        mass,
        lambda q, v, t: np.array([0.0, -mass * GRAVITY]),
        np.zeros(2),
        speed * down,
        phi=lambda q, t: np.array([normal @ q]),
        G=lambda q, t: normal[None],
        b=lambda q, v, t: np.zeros(1),
        energy=lambda q, v, t: (0.5 * mass * float(v @ v), mass * GRAVITY * float(q[1])),
    )
    return system, Contact(0, down, mu, unilateral=True, name="slope"), down


def hoop(rate: float, mu: float, radius: float, gravity: float = GRAVITY, mass: float = 1.3) -> tuple[Any, Contact]:
    """A bead on a circular wire in a vertical plane, at its lowest point with the angular velocity
    `rate`."""
    system = iso.MechanicalSystem(
        mass,
        lambda q, v, t: np.array([0.0, -mass * gravity]),
        [0.0, -radius],
        [radius * rate, 0.0],
        phi=lambda q, t: np.array([0.5 * (q @ q - radius**2)]),
        G=lambda q, t: q[None],
        b=lambda q, v, t: np.array([-v @ v]),
        energy=lambda q, v, t: (0.5 * mass * float(v @ v), mass * gravity * float(q[1])),
    )
    contact = Contact(0, lambda q, t: np.array([-q[1], q[0]]) / radius, mu, scale=radius, name="wire")
    return system, contact


def hoop_rate_squared(
    theta: Any, theta0: float, w0: float, mu: float, radius: float, side: int, gravity: float = GRAVITY
) -> Any:
    """θ'² of the bead at the angle θ from the lowest point, moving towards growing θ.

    ½R dw/dθ = −g sin θ − μ s (R w + g cos θ),  s = +1 while the wire pulls inwards, −1 while it
    pushes outwards; w = θ'²
    """
    c = 2 * gravity / radius / (1 + 4 * mu**2)
    A, B = c * (1 - 2 * mu**2), -3 * mu * side * c
    K = w0 - A * math.cos(theta0) - B * math.sin(theta0)
    return K * np.exp(-2 * mu * side * (theta - theta0)) + A * np.cos(theta) + B * np.sin(theta)


def belt(
    mass: float, stiffness: float, speed: float, mu: float, mu_static: float, stretch: float
) -> tuple[Any, Contact]:
    """A mass on a running belt, held by a spring and carried along at first."""
    system = iso.MechanicalSystem(
        mass,
        lambda q, v, t: np.array([-stiffness * q[0], -mass * GRAVITY]),
        [stretch, 0.0],
        [speed, 0.0],
        phi=lambda q, t: q[1:],
        G=lambda q, t: np.array([[0.0, 1.0]]),
        b=lambda q, v, t: np.zeros(1),
    )
    return system, Contact(0, [1.0, 0.0], mu, mu_static, unilateral=True, surface=[speed], name="belt")


def rotating_wire(omega: float, r: float, speed: float, mu: float, mass: float = 0.6) -> tuple[Any, Contact]:
    """A bead on a straight wire that turns steadily in a horizontal plane: r'' + 2μΩ r' − Ω² r = 0,
    whichever way it slides."""

    def along(t: float) -> FloatArray:
        return np.array([math.cos(omega * t), math.sin(omega * t)])

    def across(t: float) -> FloatArray:
        return np.array([-math.sin(omega * t), math.cos(omega * t)])

    system = iso.MechanicalSystem(
        mass,
        lambda q, v, t: np.zeros(2),
        [r, 0.0],
        [speed, omega * r],
        phi=lambda q, t: np.array([across(t) @ q]),
        G=lambda q, t: across(t)[None],
        phi_t=lambda q, t: np.array([-omega * along(t) @ q]),
        b=lambda q, v, t: np.array([2 * omega * along(t) @ v + omega**2 * across(t) @ q]),
    )
    contact = Contact(
        0, lambda q, t: along(t), mu, rest=lambda q, v, t: np.array([omega * across(t) @ v]), name="turning wire"
    )
    return system, contact


def rotating_wire_radius(t: Any, omega: float, r: float, speed: float, mu: float) -> Any:
    """The exact r(t)."""
    root = math.sqrt(1 + mu**2)
    p, m = omega * (-mu + root), omega * (-mu - root)
    A = (speed - m * r) / (p - m)
    return A * np.exp(p * t) + (r - A) * np.exp(m * t)


def rotating_wire_in_polar_coordinates(
    omega: float, r: float, speed: float, mu: float, mass: float = 0.6
) -> tuple[Any, Contact]:
    """The same bead in q = (r, θ): the mass depends on r, and the row θ = Ωt carries a torque,
    N = −λ/r."""

    def Q(q: FloatArray, v: FloatArray, t: float) -> FloatArray:
        return mass * np.array([q[0] * v[1] ** 2, -2 * q[0] * v[0] * v[1]])

    system = iso.MechanicalSystem(
        lambda q: np.diag([mass, mass * q[0] ** 2]),
        Q,
        [r, 0.0],
        [speed, omega],
        phi=lambda q, t: np.array([q[1] - omega * t]),
        G=lambda q, t: np.array([[0.0, 1.0]]),
        phi_t=lambda q, t: np.array([-omega]),
        b=lambda q, v, t: np.zeros(1),
    )
    return system, Contact(0, [1.0, 0.0], mu, scale=lambda q, t: 1.0 / q[0], name="turning wire")


def ball(speed: float, mu: float, radius: float, mass: float = 2.0) -> tuple[Any, Contact]:
    """A solid ball thrown along the floor without spin: q = (position, quaternion w x y z),
    v = (velocity, ω in the body)."""
    inertia = 0.4 * mass * radius**2

    def turned(q: FloatArray) -> FloatArray:
        return Rotation.from_quat(q[3:], scalar_first=True).as_matrix()

    def retract(q: FloatArray, d: FloatArray) -> FloatArray:
        spin = Rotation.from_quat(q[3:], scalar_first=True) * Rotation.from_rotvec(d[3:])
        new = spin.as_quat(scalar_first=True)
        return np.concatenate([q[:3] + d[:3], new if new @ q[3:] >= 0 else -new])

    def difference(q: FloatArray, p: FloatArray) -> FloatArray:
        first, second = (Rotation.from_quat(x[3:], scalar_first=True) for x in (q, p))
        return np.concatenate([p[:3] - q[:3], (first.inv() * second).as_rotvec()])

    system = iso.MechanicalSystem(
        np.diag([mass] * 3 + [inertia] * 3),
        lambda q, v, t: np.array([0.0, 0.0, -mass * GRAVITY, 0.0, 0.0, 0.0]),
        [0.0, 0.0, radius, 1.0, 0.0, 0.0, 0.0],
        [0.6 * speed, 0.8 * speed, 0.0, 0.0, 0.0, 0.0],
        phi=lambda q, t: np.array([q[2] - radius]),
        G=lambda q, t: np.array([[0.0, 0.0, 1.0, 0.0, 0.0, 0.0]]),
        b=lambda q, v, t: np.zeros(1),
        retract=retract,
        difference=difference,
    )

    def tangent(q: FloatArray, t: float) -> FloatArray:
        # e · (ω × (−R e_z)) for e = e_x, e_y, times −1
        down = np.array([[0.0, radius, 0.0], [-radius, 0.0, 0.0]])
        return np.concatenate([np.eye(3)[:2], -down @ turned(q)], axis=1)

    return system, Contact(0, tangent, mu, unilateral=True, name="floor")
