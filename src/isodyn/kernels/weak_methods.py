"""Methods of a run for those whom the run keeps itself: without a cycle of references its memory is
free as soon as the run is over, not when the garbage collector comes by."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeVar
from weakref import WeakMethod

T = TypeVar("T")


def held_weakly(method: Callable[[], T]) -> Callable[[], T]:
    """The same method, which does not keep its object alive."""
    reference = WeakMethod(method)

    def call() -> T:
        found = reference()
        if found is None:
            raise ReferenceError("the run of this function is over")
        return found()

    return call
