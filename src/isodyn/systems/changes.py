"""Changes of a system between two runs: what a constructor checks is checked again, and what it
makes of its arguments is made again, or the change is refused. A run of a changed system is that of
one that was made so."""

from __future__ import annotations

from typing import ClassVar

from isodyn.errors import InputError
from isodyn.kernels.compiled import FloatArray
from isodyn.systems import checks

STARTS = ("q0", "v0", "z0", "scales")  # where runs begin, and in which sizes: no part of the equations


class Changeable:
    """A system whose arguments are attributes, which may be set to other values.

    Classes name the arguments that are `_fixed`, which only their constructors read, and set
    `_made` at the end of them.
    """

    _fixed: ClassVar[frozenset[str]] = frozenset()
    _made = False
    q0: FloatArray
    v0: FloatArray
    _start = b""
    changes = 0  # how often equations were changed, and the argument that was last
    changed = ""

    def _taken(self, name: str, value: object) -> object:
        """The value as the constructor would keep it; InputError where it would refuse it."""
        return value

    def _settle(self, name: str) -> None:
        """Make anew what follows from an argument."""

    def _numbers_of_start(self) -> bytes:
        return self.q0.tobytes() + self.v0.tobytes()

    def _notice(self) -> None:
        """A start whose numbers were changed in place counts as one that was set."""
        if self._made and self._numbers_of_start() != self._start:
            for name in ("q0", "v0"):
                self._taken(name, getattr(self, name))
            self._settle("q0")

    def __setattr__(self, name: str, value: object) -> None:
        if not self._made:
            object.__setattr__(self, name, value)
            return
        if name in self._fixed:
            raise InputError(
                f"{name} of a {type(self).__name__} cannot be changed: only the constructor reads it",
                hint="make a new system",
            )
        taken, known, before = self._taken(name, value), hasattr(self, name), getattr(self, name, None)
        object.__setattr__(self, name, taken)
        try:
            self._settle(name)
        except BaseException:
            if known:  # the system stays what it was
                object.__setattr__(self, name, before)
                self._settle(name)
            raise
        if name not in STARTS and not name.startswith("_"):
            object.__setattr__(self, "changes", self.changes + 1)
            object.__setattr__(self, "changed", name)


def same_size(name: str, value: object, size: int) -> FloatArray:
    """A vector as long as the one before."""
    found = checks.vector(name, value)
    if found.size != size:
        raise InputError(
            f"{name} must keep its {size} numbers, received {found.size}", hint="make a new system of another size"
        )
    return found
