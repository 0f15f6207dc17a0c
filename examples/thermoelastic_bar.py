"""Waves and heat in one run: a bar that is stretched and warm, and then left to itself.

Displacement is of second order in time, temperature of first. Both are integrated together by one
scheme that adapts to first-order systems, here V0(0.5, 1, 0.2). Without loads the energy can only
fall, and it falls by conduction alone.
"""

from __future__ import annotations

from pathlib import Path

import numpy as np

import isodyn as iso
from isodyn import problems
from isodyn.errors import coarse_steps_meant
from isodyn.problems.thermoelastic_bar import energy_history
from isodyn.report import figures
from isodyn.studies import order_study


@coarse_steps_meant()  # the first steps after the heat is let go are coarse
def main(out: Path | None = None) -> dict[str, float]:
    """Return how the energy falls, and the order measured with the manufactured loads."""
    problem = problems.get("thermoelastic_bar")
    sol = iso.integrate(problem.system(elements=24, loads=0), problem.scheme, dt=0.01, t_end=20.0)
    E = energy_history(sol)
    study = order_study(problem, problem.scheme, [0.02, 0.01, 0.005])
    if out is not None:
        n = sol.q.shape[1] // 2
        with figures.canvas(3, 1, size=(7.5, 7.5), sharex=True) as (figure, (top, middle, bottom)):
            top.plot(sol.t, sol.q[:, n - 1])
            top.set(ylabel="displacement of the free end")
            middle.plot(sol.t, sol.v[:, -1], color=figures.COLOURS[1])
            middle.set(ylabel="temperature of the free end")
            bottom.plot(sol.t, E / E[0], color=figures.COLOURS[2])
            bottom.set(ylabel="energy / start", xlabel="t", ylim=(0, 1.02))
            figures.save(figure, out / "thermoelastic_bar.png")
        figures.order_figure(study, out / "thermoelastic_order.png")
    case = study.cases[0]
    return {
        "largest rise of energy in a step, relative": float(np.diff(E).max() / E[0]),
        "energy left": float(E[-1] / E[0]),
        "order in displacement": case.order("q"),
        "order in velocity and temperature": case.order("v"),
        "order in their rates": case.order("a"),
    }


if __name__ == "__main__":
    for name, value in main(Path("out/thermoelastic_bar")).items():
        print(f"{name:50s} {value:.6g}")
