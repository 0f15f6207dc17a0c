"""Figures 8.5 to 8.8 of Shimada (2014): a flexible rod thrown by a torque and a force, 14 and 7
elements, both midpoint rules, dt = 0.01.

The form on Dirac's theory (8.94) with Cauchy strain. EI = 500 N m²: the printed I = 5·10⁶ m⁴ would
be a rigid rod. The load acts for one second. Both rules give the same positions and velocities;
energy stays within two per cent after the load, though steps are far too long for the highest
modes.
"""

from __future__ import annotations

from pathlib import Path

import numpy as np

import isodyn as iso
from isodyn.errors import coarse_steps_meant
from isodyn.report import figures

CASES = {
    "8.5": ("EPA", iso.Scheme.midpoint_epa(), 14),
    "8.6": ("EPA", iso.Scheme.midpoint_epa(), 7),
    "8.7": ("MPA", iso.Scheme.midpoint_mpa(), 14),
    "8.8": ("MPA", iso.Scheme.midpoint_mpa(), 7),
}


def rod(elements: int) -> iso.beams.BeamSystem:
    """Free, at rest along the x axis, loaded at its right end until t = 1."""
    beam = iso.Beam(
        [(0, 0), (14, 0)], elements=elements, section=iso.Section(EA=1e4, EI=500.0, rhoA=0.7), model="cauchy-dirac"
    )
    on = iso.Pulse(1.0, 0.0, 1.0)
    beam.torque("end", 90.0, time=on)
    beam.force("end", (5.0, 5.0), time=on)
    return beam.compile()


@coarse_steps_meant()  # the steps of the document
def main(out: Path | None = None) -> dict[str, float]:
    """Draw the figures into `out` and return where the right end is at t = 5, and how the energy
    varies after the load."""
    numbers: dict[str, float] = {}
    for figure, (rule, scheme, elements) in CASES.items():
        system = rod(elements)
        sol = iso.integrate(system, scheme=scheme, dt=0.01, t_end=5.0, breakpoints=[1.0])
        parts = [system.parts_of_energy(q, v) for q, v in zip(sol.q, sol.v, strict=True)]
        kinetic, strain = np.array([p.kinetic for p in parts]), np.array([p.strain for p in parts])
        total = kinetic + strain
        after = total[sol.t >= 1.0]
        case = f"{rule}, {elements} elements"
        numbers[f"{case}: x of the right end"] = float(sol.q[-1, -4])
        numbers[f"{case}: energy after the load, lowest"] = float(after.min())
        numbers[f"{case}: energy after the load, highest"] = float(after.max())
        numbers[f"{case}: momentum, largest deviation"] = float(np.abs(system.momentum(sol.v[sol.t >= 1.0]) - 5).max())
        if out is not None:
            draw(
                system,
                sol,
                kinetic,
                strain,
                f"MPR-{rule}, {elements} elements",
                out / f"fig_{figure.replace('.', '_')}_rod.png",
            )
    return numbers


def draw(
    system: iso.beams.BeamSystem, sol: iso.Solution, kinetic: np.ndarray, strain: np.ndarray, title: str, path: Path
) -> None:
    """Configurations every quarter of a second, and the energies."""
    with figures.canvas(1, 2, size=(11.0, 5.0)) as (figure, grid):
        shape, energy = np.ravel(grid)
        for k in range(0, sol.t.size, 25):
            line = system.curve(sol.q[k], 12).reshape(-1, 2)
            first, last = k == 0, k == sol.t.size - 1
            colour = "tab:blue" if first else ("tab:pink" if last else "0.6")
            shape.plot(*line.T, color=colour, linewidth=2.0 if first or last else 0.8)
        shape.set(xlabel="x [m]", ylabel="y [m]", aspect="equal")
        energy.plot(sol.t, kinetic + strain, label="total")
        energy.plot(sol.t, kinetic, label="kinetic", linewidth=1.0)
        energy.plot(sol.t, strain, label="strain", linewidth=1.0)
        energy.set(xlabel="t [s]", ylabel="energy [J]")
        energy.legend()
        figure.suptitle(title)
        figures.save(figure, path)


if __name__ == "__main__":
    for name, value in main(Path("out/shimada2014")).items():
        print(f"{name:50s} {value:.6f}")
