"""How long this machine takes for a loop just now, in percent of what a machine of usual speed takes; at least 100."""

import time

ROUNDS, USUAL = 2_000_000, 0.12  # additions in Python, and their seconds


def seconds() -> float:
    """Time of one loop."""
    begin, total = time.perf_counter(), 0
    for k in range(ROUNDS):
        total += k
    return time.perf_counter() - begin


print(max(100, round(100.0 * min(seconds() for _ in range(3)) / USUAL)))
