"""A first run: a pendulum in its angle, forced and damped.

Equations go in as they stand on paper, M a = Q(q, v, t); a scheme is chosen by how much it damps
what the step cannot resolve; out come angle, speed and acceleration, all of second order at t_n,
and values between the steps.
"""

from __future__ import annotations

from pathlib import Path

import numpy as np

import isodyn as iso
from isodyn.report import figures


def main(out: Path | None = None) -> dict[str, float]:
    """Swing for ten seconds; return where it ends and how much finer steps change that."""
    g_over_l, damping = 9.81, 0.1

    def Q(q: np.ndarray, v: np.ndarray, t: float) -> np.ndarray:
        return -g_over_l * np.sin(q) - damping * v + np.cos(2.0 * t)

    system = iso.MechanicalSystem(M=1.0, Q=Q, q0=[1.0], v0=[0.0], names=["angle"])
    scheme = iso.Scheme.U0(0.8, 0.8, 0.8)
    sol = iso.integrate(system, scheme, dt=0.01, t_end=10.0)
    finer = iso.integrate(system, scheme, dt=0.0025, t_end=10.0)
    if out is not None:
        figures.solution_figures(sol, out, dt=0.01)
    return {
        "angle at the end": sol.q[-1, 0],
        "angle between steps, t = 3.1234": sol.at(3.1234).q[0],
        "change with steps four times finer": abs(sol.q[-1, 0] - finer.q[-1, 0]),
    }


if __name__ == "__main__":
    for name, value in main(Path("out/first_run")).items():
        print(f"{name:40s} {value:.6f}")
