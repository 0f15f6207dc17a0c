"""The systems of the ready problems, made once for all tests that only look at them."""

from __future__ import annotations

from functools import cache

from isodyn import problems
from isodyn.systems.base import System


@cache
def ready_systems() -> dict[str, System]:
    """All of them, by name."""
    return {name: problem.system() for name, problem in problems.ALL.items()}


def with_constraints() -> dict[str, System]:
    """Those with constraints."""
    return {name: system for name, system in ready_systems().items() if system.m}
