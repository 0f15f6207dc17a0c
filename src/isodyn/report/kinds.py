"""What kind of system is at hand, without loading the compiled code of other kinds: no system is of
a class that was never loaded."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from isodyn.systems.base import System


def _is(system: System, module: str, name: str) -> bool:
    found = sys.modules.get(module)
    return found is not None and isinstance(system, getattr(found, name))


def is_mechanism(system: System) -> bool:
    return _is(system, "isodyn.mechanism.system", "MechanismSystem")


def is_parametrised(system: System) -> bool:
    """A mechanism in other coordinates than the default ones."""
    return _is(system, "isodyn.mechanism.coordinates", "ParametrisedSystem") or is_tree(system)


def is_tree(system: System) -> bool:
    """A mechanism in the coordinates of its joints."""
    return _is(system, "isodyn.trees.system", "TreeSystem")


def is_beam(system: System) -> bool:
    return _is(system, "isodyn.beams.system", "BeamSystem")
