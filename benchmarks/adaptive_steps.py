"""Adaptive steps of GS4 against the best steps of one size, on motions with several time scales.

    van der Pol, μ = 100 and 1000;   Robertson's reaction;   a pendulum on a spring of 1e4, 1e6, 1e8 N/m

Each problem is run with rtol = 1e-2, 1e-3, 1e-4, and with 2ᵏ steps of one size by the same member.
Compared are processor times to the same error, at the end of the run, of Robertson's reaction over
all of time: the cheapest run of one size that is as accurate as an adaptive one. Sizes that do not
reach it with `MOST` steps are said to need more. The reference is SciPy's Radau at rtol = 1e-11, for
stiff springs, whose fast vibrations nobody wants, adaptive steps at rtol = 1e-6.

Required: adaptive steps are cheaper on van der Pol and Robertson. Of a pendulum on a spring that is
so stiff that nobody resolves it one time scale is left, and steps of one size cost about as much.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable
from functools import partial
from typing import Any

import numba
import numpy as np
from benchmarks.common import seconds, write
from scipy.integrate import solve_ivp

import isodyn as iso

RTOLS, MOST, REPEATS = (1e-2, 1e-3, 1e-4), 2**19, 3


def van_der_pol(mu: float) -> tuple[Any, float, Callable[[Any], float]]:
    @numba.njit
    def force(q: Any, v: Any, t: float) -> Any:
        return mu * (1.0 - q**2) * v - q

    t_end = 1.5 * mu
    exact = solve_ivp(
        lambda t, y: [y[1], mu * (1.0 - y[0] ** 2) * y[1] - y[0]],
        (0.0, t_end),
        [2.0, 0.0],
        method="Radau",
        rtol=1e-11,
        atol=1e-13,
    ).y[0, -1]
    system = iso.MechanicalSystem(M=1.0, Q=force, q0=[2.0], v0=[0.0])
    return system, t_end, lambda sol: float(abs(sol.q[-1, 0] - exact))


def robertson() -> tuple[Any, float, Callable[[Any], float]]:
    @numba.njit
    def rates(s: Any, t: float) -> Any:
        forth, back, third = 0.04 * s[0], 1e4 * s[1] * s[2], 3e7 * s[1] ** 2
        return np.array([back - forth, forth - back - third, third])

    times = np.geomspace(1e-5, 40.0, 60)
    found = solve_ivp(
        lambda t, s: rates(s, t), (0.0, 40.0), [1.0, 0.0, 0.0], "Radau", dense_output=True, rtol=1e-11, atol=1e-16
    )
    exact = found.sol(times).T
    system = iso.FirstOrderSystem(rates, [1.0, 0.0, 0.0])
    return system, 40.0, lambda sol: float((np.abs(sol.at(times).v - exact) / np.abs(exact).max(axis=0)).max())


def spring(k: float) -> tuple[Any, float, Callable[[Any], float]]:
    @numba.njit
    def force(q: Any, v: Any, t: float) -> Any:
        length = np.sqrt(q[0] ** 2 + q[1] ** 2)
        pull = k * (length - 1.0) / length
        return np.array([-pull * q[0], -pull * q[1] - 9.81])

    system = iso.MechanicalSystem(M=np.eye(2), Q=force, q0=[1.0, 0.0], v0=[0.0, 0.0])
    exact = iso.integrate(system, dt=iso.Adaptive(1e-6), t_end=5.0, save=2).q[-1]
    return system, 5.0, lambda sol: float(np.abs(sol.q[-1] - exact).max())


PROBLEMS: dict[str, Callable[[], tuple[Any, float, Callable[[Any], float]]]] = {
    "van der Pol, 100": lambda: van_der_pol(100.0),
    "van der Pol, 1000": lambda: van_der_pol(1000.0),
    "Robertson": robertson,
    "spring pendulum, 1e4": lambda: spring(1e4),
    "spring pendulum, 1e6": lambda: spring(1e6),
    "spring pendulum, 1e8": lambda: spring(1e8),
}


def measured(run: Callable[[], Any], error: Callable[[Any], float]) -> dict[str, float]:
    """Steps, error and processor time of a run, the least of some; infinite where it fails."""
    try:
        sol = run()
    except iso.errors.IsodynError:
        return {"steps": 0, "rejected": 0, "error": np.inf, "seconds": np.inf}
    least = min(seconds(run) for _ in range(REPEATS))
    return {"steps": sol.stats.steps, "rejected": sol.stats.rejected, "error": error(sol), "seconds": least}


def study(name: str) -> dict[str, Any]:
    """All runs of a problem."""
    system, t_end, error = PROBLEMS[name]()
    scheme = iso.FirstOrderScheme.GS4_1(0.0, 0.0) if system.first_order else iso.Scheme.U0(0.0, 0.5, 0.0)
    chosen = [
        {"rtol": rtol}
        | measured(lambda rtol=rtol: iso.integrate(system, scheme, dt=iso.Adaptive(rtol), t_end=t_end), error)
        for rtol in RTOLS
    ]
    equal, steps, all_rows = [], 128, name == "Robertson"
    while steps <= MOST and (not equal or min(one["error"] for one in equal) > chosen[-1]["error"]):
        every = 1 if all_rows else steps
        run = partial(iso.integrate, system, scheme, dt=t_end / steps, t_end=t_end, save_every=every)
        equal.append({"steps": steps} | measured(run, error) | {"steps": steps})
        steps *= 2
    for one in chosen:
        good = [other for other in equal if other["error"] <= one["error"]]
        one["equal steps"] = min((other["steps"] for other in good), default=MOST)
        one["gain"] = min((other["seconds"] for other in good), default=equal[-1]["seconds"]) / one["seconds"]
        word = "" if good else "more than "
        print(
            f"{name:22s} rtol {one['rtol']:.0e}: {one['steps']:6.0f} steps ({one['rejected']:.0f} rejected), error {one['error']:.1e},"
            f" {1e3 * one['seconds']:8.2f} ms; of one size {word}{one['equal steps']}, {word}{one['gain']:.1f} times the time"
        )
    return {"adaptive": chosen, "one size": equal}


def main() -> bool:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", iso.errors.IsodynWarning)
        found = {name: study(name) for name in PROBLEMS}
    write("adaptive_steps", found)
    required = [runs for name, runs in found.items() if not name.startswith("spring")]
    return all(min(one["gain"] for one in runs["adaptive"]) > 1.0 for runs in required)
