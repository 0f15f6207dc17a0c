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
    """Return max|values − reference| / max|reference|.

    Parameters
    ----------
    values
        Values.
    reference
        What they should be.
    scale
        A size in place of max|reference|.

    Returns
    -------
    error
        The error; 0 for quantities without components.

    Examples
    --------
    >>> import numpy as np
    >>> from isodyn.studies import relative_error
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
    """Errors of a run over all of time, and at the first step alone.

    Multipliers have NaN if they are not known.

    Parameters
    ----------
    q, v, a
        Largest error over all of time, relative to the size of the variable.
    q_1, v_1, a_1
        Error at n = 1, in the same units.
    lam, lam_1
        The same for multipliers.

    Examples
    --------
    >>> import isodyn as iso
    >>> from isodyn import studies
    >>> oscillator = iso.problems.get("oscillator")
    >>> sol = iso.integrate(oscillator.system(), dt=0.01, t_end=1.0)
    >>> motion = oscillator.exact(sol.t)
    >>> studies.errors_of(sol, motion.q, motion.v, motion.a).q < 1e-3
    True
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
    """Return the errors of a solution against a motion.

    Parameters
    ----------
    sol
        The solution; its row 1 has to be the first step.
    q, v, a, lam
        The motion at the times of the solution.

    Returns
    -------
    errors
        Errors over all of time, and at the first step.

    Examples
    --------
    >>> import isodyn as iso
    >>> from isodyn import studies
    >>> sol = iso.integrate(iso.problems.get("oscillator").system(), dt=0.01, t_end=0.1)
    >>> studies.errors_of(sol, sol.q, sol.v, sol.a).q
    0.0
    """
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
    """The increment from the configurations q to those of the solution, row by row."""
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
