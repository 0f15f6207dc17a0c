"""Figures 3.1 to 3.3 of Shimada (2014): Andrews' squeezing mechanism at position level (index 3)
and in Hamilton's form.

Position level with the midpoint rule MPR-MPA = V0(1, 1, 0) and with optimal (0, 1, 0); Algorithm
3.5.2 with what the adaptation process makes of both, the midpoint rule and Gear's method. Position
level keeps φ alone; Hamilton's form keeps φ and φ̇ to rounding; neither keeps φ̈. The mechanism
starts at rest, which is kind to position level, but second order in all variables, as the figures
have it, is found in three cases of four: with the midpoint rule at position level λ is first order,
and below Δt = 5e-6 its error grows, because rounding divided by Δt² enters λ and nothing damps it.
"""

from __future__ import annotations

import warnings
from pathlib import Path

import numpy as np

import isodyn as iso
from isodyn import problems
from isodyn.report import figures
from isodyn.studies import OrderCase, accurate_motion, errors_of

CASES = {
    "3.1, MPR-MPA, position level": (iso.Scheme.V0(1, 1, 0), iso.PositionLevel()),
    "3.2, optimal (0, 1, 0), position level": (iso.Scheme.optimal(0.0), iso.PositionLevel()),
    "3.3, MPR-MPA, Hamilton's form": (iso.FirstOrderScheme.crank_nicolson(), iso.Hamiltonian()),
    "3.3, Gear, Hamilton's form": (iso.FirstOrderScheme.gear(), iso.Hamiltonian()),
}
T_ORDER = 0.004
MARKS = {"q": "o", "v": "s", "a": "^", "lam": "*"}


def main(out: Path | None = None) -> dict[str, float]:
    """Draw the figures into `out`; return orders, drift, energy and what finer steps do to λ."""
    problem = problems.get("andrews")
    system = problem.system()
    reference = accurate_motion(system, T_ORDER)
    numbers: dict[str, float] = {}

    def run(case: str, dt: float, t_end: float) -> iso.Solution:
        with warnings.catch_warnings():
            # of position level: measured here
            warnings.simplefilter("ignore", iso.errors.AccuracyWarning)
            return iso.integrate(system, CASES[case][0], CASES[case][1], dt=dt, t_end=t_end)

    for case, (_, formulation) in CASES.items():
        slow = isinstance(formulation, iso.Hamiltonian)
        dts = (8e-5, 4e-5) if slow else (8e-5, 4e-5, 2e-5)
        runs = [run(case, dt, T_ORDER) for dt in dts]
        study = OrderCase(case, dts, tuple(errors_of(sol, *reference.at(sol.t)) for sol in runs))
        for quantity in MARKS:
            numbers[f"{case}: order in {quantity}"] = study.order(quantity)
        sol = run(case, 4e-5, 0.006) if slow else run(case, 1e-5, 0.03)
        for level, largest in zip(("φ", "φ̇", "φ̈"), sol.drift().largest, strict=True):
            numbers[f"{case}: {level}"] = largest
        numbers[f"{case}: energy"] = float(np.abs(sol.energy_balance()).max())
        if not slow:
            fine = run(case, 1.25e-6, T_ORDER)
            numbers[f"{case}: error in λ, dt = 1.25e-6 over 2e-5"] = (
                errors_of(fine, *reference.at(fine.t)).lam / study.of("lam")[-1]
            )
        if out is not None:
            name = case.split(",")[1].split()[0].lower()
            draw(case, study, sol, out / f"fig_{case[:3].replace('.', '_0')}_andrews_{name}.png")
    return numbers


def draw(case: str, study: OrderCase, sol: iso.Solution, path: Path) -> None:
    """Time accuracy, solution, three levels of the constraints, energy."""
    drift = sol.drift()
    with figures.canvas(2, 3, size=(12.0, 6.6)) as (figure, grid):
        for quantity, mark in MARKS.items():
            text = f"{'λ' if quantity == 'lam' else quantity}, slope {study.order(quantity):.2f}"
            grid[0, 0].loglog(study.dts, study.of(quantity), marker=mark, label=text)
        figures.step_ticks(grid[0, 0], study.dts)
        grid[0, 0].set(xlabel="time step [s]", ylabel=f"relative error, t ≤ {T_ORDER:g} s", title="time accuracy")
        grid[0, 0].legend()
        for i, name in enumerate(sol.system.names):
            turned = (sol.q[:, i] + np.pi) % (2 * np.pi) - np.pi
            jump = np.flatnonzero(np.abs(np.diff(turned)) > np.pi)
            grid[0, 1].plot(np.insert(sol.t, jump + 1, sol.t[jump]), np.insert(turned, jump + 1, np.nan), label=name)
        grid[0, 1].set(xlabel="t [s]", ylabel="angles, modulo 2π [rad]", title="solution")
        grid[0, 1].legend(ncols=2, fontsize=7)
        for axes, name in zip(
            (grid[0, 2], grid[1, 0], grid[1, 1]), ("position", "velocity", "acceleration"), strict=True
        ):
            axes.semilogy(sol.t, np.maximum(getattr(drift, name), 1e-19), linewidth=0.8)
            axes.set(xlabel="t [s]", ylabel="relative violation", title=f"constraints at {name} level")
        grid[1, 2].plot(sol.t, sol.energy_balance(), linewidth=0.8)
        grid[1, 2].set(xlabel="t [s]", ylabel="E − E₀ [J]", title="energy")
        figure.suptitle(f"Figure {case}")
        figures.save(figure, path)


if __name__ == "__main__":
    for name, value in main(Path("out/shimada2014")).items():
        print(f"{name:75s} {value:.3e}")
