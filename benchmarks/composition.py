"""Work against precision on smooth motions: composed schemes of order 4 and 6, adaptive steps of
order 8, and SciPy's DOP853.

    Kepler's ellipse, e = 0.6, two turns (exact);      the spinning top, 0.5 s (reference: adaptive steps, rtol = 1e-13)

Each method is run with several steps or tolerances; the time to an error of 1e-9 in q at the end,
relative to |q|, is read off between them. SciPy integrates the same accelerations: Kepler's
compiled, the top's asked from the model as `isodyn.studies` does.

No requirement is set on the ratios; orders are (from the two finest steps above rounding, within
0.3).
"""

from __future__ import annotations

import math
from collections.abc import Callable
from functools import partial
from typing import Any

import numba
import numpy as np
from benchmarks.common import seconds, write
from scipy.integrate import solve_ivp

import isodyn as iso
from isodyn.problems.kepler import PERIOD, motion
from isodyn.studies import accurate_motion
from isodyn.studies.errors import gap_of_configurations

GOAL, REPEATS, ROUNDING = 1e-9, 5, 3e-12
CENTRAL, MIDPOINT = iso.Scheme.central_difference(), iso.Scheme.V0(1, 1, 0)
TURNS, TOP_END = 2, 0.5
RTOLS = (1e-6, 1e-8, 1e-10, 1e-12, 1e-13)


@numba.njit
def kepler_rate(t: float, y: Any) -> Any:
    cube = (y[0] * y[0] + y[1] * y[1]) ** 1.5
    return np.array([y[2], y[3], -y[0] / cube, -y[1] / cube])


def kepler() -> tuple[dict[str, list[tuple[float, Callable[[], float]]]], float]:
    """Ways to the end of two turns, each with its step or tolerance, giving its error."""
    system, t_end = iso.problems.get("kepler").system(), TURNS * PERIOD
    end = motion(np.array([t_end]), 0.6).q[0]
    size = float(np.abs(end).max())

    def composed(base: iso.Scheme, order: int, n: int) -> float:
        steps = TURNS * n
        sol = iso.integrate(system, iso.Composition(base, order), dt=t_end / steps, t_end=t_end, save_every=steps)
        return float(np.abs(sol.q[-1] - end).max()) / size

    def adaptive(rtol: float) -> float:
        sol = iso.integrate_adaptive(system, t_end=t_end, rtol=rtol, save=2)
        return float(np.abs(sol.q[-1] - end).max()) / size

    def peer(rtol: float) -> float:
        y = solve_ivp(kepler_rate, (0.0, t_end), [*system.q0, *system.v0], "DOP853", rtol=rtol, atol=rtol).y[:, -1]
        return float(np.abs(y[:2] - end).max()) / size

    per_turn = (100, 200, 400, 800)
    return {
        "central difference to order 4": [(1 / n, partial(composed, CENTRAL, 4, n)) for n in (800, 1600, 3200, 6400)],
        "central difference to order 6": [(1 / n, partial(composed, CENTRAL, 6, n)) for n in per_turn],
        "midpoint to order 6": [(1 / n, partial(composed, MIDPOINT, 6, n)) for n in per_turn],
        "integrate_adaptive": [(rtol, partial(adaptive, rtol)) for rtol in RTOLS],
        "SciPy DOP853, compiled rate": [(rtol, partial(peer, rtol)) for rtol in RTOLS],
    }, t_end


def top() -> tuple[dict[str, list[tuple[float, Callable[[], float]]]], float]:
    """The same for the spinning top: the largest error of position and orientation."""
    system = iso.problems.get("spinning_top").system()
    fine = iso.integrate_adaptive(system, t_end=TOP_END, rtol=1e-13, atol=1e-13, save=2)

    def error(sol: iso.Solution) -> float:
        return float(np.abs(gap_of_configurations(sol, fine.q)[-1]).max())

    def composed(order: int, steps: int) -> float:
        scheme = iso.Composition(CENTRAL, order)
        return error(iso.integrate(system, scheme, dt=TOP_END / steps, t_end=TOP_END, save_every=steps))

    def adaptive(rtol: float) -> float:
        return error(iso.integrate_adaptive(system, t_end=TOP_END, rtol=rtol, save=2))

    def peer() -> float:
        q = accurate_motion(system, TOP_END).at(np.array([0.0, TOP_END])).q
        return float(np.abs(gap_of_configurations(fine, q)[-1]).max())

    steps = (75, 150, 300, 600)
    return {
        "central difference to order 4": [(1 / n, partial(composed, 4, n)) for n in (*steps, 1200, 2400)],
        "central difference to order 6": [(1 / n, partial(composed, 6, n)) for n in steps],
        "integrate_adaptive": [(rtol, partial(adaptive, rtol)) for rtol in RTOLS],
        "SciPy DOP853 on the model, rtol = 1e-13": [(1e-13, peer)],
    }, TOP_END


def measure(ways: dict[str, list[tuple[float, Callable[[], float]]]]) -> dict[str, list[tuple[float, float, float]]]:
    """(step or tolerance, error, least seconds) of every run; methods take turns."""
    table: dict[str, list[list[float]]] = {
        name: [[setting, run(), math.inf] for setting, run in runs] for name, runs in ways.items()
    }
    for _ in range(REPEATS):
        for name, runs in ways.items():
            for row, (_, run) in zip(table[name], runs, strict=True):
                row[2] = min(row[2], seconds(run))
    return {name: [(a, b, c) for a, b, c in rows] for name, rows in table.items()}


def at_goal(rows: list[tuple[float, float, float]]) -> float:
    """Seconds to the goal, between the runs on both sides of it; NaN when it was not reached."""
    logs = np.log([(error, cost) for _, error, cost in rows])
    order = np.argsort(logs[:, 0])
    if logs[:, 0].min() > math.log(GOAL):
        return math.nan
    return float(np.exp(np.interp(math.log(GOAL), logs[order, 0], logs[order, 1])))


def slope(rows: list[tuple[float, float, float]]) -> float:
    """Order from the two finest steps whose errors are above rounding."""
    (h_1, e_1, _), (h_2, e_2, _) = [row for row in rows if row[1] > ROUNDING][-2:]
    return math.log(e_1 / e_2) / math.log(h_1 / h_2)


def main() -> bool:
    report: dict[str, Any] = {}
    good = True
    for title, (ways, t_end) in {"Kepler": kepler(), "spinning top": top()}.items():
        table = measure(ways)
        goals = {name: at_goal(rows) for name, rows in table.items()}
        best = goals["integrate_adaptive"]
        print(f"\n{title}, to t = {t_end:.4g}\n{'':42s}{'step, rtol':>12s}{'error':>12s}{'ms':>10s}")
        for name, rows in table.items():
            for setting, error, cost in rows:
                print(f"{name:42s}{setting:12.2e}{error:12.1e}{1e3 * cost:10.2f}")
        print(
            f"time to {GOAL:g}: " + ", ".join(f"{name} {1e3 * x:.2f} ms ({x / best:.2f})" for name, x in goals.items())
        )
        orders = {}
        for name, rows in table.items():
            if " to order " in name:
                orders[name] = slope(rows)
                good = good and abs(orders[name] - int(name[-1])) < 0.3
        print("orders: " + ", ".join(f"{name} {order:.2f}" for name, order in orders.items()))
        report[title] = {
            "runs": {name: [list(row) for row in rows] for name, rows in table.items()},
            "seconds_to_goal": {name: x if math.isfinite(x) else None for name, x in goals.items()},
            "orders": orders,
        }
    write("composition", {"goal": GOAL, **report})
    return good
