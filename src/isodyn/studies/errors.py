"""The one definition of an error: max over time and components of |Δ|, divided by max |reference|
of that quantity.

Where the reference is zero throughout, |Δ| itself. Of configurations that are no vector space Δ is
the increment that leads from the reference to the value (`difference` of the system), so that a
rotation counts by its angle.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from isodyn.errors import InputError
from isodyn.kernels.compiled import FloatArray
from isodyn.results import Solution


def relative_error(values: FloatArray, reference: FloatArray, scale: float | None = None) -> float:
    """max|values − reference| / max|reference|, or / scale where given; 0 for quantities without
    components.

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
    """Errors of a solution against the motion q, v, a, lam at its own times; row 1 has to be the
    first step."""
    if sol.t.size < 2:
        raise InputError("errors need a solution with at least two rows")
    size = {"q": scale_of(q), "v": scale_of(v), "a": scale_of(a)}
    gaps = {"q": gap_of_configurations(sol, q), "v": sol.v - v, "a": sol.a - a}
    if lam is not None:
        size["lam"], gaps["lam"] = scale_of(lam), sol.lam - lam
    whole = {name: relative_error(gap, 0.0 * gap, size[name]) for name, gap in gaps.items()}
    first = {f"{name}_1": relative_error(gap[1:2], 0.0 * gap[1:2], size[name]) for name, gap in gaps.items()}
    return Errors(**whole, **first)


def gap_of_configurations(sol: Solution, q: FloatArray) -> FloatArray:
    """What leads from the configurations q to those of the solution, row by row."""
    difference = sol.system.difference
    if difference is None:
        return np.asarray(sol.q - q)
    return np.array([difference(reference, value) for reference, value in zip(q, sol.q, strict=True)])


def energy_error(sol: Solution) -> float:
    """max |E − E₀ − work| / max T; NaN for systems without an energy function."""
    if sol.system.energy is None:
        return math.nan
    kinetic, _ = sol.energy()
    return float(np.abs(sol.energy_balance()).max()) / (float(kinetic.max()) or 1.0)
