"""Users' functions, redundant rows, and what comes after a run, each beside its best twin.

    njit, phi alone / all derivatives     a pendulum from @njit functions, cost of a step
    njit, no Q_q / all derivatives        the same with G, b, phi_t given
    plain, phi alone / njit, phi alone    the same functions in Python
    redundant / minimal four-bar          a loop on hinges in space, and with as few rows as it needs; every row saved
    drift + energy / run                  of all rows of a long run of the pendulum of the library
    csv / run                             a file of all its rows

Rounds alternate; processor time of one thread, ratios of lower quartiles.
Requirements: phi alone at most 4, redundant rows at most 1.5, drift and energy at most 0.5. The others are reported.
"""

from __future__ import annotations

import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
from benchmarks.common import seconds, summary, write
from numba import njit

import isodyn as iso

ROUNDS, ROWS = 7, 200_000
LIMITS = {"njit, phi alone / all derivatives": 4.0, "redundant / minimal four-bar": 1.5, "drift + energy / run": 0.5}


def weight(q: Any, v: Any, t: float) -> Any:
    return np.array([0.0, -9.81])


def nothing(q: Any, v: Any, t: float) -> Any:
    return np.zeros((2, 2))


def rod(q: Any, t: float) -> Any:
    return np.array([q[0] ** 2 + q[1] ** 2 - 1.0])


def slope(q: Any, t: float) -> Any:
    return np.array([[2.0 * q[0], 2.0 * q[1]]])


def right(q: Any, v: Any, t: float) -> Any:
    return np.array([-2.0 * (v[0] ** 2 + v[1] ** 2)])


def still(q: Any, t: float) -> Any:
    return np.zeros(1)


def pendulum(wrap: Callable[[Any], Any], *, rows: bool, forces: bool) -> Any:
    """A point on a rod, with the derivatives of its rows and of its forces or without."""
    more = {"G": wrap(slope), "b": wrap(right), "phi_t": wrap(still)} if rows else {}
    more |= {"Q_q": wrap(nothing), "Q_v": wrap(nothing)} if forces else {}
    return iso.MechanicalSystem(np.eye(2), wrap(weight), [1.0, 0.0], [0.0, 0.0], phi=wrap(rod), **more)


def four_bar(*, redundant: bool) -> Any:
    """Three bars in space: on four hinges three of 20 rows are redundant; with a ball and a
    cylindrical joint instead of two of them there are 17 rows, all independent."""
    points = [(0.0, 0.0, 0.0), (0.0, 1.0, 0.0), (2.0, 2.0, 0.0), (2.5, 0.0, 0.0)]
    mech = iso.Mechanism(gravity=(0, -9.81, 0))
    for k in range(3):
        middle = tuple(0.5 * (x + y) for x, y in zip(points[k], points[k + 1], strict=True))
        mech.add_body(f"bar{k}", mass=1.0, inertia=(0.01, 0.1, 0.1), position=middle)
    names, z = ["ground", "bar0", "bar1", "bar2", "ground"], (0, 0, 1)
    for k in range(4):
        between = names[k], names[k + 1]
        if redundant or k < 2:
            mech.add_joint(iso.Hinge(f"pin{k}", *between, point=points[k], axis=z))
        elif k == 2:
            mech.add_joint(iso.Spherical(f"pin{k}", *between, point=points[k]))
        else:
            mech.add_joint(iso.Cylindrical(f"pin{k}", *between, point=points[k], axis=z))
    return mech.compile()


def cost(system: Any, dt: float, steps: int) -> Callable[[], float]:
    """Seconds of a step, without what a run costs in any case."""

    def measure() -> float:
        short = seconds(lambda: iso.integrate(system, dt=dt, t_end=10 * dt))
        return (seconds(lambda: iso.integrate(system, dt=dt, t_end=steps * dt)) - short) / (steps - 10)

    return measure


def after_a_run() -> dict[str, list[float]]:
    """Parts of the time of a run that drift, energy and a CSV file take."""
    system = iso.problems.get("pendulum").system()
    iso.integrate(system, dt=1e-3, t_end=0.1).drift()
    found: dict[str, list[float]] = {"drift + energy / run": [], "csv / run": []}
    with tempfile.TemporaryDirectory() as folder:
        for _ in range(3):
            runs: list[Any] = []
            run = seconds(lambda kept=runs: kept.append(iso.integrate(system, dt=1e-4, t_end=1e-4 * ROWS)))  # type: ignore[misc]
            sol = runs[0]
            found["drift + energy / run"].append(seconds(lambda sol=sol: (sol.drift(), sol.energy())) / run)  # type: ignore[misc]
            found["csv / run"].append(seconds(lambda sol=sol: sol.save(Path(folder) / "run.csv")) / run)  # type: ignore[misc]
    return found


def main() -> bool:
    """Measure, print and write; whether the requirements are met."""
    cases = {
        "all": cost(pendulum(njit, rows=True, forces=True), 2e-3, 2000),
        "no Q_q": cost(pendulum(njit, rows=True, forces=False), 2e-3, 2000),
        "phi": cost(pendulum(njit, rows=False, forces=False), 2e-3, 2000),
        "plain": cost(pendulum(lambda f: f, rows=False, forces=False), 2e-3, 100),
        "minimal": cost(four_bar(redundant=False), 2e-3, 500),
        "redundant": cost(four_bar(redundant=True), 2e-3, 200),
    }
    samples: dict[str, list[float]] = {name: [] for name in cases}
    for measure in cases.values():
        measure()
    for _ in range(ROUNDS):
        for name, measure in cases.items():
            samples[name].append(measure())
    low = {name: float(np.percentile(values, 25)) for name, values in samples.items()}
    ratios = {
        "njit, phi alone / all derivatives": low["phi"] / low["all"],
        "njit, no Q_q / all derivatives": low["no Q_q"] / low["all"],
        "plain, phi alone / njit, phi alone": low["plain"] / low["phi"],
        "redundant / minimal four-bar": low["redundant"] / low["minimal"],
    }
    ratios |= {name: float(np.percentile(values, 25)) for name, values in after_a_run().items()}
    for name, ratio in ratios.items():
        print(f"{name:44s}{ratio:10.2f}" + (f"   at most {LIMITS[name]:g}" if name in LIMITS else ""))
    write("users", {"ratios": ratios, "limits": LIMITS, "seconds": {name: summary(x) for name, x in samples.items()}})
    return all(ratios[name] <= limit for name, limit in LIMITS.items())


if __name__ == "__main__":
    main()
