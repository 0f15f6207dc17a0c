"""Numbers in the parts of a mechanism by path: "point.x" of a joint, "inertia.yz" of a body."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import is_dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from isodyn.bodies.body import Body
from isodyn.bodies.numbers import given_numbers
from isodyn.errors import InputError
from isodyn.kernels.compiled import FloatArray

if TYPE_CHECKING:
    import numpy.typing as npt

AXES = {"x": 0, "y": 1, "z": 2}


def vector_of(body: Body, key: str, path: list[str]) -> npt.ArrayLike:
    """What is given of a body under a name: inertia and angular velocity as in space where one of
    their components is named."""
    if key == "inertia" and (path[1:] or body.kind != "planar"):
        return body.inertia
    if key == "angular_velocity" and path[1:]:
        return body.angular_velocity
    return given_numbers(body)[key]


def holds_numbers(value: object) -> bool:
    """Whether a field of a part holds numbers."""
    try:
        array = np.asarray(value, dtype=np.float64)
    except (TypeError, ValueError):
        return False
    return value is not None and bool(array.size)


def _index(key: str, array: FloatArray) -> tuple[int, ...]:
    """Which entry "x", "yz" or "2" is."""
    if key in AXES:
        i = AXES[key]
        return (i, i) if np.ndim(array) == 2 else (i,)
    if len(key) == 2 and set(key) <= set(AXES):
        return AXES[key[0]], AXES[key[1]]
    if not key.isdecimal():  # places are counted from the front
        raise ValueError(key)
    return (int(key),)


def read(owner: Any, path: list[str], name: str, hint: str) -> Any:
    """What a path leads to; InputError where it leads to no number."""
    for key in path:
        try:
            if is_dataclass(owner):
                owner = getattr(owner, key)
            elif isinstance(owner, Mapping):
                owner = owner[key]
            else:
                for i in _index(key, np.asarray(owner, dtype=np.float64)):
                    owner = owner[i]
        except (AttributeError, ValueError, TypeError, IndexError, KeyError):
            raise InputError(f"there is no number {name!r}", hint=hint) from None
    if np.ndim(owner) > 0:
        places = ".x, .y or .z" if np.ndim(owner) == 1 else "two letters, such as .xx or .zz"
        raise InputError(f"{name!r} is not one number, but {np.asarray(owner).tolist()}", hint=f"add {places}")
    return owner


def written(owner: Any, path: list[str], value: float) -> Any:
    """A copy with another number where the path leads to."""
    key, rest = path[0], path[1:]
    if is_dataclass(owner) and not isinstance(owner, type):
        return replace(owner, **{key: value if not rest else written(getattr(owner, key), rest, value)})
    if isinstance(owner, Mapping):
        return {**owner, key: value}
    array = np.array(owner, dtype=np.float64)
    place = _index(key, array)
    if rest:
        array[place] = written(array[place], rest, value)
    else:
        array[place] = value
        if len(place) == 2:
            array[place[::-1]] = value
    return array
