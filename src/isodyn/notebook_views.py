"""How objects show themselves in a notebook.

Systems, mechanisms and solutions know that they can be shown, not how: the look is made by
isodyn.report, which stands above them. The root of the package tells where it is found, and it is
loaded when a notebook asks for the first time.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from isodyn.described import told

_load: Callable[[], Callable[[Any], str]] | None = None


def register(load: Callable[[], Callable[[Any], str]]) -> None:
    """Give the function that loads the view: an object in, HTML out."""
    global _load
    _load = load


class ShownInNotebooks:
    """What a notebook shows as a table, a picture or an animation instead of text."""

    def _repr_html_(self) -> str | None:
        return None if _load is None else _load()(self)


class Told(ShownInNotebooks):
    """Dataclasses that users write down: `repr` tells what is not as usual, a notebook shows it as
    a table.

    The decorator of a dataclass makes a `__repr__` of all fields unless the class has one; so every
    subclass gets this one when it is made.
    """

    def __init_subclass__(cls, **given: Any) -> None:
        super().__init_subclass__(**given)
        if "__repr__" not in vars(cls):
            cls.__repr__ = told  # type: ignore[method-assign]


class ShownSystem(ShownInNotebooks):
    """A system: one line tells its size."""

    def __repr__(self) -> str:
        x: Any = self
        n, m = (x.nv if x.first_order else x.nq), x.m
        size = f"{n} {'variable' if x.first_order else 'coordinate'}{'s' * (n != 1)}"
        return f"<{type(self).__name__}: {size}, {m or 'no'} row{'s' * (m != 1)} of constraints>"
