"""What arrows of a scene tell of; apart from what computes them, which brings compiled code."""

from __future__ import annotations

from enum import Enum


class Force(Enum):
    """Whose force an arrow shows."""

    REACTION = "reaction"
    LOAD = "load"
