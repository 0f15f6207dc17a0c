"""Loads that events have switched off for a while (`SwitchLoad`): in which rows, and what they
would have stored."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from isodyn.kernels.compiled import FloatArray, IntArray
from isodyn.results.dense_output import same_time

if TYPE_CHECKING:
    from isodyn.results.solution import Solution

NAME = "loads_off"  # in sol.aux: a row for each saved time, a column for each load
SWITCHED = "loads_switched"  # the same, a row for each time at which events switched some
TIMES = "loads_switched_t"  # these times


def acting(sol: Solution, name: str) -> FloatArray:
    """1 in rows in which a load acts, 0 where it is switched off."""
    loads = [] if sol.system.description is None else list(sol.system.description.parts.loads)
    if NAME not in sol.aux or name not in loads:
        return np.ones(sol.t.size)
    return 1.0 - np.asarray(sol.aux[NAME], dtype=np.float64)[:, loads.index(name)]


def ever_off(sol: Solution) -> list[str]:
    """Names of loads that were switched off at some time."""
    if NAME not in sol.aux:
        return []
    off = np.any(sol.aux[NAME], axis=0)
    return [name for name, was in zip(sol.system.description.parts.loads, list(off), strict=True) if was]


def loads_off(sol: Solution) -> list[tuple[str, ...]]:
    """For each row the names of the loads that are switched off there."""
    if NAME not in sol.aux:
        return [()] * sol.t.size
    return [_names(sol, row) for row in sol.aux[NAME]]


def off_beside(sol: Solution, t: float) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Names of the loads that are off before and after t, which may be between two rows."""
    if TIMES not in sol.aux:
        return (), ()
    near = same_time(sol)
    before, after = off_since(sol, np.array([t - near, t + near]))
    return _names(sol, before), _names(sol, after)


def off_since(sol: Solution, times: FloatArray) -> IntArray:
    """Which loads are off at these times, as events before them have left them: a row for each
    time."""
    switched = np.asarray(sol.aux[SWITCHED], dtype=np.int64)
    found: IntArray = np.vstack([np.zeros_like(switched[:1]), switched])[np.searchsorted(sol.aux[TIMES], times)]
    return found


def _names(sol: Solution, off: IntArray) -> tuple[str, ...]:
    """Names of the loads that are off, of numbers of all."""
    return tuple(name for name, is_off in zip(sol.system.description.parts.loads, off, strict=True) if is_off)
