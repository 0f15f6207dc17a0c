"""The one definition of an error: max over time and components of |Δ|, divided by max |reference| of that quantity.

Where the reference is zero throughout, |Δ| itself.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from isodyn.compiled import FloatArray
from isodyn.errors import InputError
from isodyn.results import Solution


def relative_error(values: FloatArray, reference: FloatArray, scale: float | None = None) -> float:
    """max|values − reference| / max|reference|, or / scale where given; 0 for quantities without components.

    >>> import numpy as np
    >>> relative_error(np.array([[1.0], [2.2]]), np.array([[1.0], [2.0]])) == 0.2 / 2.0
    False
    >>> round(relative_error(np.array([[1.0], [2.2]]), np.array([[1.0], [2.0]])), 12)
    0.1
    """
    if values.shape != reference.shape:
        raise InputError(f"values and reference must have one shape, received {values.shape} and {reference.shape}")
    if values.size == 0:
        return 0.0
    size = scale_of(reference) if scale is None else scale
    return float(np.max(np.abs(values - reference))) / size


def scale_of(reference: FloatArray) -> float:
    """max|reference|, or 1 where it is zero throughout."""
    return float(np.max(np.abs(reference), initial=0.0)) or 1.0


@dataclass(frozen=True)
class Errors:
    """Errors in q, v, a over all of time, and at n = 1 alone in units of the same size.

    In multipliers too; NaN where they are not known.
    """

    q: float
    v: float
    a: float
    q_1: float
    v_1: float
    a_1: float
    lam: float = math.nan
    lam_1: float = math.nan


def errors_of(sol: Solution, q: FloatArray, v: FloatArray, a: FloatArray, lam: FloatArray | None = None) -> Errors:
    """Errors of a solution against the motion q, v, a, lam at its own times; row 1 has to be the first step."""
    if sol.t.size < 2:
        raise InputError("errors need a solution with at least two rows")
    pairs = {"q": (sol.q, q), "v": (sol.v, v), "a": (sol.a, a)}
    if lam is not None:
        pairs["lam"] = (sol.lam, lam)
    whole = {name: relative_error(values, reference) for name, (values, reference) in pairs.items()}
    first = {
        f"{name}_1": relative_error(values[1:2], reference[1:2], scale_of(reference))
        for name, (values, reference) in pairs.items()
    }
    return Errors(**whole, **first)
