"""Figures 3.6 to 3.14 of Shimada (2014): a spinning top at acceleration level (index 1), without
and with Baumgarte's terms.

Example 3.5.3: θ = π/8, precession 2π and spin 40π rad/s at the start, optimal (0, 1, 0), Δt = 0.01,
α = 1/Δt, β = √2/Δt, three seconds. The source does not give masses; here the top is a solid cone of
1 kg with radius 0.06 m and height 0.1 m, for which that start is near to steady precession. It
solves in Hamilton's form and for Euler angles; here rotations are moved by the exponential map and
the angles are read out, so that they may pass through any value.

As the source says, φ and φ̇ grow at acceleration level and Baumgarte's terms keep them small. With
Δt = 0.01 the top turns by 1.3 rad in a step and the motion is far from converged: without the terms
its tip wanders off by a metre; a run with finer steps is drawn beside both. Index 1 is of second
order in all variables. So is the stabilised form while α and β are kept; with α = 1/Δt, as the
source has it, q and v are of second order, and a and λ of first in a layer of some ten steps at the
start; behind it they are of second order, as the source finds.
"""

from __future__ import annotations

import math
from pathlib import Path
from typing import Any

import numpy as np

import isodyn as iso
from isodyn import problems
from isodyn.bodies import EULER_313
from isodyn.errors import coarse_steps_meant
from isodyn.problems import tops
from isodyn.report import figures
from isodyn.studies import OrderCase, accurate_motion, errors_of

SCHEME, DT, T_END = iso.Scheme.optimal(0.0), 0.01, 3.0
STEPS, T_ORDER = (1e-3, 5e-4, 2.5e-4), 0.1
LAYER = 16  # steps after which the layer at the start is over
MARKS = {"q": "o", "v": "s", "a": "^", "lam": "*"}


def forms(dt: float) -> dict[str, Any]:
    """The two formulations."""
    return {"index 1": iso.AccelerationLevel(), "stabilised index 1": iso.Baumgarte(1.0 / dt, math.sqrt(2.0) / dt)}


def orders_behind_the_layer(system: Any, reference: Any) -> dict[str, float]:
    """Orders in a and λ without the first steps."""
    gaps: dict[str, list[float]] = {"a": [], "lam": []}
    for dt in STEPS[1:]:
        sol = iso.integrate(system, SCHEME, forms(dt)["stabilised index 1"], dt=dt, t_end=T_ORDER)
        exact = reference.at(sol.t)
        for x, found in gaps.items():
            found.append(float(np.abs(getattr(sol, x) - getattr(exact, x))[LAYER:].max()))
    return {x: math.log2(coarse / fine) for x, (coarse, fine) in gaps.items()}


@coarse_steps_meant()  # the steps of the document
def main(out: Path | None = None) -> dict[str, float]:
    """Draw the figures into `out`; return orders, violations, and how far the coarse motion is from
    a fine one."""
    system = problems.get("spinning_top").system()
    numbers: dict[str, float] = {}
    fine = iso.integrate(system, iso.Scheme.U0(1, 1, 0), dt=5e-5, t_end=T_END, save_every=200)
    reference = accurate_motion(system, T_ORDER)
    studies, runs = {}, {}
    for name in (*forms(DT), "gains kept"):
        errors = []
        for dt in STEPS:
            form = forms(STEPS[0])["stabilised index 1"] if name == "gains kept" else forms(dt)[name]
            sol = iso.integrate(system, SCHEME, form, dt=dt, t_end=T_ORDER)
            errors.append(errors_of(sol, *reference.at(sol.t)))
        studies[name] = OrderCase(name, STEPS, tuple(errors))
        for x in MARKS:
            numbers[f"{name}: order in {x}"] = studies[name].order(x)
    for x, order in orders_behind_the_layer(system, reference).items():
        numbers[f"stabilised index 1: order in {x} behind {LAYER} steps"] = order
    for name in forms(DT):
        runs[name] = iso.integrate(system, SCHEME, forms(DT)[name], dt=DT, t_end=T_END)
        for level, largest in zip(("φ", "φ̇", "φ̈"), runs[name].drift().largest, strict=True):
            numbers[f"{name}: {level}"] = largest
        gap = runs[name].body("top").position - fine.body("top").position
        numbers[f"{name}: centre against a fine run [m]"] = float(np.abs(gap).max())
    heights = fine.body("top").R[:, 2, 2]
    numbers["lowest tilt [deg]"] = float(np.degrees(np.arccos(heights.max())))
    numbers["largest tilt [deg]"] = float(np.degrees(np.arccos(heights.min())))
    if out is not None:
        draw_start(system, out)
        draw_order(studies, out)
        for number, (name, sol) in zip(("08", "09"), runs.items(), strict=True):
            draw_configurations(name, number, sol, out)
        for number, (name, sol) in zip((10, 11), runs.items(), strict=True):
            draw_constraints(name, number, sol, out)
        draw_histories(runs, fine, out)
    return numbers


def cone(R: np.ndarray) -> list[np.ndarray]:
    """Rim and some edges of the cone."""
    angle = np.linspace(0.0, 2 * np.pi, 41)
    rim = np.column_stack([tops.RADIUS * np.cos(angle), tops.RADIUS * np.sin(angle), np.full(41, tops.HEIGHT)]) @ R.T
    return [rim, *(np.array([np.zeros(3), point]) for point in rim[:-1:8])]


def draw_top(axes: Any, R: np.ndarray, title: str) -> None:
    """The top with one edge marked, so that its spin is seen."""
    for k, line in enumerate(cone(R)):
        axes.plot(*line.T, color="#b3423a" if k == 1 else "#2f5d8a", linewidth=1.6 if k == 1 else 1.0)
    axes.plot([0, 0], [0, 0], [0, 0.13], color="#999999", linewidth=0.8, linestyle="--")
    axes.set(xlim=(-0.1, 0.1), ylim=(-0.1, 0.1), zlim=(-0.08, 0.14), title=title, xlabel="x", ylabel="y", zlabel="z")
    axes.tick_params(labelsize=6, pad=0)
    axes.set(xticks=(-0.1, 0.0, 0.1), yticks=(-0.1, 0.0, 0.1), zticks=(-0.05, 0.0, 0.05, 0.1))
    axes.set_box_aspect((0.2, 0.2, 0.22), zoom=0.85)


def scene(rows: int, columns: int, size: tuple[float, float]) -> Any:
    """Axes in space."""
    return figures.canvas(rows, columns, size=size, subplot_kw={"projection": "3d"})


def draw_start(system: Any, out: Path) -> None:
    """Figure 3.6."""
    with scene(1, 1, (4.6, 4.4)) as (figure, axes):
        draw_top(axes, EULER_313.matrix((0.0, math.pi / 8, 0.0)), "t = 0")
        axes.plot(*np.array([np.zeros(3), system.q0[:3]]).T, "k.-", linewidth=0.6, markersize=4)
        figures.save(figure, out / "fig_3_06_start.png")


def draw_order(studies: dict[str, OrderCase], out: Path) -> None:
    """Figure 3.7."""
    with figures.canvas(1, 3, size=(12.5, 4.0), sharey=True) as (figure, grid):
        for axes, (name, study) in zip(grid, studies.items(), strict=True):
            for quantity, mark in MARKS.items():
                text = f"{'λ' if quantity == 'lam' else quantity}, slope {study.order(quantity):.2f}"
                axes.loglog(study.dts, study.of(quantity), marker=mark, label=text)
            figures.step_ticks(axes, study.dts)
            axes.set(xlabel="time step [s]", title=f"stabilised index 1, {name}" if name == "gains kept" else name)
            axes.legend()
        grid[0].set_ylabel(f"relative error, t ≤ {T_ORDER:g} s")
        figures.save(figure, out / "fig_3_07_order.png")


def draw_configurations(name: str, number: str, sol: iso.Solution, out: Path) -> None:
    """Figures 3.8 and 3.9: how the top stands at every second, drawn at the origin also where its
    tip has left it."""
    with scene(1, 4, (12.5, 3.4)) as (figure, grid):
        for second, axes in enumerate(grid):
            k = int(np.argmin(np.abs(sol.t - second)))
            draw_top(axes, sol.body("top").R[k], f"t = {second} s")
        figure.suptitle(name)
        figures.save(figure, out / f"fig_3_{number}_configuration.png")


def draw_constraints(name: str, number: int, sol: iso.Solution, out: Path) -> None:
    """Figures 3.10 and 3.11: rows and their relative size at three levels."""
    ask, drift = iso.systems.questions.Questions(sol.system), sol.drift()
    rows = zip(sol.t, sol.q, sol.v, sol.a, strict=True)
    levels = [(ask.position(t, q, v), ask.velocity(t, q, v), ask.acceleration(t, q, v, a)) for t, q, v, a in rows]
    with figures.canvas(3, 2, size=(10.0, 7.6), sharex=True) as (figure, grid):
        for i, level in enumerate(("position", "velocity", "acceleration")):
            grid[i, 0].plot(sol.t, np.array([row[i] for row in levels]), linewidth=0.8, label=["x", "y", "z"])
            grid[i, 0].set_ylabel(f"{level} level")
            grid[i, 1].semilogy(sol.t, np.maximum(getattr(drift, level), 1e-18), linewidth=0.8)
            grid[i, 1].set_ylabel("relative violation")
        grid[0, 0].legend(ncols=3)
        for axes in grid[2]:
            axes.set_xlabel("t [s]")
        figure.suptitle(f"{name}: constraints")
        figures.save(figure, out / f"fig_3_{number}_constraints.png")


def draw_histories(runs: dict[str, iso.Solution], fine: iso.Solution, out: Path) -> None:
    """Figures 3.12, 3.13 and 3.14: centre of gravity, its velocity, Euler angles."""
    quantities = {
        ("12_position", "centre of gravity [m]", "XYZ"): lambda sol: sol.body("top").position,
        ("13_velocity", "its velocity [m/s]", "XYZ"): lambda sol: sol.body("top").velocity,
        ("14_euler_angles", "angle [rad]", "φθψ"): lambda sol: EULER_313.history(sol.body("top").orientation),
    }
    for (file, label, names), read in quantities.items():
        with figures.canvas(3, 2, size=(10.5, 7.6), sharex=True, sharey="row") as (figure, grid):
            for column, (name, sol) in enumerate(runs.items()):
                for i in range(3):
                    grid[i, column].plot(fine.t, read(fine)[:, i], color="#bbbbbb", linewidth=2.0, label="Δt = 5e-5")
                    grid[i, column].plot(sol.t, read(sol)[:, i], linewidth=0.9, label=f"Δt = {DT:g}")
                    grid[i, column].set_ylabel(f"{names[i]}: {label}" if column == 0 else "")
                grid[0, column].set_title(name)
                grid[2, column].set_xlabel("t [s]")
            grid[0, 0].legend()
            figures.save(figure, out / f"fig_3_{file}.png")


if __name__ == "__main__":
    for key, value in main(Path("out/shimada2014")).items():
        print(f"{key:50s} {value:.4g}")
