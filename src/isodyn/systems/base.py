"""What every system tells about itself, where it does not say otherwise."""

from __future__ import annotations

from typing import Any

from isodyn.notebook_views import ShownSystem


class BaseSystem(ShownSystem):
    """Base of all systems.

    elastic : it has stiff elastic parts, whose forces are right at the balances of steps
    states : how many of its velocities, the last ones, are states of first order
    alike : a number for each velocity; those with the same number have the same unit. Empty if units
        are not known
    contacts : its unilateral constraints (isodyn.systems.contacts), or None
    """

    elastic: bool = False
    states: int = 0
    alike: tuple[int, ...] = ()
    contacts: Any = None
