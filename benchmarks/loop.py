"""Microseconds per step for small systems: the compiled loop with compiled and with plain
callables, and loops written by hand.

    q'' + 0.1 q' + k(q) = cos t,    a chain of n masses with springs x + x³ between neighbours and to the walls

All take the average-acceleration Newmark method with the same step, Newton's iteration to the same
tolerance and the exact Jacobian, and end at the same place. The loop by hand is what one would
write with NumPy; for n = 1 also one with plain Python numbers. Neither keeps statistics, halves
steps or checks for NaN. Times leave out compilation and set-up.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Any

import numba
import numpy as np
from benchmarks.common import show, summary, write

import isodyn as iso

DT, STEPS, REPEATS, RTOL = 0.01, 4000, 7, 1e-10
SIZES = (1, 10)


def force(q: Any, v: Any, t: float) -> Any:
    n = q.size
    Q = np.cos(t) - 0.1 * v
    for i in range(n + 1):
        x = (q[i] if i < n else 0.0) - (q[i - 1] if i > 0 else 0.0)
        s = x + x**3
        if i < n:
            Q[i] -= s
        if i > 0:
            Q[i - 1] += s
    return Q


def force_q(q: Any, v: Any, t: float) -> Any:
    n = q.size
    J = np.zeros((n, n))
    for i in range(n + 1):
        x = (q[i] if i < n else 0.0) - (q[i - 1] if i > 0 else 0.0)
        k = 1.0 + 3.0 * x**2
        if i < n:
            J[i, i] -= k
        if i > 0:
            J[i - 1, i - 1] -= k
        if 0 < i < n:
            J[i, i - 1] += k
            J[i - 1, i] += k
    return J


def force_v(q: Any, v: Any, t: float) -> Any:
    return -0.1 * np.eye(q.size)


def vectorised(q: Any, v: Any, t: float) -> Any:
    """The same force as one would write it in NumPy."""
    x = np.diff(q, prepend=0.0, append=0.0)
    s = x + x**3
    return np.cos(t) - 0.1 * v - s[:-1] + s[1:]


def vectorised_q(q: Any, v: Any, t: float) -> Any:
    x = np.diff(q, prepend=0.0, append=0.0)
    k = 1.0 + 3.0 * x**2
    return np.diag(-k[:-1] - k[1:]) + np.diag(k[1:-1], 1) + np.diag(k[1:-1], -1)


def with_isodyn(n: int, *functions: Callable[..., Any]) -> tuple[float, float]:
    Q, Q_q, Q_v = functions
    system = iso.MechanicalSystem(np.eye(n), Q, np.zeros(n), np.zeros(n), Q_q=Q_q, Q_v=Q_v)
    newton = iso.Newton(rtol=RTOL)
    sol = iso.integrate(system, iso.Scheme.newmark(), dt=DT, t_end=STEPS * DT, save_every=STEPS, newton=newton)
    return sol.stats.seconds / STEPS, float(sol.q[-1, 0])


def by_hand_numpy(n: int) -> tuple[float, float]:
    started = time.perf_counter()
    q, v = np.zeros(n), np.zeros(n)
    a = vectorised(q, v, 0.0)
    eye = np.eye(n)
    for step in range(STEPS):
        t = (step + 1) * DT
        q_p, v_p = q + DT * v + 0.25 * DT**2 * a, v + 0.5 * DT * a
        new = a
        J = (1.0 + 0.05 * DT) * eye - 0.25 * DT**2 * vectorised_q(q, v, t)
        for _ in range(20):
            q_1, v_1 = q_p + 0.25 * DT**2 * new, v_p + 0.5 * DT * new
            change = np.linalg.solve(J, vectorised(q_1, v_1, t) - new)
            new = new + change
            if np.abs(change).max() <= RTOL * np.abs(new).max():
                break
        q, v, a = q_p + 0.25 * DT**2 * new, v_p + 0.5 * DT * new, new
    return (time.perf_counter() - started) / STEPS, float(q[0])


def by_hand_python() -> tuple[float, float]:
    from math import cos

    started = time.perf_counter()
    q, v, a = 0.0, 0.0, 1.0
    for step in range(STEPS):
        t = (step + 1) * DT
        q_p, v_p = q + DT * v + 0.25 * DT**2 * a, v + 0.5 * DT * a
        J = 1.0 + 0.05 * DT + 0.25 * DT**2 * (2.0 + 6.0 * q * q)
        load = cos(t)
        for _ in range(20):
            q, v = q_p + 0.25 * DT**2 * a, v_p + 0.5 * DT * a
            change = (load - 0.1 * v - 2.0 * (q + q**3) - a) / J
            a += change
            if abs(change) <= RTOL * abs(a):
                break
        q, v = q_p + 0.25 * DT**2 * a, v_p + 0.5 * DT * a
    return (time.perf_counter() - started) / STEPS, q


def main() -> bool:
    compiled = [numba.njit(f) for f in (force, force_q, force_v)]
    plain = [vectorised, vectorised_q, force_v]
    report: dict[str, Any] = {}
    agree = True
    for n in SIZES:
        ways: dict[str, Callable[[], tuple[float, float]]] = {
            "isodyn, @njit callables": lambda n=n: with_isodyn(n, *compiled),
            "isodyn, plain callables": lambda n=n: with_isodyn(n, *plain),
            "by hand, NumPy": lambda n=n: by_hand_numpy(n),
        }
        if n == 1:
            ways["by hand, plain Python numbers"] = by_hand_python
        samples: dict[str, list[float]] = {name: [] for name in ways}
        ends = {name: way()[1] for name, way in ways.items()}  # warm
        for _ in range(REPEATS):
            for name, way in ways.items():
                samples[name].append(way()[0])
        rows = {name: summary(x) for name, x in samples.items()}
        show(f"chain of {n}, {STEPS} steps of Newmark with Newton", rows, "µs per step", 1e6)
        fast = rows["isodyn, @njit callables"]["median"]
        factors = {name: row["median"] / fast for name, row in rows.items()}
        print("times the first line: " + ", ".join(f"{name} {factor:.1f}" for name, factor in factors.items()))
        agree &= max(ends.values()) - min(ends.values()) < 1e-4 * max(map(abs, ends.values()))
        report[f"n = {n}"] = {"seconds per step": rows, "times compiled": factors}
    write("loop", {"dt": DT, "steps": STEPS, **report})
    if not agree:
        print(f"the ways end at different places: {ends}")
    return agree


if __name__ == "__main__":
    from benchmarks.common import pin

    pin()
    raise SystemExit(0 if main() else 1)
