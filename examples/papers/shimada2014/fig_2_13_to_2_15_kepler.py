"""Figures 2.13 to 2.15 of Shimada (2014): invariants of Kepler's problem for e = 0.9 and e = 0.6,
dt = 0.01.

U0(1, 1, ρ), V0(1, 1, ρ) and optimal(ρ), three schemes each. Schemes V0(1, 1, ρ) keep the angular
momentum to rounding; no scheme keeps the energy exactly, and none the Laplace-Runge-Lenz vector, so
orbits turn.
"""

from __future__ import annotations

from pathlib import Path

import numpy as np

import isodyn as iso
from isodyn import problems
from isodyn.report import figures

GROUPS = {
    "2.13": [iso.Scheme.U0(1, 1, rho) for rho in (1.0, 0.5, 0.0)],
    "2.14": [iso.Scheme.V0(1, 1, rho) for rho in (1.0, 0.5, 0.0)],
    "2.15": [iso.Scheme.optimal(rho) for rho in (0.9, 0.7, 0.5)],
}
ECCENTRICITIES = (0.9, 0.6)
TURNS = 5


def main(out: Path | None = None) -> dict[str, float]:
    """Draw the figures into `out` and return the largest deviations."""
    problem = problems.get("kepler")
    numbers: dict[str, float] = {}
    for figure, schemes in GROUPS.items():
        runs = {}
        for e in ECCENTRICITIES:
            for scheme in schemes:
                sol = iso.integrate(problem.system(e=e), scheme, dt=0.01, t_end=TURNS * 2 * np.pi)
                kept = problem.invariants(sol) or {}
                for name in ("energy", "angular momentum"):
                    numbers[f"{scheme}, e = {e}: {name}"] = np.abs(kept[name] - kept[name][0]).max()
                turned = np.hypot(
                    *(kept[f"Laplace-Runge-Lenz {axis}"] - kept[f"Laplace-Runge-Lenz {axis}"][0] for axis in "xy")
                )
                numbers[f"{scheme}, e = {e}: Laplace-Runge-Lenz"] = turned.max()
                runs[e, scheme.name] = (sol, kept, turned)
        if out is not None:
            draw(runs, out / f"fig_{figure.replace('.', '_')}_kepler.png")
    return numbers


def draw(runs: dict[tuple[float, str], tuple[iso.Solution, dict[str, np.ndarray], np.ndarray]], path: Path) -> None:
    """Orbit, phase plane, acceleration and three deviations; a column per eccentricity."""
    with figures.canvas(6, 2, size=(10.0, 15.0)) as (figure, grid):
        for column, e in enumerate(ECCENTRICITIES):
            chosen = [(name, run) for (eccentricity, name), run in runs.items() if eccentricity == e]
            for width, (name, (sol, kept, turned)) in zip((2.4, 1.4, 0.6), chosen, strict=True):
                axes = grid[:, column]
                axes[0].plot(*sol.q.T, linewidth=width, label=name)
                axes[1].plot(sol.q[:, 0], sol.v[:, 0], linewidth=width)
                axes[2].plot(sol.t, sol.a[:, 0], linewidth=width)
                for k, change in enumerate(
                    (kept["energy"] + 0.5, kept["angular momentum"] - kept["angular momentum"][0], turned)
                ):
                    axes[3 + k].semilogy(sol.t[1:], np.maximum(np.abs(change[1:]), 1e-17), linewidth=width)
            labels = ("q₂", "v₁", "a₁", "|H − H₀|", "|J − J₀|", "|A − A₀|")
            for k, label in enumerate(labels):
                grid[k, column].set(ylabel=label, xlabel="q₁" if k < 2 else "t")
            grid[0, column].set_title(f"e = {e}")
            grid[0, column].set_aspect("equal", adjustable="datalim")
        handles, names = grid[0, 0].get_legend_handles_labels()
        figure.legend(handles, names, loc="outside upper center", ncols=len(names))
        figures.save(figure, path)


if __name__ == "__main__":
    for name, value in main(Path("out/shimada2014")).items():
        print(f"{name:45s} {value:.3e}")
