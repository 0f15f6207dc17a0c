"""Coulomb friction on constraints: a block that stops, a bead on a wire, and a mass on a belt that
sticks and slips.

Each motion has a closed form. The block brakes on a slope and stays. The bead climbs a vertical
hoop; the reaction of the wire changes its side on the way, and friction follows its size. The mass
is carried by the belt until the spring tears it off, swings back, and is caught again.
"""

from __future__ import annotations

import math
from pathlib import Path

import numpy as np

import isodyn as iso
from isodyn.gauss import Contact
from isodyn.report import figures

g = 9.81


def block() -> tuple[iso.Solution, float]:
    """On a slope of 0.5 rad with μ = 0.9, sent downhill; the run, and where it stops by the
    formula."""
    angle, mu, speed, m = 0.5, 0.9, 3.0, 2.0
    down, normal = np.array([math.cos(angle), -math.sin(angle)]), np.array([math.sin(angle), math.cos(angle)])
    system = iso.MechanicalSystem(
        m, lambda q, v, t: np.array([0.0, -m * g]), [0.0, 0.0], speed * down,
        phi=lambda q, t: np.array([normal @ q]), G=lambda q, t: normal[None], b=lambda q, v, t: np.zeros(1),
    )  # fmt: skip
    sol = iso.integrate(iso.with_friction(system, Contact(0, down, mu)), dt=0.05, t_end=1.5)
    brake = g * (mu * math.cos(angle) - math.sin(angle))
    return sol, speed**2 / (2 * brake)


def bead(mu: float = 0.15, R: float = 0.7, rate: float = 9.0) -> iso.Solution:
    """From the lowest point of a vertical hoop."""
    system = iso.MechanicalSystem(
        1.0, lambda q, v, t: np.array([0.0, -g]), [0.0, -R], [R * rate, 0.0],
        phi=lambda q, t: np.array([0.5 * (q @ q - R**2)]), G=lambda q, t: q[None], b=lambda q, v, t: np.array([-v @ v]),
    )  # fmt: skip
    contact = Contact(0, lambda q, t: np.array([-q[1], q[0]]) / R, mu, scale=R)
    return iso.integrate(iso.with_friction(system, contact), dt=0.002, t_end=6.0)


def bead_formula(theta: np.ndarray, mu: float = 0.15, R: float = 0.7, rate: float = 9.0) -> np.ndarray:
    """θ'² of the bead on its first way up, while the wire pulls inwards."""
    c = 2 * g / R / (1 + 4 * mu**2)
    A, B = c * (1 - 2 * mu**2), -3 * mu * c
    return (rate**2 - A) * np.exp(-2 * mu * theta) + A * np.cos(theta) + B * np.sin(theta)


def belt() -> tuple[iso.Solution, float]:
    """The run, and the period by the formula."""
    m, k, V, mu, mu_static = 1.0, 50.0, 0.3, 0.3, 0.5
    system = iso.MechanicalSystem(
        m, lambda q, v, t: np.array([-k * q[0], -m * g]), [0.0, 0.0], [V, 0.0],
        phi=lambda q, t: q[1:], G=lambda q, t: np.array([[0.0, 1.0]]), b=lambda q, v, t: np.zeros(1),
    )  # fmt: skip
    contact = Contact(0, [1.0, 0.0], mu, mu_static, surface=[V])
    omega, D = math.sqrt(k / m), (mu_static - mu) * m * g / k
    period = (2 * math.pi - 2 * math.atan(D * omega / V)) / omega + 2 * D / V
    return iso.integrate(iso.with_friction(system, contact), dt=0.002, t_end=4.0), period


def main(out: Path | None = None) -> dict[str, float]:
    """Draw the bead and the belt into `out`; return differences from the closed forms."""
    slid, way = block()
    hoop, (driven, period) = bead(), belt()
    theta = np.unwrap(np.arctan2(hoop.q[:, 0], -hoop.q[:, 1]))
    rate = (hoop.v[:, 1] * hoop.q[:, 0] - hoop.v[:, 0] * hoop.q[:, 1]) / 0.7**2
    up = (hoop.t < 1.0) & (0.7 * rate**2 + g * np.cos(theta) > 0.0) & (rate > 0.0)
    slips = driven.t[np.flatnonzero(np.diff(driven.contact(0).mode) > 0)]
    if out is not None:
        draw(hoop, theta, rate, driven, out / "friction.png")
    return {
        "block: place of rest, difference": abs(float(np.hypot(*slid.q[-1])) - way),
        "bead: θ'² on the way up, largest difference": float(np.abs(rate**2 - bead_formula(theta))[up].max()),
        "bead: energy that friction took, part of the first": float(1.0 - total(hoop)[-1] / total(hoop)[0]),
        "belt: period, difference": float(np.abs(np.diff(slips) - period).max()),
    }


def total(hoop: iso.Solution) -> np.ndarray:
    """Energy above the lowest point."""
    return np.asarray(0.5 * (hoop.v**2).sum(axis=1) + g * (hoop.q[:, 1] + 0.7))


def draw(hoop: iso.Solution, theta: np.ndarray, rate: np.ndarray, driven: iso.Solution, path: Path) -> None:
    """Phase plane and energy of the bead above, velocity and friction of the mass on the belt
    below."""
    with figures.canvas(2, 2, size=(10.5, 7.2)) as (figure, ((plane, works), (speed, force))):
        plane.plot(theta, rate)
        plane.set(xlabel="angle from the lowest point", ylabel="angular velocity", title="bead on a vertical hoop")
        works.plot(hoop.t, total(hoop), label="energy")
        works.plot(hoop.t, 0.5 * (hoop.v**2).sum(axis=1), "k:", label="kinetic energy")
        works.set(xlabel="t", ylabel="energy", title="bead: what friction leaves")
        works.legend()
        speed.plot(driven.t, driven.v[:, 0])
        speed.axhline(0.3, color="k", linestyle=":")
        speed.set(xlabel="t", ylabel="velocity", title="mass on a belt (dotted: the belt)")
        rubs = driven.contact(0)
        force.plot(driven.t, rubs.tangential / rubs.normal)
        force.set(xlabel="t", ylabel="friction / reaction", title="sticking up to 0.5, slipping at 0.3")
        figures.save(figure, path)


if __name__ == "__main__":
    for name, value in main(Path("out/friction")).items():
        print(f"{name:50s} {value:.3g}")
