"""Ways to run a problem, the cases they become, and what is measured of them.

Cost per step is the difference of a long and a short run over the difference of their steps, so
that set-up does not count. Repeats of all ways are interleaved: way 1, way 2, …, way 1, way 2, …; a
ratio is that of the medians, its spread the quartiles of the ratios of each round.
"""

from __future__ import annotations

import math
import sys
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from typing import Any

import numpy as np
from benchmarks.peers.workers import WorkerError, Workers

REGION = 0.2  # seconds that a timed region lasts at least, by repeating short runs inside it: neighbours come and go within less
MOST_TIMES = 50


@dataclass(frozen=True)
class Way:
    """One package with one set of settings for a problem."""

    package: str
    label: str
    settings: Mapping[str, Any] = field(default_factory=dict)
    kind: str = ""  # what it is compared as; the package, if left out


@dataclass
class Row:
    """What was measured of one way: seconds (per step, or of the whole run), errors, counts,
    set-up, and whether it is accurate enough."""

    problem: str
    package: str
    way: str
    size: int | None = None
    kind: str = ""
    samples: list[float] = field(default_factory=list)
    errors: dict[str, float] = field(default_factory=dict)
    gate: bool = True
    amount: float | None = None
    setup: float | None = None
    counts: dict[str, float] = field(default_factory=dict)
    curve: list[tuple[float, float, float]] = field(default_factory=list)  # amount, error, seconds
    failed: str | None = None

    @property
    def median(self) -> float:
        return float(np.median(self.samples)) if self.samples else math.nan

    def as_dict(self) -> dict[str, Any]:
        low, high = np.percentile(self.samples, [25, 75]) if self.samples else (math.nan, math.nan)
        return {**asdict(self), "median": self.median, "q25": float(low), "q75": float(high)}


@dataclass(frozen=True)
class Ratio:
    """How many times longer the other takes: ratio of medians, quartiles of the ratios of each
    round."""

    value: float
    low: float
    high: float


def ratio(other: Row, own: Row) -> Ratio:
    """Of rounds in which a long run took less time than a short one nothing is known: no quartile, and
    no limit is met."""
    pairs = list(zip(other.samples, own.samples, strict=False))
    rounds = [a / b if a > 0.0 and b > 0.0 else math.nan for a, b in pairs]
    low, high = np.percentile(rounds, [25, 75])
    return Ratio(other.median / own.median, float(low), float(high))


def slope(sizes: Sequence[float], values: Sequence[float]) -> float:
    """Of log(values) over log(sizes), least squares."""
    return float(np.polyfit(np.log(sizes), np.log(values), 1)[0])


def best(rows: Sequence[Row], package: str, size: int | None = None, accurate: bool = True) -> Row | None:
    """The fastest row of a package; of those accurate enough, if any is."""
    found = [row for row in rows if row.package == package and row.size == size and row.median > 0]
    passed = [row for row in found if row.gate] if accurate else found
    return fastest(passed or found)


def fastest(rows: Sequence[Row]) -> Row | None:
    """Of those that were repeated most often."""
    most = max((len(row.samples) for row in rows), default=0)
    return min(
        (row for row in rows if row.samples and len(row.samples) == most), key=lambda row: row.median, default=None
    )


class Case:
    """A way that is ready to run in its worker."""

    def __init__(self, bench: Bench, problem: str, way: Way) -> None:
        self.way, self.worker = way, bench.workers[way.package]
        settings = dict(way.settings)
        reply = self.worker.ask("prepare", problem=problem, package=way.package, settings=settings)
        self.number, self.setup = reply["case"], reply["seconds"]

    def time(self, amount: float, times: int = 1) -> dict[str, Any]:
        return self.worker.ask("time", case=self.number, amount=amount, times=times)

    def answer(self, amount: float) -> dict[str, Any]:
        return self.worker.ask("answer", case=self.number, amount=amount)

    def drop(self) -> None:
        self.worker.ask("drop", case=self.number)


class Bench:
    """The workers, how often everything is repeated, and what was found."""

    def __init__(self, workers: Workers, repeats: int, quick: bool, only: Sequence[int] = ()) -> None:
        self.workers, self.repeats, self.quick, self.only = workers, repeats, quick, only
        self.rows: list[Row] = []
        self.started = time.perf_counter()

    def say(self, text: str) -> None:
        print(f"[{time.perf_counter() - self.started:6.0f} s] {text}", file=sys.stderr, flush=True)

    def has(self, package: str) -> bool:
        return package in self.workers

    def among(self, sizes: Sequence[int]) -> tuple[int, ...]:
        """Those sizes of a problem that were asked for."""
        return tuple(n for n in sizes if not self.only or n in self.only)

    def prepare(self, problem: str, ways: Sequence[Way], size: int | None) -> list[tuple[Case, Row]]:
        """The cases of the packages that are here; one that fails becomes a row that says why."""
        ready = []
        for way in ways:
            if not self.has(way.package):
                continue
            row = Row(problem, way.package, way.label, size, way.kind or way.package)
            self.rows.append(row)
            try:
                case = Case(self, problem, way)
                row.setup = case.setup
                ready.append((case, row))
            except WorkerError as error:
                self.fail(row, error)
        return ready

    def fail(self, row: Row, error: Exception) -> None:
        row.failed, row.gate, row.samples = str(error), False, []
        self.say(f"{row.problem} {row.size or ''} {row.package} {row.way}: {error}")

    def check(
        self,
        ready: list[tuple[Case, Row]],
        amount: float,
        errors: Callable[[dict[str, Any]], tuple[dict[str, float], bool]],
    ) -> list[tuple[Case, Row]]:
        """Run each case once and compare with the reference; `errors` returns the errors and
        whether they are small enough."""
        good = []
        for case, row in ready:
            try:
                row.errors, row.gate = errors(case.answer(amount))
                row.amount = amount
                good.append((case, row))
            except WorkerError as error:
                self.fail(row, error)
        return good

    def per_step(self, ready: list[tuple[Case, Row]], short: int, long: int, keep: int = 2, more: int = 1) -> None:
        """Cost per step of the best `keep` ways of each kind, interleaved; the others keep what one
        probe told.

        `more` times as many rounds where a step is so short that a neighbour on the machine doubles
        it.
        """
        good, times = [], {}
        for case, row in ready:
            try:
                case.time(short)
                times[case] = _times(case.time(long)["seconds"])
                row.samples = [self._one_step(case, row, short, long, times[case])]
                good.append((case, row))
            except WorkerError as error:
                self.fail(row, error)
        self._rounds(
            _kept(good, keep, lambda row: row.kind),
            lambda case, row: self._one_step(case, row, short, long, times[case]),
            more,
        )

    def _one_step(self, case: Case, row: Row, short: int, long: int, times: int) -> float:
        few, many = case.time(short, times), case.time(long, times)
        row.counts = {key: (many["counts"][key] - few["counts"][key]) / (long - short) for key in many["counts"]}
        return (many["seconds"] - few["seconds"]) / (long - short)

    def whole(
        self, ready: list[tuple[Case, Row]], keep: int = 2, key: Callable[[Row], str] = lambda row: row.package
    ) -> None:
        """Seconds of whole runs at `row.amount`, interleaved, of the best `keep` ways of each
        package (or other `key`)."""
        good, times = [], {}
        for case, row in ready:
            try:
                once = case.time(row.amount)
                times[case] = _times(once["seconds"])
                row.samples = [case.time(row.amount, times[case])["seconds"]]
                row.counts = once["counts"]
                good.append((case, row))
            except WorkerError as error:
                self.fail(row, error)
        self._rounds(_kept(good, keep, key), lambda case, row: case.time(row.amount, times[case])["seconds"])

    def _rounds(self, kept: list[tuple[Case, Row]], sample: Callable[[Case, Row], float], more: int = 1) -> None:
        for _, row in kept:
            row.samples = []
        for _ in range(more * self.repeats):
            for case, row in kept:
                if row.failed is None:
                    try:
                        row.samples.append(sample(case, row))
                    except WorkerError as error:
                        self.fail(row, error)

    def curve(
        self,
        ready: list[tuple[Case, Row]],
        levels: Mapping[str, Sequence[float]],
        error: Callable[[dict[str, Any]], float],
    ) -> None:
        """Error and seconds over a list of amounts, once each: the work–precision diagram."""
        for case, row in ready:
            for amount in levels[row.way]:
                try:
                    size = error(case.answer(amount))
                    row.curve.append((amount, size, case.time(amount)["seconds"]))
                except WorkerError as problem:
                    self.say(f"{row.problem} {row.package} {row.way} at {amount:g}: {problem}")

    def calibrate(
        self, case: Case, row: Row, target: float, error: Callable[[dict[str, Any]], float], steps: bool
    ) -> bool:
        """Set `row.amount` to the coarsest one found with an error below the target: steps by their
        order, tolerances by a fine grid."""
        reached = sorted((amount, size) for amount, size, _ in row.curve if math.isfinite(size) and size > 0)
        if not reached:
            return False
        try:
            found = _by_order(case, reached, target, error) if steps else _by_grid(case, reached, target, error)
        except WorkerError as problem:
            self.fail(row, problem)
            return False
        if found is None:
            row.gate = False
            return False
        row.amount, size = found
        row.errors = {**row.errors, "target": size}
        row.gate = size <= target
        return row.gate


def _times(seconds: float) -> int:
    """How often a short run is repeated inside a timed region."""
    return max(1, min(MOST_TIMES, math.ceil(REGION / max(seconds, 1e-6))))


def _kept(good: list[tuple[Case, Row]], keep: int, key: Callable[[Row], str]) -> list[tuple[Case, Row]]:
    """Of every package the fastest ways that are accurate enough, and the fastest of all."""
    kept: list[tuple[Case, Row]] = []
    for group in dict.fromkeys(key(row) for _, row in good):
        mine = sorted((pair for pair in good if key(pair[1]) == group), key=lambda pair: pair[1].median)
        passed = [pair for pair in mine if pair[1].gate][:keep]
        kept += passed + [pair for pair in mine[:1] if pair not in passed]
    return kept


def _by_order(
    case: Case, reached: list[tuple[float, float]], target: float, error: Callable[[dict[str, Any]], float]
) -> tuple[float, float] | None:
    """Numbers of steps: interpolate log(error) over log(steps), then go up by 5 % until the error
    is below the target."""
    below = [pair for pair in reached if pair[1] <= target]
    if not below:
        return None
    fine = below[0]
    coarse = max((pair for pair in reached if pair[0] < fine[0]), default=None)
    if coarse is None:
        return fine
    order = math.log(coarse[1] / fine[1]) / math.log(fine[0] / coarse[0])
    amount = math.ceil(coarse[0] * (coarse[1] / target) ** (1.0 / order))
    while amount < fine[0]:
        size = error(case.answer(amount))
        if size <= target:
            return amount, size
        amount = math.ceil(amount * 1.05)
    return fine


def _by_grid(
    case: Case, reached: list[tuple[float, float]], target: float, error: Callable[[dict[str, Any]], float]
) -> tuple[float, float] | None:
    """Tolerances: from the loosest that is good enough, the loosest of ten within the next decade
    that is good enough too."""
    below = [pair for pair in reached if pair[1] <= target]
    if not below:
        return None
    for k in range(9, 0, -1):
        amount = below[-1][0] * 10.0 ** (0.1 * k)
        size = error(case.answer(amount))
        if size <= target:
            return amount, size
    return below[-1]
