"""Changes of a system between two runs: what a constructor checks is checked again, and what it
makes of its arguments is made again, or the change is refused. A run of a changed system is that of
one that was made so."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from types import MappingProxyType
from typing import ClassVar

import numpy as np

from isodyn.errors import InputError
from isodyn.kernels.compiled import FloatArray
from isodyn.later import sparse as sp
from isodyn.systems import checks

STARTS = ("q0", "v0", "z0", "scales")  # where runs begin, and in which sizes: no part of the equations
NUMBERS_OF_START = STARTS[:3]
EQUATIONS = ("M", "C", "K", "f", "G", "Q", "P", "r")  # arguments that may be numbers, of systems of every kind
_WHOLE, _ROW = 1 << 16, 1 << 10  # bytes up to which numbers are kept to be compared; entries of a row that is summed


class Changeable:
    """A system whose arguments are attributes, which may be set to other values.

    Classes name the arguments that are `_fixed`, which only their constructors read, and call
    `_finish` at the end of them.
    """

    _fixed: ClassVar[frozenset[str]] = frozenset()
    _made = False
    q0: FloatArray
    v0: FloatArray
    _seen: Mapping[str, object] = MappingProxyType({})  # marks of the numbers among the arguments
    changes = 0  # how often equations were changed, and the argument that was last
    changed = ""

    def _taken(self, name: str, value: object) -> object:
        """The value as the constructor would keep it; InputError where it would refuse it."""
        return value

    def _settle(self, name: str) -> None:
        """Make anew what follows from an argument."""

    def _finish(self) -> None:
        """The end of a constructor: changes count from here on."""
        names = (*NUMBERS_OF_START, *EQUATIONS)
        object.__setattr__(self, "_seen", {name: mark_of_numbers(getattr(self, name, None)) for name in names})
        self._made = True

    def notice(self, names: Sequence[str] = (*NUMBERS_OF_START, *EQUATIONS)) -> None:
        """Take numbers that were changed in place as if they had been set.

        Parameters
        ----------
        names
            Arguments that are looked at; all if left out.

        Raises
        ------
        InputError
            If the constructor would refuse the numbers.

        Examples
        --------
        >>> import isodyn as iso
        >>> system = iso.LinearSystem(1.0, None, 4.0, None, [1.0], [0.0])
        >>> system.K[0, 0] = 9.0
        >>> system.notice()
        >>> system.changes, system.changed
        (1, 'K')
        """
        for name in names if self._made else ():
            value = getattr(self, name, None)
            if mark_of_numbers(value) != self._seen.get(name):
                self._taken(name, value)  # checked; the array stays that of the user
                self._settle(name)
                self._count(name)

    def _count(self, name: str) -> None:
        if name in self._seen:  # another dictionary: copies of a system share the one before
            mark = mark_of_numbers(getattr(self, name))
            object.__setattr__(self, "_seen", {**self._seen, name: mark})
        if name not in STARTS and not name.startswith("_"):
            object.__setattr__(self, "changes", self.changes + 1)
            object.__setattr__(self, "changed", name)

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
        self._count(name)


def mark_of_numbers(value: object) -> object:
    """What the numbers of an array or a sparse matrix come down to: equal for equal ones; None for
    what is neither.

    Of large arrays these are sums of rows and columns of their bits. Any entry that is changed, and
    any two that are exchanged, change one of them.
    """
    if sp.issparse(value):
        one = sp.csr_array(value)
        return tuple(mark_of_numbers(part) for part in (one.data, one.indices, one.indptr))
    if not isinstance(value, np.ndarray):
        return None
    if value.nbytes <= _WHOLE:
        return value.shape, value.tobytes()
    bits = np.ascontiguousarray(value).reshape(-1).view(f"u{value.itemsize}")
    whole = bits[: bits.size // _ROW * _ROW].reshape(-1, _ROW)
    parts = whole.sum(axis=0, dtype=np.uint64), whole.sum(axis=1, dtype=np.uint64), bits[whole.size :]
    return value.shape, *(part.tobytes() for part in parts)


def same_size(name: str, value: object, size: int) -> FloatArray:
    """A vector as long as the one before."""
    found = checks.vector(name, value)
    if found.size != size:
        raise InputError(
            f"{name} must keep its {size} numbers, received {found.size}", hint="make a new system of another size"
        )
    return found
