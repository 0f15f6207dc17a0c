"""Values of the functions of events at a state, as Python asks for them.

Multipliers that a function sees are those of results: of least norm where rows are redundant. The
march does not share them, so that compiled functions of multipliers are called from Python there.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from isodyn.errors import NonFiniteError
from isodyn.marching.at_balance import shown
from isodyn.results.solution import Sample
from isodyn.stepping.events import WHOLE, name_of, value_of
from isodyn.stepping.guards import value_of_guard

if TYPE_CHECKING:
    from isodyn.marching.event_watch import EventWatch


def in_python(watch: EventWatch) -> list[int]:
    """Numbers of the functions that Python evaluates after a step."""
    return [k for k in range(len(watch.events)) if k >= len(watch.compiled) or sees_shared(watch, k)]


def sees_shared(watch: EventWatch, k: int) -> bool:
    """Whether compiled function k sees multipliers that have to be shared before."""
    return watch.run.independent.dropped.size > 0 and watch.events[k].arguments == WHOLE


def value_at_sample(watch: EventWatch, k: int, sample: Sample) -> float:
    """Function k at a state."""
    event, number = watch.events[k], watch.order[k]
    if isinstance(event.g, str) and k < len(watch.compiled):  # of coordinates alone
        t, *state = sample
        g = float(value_of_guard(watch.guards, k, float(t), *(np.ascontiguousarray(x) for x in state)))
        if not np.isfinite(g):
            raise NonFiniteError(f"{name_of(event, number)} is {g} at t = {float(t):.6g}")
        return g
    return value_of(event, number, shown(watch.run, sample), watch.functions[k])
