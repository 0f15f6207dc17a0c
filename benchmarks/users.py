"""Users' functions, redundant rows, and what comes after a run, each beside its best twin.

    njit, phi alone / all derivatives     a pendulum from @njit functions, cost of a step
    njit, no Q_q / all derivatives        the same with G, b, phi_t given
    plain, phi alone / njit, phi alone    the same functions in Python
    redundant / minimal four-bar          a loop on hinges in space, and with as few rows as it needs; every row saved
    redundant / minimal Bennett, Bricard  the same for loops whose hinges are not parallel
    drift + energy / run                  of all rows of a long run of the pendulum of the library
    csv / run, netcdf / run               a file of all its rows
    …, ten bodies                         files of a chain with every step saved: 223 and 412 numbers a row

Rounds alternate; processor time. What comes after a run has one processor as the run has: where there
are two, two threads make text, slow each other down, and their times together are longer than the
work. Ratios of lower quartiles, upper quartiles of what comes after a run.
Requirements: phi alone at most 4, redundant rows at most 1.5, drift and energy, and files of the pendulum at most 0.5.
The others are reported.
"""

from __future__ import annotations

import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
from benchmarks.common import one_processor, seconds, summary, write
from numba import njit

import isodyn as iso
from isodyn.problems import loops_in_space

ROUNDS, ROWS, WIDE_ROWS = 7, 1_000_000, 30_000
LIMITS = {"njit, phi alone / all derivatives": 4.0, "drift + energy / run": 0.5} | {
    f"redundant / minimal {name}": 1.5 for name in ("four-bar", "Bennett", "Bricard")
}
LIMITS |= {"csv / run": 0.5, "netcdf / run": 0.5}


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


JOINTS = {"hinge": iso.Hinge, "ball": iso.Spherical, "cylinder": iso.Cylindrical}


def loop(points: Any, axes: Any, joints: list[str]) -> Any:
    """Bars from point to point, the last of which is the ground."""
    points, names, mech = np.asarray(points, dtype=float), ["ground"], iso.Mechanism(gravity=(0, -9.81, 0))
    for k in range(len(points) - 1):
        x, z = points[k + 1] - points[k], axes[k] / np.linalg.norm(axes[k])
        x = x - (x @ z) * z
        x /= np.linalg.norm(x)
        turned = np.column_stack([x, np.cross(z, x), z])
        names.append(f"bar{k}")
        mech.add_body(names[-1], 1.0, (0.01, 0.1, 0.1), 0.5 * (points[k] + points[k + 1]), turned)
    for k, (point, axis, joint) in enumerate(zip(points, axes, joints, strict=True)):
        more = {} if joint == "ball" else {"axis": tuple(axis)}
        ends = names[k], names[(k + 1) % len(names)]
        mech.add_joint(JOINTS[joint](f"pin{k}", *ends, point=tuple(point), **more))
    return mech.compile()


def four_bar(*, redundant: bool) -> Any:
    """Three bars in space: on four hinges three of 20 rows are redundant; with a ball and a
    cylindrical joint instead of two of them there are 17 rows, all independent."""
    points = [(0.0, 0.0, 0.0), (0.0, 1.0, 0.0), (2.0, 2.0, 0.0), (2.5, 0.0, 0.0)]
    joints = ["hinge"] * 4 if redundant else ["hinge", "hinge", "ball", "cylinder"]
    return loop(points, [np.array([0.0, 0.0, 1.0])] * 4, joints)


def bennett(*, redundant: bool) -> Any:
    """Four hinges that are not parallel, with the same rows as the four-bar, and the same ones to
    do without."""
    frames = loops_in_space.bennett_frames(0.4 * np.pi)[:4]
    joints = ["hinge"] * 4 if redundant else ["hinge", "hinge", "ball", "cylinder"]
    return loop([frame[:3, 3] for frame in frames], [frame[:3, 2] for frame in frames], joints)


def bricard(*, redundant: bool) -> Any:
    """Six hinges along a cube: 30 rows of rank 29, or 29 with a cylindrical joint."""
    joints = ["hinge"] * 6 if redundant else ["hinge"] * 5 + ["cylinder"]
    return loop(loops_in_space.CORNERS, loops_in_space.AXES, joints)


LOOPS = {"four-bar": four_bar, "Bennett": bennett, "Bricard": bricard}


def cost(system: Any, dt: float, steps: int) -> Callable[[], float]:
    """Seconds of a step, without what a run costs in any case."""

    def measure() -> float:
        short = seconds(lambda: iso.integrate(system, dt=dt, t_end=10 * dt))
        return (seconds(lambda: iso.integrate(system, dt=dt, t_end=steps * dt)) - short) / (steps - 10)

    return measure


def of_all_threads(function: Callable[[], Any]) -> float:
    """Processor time of this process: numbers become text on a thread of its own."""
    started = time.process_time()
    function()
    return time.process_time() - started


def chain() -> Any:
    """Ten planar links on hinges."""
    mech, before = iso.Mechanism(gravity=(0, -9.81, 0)), "ground"
    for k in range(10):
        mech.add_body(f"link{k}", 0.1, 0.1 * 0.01 / 12, (0.1 * k + 0.05, 0.0), 0.0, kind="planar")
        mech.add_joint(iso.Hinge(f"pin{k}", before, f"link{k}", point=(0.1 * k, 0.0)))
        before = f"link{k}"
    return mech.compile()


def after_a_run(system: Any, dt: float, rows: int, of: str = "") -> dict[str, list[float]]:
    """Parts of the time of a run that drift and energy, and files of all of its rows take."""
    found: dict[str, list[float]] = {}

    def note(name: str, run: float, function: Callable[[], Any]) -> None:
        found.setdefault(f"{name} / run{of}", []).append(of_all_threads(function) / run)

    with tempfile.TemporaryDirectory() as folder:
        for k in range(4):
            runs: list[Any] = []
            run = of_all_threads(lambda kept=runs: kept.append(iso.integrate(system, dt=dt, t_end=dt * rows)))  # type: ignore[misc]
            sol = runs[0]
            note("drift + energy", run, lambda sol=sol: (sol.drift(), sol.energy()))  # type: ignore[misc]
            note("csv", run, lambda sol=sol: sol.save(Path(folder) / "run.csv"))  # type: ignore[misc]
            note("netcdf", run, lambda sol=sol: sol.save(Path(folder) / "run.nc"))  # type: ignore[misc]
            if k == 0:  # compiled, imported
                found.clear()
    return found


def main() -> bool:
    """Measure, print and write; whether the requirements are met."""
    cases = {
        "all": cost(pendulum(njit, rows=True, forces=True), 2e-3, 2000),
        "no Q_q": cost(pendulum(njit, rows=True, forces=False), 2e-3, 2000),
        "phi": cost(pendulum(njit, rows=False, forces=False), 2e-3, 2000),
        "plain": cost(pendulum(lambda f: f, rows=False, forces=False), 2e-3, 100),
    }
    for name, make in LOOPS.items():
        cases |= {f"{name}, {more}": cost(make(redundant=more == "all"), 2e-3, 1000) for more in ("all", "minimal")}
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
    }
    ratios |= {f"redundant / minimal {name}": low[f"{name}, all"] / low[f"{name}, minimal"] for name in LOOPS}
    with one_processor():
        after = after_a_run(iso.problems.get("pendulum").system(), 1e-4, ROWS)
        after |= after_a_run(chain(), 5e-4, WIDE_ROWS, ", ten bodies")
    ratios |= {name: float(np.percentile(values, 75)) for name, values in after.items()}
    for name, ratio in ratios.items():
        print(f"{name:44s}{ratio:10.2f}" + (f"   at most {LIMITS[name]:g}" if name in LIMITS else ""))
    write("users", {"ratios": ratios, "limits": LIMITS, "seconds": {name: summary(x) for name, x in samples.items()}})
    return all(ratios[name] <= limit for name, limit in LIMITS.items())


if __name__ == "__main__":
    main()
