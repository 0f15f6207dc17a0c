"""Loads f(t) for linear systems.

    f(t) = f_k + (t − t_k)/(t_{k+1} − t_k) (f_{k+1} − f_k)        tabulated
    f(t) = −M r a_g(t)                                            base excitation; q counts from the moving base
    f(t) = p sin(ω t + φ)                                         harmonic
    f(t) = p for t ≥ t_on, else 0                                 step

The balance of a step is taken at t_n + W₁ Δt, which for V0 members lies up to Δt/2 behind t_end:
tables must reach that far.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike

from isodyn.errors import CallableError, InputError
from isodyn.kernels.compiled import FloatArray
from isodyn.real_numbers import real_array
from isodyn.systems import checks

if TYPE_CHECKING:
    from isodyn.open_types import Matrix

Load = Callable[[float], FloatArray]


def tabulated(times: ArrayLike, values: ArrayLike, *, extrapolate: bool = False) -> Load:
    """Return the linear interpolation in a table.

    Parameters
    ----------
    times
        k rising times.
    values
        k rows of values; one column gives vectors with one entry.
    extrapolate
        Keep the first and the last row outside the table.

    Returns
    -------
    f
        The load.

    Raises
    ------
    InputError
        If the table is not valid; later, if f is asked for outside it.

    Examples
    --------
    >>> import isodyn as iso
    >>> iso.tabulated([0.0, 1.0, 2.0], [0.0, 10.0, 0.0])(0.25).tolist()
    [2.5]
    """
    t_k = checks.vector("times", times)
    f_k = real_array("values", values, "numbers, one row per time")
    f_k = f_k[:, None] if f_k.ndim == 1 else f_k
    if t_k.size < 2 or f_k.ndim != 2 or f_k.shape[0] != t_k.size:
        raise InputError(
            f"values must have one row for each of at least 2 times, received {t_k.size} times and values of shape {np.shape(values)}"
        )
    if not np.isfinite(f_k).all():
        raise InputError(
            f"values must be finite, received a NaN or an infinity in row {int(np.argwhere(~np.isfinite(f_k))[0, 0])}"
        )
    falling = np.flatnonzero(np.diff(t_k) <= 0.0)
    if falling.size:
        k = int(falling[0])
        raise InputError(
            f"times must rise, received times[{k}] = {t_k[k]:g}, times[{k + 1}] = {t_k[k + 1]:g}",
            hint="a jump goes into breakpoints= of integrate, with one table for each side",
        )
    begin, end = float(t_k[0]), float(t_k[-1])
    slack = 1e-12 * max(abs(begin), abs(end))

    def f(t: float) -> FloatArray:
        if not (extrapolate or begin - slack <= t <= end + slack):
            raise InputError(
                f"a tabulated load was asked for at t = {t:.6g}, its table covers {begin:g} to {end:g}",
                hint="some schemes ask up to dt/2 behind t_end; extend the table, or pass extrapolate=True to hold its ends",
            )
        k = int(np.clip(np.searchsorted(t_k, t, side="right") - 1, 0, t_k.size - 2))
        part = min(max((t - t_k[k]) / (t_k[k + 1] - t_k[k]), 0.0), 1.0)
        return (1.0 - part) * f_k[k] + part * f_k[k + 1]

    return f


def base_excitation(M: Matrix, direction: ArrayLike, acceleration: Callable[[float], Any]) -> Load:
    """Return f(t) = −M r a_g(t), for motion relative to a base that accelerates with a_g(t).

    Parameters
    ----------
    M
        Mass matrix, as in `LinearSystem`.
    direction
        r, the displacements of all coordinates for a unit displacement of the base; a matrix with
        one column per component if the base moves in several directions.
    acceleration
        Function of time that returns a_g, with as many components.

    Returns
    -------
    f
        The load.

    Examples
    --------
    >>> import isodyn as iso
    >>> iso.base_excitation([2.0, 3.0], [1.0, 1.0], lambda t: 9.81 * t)(1.0).round(2).tolist()
    [-19.62, -29.43]
    """
    checks.functions(acceleration=acceleration)
    r = real_array("direction", direction, "a finite vector or matrix")
    r = r[:, None] if r.ndim == 1 else r
    if r.ndim != 2 or not np.isfinite(r).all():
        raise InputError(
            f"direction must be a finite vector, or a matrix with one column per direction, received {direction!r}"
        )
    M = checks.square("M", M, r.shape[0])
    inertia: FloatArray = -(M @ r)
    components = r.shape[1]

    def f(t: float) -> FloatArray:
        try:
            a_g = np.atleast_1d(np.asarray(acceleration(t), dtype=np.float64))
        except (TypeError, ValueError):
            a_g = np.zeros((0, 0))
        if a_g.shape != (components,):
            raise CallableError(
                f"acceleration did not return {components} number{'s' if components > 1 else ''} at t = {t:.6g}",
                hint="one for each column of direction",
            )
        return inertia @ a_g

    return f


def harmonic(amplitude: ArrayLike, omega: float, phase: float = 0.0) -> Load:
    """Return f(t) = amplitude · sin(omega t + phase).

    Parameters
    ----------
    amplitude
        Vector of amplitudes.
    omega
        Angular frequency.
    phase
        Phase.

    Returns
    -------
    f
        The load.

    Examples
    --------
    >>> import numpy as np
    >>> import isodyn as iso
    >>> iso.harmonic([3.0], omega=2.0, phase=np.pi / 2)(0.0).tolist()
    [3.0]
    """
    p = checks.vector("amplitude", np.atleast_1d(amplitude))
    if not (np.isfinite(omega) and np.isfinite(phase)):
        raise InputError(f"omega and phase must be finite, received {omega!r} and {phase!r}")

    def f(t: float) -> FloatArray:
        return np.sin(omega * t + phase) * p

    return f


@dataclass(frozen=True, eq=False)
class StepLoad:
    """f(t) = amplitude from t_on on; `breakpoints` is what `integrate` must be told, or the jump
    costs an order."""

    amplitude: FloatArray
    t_on: float

    @property
    def breakpoints(self) -> tuple[float, ...]:
        return (self.t_on,)

    def __call__(self, t: float) -> FloatArray:
        return self.amplitude if t >= self.t_on else np.zeros_like(self.amplitude)


def step_load(amplitude: ArrayLike, t_on: float = 0.0) -> StepLoad:
    """Return a load that jumps from zero to `amplitude`.

    Parameters
    ----------
    amplitude
        Vector of the load after the jump.
    t_on
        Time of the jump. Pass `breakpoints=f.breakpoints` to `integrate`.

    Returns
    -------
    f
        The load.

    Examples
    --------
    >>> import isodyn as iso
    >>> f = iso.step_load([5.0], t_on=0.3)
    >>> f(0.2).tolist(), f(0.3).tolist(), f.breakpoints
    ([0.0], [5.0], (0.3,))
    """
    if not np.isfinite(t_on):
        raise InputError(f"t_on must be finite, received {t_on!r}")
    return StepLoad(checks.vector("amplitude", np.atleast_1d(amplitude)), float(t_on))
