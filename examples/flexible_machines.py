"""Beams between rigid bodies: a slider–crank whose rod bends, and a chain of an arm, a soft beam
and a bob that falls.

The rod of the slider–crank is 8 mm thick and the crank turns at 150 rad/s: the rod bends by one and
a half millimetres, the slider notices a fiftieth of one. The soft beam of the chain bends as it
likes.
"""

from __future__ import annotations

from pathlib import Path

import numpy as np

import isodyn as iso
from isodyn import problems
from isodyn.errors import coarse_steps_meant
from isodyn.report import figures


@coarse_steps_meant()  # stiff modes of the flexible parts are not followed, and need not be
def main(out: Path | None = None) -> dict[str, float]:
    """Return how much the rod bends, its largest stress, what the slider notices, and the energy
    that the chain keeps."""
    crank = problems.get("flexible_slider_crank")
    fast = iso.integrate(crank.system(), crank.scheme, dt=crank.dt, t_end=crank.t_end)
    rod = fast.beam("rod")
    start, end, middle = rod.nodes[:, 0], rod.nodes[:, -1], rod.nodes[:, 4]
    chord = (end - start) / np.linalg.norm(end - start, axis=1)[:, None]
    bent = chord[:, 0] * (middle - start)[:, 1] - chord[:, 1] * (middle - start)[:, 0]
    angle = fast.body("crank").angle
    rigid = 0.15 * np.cos(angle) + np.sqrt(0.3**2 - (0.15 * np.sin(angle)) ** 2)
    late = fast.body("slider").position[:, 0] - rigid
    stress = np.abs(rod.stress()).max(axis=(1, 2, 3))

    chain = problems.get("beam_and_bodies")
    falling = iso.integrate(chain.system(), chain.scheme, dt=chain.dt, t_end=chain.t_end)
    parts, total = falling.beam("beam").energies, sum(falling.energy())
    if out is not None:
        draw_rod(fast.t, 1e3 * bent, 1e6 * late, 1e-6 * stress, out / "flexible_slider_crank.png")
        draw_chain(falling, out / "beam_and_bodies.png")
    return {
        "largest bending of the rod [mm]": float(1e3 * np.abs(bent).max()),
        "largest stress of the rod [MPa]": float(1e-6 * stress.max()),
        "slider, largest difference from a rigid rod [mm]": float(1e3 * np.abs(late).max()),
        "slider at the end, difference from the test set [m]": float(
            abs(fast.body("slider").position[-1, 0] - 0.1697373328427860)
        ),
        "chain: energy lost, relative to the largest kinetic energy": float(np.ptp(total) / falling.energy()[0].max()),
        "chain: largest energy of bending [J]": float(parts.bending.max()),
    }


def draw_rod(t: np.ndarray, bent: np.ndarray, late: np.ndarray, stress: np.ndarray, path: Path) -> None:
    """Bending, slider and stress against time."""
    with figures.canvas(3, 1, size=(7.5, 7.0), sharex=True) as (figure, (top, middle, bottom)):
        top.plot(1e3 * t, bent)
        top.set(ylabel="bending of\nthe middle [mm]")
        middle.plot(1e3 * t, late, color=figures.COLOURS[1])
        middle.set(ylabel="slider less that of\na rigid rod [µm]")
        bottom.plot(1e3 * t, stress, color=figures.COLOURS[2])
        bottom.set(ylabel="largest stress [MPa]", xlabel="t [ms]")
        figure.suptitle("slider–crank with a flexible rod, 150 rad/s")
        figures.save(figure, path)


def draw_chain(sol: iso.Solution, path: Path) -> None:
    """Shapes every tenth of a second, and the energies of the beam."""
    beam = sol.beam("beam")
    curve = beam.curve(8)
    bob = sol.body("bob").position
    with figures.canvas(1, 2, size=(11.0, 5.0)) as (figure, grid):
        shape, energy = np.ravel(grid)
        for k in range(0, sol.t.size, 50):
            shade = str(0.75 * (1 - k / (sol.t.size - 1)))
            line = curve[k].reshape(-1, 2)
            shape.plot([0.0, line[0, 0]], [0.0, line[0, 1]], color=shade, linewidth=3.0)
            shape.plot(*line.T, color=shade, linewidth=1.2)
            shape.plot(*np.array([line[-1], bob[k, :2]]).T, color=shade, linewidth=2.0)
            shape.plot(*bob[k, :2], "o", color=shade, markersize=6)
        shape.plot(0.0, 0.0, "^", color=figures.COLOURS[0])
        shape.set(xlabel="x [m]", ylabel="y [m]", aspect="equal")
        parts = beam.energies
        for name, part in zip(("kinetic", "axial", "bending"), parts[:3], strict=True):
            energy.plot(sol.t, part, label=name)
        energy.set(xlabel="t [s]", ylabel="energy of the beam [J]")
        energy.legend()
        figure.suptitle("rigid arm, soft beam and bob on hinges, every 0.1 s")
        figures.save(figure, path)


if __name__ == "__main__":
    for name, value in main(Path("out/examples")).items():
        print(f"{name:60s} {value:.6g}")
