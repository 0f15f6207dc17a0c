"""How many runs a fit with exact derivatives takes, beside searches that know none.

Stiffness, damping and a mass of a four-bar from two noisy channels. Nelder-Mead and Powell (SciPy,
restarted at their own tolerances) count their runs up to the first that comes within 0.1 squares of
the noise of the fit's sum of squares. A run with derivatives by k parameters counts as 1 + k·c
runs, with c measured here as processor time; with and without the profiles that give intervals,
which searches without derivatives do not give at all. Processor time of whole fits is in units of a
plain run, too.

Required: at least ten times fewer runs, profiles included.
"""

from __future__ import annotations

import time
import warnings
from collections.abc import Callable
from typing import Any

import numpy as np
from benchmarks.common import write
from scipy.optimize import minimize

import isodyn as iso
from isodyn.sensitivities.parameters import family_of

TRUTH = {"spring.stiffness": 4.0, "spring.damping": 0.2, "coupler.mass": 1.3}
START = {"spring.stiffness": 5.0, "spring.damping": 0.1, "coupler.mass": 1.0}
NOISE = {"A.angle": 0.004, "C.angle_rate": 0.03}
RUN: dict[str, Any] = {"dt": 0.01, "t_end": 0.8}
NEAR = 0.1  # squares of the noise
SEEDS = range(3)
MOST = 2000  # runs of a search


def four_bar() -> iso.Mechanism:
    """In the plane, on a spring that also damps."""
    mech = iso.Mechanism(gravity=(0, -9.81, 0))
    points = np.array([(0, 0, 0), (0.1, 0.4, 0), (1.0, 0.9, 0), (1.2, 0, 0)])
    for k, name in enumerate(("crank", "coupler", "rocker")):
        a, b = points[k : k + 2]
        L, angle = np.linalg.norm(b - a), np.arctan2(b[1] - a[1], b[0] - a[0])
        mech.add_body(name, 1.0 + 0.3 * k, L * L / 12, (a + b)[:2] / 2, float(angle), kind="planar")
    bodies = ("ground", "crank", "coupler", "rocker", "ground")
    for name, a, b, point in zip("ABCD", bodies, bodies[1:], points, strict=False):
        mech.add_joint(iso.Hinge(name, a, b, point=point, axis=(0, 0, 1)))
    mech.add_load(iso.JointSpring("spring", "A", stiffness=4.0, damping=0.2))
    mech.add_load(iso.Torque("drive", "crank", (0, 0, 4.0)))
    return mech


def channels(sol: iso.Solution) -> dict[str, Any]:
    """What is measured, at ends of steps."""
    return {name: sol.quantity(name).values[1:] for name in NOISE}


def processor_time(function: Callable[[], Any], rounds: int = 5) -> float:
    """The smallest of some."""
    found = []
    for _ in range(rounds):
        began = time.process_time()
        function()
        found.append(time.process_time() - began)
    return min(found)


class EnoughError(Exception):
    """A search has come near enough."""


def searched(method: str, squares: Callable[[Any], float], least: float) -> float:
    """Runs of a search until it is near enough; infinite if it never is."""
    count = 0

    def counted(x: Any) -> float:
        nonlocal count
        count += 1
        found = squares(np.array(list(START.values())) * x)
        if found <= least + NEAR or count >= MOST:
            raise EnoughError
        return found

    tolerances = {"Nelder-Mead": {"fatol": 1e-4, "xatol": 1e-6}, "Powell": {"ftol": 1e-8, "xtol": 1e-6}}
    try:
        minimize(counted, np.ones(len(START)), method=method, options={"maxfev": MOST, **tolerances[method]})
    except EnoughError:
        return float(count) if count < MOST else np.inf
    return np.inf


def measure(seed: int) -> dict[str, float]:
    """Runs of a fit and of searches without derivatives."""
    family, names, rng = family_of(four_bar()), list(START), np.random.default_rng(seed)
    sol = iso.integrate(four_bar(), **RUN)
    data = {name: x + NOISE[name] * rng.standard_normal(x.size) for name, x in channels(sol).items()}

    def squares(x: Any) -> float:
        if np.any(x <= 0.0):
            return 1e12
        said = channels(iso.integrate(family.at(dict(zip(names, map(float, x), strict=True))), **RUN))
        return sum(float((((said[n] - data[n]) / NOISE[n]) ** 2).sum()) for n in NOISE)

    table = {"t": sol.t[1:], **data}

    def fitted(profile: bool) -> iso.Fit:
        return iso.fit(four_bar(), table, names, start=START, noise=NOISE, dt=RUN["dt"], profile=profile)

    fits = {profile: fitted(profile) for profile in (False, True)}
    least = squares(fits[False].values)
    plain = processor_time(lambda: iso.integrate(four_bar(), **RUN))
    each = (processor_time(lambda: iso.integrate(four_bar(), sensitivities=names, **RUN)) / plain - 1.0) / len(names)
    row = {"cost of a parameter": each}
    for profile, found in fits.items():
        label = "with profiles" if profile else "without profiles"
        row[f"runs {label}"] = found.runs
        row[f"runs {label}, derivatives counted"] = found.runs * (1.0 + len(names) * each)
        row[f"processor time {label}, in runs"] = processor_time(lambda p=profile: fitted(p), 3) / plain
    for method in ("Nelder-Mead", "Powell"):
        row[method] = searched(method, squares, least)
        for label in ("without profiles", "with profiles"):
            row[f"{method} / fit {label}"] = row[method] / row[f"runs {label}"]
            row[f"{method} / fit {label}, derivatives counted"] = (
                row[method] / row[f"runs {label}, derivatives counted"]
            )
    return row


def main() -> bool:
    """Measure, print and write; whether fits take ten times fewer runs."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        found = [measure(seed) for seed in SEEDS]
    medians = {name: float(np.median([row[name] for row in found])) for name in found[0]}
    for name, value in medians.items():
        print(f"{name:60s}{value:10.2f}")
    write("fits", {"seeds": len(found), "medians": medians, "cases": found})
    return min(medians[f"{method} / fit with profiles"] for method in ("Nelder-Mead", "Powell")) >= 10.0


if __name__ == "__main__":
    main()
