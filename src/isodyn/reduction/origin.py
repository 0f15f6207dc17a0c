"""The full system of a reduced one, and what it was when it was reduced.

A reduced system has projected numbers of the full one, and asks functions of it. After a change of
the full system the two would not belong together: runs and lifted solutions are refused then.
"""

from __future__ import annotations

from typing import Any

from isodyn.errors import InputError
from isodyn.systems.changes import mark_of_numbers

# arguments of systems of every kind, as their attributes are called
ARGUMENTS = ("M", "C", "K", "f", "G", "Q", "Q_q", "Q_v", "Q_lam", "P", "r", "h", "h_s", "c", "energy", "q0", "v0", "z0")


class Origin:
    """A system with the functions and numbers that it has now."""

    def __init__(self, system: object) -> None:
        self.system = system
        self.seen = {name: _mark(getattr(system, name)) for name in ARGUMENTS if hasattr(system, name)}

    def refuse_changed(self) -> None:
        """InputError if the system is not what it was."""
        for name, mark in self.seen.items():
            if _mark(getattr(self.system, name)) != mark:
                raise InputError(
                    f"{name} of the full system was changed after the system was reduced",
                    hint="reduce it again: iso.reduce(system, basis)",
                )


class FromFull:
    """What was made of a full system."""

    origin: Origin

    @property
    def full(self) -> Any:
        """The system that was reduced."""
        return self.origin.system


def _mark(value: object) -> object:
    """A function itself; of numbers, what they come down to."""
    found = mark_of_numbers(value)
    return value if found is None else found
