"""Kepler's problem, e = 0.6, ten periods: time to a relative error of 1e-9 in (q, v) at the end;
the exact motion is known.

isodyn's adaptive route and everybody else take the body as y' = f(t, y) or q'' = f(q); composed GS4
members join when the library has them.
"""

from __future__ import annotations

from functools import lru_cache
from typing import Any

import numpy as np
from benchmarks.peers import with_ode
from benchmarks.peers.claims import Claim
from benchmarks.peers.measure import Bench, Row, Way
from benchmarks.peers.smooth import measure_smooth, smooth_claims

NAME, TITLE = "kepler", "Kepler's problem"
E, T_END, TARGET = 0.6, 20.0 * np.pi, 1e-9
START = np.array([1.0 - E, 0.0, 0.0, np.sqrt((1.0 + E) / (1.0 - E))])

WAYS = (
    Way("isodyn", "adaptive, order 8", {}),
    Way("scipy", "DOP853", {"method": "DOP853"}),
    Way("scipy", "LSODA (odeint)", {"method": "odeint"}),
    Way("sundae", "CVODE Adams", {"method": "Adams"}),
    Way("casadi", "CVODES", {}),
    Way("diffrax", "Dopri8", {"method": "Dopri8"}),
    Way("diffrax", "Tsit5", {"method": "Tsit5"}),
)


class Equations:
    """y = (q, v)."""

    y0, t_end = START, T_END

    def compiled(self) -> Any:
        return _compiled()

    def traced(self, t: Any, y: Any) -> Any:
        import jax.numpy as jnp

        cube = (y[0] ** 2 + y[1] ** 2) ** 1.5
        return jnp.array([y[2], y[3], -y[0] / cube, -y[1] / cube])

    def symbolic(self, casadi: Any, y: Any) -> Any:
        cube = (y[0] ** 2 + y[1] ** 2) ** 1.5
        return casadi.vertcat(y[2], y[3], -y[0] / cube, -y[1] / cube)


@lru_cache
def _compiled() -> Any:
    import numba

    @numba.njit
    def f(t, y):  # type: ignore[no-untyped-def]
        cube = (y[0] * y[0] + y[1] * y[1]) ** 1.5
        return np.array([y[2], y[3], -y[0] / cube, -y[1] / cube])

    return f


class Isodyn:
    """The problem of the library with adaptive steps."""

    def __init__(self) -> None:
        import isodyn as iso

        self.iso, self.system = iso, iso.problems.get("kepler").system()

    def run(self, tolerance: float) -> dict[str, float]:
        self.sol = self.iso.integrate_adaptive(self.system, t_end=T_END, rtol=tolerance, atol=0.1 * tolerance, save=2)
        return {"steps": self.sol.stats.steps, "evaluations": self.sol.stats.evaluations}

    def answer(self, tolerance: float) -> dict[str, Any]:
        self.run(tolerance)
        return {"y": np.concatenate([self.sol.q[-1], self.sol.v[-1]])}


PACKAGES = {
    "isodyn": Isodyn,
    "scipy": lambda method: with_ode.Scipy(Equations(), method),
    "sundae": lambda method: with_ode.Sundae(Equations(), method),
    "casadi": lambda: with_ode.Casadi(Equations()),
    "diffrax": lambda method: with_ode.Diffrax(Equations(), method),
}


def error(answer: dict[str, Any]) -> float:
    """After whole periods the body is where it was."""
    size = float(np.abs(np.array(answer["y"]) - START).max() / np.abs(START).max())
    return size if np.isfinite(size) else np.inf


def measure(bench: Bench) -> None:
    measure_smooth(bench, NAME, WAYS, TARGET, error, [10.0**-k for k in range(7, 14)])


def claims(rows: list[Row]) -> list[Claim]:
    return smooth_claims(rows, NAME, "Kepler", TARGET, PACKAGES)
