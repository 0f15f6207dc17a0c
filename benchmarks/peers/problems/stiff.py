"""Stiff problems by tolerance: van der Pol with μ = 1000 over one jump, and a pendulum on a spring of
1e6 N/m whose fast part is damped; time to a relative error of 1e-6 at the end.

Implicit methods, each with what it is given at best: isodyn's Radau and steps of GS4 that keep their
error, Radau and BDF of SciPy, LSODA, CVODE (BDF), Kvaerno5 of diffrax. The reference is Radau of
SciPy at 1e-13.
"""

from __future__ import annotations

from functools import lru_cache
from typing import Any

import numpy as np
from benchmarks.peers import with_ode
from benchmarks.peers.claims import Claim, at_least
from benchmarks.peers.measure import Bench, Row, Way, best, ratio
from benchmarks.peers.smooth import measure_smooth

NAME, TITLE = "stiff", "Stiff problems: van der Pol, pendulum on a stiff spring"
TARGET = 1e-6
MU, STIFFNESS, DAMPER, GRAVITY = 1e3, 1e6, 2e3, 9.81
CASES = {"van der Pol": ([2.0, 0.0], 900.0), "stiff spring": ([1.0, 0.0, 0.0, 0.0], 2.0)}

WAYS = (
    ("isodyn", "Radau", {"method": "Radau"}),
    ("isodyn", "adaptive GS4", {"method": "Adaptive"}),
    ("scipy", "Radau", {"method": "Radau"}),
    ("scipy", "BDF", {"method": "BDF"}),
    ("scipy", "LSODA (odeint)", {"method": "odeint"}),
    ("sundae", "CVODE BDF", {"method": "BDF"}),
    ("casadi", "CVODES, compiled", {}),
    ("diffrax", "Kvaerno5", {"method": "Kvaerno5"}),
)


def van_der_pol(y: Any) -> list[Any]:
    return [y[1], MU * (1.0 - y[0] * y[0]) * y[1] - y[0]]


def spring(y: Any) -> list[Any]:
    """y = (x, z, ẋ, ż) of a mass of 1 kg; the length at rest is 1 m."""
    length = (y[0] * y[0] + y[1] * y[1]) ** 0.5
    rate = (y[0] * y[2] + y[1] * y[3]) / length
    pull = (STIFFNESS * (length - 1.0) + DAMPER * rate) / length
    return [y[2], y[3], -pull * y[0], -pull * y[1] - GRAVITY]


RIGHT = {"van der Pol": van_der_pol, "stiff spring": spring}


class Equations:
    """y' = f(y) of one of the cases."""

    def __init__(self, case: str) -> None:
        self.case = case
        start, self.t_end = CASES[case]
        self.y0 = np.array(start)

    def compiled(self) -> Any:
        return _compiled(self.case)

    def traced(self, t: Any, y: Any) -> Any:
        import jax.numpy as jnp

        return jnp.array(RIGHT[self.case](y))

    def symbolic(self, casadi: Any, y: Any) -> Any:
        return casadi.vertcat(*RIGHT[self.case](y))


@lru_cache
def _compiled(case: str) -> Any:
    import numba

    rows = numba.njit(RIGHT[case])

    @numba.njit
    def f(t, y):  # type: ignore[no-untyped-def]
        return np.array(rows(y))

    return f


class Isodyn:
    """M q'' = Q from the same right-hand sides, compiled; derivatives by differences."""

    def __init__(self, case: str, method: str) -> None:
        from numba import njit

        import isodyn as iso

        rows, n = njit(RIGHT[case]), len(CASES[case][0]) // 2

        @njit
        def force(q, v, t):  # type: ignore[no-untyped-def]
            return np.array(rows(np.concatenate((q, v))))[n:]

        start, self.t_end = np.array(CASES[case][0]), CASES[case][1]
        self.iso, self.method = iso, method
        self.system = iso.MechanicalSystem(np.eye(n), force, start[:n], start[n:])

    def run(self, tolerance: float) -> dict[str, float]:
        iso = self.iso
        if self.method == "Radau":
            method = iso.Radau(rtol=tolerance, atol=0.1 * tolerance)
            self.sol = iso.integrate(self.system, method, t_end=self.t_end, save=2)
        else:
            self.sol = iso.integrate(self.system, dt=iso.Adaptive(rtol=tolerance), t_end=self.t_end, save_every=10**9)
        return {"steps": self.sol.stats.steps, "evaluations": self.sol.stats.evaluations}

    def answer(self, tolerance: float) -> dict[str, Any]:
        self.run(tolerance)
        return {"y": np.concatenate([self.sol.q[-1], self.sol.v[-1]])}


PACKAGES = {
    "isodyn": Isodyn,
    "scipy": lambda case, method: with_ode.Scipy(Equations(case), method),
    "sundae": lambda case, method: with_ode.Sundae(Equations(case), method),
    "casadi": lambda case: with_ode.Casadi(Equations(case), compiled=True),
    "diffrax": lambda case, method: with_ode.Diffrax(Equations(case), method),
}


@lru_cache
def reference(case: str) -> np.ndarray:
    from scipy.integrate import solve_ivp

    start, t_end = CASES[case]
    right = RIGHT[case]
    found = solve_ivp(lambda t, y: right(y), (0.0, t_end), start, method="Radau", rtol=1e-12, atol=1e-13)
    return np.asarray(found.y[:, -1])


def measure(bench: Bench) -> None:
    for case in CASES:
        exact = reference(case)

        def error(answer: dict[str, Any], exact: np.ndarray = exact) -> float:
            half = exact.size // 2
            size = float(np.abs(np.array(answer["y"])[:half] - exact[:half]).max() / np.abs(exact[:half]).max())
            return size if np.isfinite(size) else np.inf

        before = len(bench.rows)
        ways = [Way(package, way, {"case": case, **more}) for package, way, more in WAYS]
        measure_smooth(bench, NAME, ways, TARGET, error, [10.0**-k for k in range(3, 11)])
        for row in bench.rows[before:]:
            row.problem = case


def claims(rows: list[Row]) -> list[Claim]:
    out = []
    for case in CASES:
        mine = [row for row in rows if row.problem == case]
        own = best(mine, "isodyn")
        if own is None:
            continue
        for package in ("scipy", "sundae", "casadi", "diffrax"):
            other = best(mine, package)
            if other is not None:
                text = f"{case} to {TARGET:g}: times faster than {package} {other.way}"
                note = f"{own.median * 1e3:.3g} ms ({own.way}) against {other.median * 1e3:.3g} ms"
                out.append(at_least(text, ratio(other, own), None, own.gate and other.gate, note))
    return out
