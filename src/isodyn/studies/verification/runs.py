"""What cases share: runs of ready problems, and the one way from a solution to a `Measurement`."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import asdict
from typing import TYPE_CHECKING, Any, Literal

import numpy as np
from numpy.typing import ArrayLike

from isodyn.api import Newton, integrate
from isodyn.errors import InputError
from isodyn.problems import Problem, Reference, get
from isodyn.problems.problem import Motion
from isodyn.results import Solution
from isodyn.studies.errors import energy_error, errors_of, gap_of_configurations, relative_error, scale_of
from isodyn.studies.references import ReferenceMotion, accurate_motion, exact_motion
from isodyn.studies.verification.case import Measurement, Run
from isodyn.systems.base import System

if TYPE_CHECKING:
    from isodyn.formulations.protocol import Formulation
    from isodyn.schemes.composition import Composition
    from isodyn.schemes.gs4_1 import FirstOrderScheme
    from isodyn.schemes.gs4_2 import Scheme
    from isodyn.subdomains.solution import SubdomainSolution

ROWS = 2000  # more rows than this are not looked at for drift and energy


def measured(sol: Solution, errors: Mapping[str, float], *, energy: bool = True, drift: bool = True) -> Measurement:
    """Errors as they are, with the drift, the energy balance and the cost of the solution."""
    few = sol.t.size <= ROWS
    kept = drift and few and sol.system.m > 0
    balanced = energy and few and not sol.system.first_order
    return Measurement(
        errors={name: float(value) for name, value in errors.items()},
        steps=sol.stats.steps,
        iterations=sol.stats.iterations,
        seconds=sol.stats.seconds,
        drift=max(sol.drift().largest[:2]) if kept else math.nan,
        energy=energy_error(sol) if balanced else math.nan,
    )


def against_motion(sol: Solution, motion: Motion) -> dict[str, float]:
    """Errors in q, v, a and multipliers against a motion at the solution's own times."""
    found = asdict(errors_of(sol, *motion))
    return {name: found[name] for name in ("q", "v", "a", "lam") if not math.isnan(found[name]) and has(sol, name)}


def has(sol: Solution, name: str) -> bool:
    """Whether the solution has such a quantity at all."""
    return bool(getattr(sol, name).shape[1])


def against_table(sol: Solution, known: Reference) -> dict[str, float]:
    """Errors at the tabulated times within the run, where each quantity is known."""
    rows = known.t <= sol.t[-1] * (1.0 + 1e-12)
    t = np.minimum(known.t[rows], sol.t[-1])
    if not rows.any():
        raise InputError(f"the reference begins at t = {known.t[0]:g}, after the run's end {sol.t[-1]:g}")
    there = sol.at(t)
    errors = {}
    for name in ("q", "v", "a", "lam"):
        values = getattr(known, name)
        if values is not None and values.shape[1]:
            errors[name] = relative_error(getattr(there, name), values[rows])
    return errors


def compared(found: ArrayLike, expected: ArrayLike, scale: float | None = None) -> float:
    """max |found − expected| / max |expected|, of plain arrays."""
    x, y = np.asarray(found, dtype=np.float64), np.asarray(expected, dtype=np.float64)
    return relative_error(x, y, scale)


def same_motion(sol: Solution, other: Solution, names: tuple[str, ...] = ("q", "v", "a", "lam")) -> dict[str, float]:
    """Differences between two solutions of one system."""
    errors = {}
    for name in names:
        if not has(sol, name):
            continue
        theirs = getattr(other, name)
        gap = gap_of_configurations(sol, theirs) if name == "q" else getattr(sol, name) - theirs
        errors[name] = relative_error(gap, 0.0 * gap, scale_of(theirs))
    return errors


def on_problem(
    name: str,
    scheme: Scheme | FirstOrderScheme | Composition,
    formulation: Formulation | None = None,
    *,
    t_end: float | None = None,
    against: Literal["exact", "DOP853", "table"] = "exact",
    parameters: Mapping[str, float] | None = None,
    newton: Newton | None = None,
    save_every: int = 1,
    energy: bool = True,
) -> Callable[[], Run]:
    """How a ready problem is run: against its formula, against DOP853 with rtol = 1e-13, or against
    its tabulated numbers."""

    def prepare() -> Run:
        problem = get(name)
        chosen = dict(parameters or {})
        system = problem.system(**chosen)
        end = float(t_end or problem.t_order or problem.t_end)
        breaks = problem.breaks(end)
        at = reference_of(problem, system, end, against, chosen)

        def run(dt: float) -> Measurement:
            sol = integrate(
                system,
                scheme,
                formulation,
                dt=dt,
                t_end=end,
                newton=newton,
                breakpoints=breaks,
                save_every=save_every,
            )
            return measured(sol, at(sol), energy=energy)

        return run

    return prepare


def reference_of(
    problem: Problem, system: System, t_end: float, against: str, parameters: Mapping[str, float]
) -> Callable[[Solution], dict[str, float]]:
    """From a solution to its errors."""
    if against == "table":
        known = problem.reference
        if known is None:
            raise InputError(f"{problem.name} has no tabulated reference")
        return lambda sol: against_table(sol, known)
    motion: ReferenceMotion = (
        exact_motion(problem, **parameters)
        if against == "exact"
        else accurate_motion(system, t_end, breakpoints=problem.breaks(t_end))
    )
    return lambda sol: against_motion(sol, motion.at(sol.t))


def once(measure: Callable[[], Measurement]) -> Callable[[], Run]:
    """A case without step sizes: `steps=(0.0,)`."""
    return lambda: lambda _: measure()


def timed(sol: Solution | SubdomainSolution) -> dict[str, Any]:
    """Steps, iterations and seconds of a solution, for measurements that are put together by
    hand."""
    return {key: getattr(sol.stats, key) for key in ("steps", "iterations", "seconds")}
