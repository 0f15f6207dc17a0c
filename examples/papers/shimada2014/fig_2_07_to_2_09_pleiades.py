"""Figures 2.7 to 2.9 of Shimada (2014): the seven stars of the Pleiades problem with unit masses,
three schemes.

Motion, velocity and acceleration with dt = 0.001 up to t = 3, and the order of accuracy of each
scheme in q, v and a. The source draws the accuracy of star 2; here it is the maximum over all stars
and all of time. Accelerations are those at t_n, also for the midpoint rule that stores them half a
step earlier (MPA).
"""

from __future__ import annotations

from pathlib import Path

import isodyn as iso
from isodyn import problems
from isodyn.report import figures
from isodyn.studies import order_study

SCHEMES = (iso.Scheme.midpoint_epa(), iso.Scheme.midpoint_mpa(), iso.Scheme.optimal(0.0))
STEPS = (1e-3, 5e-4, 2.5e-4)


def main(out: Path | None = None) -> dict[str, float]:
    """Draw the figures into `out` and return orders and what is conserved."""
    problem = problems.get("pleiades_unit")
    numbers: dict[str, float] = {}
    solutions = []
    for scheme in SCHEMES:
        sol = iso.integrate(problem.system(), scheme, dt=problem.dt, t_end=problem.t_end)
        kept = problem.invariants(sol) or {}
        numbers[f"{scheme}: angular momentum"] = abs(kept["angular momentum"] - kept["angular momentum"][0]).max()
        numbers[f"{scheme}: star 2 ends at x"] = sol.q[-1, 1]
        solutions.append(sol)
    study = order_study(problem, SCHEMES, STEPS)
    for case in study.cases:
        for quantity in ("q", "v", "a"):
            numbers[f"{case.scheme}: order in {quantity}"] = case.order(quantity)
    if out is not None:
        figures.order_figure(study, out / "fig_2_07_order.png")
        draw(solutions, problem, out)
    return numbers


def draw(solutions: list[iso.Solution], problem: problems.Problem, out: Path) -> None:
    """Configuration (2.7), velocity (2.8) and acceleration (2.9), a column per scheme."""
    names = solutions[0].system.names
    with figures.canvas(1, 3, size=(12.5, 4.4), sharex=True, sharey=True) as (figure, grid):
        for axes, sol in zip(grid, solutions, strict=True):
            figures.plane(axes, sol.q, problem.plane, names)
            axes.set_title(str(sol.scheme))
            axes.label_outer()
            if axes is not grid[-1]:
                axes.get_legend().remove()
        figures.save(figure, out / "fig_2_07_configuration.png")
    for number, symbol in ((8, "v"), (9, "a")):
        with figures.canvas(2, 3, size=(12.5, 6.0), sharex=True, sharey="row") as (figure, grid):
            for column, sol in enumerate(solutions):
                values = getattr(sol, symbol)
                for row, axis in enumerate("xy"):
                    axes = grid[row, column]
                    figures.histories(axes, sol.t, values[:, 7 * row : 7 * row + 7], [f"star {i}" for i in range(1, 8)])
                    if column < 2 or row == 1:
                        axes.get_legend().remove()
                    axes.set_ylabel(f"{symbol} in {axis}" if column == 0 else "")
                grid[0, column].set_title(str(sol.scheme))
                grid[1, column].set_xlabel("t")
            figures.save(figure, out / f"fig_2_0{number}_{'velocity' if symbol == 'v' else 'acceleration'}.png")


if __name__ == "__main__":
    for name, value in main(Path("out/shimada2014")).items():
        print(f"{name:45s} {value:.6g}")
