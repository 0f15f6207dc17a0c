"""Running a case and judging it.

The coarsest run is made twice and its first time is thrown away, so that seconds hold no compiling
and no loading of machine code (where seconds are measured at all, and the first took less than four
of them). Whatever a case raises ends that case alone: it has failed, with the message.
"""

from __future__ import annotations

import math
import time
import warnings
from dataclasses import dataclass, replace
from typing import Any

from isodyn.described import described
from isodyn.errors import InterruptedWarning, IsodynWarning
from isodyn.studies.verification.case import Case, Measurement

ROUNDING = 1e-12  # errors below this have no order
REPEATED = 4.0  # seconds; longer runs are not made twice
STANDARD = ("q", "v", "a", "lam")


@dataclass(frozen=True)
class Finding:
    """One statement about a case: a value, what was asked of it, and whether it holds."""

    what: str
    value: float
    asked: str
    holds: bool

    __repr__ = described

    def __str__(self) -> str:
        return f"{self.what} = {self.value:.3g}, asked {self.asked}"


@dataclass(frozen=True, eq=False)
class Outcome:
    """A case with its runs, from coarse to fine, and the verdict: "pass", "fail" or "skip"."""

    case: Case
    dts: tuple[float, ...]
    runs: tuple[Measurement, ...]
    checks: tuple[Finding, ...]
    seconds: float
    error: str | None = None
    skipped: str | None = None
    notes: tuple[str, ...] = ()

    @property
    def verdict(self) -> str:
        if self.skipped is not None:
            return "skip"
        return "pass" if self.error is None and all(check.holds for check in self.checks) else "fail"

    @property
    def failures(self) -> list[str]:
        """Why it failed, in words."""
        return ([self.error] if self.error else []) + [str(check) for check in self.checks if not check.holds]

    @property
    def finest(self) -> Measurement | None:
        """The run with the smallest step."""
        return self.runs[-1] if self.runs else None

    def quantities(self) -> list[str]:
        """Of which there are errors: q, v, a, lam first."""
        found = list(self.runs[-1].errors) if self.runs else []
        return [x for x in STANDARD if x in found] + [x for x in found if x not in STANDARD]

    def order(self, quantity: str) -> float:
        """Between the two finest steps; NaN with one step, and where the error is at rounding."""
        return observed_order(self.dts, self.runs, quantity)

    def to_dict(self) -> dict[str, Any]:
        """Plain numbers and strings."""
        case = self.case
        return {
            **{key: getattr(case, key) for key in ("name", "topic", "shows", "source", "citation", "link")},
            "reference": {"kind": case.reference, "trust": case.trust},
            "verdict": self.verdict,
            "failures": self.failures,
            "skipped": self.skipped,
            "runs": [_run_to_dict(dt, run) for dt, run in zip(self.dts, self.runs, strict=True)],
            "orders": {x: self.order(x) for x in self.quantities()},
            "checks": [{**vars(check), "holds": bool(check.holds)} for check in self.checks],
            "peers": list(case.peers),
            "notes": list(self.notes),
            "seconds": self.seconds,
        }


def _run_to_dict(dt: float, run: Measurement) -> dict[str, Any]:
    cost = {key: getattr(run, key) for key in ("steps", "iterations", "seconds", "drift", "energy")}
    return {"dt": dt, "errors": dict(run.errors), **cost, "notes": list(run.notes)}


def observed_order(dts: tuple[float, ...], runs: tuple[Measurement, ...], quantity: str) -> float:
    """log(e_k / e_{k+1}) / log(dt_k / dt_{k+1}) of the last two runs."""
    if len(runs) < 2:
        return math.nan
    coarse, fine = (value_of(run, quantity) for run in runs[-2:])
    if not (coarse > ROUNDING and fine > ROUNDING):
        return math.nan
    return math.log(coarse / fine) / math.log(dts[-2] / dts[-1])


def value_of(run: Measurement, quantity: str) -> float:
    """An error, the drift, or the error of the energy balance; NaN where it was not measured."""
    return {**run.errors, "drift": run.drift, "energy": run.energy}.get(quantity, math.nan)


def verify(case: Case, *, quick: bool = False) -> Outcome:
    """Run a case and judge it.

    >>> from isodyn.studies.verification import select
    >>> verify(*select(["textbook_coefficients"])).verdict
    'pass'
    """
    begin = time.perf_counter()
    dts = case.steps_of(quick)
    runs: list[Measurement] = []
    error = skipped = None
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        try:
            run = case.prepare()
            for dt in dts:
                clock = time.perf_counter()
                runs.append(run(dt))
                if len(runs) == 1 and time.perf_counter() - clock < REPEATED and not math.isnan(runs[0].seconds):
                    runs[0] = replace(runs[0], seconds=run(dt).seconds)
        except Exception as failure:  # a case that ends with an error has failed; the others go on
            skipped = missing_package(failure)
            error = None if skipped else f"{type(failure).__name__}: {failure}"
    # a run that Ctrl-C ended gives what it has
    if any(issubclass(w.category, InterruptedWarning) for w in caught):
        raise KeyboardInterrupt
    said = dict.fromkeys(str(w.message).split("\n", 1)[0] for w in caught if issubclass(w.category, IsodynWarning))
    notes = tuple(dict.fromkeys([note for one in runs for note in one.notes] + list(said)))
    done = dts[: len(runs)]
    checks = () if error or skipped else judged(case, done, tuple(runs))
    return Outcome(case, done, tuple(runs), checks, time.perf_counter() - begin, error, skipped, notes)


def missing_package(failure: Exception) -> str | None:
    """Which optional package a case needs and this machine does not have: it has then neither
    passed nor failed."""
    cause = failure if isinstance(failure, ModuleNotFoundError) else failure.__cause__
    if isinstance(cause, ModuleNotFoundError) and not (cause.name or "isodyn").startswith("isodyn"):
        return f"the package {cause.name} is missing"
    return None


def judged(case: Case, dts: tuple[float, ...], runs: tuple[Measurement, ...]) -> tuple[Finding, ...]:
    """Every bound with every step, and every order."""
    checks = []
    for quantity in case.bounds:
        for dt, run in zip(dts, runs, strict=True):
            bound, value = case.bound(quantity, dt), value_of(run, quantity)
            at = f" with dt = {dt:g}" if len(dts) > 1 else ""
            checks.append(Finding(f"{quantity}{at}", value, f"≤ {bound:.3g}", value <= bound))
    for quantity, expected in case.orders.items():
        if len(runs) < 2:
            continue
        order = observed_order(dts, runs, quantity)
        near = abs(order - expected) <= case.order_within
        rounding = math.isnan(order) and value_of(runs[-1], quantity) <= ROUNDING
        checks.append(Finding(f"order of {quantity}", order, f"{expected:g} ± {case.order_within:g}", near or rounding))
    return tuple(checks)
