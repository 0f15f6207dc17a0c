"""Chaplygin's sleigh: energy is kept, and yet the motion settles down.

A body on a plane rests on a blade behind its centre of mass that does not slip sideways. Started
backwards it turns round and ends running straight, blade behind. No friction acts; what looks like
damping is the nonholonomic constraint. The closed form is there to compare.
"""

from __future__ import annotations

from pathlib import Path

import numpy as np

import isodyn as iso
from isodyn import problems
from isodyn.report import figures

THETA0 = 1.9  # it ends running to the right


def main(out: Path | None = None) -> dict[str, float]:
    """Draw the path into `out`; return errors of fixed and adaptive steps."""
    problem = problems.get("chaplygin_sleigh")
    system, t_end = problem.system(theta0=THETA0), 12.0
    fixed = iso.integrate(system, iso.Scheme.optimal(0.8), dt=0.01, t_end=t_end)
    adaptive = iso.integrate_adaptive(system, t_end=t_end, rtol=1e-11)
    numbers = {}
    for name, sol in (("fixed steps", fixed), ("adaptive steps", adaptive)):
        exact = problem.exact(sol.t, theta0=THETA0)
        assert exact is not None
        T, V = sol.energy()
        numbers[f"{name}: steps"] = float(sol.stats.steps)
        numbers[f"{name}: error in q"] = float(np.abs(sol.q - exact.q).max())
        numbers[f"{name}: change of energy"] = float(np.ptp(T + V) / T[0])
        numbers[f"{name}: side slip of the blade"] = float(sol.drift().velocity.max())
    numbers["last rate of turning / first"] = float(adaptive.v[-1, 2] / adaptive.v[0, 2])
    if out is not None:
        draw(fixed, problem.parameters["a"], out / "chaplygin_sleigh.png")
    return numbers


def draw(sol: iso.Solution, a: float, path: Path) -> None:
    """Path of blade and centre with the body now and then, up to t = 4.5; velocity along the blade
    and rate of turning."""
    heading = np.stack([np.cos(sol.q[:, 2]), np.sin(sol.q[:, 2])], axis=1)
    blade = sol.q[:, :2] - a * heading
    along = (sol.v[:, :2] * heading).sum(axis=1)
    shown = int(np.searchsorted(sol.t, 4.5))
    with figures.canvas(2, 1, size=(7.5, 6.5)) as (figure, (plane, rates)):
        plane.plot(*blade[:shown].T, label="blade")
        plane.plot(*sol.q[:shown, :2].T, label="centre of mass")
        for k in range(0, shown, 15):
            plane.plot(*np.stack([blade[k], sol.q[k, :2]]).T, color="0.6", linewidth=1.0)
        plane.set(xlabel="x", ylabel="y", title="path", aspect="equal")
        plane.legend(loc="upper right")
        rates.plot(sol.t, along, label="velocity along the blade")
        rates.plot(sol.t, sol.v[:, 2], label="rate of turning")
        rates.set(xlabel="t", title="from turning to running")
        rates.legend()
        figures.save(figure, path)


if __name__ == "__main__":
    for name, value in main(Path("out/chaplygin_sleigh")).items():
        print(f"{name:40s} {value:.3g}")
