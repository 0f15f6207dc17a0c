"""A mechanism some of whose loads do not act, in the coordinates of the whole."""

from __future__ import annotations

import warnings
from collections.abc import Collection
from typing import TYPE_CHECKING, Any

from isodyn.errors import InputError
from isodyn.mechanism.compilation import compile_parts

if TYPE_CHECKING:
    from isodyn.systems.base import System


def without_loads(system: Any, off: Collection[str]) -> System:
    """The mechanism without some of its loads, in the same coordinates."""
    if not off:
        return system
    parts = system.description.parts.copied()
    for name in off:
        del parts.loads[name]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        made: Any = compile_parts(parts, system.description.gravity, system.description.cayley, "rotation")
    if (made.nq, made.nv, made.m) != (system.nq, system.nv, system.m):
        raise InputError(f"switching {', '.join(sorted(off))} off would change the coordinates of the mechanism")
    return made
