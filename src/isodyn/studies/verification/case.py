"""What a case of the standard set declares, and what one run of it measures."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import Any

from isodyn.errors import InputError

TOPICS = {
    "closed forms": "motions known by a formula",
    "documents": "the numerical examples of the works that the project implements",
    "test sets": "the Test Set for IVP Solvers and the IFToMM library of benchmarks",
    "mechanisms": "rigid bodies with joints",
    "beams": "flexible parts",
    "subdomains": "parts of a system with schemes and steps of their own",
    "reduction": "proper orthogonal decomposition",
    "accelerations": "Gauss' principle at one instant: solvers and null spaces",
    "first order": "systems of first order, with and without algebraic unknowns",
    "integration": "schemes, adaptive steps, composition, ensembles",
    "friction": "sliding and sticking",
    "truth": "runs that once ended without a word and were wrong",
}

TRUST = {
    "exact": "a formula, evaluated to rounding",
    "published": "numbers printed in the literature or in a test set",
    "computed": "an independent computation with many more digits",
    "agreement": "two ways to the same answer",
}


@dataclass(frozen=True, kw_only=True)
class Measurement:
    """What one run gave: errors by quantity, drift of φ and φ̇ (the larger), energy balance, cost,
    and remarks.

    Quantities are q, v, a, lam, or words of the case's own. Seconds are those of the run itself.
    """

    errors: Mapping[str, float]
    steps: int = 0
    iterations: int = 0
    seconds: float = math.nan
    drift: float = math.nan
    energy: float = math.nan
    notes: tuple[str, ...] = ()


Run = Callable[[float], Measurement]


@dataclass(frozen=True, kw_only=True, eq=False)
class Case:
    """One case.

    name, topic : its name, and a key of `TOPICS`
    shows : one sentence, what is shown
    source, citation, link : where the problem is from in words, the key of the work in
        docs/references.json, an address
    reference, trust : what the run is compared with, and a key of `TRUST`
    steps : step sizes from coarse to fine; a single 0 for what has no steps
    prepare : makes system and reference, and gives the function step size → `Measurement`
    bounds : largest allowed error of each quantity with the finest step, also of "drift" and
        "energy"
    orders, order_within : expected order of each quantity, and how far from it the observed one may
        be; bounds of coarser steps are larger by the power of it
    quick : how many of the step sizes, from the coarse end, are run by --quick
    peers : what other packages reach, in words with numbers
    """

    name: str
    topic: str
    shows: str
    source: str
    reference: str
    trust: str
    steps: tuple[float, ...]
    prepare: Callable[[], Run]
    bounds: Mapping[str, float]
    orders: Mapping[str, float] = field(default_factory=lambda: MappingProxyType({}))
    order_within: float = 0.15
    citation: str | None = None
    link: str | None = None
    quick: int = 2
    peers: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        wrong = None
        if self.topic not in TOPICS:
            wrong = f"topic {self.topic!r} is none of {', '.join(TOPICS)}"
        elif self.trust not in TRUST:
            wrong = f"trust {self.trust!r} is none of {', '.join(TRUST)}"
        elif not self.steps or list(self.steps) != sorted(self.steps, reverse=True):
            wrong = f"steps must go from coarse to fine, received {self.steps}"
        elif not self.bounds:
            wrong = "a case needs bounds; without them it cannot fail"
        elif missing := set(self.orders) - set(self.bounds):
            wrong = f"an order needs a bound too: {', '.join(sorted(missing))}"
        elif self.orders and len(self.steps) < 2:
            wrong = "an order needs two step sizes"
        if wrong:
            raise InputError(f"case {self.name!r}: {wrong}")

    def steps_of(self, quick: bool) -> tuple[float, ...]:
        """The step sizes of a run."""
        return self.steps[: max(1, self.quick)] if quick else self.steps

    def bound(self, quantity: str, dt: float) -> float:
        """The largest allowed error with this step size; energy balances count as second order
        where nothing else is said."""
        finest = self.steps[-1]
        order = self.orders.get(quantity, 2.0 if quantity == "energy" else 0.0)
        return self.bounds[quantity] * (dt / finest) ** order if finest > 0.0 else self.bounds[quantity]


def of_order(order: int, finest: float, **bounds: float) -> dict[str, Any]:
    """Step sizes, bounds and orders of a `Case` in which all quantities have one order (drift and
    energy are only bounded): the finest step, and two that are twice and four times as long.

    >>> of_order(2, 0.005, q=1e-6, drift=1e-12)["orders"]
    {'q': 2}
    """
    orders = {name: order for name in bounds if name not in ("drift", "energy")}
    return {"steps": (4 * finest, 2 * finest, finest), "bounds": bounds, "orders": orders}
