"""The system of a result: its model file, or the mechanism that was built in Python, is kept with
the result as text, and built again by what reads model files.

Reading and writing model files stands above results; the root of the package tells where it is
found.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any, Protocol

from isodyn.errors import InputError

if TYPE_CHECKING:
    from isodyn.systems.base import System


class Keeper(Protocol):
    """What writes systems as models and builds them again."""

    def text_of(self, system: System) -> dict[str, Any] | None:
        """The model of a system; None where it is no mechanism, InputError where no file can hold
        it."""

    def system_from(self, model: dict[str, Any]) -> System:
        """The system of a model."""

    def events_from(self, model: dict[str, Any]) -> tuple[object, ...]:
        """The events of a model."""


_load: Callable[[], Any] | None = None


def register(load: Callable[[], Any]) -> None:
    """Give the function that loads the keeper."""
    global _load
    _load = load


def _keeper() -> Keeper:
    if _load is None:
        raise InputError("nothing here reads model files", hint="import isodyn")
    keeper: Keeper = _load()
    return keeper


def system_of_model(model: dict[str, Any]) -> System:
    """The system of a model as it was kept: `text`, `name` and `parameters`."""
    return _keeper().system_from(model)


def events_of_model(model: dict[str, Any]) -> tuple[object, ...]:
    """The events of a model as it was kept."""
    return _keeper().events_from(model)


def model_of_system(system: System) -> tuple[dict[str, Any] | None, str]:
    """The model of a mechanism that was built in Python; or None, and why it cannot be kept."""
    if _load is None:
        return None, ""
    try:
        return _keeper().text_of(system), ""
    except ImportError as error:
        return None, str(error)
    except InputError as error:
        return None, error.message
