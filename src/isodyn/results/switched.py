"""Loads that events have switched off for a while (`SwitchLoad`): in which rows, and what they would have
stored."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from isodyn.kernels.compiled import FloatArray

if TYPE_CHECKING:
    from isodyn.results.solution import Solution

NAME = "loads_off"  # in sol.aux: a row for each saved time, a column for each load


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
    names = list(sol.system.description.parts.loads)
    return [tuple(name for name, off in zip(names, row, strict=True) if off) for row in sol.aux[NAME]]
