"""What velocities are called: as the coordinates are, where there are as many of them; by names of
their own where not."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from isodyn.systems.base import System


def velocity_names(system: System) -> tuple[str, ...] | None:
    """Names of the components of v, None where they are rates of coordinates with the same
    names."""
    if system.first_order or system.nq == system.nv:
        return None
    names: tuple[str, ...] = system.v_names
    return names
