"""Events: functions of the state whose zeros are looked for along a run."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from isodyn.errors import CallableError, InputError, NonFiniteError
from isodyn.kernels.compiled import FloatArray
from isodyn.later import Later

optimize = Later("scipy.optimize")  # takes a while to load

_EPS = float(np.finfo(np.float64).eps)


@dataclass(frozen=True)
class Event:
    """g(t, q, v) with what its zeros mean: how many end the run (0: none does), and in which
    direction they count (0: in both)."""

    function: Callable[[float, FloatArray, FloatArray], float]
    number: int
    terminal: int
    direction: float

    def value(self, t: float, q: FloatArray, v: FloatArray) -> float:
        """g at a state."""
        try:
            g = float(self.function(t, q.copy(), v.copy()))
        except TypeError as error:
            raise CallableError(f"event {self.number} must return a number: {error}") from error
        if not np.isfinite(g):
            raise NonFiniteError(f"event {self.number} returned {g} at t = {t:.6g}")
        return g

    def crosses(self, before: float, after: float) -> bool:
        """Whether g changes sign in a step, or becomes zero at its end, in a direction that
        counts."""
        return (before < 0.0 <= after and self.direction >= 0.0) or (before > 0.0 >= after and self.direction <= 0.0)


def read_events(events: Any) -> tuple[Event, ...]:
    """What the user gave, with SciPy's attributes `terminal` and `direction`."""
    functions = (events,) if callable(events) else events
    try:
        functions = tuple(functions)
    except TypeError as error:
        raise InputError(f"events must be functions (t, q, v) → number, received {events!r}") from error
    for function in functions:
        if not callable(function):
            raise InputError(f"events must be functions (t, q, v) → number, received {function!r}")
    return tuple(
        Event(function, k, int(getattr(function, "terminal", 0) or 0), float(getattr(function, "direction", 0.0)))
        for k, function in enumerate(functions)
    )


def locate(g: Callable[[float], float], t: float, before: float, t_1: float, after: float) -> float:
    """The zero of g between t and t_1, to rounding; its values there are known."""
    if after == 0.0:
        return t_1
    known = {t: before, t_1: after}
    return float(
        optimize.brentq(
            lambda x: known[x] if x in known else g(x), t, t_1, xtol=_EPS * max(abs(t_1), t_1 - t), rtol=4 * _EPS
        )
    )
