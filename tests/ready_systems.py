"""Systems and references of the ready problems, made once for all tests that only look at them."""

from __future__ import annotations

from functools import cache

from isodyn import problems
from isodyn.studies import ReferenceMotion, accurate_motion, exact_motion
from isodyn.systems.base import System


@cache
def ready_systems() -> dict[str, System]:
    """All of them, by name."""
    return {name: problem.system() for name, problem in problems.ALL.items()}


def with_constraints() -> dict[str, System]:
    """Those with constraints."""
    return {name: system for name, system in ready_systems().items() if system.m}


@cache
def reference_of(name: str, t_end: float | None = None) -> ReferenceMotion:
    """What `order_study` compares with if it is given nothing."""
    problem = problems.get(name)
    if problem.motion is not None:
        return exact_motion(problem)
    t_end = t_end or problem.t_order or problem.t_end
    return accurate_motion(problem.system(), t_end, breakpoints=problem.breaks(t_end))
