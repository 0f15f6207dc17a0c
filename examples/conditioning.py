"""Condition number of the matrix of a step over the size of the step, as printed in §3.3.3 of
Shimada (2014) and as isodyn scales it.

Two equal masses in the plane: the first on a rod, the second on a damped spring from the first, so
that M, C_T, K_T and G are all there. As printed, the condition number grows like
Δt^−(index + form − 2), with form = 1, 2, 3 for unknown Δa, Δv, Δq: from not at all (index 1,
a-form) to Δt⁻⁴ (index 3, d-form). With closure rows divided by their own dependence on Δa it is the
same for every index, and in a-form it does not depend on the step once the step resolves the
spring. Masses still matter.
"""

from __future__ import annotations

from pathlib import Path

import numpy as np

import isodyn as iso
from isodyn.analysis import condition_number
from isodyn.report import figures

LEVELS = {3: iso.PositionLevel(), 2: iso.VelocityLevel(), 1: iso.AccelerationLevel()}
FORMS = {1: "a-form", 2: "v-form", 3: "d-form"}
MASSES = (1e-6, 1e-3, 1.0, 1e3)
STEPS = np.logspace(-1, -6, 21)
SCHEME = iso.Scheme.optimal(0.5)
STIFFNESS, DAMPING = 50.0, 1e-3


def system(m: float) -> iso.MechanicalSystem:
    """Two points: one on a rod of length 1, one on a spring from it."""

    def Q(q: np.ndarray, v: np.ndarray, t: float) -> np.ndarray:
        d, rate = q[2:] - q[:2], v[2:] - v[:2]
        length = np.sqrt(d @ d)
        pull = (STIFFNESS * (length - 0.7) + DAMPING * (d @ rate) / length) * d / length
        return np.concatenate([pull, -pull]) - 9.81 * m * np.array([0.0, 1.0, 0.0, 1.0])

    def phi(q: np.ndarray, t: float) -> np.ndarray:
        return np.array([0.5 * (q[0] ** 2 + q[1] ** 2 - 1.0)])

    return iso.MechanicalSystem(np.full(4, m), Q, [0.6, -0.8, 1.3, -1.1], [0.8, 0.6, 0.0, 0.5], phi=phi)


def main(out: Path | None = None) -> dict[str, float]:
    """Draw the figure into `out`; return the exponents k of Δt^−k over the last decade, and how
    much scaling leaves."""
    curves = {
        (m, scaled, index, form): np.array(
            [condition_number(system(m), SCHEME, level, dt, form=form, scaled=scaled) for dt in STEPS]
        )
        for m in MASSES
        for scaled in (False, True)
        for index, level in LEVELS.items()
        for form in (FORMS if m == 1.0 else (1,))
    }
    numbers = {}
    for (m, scaled, index, form), values in curves.items():
        name = f"{'scaled' if scaled else 'as printed'}, index {index}, {FORMS[form]}, m = {m:g}"
        numbers[f"{name}: exponent"] = float(np.log10(values[-1] / values[-5]))
        numbers[f"{name}: largest"] = float(values.max())
    if out is not None:
        draw(curves, out / "conditioning.png")
    return numbers


def draw(curves: dict[tuple[float, bool, int, int], np.ndarray], path: Path) -> None:
    """Above the forms for m = 1, below the masses in a-form; left as printed, right scaled."""
    strokes = {3: "-", 2: "--", 1: ":"}
    with figures.canvas(2, 2, size=(11.0, 8.4), sharex=True, sharey="row") as (figure, grid):
        for (m, scaled, index, form), values in curves.items():
            if m == 1.0:
                look = {"color": figures.COLOURS[form - 1], "linestyle": strokes[index]}
                grid[0, int(scaled)].loglog(STEPS, values, label=f"index {index}, {FORMS[form]}", **look)
            if form == 1:
                look = {"color": figures.COLOURS[3 + MASSES.index(m)], "linestyle": strokes[index]}
                grid[1, int(scaled)].loglog(STEPS, values, label=f"index {index}, m = {m:g}", **look)
        for column, name in enumerate(("as printed", "scaled")):
            grid[0, column].set_title(f"{name}, m = 1")
            grid[1, column].set_title(f"{name}, a-form")
            grid[1, column].set_xlabel("time step dt")
        for row in grid:
            row[0].set_ylabel("condition number")
            row[1].legend(loc="center left", bbox_to_anchor=(1.0, 0.5))
        figures.save(figure, path)


if __name__ == "__main__":
    for name, value in main(Path("out/conditioning")).items():
        print(f"{name:60s} {value:.3g}")
