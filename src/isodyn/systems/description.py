"""Parts that become a system: what a user may pass where a system is asked for."""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from isodyn.systems.base import System


class Description(ABC):
    """Parts that are edited first and compiled to a system later: `Mechanism`, `Beam`."""

    @abstractmethod
    def compile(self) -> System:
        """The system of the parts as they are now."""


def as_system(given: object) -> Any:
    """The system of a description; anything else as it is.

    Every function that takes a system asks this first, so that a mechanism may stand for its
    system. What is no system is refused by the function itself, in its own words.
    """
    return given.compile() if isinstance(given, Description) else given
