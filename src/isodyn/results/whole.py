"""Whether a solution can be asked for what its system tells: all columns are there, and the
equations are those of the run."""

from __future__ import annotations

from typing import TYPE_CHECKING

from isodyn.errors import InputError
from isodyn.systems.changes import EQUATIONS, Changeable

if TYPE_CHECKING:
    from isodyn.results.solution import Solution


class MadeFor:
    """The system that a solution was made for, and how often its equations had been changed until
    then."""

    def __init__(self, system: object) -> None:
        self.system, self.changes = system, _changes_of(system)

    def is_another(self, system: object) -> bool:
        """Whether the system was changed since, by numbers in place too."""
        return system is self.system and _changes_of(system) != self.changes


def _changes_of(system: object) -> int:
    if not isinstance(system, Changeable):
        return 0
    system.notice(EQUATIONS)
    return system.changes


def refuse_unless_whole(sol: Solution, what: str, made_for: MadeFor) -> None:
    """InputError where columns are missing, or the system was changed after the run."""
    system = sol.system
    for name, n in (("q", system.nq), ("v", system.nv), ("a", system.nv), ("lam", system.m)):
        if sol.columns[name].size != n:
            raise InputError(f"{what} needs all of {name}, but only {sol.columns[name].size} of {n} columns were saved")
    if made_for.is_another(system):
        raise InputError(
            f"{what} asks the system of the run, but {system.changed} of it was changed after the run",
            hint="ask before the change, or make another system for the next run",
        )
