"""A four-storey frame shaken at its foot by a recorded (here: made up) ground motion.

M q'' + C q' + K q = −M 1 a_g(t), with q relative to the ground and a_g from a table of samples
every 0.02 s, linear in between. The record starts and ends abruptly, so the loop is told about both
times: it lands on them and starts anew there.
"""

from __future__ import annotations

from pathlib import Path

import numpy as np

import isodyn as iso
from isodyn.report import figures

STOREYS, MASS, STIFFNESS, DAMPING = 4, 2.0e4, 3.0e7, 0.03
BEGIN, END = 1.0, 16.0


def record() -> tuple[np.ndarray, np.ndarray]:
    """Times and ground acceleration in m/s²: an envelope over a sum of harmonics."""
    t = np.arange(BEGIN, END + 1e-9, 0.02)
    x = (t - BEGIN) / (END - BEGIN)
    harmonics = sum(np.sin(2 * np.pi * f * t + 3.7 * f**2) / (1 + 0.2 * f) for f in (0.7, 1.3, 1.9, 2.6, 3.8, 5.3))
    return t, 1.2 * (0.3 + np.sin(np.pi * x) ** 2) * harmonics


def frame() -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Mass, damping (Rayleigh, 3 % in the first and third mode) and stiffness of the storeys."""
    K = STIFFNESS * (2 * np.eye(STOREYS) - np.eye(STOREYS, k=1) - np.eye(STOREYS, k=-1))
    K[-1, -1] = STIFFNESS
    M = MASS * np.eye(STOREYS)
    omega = np.sqrt(np.linalg.eigvalsh(K / MASS))
    w1, w3 = omega[0], omega[2]
    return M, 2 * DAMPING / (w1 + w3) * (w1 * w3 * M + K), K


def main(out: Path | None = None) -> dict[str, float]:
    """Return the largest drifts between storeys and the largest acceleration of the roof."""
    M, C, K = frame()
    times, samples = record()
    push = -M @ np.ones(STOREYS)

    def f(t: float) -> np.ndarray:
        return push * np.interp(t, times, samples, left=0.0, right=0.0)

    system = iso.LinearSystem(
        M, C, K, f, np.zeros(STOREYS), np.zeros(STOREYS), names=[f"floor {i + 1}" for i in range(STOREYS)]
    )
    sol = iso.integrate(system, iso.Scheme.optimal(0.9), dt=0.005, t_end=25.0, breakpoints=[BEGIN, END])
    finer = iso.integrate(system, iso.Scheme.optimal(0.9), dt=0.00125, t_end=25.0, breakpoints=[BEGIN, END])
    drift = np.diff(sol.q, axis=1, prepend=0.0)
    ground = np.interp(sol.t, times, samples, left=0.0, right=0.0)
    roof = sol.a[:, -1] + ground
    if out is not None:
        with figures.canvas(3, 1, size=(8.0, 7.5), sharex=True) as (figure, (top, middle, bottom)):
            top.plot(sol.t, ground, color="black", linewidth=0.8)
            top.set(ylabel="ground a [m/s²]")
            figures.histories(middle, sol.t, 1e3 * sol.q, sol.system.names)
            middle.set(ylabel="displacement [mm]")
            bottom.plot(sol.t, roof, linewidth=0.8, color=figures.COLOURS[3])
            bottom.set(ylabel="roof, total a [m/s²]", xlabel="t [s]")
            figures.save(figure, out / "earthquake.png")
    return {
        "largest drift of a storey [mm]": 1e3 * float(np.abs(drift).max()),
        "largest acceleration of the roof [m/s²]": float(np.abs(roof).max()),
        "change of the drift with finer steps [mm]": 1e3
        * abs(float(np.abs(drift).max()) - float(np.abs(np.diff(finer.q, axis=1, prepend=0.0)).max())),
    }


if __name__ == "__main__":
    for name, value in main(Path("out/earthquake")).items():
        print(f"{name:45s} {value:.5f}")
