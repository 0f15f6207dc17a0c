"""What a ready problem is: a system, how it is usually run, and what is known about its motion."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import Any, NamedTuple

import numpy as np

from isodyn.errors import InputError
from isodyn.kernels.compiled import FloatArray
from isodyn.results import Solution
from isodyn.schemes import Scheme
from isodyn.systems import System


class Motion(NamedTuple):
    """q, v, a along times, and multipliers where there are constraints.

    Of a first-order system s, s', z are in v, a, lam, and q has no columns.
    """

    q: FloatArray
    v: FloatArray
    a: FloatArray
    lam: FloatArray | None = None


@dataclass(frozen=True, eq=False)
class Reference:
    """Numbers to compare with at some times: t (k,), q (k, nq), v (k, nv), where they are from, and
    how far to trust them.

    a (k, nv) and lam (k, m) where they are known.
    """

    t: FloatArray
    q: FloatArray
    v: FloatArray
    source: str
    trust: str
    a: FloatArray | None = None
    lam: FloatArray | None = None


@dataclass(frozen=True, eq=False, kw_only=True)
class Problem:
    """A named problem.

    name, title : short name for the command line, and a line of text
    source, citation : where it is from in words, and the key of the work if there is one
    build : function of the keyword parameters that makes the system
    parameters : their names and default values
    scheme, dt, t_end : how it is usually run; t_order is the end of an order study
    motion : function (t, **parameters) that gives the exact motion, None for parameters without a
        formula
    reference : numbers to compare with, which hold for the default parameters
    conserved : function (solution) that gives histories of what the exact motion keeps
    plane : pairs of columns (of q; of s for first-order systems) that are points of a plane
    units : of time and of coordinates; "–" where there are none
    breakpoints : times at which loads jump, as `integrate` takes them
    """

    name: str
    title: str
    source: str
    build: Callable[..., System]
    scheme: Scheme
    dt: float
    t_end: float
    t_order: float | None = None
    citation: str | None = None
    parameters: Mapping[str, float] = field(default_factory=lambda: MappingProxyType({}))
    motion: Callable[..., Motion | None] | None = None
    reference: Reference | None = None
    conserved: Callable[[Solution], dict[str, FloatArray]] | None = None
    plane: tuple[tuple[int, int], ...] = ()
    units: tuple[str, str] = ("–", "–")
    breakpoints: tuple[float, ...] = ()

    def system(self, **parameters: float) -> System:
        """The system with these parameters; defaults where left out."""
        return self.build(**self.complete(parameters))

    def breaks(self, t_end: float) -> tuple[float, ...]:
        """Breakpoints of a run to t_end."""
        return tuple(t for t in self.breakpoints if 0.0 < t < t_end)

    def exact(self, t: Any, **parameters: float) -> Motion | None:
        """The exact motion at the times t (leading axes of the results), or None where there is no
        formula."""
        if self.motion is None:
            return None
        return self.motion(np.asarray(t, dtype=np.float64), **self.complete(parameters))

    def invariants(self, sol: Solution) -> dict[str, FloatArray] | None:
        """Histories of what the exact motion conserves, or None."""
        return None if self.conserved is None else self.conserved(sol)

    def complete(self, parameters: Mapping[str, float]) -> dict[str, float]:
        """All parameters; unknown names are refused."""
        if unknown := set(parameters) - set(self.parameters):
            known = ", ".join(f"{name} = {value:g}" for name, value in self.parameters.items()) or "none"
            raise InputError(f"{self.name} has no parameter {sorted(unknown)[0]!r}", hint=f"its parameters: {known}")
        return {**self.parameters, **parameters}
