"""Smooth problems by tolerance: error over tolerance, the loosest tolerance that reaches a target,
and the time that it takes."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import Any

from benchmarks.peers.claims import Claim, at_least
from benchmarks.peers.measure import Bench, Row, Way, best, ratio


def measure_smooth(
    bench: Bench,
    problem: str,
    ways: Sequence[Way],
    target: float,
    error: Callable[[dict[str, Any]], float],
    tolerances: Sequence[float],
    steps: Sequence[Way] = (),
    numbers: Sequence[int] = (),
) -> None:
    """`ways` take tolerances; those in `steps` take numbers of steps."""
    finalists = []
    for group, amounts, fixed in ((ways, tolerances, False), (steps, numbers, True)):
        if bench.quick:
            group, amounts = [way for way in group if way.package == "isodyn"][:1], amounts[-2:]
        ready = bench.prepare(problem, group, None)
        bench.curve(ready, dict.fromkeys((row.way for _, row in ready), amounts), error)
        for case, row in ready:
            if bench.calibrate(case, row, target, error, fixed):
                finalists.append((case, row))
            else:
                bench.say(f"{row.package} {row.way}: {target:g} was not reached")
    bench.whole(finalists)


def smooth_claims(rows: list[Row], problem: str, title: str, target: float, packages: Iterable[str]) -> list[Claim]:
    """isodyn's fastest against methods of its kind (DOP853, Dopri8), and reported against the
    fastest way of every other package."""
    mine = [row for row in rows if row.problem == problem]
    own = best(mine, "isodyn")
    if own is None:
        return []
    alike = [row for row in mine if row.way in ("DOP853", "Dopri8") and row.samples]
    others = [
        row for name in packages if name != "isodyn" and (row := best(mine, name)) is not None and row not in alike
    ]
    return [
        at_least(
            f"{title} to {target:g}: times faster than {row.package} {row.way}",
            ratio(row, own),
            1.0 if row in alike else None,
            own.gate and row.gate,
            f"{own.median * 1e3:.3g} ms ({own.way}) against {row.median * 1e3:.3g} ms",
        )
        for row in alike + others
    ]
