"""Your own system at full speed: write it as plain Python, then put `@njit` on it.

A ball on a spring that swings and bounces (elastic pendulum). Functions compiled by Numba run
inside the compiled loop; plain ones are called from it. The numbers are the same to the last bit,
the time is not.
"""

from __future__ import annotations

import math
from pathlib import Path

import numpy as np
from numba import njit

import isodyn as iso
from isodyn.report import figures

STIFFNESS, LENGTH, GRAVITY = 40.0, 1.0, 9.81


def spring_and_weight(q, v, t):  # type: ignore[no-untyped-def]
    """Forces on a unit mass at (x, y)."""
    r = math.sqrt(q[0] * q[0] + q[1] * q[1])
    pull = STIFFNESS * (r - LENGTH) / r
    Q = np.empty(2)
    Q[0] = -pull * q[0]
    Q[1] = -pull * q[1] - GRAVITY
    return Q


def energy(q: np.ndarray, v: np.ndarray, t: float) -> tuple[float, float]:
    """Kinetic and potential energy."""
    stretch = float(np.hypot(*q)) - LENGTH
    return 0.5 * float(v @ v), 0.5 * STIFFNESS * stretch**2 + GRAVITY * float(q[1])


def main(out: Path | None = None) -> dict[str, float]:
    """Run both; return how far they are apart and what the energy does."""
    start = {"q0": [1.1, 0.0], "v0": [0.0, 0.0], "energy": energy, "names": ["x", "y"]}
    plain = iso.MechanicalSystem(M=1.0, Q=spring_and_weight, **start)  # type: ignore[arg-type]
    compiled = iso.MechanicalSystem(M=1.0, Q=njit(spring_and_weight), **start)  # type: ignore[arg-type]
    scheme = iso.Scheme.V0(1, 1, 0)
    slow = iso.integrate(plain, scheme, dt=0.002, t_end=20.0)
    fast = iso.integrate(compiled, scheme, dt=0.002, t_end=20.0)
    kinetic, potential = fast.energy()
    total = kinetic + potential
    if out is not None:
        with figures.canvas(1, 2, size=(10.0, 4.2)) as (figure, (left, right)):
            figures.plane(left, fast.q, ((0, 1),), ("x [m]", "y [m]"))
            right.plot(fast.t, kinetic, label="kinetic")
            right.plot(fast.t, potential, label="potential")
            right.plot(fast.t, total, color="black", label="total")
            right.set(xlabel="t [s]", ylabel="energy [J]")
            right.legend(loc="center left", bbox_to_anchor=(1.0, 0.5))
            figures.save(figure, out / "elastic_pendulum.png")
    return {
        "largest difference between plain and compiled": float(np.abs(slow.q - fast.q).max()),
        "largest deviation of energy": float(np.abs(total - total[0]).max()),
        "times faster": slow.stats.seconds / fast.stats.seconds,
    }


if __name__ == "__main__":
    for name, value in main(Path("out/own_compiled_system")).items():
        print(f"{name:50s} {value:.3g}")
