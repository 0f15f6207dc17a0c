"""How long this machine takes for a loop just now, in percent of what a machine of usual speed takes; at least 100.

Speed changes within seconds on hosts that others share, so that the mean of some loops counts.
"""

import time

ROUNDS, USUAL = 2_000_000, 0.12  # additions in Python, and their seconds
LOOPS, PAUSE = 8, 0.5


def seconds() -> float:
    """Time of one loop."""
    begin, total = time.perf_counter(), 0
    for k in range(ROUNDS):
        total += k
    return time.perf_counter() - begin


def mean() -> float:
    """Mean time of some loops."""
    total = 0.0
    for _ in range(LOOPS):
        total += seconds()
        time.sleep(PAUSE)
    return total / LOOPS


print(max(100, round(100.0 * mean() / USUAL)))
