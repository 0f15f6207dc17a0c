"""Flexible bodies from finite elements: reduction by interfaces and modes, and forces in a floating
frame."""

from __future__ import annotations

from typing import TYPE_CHECKING

from isodyn.later import names_from

if TYPE_CHECKING:
    from isodyn.flexible.craig_bampton import ReducedBody
    from isodyn.flexible.finite_elements import FiniteElements

__all__ = ["FiniteElements", "ReducedBody"]

_HOMES = {"FiniteElements": "finite_elements", "ReducedBody": "craig_bampton"}

__getattr__ = names_from(__name__, _HOMES)
