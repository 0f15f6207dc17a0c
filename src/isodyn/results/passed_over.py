"""Loads that steps passed over: pulses, and bumps of staircases, that begin and end inside a step.

A step knows of loads only at the times where it asks for them, and nothing that is computed tells
of what happens between. Of a mechanism's own pulses and staircases the times are known.
"""

from __future__ import annotations

import warnings
from collections.abc import Iterator
from dataclasses import fields, is_dataclass
from typing import TYPE_CHECKING

import numpy as np

from isodyn.errors import AccuracyWarning
from isodyn.expressions.time import Pulse, Staircase
from isodyn.kernels.compiled import FloatArray

if TYPE_CHECKING:
    from isodyn.results.solution import Solution

STICKS_OUT = 0.1  # of the range of a staircase: values that lie less outside their neighbours' may be noise


def warn_of_passed_over(sol: Solution, stacklevel: int) -> None:
    """Say so where no step ended while a load of the mechanism had a value; `sol` has all steps."""
    parts = getattr(getattr(sol.system, "description", None), "parts", None)
    for part in (*getattr(parts, "loads", {}).values(), *getattr(parts, "joints", {}).values()):
        for begin, end in times_of(part):
            if sol.t[0] <= begin and end <= sol.t[-1] and not ((sol.t > begin) & (sol.t <= end)).any():
                warnings.warn(
                    f"steps passed over {part.what}, which acts between t = {begin:g} and {end:g}: the motion is as if it did not"
                    f"\nhint: breakpoints=[{begin:g}, {end:g}]",
                    AccuracyWarning,
                    stacklevel=stacklevel,
                )
                return


def times_of(part: object) -> Iterator[tuple[float, float]]:
    """When functions of time of a part have values of their own."""
    if not is_dataclass(part):
        return
    for field in fields(part):
        value = getattr(part, field.name, None)
        for function in value if isinstance(value, tuple | list) else (value,):
            if isinstance(function, Pulse) and function.value != 0.0:
                yield float(function.t0), float(function.t1)
            elif isinstance(function, Staircase):
                yield from _humps(function.times, function.values)


def _humps(times: FloatArray, values: FloatArray) -> Iterator[tuple[float, float]]:
    """Steps of a staircase whose values lie outside those of both neighbours."""
    changed = np.flatnonzero(np.diff(values) != 0.0)
    times, values = times[np.append(0, changed + 1)], values[np.append(0, changed + 1)]
    if values.size < 3:
        return
    least, x = STICKS_OUT * float(np.ptp(values)), values
    over, under = x[1:-1] - np.maximum(x[:-2], x[2:]), np.minimum(x[:-2], x[2:]) - x[1:-1]
    for k in np.flatnonzero(np.maximum(over, under) > least):
        yield float(times[k + 1]), float(times[k + 2])
