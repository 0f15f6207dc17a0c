"""Whether a solution can be asked for what its system tells: all columns are there, and the
equations are those of the run."""

from __future__ import annotations

from typing import TYPE_CHECKING

from isodyn.errors import InputError
from isodyn.systems.changes import Changeable

if TYPE_CHECKING:
    from isodyn.results.solution import Solution


def changes_of(system: object) -> int:
    """How often the equations of a system were changed since it was made."""
    return system.changes if isinstance(system, Changeable) else 0


def refuse_unless_whole(sol: Solution, what: str, changes: int) -> None:
    """InputError where columns are missing, or the system was changed after the run."""
    system = sol.system
    for name, n in (("q", system.nq), ("v", system.nv), ("a", system.nv), ("lam", system.m)):
        if sol.columns[name].size != n:
            raise InputError(f"{what} needs all of {name}, but only {sol.columns[name].size} of {n} columns were saved")
    if changes_of(system) != changes:
        raise InputError(
            f"{what} asks the system of the run, but {system.changed} of it was changed after the run",
            hint="ask before the change, or make another system for the next run",
        )
