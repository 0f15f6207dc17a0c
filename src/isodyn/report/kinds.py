"""What kind of system is at hand, without loading the compiled code of other kinds: no system is of
a class that was never loaded."""

from __future__ import annotations

import sys
from typing import Any


def _is(system: Any, module: str, name: str) -> bool:
    found = sys.modules.get(module)
    return found is not None and isinstance(system, getattr(found, name))


def is_mechanism(system: Any) -> bool:
    return _is(system, "isodyn.mechanism.system", "MechanismSystem")


def is_parametrised(system: Any) -> bool:
    """A mechanism in other coordinates than the default ones."""
    return _is(system, "isodyn.mechanism.coordinates", "ParametrisedSystem")


def is_beam(system: Any) -> bool:
    return _is(system, "isodyn.beams.system", "BeamSystem")
