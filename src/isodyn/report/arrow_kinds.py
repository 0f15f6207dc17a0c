"""What the arrows of a scene stand for; what computes them is elsewhere, with its compiled code."""

from __future__ import annotations

from enum import Enum


class Force(Enum):
    """Whose force an arrow shows."""

    REACTION = "reaction"
    LOAD = "load"
