"""Contacts: a slider–crank whose crank pin has clearance, and a woodpecker on its pole.

The woodpecker: a sleeve slides down a pole with friction, the bird swings on a spring, and the edges
of the sleeve and the beak hit the pole. Numbers of the toy are those of Pfeiffer and Glocker.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np

import isodyn as iso
from isodyn.report import figures


def woodpecker() -> iso.MechanicalSystem:
    """q = (height, angle of the sleeve, angle of the bird)."""
    m_m, m_s, J_m, J_s, c = 0.0003, 0.0045, 5.0e-9, 7.0e-7, 0.0056
    l_m, l_g, h_m, h_s, l_s = 0.010, 0.015, 0.0058, 0.02, 0.0201
    r_o, r_m, g = 0.0025, 0.0031, 9.81
    M = np.array(
        [
            [m_s + m_m, m_s * l_m, m_s * l_g],
            [m_s * l_m, J_m + m_s * l_m**2, m_s * l_m * l_g],
            [m_s * l_g, m_s * l_m * l_g, J_s + m_s * l_g**2],
        ]
    )

    def Q(q: Any, v: Any, t: float) -> Any:
        twist = c * (q[1] - q[2])
        return np.array([-(m_s + m_m) * g, -twist - m_s * g * l_m, twist - m_s * g * l_g])

    D = np.array([[0.0, 0.0, -h_s], [0.0, h_m, 0.0], [0.0, -h_m, 0.0]])
    T = np.array([[1.0, l_m, l_g - l_s], [1.0, r_m, 0.0], [1.0, r_m, 0.0]])
    far = np.array([l_m + l_g - l_s - r_o, r_m - r_o, r_m - r_o])
    return iso.MechanicalSystem(
        M,
        Q,
        [0.0, -(r_m - r_o) / h_m, -0.2788],
        [-0.3411, 0.0, -7.4583],
        Q_q=lambda q, v, t: c * np.array([[0.0, 0.0, 0.0], [0.0, -1.0, 1.0], [0.0, 1.0, -1.0]]),
        gap=lambda q, t: far + D @ q,
        gap_q=lambda q, t: D,
        slip=lambda q, v, t: T @ v,
        slip_v=lambda q, v, t: T,
        restitution=[0.5, 0.0, 0.0],
        mu=0.3,
        gap_names=["beak", "lower edge", "upper edge"],
        names=["height", "sleeve", "bird"],
    )


def slider_crank(clearance: float = 1e-3) -> iso.Mechanism:
    """A crank at constant torque, a rod whose pin at the crank has clearance, and a slider."""
    mech = iso.Mechanism(gravity=(0, -9.81, 0))
    mech.add_body("crank", mass=1.0, inertia=0.02, kind="planar", position=(0.1, 0.0))
    mech.add_body("rod", mass=0.5, inertia=0.02, kind="planar", position=(0.5, 0.0))
    mech.add_body("slider", mass=0.5, inertia=0.01, kind="planar", position=(0.8, 0.0))
    mech.add_joint(iso.Hinge("bearing", "ground", "crank", point=(0, 0, 0), axis=(0, 0, 1)))
    mech.add_joint(iso.Hinge("pin", "rod", "slider", point=(0.8, 0, 0), axis=(0, 0, 1)))
    mech.add_joint(iso.Prismatic("guide", "ground", "slider", axis=(1, 0, 0)))
    centres = ((0.2, 0, 0), (0.2, 0, 0))
    mech.add_contact(iso.Journal("crank pin", "crank", "rod", clearance, points=centres, restitution=0.3))
    mech.add_load(iso.Motor("motor", "bearing", 6.0))
    return mech


def main(out: Path) -> dict[str, float]:
    """Run both, and draw them."""
    toy = iso.integrate(woodpecker(), dt=5e-4, t_end=0.6)
    machine = iso.integrate(slider_crank(), dt=2e-4, t_end=0.5)
    draw(toy, machine, out / "contacts.png")
    pin = machine.contact("crank pin")
    return {
        "woodpecker: way down [mm]": -1e3 * float(toy.q[-1, 0]),
        "woodpecker: hits of the beak": len(toy.contact("beak").impacts),
        "woodpecker: smallest gap": min(float(toy.contact(k).gap.min()) for k in range(3)),
        "clearance: impacts": len(pin.impacts),
        "clearance: smallest gap": float(pin.gap.min()),
        "clearance: largest force [N]": float(pin.normal.max()),
        "clearance: drift": float(machine.drift().position.max()),
    }


def offset_of_pin(machine: Any) -> Any:
    """Where the pin of the rod is, seen from the middle of its bearing in the crank."""
    crank, rod = machine.body("crank"), machine.body("rod")
    turned = lambda angle: np.stack([np.cos(angle), np.sin(angle)])  # noqa: E731
    centre = crank.position[:, :2].T + 0.1 * turned(machine.q[:, 2])
    return rod.position[:, :2].T - 0.3 * turned(machine.q[:, 5]) - centre


def draw(toy: Any, machine: Any, path: Path) -> None:
    """The way down, the cycle of the bird, and where the pin is in its bearing."""
    with figures.canvas(1, 3, size=(14.0, 4.2)) as (figure, grid):
        left, middle, right = np.ravel(grid)
        left.plot(toy.t, 1e3 * toy.q[:, 0])
        left.set(xlabel="t [s]", ylabel="height [mm]", title="woodpecker")
        middle.plot(toy.q[:, 2], toy.v[:, 2], lw=0.7)
        middle.set(xlabel="angle of the bird [rad]", ylabel="its rate [rad/s]", title="its cycle")
        x, y = 1e3 * offset_of_pin(machine)
        around = np.linspace(0.0, 2.0 * np.pi, 200)
        right.plot(np.cos(around), np.sin(around), color="0.8", lw=4)
        right.plot(x, y, lw=0.8)
        right.set(xlabel="x of the crank pin in its bearing [mm]", ylabel="y [mm]", title="slider–crank with clearance")
        right.set_aspect("equal")
        figures.save(figure, path)


if __name__ == "__main__":
    for name, value in main(Path("out")).items():
        print(f"{name:55s} {value: .6g}")
