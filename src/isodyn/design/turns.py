"""One turn of a motion with its derivatives by its start."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from isodyn.api import integrate
from isodyn.design.starts import Starts, consistent
from isodyn.errors import InputError
from isodyn.kernels.compiled import FloatArray
from isodyn.results.solution import Solution

if TYPE_CHECKING:
    from isodyn.systems.base import System

ALLOWED = 1e-6  # singular values of a projection above this are not zero


def steps_of(period: float, dt: float) -> int:
    """The number of steps of a turn; InputError for what is no length of time."""
    for name, value in (("period", period), ("dt", dt)):
        if isinstance(value, bool) or not isinstance(value, int | float | np.number) or not 0.0 < value < np.inf:
            raise InputError(f"{name} must be a number above zero, received {value!r}", hint=f"such as {name}=0.01")
    return max(1, round(period / dt))


@dataclass(frozen=True, eq=False)
class Turn:
    """One period with its derivatives by the start: Φ, and a basis of the changes of the start that
    the constraints allow."""

    starts: Starts
    solution: Solution
    matrix: FloatArray
    basis: FloatArray | None


def turned(system: System, t0: float, period: float, steps: int, options: dict[str, Any]) -> Turn:
    """One period from a consistent start."""
    starts = Starts(consistent(system, t0, period))
    sol = integrate(starts, sensitivities=list(starts.names), dt=period / steps, t0=t0, t_end=t0 + period, **options)
    by = [sol.sensitivity(name) for name in starts.names]
    first, last = (np.array([starts.chart.coordinates(one.dq[k], one.v[k]) for one in by]).T for k in (0, -1))
    if not starts.system.m:
        return Turn(starts, sol, last, None)
    U, sizes, _ = np.linalg.svd(first)  # a projection onto what the constraints allow
    return Turn(starts, sol, last, np.asarray(U[:, sizes > ALLOWED]))
