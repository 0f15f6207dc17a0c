"""Figures 2.10 to 2.12 of Shimada (2014): the Brusselator with five first-order algorithms out of
one second-order family.

Every algorithm is a scheme for second-order systems put through the adaptation process (Table 2.5).
Order two in the concentrations and in their rates; the stable reaction settles at (A, B/A), the
unstable one runs into a limit cycle, with dt = 0.1.
"""

from __future__ import annotations

from pathlib import Path

import isodyn as iso
from isodyn import problems
from isodyn.errors import coarse_steps_meant
from isodyn.report import figures
from isodyn.studies import order_study

ALGORITHMS = {
    1: iso.Scheme.V0(1, 1, 1),  # midpoint rule, rate at the end of the step
    2: iso.Scheme.V0(1, 1, 0.5),
    3: iso.Scheme.V0(1, 1, 0),  # midpoint rule, rate at the middle
    4: iso.Scheme.V0(0.5, 1, 0.5),
    5: iso.Scheme.V0(0, 1, 0),  # Gear
}


@coarse_steps_meant()  # the steps of the document
def main(out: Path | None = None) -> dict[str, float]:
    """Draw the figures into `out` and return orders, fixed point and size of the cycle."""
    stable, unstable = problems.get("brusselator_stable"), problems.get("brusselator_unstable")
    study = order_study(stable, list(ALGORITHMS.values()), [0.025, 0.0125, 0.00625, 0.003125])
    numbers = {}
    for number, case in zip(ALGORITHMS, study.cases, strict=True):
        numbers[f"algorithm {number}: order in s"] = case.order("v")
        numbers[f"algorithm {number}: order in s'"] = case.order("a")
    runs = {}
    for problem in (stable, unstable):
        for number, scheme in ALGORITHMS.items():
            sol = iso.integrate(problem.system(), scheme, dt=0.1, t_end=problem.t_end)
            runs[problem.name, number] = sol
            late = sol.s[sol.t > 20.0, 0]
            numbers[f"{problem.name}, algorithm {number}: last X"] = sol.s[-1, 0]
            numbers[f"{problem.name}, algorithm {number}: swing of X"] = late.max() - late.min()
    if out is not None:
        figures.order_figure(study, out / "fig_2_10_order.png")
        for number, problem in ((11, stable), (12, unstable)):
            draw({k: runs[problem.name, k] for k in ALGORITHMS}, problem, out / f"fig_2_{number}_{problem.name}.png")
    return numbers


def draw(runs: dict[int, iso.Solution], problem: problems.Problem, path: Path) -> None:
    """Plane of concentrations, and X, Y and their rates over time, one colour per algorithm."""
    with figures.canvas(size=(11.0, 6.0), subplot_kw={"visible": False}) as (figure, _):
        grid = figure.add_gridspec(2, 3)
        plane = figure.add_subplot(grid[:, 0])
        panels = [figure.add_subplot(grid[i // 2, 1 + i % 2]) for i in range(4)]
        for number, sol in runs.items():
            width = 3.5 - 0.6 * number  # curves that lie on each other all remain visible
            plane.plot(*sol.s.T, linewidth=width, label=f"{number}: {ALGORITHMS[number]}")
            for axes, values in zip(panels, [*sol.s.T, *sol.sdot.T], strict=True):
                axes.plot(sol.t, values, linewidth=width)
        plane.set(xlabel="X", ylabel="Y", title=problem.title.split(",")[0])
        figure.legend(*plane.get_legend_handles_labels(), loc="outside upper center", ncols=len(runs))
        for axes, label in zip(panels, ("X", "Y", "X'", "Y'"), strict=True):
            axes.set(xlabel="t", ylabel=label)
        figures.save(figure, path)


if __name__ == "__main__":
    for name, value in main(Path("out/shimada2014")).items():
        print(f"{name:50s} {value:.6g}")
