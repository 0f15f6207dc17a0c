"""Three designs with exact gradients: a coupler curve, a motion of least effort, a periodic motion.

The lengths of a four-bar are found whose coupler point follows a given curve. An arm is turned by 1 rad
from rest to rest with the least ∫τ² dt, whose exact value is 12 J²/T³. A driven pendulum on a hinge
gets its periodic motion and its Floquet multipliers, whose product is exp(−cT/J).
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np

import isodyn as iso

LENGTHS = {"crank": 0.4, "coupler": 1.1, "rocker": 0.9, "along": 0.5, "above": 0.4}  # that draw the curve
GUESS = {"crank": 0.36, "coupler": 1.2, "rocker": 1.0, "along": 0.6, "above": 0.3}
TURN = 2 * np.pi  # rad/s: one turn of the crank a second
INERTIA, DURATION, DAMPING = 0.35, 1.0, 0.3


def corners(t: Any, *, crank: float, coupler: float, rocker: float, along: float, above: float) -> tuple[Any, ...]:
    """Ends of crank and rocker, and the coupler point; ground pins at (0, 0) and (1, 0)."""
    B = crank * np.exp(1j * (TURN * t + 0.5 * np.pi))
    reach = abs(1 - B)
    angle = np.arccos((coupler**2 + reach**2 - rocker**2) / (2 * coupler * reach))
    direction = (1 - B) / reach * np.exp(1j * angle)
    return B, B + coupler * direction, B + (along + 1j * above) * direction


def four_bar(**lengths: float) -> iso.Mechanism:
    """A four-bar whose crank is driven; the coupler's frame is its coupler point."""
    B, C, P = corners(0.0, **lengths)
    mech = iso.Mechanism(gravity=(0, 0, 0))
    for name, at in (("crank", B / 2), ("coupler", P), ("rocker", (1 + C) / 2)):
        mech.add_body(name, 1.0, 0.01, (at.real, at.imag), kind="planar")
    bodies = ("ground", "crank", "coupler", "rocker", "ground")
    for name, a, b, at in zip("ABCD", bodies, bodies[1:], (0j, B, C, 1 + 0j), strict=False):
        mech.add_joint(iso.Hinge(name, a, b, point=(at.real, at.imag)))
    mech.add_joint(iso.Drive("drive", "A", value=iso.Polynomial(0.0, TURN)))
    return mech


def coupler_curve() -> Any:
    """The lengths that draw the curve."""

    def miss(sol: Any) -> Any:
        wanted = corners(sol.t, **LENGTHS)[2]
        return (sol.quantity("coupler.x").values - wanted.real) ** 2 + (
            sol.quantity("coupler.y").values - wanted.imag
        ) ** 2

    return iso.optimise(
        iso.Parametrised(four_bar, **GUESS),
        list(GUESS),
        objective=iso.Objective(integral=miss),
        dt=1 / 32,
        t_end=1.0,
        assemble=True,
    )


def arm(**torques: float) -> iso.Mechanism:
    """An arm on a hinge, with a torque that passes through given values."""
    mech = iso.Mechanism(gravity=(0, 0, 0))
    mech.add_body("arm", 1.0, (0.01, 0.1, 0.1), (0.5, 0, 0))
    mech.add_joint(iso.Hinge("pin", "ground", "arm", point=(0, 0, 0), axis=(0, 1, 0)))
    times = np.linspace(0.0, DURATION, len(torques))
    mech.add_load(iso.Motor("motor", "pin", torque=iso.Table(times, list(torques.values()))))
    return mech


def least_effort() -> Any:
    """The torques that turn the arm with the least ∫τ² dt."""
    torques = {f"torque{k}": x for k, x in enumerate((1.0, 1.0, 0.5, -0.5, -1.0, -1.0))}
    return iso.optimise(
        iso.Parametrised(arm, **torques),
        list(torques),
        objective=iso.Objective(integral=lambda sol: (INERTIA * sol.a[:, 4]) ** 2),
        constraints=[
            iso.Constraint("pin.angle", equals=1.0),
            iso.Constraint(lambda sol: sol.v[:, 4], equals=0.0),
        ],
        dt=0.02,
        t_end=DURATION,
    )


def driven_pendulum(damping: float = DAMPING) -> iso.Mechanism:
    """A pendulum on a hinge, driven at 2 rad/s."""
    mech = iso.Mechanism(gravity=(0, 0, -9.81))
    mech.add_body("rod", 1.0, (0.01, 0.1, 0.1), (0, 0, -0.5))
    mech.add_joint(iso.Hinge("pin", "ground", "rod", point=(0, 0, 0), axis=(0, 1, 0)))
    mech.add_load(iso.JointSpring("damper", "pin", stiffness=0.0, damping=damping))
    mech.add_load(iso.Motor("motor", "pin", torque=iso.Sine(0.8, 2.0)))
    return mech


def main(out: Path | None = None) -> dict[str, float]:
    """Return how far designs are from what is known of them."""
    curve, effort = coupler_curve(), least_effort()
    orbit = iso.periodic_orbit(driven_pendulum(), period=np.pi, dt=np.pi / 200)
    if out is not None:
        draw(curve, effort, orbit, out / "designs.png")
    return {
        "largest error of a length": max(abs(curve[name] - x) for name, x in LENGTHS.items()),
        "runs for the coupler curve": float(curve.runs),
        "effort beside the exact one": effort.value / (12 * INERTIA**2 / DURATION**3),
        "product of the multipliers beside exp(−cT/J)": float(
            np.prod(orbit.multipliers).real / np.exp(-DAMPING * np.pi / INERTIA)
        ),
    }


def draw(curve: Any, effort: Any, orbit: Any, path: Path) -> None:
    """The coupler curve and its linkage, the motion of the arm, the orbit of the pendulum, and its
    multipliers in the unit circle."""
    import matplotlib.pyplot as plt

    path.parent.mkdir(parents=True, exist_ok=True)
    figure, (first, second, third, fourth) = plt.subplots(1, 4, figsize=(14.5, 3.6), layout="constrained")
    t = np.linspace(0.0, 1.0, 200)
    for lengths, label, style in ((LENGTHS, "wanted", "k--"), (GUESS, "guess", ":")):
        points = corners(t, **lengths)[2]
        first.plot(points.real, points.imag, style, label=label)
    sol = curve.solution
    first.plot(sol.quantity("coupler.x").values, sol.quantity("coupler.y").values, "o", ms=3, label="found")
    B, C, P = corners(0.0, **{name: curve[name] for name in LENGTHS})
    links = np.array([0, B, P, C, B, C, 1])
    first.plot(links.real, links.imag, color="0.6", lw=1.5, marker="o", ms=4, mfc="w", zorder=0)
    first.set(title="coupler curve", xlabel="x [m]", ylabel="y [m]", aspect="equal")
    first.legend()
    sol = effort.solution
    second.plot(sol.t, INERTIA * sol.a[:, 4], label="torque [Nm]")
    second.plot(sol.t, sol.quantity("pin.angle").values, label="angle [rad]")
    second.plot(sol.t, 6 * INERTIA * (1 - 2 * sol.t), "k:", label="exact torque")
    second.set(title="least effort", xlabel="t [s]")
    second.legend()
    sol = orbit.solution
    third.plot(sol.quantity("pin.angle").values, sol.quantity("pin.angle_rate").values)
    third.set(title="periodic motion of the pendulum", xlabel="angle [rad]", ylabel="rate [rad/s]")
    circle = np.exp(1j * np.linspace(0, 2 * np.pi, 200))
    fourth.plot(circle.real, circle.imag, "k", lw=0.8, label="unit circle")
    exact = np.exp(-0.5 * DAMPING * np.pi / INERTIA) * circle  # the product of a conjugate pair is its square
    fourth.plot(exact.real, exact.imag, "k:", label="exp(−cT/2J)")
    fourth.plot(orbit.multipliers.real, orbit.multipliers.imag, "o")
    fourth.set(title="Floquet multipliers", xlabel="Re", ylabel="Im", aspect="equal")
    fourth.legend(loc="lower left")
    figure.savefig(path, dpi=130)
    plt.close(figure)


if __name__ == "__main__":
    for name, value in main(Path("out/designs")).items():
        print(f"{name}: {value:.5g}")
