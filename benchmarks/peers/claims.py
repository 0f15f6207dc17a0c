"""What is to be shown: a number that was measured, with its spread, against a limit. A limit is met
only if the worse quartile meets it."""

from __future__ import annotations

from dataclasses import dataclass

from benchmarks.peers.measure import Ratio


@dataclass(frozen=True)
class Claim:
    """A line of the table. `met` is None where there is no limit, only a number to report."""

    text: str
    value: float
    low: float
    high: float
    limit: str
    met: bool | None
    note: str = ""


def at_least(text: str, found: Ratio, limit: float | None, accurate: bool = True, note: str = "") -> Claim:
    """A ratio that should reach a limit; where the accuracy asked for was not reached, it is no win
    whatever the ratio."""
    if not accurate:
        note = f"accuracy not reached; {note}"
    met = None if limit is None else accurate and found.low >= limit
    return Claim(text, found.value, found.low, found.high, "–" if limit is None else f"≥ {limit:g}", met, note)


def at_most(text: str, found: Ratio, limit: float, note: str = "") -> Claim:
    """A number that should stay below a limit."""
    return Claim(text, found.value, found.low, found.high, f"≤ {limit:g}", found.high <= limit, note)


def fact(text: str, met: bool, note: str = "") -> Claim:
    """Something that holds or does not."""
    return Claim(text, float(met), float(met), float(met), "yes", met, note)
