"""What controllers and events made of loads in a run, kept with the file of it: the system of the
solution is that of the run with these loads as staircases, and is made of the user's again."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from isodyn.later import Later
from isodyn.results.inputs import fingerprint
from isodyn.results.units import is_mechanism

if TYPE_CHECKING:
    from isodyn.expressions.time import Staircase
    from isodyn.kernels.compiled import FloatArray
    from isodyn.systems.base import System

time_functions = Later("isodyn.expressions.time")
of_mechanisms = Later("isodyn.mechanism.inputs")


def held_inputs(system: System) -> dict[str, Any] | None:
    """What the loads of a mechanism did in a run, as JSON; None where they did what the model
    says."""
    held = getattr(system, "held_in_run", None)
    if held is None:
        return None
    begun, given = held
    loads = {name: [[x.times.tolist(), x.values.tolist()] for x in parts_of(one)] for name, one in given.items()}
    return {"fingerprint": fingerprint(begun), "loads": loads}


def parts_of(one: Staircase | list[Staircase]) -> list[Staircase]:
    """One function of time, or three."""
    return one if isinstance(one, list) else [one]


def with_jumps_at(system: System, named: FloatArray, near: float) -> System:
    """The system of a run in which loads jump at these times where they jump beside them."""
    held = getattr(system, "held_in_run", None)
    if held is None:
        return system
    begun, given = held
    moved = {name: [_moved(one, named, near) for one in parts_of(parts)] for name, parts in given.items()}
    if all(a is b for name, parts in given.items() for a, b in zip(parts_of(parts), moved[name], strict=True)):
        return system
    found: System = of_mechanisms.as_in_run(
        begun, {k: x if isinstance(given[k], list) else x[0] for k, x in moved.items()}
    )
    return found


def _moved(one: Staircase, named: FloatArray, near: float) -> Staircase:
    """The same function of time, with jumps at named times where they are beside them."""
    nearest = named[np.minimum(np.searchsorted(named, one.times - near), named.size - 1)]
    times = np.where(np.abs(nearest - one.times) <= near, nearest, one.times)
    if np.array_equal(times, one.times) or not (np.diff(times) > 0.0).all():
        return one
    made: Staircase = time_functions.Staircase(times, one.values)
    return made


def as_in_run(system: System | None, held: dict[str, Any] | None) -> System | None:
    """The system of the run, if this is the one that it began with; else the same."""
    if held is None or system is None or not is_mechanism(system) or fingerprint(system) != held["fingerprint"]:
        return system
    given: dict[str, object] = {}
    for name, parts in held["loads"].items():
        functions = [time_functions.Staircase(times, values) for times, values in parts]
        given[name] = functions if len(functions) > 1 else functions[0]
    found: System = of_mechanisms.as_in_run(system, given)
    return found
