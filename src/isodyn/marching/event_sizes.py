"""How large the terms of functions of events are.

A gap |r|² − L² that a lock holds is the difference of two equal terms, and as large as their
rounding. What it would be without that is not seen from its values. Terms show where q, v, a and λ
change by a small part of themselves: a sum changes by that part of its terms, whether they cancel
or not.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from isodyn.errors import IsodynError
from isodyn.results.solution import Sample

if TYPE_CHECKING:
    from isodyn.marching.event_watch import EventWatch

PART = 1e-6  # of themselves by which coordinates, velocities, accelerations and multipliers change
WAYS = 3  # in which they do, so that changes of several terms do not cancel each other


def size_of_terms(watch: EventWatch, k: int, now: Sample) -> float:
    """How large the terms of function k are; 0 where it has no values beside this state."""
    rng, g, most = np.random.default_rng(k), watch.value(k, now), 0.0
    for _ in range(WAYS):
        state = (x * (1.0 + PART * rng.uniform(0.5, 1.0, x.size)) for x in now[1:])
        try:
            change = abs(watch.value(k, Sample(now.t, *state)) - g)
        except (IsodynError, ArithmeticError, ValueError):  # beyond the end of a square root, for example
            continue
        most = max(most, change / PART)
    return most
