"""Python functions of t that loads and joints were given: what they do was read once, when the
mechanism was compiled. What they would be if they were read now."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import fields, is_dataclass

import numpy as np

from isodyn.errors import InputError
from isodyn.expressions.time import TimeFunction, components
from isodyn.joints.user import UserRows
from isodyn.loads.user import UserLoad
from isodyn.mechanism.system import MechanismSystem


def read_again(system: MechanismSystem) -> dict[str, str]:
    """Formulas of all such functions now, by the names of parts."""
    parts = system.description.parts if system.description is not None else None
    every: Iterable[object] = () if parts is None else (*parts.loads.values(), *parts.joints.values())
    found = {}
    for part in every:
        if is_dataclass(part) and not isinstance(part, UserLoad | UserRows):
            formulas = list(_formulas(part))
            if formulas:
                found[str(getattr(part, "name", part))] = repr(formulas)
    return found


def _formulas(part: object) -> Iterator[object]:
    """Formulas of the functions in the fields of a part; of those that are none, nothing."""
    for field in fields(part):  # type: ignore[arg-type]
        value = getattr(part, field.name)
        several = value if isinstance(value, tuple | list | np.ndarray) else (value,)
        if any(callable(x) and not isinstance(x, TimeFunction) for x in several):
            try:
                yield components(field.name, value)
            except InputError:
                continue
