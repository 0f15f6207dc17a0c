"""What the actions of events may make of a state: other positions on the constraints, and other
velocities. Time goes on from where it is, and accelerations and multipliers follow."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from isodyn.errors import InputError
from isodyn.kernels.compiled import FloatArray, IntArray
from isodyn.later import Later
from isodyn.marching.python_memory import recall, remembered
from isodyn.marching.start import SMALL, gaps
from isodyn.results.solution import Sample
from isodyn.results.units import is_mechanism
from isodyn.stepping.events import Event, name_of
from isodyn.systems.base import System
from isodyn.systems.questions import Questions

read_once = Later("isodyn.mechanism.read_once")  # mechanisms only

DRIFT = 2.0  # times what a formulation that drifts has left open, an action may leave open
HINT = "for example lambda s: s._replace(v=-0.5 * s.v)"


def memory_of(events: Sequence[Event]) -> list[Any]:
    """What the actions of events remember, for a checkpoint: variables that they set, and that
    forces may read."""
    return [
        None if event.action is None else remembered(event.action, f"the action of {name_of(event, k)}")
        for k, event in enumerate(events)
    ]


def recall_all(events: Sequence[Event], saved: list[Any]) -> None:
    """Let the actions of events remember that."""
    for k, (event, memory) in enumerate(zip(events, saved, strict=True)):
        if event.action is not None:
            recall(event.action, memory, f"the action of {name_of(event, k)}")


def functions_read_once(system: System, events: Sequence[Event]) -> dict[str, str]:
    """Functions of t that a mechanism was compiled with, where actions might change what they
    read."""
    acts = any(event.action is not None for event in events)
    return read_once.read_again(system) if acts and is_mechanism(system) else {}


def refuse_other_functions(system: System, before: dict[str, str], t: float) -> None:
    """InputError where an action has changed what such a function reads: nobody would notice."""
    now = read_once.read_again(system) if before else {}
    for name, formula in before.items():
        if now.get(name) != formula:
            raise InputError(
                f"an action at t = {t:.6g} has changed what the function of t of {name!r} reads, which was read once,"
                " when the mechanism was compiled",
                hint=f"action=iso.SetInput({name!r}, 2.0) gives a load that is a plain number another one, or write a UserLoad",
            )


def changed(action: Callable[[Sample], object], sample: Sample) -> Sample:
    """The state after an action."""
    given = Sample(sample.t, *(np.array(x) for x in sample[1:]))
    found = action(given)
    if (found is None or isinstance(found, dict)) and not all(map(np.array_equal, given[1:3], sample[1:3])):
        raise InputError(
            "an action has changed q or v of its sample in place, and did not return the sample", hint=HINT
        )
    if found is None:
        return sample
    if isinstance(found, dict):
        unknown = sorted(str(name) for name in found if name not in ("q", "v"))
        if unknown:
            raise InputError(f"an action changes q and v, received {', '.join(unknown)}", hint=HINT)
        found = sample._replace(**found)
    if not isinstance(found, Sample):
        raise InputError(
            f"an action returns a sample, a dict with q or v, or None, received {type(found).__name__}", hint=HINT
        )
    return accepted(found, sample)


def accepted(found: Sample, sample: Sample) -> Sample:
    """The state before an action with the q and v that it returned, if they are such."""
    try:
        q, v = (np.asarray(x).astype(np.float64, casting="same_kind") for x in (found.q, found.v))
    except (TypeError, ValueError) as error:
        raise InputError(f"an action must return real numbers as q and v: {error}", hint=HINT) from error
    for name, x in (("q", q), ("v", v)):
        if not np.isfinite(x).all():
            raise InputError(f"an action must return finite numbers, received {name} = {x} at t = {sample.t:.6g}")
    if q.shape != np.shape(sample.q) or v.shape != np.shape(sample.v):
        raise InputError(
            f"an action must return {np.size(sample.q)} coordinates and {np.size(sample.v)} velocities, received"
            f" shapes {q.shape} and {v.shape}"
        )
    for name in ("t", "a", "lam"):
        if not np.array_equal(getattr(found, name), getattr(sample, name), equal_nan=True):
            raise InputError(
                f"an action changes q and v, and this one has changed {name}",
                hint="time goes on from where it is; accelerations and multipliers follow from q, v and the forces",
            )
    return sample._replace(q=q, v=v)


def refuse_open_rows(
    ask: Questions, t: float, before: FloatArray, after: Sample, slowest: float, held: IntArray | None
) -> None:
    """InputError where an action has moved positions off the constraints that are held."""
    if not ask.system.m_phi or np.array_equal(before, after.q):
        return
    (_, gap, raw), (_, was, _) = (gaps(ask, t, q, after.v, slowest)[0] for q in (after.q, before))
    off = np.abs(gap) > SMALL + DRIFT * np.abs(was).max(initial=0.0)
    if held is not None:
        off[np.setdiff1d(np.arange(gap.size), held)] = False
    if off.any():
        worst = int(np.abs(gap * off).argmax())
        raise InputError(
            f"an action has moved positions off constraint {ask.system.row_names[worst]!r} by {raw[worst]:.3g} at t = {t:.6g}",
            hint="return positions that keep the constraints; velocities are moved onto them by the least change",
        )
