"""Figures C.4 to C.9 of Shimada (2014): a struck bar in seven POD directions, three snapshot kinds,
three ρ∞.

Snapshots by optimal(ρ∞) with Δt = 0.005, reduced and benchmark runs by V0(1, 1, 0) with Δt = 0.001.
Steps, mass matrix and clamped end are not in the text; here the mass is consistent and the left end
held. Seven directions cannot carry the velocity of one node: each kind of snapshots is best for its
own field, and the reduced run keeps its own, lower energy to rounding.
"""

from __future__ import annotations

from pathlib import Path

import numpy as np

import isodyn as iso
from isodyn.problems import clamped_bar
from isodyn.report import figures
from isodyn.report.reduction_figures import singular_values

KINDS = {"q": "displacement", "v": "velocity", "a": "acceleration"}
RADII = (0.9, 0.5, 0.0)
NODE = clamped_bar.STRUCK

Studies = dict[tuple[float, str], iso.reduction.ReductionStudy]


def studies() -> Studies:
    """All runs; the benchmark is one."""
    system = iso.problems.get("clamped_bar").system()
    fine = (iso.Scheme.V0(1, 1, 0), 0.001)
    benchmark = iso.integrate(system, fine[0], dt=fine[1], t_end=1.0)
    return {
        (rho, kind): iso.reduction.reduction_study(
            system,
            snapshots=(iso.Scheme.optimal(rho), 0.005),
            reduced=fine,
            t_end=1.0,
            of=kind,  # type: ignore[arg-type]
            rank=7,
            benchmark=benchmark,
        )
        for rho in RADII
        for kind in KINDS
    }


def main(out: Path | None = None) -> dict[str, float]:
    """Draw the figures into `out`; return errors at node 5, the part of the energy that is left,
    and how it is kept."""
    found = studies()
    numbers: dict[str, float] = {}
    for (rho, kind), study in found.items():
        case = f"ρ∞ = {rho:g}, {KINDS[kind]}"
        for name in KINDS:
            numbers[f"{case}: error in {name}5"] = study.error(name, NODE)  # type: ignore[arg-type]
        numbers[f"{case}: error in q"] = study.error("q")
        energy, full = (clamped_bar.energy(sol)["energy"] for sol in (study.lifted, study.benchmark))
        numbers[f"{case}: energy over full energy"] = float(energy[0] / full[0])
        numbers[f"{case}: change of energy"] = float(np.ptp(energy) / energy[0])
        numbers[f"{case}: captured"] = study.basis.captured
    if out is not None:
        for k, rho in enumerate(RADII):
            chosen = {f"{KINDS[kind]}-based": found[rho, kind] for kind in KINDS}
            draw(chosen, f"U0/V0({rho:g}, 1, {rho:g}) → V0(1, 1, 0)", out / f"fig_C_{4 + k}_bar.png")
        for k, kind in enumerate(KINDS):
            chosen = {f"ρ∞ = {rho:g}": found[rho, kind] for rho in RADII}
            draw(chosen, f"{KINDS[kind]}-based snapshots", out / f"fig_C_{7 + k}_bar.png")
        bases = {f"{KINDS[kind]}-based": found[0.9, kind].basis for kind in KINDS}
        singular_values(bases, out / "fig_C_singular_values_bar.png")
    return numbers


def draw(chosen: dict[str, iso.reduction.ReductionStudy], title: str, path: Path) -> None:
    """Displacement, velocity and acceleration of node 5, and the total energy."""
    with figures.canvas(2, 2, size=(11.0, 7.0)) as (figure, grid):
        panels = dict(zip("qva", grid.ravel()[:3], strict=True))
        benchmark = next(iter(chosen.values())).benchmark
        for name, axes in panels.items():
            axes.plot(benchmark.t, getattr(benchmark, name)[:, NODE], color="black", label="full system")
            for (label, study), mark in zip(chosen.items(), "so^", strict=True):
                values = getattr(study.lifted, name)[:, NODE]
                axes.plot(study.lifted.t, values, marker=mark, markevery=50, markersize=4, linewidth=0.9, label=label)
            axes.set(xlabel="t [s]", ylabel=figures.quantity(f"{name}5", "m", "qva".index(name), "s"))
        energy = grid[1, 1]
        energy.plot(benchmark.t, clamped_bar.energy(benchmark)["energy"], color="black", label="full system")
        for (label, study), mark in zip(chosen.items(), "so^", strict=True):
            kept = clamped_bar.energy(study.lifted)["energy"]
            energy.plot(study.lifted.t, kept, marker=mark, markevery=50, markersize=4, linewidth=0.9, label=label)
        energy.set(xlabel="t [s]", ylabel="total energy [J]", ylim=(0, None))
        energy.legend(loc="lower left", ncols=2)
        figure.suptitle(title)
        figures.save(figure, path)


if __name__ == "__main__":
    for name, value in main(Path("out/shimada2014")).items():
        print(f"{name:55s} {value:.4g}")
