"""Typical sizes of a user's own equations: as given, or from the start and the rows."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from isodyn.errors import InputError
from isodyn.kernels.compiled import FloatArray
from isodyn.systems import checks
from isodyn.systems.scales import Scales, beside_rows, from_start, ordinary, power_of_two


def scales_of(
    q0: FloatArray, nv: int, retract: Callable[..., Any] | None, given: object, phi: Callable[..., Any] | None
) -> Scales:
    """Typical sizes as given, or from the start."""
    if isinstance(given, Scales):
        return Scales(given.q, given.v, q0.copy(), given.rows)
    if given is None:
        scales = from_start(q0, nv) if retract is None else ordinary(q0, nv)
        return scales if phi is None or retract is not None else beside_rows(scales, lambda q: phi(q, 0.0))
    sizes = checks.vector("scales", given)
    if sizes.size != nv or not (sizes > 0.0).all():
        raise InputError(
            f"scales must be {nv} positive numbers, one for each component of v, received {given!r}",
            hint="typical sizes of the coordinates, such as a length of the model for positions and 1 for angles",
        )
    sizes = power_of_two(sizes)
    return Scales(sizes.copy() if q0.size == nv else np.ones(q0.size), sizes, q0.copy())
