"""Shapes of what solutions tell about parts: a number for each saved time is an array (times,), a
vector (times, 3), and nothing has a single column, which would multiply with other histories into a
square without a word."""

from __future__ import annotations

from typing import Any

import numpy as np

import isodyn as iso


def arrays_of(view: Any) -> dict[str, Any]:
    """Every public attribute of a view that is an array; those that the part does not have are left
    out, such as the mode of a spring."""
    found = {}
    for name in dir(view):
        if name.startswith("_") or name == "t":
            continue
        try:
            value = getattr(view, name)
        except iso.IsodynError:
            continue
        if isinstance(value, np.ndarray):
            found[name] = value
    return found


def check_view(view: Any, rows: int) -> None:
    """The arrays of a view, and of them those that it lists."""
    found = arrays_of(view)
    for name, value in found.items():
        assert value.shape[1:] != (1,), f"{view!r}: {name} has the shape {value.shape}"
    for name in view.histories() if hasattr(view, "histories") else ():
        assert found[name].shape[0] == rows, name


def check_quantities(sol: iso.Solution) -> None:
    """The catalogue of a solution: a column without components, or several with them."""
    for name in sol.quantities():
        curve = sol.quantity(name)
        assert len(curve.components) != 1, name
        expected = (sol.t.size, len(curve.components)) if curve.components else (sol.t.size,)
        assert curve.values.shape == expected, name
