"""The events of a run as arrays, for checkpoints and files."""

from __future__ import annotations

from typing import Any

import numpy as np

from isodyn.kernels.compiled import FloatArray
from isodyn.results.events import Happened
from isodyn.results.solution import Sample
from isodyn.systems.base import System

STATES = ("q", "v", "a", "lam")


def as_arrays(happened: list[Happened], system: System) -> dict[str, Any]:
    """All that happened."""
    many, sizes = len(happened), (system.nq, system.nv, system.nv, system.m)
    found: dict[str, Any] = {
        "event_log_t": np.array([one.t for one in happened]),
        "event_log_index": np.array([one.index for one in happened], dtype=np.int64),
        "event_log_changed": np.array([one.after is not None for one in happened], dtype=np.int64),
    }
    for name, size in zip(STATES, sizes, strict=True):
        pairs = [(getattr(one.before, name), getattr(one.after or one.before, name)) for one in happened]
        found[f"event_log_{name}"] = np.array(pairs).reshape(many, 2, size)
    return found


def from_arrays(found: dict[str, Any], names: dict[int, str]) -> list[Happened]:
    """What these arrays tell, of events with these names."""
    happened = []
    for i, t in enumerate(found["event_log_t"]):
        before, after = (Sample(float(t), *(found[f"event_log_{name}"][i, side] for name in STATES)) for side in (0, 1))
        number = int(found["event_log_index"][i])
        changed = bool(found["event_log_changed"][i])
        happened.append(Happened(float(t), names[number], number, before, after if changed else None))
    return happened


def by_event(happened: list[Happened], events: int, system: System) -> dict[str, list[FloatArray]]:
    """Times and states of each event, for `sol.aux`."""
    found: dict[str, list[FloatArray]] = {"event_times": [], "event_q": [], "event_v": []}
    for number in range(events):
        own = [one for one in happened if one.index == number]
        found["event_times"].append(np.array([one.t for one in own]))
        found["event_q"].append(np.array([one.q for one in own]).reshape(len(own), system.nq))
        found["event_v"].append(np.array([one.v for one in own]).reshape(len(own), system.nv))
    return found
